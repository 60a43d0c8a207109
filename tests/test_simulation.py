"""`compare` raises a false alarm in 5 of 100 cases at most, and sees what there is to be seen."""

from __future__ import annotations

import math

import pytest

from tests.simulation import SETTINGS, SLOWER, Setting, rate, share_rate

SOME = [each for each in SETTINGS if each.recordings != 30 and each.resumes != "1"]
ALONE = [Setting(12, "5", 1.0, paired, modes=False) for paired in (True, False)]


def bound(trials: int) -> float:
    """What chance makes of 5 % in so many trials: three standard deviations more."""
    return 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)


@pytest.mark.parametrize("setting", SOME, ids=str)
def test_false_alarms_are_rare(setting: Setting) -> None:
    assert rate(setting, 200) <= bound(200)


@pytest.mark.simulation
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_false_alarms_are_rare_in_each_setting(setting: Setting) -> None:
    assert rate(setting, 4000, seed=2) <= 0.06


@pytest.mark.parametrize("recordings", [1, 2, 5])
def test_there_is_no_alarm_from_few_recordings(recordings: int) -> None:
    for paired in (True, False):
        setting = Setting(recordings, "1-20", 1.6, paired, modes=False)
        assert rate(setting, 50) == rate(setting, 50, slower=9.0) == 0.0


def test_what_is_30_percent_slower_is_seen() -> None:
    """The settings of a quiet machine, at least; where recordings differ much, six say little."""
    paired, apart = (Setting(12, "5", 1.0, paired, modes=False) for paired in (True, False))
    assert rate(paired, 200, SLOWER) >= 0.95
    assert 0.25 <= rate(apart, 200, SLOWER) <= 0.6


@pytest.mark.simulation
@pytest.mark.parametrize("setting", [each for each in SETTINGS if each.resumes == "5" and each.modes], ids=str)
def test_false_alarms_of_slow_resumes_are_rare(setting: Setting) -> None:
    assert share_rate(setting, 300) <= bound(300)


@pytest.mark.parametrize("setting", ALONE, ids=str)
def test_modes_are_seen_in_the_share_of_slow_resumes(setting: Setting) -> None:
    assert share_rate(setting, 40, modes=0.3) >= 0.9
    assert share_rate(setting, 40) <= bound(40)
