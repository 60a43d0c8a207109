"""A session was closed or deleted while its resume was pending, and the resume succeeded afterwards.

The close succeeded, so the session is not active; then the response of the resume says that it is. The client has a
session that it has closed, or one that is no more.

Source: "Session lifecycle" of https://agentclientprotocol.com/protocol/v2/session-setup.

Fix: let the close cancel the resume, and answer that with an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.rules.registry import WARNING, Hit, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL312",
    "resumed-after-close",
    party="agent",
    says="the resume succeeded although the session had been closed or deleted at line {close_line}, while it was "
    "pending",
)


@RULE.at_request_end("success")
def settle(resume: Resume) -> Iterator[Hit]:
    """Both succeeded, in this order."""
    response = resume.response
    if not resume.close_line or response is None:
        return
    yield Hit(
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
