"""Distributions. Percentiles are by nearest rank: each is a value that was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from replaylint.replay.timing import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction


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


def least(percent: int | Fraction) -> int:
    """How many values this percentile needs: with fewer, one above the median would be their maximum."""
    return 1 if percent <= 50 else int(-(-100 // (100 - percent)))


def mean(ordered: Sequence[float]) -> float:
    """The arithmetic mean of these values, which are sorted: in another order it could differ in its last digit."""
    return round(sum(ordered) / len(ordered), DECIMALS)
