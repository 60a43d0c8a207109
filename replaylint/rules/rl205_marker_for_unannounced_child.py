"""An end-of-replay marker, during a replay, for a session that the replay did not announce.

Each child session that the agent announces between the request and the response gets its own marker, after its
announcement; a child that the agent does not announce gets none. A client cannot know what this marker certifies.

Source: the RFD's section "Subagent sessions".

Fix: announce the child with `subagent_update` on its parent's stream first, or send no marker for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Stray

RULE = Rule(
    "RL205",
    "marker-for-unannounced-child",
    party="agent",
    says="{count:end-of-replay marker} for a session that the replay requested at line {request_line} neither names "
    "nor announced",
    needs_beginning=True,
)


@RULE.at_stray_marker
def stray(connection: Connection, stray: Stray) -> Hit | None:
    """A replay was pending, and ended without an announcement of this session."""
    if not stray.unannounced or stray.during is None:
        return None
    return RULE.saw(ERROR, connection, stray.seen, request_line=stray.during.request.line)
