"""A prompt while the resume of its session is pending.

The marker says that the history is whole, not that the session can take prompts: it becomes active with the success
response. A prompt before that fails, or the agent lets it wait, or it gets into the middle of the replay.

It is a warning about the client. It is silent where the session was active already, and where the recording misses
the connection's beginning, so that it may have been.

Promise: a session that was not active before becomes active with the success response; until then `session/prompt`
fails with -32002.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", section "The replay_complete update"),
https://agentclientprotocol.com/protocol/v2/session-setup#session-lifecycle (protocol v2, "Session Setup", section
"Session lifecycle").

Fix: the client shows the history at the marker, and sends the first prompt when the resume has succeeded.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}
    → {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
    ← {"id":2,"error":{"code":-32002,"message":"not active"}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import PROMPT
from replaylint.recording.message import CLIENT
from replaylint.replay.events import RequestSent
from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL309",
    "prompt-before-active",
    party="client",
    severities=(WARNING,),
    headline="{count:prompt} while the {method} of line {request_line} was pending and the session not active",
    help="prompts have to wait for its success response",
    needs_beginning=True,
    needs_order=True,
)


@RULE.on(RequestSent, PROMPT)
def sent(event: RequestSent) -> Violation | None:
    """At the prompt."""
    resume = next(iter(event.pending), None)
    if event.side is not CLIENT or resume is None or resume.lost:
        return None
    if event.session is None or event.session.active is not False:
        return None
    request = resume.request
    return RULE.at(event, WARNING, request=request, method=request.method, request_line=request.line)
