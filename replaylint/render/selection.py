"""Which of a report's resumes are shown, and which findings belong to each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.render.escape import printable, shortened
from replaylint.report.subjects import by_subject

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.render.view import View
    from replaylint.report.model import Finding, Report, Resume

MAX_UNFOLDED: Final = 8
SLOWEST: Final = 3
"""Where room is scarce: with more than so many, those without errors and warnings are left out, but for the slowest."""
MAX_DETAILED: Final = 3
"""With more resumes or recordings than this, they are shown in a table."""


class Shown:
    """A report as a view shows it. A resume is named by its number: 1-based, in report order.

    `detailed`: there is room for each resume, and for findings that are no more than info.
    """

    def __init__(self, report: Report, view: View) -> None:
        self.filtered = view.session is not None or view.resume is not None
        self.of_resume, self.of_trace = by_subject(report)
        every = enumerate(report.resumes, 1)
        self.resumes = {number: each for number, each in every if _wanted(number, each, view)}
        if self.filtered:
            self.of_trace = {
                path: [each for each in found if view.resume is None and _is(each.session_id, view.session)]
                for path, found in self.of_trace.items()
            }
        self.by_trace: dict[str, list[int]] = {}
        for number, resume in self.resumes.items():
            self.by_trace.setdefault(resume.trace, []).append(number)
        paths = dict.fromkeys(trace.path for trace in report.traces)
        self.traces = [each for each in paths if not self.filtered or each in self.by_trace or self.of_trace.get(each)]
        self.failed = {trace.path for trace in report.traces if trace.error is not None}
        # A folder may have many recordings without resumes.
        few = max(len(self.resumes), len(self.traces)) <= MAX_DETAILED
        self.detailed = few or view.everything or view.timelines is not None

    def folded(self) -> tuple[dict[int, Resume], list[str]]:
        """Of many, only the resumes and recordings with errors or warnings, and the slowest resumes."""
        if max(len(self.resumes), len(self.traces)) <= MAX_UNFOLDED:
            return self.resumes, self.traces
        gaps = {number: gap for number, each in self.resumes.items() if (gap := _gap(each)) is not None}
        keep = set(sorted(gaps, key=lambda number: -gaps[number])[:SLOWEST])
        keep |= {number for number in self.resumes if _is_serious(self.of_resume.get(number, ()))}
        resumes = {number: each for number, each in self.resumes.items() if number in keep}
        named = {each.trace for each in resumes.values()} | self.failed
        return resumes, [each for each in self.traces if each in named or _is_serious(self.of_trace.get(each, ()))]

    def findings(self) -> list[Finding]:
        """The findings on what is shown."""
        own = [each for number in self.resumes for each in self.of_resume.get(number, ())]
        return own + [each for found in self.of_trace.values() for each in found]


def _wanted(number: int, resume: Resume, view: View) -> bool:
    if view.resume is not None and number != view.resume:
        return False
    ids = [resume.session_id, *(session.session_id for session in resume.sessions)]
    return view.session is None or any(_is(each, view.session) for each in ids)


def _is(session_id: str | None, wanted: str | None) -> bool:
    """Whether this is the wanted id, raw or as it is printed, whole or cut."""
    return session_id is not None and wanted in {session_id, printable(session_id), shortened(session_id)}


def _gap(resume: Resume) -> float | None:
    """The response gap in seconds; as in the summary, of the named session of a replaying request."""
    return resume.sessions[0].timing.response_gap_s if resume.replaying and resume.sessions else None


def _is_serious(findings: Iterable[Finding]) -> bool:
    return any(each.severity != "info" for each in findings)
