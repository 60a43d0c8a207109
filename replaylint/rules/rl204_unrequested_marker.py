"""An end-of-replay marker that nothing asked for.

The agent MUST NOT send the marker for a request that does not replay history: a resume whose `replayFrom` is omitted
or null, and `session/new`. Nor does one belong to a session that the last replay did not hold.

Source: the RFD's section "The replay_complete update"; the second seed, "When the event is sent".

Fix: send the marker from the replay only, not from what every resume or every new session runs through.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Stray

RULE = Rule(
    "RL204",
    "unrequested-marker",
    party="agent",
    says="{count:end-of-replay marker} for a session of which no replay was asked",
    needs_beginning=True,
)


@RULE.at_stray_marker
def stray(connection: Connection, stray: Stray) -> Hit | None:
    """It belongs to no replay, and none is pending that it could have been meant for."""
    return None if stray.unannounced else RULE.saw(ERROR, connection, stray.seen)
