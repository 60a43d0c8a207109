"""Findings about what the user demands of a finished report, as the rules of RL4 word them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from replaylint.protocol.exchange import Request
from replaylint.recording.message import CLIENT, NO_TIME
from replaylint.report.findings import finding
from replaylint.rules.registry import Hit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replaylint.report.model import Finding, Resume, Session
    from replaylint.rules.registry import Rule, Severity

ELSEWHERE: Final = 1 << 62
"""Added to the line of a response that stands in another file than its request, to tell them apart."""


def on_resume(
    rule: Rule,
    severity: Severity,
    resume: Resume,
    session: Session | None,
    facts: Mapping[str, Any],
    line: int = 0,
    what: str | None = None,
) -> Finding:
    """A finding on a session of this resume: at this line, else at the response, else at the request.

    `what` makes it another fault than others of the rule; None: only the method does.
    """
    response = resume.response
    response_line = 0 if response is None else response.line
    if hasattr(response, "trace"):
        response_line += ELSEWHERE
    hit = Hit(
        rule,
        severity,
        line or response_line or resume.request.line,
        request=Request(CLIENT, resume.request_id, resume.method, {}, resume.request.line, NO_TIME),
        session_id=resume.session_id if session is None else session.session_id,
        role="named" if session is None else session.role,
        what=resume.method if what is None else what,
        response_line=response_line,
        **facts,
    )
    hit.connection = resume.connection
    return finding(hit, partial(_of, resume))


def on_recording(rule: Rule, severity: Severity, path: str | None, facts: Mapping[str, Any], **which: Any) -> Finding:
    """A finding on a recording as a whole, or without a path on all of them; `which` holds further fields of Hit."""
    hit = Hit(rule, severity, 0, **which, **facts)
    found = finding(hit, partial(_in, path or ""))
    found.trace = path
    return found


def _in(path: str, line: int) -> tuple[str, int]:
    return path, line


def _of(resume: Resume, line: int) -> tuple[str, int]:
    if line > ELSEWHERE:
        return getattr(resume.response, "trace", resume.trace), line - ELSEWHERE
    return resume.trace, line
