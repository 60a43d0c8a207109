"""A small histogram of durations: even steps where they are alike, else steps that grow with them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import count, pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FEWEST: Final = 5
"""Fewer values than this have no histogram: minimum, median and maximum say it all."""

MOST: Final = 10
"""So many buckets at most, and one for 0."""

ALIKE: Final = 20
"""Even steps, if the largest value is no more than this many times the smallest."""

MICRO: Final = 1_000_000


def histogram(ordered: Sequence[float]) -> tuple[list[float], list[int]]:
    """Edges, in seconds, and counts: `counts[i]` of these durations are in `edges[i] <= duration < edges[i + 1]`.

    They are sorted, and exact to the microsecond at most. Nothing where they are too few or all the same.
    """
    if len(ordered) < FEWEST or ordered[0] == ordered[-1]:
        return [], []
    low, high = ordered[bisect_right(ordered, 0.0)], ordered[-1]
    micros = round(low * MICRO), round(high * MICRO)
    edges = [edge / MICRO for edge in (_even(*micros) if high <= ALIKE * ordered[0] else _growing(*micros))]
    if not ordered[0]:
        edges.insert(0, 0.0)  # a bucket of their own for these
    below = [bisect_left(ordered, edge) for edge in edges]
    return edges, [after - before for before, after in pairwise(below)]


def _even(low: int, high: int) -> list[int]:
    step = next(step for step in _round_numbers((1, 2, 5)) if high // step - low // step < MOST)
    return [number * step for number in range(low // step, high // step + 2)]


def _growing(low: int, high: int) -> list[int]:
    edges: list[int] = []
    for digits in ((1, 2, 5), (1, 3), (1,)):
        numbers = _round_numbers(digits)
        edges = [next(numbers)]
        while edges[-1] <= high:
            edges.append(next(numbers))
        edges = edges[bisect_right(edges, low) - 1 :]
        if len(edges) <= MOST + 1:
            break
    return edges


def _round_numbers(digits: tuple[int, ...]) -> Iterator[int]:
    for power in count():
        yield from (digit * 10**power for digit in digits)
