"""A resume that the client cancelled never got a response.

A client cancels a request with `$/cancel_request`, and still gets a response to it: the result, if the agent was
finished, or error -32800. Without one the client cannot tell whether the cancellation was seen, whether the session
is active, and whether the history it has is whole.

It is an error if the connection ended and the agent had answered something that was sent after the cancellation: so
it had read the cancellation and gone on. If only one of the two holds it is info, if neither does the rule is silent,
and so it is where the recorder dropped messages during the request.

Promise: a cancelled request gets a response all the same, with a value or with error -32800: MUST.

Source: https://agentclientprotocol.com/protocol/v2/cancellation (protocol v2, "Cancellation", section
"$/cancel_request Notification"), https://agentclientprotocol.com/rfds/v2/session-replay-complete#outcomes (RFD "v2
Replay Complete Signal", section "Outcomes").

Fix: the agent answers a cancelled request with what it has come to, or with error -32800; also if it cannot interrupt
the work.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}
    → {"method":"$/cancel_request","params":{"requestId":1}}
    → {"id":2,"method":"session/list","params":{}}
    ← {"id":2,"result":{"sessions":[]}}
    → {"id":3,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":3,"result":{"protocolVersion":2}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import ERROR, INFO, Rule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL213",
    "cancel-unanswered",
    party="agent",
    severities=(ERROR, INFO),
    headline="the {method} of line {request_line}, cancelled here, got no response before {end}{later}",
    help="a cancelled request is answered all the same: with its result, or with error -32800",
    needs_order=True,
)

ENDS = {"closed": "the connection ended", "open": "the recording stops"}


@RULE.on(ResumeEnded, "closed", "open")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """That the agent answered something later shows that it had read the cancellation."""
    resume = event.resume
    connection = resume.connection
    if not resume.request.cancel_line or resume.lost:
        return
    answered = connection.answered_line > resume.request.cancel_line
    closed = resume.end == "closed"
    if not answered and not closed:
        return
    yield Violation(
        RULE,
        ERROR if answered and closed else INFO,
        resume.request.cancel_line,
        connection=connection,
        request=resume.request,
        session_id=resume.session_id,
        role="named",
        what=resume.request.method,
        method=resume.request.method,
        request_line=resume.request.line,
        cancellation_line=resume.request.cancel_line,
        end=ENDS.get(resume.end or "", "the end"),
        later=", though the agent answered what was sent later" if answered else "",
    )
