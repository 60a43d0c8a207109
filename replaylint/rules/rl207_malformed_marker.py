"""Nearly an end-of-replay marker, but none for any client.

The marker is a `session/update` with a string `sessionId` and the variant `replay_complete`. A variant with another
spelling is unknown to clients, which ignore it; a notification of its own can reach the application on another path
than the updates and lose its order; without a session the marker marks nothing.

Source: the RFD's sections "The replay_complete update" and "Why a session/update variant and not a new notification
method?".

Fix: send `{"sessionId": …, "update": {"sessionUpdate": "replay_complete"}}` as a `session/update`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import REPLAY_COMPLETE
from replaylint.replay.facts import Fact
from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL207",
    "malformed-marker",
    party="agent",
    says="{what} is no end-of-replay marker, and clients ignore it; the marker is a session/update with a sessionId "
    "and the variant replay_complete",
)


@RULE.notices(Fact.NEAR_MISS)
def notice(connection: Connection, seen: Seen, window: Window | None) -> Hit:
    """A variant, a method, or a marker without a session."""
    what = "replay_complete without a string sessionId" if seen.what == REPLAY_COMPLETE else seen.what
    return RULE.saw(ERROR, connection, seen, window=window, what=what)
