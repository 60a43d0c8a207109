"""A resume that the client cancelled never got a response.

A cancelled `session/resume` still gets one: a result, or the error -32800. Without it the client cannot tell whether
the cancellation was seen, and waits.

Source: the RFD's section "Outcomes"; `$/cancel_request` in the schema.

Fix: answer a cancelled request with what it has come to, or with -32800.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.rules.registry import ERROR, INFO, Hit, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL213",
    "cancel-unanswered",
    party="agent",
    says="the cancelled {method} was not answered before {end}{later}",
)

ENDS = {"closed": "the connection ended", "open": "the recording stops"}


@RULE.at_request_end("closed", "open")
def settle(resume: Resume) -> Iterator[Hit]:
    """That the agent answered something later shows that it had read the cancellation."""
    connection = resume.connection
    if not resume.cancel_line or resume.lost:
        return
    answered = connection.answered_line > resume.cancel_line
    closed = resume.end == "closed"
    if not answered and not closed:
        return
    yield Hit(
        RULE,
        ERROR if answered and closed else INFO,
        resume.cancel_line,
        connection=connection,
        request=resume.request,
        session_id=resume.session_id,
        role="named",
        what=resume.request.method,
        method=resume.request.method,
        end=ENDS.get(resume.end or "", "the end"),
        later=", though the agent answered what was sent later" if answered else "",
    )
