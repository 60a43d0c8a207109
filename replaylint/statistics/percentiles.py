"""Distributions. Percentiles are by nearest rank: each is a value that was measured."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from math import ceil, erfc, exp, lgamma, log, sqrt
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.replay.timing import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from fractions import Fraction

CONFIDENCE: Final = 0.95
EXACT_UP_TO: Final = 5000
"""Values; for more the normal distribution is as good."""


class Distribution(NamedTuple):
    """n values, in their unit. A percentile that n is too small for is None, as is everything where n is 0."""

    n: int
    min: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    max: float | None
    mean: float | None


def distribution(ordered: Sequence[float]) -> Distribution:
    """The distribution of these values, which are sorted."""
    if not ordered:
        return Distribution(0, None, None, None, None, None, None, None)
    n = len(ordered)
    p50, p90, p95, p99 = (percentile(ordered, percent) if n >= least(percent) else None for percent in (50, 90, 95, 99))
    return Distribution(n, ordered[0], p50, p90, p95, p99, ordered[-1], mean(ordered))


def percentile(ordered: Sequence[float], percent: int | Fraction) -> float:
    """The smallest of these sorted values that at least `percent` % of them do not exceed."""
    return ordered[max(0, int(-(-len(ordered) * percent // 100)) - 1)]


def bounds(ordered: Sequence[float], percent: int | Fraction) -> tuple[float | None, float | None]:
    """Of these sorted values, one that the percentile of many more is not below, and one that it is not above.

    Each holds with CONFIDENCE, whatever their distribution, where the values are independent of each other; None where
    there are too few for it. So many of n values are below the percentile as a binomial distribution says.
    """
    n, share = len(ordered), float(percent) / 100
    if not 0 < share < 1:
        return None, None
    below = _binomial(n, share)
    low = bisect_right(range(n), 1 - CONFIDENCE, key=below)
    high = bisect_left(range(n), CONFIDENCE, key=below)
    return ordered[low - 1] if low else None, ordered[high] if high < n else None


def bounded_from(percent: int | Fraction) -> int | None:
    """How many values it takes for a bound from above; None where none are enough."""
    share = float(percent) / 100
    return ceil(log(1 - CONFIDENCE) / log(share)) if 0 < share < 1 else None


def _binomial(n: int, share: float) -> Callable[[int], float]:
    """How likely at most so many of n are, each with this probability."""
    if n > EXACT_UP_TO:
        return lambda most: erfc((n * share - most - 0.5) / sqrt(2 * n * share * (1 - share))) / 2
    ways = (
        exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log(1 - share))
        for k in range(n + 1)
    )
    return list(accumulate(ways)).__getitem__


def least(percent: int | Fraction) -> int:
    """How many values this percentile needs: with fewer, one above the median would be their maximum."""
    return 1 if percent <= 50 else int(-(-100 // (100 - percent)))


def mean(ordered: Sequence[float]) -> float:
    """The arithmetic mean of these values, which are sorted: in another order it could differ in its last digit."""
    return round(sum(ordered) / len(ordered), DECIMALS)
