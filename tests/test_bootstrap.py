"""The interval of a difference of medians: what resampling gives, without a resample drawn."""

from __future__ import annotations

import math
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylint.statistics.bootstrap import MIN_VALUES, PERCENT, RESAMPLES, SEED, difference
from replaylint.statistics.percentiles import percentile
from tests.profiles import profile

values = st.lists(st.floats(0, 100), min_size=MIN_VALUES, max_size=40)


def resampled(before: list[float], after: list[float], random: Random) -> tuple[float, float]:
    """The definition: draw with replacement, sort, take the medians."""

    def median(of: list[float]) -> float:
        return percentile(sorted(random.choices(of, k=len(of))), 50)

    differences = sorted(median(after) - median(before) for _ in range(RESAMPLES))
    return differences[249], differences[9749]


@pytest.mark.parametrize(("n", "m"), [(6, 6), (7, 30), (31, 8), (60, 61)])
def test_it_is_what_resampling_gives(n: int, m: int) -> None:
    random = Random(7)  # noqa: S311
    before, after = ([random.gauss(10 + shift, 1) for _ in range(size)] for shift, size in ((0, n), (0.5, m)))
    found = difference(before, after)
    assert found is not None
    # Both have the noise of 10,000 resamples: a small part of the interval's width.
    tolerance = 0.08 * (found[1] - found[0])
    assert found == pytest.approx(resampled(before, after, random), abs=tolerance)


@pytest.mark.parametrize("n", [6, 7, 10])
def test_medians_of_resamples_have_their_exact_distribution(n: int) -> None:
    """The k-th smallest of n draws is at most the j-th value where k of them or more are: a binomial tail."""
    rank = (n + 1) // 2
    low, high = difference([0.0] * n, list(range(n))) or (-1.0, -1.0)

    def at_most(j: int) -> float:
        share = (j + 1) / n
        return sum(math.comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(rank, n + 1))

    quantiles = [next(j for j in range(n) if at_most(j) >= part) for part in (0.025, 0.975)]
    assert [low, high] == quantiles


def test_it_is_the_same_each_time_and_another_with_another_seed() -> None:
    random = Random(3)  # noqa: S311
    before, after = ([random.random() for _ in range(25)] for _ in range(2))
    found = difference(before, after)
    assert found == difference(before, after, SEED) == (-0.189558, 0.324556)
    assert any(difference(before, after, seed) != found for seed in range(2, 6))


@given(values, values, st.randoms(use_true_random=False))
@profile(30)
def test_order_does_not_matter(before: list[float], after: list[float], random: Random) -> None:
    found = difference(before, after)
    random.shuffle(before)
    random.shuffle(after)
    assert difference(before, after) == found
    assert found is not None
    assert found[0] <= found[1]


@pytest.mark.parametrize(("n", "m"), [(0, 0), (5, 100), (100, 5), (6, 5)])
def test_with_fewer_than_6_there_is_none(n: int, m: int) -> None:
    assert difference([1.0] * n, [1.0] * m) is None


def test_6_are_the_fewest_for_95_percent() -> None:
    assert 1 - 2 * 0.5**MIN_VALUES >= PERCENT / 100 > 1 - 2 * 0.5 ** (MIN_VALUES - 1)


def test_a_shift_of_what_does_not_vary_is_exact() -> None:
    assert difference([1.0] * 6, [1.2] * 9) == (0.2, 0.2)


def test_it_covers_the_true_difference_about_as_often_as_it_says() -> None:
    random = Random(11)  # noqa: S311
    covered = 0
    for _ in range(200):
        before, after = ([random.expovariate(1) for _ in range(30)] for _ in range(2))
        low, high = difference(before, after) or (1.0, 1.0)
        covered += low <= 0 <= high
    assert 180 <= covered <= 200
