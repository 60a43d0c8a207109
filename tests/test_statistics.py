from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from math import ceil, fsum
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from replaylint.statistics.histogram import MAX_BUCKETS, MIN_VALUES, histogram
from replaylint.statistics.percentiles import (
    EXACT_UP_TO,
    Distribution,
    bounded_from,
    bounds,
    distribution,
    least,
    percentile,
)
from replaylint.statistics.timers import TIMERS_S, study

if TYPE_CHECKING:
    from random import Random

NEEDED = {50: 1, 90: 10, 95: 20, 99: 100}
"""How many values each percentile needs."""

durations = st.lists(st.floats(0, 1e6) | st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=250)


def least_that_covers(values: list[float], percent: int) -> float:
    """The definition, in words of its own: of the values that no fewer than `percent` % are at most, the smallest."""
    return min(value for value in values if 100 * sum(other <= value for other in values) >= percent * len(values))


def test_nothing_has_no_figures() -> None:
    assert distribution([]) == Distribution(0, None, None, None, None, None, None, None)


def test_one_value() -> None:
    assert distribution([2.7]) == Distribution(1, 2.7, 2.7, None, None, None, 2.7, 2.7)


def test_the_median_of_two_is_the_smaller() -> None:
    assert distribution([1.0, 3.0]) == Distribution(2, 1.0, 1.0, None, None, None, 3.0, 2.0)


def test_zeros_are_values() -> None:
    assert distribution([0.0, 0.0]) == Distribution(2, 0.0, 0.0, None, None, None, 0.0, 0.0)


def test_the_mean_is_rounded_to_microseconds() -> None:
    assert distribution([0.0, 0.0, 1.0]).mean == 0.333333


@pytest.mark.parametrize(
    ("n", "p50", "p90", "p95", "p99"),
    [
        (3, 2, None, None, None),
        (4, 2, None, None, None),
        (9, 5, None, None, None),
        (10, 5, 9, None, None),
        (11, 6, 10, None, None),
        (19, 10, 18, None, None),
        (20, 10, 18, 19, None),
        (21, 11, 19, 20, None),
        (99, 50, 90, 95, None),
        (100, 50, 90, 95, 99),
        (101, 51, 91, 96, 100),
        (200, 100, 180, 190, 198),
    ],
)
def test_nearest_rank(n: int, p50: float, p90: float | None, p95: float | None, p99: float | None) -> None:
    found = distribution(range(1, n + 1))
    assert found == Distribution(n, 1, p50, p90, p95, p99, n, (n + 1) / 2)


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (1, 1), (25, 1), (26, 2), (50, 2), (75, 3), (76, 4), (100, 4)])
def test_the_rank_changes_just_above_a_share(percent: int, value: float) -> None:
    assert percentile([1, 2, 3, 4], percent) == value


@given(durations)
@settings(deadline=None)
def test_each_figure_is_what_its_definition_says(values: list[float]) -> None:
    found = distribution(sorted(values))
    assert (found.n, found.min, found.max) == (len(values), min(values), max(values))
    assert found.mean == pytest.approx(fsum(values) / len(values), abs=1e-6)
    for percent, needed in NEEDED.items():
        figure = getattr(found, f"p{percent}")
        assert figure == (least_that_covers(values, percent) if len(values) >= needed else None)


@given(durations, st.integers(0, 100))
@settings(deadline=None)
def test_a_percentile_is_a_measured_value(values: list[float], percent: int) -> None:
    found = percentile(sorted(values), percent)
    assert found in values
    assert found == least_that_covers(values, percent)


@pytest.mark.parametrize(
    ("percent", "needed"),
    [
        (0, 1),
        (50, 1),
        (51, 3),
        (75, 4),
        (90, 10),
        (95, 20),
        (99, 100),
        (Fraction("50.1"), 3),
        (Fraction("99.9"), 1000),
        (Fraction("99.999999"), 100_000_000),
    ],
)
def test_how_many_values_a_percentile_needs(percent: int | Fraction, needed: int) -> None:
    assert least(percent) == needed


@given(st.fractions(51, Fraction("99.99"), max_denominator=1000))
@settings(deadline=None)
def test_with_enough_values_a_percentile_is_not_the_maximum_of_fewer(percent: Fraction) -> None:
    """Of n values one at least is beyond it: 100/(100-p) are enough, and one less is not."""
    n = least(percent)
    assert n * (100 - percent) >= 100 > (n - 1) * (100 - percent)


