"""A prompt that came too early failed with another code.

The session was not active, the resume was pending, and the prompt failed, as it has to. But the code is not -32002,
by which a client knows that the session is not there yet, and can send the prompt again when it is.

It is info about the agent; that the client sent the prompt is RL309. -32800, the answer to a cancellation, is right,
too.

Promise: a prompt on a session that is not active fails with -32002, until the resume has succeeded.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", section "The replay_complete update").

Fix: the agent answers with -32002 where the session is not active.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}
    → {"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
    ← {"id":2,"error":{"code":-32603,"message":"no such session"}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import PROMPT
from replaylint.replay.events import ResponseReceived
from replaylint.replay.outcome import CANCELLED, NOT_FOUND
from replaylint.rules.registry import INFO, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL313",
    "early-prompt-wrong-error",
    party="agent",
    severities=(INFO,),
    headline="the prompt of line {prompt_line}, sent while the {method} of line {request_line} was pending, failed "
    "with {code}",
    help="-32002 is what says that the session is not active yet",
    needs_order=True,
)


@RULE.on(ResponseReceived, PROMPT)
def received(event: ResponseReceived) -> Violation | None:
    """At the response to the prompt, also when the resume has been answered."""
    prompt, error, resume = event.request, event.error, event.early
    if prompt is None or error is None or resume is None or resume.lost or prompt.line in event.connection.unordered:
        return None
    if error.code == NOT_FOUND or (error.code == CANCELLED and prompt.cancel_line):
        return None
    request = resume.request
    return RULE.at(
        event,
        INFO,
        request=request,
        method=request.method,
        request_line=request.line,
        prompt_line=prompt.line,
        code=error.code if error.code is not None else "no code",
    )
