"""Sizes that a user gives."""

from __future__ import annotations

from typing import Final

from replaylint.report.names import WrongName

UNITS: Final = {"B": 1, "kB": 10**3, "KiB": 2**10, "MB": 10**6, "MiB": 2**20, "GB": 10**9, "GiB": 2**30}
LONGEST: Final = 20
"""Digits of a number that is meant."""


class WrongSize(WrongName):
    """This is no size."""

    def __init__(self, given: object) -> None:
        units = ", ".join(UNITS)
        super().__init__(f"{given!r} is no size: write a number of bytes, at least 1, or one with a unit: {units}")


def size_in_bytes(given: int | str) -> int:
    """How many bytes these are. Case does not matter, nor does a blank before the unit. Raises WrongSize."""
    text = str(given).strip().lower()
    number = text.rstrip("bgikm")
    factor = {"": 1, **{name.lower(): factor for name, factor in UNITS.items()}}.get(text[len(number) :])
    number = number.rstrip()
    whole, _, decimals = number.partition(".")
    digits = whole + decimals
    if factor is None or not (digits.isascii() and digits.isdecimal()) or len(digits) > LONGEST:
        raise WrongSize(given)
    size = int(digits) * factor // int("1" + "0" * len(decimals))
    if size < 1:
        raise WrongSize(given)
    return size