@given(durations, st.fractions(Fraction("0.001"), Fraction("99.999")))
@settings(deadline=None)
def test_a_percentile_may_be_a_fraction(values: list[float], percent: Fraction) -> None:
    rank = ceil(percent * len(values) / 100)
    assert percentile(sorted(values), percent) == sorted(values)[max(rank, 1) - 1]


# Bounds of percentiles


@pytest.mark.parametrize(("percent", "n"), [(50, 5), (90, 29), (95, 59), (99, 299), (Fraction("99.9"), 2995)])
def test_how_many_values_an_upper_bound_takes(percent: int | Fraction, n: int) -> None:
    """All of fewer are below the percentile in more than 5 % of cases."""
    assert bounded_from(percent) == n
    values = [float(number) for number in range(n)]
    assert bounds(values, percent)[1] == values[-1]
    assert bounds(values[1:], percent)[1] is None


@pytest.mark.parametrize(("n", "percent"), [(20, 50), (59, 95), (100, 95), (300, 90)])
def test_bounds_are_those_of_the_binomial_distribution(n: int, percent: int) -> None:
    share = Fraction(percent, 100)

    def at_most(k: int) -> Fraction:
        return sum((math.comb(n, i) * share**i * (1 - share) ** (n - i) for i in range(k + 1)), Fraction())

    low, high = bounds(list(range(1, n + 1)), percent)
    assert low is not None
    assert high is not None
    # The low-th value is below the percentile where so many are, and the next one is too rarely; as rarely above.
    assert 1 - at_most(int(low) - 1) >= Fraction(95, 100) > 1 - at_most(int(low))
    assert at_most(int(high) - 1) >= Fraction(95, 100) > at_most(int(high) - 2)


def test_for_many_values_the_normal_distribution_is_as_good() -> None:
    exact, normal = (bounds(list(range(n)), 95) for n in (EXACT_UP_TO, EXACT_UP_TO + 1))
    assert None not in exact
    assert normal == pytest.approx(exact, abs=2)


@pytest.mark.parametrize("values", [[], [1.0]])
def test_a_value_alone_has_no_bound(values: list[float]) -> None:
    assert bounds(values, 50) == (None, None)


# Histograms

micros = st.integers(0, 10**9)
measured = st.lists(st.one_of(micros, st.integers(0, 100), st.integers(10**6, 2 * 10**6), st.just(0)), max_size=120)
"""Durations in microseconds."""


def counted(values: list[int]) -> tuple[list[int], list[int]]:
    edges, counts = histogram(sorted(value / 1e6 for value in values))
    return [round(edge * 1e6) for edge in edges], counts


@pytest.mark.parametrize(
    ("values", "edges", "counts"),
    [
        ([], [], []),
        ([1, 2, 3, 4], [], []),
        ([7, 7, 7, 7, 7], [], []),
        ([0, 0, 0, 0, 0], [], []),
        ([1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6], [1, 1, 1, 1, 1]),
        ([100, 101, 102, 103, 110], [100, 102, 104, 106, 108, 110, 112], [2, 2, 0, 0, 0, 1]),
        ([1000, 1100, 1200, 1900, 2000], [1000, 1200, 1400, 1600, 1800, 2000, 2200], [2, 1, 0, 0, 1, 1]),
        # The largest is just 20 times the smallest: still even; then it is not.
        ([100, 200, 300, 400, 2000], [0, 500, 1000, 1500, 2000, 2500], [4, 0, 0, 0, 1]),
        ([100, 200, 300, 400, 2001], [100, 200, 500, 1000, 2000, 5000], [1, 3, 0, 0, 1]),
        # Over some orders of magnitude the steps are 1, 2, 5; over more of them 1, 3 and then 1.
        ([1, 9, 99, 999, 999], [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], [1, 0, 1, 0, 0, 1, 0, 0, 2]),
        (
            [1, 9, 99, 9999, 9999],
            [1, 3, 10, 30, 100, 300, 1000, 3000, 10000],
            [1, 1, 0, 1, 0, 0, 0, 2],
        ),
        (
            [1, 9, 99, 99999999, 99999999],
            [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000],
            [2, 1, 0, 0, 0, 0, 0, 2],
        ),
        # What is 0 has a bucket of its own.
        ([0, 0, 3, 4, 9], [0, 2, 5, 10], [2, 2, 1]),
        ([0, 0, 0, 0, 1], [0, 1, 2], [4, 1]),
        ([0, 0, 0, 0, 5], [0, 5, 10], [4, 1]),
    ],
)
def test_a_histogram(values: list[int], edges: list[int], counts: list[int]) -> None:
    assert counted(values) == (edges, counts)


