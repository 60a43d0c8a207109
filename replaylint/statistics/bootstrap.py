"""A bootstrap interval for the difference of two medians, by the percentile method.

No resample is drawn. Its n values would be picked by n uniform numbers, and the k-th smallest of these, which picks the
median of rank k, has the distribution Beta(k, n - k + 1). So the median of a resample is the value at n times such a
number.
"""

from __future__ import annotations

from array import array
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Final

from replaylint.replay.timing import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Iterable

PERCENT: Final = 95
RESAMPLES: Final = 10_000
SEED: Final = 1
MIN_VALUES: Final = 6
"""With fewer values no interval holds the median with 95 %: that from minimum to maximum does with 1 - 2 * 0.5^n."""

_LOW: Final = RESAMPLES * (100 - PERCENT) // 200 - 1
_HIGH: Final = RESAMPLES * (100 + PERCENT) // 200 - 1


def difference(before: Iterable[float], after: Iterable[float], seed: int = SEED) -> tuple[float, float] | None:
    """The 95 % interval of the median of `after` minus that of `before`, in their unit; they may be in any order.

    Medians are by nearest rank. None where either side has fewer than MIN_VALUES values.
    """
    one, other = sorted(before), sorted(after)
    if min(len(one), len(other)) < MIN_VALUES:
        return None
    picked = zip(*_medians(len(one), len(other), seed), strict=True)
    differences = sorted(other[there] - one[here] for here, there in picked)
    return round(differences[_LOW], DECIMALS), round(differences[_HIGH], DECIMALS)


@lru_cache(maxsize=16)
def _medians(before: int, after: int, seed: int) -> tuple[array[int], array[int]]:
    """For each resample, which of the sorted values of `before` and of `after` is the median."""
    draw = Random(seed).betavariate  # noqa: S311
    picks = array("q"), array("q")
    for _ in range(RESAMPLES):
        for n, picked in zip((before, after), picks, strict=True):
            rank = (n + 1) // 2
            picked.append(min(n - 1, int(n * draw(rank, n - rank + 1))))
    return picks
