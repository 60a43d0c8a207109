"""A prompt succeeded before the resume of its session did.

The session was not active, the resume was pending, and the agent ran the turn all the same. Its updates mix with the
replay, and the client cannot tell the new answer from the old ones.

It is an error of the agent; that the client sent the prompt is RL309. It is silent where the recording misses the
connection's beginning.

Promise: a prompt on a session that is not active fails with -32002, until the resume has succeeded.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", section "The replay_complete update"),
https://agentclientprotocol.com/protocol/v2/session-setup#session-lifecycle (protocol v2, "Session Setup", section
"Session lifecycle").

Fix: the agent rejects the prompt with -32002 while the resume is pending.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}
    → {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
    ← {"id":2,"result":{}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import PROMPT
from replaylint.replay.events import ResponseReceived
from replaylint.rules.registry import ERROR, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL310",
    "early-prompt-accepted",
    party="agent",
    severities=(ERROR,),
    headline="the prompt of line {prompt_line} succeeded while the {method} of line {request_line} was pending",
    help="until that has succeeded the session is not active, and a prompt has to fail with -32002",
    needs_beginning=True,
    needs_order=True,
)


@RULE.on(ResponseReceived, PROMPT)
def received(event: ResponseReceived) -> Violation | None:
    """At the response to the prompt."""
    prompt, resume = event.request, event.early
    if prompt is None or resume is None or resume.lost or resume.end is not None or event.error is not None:
        return None
    request = resume.request
    return RULE.at(
        event, ERROR, request=request, method=request.method, request_line=request.line, prompt_line=prompt.line
    )
