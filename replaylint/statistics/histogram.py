"""A small histogram of durations, with even steps where these are similar, else with steps that grow."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import count, pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MIN_VALUES: Final = 5
"""Fewer values than this have no histogram: minimum, median and maximum are enough."""

MAX_BUCKETS: Final = 10
"""Without the bucket for 0."""

MAX_EVEN_RATIO: Final = 20
"""The largest value over the smallest, up to which steps are even."""

MICROS_PER_S: Final = 1_000_000


def histogram(ordered: Sequence[float]) -> tuple[list[float], list[int]]:
    """Edges, in seconds, and counts: `counts[i]` of these durations are in `edges[i] <= duration < edges[i + 1]`.

    The durations are sorted, and exact to a microsecond at best. Both lists are empty where there are too few durations
    or all are equal.
    """
    if len(ordered) < MIN_VALUES or ordered[0] == ordered[-1]:
        return [], []
    low, high = ordered[bisect_right(ordered, 0.0)], ordered[-1]
    micros = round(low * MICROS_PER_S), round(high * MICROS_PER_S)
    edges = [
        edge / MICROS_PER_S for edge in (_even(*micros) if high <= MAX_EVEN_RATIO * ordered[0] else _growing(*micros))
    ]
    if not ordered[0]:
        edges.insert(0, 0.0)  # a bucket for zeros alone
    below = [bisect_left(ordered, edge) for edge in edges]
    return edges, [after - before for before, after in pairwise(below)]


def _even(low: int, high: int) -> list[int]:
    step = next(step for step in _round_numbers((1, 2, 5)) if high // step - low // step < MAX_BUCKETS)
    return [number * step for number in range(low // step, high // step + 2)]


def _growing(low: int, high: int) -> list[int]:
    edges: list[int] = []
    for digits in ((1, 2, 5), (1, 3), (1,)):
        numbers = _round_numbers(digits)
        edges = [next(numbers)]
        while edges[-1] <= high:
            edges.append(next(numbers))
        edges = edges[bisect_right(edges, low) - 1 :]
        if len(edges) <= MAX_BUCKETS + 1:
            break
    return edges


def _round_numbers(digits: tuple[int, ...]) -> Iterator[int]:
    for power in count():
        yield from (digit * 10**power for digit in digits)
