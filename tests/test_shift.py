"""Rank tests: against the published tables, their definition, and each other."""

from __future__ import annotations

from itertools import combinations_with_replacement, product
from random import Random
from statistics import NormalDist, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylint.statistics.shift import EXACT_UP_TO, MIN_RECORDINGS, holm, paired, unpaired
from tests.profiles import profile

values = st.lists(st.integers(-50, 50).map(lambda each: each / 8), min_size=MIN_RECORDINGS, max_size=9)


def means(differences: list[float]) -> list[float]:
    return sorted((one + other) / 2 for one, other in combinations_with_replacement(differences, 2))


@pytest.mark.parametrize(("n", "critical"), [(6, 0), (7, 2), (8, 3), (10, 8), (15, 25), (20, 52), (25, 89), (50, 434)])
def test_signed_ranks_have_the_critical_values_of_the_tables(n: int, critical: int) -> None:
    """Two-sided, 5 %: the interval leaves out so many of the means at each end."""
    differences = [2.0**number if n < 20 else float(number * number) for number in range(n)]
    found = paired(differences)
    assert found is not None
    every = means(differences)
    assert found.interval(0.05) == (every[critical], every[-1 - critical])


@pytest.mark.parametrize(("n", "m", "critical"), [(6, 6, 5), (6, 10, 11), (8, 8, 13), (10, 10, 23), (20, 20, 127)])
def test_rank_sums_have_the_critical_values_of_the_tables(n: int, m: int, critical: int) -> None:
    random = Random(1)  # noqa: S311
    before, after = ([round(random.uniform(0, 9), 3) for _ in range(size)] for size in (n, m))
    found = unpaired(before, after)
    assert found is not None
    every = sorted(other - one for one, other in product(before, after))
    assert found.interval(0.05) == pytest.approx((every[critical], every[-1 - critical]))
    assert found.estimate == pytest.approx(median(every))


def test_p_is_the_part_of_all_signs_that_are_as_rare() -> None:
    differences = [0.3, -0.1, 0.4, 0.9, 0.8, -0.2, 0.7]
    ranks = [3, 1, 4, 7, 6, 2, 5]
    negative = 1 + 2
    sums = [sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign) for signs in product((0, 1), repeat=7)]
    found = paired(differences)
    assert found is not None
    assert found.p == 2 * sum(each <= negative for each in sums) / len(sums)
    assert found.estimate == median(means(differences))


@given(values, st.sampled_from([0.05, 0.025, 0.05 / 3]))
@profile(60)
def test_an_interval_leaves_out_0_where_the_test_rejects_it(differences: list[float], alpha: float) -> None:
    for found in (paired(differences), unpaired([1.0] * 6, [1 + each for each in differences])):
        assert found is not None
        interval = found.interval(alpha)
        if interval is None:
            assert found.p > alpha
        else:
            assert interval[0] <= found.estimate <= interval[1]
            assert (interval[0] > 0 or interval[1] < 0) == (found.p <= alpha)


@given(values, st.integers(-1000, 1000).map(lambda each: each / 8), st.randoms(use_true_random=False))
@profile(30)
def test_it_moves_with_the_values_whatever_their_order(differences: list[float], by: float, random: Random) -> None:
    found, moved = paired(differences), paired(random.sample([each + by for each in differences], len(differences)))
    assert found is not None
    assert moved is not None
    assert moved.estimate == found.estimate + by
    interval, other = found.interval(0.05), moved.interval(0.05)
    assert interval is not None
    assert other == (interval[0] + by, interval[1] + by)


def test_the_sides_exchanged_are_the_same_with_the_other_sign() -> None:
    random = Random(2)  # noqa: S311
    before, after = ([round(random.uniform(0, 2), 2) for _ in range(8)] for _ in range(2))
    found, back = unpaired(before, after), unpaired(after, before)
    assert found is not None
    assert back is not None
    assert (back.estimate, back.p) == (-found.estimate, found.p)
    assert back.interval(0.05) == tuple(-each for each in reversed(found.interval(0.05) or ()))


@pytest.mark.parametrize("n", [EXACT_UP_TO, EXACT_UP_TO + 1, 3000])
def test_for_many_the_normal_distribution_is_as_good(n: int) -> None:
    others = {number for number in range(n) if number % 2 == 0 and number < n - n**0.5}
    differences = [(number + 1) / 100 * (-1 if number in others else 1) for number in range(n)]
    found = paired(differences)
    assert found is not None
    negative = sum(number + 1 for number in others)
    normal = NormalDist(n * (n + 1) / 4, (n * (n + 1) * (2 * n + 1) / 24) ** 0.5)
    assert 0 < found.p < 0.5
    assert found.p == pytest.approx(2 * normal.cdf(negative + 0.5), abs=0.002 if n == EXACT_UP_TO else 1e-12)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (5, 100), (100, 5), (6, 5)])
def test_with_fewer_than_6_there_is_none(n: int, m: int) -> None:
    assert unpaired([1.0] * n, [1.0] * m) is None
    assert paired([1.0] * min(n, m)) is None


def test_6_pairs_are_the_fewest_for_95_percent_and_7_for_one_of_three() -> None:
    six, seven = paired([1.0] * 6), paired([1.0] * 7)
    assert six is not None
    assert seven is not None
    assert (six.p, six.interval(0.05), six.interval(0.05 / 3)) == (2 * 0.5**6, (1.0, 1.0), None)
    assert (seven.p, seven.interval(0.05 / 3)) == (2 * 0.5**7, (1.0, 1.0))


def test_where_all_are_equal_nothing_moved() -> None:
    for found in (paired([0.0] * 8), unpaired([0.3] * 8, [0.3] * 9)):
        assert found is not None
        assert (found.p, found.estimate, found.interval(0.05)) == (1.0, 0.0, (0.0, 0.0))


def test_the_levels_of_several_tests() -> None:
    assert holm([]) == []
    assert holm([0.01, 0.02, 0.03]) == pytest.approx([0.05 / 3, 0.025, 0.05])
    assert holm([0.04, 0.001, 0.03]) == pytest.approx([0.025, 0.05 / 3, 0.025])  # the second fails, and so the third
    assert holm([0.9, 0.03, 0.02]) == pytest.approx([0.05 / 3] * 3)
