"""What changed between two reports: for people, and JSON for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import OPT_INDENT_2, dumps

from replaylint.render.escape import harmless, printable, shortened
from replaylint.render.layout import JOINT, joined, line
from replaylint.render.phrases import counted, fixer, graded, resolution, resumed, round_duration, unread
from replaylint.render.table import NOTHING, table
from replaylint.rules.words import duration
from replaylint.statistics.shift import MIN_RECORDINGS
from replaylint.views.timing_changes import PRIMARY, TimingChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Peer
    from replaylint.views.comparison import Compared, Comparison, Ended, Fault, OutcomeChange, Pairing
    from replaylint.views.timing_changes import Figures, SlowChange

VERDICT_STYLES: Final = {"slower": "warning", "faster": "bold", "no_change_seen": "dim", "unknown": "dim"}
JUDGEMENT_STYLES: Final = {"regressed": "error", "passed": "", "not_judged": "warning"}
ROLES: Final = ("primary", "adjusted", "exploratory")
HEAD: Final = ("median", "n", "before", "after", "difference", "relative", "interval", "verdict")
PLUS_MINUS: Final = "\N{PLUS-MINUS SIGN}"
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
    if any(each.before.n or each.after.n for each in comparison.timing.values()):
        yield line(view, 0, *_headline(view, comparison.timing[PRIMARY]))
        if comparison.slow.verdict in {"slower", "faster"}:
            yield line(view, 0, *_slow_headline(comparison.slow))
        yield from table(view, 0, HEAD, list(_rows(view, comparison)))
        yield from _notes(view, comparison)
    else:
        yield line(view, 0, "no timings: no replay has times")
    for each in comparison.regressions:
        verdict: Piece = (JUDGEMENT_STYLES[each.verdict], each.verdict.replace("_", " "))
        allowed = f"max regression {(comparison.max_regression or 0.0) * 100:g} %: {each.figure} "
        yield line(view, 0, allowed, verdict, f": {each.reason}")


def _headline(view: View, change: TimingChange) -> Iterator[Piece | str]:
    """What became of the primary figure, and what that rests on."""
    before, after, pairs = change.before, change.after, change.pairs
    yield ("bold", "response gap")
    yield ": "
    yield _verdict(view, change)
    if change.interval_s is None:
        yield f": {_sources(before, after)}, and it takes {MIN_RECORDINGS} recordings on each side"
        yield ", for the resumes of one are not independent of each other"
    else:
        if change.difference_s and change.seen_from_s is None:
            yield f" by {joined(duration(abs(change.difference_s)))}"
        yield f" ({joined(f'{change.percent:g} %')} interval {_range(change.interval_s)}), from "
        paired = change.judged_by == "pairs"
        yield joined(f"{pairs.recordings} paired recordings") if paired else _sources(before, after)
    if pairs.n > 1:
        yield f"; of {joined(counted(pairs.n, 'pair'))} of resumes, {pairs.slower} slower and {pairs.faster} faster"


def _sources(before: Figures, after: Figures) -> str:
    sides = ((before, "before"), (after, "after"))
    return " and ".join(
        f"{joined(counted(of.n, 'value'))} from {joined(counted(of.recordings, 'recording'))} {side}"
        for of, side in sides
    )


def _slow_headline(slow: SlowChange) -> Iterator[Piece | str]:
    """A change of the share of slow resumes, which the medians do not show."""
    yield ("bold", f"gaps over {round_duration(slow.over_s)}")
    yield ": "
    yield (VERDICT_STYLES[slow.verdict], "more" if slow.verdict == "slower" else "fewer")
    yield f", {slow.before.over} of {joined(counted(slow.before.n, 'resume'))} before and "
    yield f"{slow.after.over} of {slow.after.n} after"


def _verdict(view: View, change: TimingChange | SlowChange) -> Piece:
    text, would = change.verdict.replace("_", " "), _would(change)
    if would is not None:
        text += f"; {PLUS_MINUS if view.unicode else '+/-'}{would} would have been"
    elif change.role == "exploratory" and change.verdict in {"slower", "faster"}:
        text += " (exploratory)"
    return VERDICT_STYLES[change.verdict], text


def _would(change: TimingChange | SlowChange) -> str | None:
    """The change that would have been seen where none was; None where nothing differed at all."""
    if isinstance(change, TimingChange):
        unmoved = change.interval_s == (0.0, 0.0)
        return None if change.seen_from_s is None or unmoved else duration(change.seen_from_s)
    return None if change.seen_from is None else _percent(change.seen_from).lstrip("+")


def _rows(view: View, comparison: Comparison) -> Iterator[list[Piece | str]]:
    """The primary figure, those that are adjusted, and the others."""
    for role in ROLES:
        for figure, change in comparison.timing.items():
            if change.role == role and (change.before.n or change.after.n):
                yield _cells(view, figure, change)
        if role == comparison.slow.role:
            yield _slow_cells(view, comparison.slow)


def _cells(view: View, figure: str, change: TimingChange) -> list[Piece | str]:
    before, after = change.before, change.after
    paired = change.judged_by == "pairs"
    return [
        figure,
        counted(change.pairs.n, "pair") if paired else f"{before.n} and {after.n}",
        NOTHING if before.median is None else duration(before.median),
        NOTHING if after.median is None else duration(after.median),
        NOTHING if change.difference_s is None else _signed(change.difference_s),
        NOTHING if change.relative is None else _percent(change.relative),
        NOTHING if change.interval_s is None else _range(change.interval_s),
        _verdict(view, change),
    ]


def _slow_cells(view: View, slow: SlowChange) -> list[Piece | str]:
    before, after = slow.before, slow.after
    return [
        f"gaps over {round_duration(slow.over_s)}",
        f"{before.n} and {after.n}",
        NOTHING if before.share is None else _percent(before.share).lstrip("+"),
        NOTHING if after.share is None else _percent(after.share).lstrip("+"),
        NOTHING if slow.difference is None else _percent(slow.difference),
        NOTHING,
        NOTHING,
        _verdict(view, slow),
    ]


def _notes(view: View, comparison: Comparison) -> Iterator[str]:
    """What the intervals are, and what that verdict means which is no verdict."""
    timing = [each for each in comparison.timing.values() if each.before.n or each.after.n]
    verdicts = {comparison.slow.verdict, *(each.verdict for each in timing)}
    if verdicts != {"unknown"}:
        *some, last = sorted({each.percent for each in timing if each.percent is not None})
        levels = f"{', '.join(f'{each:g}' for each in some)} and {last:g}" if some else f"{last:g}"
        yield line(view, 0, f"intervals of {joined(f'{levels} %')}; each recording counts once")
    if "unknown" in verdicts:
        yield line(view, 0, ("warning" if verdicts == {"unknown"} else "", "unknown"), ": too few recordings to tell")


def _range(interval: tuple[float, float]) -> str:
    return " to ".join(map(_signed, interval))


def _signed(seconds: float) -> str:
    sign = "-" if seconds < 0 else "+" if seconds else ""
    return sign + duration(abs(seconds))


def _percent(share: float) -> str:
    return f"{share * 100:+,.1f} %" if share else "0 %"