@given(measured)
@example([1, 10**9, 10**9, 10**9, 10**9])
@example([0, 1, 10**9, 10**9, 10**9])
@settings(deadline=None)
def test_every_value_is_in_its_bucket(values: list[int]) -> None:
    edges, counts = counted(values)
    if len(values) < MIN_VALUES or len(set(values)) == 1:
        assert (edges, counts) == ([], [])
        return
    assert all(low < high for low, high in pairwise(edges))
    assert counts == [sum(low <= value < high for value in values) for low, high in pairwise(edges)]
    assert sum(counts) == len(values)
    # At most so many, and one for 0; none at either end is empty.
    assert 1 <= len(counts) <= MAX_BUCKETS + (0 in values)
    assert counts[0]
    assert counts[-1]


@given(measured, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_does_not_matter_to_a_histogram(values: list[int], random: Random) -> None:
    shuffled = sorted(values, key=lambda _: random.random())
    assert counted(shuffled) == counted(values)


@given(measured)
@settings(deadline=None)
def test_edges_are_round_numbers(values: list[int]) -> None:
    """Even steps of 1, 2 or 5 times a power of ten, from one of their multiples; or such numbers themselves, or 3."""
    edges, _ = counted(values)
    steps = {high - low for low, high in pairwise(edges)}
    if len(steps) == 1:
        (step,) = steps
        assert int(str(step).rstrip("0")) in {1, 2, 5}
        assert all(edge % step == 0 for edge in edges)
    else:
        assert all(int(str(edge).rstrip("0")) in {1, 2, 3, 5} for edge in edges if edge)


# Quiet timers

replays = st.lists(st.tuples(micros, st.none() | micros), max_size=60)
"""Longest pause and marker lag, in microseconds."""


def test_the_timers_are_those_of_the_contract() -> None:
    assert TIMERS_S == (0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3)


@pytest.mark.parametrize(
    ("timer", "false_ends", "late"),
    [
        (0.05, 4, []),
        (0.1, 4, []),  # no shorter than the timer: too early
        (0.100001, 3, [-0.099999]),
        (0.25, 2, [0.05, 0.249999]),
        (1.0, 1, [0.8, 0.999999]),
        (2.0, 0, [1.8, 1.999999]),
    ],
)
def test_what_a_timer_does(timer: float, false_ends: int, late: list[float]) -> None:
    found, seconds = study([(0.1, 0.2), (0.2, 0.000001), (0.3, None), (1.0, None)], timer)
    assert found == false_ends
    assert seconds == pytest.approx(late)


@given(replays, st.sampled_from(TIMERS_S) | micros.map(lambda value: value / 1e6))
@settings(deadline=None)
def test_a_timer_does_what_its_definition_says(made: list[tuple[int, int | None]], timer: float) -> None:
    """In whole microseconds: nothing is rounded."""
    limit = round(timer * 1e6)
    wrong, late = 0, []
    for pause, lag in made:
        if pause >= limit:
            wrong += 1
        elif lag is not None:
            late.append(limit - lag)
    found, seconds = study([(pause / 1e6, None if lag is None else lag / 1e6) for pause, lag in made], timer)
    assert (found, [round(each * 1e6) for each in seconds]) == (wrong, sorted(late))


@given(replays)
@settings(deadline=None)
def test_a_longer_timer_is_wrong_no_more_often(made: list[tuple[int, int | None]]) -> None:
    """And from the longest pause on never: every timer up to it is wrong at least once."""
    seconds = [(pause / 1e6, None) for pause, _ in made]
    wrong = [study(seconds, timer)[0] for timer in TIMERS_S]
    assert wrong == sorted(wrong, reverse=True)
    if made:
        needed = max(pause for pause, _ in made) / 1e6
        assert study(seconds, needed)[0] >= 1
        assert study(seconds, needed + 1e-6)[0] == 0
