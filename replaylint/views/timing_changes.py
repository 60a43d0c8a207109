"""Whether timings changed from one report to another, and by how much. Resumes that have a counterpart are compared
with it; of each recording one value counts, for its resumes are not independent of each other.

The response gap is what replaylint is for: it is judged at 95 %. So that one false alarm or more is as rare among the
three that are judged beside it, their levels are adjusted by Holm's method. The other timings are exploratory: each has
a 95 % interval of its own, so that now and then one looks changed by chance.

The fields of the classes are those of the JSON. Seconds where a name ends in `_s`; `relative` is a part of what was
before: 0.1 is 10 % more; shares are from 0 to 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from replaylint.replay.timing import DECIMALS, FIGURES
from replaylint.report.summary import replays
from replaylint.statistics import shares, shift
from replaylint.statistics.percentiles import percentile
from replaylint.statistics.shift import ALPHA, MIN_RECORDINGS, holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from replaylint.report.model import Report, Resume, Session

    Values = dict[str, list[float]]
    """The values of a figure, by their recording."""

PRIMARY: Final = "response_gap_s"
ADJUSTED: Final = ("replay_s", "total_s")
"""Judged beside the primary figure, with the share of slow resumes."""
SLOW: Final = "slow"
"""The name of that share where figures are named."""
JUDGED: Final = (PRIMARY, *ADJUSTED, SLOW)

SLOW_TIMES: Final = 3
"""A response gap is slow that is so many times as long as the median of both sides, unless a user says otherwise."""
LEAST_SLOW_S: Final = 0.1
"""What is shorter, nobody notices."""

Role = Literal["primary", "adjusted", "exploratory"]
Verdict = Literal["slower", "faster", "no_change_seen", "unknown"]
"""unknown: there are too few recordings to tell."""
By = Literal["pairs", "recordings"]


@dataclass(slots=True)
class Figures:
    """n values from so many recordings of one side; the median is by nearest rank."""

    n: int
    recordings: int
    min: float | None
    median: float | None
    max: float | None


@dataclass(slots=True)
class Pairs:
    """n pairs of values from so many pairs of recordings: in how many the one after is larger, or smaller."""

    n: int
    recordings: int
    slower: int
    faster: int


@dataclass(slots=True)
class TimingChange:
    """A figure over the named sessions of replaying resumes.

    `judged_by`: what was compared, pairs or all values of each recording; None where there is too little of both.
    `difference_s`: after minus before, as a recording typically has it; where nothing is judged, the median of all
    pairs or else the difference of the medians. `interval_s`: where it lies with `percent` %. `p`: how rare it is to
    see as much or more where nothing changed. `seen_from_s`: no change was seen, but one of this size would have been.
    """

    role: Role
    before: Figures
    after: Figures
    pairs: Pairs
    judged_by: By | None
    difference_s: float | None
    relative: float | None
    percent: float | None
    interval_s: tuple[float, float] | None
    p: float | None
    seen_from_s: float | None
    verdict: Verdict


@dataclass(slots=True)
class Share:
    """Of n values, so many are above the threshold."""

    n: int
    over: int
    share: float | None


@dataclass(slots=True)
class SlowChange:
    """The share of resumes whose response gap is longer than `over_s`: a median does not show what only some have.

    The fields have the names of those of a timing; `difference` and `seen_from` are shares.
    """

    role: Role
    over_s: float
    before: Share
    after: Share
    judged_by: By | None
    difference: float | None
    percent: float | None
    p: float | None
    seen_from: float | None
    verdict: Verdict


class Observed(NamedTuple):
    """What was measured of a figure, by recording, and what has a counterpart, before and after, by pair of these."""

    before: Values
    after: Values
    pairs: Mapping[str, list[tuple[float, float]]]

    @property
    def by(self) -> By | None:
        """Pairs are judged where most values are in one; a few would not stand for the others."""
        n = sum(map(len, self.pairs.values()))
        most = 2 * n >= max(sum(map(len, side.values())) for side in (self.before, self.after))
        if most and len(self.pairs) >= MIN_RECORDINGS:
            return "pairs"
        return "recordings" if min(len(self.before), len(self.after)) >= MIN_RECORDINGS else None


def changes(
    before: Report,
    after: Report,
    pairs: Sequence[tuple[str, tuple[Resume, Resume]]],
    *,
    slow_s: float | None = None,
    seed: int = shares.SEED,
) -> tuple[dict[str, TimingChange], SlowChange]:
    """How each figure changed, and the share of slow resumes. `pairs`: resumes behind the name of their recordings."""
    both = [
        (name, one.sessions[0], other.sessions[0])
        for name, (one, other) in pairs
        if replays([one]) and replays([other])
    ]
    seen = {figure: _observed(before, after, both, figure) for figure in FIGURES}
    resolution = max((each.resolution_s or 0.0 for side in (before, after) for each in side.traces), default=0.0)
    shifts = {figure: shift_of(each) for figure, each in seen.items()}
    threshold = _threshold(seen[PRIMARY]) if slow_s is None else slow_s
    rise = rise_of(seen[PRIMARY], threshold, seed)
    ps = {each: found.p for each in ADJUSTED if (found := shifts[each]) is not None}
    if rise is not None:
        ps[SLOW] = rise.p
    levels = dict(zip(ps, holm(list(ps.values())), strict=True))
    timing = {
        figure: _change(figure, seen[figure], shifts[figure], levels.get(figure, ALPHA), resolution)
        for figure in FIGURES
    }
    return timing, _slow_change(seen[PRIMARY], threshold, rise, levels.get(SLOW, ALPHA))


# What was measured


def _observed(before: Report, after: Report, both: Iterable[tuple[str, Session, Session]], figure: str) -> Observed:
    pairs: dict[str, list[tuple[float, float]]] = {}
    for name, *sessions in both:
        one, other = (getattr(session.timing, figure) for session in sessions)
        if one is not None and other is not None:
            pairs.setdefault(name, []).append((one, other))
    return Observed(_values(before, figure), _values(after, figure), pairs)


def _values(report: Report, figure: str) -> Values:
    """Of the same replays as in the summary."""
    found: Values = {}
    for resume, session in replays(report.resumes):
        value = getattr(session.timing, figure)
        if value is not None:
            found.setdefault(resume.trace, []).append(value)
    return found


def _all(values: Values) -> list[float]:
    return sorted(value for each in values.values() for value in each)


# Timings


def shift_of(seen: Observed) -> shift.Shift | None:
    """How far a figure moved, in seconds; None where there are too few recordings to tell."""
    if seen.by == "pairs":
        return shift.paired([median(after - before for before, after in each) for each in seen.pairs.values()])
    if seen.by == "recordings":
        return shift.unpaired(*([median(each) for each in side.values()] for side in (seen.before, seen.after)))
    return None


def _change(figure: str, seen: Observed, found: shift.Shift | None, alpha: float, resolution: float) -> TimingChange:
    one, other = _figures(seen.before), _figures(seen.after)
    together = [after - before for each in seen.pairs.values() for before, after in each]
    difference = relative = None
    if found is not None:
        difference = found.estimate
    elif together and 2 * len(together) >= max(one.n, other.n):
        difference = median(together)
    elif one.median is not None and other.median is not None:
        difference = other.median - one.median
    if difference is not None:
        difference = round(difference, DECIMALS)
        relative = round(difference / one.median, DECIMALS) if one.median else None
    interval = found.interval(alpha) if found is not None else None
    if interval is not None:
        interval = round(interval[0], DECIMALS), round(interval[1], DECIMALS)
    verdict = _verdict(interval)
    return TimingChange(
        role="primary" if figure == PRIMARY else "adjusted" if figure in ADJUSTED else "exploratory",
        before=one,
        after=other,
        pairs=Pairs(
            len(together), len(seen.pairs), sum(each > 0 for each in together), sum(each < 0 for each in together)
        ),
        judged_by=seen.by,
        difference_s=difference,
        relative=relative,
        percent=None if found is None else _percent(alpha),
        interval_s=interval,
        p=None if found is None else round(found.p, DECIMALS),
        seen_from_s=max(-interval[0], interval[1], resolution) if interval and verdict == "no_change_seen" else None,
        verdict=verdict,
    )


def _figures(values: Values) -> Figures:
    ordered = _all(values)
    if not ordered:
        return Figures(0, 0, None, None, None)
    return Figures(len(ordered), len(values), ordered[0], percentile(ordered, 50), ordered[-1])


def _verdict(interval: tuple[float, float] | None) -> Verdict:
    if interval is None:
        return "unknown"
    low, high = interval
    return "slower" if low > 0 else "faster" if high < 0 else "no_change_seen"


def _percent(alpha: float) -> float:
    return round(100 * (1 - alpha), 1)


# Slow resumes


def _threshold(seen: Observed) -> float:
    """It looks at both sides alike: one from either would make the other look changed."""
    every = _all(seen.before) + _all(seen.after)
    return max(LEAST_SLOW_S, float(f"{SLOW_TIMES * median(every):.2g}")) if every else LEAST_SLOW_S


def rise_of(seen: Observed, threshold: float, seed: int = shares.SEED) -> shares.Rise | None:
    """How much more often a figure is above this threshold; None where there are too few recordings to tell."""
    if seen.by == "pairs":
        differences = [
            sum((after > threshold) - (before > threshold) for before, after in each) / len(each)
            for each in seen.pairs.values()
        ]
        return shares.paired(differences, seed)
    if seen.by == "recordings":
        before, after = (
            [sum(value > threshold for value in each) / len(each) for each in side.values()]
            for side in (seen.before, seen.after)
        )
        return shares.unpaired(before, after, seed)
    return None


def _slow_change(seen: Observed, threshold: float, rise: shares.Rise | None, alpha: float) -> SlowChange:
    one, other = (_share(_all(side), threshold) for side in (seen.before, seen.after))
    difference: float | None = None
    if rise is not None:
        difference = rise.estimate
    elif one.share is not None and other.share is not None:
        difference = other.share - one.share
    least = rise.least(alpha) if rise is not None else None
    verdict: Verdict = "unknown"
    if rise is not None and rise.rarest <= alpha:
        verdict = "no_change_seen" if rise.p > alpha else "slower" if rise.estimate > 0 else "faster"
    return SlowChange(
        role="adjusted",
        over_s=threshold,
        before=one,
        after=other,
        judged_by=seen.by,
        difference=None if difference is None else round(difference, DECIMALS),
        percent=None if rise is None else _percent(alpha),
        p=None if rise is None else round(rise.p, DECIMALS),
        seen_from=round(least, DECIMALS) if least is not None and verdict == "no_change_seen" else None,
        verdict=verdict,
    )


def _share(ordered: Sequence[float], threshold: float) -> Share:
    over = sum(value > threshold for value in ordered)
    return Share(len(ordered), over, round(over / len(ordered), DECIMALS) if ordered else None)
