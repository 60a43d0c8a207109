from __future__ import annotations

from math import fsum
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylint.statistics.percentiles import Distribution, distribution, percentile

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
    assert distribution([3.0, 1.0]) == Distribution(2, 1.0, 1.0, None, None, None, 3.0, 2.0)


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
    found = distribution(range(n, 0, -1))
    assert found == Distribution(n, 1, p50, p90, p95, p99, n, (n + 1) / 2)


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (1, 1), (25, 1), (26, 2), (50, 2), (75, 3), (76, 4), (100, 4)])
def test_the_rank_changes_just_above_a_share(percent: int, value: float) -> None:
    assert percentile([1, 2, 3, 4], percent) == value


def test_it_takes_any_iterable_once() -> None:
    assert distribution(iter((1.0, 2.0))).n == 2


@given(durations)
@settings(deadline=None)
def test_each_figure_is_what_its_definition_says(values: list[float]) -> None:
    found = distribution(values)
    assert (found.n, found.min, found.max) == (len(values), min(values), max(values))
    assert found.mean == pytest.approx(fsum(values) / len(values), abs=1e-6)
    for percent, needed in NEEDED.items():
        figure = getattr(found, f"p{percent}")
        assert figure == (least_that_covers(values, percent) if len(values) >= needed else None)


@given(durations, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_does_not_matter(values: list[float], random: Random) -> None:
    shuffled = sorted(values, key=lambda _: random.random())
    assert distribution(shuffled)[:-1] == distribution(values)[:-1]


@given(durations, st.integers(0, 100))
@settings(deadline=None)
def test_a_percentile_is_a_measured_value(values: list[float], percent: int) -> None:
    found = percentile(sorted(values), percent)
    assert found in values
    assert found == least_that_covers(values, percent)
