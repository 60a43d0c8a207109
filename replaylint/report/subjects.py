"""What each finding is about: one of the resumes, or a recording as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.exchange import id_key

if TYPE_CHECKING:
    from replaylint.report.model import Finding, Report, Resume


def by_subject(report: Report) -> tuple[dict[int, list[Finding]], dict[str | None, list[Finding]]]:
    """The findings on each resume, by its number (1-based, in report order), and those on none, by recording."""
    numbers: dict[object, list[int]] = {}
    for number, resume in enumerate(report.resumes, 1):
        numbers.setdefault(_key(resume), []).append(number)
    of_resume: dict[int, list[Finding]] = {}
    of_trace: dict[str | None, list[Finding]] = {}
    for finding in report.findings:
        same = numbers.get(_key(finding)) if finding.side == "client" else None
        if same is None:
            of_trace.setdefault(finding.trace, []).append(finding)
        else:
            of_resume.setdefault(_latest(same, finding, report.resumes), []).append(finding)
    return of_resume, of_trace


def _latest(numbers: list[int], finding: Finding, resumes: list[Resume]) -> int:
    """Of requests with one id, the last that is not after the finding."""
    line = finding.line
    before = [number for number in numbers if line is None or resumes[number - 1].request.line <= line]
    return before[-1] if before else numbers[0]


def _key(of: Finding | Resume) -> tuple[object, ...]:
    return of.trace, of.connection, id_key(of.request_id)
