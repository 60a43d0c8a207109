"""Time in a recording: which field holds it, in what unit, how exact it is, and where it went back."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from replaylint.recording.message import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Timestamps = Literal["monotonic", "wall", "relative", "none"]

TOLERANCE_S: Final = 0.002
"""A clock that goes back by no more than this counts as unchanged."""

MONOTONIC_KEYS: Final = ("mono_ns", "t_mono_ns")
WALL_KEYS: Final = ("ts", "ts_ms", "t", "at", "timestamp", "time", "t_utc")

MIN_RESOLUTION_S: Final = 1e-6
"""Reports round to this: the noise of a pipe is larger."""

MIN_SAMPLES: Final = 4
"""So many different numbers show how fine a clock is: fewer may be round by chance."""
FINE_S: Final = 1e-3
"""What is as fine as this is no chance."""

MAX_STEPS: Final = 10_000


def went_back(seconds: float) -> bool:
    """Whether a clock that is behind by this many seconds counts as gone back; rounding errors do not."""
    return round(seconds, 6) > TOLERANCE_S


class Clock(NamedTuple):
    """How to read a record's time: `reading * scale + offset` is in seconds.

    `granularity_s` is the step of the times that were seen, `certain` whether they show that there is no finer one.
    `key` is None where no record has a time. `parse` turns what may be no number into one, or NaN. `anchor` is the wall
    clock beside a monotonic key: it gives the offset, so that times read as wall times.
    """

    timestamps: Timestamps
    granularity_s: float | None
    key: str | None
    scale: float
    parse: Callable[[object], float] | None
    anchor: Clock | None
    certain: bool = True

    @property
    def resolution_s(self) -> float | None:
        """How exact its times are. None where there are none, or too few to tell."""
        return self.granularity_s if self.certain else None

    def reading(self, record: dict[str, object]) -> float:
        """The time of this record, in the clock's own unit. NaN where it has none."""
        value = record.get(self.key) if self.key is not None else None
        if self.parse is not None:
            return self.parse(value)
        return _number(value)

    def seconds(self, record: dict[str, object]) -> float:
        """The time of this record, in seconds. NaN where it has none."""
        return self.reading(record) * self.scale

    def offset(self, record: dict[str, object]) -> float:
        """What to add to this clock's seconds so that they read as the wall clock of this record."""
        if self.anchor is None:
            return 0.0
        offset = self.anchor.reading(record) * self.anchor.scale - self.reading(record) * self.scale
        return offset if offset == offset else 0.0  # noqa: PLR0124  (NaN: one of the two is missing)


def _number(value: object) -> float:
    """A number as it is; NaN for anything else, and for true and false."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else NO_TIME


NO_CLOCK: Final = Clock("none", None, None, 1.0, None, None)


def choose(records: Sequence[dict[str, object]]) -> Clock:
    """The clock of a recording that begins with these records. A monotonic field wins over a wall clock."""
    wall = _first(records, WALL_KEYS)
    monotonic = _first(records, MONOTONIC_KEYS)
    if monotonic is None or 2 * _having(records, monotonic) < _having(records, wall):
        return wall or NO_CLOCK
    return monotonic._replace(timestamps="monotonic", anchor=wall)


def _having(records: Sequence[dict[str, object]], clock: Clock | None) -> int:
    return sum(clock is not None and clock.key in record for record in records)


def _first(records: Sequence[dict[str, object]], keys: Sequence[str]) -> Clock | None:
    for key in keys:
        values = [record[key] for record in records if isinstance(record.get(key), int | float | str)]
        clock = _clock(key, values) if values else None
        if clock is not None:
            return clock
    return None


def _clock(key: str, values: list[object]) -> Clock | None:
    flags = any(isinstance(value, bool) for value in values)
    values = [value for value in values if not isinstance(value, bool)]
    if not values:
        return None
    numbers = [value for value in values if isinstance(value, int | float)]
    if len(numbers) < len(values):
        texts = [value for value in values if isinstance(value, str) and iso_seconds(value) == iso_seconds(value)]
        if not texts:
            return None
        return Clock("wall", max(MIN_RESOLUTION_S, min(map(_text_granularity, texts))), key, 1.0, iso_seconds, None)
    scale = _scale(key, numbers[0])
    kind: Timestamps = "wall" if numbers[0] * scale >= 1e9 else "relative"
    granularity_s = max(MIN_RESOLUTION_S, min(_granularity(value, scale) for value in numbers))
    certain = granularity_s <= FINE_S or len(set(numbers)) >= MIN_SAMPLES
    return Clock(kind, granularity_s, key, scale, _number if flags else None, None, certain)


def _scale(key: str, value: float) -> float:
    """Seconds per unit, by the ending of the key, or by the size of a present-day time."""
    if key.endswith("_ms"):
        return 1e-3
    if key.endswith("_ns"):
        return 1e-9
    for least, scale in ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3)):
        if value >= least:
            return scale
    return 1.0


def _granularity(value: float, scale: float) -> float:
    """JSON keeps no zeros at the end, and JavaScript writes a round number as an integer."""
    if isinstance(value, int):
        return scale
    _, _, decimals = repr(value).partition(".")
    return MIN_RESOLUTION_S if "e" in decimals else scale * 10.0 ** -len(decimals.rstrip("0"))


def _text_granularity(text: str) -> float:
    """A text keeps its digits."""
    _, point, decimals = text.replace(",", ".").partition(".")
    digits = len(decimals) - len(decimals.lstrip("0123456789"))
    return 10.0**-digits if point else 1.0


def iso_seconds(value: object) -> float:
    """Seconds since 1970 of an ISO 8601 or RFC 3339 text; without a zone it is read as UTC. NaN for anything else."""
    if not isinstance(value, str):
        return NO_TIME
    try:
        moment = datetime.fromisoformat(value)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return NO_TIME


class Steps:
    """The lines before which the clock went back by more than the tolerance.

    After MAX_STEPS of them everything later counts as broken, so that memory is bounded.
    """

    def __init__(self) -> None:
        self.lines: list[int] = []

    def add(self, line: int) -> None:
        """The clock went back before this line."""
        if len(self.lines) < MAX_STEPS:
            self.lines.append(line)

    def between(self, first: int, last: int) -> bool:
        """Whether the clock went back after line `first` and up to line `last`."""
        lines = self.lines
        at = bisect_right(lines, first)
        return (at < len(lines) and lines[at] <= last) or (len(lines) == MAX_STEPS and last > lines[-1])
