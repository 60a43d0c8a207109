"""A second end-of-replay marker of the same kind for one session of a request.

The marker says that the replay of a session has ended, and a replay ends once. A client that acts on the marker, by
showing or saving the history, acts twice; one that has asked for another replay meanwhile may take the second marker
for the end of that one.

It is an error, wherever the further marker stands: in the same request or after its response, up to the next resume of
the session. `replay_complete` and the vendor's event `loadReplayEnd` are different kinds: one of each is no duplicate.
It is silent where each side was recorded apart and the marker may be that of another resume.

Promise: exactly one marker for each session of a replaying request: MUST. The vendor's event comes once for a whole
load.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", sections "The replay_complete update" and "Subagent sessions"),
https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361, section "When
the event is sent").

Fix: the agent sends the marker at one place in its code, where the replay of the session has ended.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
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
    "RL202",
    "duplicate-marker",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent {count:further end-of-replay marker} for a session that had its marker at line "
    "{marker_line}",
    help="each session of a request gets exactly one: send it where the replay of the session ends, and nowhere else",
)

RULE.confirms(1)(unless_guessed)
RULE.confirms(2)(unless_guessed)


@RULE.on(MarkerAssigned)
def assigned(event: MarkerAssigned) -> Violation | None:
    """The session has a marker of this kind already, also where that was late."""
    window, past = event.window, event.past
    if window is not None:
        mark = window.mark_of(event.trigger)
        if mark is None or event.first:
            return None
        if mark.line in event.connection.unordered and window.resume.was_active is not False:
            return None  # it may be that of a resume before
        return RULE.at(event, ERROR, window=window, marker_line=mark.line)
    first = past.line_of(event.trigger) if past is not None else 0
    return RULE.at(event, ERROR, past=past, marker_line=first) if first else None
