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
"""With more resumes or recordings than this, those without errors and warnings are folded."""

SLOWEST: Final = 3
"""This many of the slowest resumes are always shown."""


class Shown:
    """A report as a view shows it. A resume is named by its number: 1-based, in report order."""

    def __init__(self, report: Report, view: View) -> None:
        self.filtered = view.session is not None or view.resume is not None
        self.of_resume, self.of_trace = by_subject(report)
        every = dict(enumerate(report.resumes, 1))
        chosen = {number: each for number, each in every.items() if _wanted(number, each, view)}
        # A folder may have many recordings without resumes.
        many = max(len(chosen), 0 if self.filtered else len(report.traces)) > MAX_UNFOLDED
        self.folding = many and not view.everything
        self.resumes = self._unfolded(chosen) if self.folding else chosen
        self.folded = [each for number, each in chosen.items() if number not in self.resumes]
        if self.filtered:
            self.of_trace = {
                path: [each for each in found if view.resume is None and _is(each.session_id, view.session)]
                for path, found in self.of_trace.items()
            }
        self.by_trace: dict[str, list[int]] = {}
        for number, resume in self.resumes.items():
            self.by_trace.setdefault(resume.trace, []).append(number)
        paths = list(dict.fromkeys(trace.path for trace in report.traces))
        failed = {trace.path for trace in report.traces if trace.error is not None}
        self.traces = [path for path in paths if self._is_shown(path, failed)]
        self.folded_traces = 0 if self.filtered else len(paths) - len(self.traces)

    def findings(self) -> list[Finding]:
        """The findings on what is shown."""
        own = [each for number in self.resumes for each in self.of_resume.get(number, ())]
        return own + [each for found in self.of_trace.values() for each in found]

    def _unfolded(self, chosen: dict[int, Resume]) -> dict[int, Resume]:
        gaps = {number: gap for number, each in chosen.items() if (gap := _gap(each)) is not None}
        keep = set(sorted(gaps, key=lambda number: -gaps[number])[:SLOWEST])
        keep |= {number for number in chosen if _is_serious(self.of_resume.get(number, ()))}
        return {number: each for number, each in chosen.items() if number in keep}

    def _is_shown(self, path: str, failed: set[str]) -> bool:
        if path in self.by_trace:
            return True
        found = self.of_trace.get(path, ())
        if self.filtered:
            return bool(found)
        return not self.folding or path in failed or _is_serious(found)


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
