"""`concise`: one finding a line, one outcome a line, each where an editor finds it: `path:line: …`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.render.lines import of_finding, of_outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Report


def render(report: Report, view: View) -> Iterator[str]:
    """By trace and line, a request's outcomes before its findings."""
    lines = [(each.trace or "", each.line or 0, 1, of_finding(each)) for each in report.findings]
    if not view.quiet:
        for resume in report.resumes:
            lines += [(resume.trace, resume.request.line, 0, of_outcome(resume, each)) for each in resume.sessions]
    for _, _, _, line in sorted(lines, key=lambda entry: entry[:3]):
        yield line + "\n"
