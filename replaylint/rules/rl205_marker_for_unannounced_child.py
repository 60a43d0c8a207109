"""An end-of-replay marker, during a replay, for a session that the replay did not announce.

A replay can hold child sessions (subagents). The agent announces each of them on the stream of its parent, and each
announced one gets a marker of its own. Here a replay was pending and ended, and this marker bears the id of a session
that the request neither names nor ever announced. A client cannot know whose history is meant to be complete, and if
the id is a mistyped one, a real marker is missing.

It is an error. If the announcement comes later in the same replay, only the order is wrong, and RL305 says so. It is
silent where each side was recorded apart and another request may have asked for the marker.

Promise: each child that the agent announces between request and response MUST get exactly one marker, after its
announcement; a child that it does not announce gets none.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#subagent-sessions (RFD "v2 Replay Complete
Signal", section "Subagent sessions").

Fix: the agent announces the child with `subagent_update` on its parent's stream first, or sends no marker for it; and
it puts the right `sessionId` on the marker.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"c","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import MarkerAssigned
from replaylint.rules.registry import ERROR, Rule, unless_guessed

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL205",
    "marker-for-unannounced-child",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent {count:end-of-replay marker} for a session that the replay requested at line "
    "{request_line} neither names nor announced",
    help="a child is announced on its parent's stream before its marker, or gets none",
    needs_beginning=True,
)

RULE.confirms(1)(unless_guessed)
RULE.confirms(2)(unless_guessed)


@RULE.on(MarkerAssigned)
def assigned(event: MarkerAssigned) -> Violation | None:
    """A replay was pending, and ended without an announcement of this session."""
    if event.past is not None or not event.unannounced or event.during is None or event.during.lost:
        return None
    return RULE.at(event, ERROR, request_line=event.during.request.line)
