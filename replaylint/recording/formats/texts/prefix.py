"""`prefix`: a time, a direction or both stand in a short text before the JSON, as `ts` and many loggers write it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from orjson import loads

from replaylint.recording import clock as clocks
from replaylint.recording import directions
from replaylint.recording.entries import Entry, reading, skipped
from replaylint.recording.message import NO_TIME, is_jsonrpc
from replaylint.recording.source import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "prefix"
EXAMPLE: Final = '[SEND] {"jsonrpc":"2.0",…}'

LONGEST_PREFIX: Final = 200
DAY_S: Final = 86_400.0
YEAR_S: Final = 366 * DAY_S

_TIME: Final = re.compile(
    r"\s*\[?(?:(?P<iso>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)"
    r"|(?P<day>\d\d:\d\d:\d\d(?:[.,]\d+)?)"
    r"|(?P<syslog>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d)"
    r"|(?P<number>\d{1,20}(?:[.]\d{1,12})?))\]?(?=\s|$)"
)
_WORD: Final = re.compile(
    r"\[(?P<box>[^\]\s]{1,20})\]\s*$|(?:^|\s)(?P<label>[^\s:]{1,20}):\s*$"
    r"|(?:^|\s)(?P<sign>[Cc]2[Aa]|[Aa]2[Cc]|C->A|A->C|>>>|<<<|[\N{RIGHTWARDS ARROW}\N{LEFTWARDS ARROW}])(?=\s|$)"
)


class _Line(NamedTuple):
    """`form` says which kind of time it has, `time` that time as it stands, `word` the direction's word."""

    form: str | None
    time: str
    word: str | None
    body: str


def sniff(head: Head) -> int:
    """How many lines are a message behind a time or a direction."""
    return sum(_is_message(line) for line in map(_taken_apart, head.texts) if line is not None)


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The messages, and what a side wrote instead; lines without a prefix, such as comments, are silent."""
    found = [line for line in map(_taken_apart, head.texts) if line is not None and _is_message(line)]
    forms = [line.form for line in found if line.form is not None]
    form = max(forms, key=forms.count, default=None)
    clock = _clock(form, [line.time for line in found if line.form == form])
    relative = any(directions.is_relative(line.word) for line in found)
    return reading(_entries(lines, form, clock, progress), clock, progress, relative=relative)


def _taken_apart(text: str) -> _Line | None:
    """The parts of a line, or None where it has no prefix."""
    at = text.find("{")
    if at > 0 and text[at - 1] == "[":
        at -= 1
    if at <= 0 or at > LONGEST_PREFIX:
        return _without_message(text)
    time, word = _TIME.match(text[:at]), _WORD.search(text[:at])
    side = next((each for each in word.groups() if directions.side_of(each)), None) if word is not None else None
    if time is None and side is None:
        return None
    return _Line(time.lastgroup if time else None, time[time.lastgroup or 0] if time else "", side, text[at:])


def _without_message(text: str) -> _Line | None:
    """A line with a direction but without JSON: what that side wrote."""
    time = _TIME.match(text)
    rest = text[time.end() :] if time is not None else text
    word, _, body = rest.lstrip().partition(" ")
    if not (word.startswith("[") and word.endswith("]") and directions.side_of(word[1:-1])):
        return None
    return _Line(time.lastgroup if time else None, time[time.lastgroup or 0] if time else "", word[1:-1], body)


def _is_message(line: _Line) -> bool:
    try:
        body = loads(line.body)
    except ValueError:
        return False
    bodies = body if isinstance(body, list) else [body]
    return any(isinstance(each, dict) and is_jsonrpc(each) for each in bodies)


def _clock(form: str | None, times: list[str]) -> clocks.Clock:
    if form is None:
        return clocks.NO_CLOCK
    values = [_value(form, time) for time in times]
    if form in {"iso", "number"}:
        return clocks.choose([{"time": value} for value in values])
    decimals = max((len(time.replace(",", ".").partition(".")[2]) for time in times), default=0)
    return clocks.Clock("relative", 10.0**-decimals, "time", 1.0, None, None)


def _value(form: str, time: str) -> object:
    """A time of day or of a year in seconds; else what the clock reads."""
    time = time.replace(",", ".")
    if form == "number":
        return float(time) if "." in time else int(time)
    if form == "day":
        hours, minutes, seconds = time.split(":")
        return int(hours) * 3600 + int(minutes) * 60 + float(seconds)
    if form == "syslog":
        try:
            # Of a leap year, so that each day of it exists.
            moment = datetime.strptime(f"2024 {time}", "%Y %b %d %H:%M:%S").replace(tzinfo=UTC)
        except ValueError:
            return NO_TIME
        return (moment - datetime(2024, 1, 1, tzinfo=UTC)).total_seconds()
    return time


def _entries(lines: Iterable[bytes], form: str | None, clock: clocks.Clock, progress: Progress) -> Iterator[Entry]:
    around = {"day": DAY_S, "syslog": YEAR_S}.get(form or "", 0.0)
    turns, latest = 0.0, NO_TIME
    for number, line in enumerate(lines, 1):
        progress.lines = number
        found = _taken_apart(line.decode(errors="replace"))
        if found is None:
            if line is SKIPPED:
                yield skipped(number)
            continue
        time = NO_TIME
        if form is not None and found.form == form:
            time = clock.seconds({clock.key or "time": _value(form, found.time)}) + turns
            if around and latest - time > around / 2:  # midnight, or the new year
                turns += around
                time += around
            latest = time if time == time else latest  # noqa: PLR0124  (NaN)
        yield Entry(number, time, found.word, found.body, len(line))
