"""Findings about what the user asks of a finished report, as the rules of RL4 word them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from replaylint.protocol.exchange import Request
from replaylint.recording.message import CLIENT, NO_TIME
from replaylint.report.findings import finding
from replaylint.rules.registry import Violation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replaylint.report.model import Finding, Marker, Moment, Response, Resume, Session
    from replaylint.rules.registry import Rule, Severity

ELSEWHERE: Final = 1 << 62
"""The lines behind it stand for those in other files than the request's."""


class _Lines:
    """The lines that a finding on a resume tells: in the file of its request, or in others."""

    def __init__(self, resume: Resume) -> None:
        self._trace = resume.trace
        self._others: list[tuple[str, int]] = []

    def number(self, of: Marker | Moment | Response | None) -> int:
        """What stands for the line of this; 0 for none."""
        if of is None:
            return 0
        trace = getattr(of, "trace", None)
        if trace is None:
            return of.line
        self._others.append((trace, of.line))
        return ELSEWHERE + len(self._others)

    def place(self, number: int) -> tuple[str, int]:
        """The file of the line that this stands for, and its number there."""
        return self._others[number - ELSEWHERE - 1] if number > ELSEWHERE else (self._trace, number)


def on_resume(
    rule: Rule,
    severity: Severity,
    resume: Resume,
    session: Session | None,
    facts: Mapping[str, Any],
    *,
    evidence: Mapping[str, Marker | Moment | None] | None = None,
    at: str | None = None,
    what: str | None = None,
) -> Finding:
    """A finding on a session of this resume: at the line of this evidence, else at the response, else at the request.

    `evidence` is what it rests on beside request and response, by what that is called. `what` makes it another fault
    than others of the rule; None: only the method does.
    """
    lines = _Lines(resume)
    numbers: dict[str, Any] = {f"{name}_line": lines.number(each) for name, each in (evidence or {}).items()}
    response_line = lines.number(resume.response)
    violation = Violation(
        rule,
        severity,
        numbers.get(f"{at}_line") or response_line or resume.request.line,
        request=Request(CLIENT, resume.request_id, resume.method, {}, resume.request.line, NO_TIME),
        session_id=resume.session_id if session is None else session.session_id,
        role="named" if session is None else session.role,
        what=resume.method if what is None else what,
        response_line=response_line,
        **numbers,
        **facts,
    )
    violation.connection = resume.connection
    return finding(violation, lines.place)


def on_recording(rule: Rule, severity: Severity, path: str | None, facts: Mapping[str, Any], **which: Any) -> Finding:
    """A finding on a recording as a whole, or without a path on all of them; `which`: fields of Violation."""
    violation = Violation(rule, severity, 0, **which, **facts)
    found = finding(violation, partial(_in, path or ""))
    found.trace = path
    return found


def _in(path: str, line: int) -> tuple[str, int]:
    return path, line
