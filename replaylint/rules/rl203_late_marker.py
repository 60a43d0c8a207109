"""The end-of-replay marker came only after the response.

With the marker the agent says that all history has been sent. It is there so that a client can show the history while
the agent is still busy with the rest of the request. After the response it tells nobody anything: the client had to
wait for the response all the same, and if that was an error, the client has already put the history down as
incomplete.

It is an error, after a success, an error and a cancellation alike. After a success RL201 reports the missing marker
too, because the request ended without one. It is silent where each side was recorded apart and the marker may be that
of another resume.

Promise: the marker of a session comes after its last replayed update and before the response to the request: MUST.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", section "The replay_complete update"),
https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361, section "When
the event is sent").

Fix: the agent sends the marker where the replay ends, and not from what it runs after it has answered the request.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import MarkerAssigned
from replaylint.replay.window import Point
from replaylint.rules.registry import ERROR, Rule, unless_guessed
from replaylint.rules.words import Clause, apart

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL203",
    "late-marker",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent {count:end-of-replay marker} only after the response at line {response_line}{late}",
    help="a marker belongs between the last replayed update and the response: send it where the replay ends",
)

RULE.confirms(1)(unless_guessed)
RULE.confirms(2)(unless_guessed)


@RULE.on(MarkerAssigned)
def assigned(event: MarkerAssigned) -> Violation | None:
    """The first marker of its kind."""
    past = event.past
    if past is None or not past.response.line or past.line_of(event.trigger):
        return None
    waited = apart(past.response, Point(event.line, event.time), event.connection.steps)
    late = Clause(f" ({waited} later at line {{line}})") if waited else ""
    return RULE.at(event, ERROR, past=past, response_line=past.response.line, late=late)
