"""Durations and sizes as a user writes them."""

from __future__ import annotations

import re
from math import inf
from typing import Final

from replaylint.errors import UsageError

_DURATION: Final = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,12})?|\.[0-9]{1,12}) ?(ms|s)")
_PARTS: Final = {"ms": 1000, "s": 1}
UNITS: Final = {"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}
MAX_DIGITS: Final = 20
"""Digits of a number that is meant."""


def in_seconds(given: float | str) -> float:
    """How many seconds these are; a number counts them. Raises UsageError, and TypeError for what is neither."""
    if isinstance(given, str):
        found = _DURATION.fullmatch(given.strip().lower())
        if found is None:
            raise _no_duration(given)
        return float(found[1]) / _PARTS[found[2]]
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise TypeError(f"a duration has to be a number of seconds or a str, not {type(given).__name__}")
    try:
        seconds = float(given)
    except OverflowError:
        seconds = inf
    if not 0 <= seconds < inf:
        raise _no_duration(given)
    return seconds


def _no_duration(given: object) -> UsageError:
    return UsageError(f"{given!r} is not a duration: write a number with a unit, 2s or 500ms")


def size_in_bytes(given: int | str) -> int:
    """How many bytes these are. Case does not matter, nor does a blank before the unit. Raises UsageError."""
    text = str(given).strip().lower()
    number = text.rstrip("bgikm")
    factor = {"": 1, **{name.lower(): factor for name, factor in UNITS.items()}}.get(text[len(number) :])
    number = number.rstrip()
    whole, _, decimals = number.partition(".")
    digits = whole + decimals
    if factor is None or not (digits.isascii() and digits.isdecimal()) or len(digits) > MAX_DIGITS:
        raise _no_size(given)
    size = int(digits) * factor // int("1" + "0" * len(decimals))
    if size < 1:
        raise _no_size(given)
    return size


def _no_size(given: object) -> UsageError:
    units = ", ".join(UNITS)
    return UsageError(f"{given!r} is not a size: write a number of bytes, at least 1, or one with a unit: {units}")
