"""Whether a share rose, by exchanging what each recording is: before or after.

If nothing changed, it does not matter which of two paired recordings is the later one, nor which of all recordings are
the later ones: their mean share differs as much, or more, in about as many exchanges as chance allows. The exchanges
are drawn at random.
"""

from __future__ import annotations

from math import comb
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.statistics.shift import MIN_RECORDINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

EXCHANGES: Final = 4000
SEED: Final = 1

NEAR: Final = 1e-9
"""What differs by less is equal: sums of floats depend on their order."""


class Rise(NamedTuple):
    """How much larger the mean share is after, from -1 to 1, and how rare as much or more is where nothing changed.

    `rarest`: how rare the strongest sign is that so many recordings can give. `by_chance`: how much the exchanges
    differ, without a sign, the most first.
    """

    estimate: float
    p: float
    rarest: float
    by_chance: list[float]

    def least(self, alpha: float) -> float | None:
        """The least difference that a test at this level would have seen; None where it could have seen none."""
        rare = int(alpha * (EXCHANGES + 1)) - 1
        return next((each for each in reversed(self.by_chance[:rare]) if each > self.by_chance[rare] + NEAR), None)


def paired(differences: Sequence[float], seed: int = SEED) -> Rise | None:
    """The share after minus that before, of each recording; None where there are too few."""
    if len(differences) < MIN_RECORDINGS:
        return None
    n, moved = len(differences), [each for each in differences if each]
    draw = Random(seed).choices  # noqa: S311  (no secret)
    sums = (
        sum(each if later else -each for each, later in zip(moved, draw((0, 1), k=len(moved)), strict=True))
        for _ in range(EXCHANGES)
    )
    return _rise(sum(moved) / n, 2 * 0.5**n, (each / n for each in sums))


def unpaired(before: Sequence[float], after: Sequence[float], seed: int = SEED) -> Rise | None:
    """The share of each recording; None where there are too few on a side."""
    n, m = len(before), len(after)
    if min(n, m) < MIN_RECORDINGS:
        return None
    total, every = sum(before) + sum(after), [*before, *after]
    draw = Random(seed).sample  # noqa: S311  (no secret)
    later = (sum(draw(every, m)) for _ in range(EXCHANGES))
    exchanged = (each / m - (total - each) / n for each in later)
    return _rise(sum(after) / m - sum(before) / n, 2 / comb(n + m, n), exchanged)


def _rise(estimate: float, rarest: float, exchanged: Iterator[float]) -> Rise:
    by_chance = sorted(map(abs, exchanged), reverse=True)
    as_much = sum(each >= abs(estimate) - NEAR for each in by_chance)
    return Rise(estimate, (as_much + 1) / (EXCHANGES + 1), rarest, by_chance)
