"""What has to hold for every report, and for every text that is printed."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from tests.unseen import unseen

if TYPE_CHECKING:
    from replaylint.report.model import Report


class Broken(AssertionError):  # noqa: N818  (what is broken, is a promise)
    """Something that has to hold does not."""

    def __init__(self, what: str, details: str = "", files: dict[str, bytes] | None = None) -> None:
        super().__init__(f"{what}: {details}" if details else what)
        self.what = what
        self.files = files or {}
        """What shows it, where that is not the input."""


def require(holds: object, what: str, details: object = "") -> None:
    """Raise Broken if it does not hold."""
    if not holds:
        raise Broken(what, str(details)[:2000])


def require_printable(text: str, what: str) -> None:
    """Raise Broken if there is anything in it that a terminal would act upon, or not show."""
    for character in unseen(text):
        if character != "\n":
            at = text.index(character)
            raise Broken(f"{what} holds a control character", repr(text[max(0, at - 60) : at + 20]))


def check_lines(report: Report) -> None:
    """Each line that the report names is one of its trace."""
    lines = {trace.path: trace.lines for trace in report.traces}
    for finding in report.findings:
        require(finding.trace is None or finding.trace in lines, "a finding in no trace", finding.trace)
        if finding.trace is None or finding.line is None:
            continue
        last = lines[finding.trace]
        require(1 <= finding.line <= last, f"{finding.rule} names a line that is not there", finding.line)
        require(finding.last_line is not None, f"{finding.rule} has a line, but no last one")
        require(finding.line <= (finding.last_line or 0) <= last, f"{finding.rule} ends at no line", finding.last_line)
        for evidence in finding.evidence:
            there = lines[getattr(evidence, "trace", finding.trace)]
            require(1 <= evidence.line <= there, f"{finding.rule} rests on a line that is not there", evidence.line)
    for resume in report.resumes:
        named = [(resume.trace, resume.request.line)]
        if resume.response is not None:
            named.append((getattr(resume.response, "trace", resume.trace), resume.response.line))
        for session in resume.sessions:
            if session.marker is not None:
                named.append((getattr(session.marker, "trace", resume.trace), session.marker.line))
            if session.announced_line is not None and len(lines) == 1:
                named.append((resume.trace, session.announced_line))
        for trace, line in named:
            require(1 <= line <= lines[trace], "a resume names a line that is not there", line)


def check_order(report: Report) -> None:
    """Findings and resumes are in the order that the schema declares."""
    at = {trace.path: number for number, trace in enumerate(report.traces)}
    ranks = [(at.get(each.trace or "", inf), each.line or inf, each.rule) for each in report.findings]
    require(ranks == sorted(ranks), "findings are in another order")
    if len(report.traces) == 1:
        places = [each.request.line for each in report.resumes]
        require(places == sorted(places), "resumes are in another order", places)
        for finding in report.findings:
            lines = [each.line for each in finding.evidence]
            require(lines == sorted(lines), f"the evidence of {finding.rule} is in another order", lines)
