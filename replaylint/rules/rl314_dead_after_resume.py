"""The first prompt after a successful resume fails.

A success response says that the session is active. The first prompt on it then fails: with -32002, the agent says
that there is no such session, so the resume cannot have succeeded. Any other error is strong evidence that the
session is not usable. The client had shown the session as ready, and the user has typed the prompt for nothing.

It is an error for -32002 and a warning for other errors. It is silent for -32800, which the client caused, for
-32000, which asks for a login, and where a close, delete or archive of the session succeeded in between.

Promise: the response to a resume means that the session is active and its current state is synchronized.

Source: the v2 Replay Complete Signal RFD, sections "What we propose to do about it" and "Why not let the Agent
respond earlier?".

Fix: the agent answers a resume with success only when the session can take prompts, and with an error otherwise.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent"}}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/w"}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
    → {"id":2,"method":"session/prompt","params":{"sessionId":"s"}}
    ← {"id":2,"error":{"code":-32002,"message":"no such session"}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.methods import PROMPT
from replaylint.replay.events import ResponseReceived
from replaylint.replay.outcome import CANCELLED, NOT_FOUND
from replaylint.rules.registry import ERROR, WARNING, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL314",
    "dead-after-resume",
    party="agent",
    severities=(ERROR, WARNING),
    headline="the first prompt after the successful {method} of line {request_line} failed with {code}",
    help="a resume succeeds only when the session can take prompts: answer it with an error otherwise",
    needs_order=True,
)

AUTHENTICATION_REQUIRED: Final = -32000


@RULE.on(ResponseReceived, PROMPT)
def received(event: ResponseReceived) -> Violation | None:
    """At the response to the prompt."""
    prompt, error = event.request, event.error
    session = event.connection.sessions.get(event.session_id or "")
    if prompt is None or error is None or session is None or session.resumed is None or not session.active:
        return None
    resume = session.resumed
    if session.first_prompt is not prompt or prompt.line < resume.answer_line:
        return None
    if prompt.line in event.connection.unordered:
        return None
    if error.code in {CANCELLED, AUTHENTICATION_REQUIRED}:
        return None
    return RULE.at(
        event,
        ERROR if error.code == NOT_FOUND else WARNING,
        request=resume,
        method=resume.method,
        request_line=resume.line,
        prompt_line=prompt.line,
        code=error.code if error.code is not None else "no code",
    )
