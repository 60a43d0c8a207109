"""Distributions. Percentiles are by nearest rank: each is a value that was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def distribution(values: Iterable[float]) -> Distribution:
    """The distribution of these values, in any order."""
    ordered = sorted(values)
    if not ordered:
        return Distribution(0, None, None, None, None, None, None, None)
    n = len(ordered)
    p90, p95, p99 = (percentile(ordered, percent) if n * (100 - percent) >= 100 else None for percent in (90, 95, 99))
    mean = round(sum(ordered) / n, 6)
    return Distribution(n, ordered[0], percentile(ordered, 50), p90, p95, p99, ordered[-1], mean)


def percentile(ordered: list[float], percent: int) -> float:
    """The smallest of these sorted values that at least `percent` % of them do not exceed."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
