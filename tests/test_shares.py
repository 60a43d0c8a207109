"""Whether a share rose: exchanges of what is before and after, against all of them."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from replaylint.statistics.shares import paired, unpaired


def test_in_pairs_it_is_the_part_of_all_signs_that_differ_as_much() -> None:
    differences = [0.5, 0.25, 0.0, 1.0, -0.25, 0.5, 0.75, 0.0]
    moved = [each for each in differences if each]
    sums = [sum(sign * each for sign, each in zip(signs, moved, strict=True)) for signs in product((1, -1), repeat=6)]
    exact = sum(abs(each) >= sum(moved) for each in sums) / len(sums)
    found = paired(differences)
    assert found is not None
    assert found.estimate == sum(differences) / 8
    assert found.p == pytest.approx(exact, abs=0.01)
    assert found.rarest == 2 * 0.5**8


def test_without_pairs_it_is_the_part_of_all_orders_that_differ_as_much() -> None:
    before, after = [0.0, 0.1, 0.2, 0.0, 0.3, 0.1], [0.2, 0.5, 0.4, 0.1, 0.6, 0.3, 0.2]
    every, total = [*before, *after], sum(before) + sum(after)
    differences = [abs(sum(each) / 7 - (total - sum(each)) / 6) for each in combinations(every, 7)]
    estimate = sum(after) / 7 - sum(before) / 6
    found = unpaired(before, after)
    assert found is not None
    assert found.estimate == pytest.approx(estimate)
    assert found.p == pytest.approx(sum(each >= estimate - 1e-9 for each in differences) / len(differences), abs=0.01)
    assert found.rarest == 2 / 1716


def test_the_least_that_would_have_been_seen() -> None:
    """Of 12 recordings, one more slow resume in six of them and none fewer: 2 * 0.5^6 is rarer than 5 %."""
    found = paired([1.0, -1.0, 1.0, -1.0, 1.0, -1.0] + [0.0] * 6)
    assert found is not None
    assert found.p == 1.0
    assert found.least(0.05) == pytest.approx(6 / 12)
    assert found.least(0.01) is None


def test_where_no_resume_is_slow_nothing_changed() -> None:
    for found in (paired([0.0] * 7), unpaired([0.0] * 7, [0.0] * 9)):
        assert found is not None
        assert (found.estimate, found.p, found.least(0.05)) == (0.0, 1.0, None)


def test_it_is_the_same_each_time_and_another_with_another_seed() -> None:
    differences = [0.1 * number - 0.3 for number in range(12)]
    first, again, other = paired(differences), paired(differences, 1), paired(differences, 2)
    assert first is not None
    assert other is not None
    assert first == again
    assert (first.estimate, first.p != other.p) == (other.estimate, True)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (5, 100), (100, 5), (6, 5)])
def test_with_fewer_than_6_there_is_none(n: int, m: int) -> None:
    assert unpaired([0.5] * n, [0.5] * m) is None
    assert paired([0.5] * min(n, m)) is None
