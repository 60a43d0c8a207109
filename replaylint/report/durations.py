"""Durations that a user gives."""

from __future__ import annotations

import re
from math import inf
from typing import Final

from replaylint.report.names import WrongName

_DURATION: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?|\.[0-9]{1,12}) ?(ms|s)")
_PARTS: Final = {"ms": 1000, "s": 1}


class WrongDuration(WrongName):
    """This is no duration."""

    def __init__(self, given: object) -> None:
        super().__init__(f"{given!r} is no duration: write a number with a unit, 2s or 500ms")


def in_seconds(given: float | str) -> float:
    """How many seconds these are; a number counts them. Raises WrongDuration, and TypeError for what is neither."""
    if isinstance(given, str):
        found = _DURATION.fullmatch(given.strip().lower())
        if found is None:
            raise WrongDuration(given)
        return float(found[1]) / _PARTS[found[2]]
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"a duration has to be a number of seconds or a str, not {type(given).__name__}")
    try:
        seconds = float(given)
    except OverflowError:
        seconds = inf
    if not 0 <= seconds < inf:
        raise WrongDuration(given)
    return seconds
