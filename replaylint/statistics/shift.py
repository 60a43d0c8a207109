"""How far values moved, by exact rank tests: the estimate of Hodges and Lehmann, its intervals, and a p-value.

Each value stands for one recording: resumes of one recording are not independent of each other. With pairs it is how
much slower the recording became, and the test is Wilcoxon's for signed ranks, which looks at the means of each two of
these differences, and of each with itself. Without pairs it is Wilcoxon's for rank sums, which looks at the differences
of each value after from each value before. The estimate is the median of what the test looks at. An interval leaves
out what a test at its level rejects, so both say the same; where values are equal, both are on the safe side.

Source: E. L. Lehmann, Nonparametrics: Statistical Methods Based on Ranks, chapters 1 to 4.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cache
from itertools import accumulate
from statistics import NormalDist
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Tail = Callable[[int], float]
    """How likely it is, if nothing moved, that at most so many of what is looked at are below 0."""

ALPHA: Final = 0.05
MIN_RECORDINGS: Final = 6
"""With fewer pairs no outcome is rarer than ALPHA if nothing moved: 6 differences of one sign are, at 2 * 0.5^6."""

EXACT_UP_TO: Final = 50
"""Values, a side; for more the normal distribution is as good."""

PER_S: Final = 2_000_000
"""Durations are exact to a microsecond, and their medians to half of one: all of it is done in these."""


class Shift:
    """How far values moved, in seconds. `p`: how rare it is to see as much or more where nothing moved."""

    def __init__(self, count: Callable[[int], int], ends: tuple[int, int], total: int, tail: Tail, per_s: int) -> None:
        """`count`: how many of the `total` that are looked at, all between these ends, are not above a number."""
        self._count = count
        self._all = range(ends[0], ends[1] + 1)
        self._total = total
        self._tail = tail
        self._per_s = per_s
        self.estimate = (self._at((total + 1) // 2) + self._at(total // 2 + 1)) / 2
        self.p = min(1.0, 2 * tail(min(count(0), total - count(-1))))

    def interval(self, alpha: float) -> tuple[float, float] | None:
        """Where it lies, but for one in 1 / `alpha` cases; None where there are too few values for such an interval."""
        out = bisect_right(range(self._total // 2 + 1), alpha / 2, key=self._tail)
        return (self._at(out), self._at(self._total + 1 - out)) if out else None

    def _at(self, number: int) -> float:
        """This one of those that are looked at, the smallest of which is number 1."""
        return self._all[bisect_left(self._all, number, key=self._count)] / self._per_s


def paired(differences: Sequence[float]) -> Shift | None:
    """After minus before, in seconds, of each recording; None where there are too few."""
    n, ordered = len(differences), sorted(round(each * PER_S) for each in differences)
    if n < MIN_RECORDINGS:
        return None

    def count(limit: int) -> int:
        sums = sum(bisect_right(ordered, limit - each) for each in ordered)
        return (sums + bisect_right(ordered, limit, key=lambda each: 2 * each)) // 2

    total = n * (n + 1) // 2
    tail = _exact(_signed_ranks(n)) if n <= EXACT_UP_TO else _normal(total, total * (2 * n + 1) / 12)
    return Shift(count, (2 * ordered[0], 2 * ordered[-1]), total, tail, 2 * PER_S)


def unpaired(before: Sequence[float], after: Sequence[float]) -> Shift | None:
    """A value in seconds of each recording; None where there are too few on a side."""
    one, other = (sorted(round(each * PER_S) for each in side) for side in (before, after))
    n, m = len(one), len(other)
    if min(n, m) < MIN_RECORDINGS:
        return None

    def count(limit: int) -> int:
        return sum(bisect_right(other, each + limit) for each in one)

    total = n * m
    tail = _exact(_rank_sums(n, m)) if max(n, m) <= EXACT_UP_TO else _normal(total, total * (n + m + 1) / 12)
    return Shift(count, (other[0] - one[-1], other[-1] - one[0]), total, tail, PER_S)


def holm(ps: Sequence[float], alpha: float = ALPHA) -> list[float]:
    """The level at which each of several tests is judged, so that one of them or more is wrong in `alpha` at most."""
    levels, rejects = [0.0] * len(ps), True
    for rank, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        if rejects:
            level = alpha / (len(ps) - rank)
        levels[at] = level
        rejects &= ps[at] <= level
    return levels


def _exact(cumulative: Sequence[float]) -> Tail:
    return lambda at_most: cumulative[at_most]


def _normal(total: int, variance: float) -> Tail:
    """`total / 2` are expected."""
    distribution = NormalDist(total / 2, variance**0.5)
    return lambda at_most: distribution.cdf(at_most + 0.5)


@cache
def _signed_ranks(n: int) -> list[float]:
    """The ranks 1 to n have either sign: of the sum of the negative ones, how likely it is to be at most this."""
    ways = [1]
    for rank in range(1, n + 1):
        ways = [one + other for one, other in zip(ways + [0] * rank, [0] * rank + ways, strict=True)]
    return [each / 2**n for each in accumulate(ways)]


@cache
def _rank_sums(n: int, m: int) -> list[float]:
    """Of n values and m others, in any order: how likely it is that at most so many of the n * m pairs are inverted."""
    ways = [1] + [0] * (n * m)
    for size in range(1, n + 1):
        for at in range(n * m, m + size - 1, -1):
            ways[at] -= ways[at - m - size]
        for at in range(size, n * m + 1):
            ways[at] += ways[at - size]
    total = sum(ways)
    return [each / total for each in accumulate(ways)]
