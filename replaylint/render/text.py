"""`text`: the report for people, who need not have read the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.render.escape import printable
from replaylint.render.findings import blocks
from replaylint.render.layout import joined, line
from replaylint.render.phrases import counted, ended, figures, graded, of_finding, unread
from replaylint.render.resume_table import resume_table
from replaylint.render.resumes import recording
from replaylint.render.selection import Shown
from replaylint.render.statistics import statistics
from replaylint.render.suppressions import suppressions
from replaylint.report.budgets import outcome
from replaylint.report.findings import new

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Report


def render(report: Report, view: View) -> Iterator[str]:
    """The findings, then the resumes, each or in a table, and at the end the totals."""
    shown = Shown(report, view)
    if view.quiet:
        for finding in shown.findings() if shown.filtered else report.findings:
            yield of_finding(finding) + "\n"  # for programs: on a terminal, too
        yield from _not_there(view, shown)
        return
    if view.statistics:
        yield from _totals(view, report, filtered=False)
        yield from _settled(view, report)
        yield from statistics(view, report)
        of_the_run = shown.of_trace.get(None, ())
        if of_the_run:
            yield "\n"
        yield from blocks(view, of_the_run, {})
        return
    yield from _findings(view, shown)
    if shown.detailed:
        yield from _detailed(view, report, shown)
    elif shown.resumes:
        yield from resume_table(view, report, shown.resumes, shown.of_resume)
        yield "\n"
    yield from _not_there(view, shown)
    yield from _totals(view, report, filtered=shown.filtered)
    yield from _gaps(view, report)
    yield from _settled(view, report)


def _findings(view: View, shown: Shown) -> Iterator[str]:
    subjects = {
        id(each): (number, shown.resumes[number])
        for number, found in shown.of_resume.items()
        if number in shown.resumes
        for each in found
    }
    every = shown.findings()
    some = [each for each in every if shown.detailed or each.severity != "info"]
    yield from blocks(view, some, subjects, detailed=shown.detailed)
    if len(some) < len(every):
        left_out = counted(len(every) - len(some), "finding")
        yield line(view, 0, ("dim", f"{left_out} of severity info; --all shows them"))
        yield "\n"


def _detailed(view: View, report: Report, shown: Shown) -> Iterator[str]:
    traces = {trace.path: trace for trace in report.traces}
    for path in shown.traces:
        if traces[path].format is not None:  # else standard error says why it was not read
            resumes = {number: shown.resumes[number] for number in shown.by_trace.get(path, ())}
            yield from recording(view, report, traces[path], resumes)
            yield "\n"


# The end


def _not_there(view: View, shown: Shown) -> Iterator[str]:
    if shown.filtered and not shown.resumes:
        asked = [f"--session {printable(view.session)}"] if view.session is not None else []
        asked += [f"--resume {view.resume}"] if view.resume is not None else []
        yield line(view, 0, ("bold", "no such resume"), f": {' '.join(asked)}")


def _totals(view: View, report: Report, *, filtered: bool) -> Iterator[str]:
    """How many recordings, resumes and sessions, and how these ended; how many findings."""
    summary = report.summary
    pieces: list[Piece | str] = ["in all " if filtered else "", joined(counted(len(report.traces), "recording"))]
    pieces += [", ", joined(counted(summary.resumes, "resume"))]
    if summary.outcomes:
        pieces += [", ", ended(summary.outcomes, joined)]
    yield line(view, 0, *pieces)
    pieces, separator = [], ""
    for severity, count in new(report.findings).items():
        number = joined(graded(count, severity))
        pieces += [separator, (severity, number) if count else number]
        separator = ", "
    if summary.known:
        pieces.append(f", {joined(f'{summary.known} known from the baseline')}")
    missing = unread(sum(trace.error is not None for trace in report.traces))
    if missing:
        pieces += ["; ", ("error", joined(missing))]
    yield line(view, 0, *pieces)


def _gaps(view: View, report: Report) -> Iterator[str]:
    gaps = report.summary.timing.get("response_gap_s")
    if gaps is None or not gaps.n:
        return
    pieces: list[Piece | str] = [f" over {joined(counted(gaps.n, 'replay'))}: {', '.join(map(joined, figures(gaps)))}"]
    worst = report.summary.worst
    if worst is not None and gaps.n > 1:
        pieces.append(f" at {printable(worst.trace)}:{worst.line}")
    pieces.append(("dim", " (how long the client waited for the response after the replay had ended)"))
    yield line(view, 0, ("bold", "response gap"), *pieces)


def _settled(view: View, report: Report) -> Iterator[str]:
    """What became of budgets, and what was taken away."""
    for each in report.budgets:
        yield line(view, 0, ("bold", "budget"), f" {printable(each.budget)}: {outcome(each)}")
    yield from suppressions(view, report)
