"""A small histogram of durations: even steps where they are alike, else steps that grow with them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FEWEST: Final = 5
"""Fewer values than this have no histogram: minimum, median and maximum say it all."""

MOST: Final = 10
"""So many buckets at most, and one for 0."""

ALIKE: Final = 20
"""Even steps, if the largest value is no more than this many times the smallest."""

MICRO: Final = 1_000_000


def histogram(seconds: Iterable[float]) -> tuple[list[float], list[int]]:
    """Edges, in seconds, and counts: `counts[i]` of these durations are in `edges[i] <= duration < edges[i + 1]`.

    They are taken to the microsecond, in any order. Nothing where they are too few or all the same.
    """
    values = sorted(round(value * MICRO) for value in seconds)
    if len(values) < FEWEST or values[0] == values[-1]:
        return [], []
    edges = _even(values) if values[-1] <= ALIKE * values[0] else _growing(values)
    counts = [0] * (len(edges) - 1)
    for value in values:
        counts[bisect_right(edges, value) - 1] += 1
    return [edge / MICRO for edge in edges], counts


def _even(values: list[int]) -> list[int]:
    low, high = values[0], values[-1]
    step = next(step for step in _round_numbers((1, 2, 5)) if high // step - low // step < MOST)
    return [number * step for number in range(low // step, high // step + 2)]


def _growing(values: list[int]) -> list[int]:
    """With a bucket of its own for 0."""
    low, high = next(value for value in values if value), values[-1]
    edges: list[int] = []
    for digits in ((1, 2, 5), (1, 3), (1,)):
        numbers = _round_numbers(digits)
        edges = [next(numbers)]
        while edges[-1] <= high:
            edges.append(next(numbers))
        edges = edges[bisect_right(edges, low) - 1 :]
        if len(edges) <= MOST + 1:
            break
    return [0, *edges] if not values[0] else edges


def _round_numbers(digits: tuple[int, ...]) -> Iterator[int]:
    for power in count():
        yield from (digit * 10**power for digit in digits)
