"""`ndjson`: a line for each resume, finding and input, and a last one with the counts; `type` says which it is.

The fields are those of `json`.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from orjson import dumps

from replaylint.render.escape import harmless
from replaylint.replay.outcome import OUTCOMES
from replaylint.report.findings import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Finding, Report, Resume, Trace

    Type = Literal["resume", "finding", "trace", "summary"]


def render(report: Report, view: View) -> Iterator[bytes]:  # noqa: ARG001
    """In report order: all resumes, all findings, all inputs."""
    lines: list[bytes] = []
    stream = Stream(lines.append)
    for resume in report.resumes:
        stream.resume(resume)
        yield lines.pop()
    for finding in report.findings:
        stream.finding(finding)
        yield lines.pop()
    stream.end(report)
    yield from lines


class Stream:
    """Writes resumes and findings one by one, and keeps none."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._resumes = 0
        self._outcomes: Counter[str] = Counter()
        self._findings: Counter[str] = Counter()
        self.failing: Counter[str] = Counter()
        """The findings that no baseline knows, by severity."""

    def resume(self, resume: Resume) -> None:
        """Write this one."""
        self._resumes += 1
        self._outcomes.update(session.outcome for session in resume.sessions)
        self._line("resume", resume)

    def finding(self, finding: Finding) -> None:
        """Write this one."""
        self._findings[finding.severity] += 1
        self.failing[finding.severity] += not finding.known
        self._line("finding", finding)

    def end(self, report: Report) -> None:
        """Write the inputs of this report, and the counts."""
        for trace in report.traces:
            self._line("trace", trace)
        counts = {
            "schema_version": report.schema_version,
            "tool": report.tool,
            "resumes": self._resumes,
            "outcomes": {each: self._outcomes[each] for each in OUTCOMES if self._outcomes[each]},
            "findings": {each: self._findings[each] for each in SEVERITIES},
            "passed_over": report.passed_over,
            "passed_over_files": report.passed_over_files,
            "settings": report.settings,
            "budgets": report.budgets,
        }
        self._line("summary", counts)

    def _line(self, kind: Type, fields: Resume | Finding | Trace | dict[str, object]) -> None:
        self._write(b'{"type":"%b",%b\n' % (kind.encode(), harmless(dumps(fields))[1:]))
