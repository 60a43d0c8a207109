"""A session was closed or deleted while its resume was pending, and the resume succeeded afterwards.

The agent confirmed `session/close` or `session/delete`: the session is not active any more, or does not exist. Then
it answered the pending resume with success, which says that the session is active. The client holds a session open
that its user has closed, or believes in one that is gone; the agent keeps its resources.

It is a warning.

Promise: a close ends all work of the session and frees what belongs to it; a session is active from a successful
resume until it is closed. Which of two crossing requests wins is written nowhere: evidence only.

Source: https://agentclientprotocol.com/protocol/v2/session-setup#session-lifecycle (protocol v2, "Session Setup",
sections "Session Lifecycle" and "Closing Active Sessions").

Fix: the agent lets a close or delete cancel the pending resume and answers that with an error, or it answers the
close only when the resume has ended.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}
    → {"id":2,"method":"session/close","params":{"sessionId":"s"}}
    ← {"id":2,"result":{}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import WARNING, Rule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL312",
    "resumed-after-close",
    party="agent",
    severities=(WARNING,),
    headline="the agent answered the resume with success after it had confirmed at line {close_line} that the session "
    "was closed or deleted",
    help="let a close cancel the pending resume, and answer that with an error",
    needs_order=True,
)


@RULE.on(ResumeEnded, "success")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """Both succeeded, in this order."""
    resume = event.resume
    response = resume.response
    if not resume.close_line or response is None or resume.close_line in resume.connection.unordered:
        return
    yield Violation(
        RULE,
        WARNING,
        response.line,
        connection=resume.connection,
        request=resume.request,
        session_id=resume.session_id,
        role="named",
        what=resume.request.method,
        close_line=resume.close_line,
        response_line=response.line,
    )
