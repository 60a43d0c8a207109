"""What changed between two reports: for people, and JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import OPT_INDENT_2, dumps

from replaylint.render.escape import harmless, printable, shortened
from replaylint.render.layout import JOINT, joined, line
from replaylint.render.phrases import counted, fixer, graded, resolution, resumed, unread
from replaylint.render.table import NOTHING, table
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Peer
    from replaylint.views.comparison import Compared, Comparison, Ended, Fault, OutcomeChange, Pairing, TimingChange

VERDICT_STYLES: Final = {"slower": "warning", "faster": "bold", "noise": "dim", "unknown": "dim"}
JUDGEMENT_STYLES: Final = {"regressed": "error", "passed": "", "not_judged": "warning"}
HEAD: Final = ("median", "n", "before", "after", "difference", "relative", "95 % interval", "verdict")
MAX_SENTENCE_CHARS: Final = 1000
"""Of the message of a finding, which a saved report may have of any length."""


def as_json(comparison: Comparison) -> Iterator[bytes]:
    """One object."""
    yield harmless(dumps(comparison, option=OPT_INDENT_2)) + b"\n"


def text(comparison: Comparison, view: View) -> Iterator[str]:
    """The two sides, new findings, changed outcomes, timings, findings that are gone, and how many are unchanged."""
    yield from _sides(view, comparison)
    yield "\n"
    for each in comparison.new:
        yield _fault(view, "new", each, counted(each.after, "finding"))
    for each in comparison.graver:
        count = f"{counted(each.before, 'finding')} before, {each.after} after"
        yield _fault(view, "more severe", each, f"{each.severity_before} before; {count}")
    if not comparison.new and not comparison.graver:
        yield line(view, 0, "no new findings")
    yield "\n"
    for change in comparison.outcomes:
        yield _outcome(view, change)
    yield line(view, 0, *_pairs(comparison))
    yield "\n"
    yield from _timings(view, comparison)
    yield "\n"
    for each in comparison.gone:
        yield _fault(view, "gone", each, counted(each.before, "finding"))
    yield line(view, 0, ("bold", "unchanged"), f": {_unchanged(comparison.unchanged)}")


# The sides


def _sides(view: View, comparison: Comparison) -> Iterator[str]:
    before, after = comparison.before, comparison.after
    yield line(view, 0, ("bold", "before"), ": ", *_side(before))
    yield line(view, 0, ("bold", "after"), ": ", *_side(after))
    if before.tool.version != after.tool.version:
        versions = f"{printable(before.tool.version)} before and {printable(after.tool.version)} after"
        yield line(view, 0, ("warning", "linted"), f" by replaylint {versions}: a rule may have changed")
    clocks = [each.resolution_s for each in (before, after) if each.resolution_s is not None]
    if len({*clocks}) > 1:
        one, other, coarsest = (joined(resolution(each, view)) for each in (*clocks, max(clocks)))
        differ = f" differ: exact to {one} before and {other} after, so less than {coarsest} says nothing"
        yield line(view, 0, ("warning", "clocks"), differ)


def _side(side: Compared) -> Iterator[Piece | str]:
    yield printable(side.path)
    yield f", {joined(counted(side.recordings, 'recording'))}, {resumed(side.resumes, side.outcomes, joined)}"
    yield f"; {_severities(side.findings)}"
    if side.unread:
        yield f"; {joined(unread(side.unread))}"
    if side.agents:
        yield f"; {'agent' if len(side.agents) == 1 else 'agents'} {', '.join(map(_peer, side.agents))}"


def _severities(counts: Mapping[str, int]) -> str:
    return ", ".join(joined(graded(count, severity)) for severity, count in counts.items())


def _peer(peer: Peer) -> str:
    return shortened(" ".join(filter(None, (peer.name or "unknown", peer.version))))


# Findings


def _fault(view: View, what: str, fault: Fault, count: str) -> str:
    where = printable(fault.trace or "-") + (f":{fault.line}" if fault.line is not None else "")
    severity: Piece = (fault.severity, f"{fault.severity}{JOINT}{shortened(fault.rule)}")
    return line(
        view,
        0,
        ("bold", what),
        " ",
        severity,
        f" {shortened(fault.name)}, {where}: {shortened(fault.message, MAX_SENTENCE_CHARS)}",
        ("dim", f" (to be fixed {fixer(fault.party)}; {count})"),
    )


def _unchanged(faults: Sequence[Fault]) -> str:
    if not faults:
        return "no findings"
    before, after = sum(each.before for each in faults), sum(each.after for each in faults)
    named = ", ".join(dict.fromkeys(f"{shortened(each.rule)} {shortened(each.name)}" for each in faults))
    return f"{joined(counted(before, 'finding'))} before, {after} after ({named})"


# Outcomes


def _outcome(view: View, change: OutcomeChange) -> str:
    arrow = "\N{RIGHTWARDS ARROW}" if view.unicode else "->"
    before, after = change.before, change.after
    role = "child" if change.role == "child" else "session"
    lines = f"{joined(f'line {before.line}')} before and {joined(f'line {after.line}')} after"
    return line(
        view,
        0,
        ("bold", "outcome"),
        f" of {role} {_named(before, after)} in {printable(change.recording)}, {lines}: ",
        ("warning", f"{before.outcome} {arrow} {after.outcome}"),
    )


def _named(before: Ended, after: Ended) -> str:
    names = dict.fromkeys((shortened(before.session_id), shortened(after.session_id)))
    return " (before) and ".join(names) + (" (after)" if len(names) > 1 else "")


def _pairs(comparison: Comparison) -> Iterator[Piece | str]:
    changed = joined(counted(len(comparison.outcomes), "outcome")) if comparison.outcomes else "no outcome"
    yield f"{changed} changed in {joined(counted(comparison.resumes.paired, 'pair'))} of resumes"
    for noun, of in (
        ("recording", comparison.recordings),
        ("resume", comparison.resumes),
        ("child", comparison.children),
    ):
        alone = _alone(of, noun)
        if alone:
            yield f"; {alone}"


def _alone(pairing: Pairing, noun: str) -> str:
    counts = ((pairing.only_before, "before"), (pairing.only_after, "after"))
    told = [f"{count} only {side}" for count, side in counts if count]
    return f"{'children' if noun == 'child' else noun + 's'} without a counterpart: {', '.join(told)}" if told else ""


# Timings


def _timings(view: View, comparison: Comparison) -> Iterator[str]:
    changes = {figure: each for figure, each in comparison.timing.items() if each.before.n or each.after.n}
    if changes:
        yield from table(view, 0, HEAD, [_cells(figure, each) for figure, each in changes.items()])
        yield from _notes(view, comparison, changes)
    else:
        yield line(view, 0, "no timings: no replay has times")
    for each in comparison.regressions:
        verdict: Piece = (JUDGEMENT_STYLES[each.verdict], each.verdict.replace("_", " "))
        allowed = f"max regression {(comparison.max_regression or 0.0) * 100:g} %: {each.figure} "
        yield line(view, 0, allowed, verdict, f": {each.reason}")


def _cells(figure: str, change: TimingChange) -> list[Piece | str]:
    before, after, interval = change.before, change.after, change.interval_s
    return [
        figure,
        f"{before.n} and {after.n}",
        NOTHING if before.median is None else _signed(before.median).lstrip("+"),
        NOTHING if after.median is None else _signed(after.median).lstrip("+"),
        NOTHING if change.difference_s is None else _signed(change.difference_s),
        NOTHING if change.relative is None else _percent(change.relative),
        NOTHING if interval is None else " to ".join(map(_signed, interval)),
        (VERDICT_STYLES[change.verdict], change.verdict),
    ]


def _notes(view: View, comparison: Comparison, changes: Mapping[str, TimingChange]) -> Iterator[str]:
    """What those verdicts mean that occur."""
    how = comparison.bootstrap
    verdicts = {each.verdict for each in changes.values()}
    if verdicts != {"unknown"}:
        made = f"by bootstrap, {how.resamples:,} resamples, seed {how.seed}"
        yield line(view, 0, f"{how.percent} % intervals of the difference, {made}; noise: the interval holds 0")
    if "unknown" in verdicts:
        few = f"a side has fewer than {how.fewest} values, which no {how.percent} % interval can be made from"
        yield line(view, 0, ("warning" if verdicts == {"unknown"} else "", "unknown"), f": {few}")


def _signed(seconds: float) -> str:
    sign = "-" if seconds < 0 else "+" if seconds else ""
    return sign + duration(abs(seconds))


def _percent(share: float) -> str:
    return f"{share * 100:+,.1f} %" if share else "0 %"
