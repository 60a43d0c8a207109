"""`--statistics` as text: figures over all resumes, and what quiet timers would have done."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from replaylint.render.bar import signs
from replaylint.render.escape import printable, shortened
from replaylint.render.layout import joined, line
from replaylint.render.phrases import counted, resolution, round_duration
from replaylint.render.table import NOTHING, table
from replaylint.replay.outcome import OUTCOMES
from replaylint.report.findings import SEVERITIES
from replaylint.report.unmeasured import REASONS
from replaylint.rules.words import duration
from replaylint.statistics.percentiles import least

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Distribution, Finding, Group, QuietTimer, Report, Statistics, Summary, Worst

HEADLINE: Final = "response_gap_s"
TIMINGS: Final = {
    "to_first_update_s": "first update",
    "replay_s": "replay",
    "marker_lag_s": "marker lag",
    "response_gap_s": "response gap",
    "snapshot_gap_s": "snapshot gap",
    "total_s": "total",
    "longest_pause_s": "longest pause in the replay",
    "gap_longest_pause_s": "longest pause in the gap",
    "gap_waiting_for_client_s": "gap waiting for the client",
}
COLUMNS: Final = {"min": "min", "p50": "median", "p90": "p90", "p95": "p95", "p99": "p99", "max": "max", "mean": "mean"}
MAX_BAR_CELLS: Final = 40
MIN_BAR_CELLS: Final = 10
"""Columns of the longest bar of a histogram."""

GROUPED_BY: Final = {"agent": "agent", "client": "client", "file": "recording", "session": "session"}


def statistics(view: View, report: Report) -> Iterator[str]:
    """All resumes, a row for each rule that found something, and one for each group."""
    summary = report.summary
    yield from _timings(view, summary)
    yield from _histogram(view, summary.timing[HEADLINE])
    yield from _timers(view, summary)
    yield from _rules(view, report.findings)
    if summary.group_by is not None:
        yield from _groups(view, summary)
        yield from _timers_by_group(view, summary)


# All of them


def _timings(view: View, summary: Summary) -> Iterator[str]:
    measured = {name: each for figure, name in TIMINGS.items() if (each := summary.timing[figure]).n}
    unknown = ", ".join(f"{REASONS[reason]} ({count})" for reason, count in summary.unmeasured.items())  # type: ignore[index]
    if measured:
        exact = f", times exact to {joined(resolution(summary.resolution_s, view))}" if summary.resolution_s else ""
        yield "\n"
        yield line(view, 0, ("bold", "timings"), f" of {joined(counted(summary.replays, 'replay'))}{exact}")
        rows: list[list[Piece | str]] = [
            [name, str(each.n), *(_duration(getattr(each, field)) for field in COLUMNS)]
            for name, each in measured.items()
        ]
        yield from table(view, 2, ["", "n", *COLUMNS.values()], rows)
        few = [
            f"{field} {least(int(field[1:]))}" for field in ("p90", "p95", "p99") if _lacks(measured.values(), field)
        ]
        if few:
            yield line(view, 2, ("dim", f"nearest-rank percentiles; values needed: {', '.join(few)}"))
    if unknown:
        yield line(view, 2, ("dim", f"no response gap: {unknown}"))
    worst = summary.worst
    if worst is not None:
        yield line(view, 2, f"longest response gap: {joined(duration(worst.response_gap_s))}, {_place(worst)}")


def _lacks(distributions: object, field: str) -> bool:
    return any(getattr(each, field) is None for each in distributions)  # type: ignore[attr-defined]


def _duration(seconds: float | None) -> str:
    return NOTHING if seconds is None else duration(seconds) if seconds >= 0 else f"-{duration(-seconds)}"


def _histogram(view: View, gaps: Distribution) -> Iterator[str]:
    if not gaps.counts:
        return
    yield "\n"
    yield line(view, 0, ("bold", "response gap"), f", {joined(counted(gaps.n, 'replay'))}")
    most = max(gaps.counts)
    edges = [round_duration(edge) for edge in gaps.edges_s]
    ranges = list(pairwise(edges))
    left, right = (max(map(len, column)) for column in zip(*ranges, strict=True))
    digits = len(str(most))
    labels = 2 + left + len(" to ") + right + 2 + digits + 2
    cells = MAX_BAR_CELLS if view.width is None else max(MIN_BAR_CELLS, min(MAX_BAR_CELLS, view.width - labels))
    for (low, high), count in zip(ranges, gaps.counts, strict=True):
        drawn = signs(unicode=view.unicode).replay * -(-count * cells // most)
        label = f"{low.rjust(left)} to {high.rjust(right)}  {str(count).rjust(digits)}  "
        yield line(view, 2, joined(label), ("gap", drawn)).rstrip() + "\n"


def _timers(view: View, summary: Summary) -> Iterator[str]:
    n = summary.quiet_timer[0].n if summary.quiet_timer else 0
    if not n:
        return
    yield "\n"
    yield line(
        view,
        0,
        ("bold", "quiet timers"),
        f" in {joined(counted(n, 'replay'))}: if the client had taken a silence of this length as the end",
    )
    rows = [_timer(each) for each in summary.quiet_timer]
    yield from table(view, 2, ["timer", "too early", "share", "later than the marker: n", "median", "max"], rows)
    needed = summary.quiet_timer_needed_s
    if needed is not None:
        yield line(view, 2, f"never too early: any timer longer than {joined(duration(needed))}")


def _timer(timer: QuietTimer) -> list[Piece | str]:
    late = timer.late_s
    return [
        round_duration(timer.timer_s),
        ("error" if timer.false_ends else "", f"{timer.false_ends} of {timer.n}"),
        f"{timer.false_ends * 100 / timer.n:.0f} %",
        str(late.n),
        _duration(late.p50),
        _duration(late.max),
    ]


# Findings


def _rules(view: View, findings: Iterable[Finding]) -> Iterator[str]:
    """For each rule how many findings of each severity, and in how many recordings; the most severe first."""
    found: dict[tuple[str, str], list[Finding]] = {}
    for each in findings:
        found.setdefault((each.rule, each.name), []).append(each)
    counts = {rule: Counter(each.severity for each in of_rule) for rule, of_rule in found.items()}
    rows: list[list[Piece | str]] = []
    for rule in sorted(found, key=lambda rule: ([-counts[rule][severity] for severity in SEVERITIES], rule)):
        numbers: list[Piece | str] = [
            (severity, str(number)) if (number := counts[rule][severity]) else NOTHING for severity in SEVERITIES
        ]
        recordings = {each.trace for each in found[rule]} - {None}
        rows.append([printable(" ".join(rule)), *numbers, str(len(recordings) or NOTHING)])
    if rows:
        yield "\n"
        yield from table(view, 0, ["findings", "errors", "warnings", "info", "recordings"], rows, titled=True)


# Groups


def _groups(view: View, summary: Summary) -> Iterator[str]:
    """A matrix of groups by outcomes and gaps."""
    kinds = [each for each in OUTCOMES if summary.outcomes.get(each)]
    head = [f"by {GROUPED_BY[summary.group_by or 'agent']}", "resumes", *kinds, "errors", "gap n"]
    fields = [
        field
        for field in ("min", "p50", "p90", "p95", "max")
        if any(_gap(each, field) is not None for each in summary.groups)
    ]
    in_one = summary.group_by == "file"
    rows: list[list[Piece | str]] = []
    for each in summary.groups:
        errors = each.findings["error"]
        rows.append(
            [
                _key(each),
                str(each.resumes),
                *(str(each.outcomes.get(kind) or NOTHING) for kind in kinds),
                ("error", str(errors)) if errors else NOTHING,
                str(each.timing[HEADLINE].n or NOTHING),
                *(_duration(_gap(each, field)) for field in fields),
                *([] if in_one else [NOTHING if each.worst is None else _place(each.worst)]),
            ]
        )
    yield "\n"
    head += [f"gap {COLUMNS[field]}" for field in fields]
    yield from table(view, 0, head if in_one else [*head, "longest gap"], rows, titled=True)


def _place(worst: Worst) -> str:
    return f"{shortened(worst.trace)}:{worst.line}"


def _gap(group: Statistics, field: str) -> float | None:
    value: float | None = getattr(group.timing[HEADLINE], field)
    return value


def _key(group: Group) -> str:
    return "not known" if group.key is None else shortened(group.key)


def _timers_by_group(view: View, summary: Summary) -> Iterator[str]:
    rows: list[list[Piece | str]] = []
    for each in summary.groups:
        timers = each.quiet_timer
        if timers[0].n:
            early: list[Piece | str] = [
                ("error", str(timer.false_ends)) if timer.false_ends else NOTHING for timer in timers
            ]
            rows.append([_key(each), str(timers[0].n), *early, f"> {_duration(each.quiet_timer_needed_s)}"])
    if rows:
        yield "\n"
        head = ["too early, by timer", "n", *(round_duration(timer.timer_s) for timer in summary.quiet_timer), "needed"]
        yield from table(view, 0, head, rows, titled=True)
