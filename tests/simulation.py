"""How often `compare` says that a response gap became slower where nothing changed, and where all are 30 % slower.

    python -m tests.simulation [TRIALS]

Prints a table of all settings. Resumes take log-normal times around 2 s or, in the setting `modes`, one in seven takes
16 s more. One standard deviation is a factor of 1.8 between sessions, of 1.16 between two times of one session, and of
what the setting says between recordings: all resumes of one share it, but not its counterpart, as one machine is busier
than another. Paired resumes are of one session.
"""

from __future__ import annotations

import math
import sys
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.statistics.shift import ALPHA
from replaylint.views.timing_changes import Observed, rise_of, shift_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SESSIONS: Final = math.log(1.8)
TIMES: Final = math.log(1.16)
SLOWER: Final = 1.3
MODE_S: Final = 16.0
THRESHOLD_S: Final = 12.0


class Setting(NamedTuple):
    """What a side of a comparison has."""

    recordings: int
    resumes: str
    """In each recording: so many, or from one to so many, "1-20"."""
    factor: float
    """By which recordings differ: one standard deviation."""
    paired: bool
    modes: bool

    def resumes_of(self, recording: int) -> int:
        """How many this recording has."""
        least, _, most = self.resumes.partition("-")
        return int(least) + recording * 7 % int(most) if most else int(least)


SETTINGS: Final = [
    Setting(*each) for each in product((6, 12, 30), ("1", "5", "1-20"), (1.0, 1.6), (True, False), (False, True))
]


def observed(setting: Setting, random: Random, slower: float = 1.0, modes: float = 0.0) -> Observed:
    """One comparison of two sides; `modes` is the part of the resumes that are so slow only after."""
    sides: tuple[dict[str, list[float]], ...] = ({}, {})
    for recording in range(setting.recordings):
        n = setting.resumes_of(recording)
        sessions = [random.gauss(0, SESSIONS) for _ in range(n)]
        for after, side in enumerate(sides):
            if not setting.paired:
                sessions = [random.gauss(0, SESSIONS) for _ in range(n)]
            busy = random.gauss(0, math.log(setting.factor))
            times = [2 * math.exp(each + busy + random.gauss(0, TIMES)) for each in sessions]
            rare = (1 / 7 if setting.modes else 0.0) + modes * after
            gaps = [each + (MODE_S if random.random() < rare else 0.0) for each in times]
            side[str(recording)] = [each * (slower if after else 1.0) for each in gaps]
    before, later = sides
    pairs = {each: list(zip(before[each], later[each], strict=True)) for each in before} if setting.paired else {}
    return Observed(before, later, pairs)


def rate(setting: Setting, trials: int, slower: float = 1.0, seed: int = 1) -> float:
    """How often the median is said to have changed."""
    random = Random(seed)  # noqa: S311
    found = (shift_of(observed(setting, random, slower)) for _ in range(trials))
    return sum(each is not None and each.p <= ALPHA for each in found) / trials


def share_rate(setting: Setting, trials: int, modes: float = 0.0, seed: int = 1) -> float:
    """How often the share of slow resumes is said to have changed."""
    random = Random(seed)  # noqa: S311
    found = (rise_of(observed(setting, random, modes=modes), THRESHOLD_S) for _ in range(trials))
    return sum(each is not None and each.p <= ALPHA for each in found) / trials


def table(trials: int) -> Iterator[Sequence[object]]:
    """False alarms and power of each setting, in percent."""
    for each in SETTINGS:
        kind = "pairs" if each.paired else "sides"
        times = "modes" if each.modes else "log-normal"
        rates = (f"{100 * rate(each, trials, slower):.1f}" for slower in (1.0, SLOWER))
        yield each.recordings, each.resumes, each.factor, kind, times, *rates


if __name__ == "__main__":
    for row in table(int(sys.argv[1]) if sys.argv[1:] else 1000):
        sys.stdout.write("\t".join(map(str, row)) + "\n")
        sys.stdout.flush()
