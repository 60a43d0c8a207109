"""How sentences for people write numbers: with their noun, or as a duration."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replaylint.replay.window import Point


class Count(int):
    """A number that brings its noun: `f"{Count(2):update}"` is "2 updates"."""

    def __format__(self, noun: str) -> str:
        """The number alone, or with this noun, in the plural where there is not one."""
        return f"{int(self)} {noun}{'' if self == 1 else 's'}" if noun else str(int(self))


def duration(seconds: float) -> str:
    """Up to three significant digits, in milliseconds below a second: 2.70 s, 140 ms, 0.25 ms, 0.001 ms."""
    value, unit = (seconds, "s") if seconds >= 0.9995 else (seconds * 1000, "ms")
    decimals = 3 if value < 0.00995 else 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{decimals}f} {unit}" if value else "0 ms"


def elapsed(first: Point, last: Point) -> str:
    """ " in 41 ms", or nothing where that is not known: no times, one message only, or a clock that went back."""
    seconds = last.time - first.time
    return f" in {duration(seconds)}" if seconds >= 0 and last.line > first.line else ""
