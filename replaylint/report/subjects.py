"""What each finding is about: one of the resumes, or a recording as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.exchange import id_key
from replaylint.rules.registry import REQUEST

if TYPE_CHECKING:
    from replaylint.report.model import Finding, Report


def by_subject(report: Report) -> tuple[dict[int, list[Finding]], dict[str | None, list[Finding]]]:
    """The findings on each resume, by its number (1-based, in report order), and those on none, by recording."""
    numbers: dict[tuple[object, ...], int] = {
        (resume.trace, resume.request.line, resume.connection, id_key(resume.request_id)): number
        for number, resume in enumerate(report.resumes, 1)
    }
    of_resume: dict[int, list[Finding]] = {}
    of_trace: dict[str | None, list[Finding]] = {}
    for finding in report.findings:
        number = numbers.get(_request(finding)) if finding.side == "client" else None
        if number is None:
            of_trace.setdefault(finding.trace, []).append(finding)
        else:
            of_resume.setdefault(number, []).append(finding)
    return of_resume, of_trace


def _request(finding: Finding) -> tuple[object, ...]:
    """The key of the request that a finding is about: its location, which is part of the evidence, and its id."""
    location = next(
        ((getattr(each, "trace", finding.trace), each.line) for each in finding.evidence if each.what == REQUEST),
        (None, 0),
    )
    return *location, finding.connection, id_key(finding.request_id)
