"""`prefix`: a time, a direction or both stand in a short text before the JSON, as `ts` and many loggers write it."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from orjson import loads

from replaylint.recording import clock as clocks
from replaylint.recording import directions
from replaylint.recording.entries import Entry, on_lines, reading
from replaylint.recording.message import NO_TIME, is_jsonrpc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "prefix"
EXAMPLE: Final = '[SEND] {"jsonrpc":"2.0",…}'

MAX_PREFIX_BYTES: Final = 200

_DAY_S: Final = 86_400
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS_BEFORE: Final = dict(zip(_MONTHS, accumulate((0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30)), strict=True))
"""In a year without a leap day."""
_AROUND_S: Final = {"day": _DAY_S, "syslog": 365 * _DAY_S}
"""How long until these times start again from zero."""

_MEMBERS: Final = {"id", "method", "params", "result", "error"}
"""The members of a message. A record without `jsonrpc` that has others is something else."""


def _any_of(words: Iterable[str]) -> bytes:
    return b"|".join(re.escape(word.encode()) for word in sorted(words, key=len, reverse=True))


_JSON: Final = re.compile(rb'(?:\[\s*)?\{\s*"')
_TIME: Final = re.compile(
    rb"\s*\[?(?:(?P<iso>\d{4}([-/])\d\d\2\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,12})?(?:Z|[+-]\d\d:?\d\d)?)"
    rb"|(?P<day>\d\d:\d\d:\d\d(?:[.,]\d{1,12})?)"
    rb"|(?P<syslog>(?:" + _any_of(_MONTHS) + rb") [ \d]\d \d\d:\d\d:\d\d)"
    rb"|(?P<number>\d{1,12}[.]\d{1,12}|\d{10,20}))\]?(?=[\s:]|\Z)"
)
_WORDS: Final = _any_of(directions.SIDES)
_SIGNS: Final = _any_of(word for word in directions.SIDES if not word.isalpha())
_MARKS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Right before the message; at the beginning; or anywhere, if it is no word of a language.
        rb"(?:\[(?P<box>" + _WORDS + rb")\]|(?<!\S)(?P<label>(?:(?:to|from) )?(?:" + _WORDS + rb")):)\s*\Z",
        rb"\A\s*\[(?P<first>" + _WORDS + rb")\]",
        rb"(?<!\S)(?P<sign>" + _SIGNS + rb")(?!\S)",
    )
)


class _Line(NamedTuple):
    """The parts of a line: the kind of its time and the time, the direction as written and as a word."""

    form: str | None
    time: str
    mark: bytes
    word: str | None
    bare: bool
    """Nothing else is before the direction, or without one before the body."""
    body: bytes


class _Shape(NamedTuple):
    """What most messages of a recording have before them: a kind of time, a direction, and whether that is all."""

    form: str | None
    marks: frozenset[bytes]
    any_mark: re.Pattern[bytes]
    bare: bool


def sniff(head: Head) -> int:
    """How many lines are a message behind a time or a direction."""
    return len(_messages(head))


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The messages, and what else a side wrote; other lines, such as comments, are left out."""
    found = _messages(head)
    forms = [line.form for line in found if line.form is not None]
    form = max(forms, key=forms.count, default=None)
    marked = [line.mark for line in found if line.mark]
    marks = frozenset(marked if 2 * len(marked) >= len(found) else ())
    any_mark = re.compile(rb"(?<!\S)(?:" + b"|".join(map(re.escape, sorted(marks))) + rb")(?!\S)")
    shape = _Shape(form, marks, any_mark, 2 * sum(line.bare for line in found) > len(found))
    clock = _clock([line for line in found if line.form == form])
    relative = any(directions.is_relative(line.word) for line in found)
    return reading(_entries(lines, shape, clock, progress), clock, progress, relative=relative)


def _entries(lines: Iterable[bytes], shape: _Shape, clock: clocks.Clock, progress: Progress) -> Iterator[Entry]:
    around = _AROUND_S.get(shape.form or "", 0)
    turns, latest = 0, NO_TIME

    def entry(number: int, line: bytes) -> Entry | None:
        nonlocal turns, latest
        found = _spoken(line, shape)
        if found is None:
            return None
        time = NO_TIME
        if found.form is not None and found.form == shape.form:
            time = clock.seconds({"time": _value(found)}) + turns
            if around and latest - time > around / 2:  # midnight, or the new year
                turns += around
                time += around
            latest = time if time == time else latest  # noqa: PLR0124  (NaN)
        return Entry(number, time, found.word, found.body, len(line))

    return on_lines(lines, progress, entry)


def _spoken(line: bytes, shape: _Shape) -> _Line | None:
    """What a side wrote on this line; None where the line is the log's own."""
    if shape.bare and not shape.marks:  # whatever has such a time was on the wire
        time = _TIME.match(line[:MAX_PREFIX_BYTES])
        found = _divided(line, time.end()) if time is not None else None
    else:
        found = _before_json(line)
        if found is None or found.mark not in shape.marks:
            if found is not None and bool(found.mark) == bool(shape.marks) and _is_message(found.body):
                return found
            mark = shape.any_mark.search(line, 0, MAX_PREFIX_BYTES) if shape.marks else None
            found = _divided(line, mark.end()) if mark is not None else None
    if found is None or (found.form == shape.form and found.bare >= shape.bare):
        return found
    return found if _is_message(found.body) else None


def _messages(head: Head) -> list[_Line]:
    lines = [line for line in map(_before_json, head.lines) if line is not None]
    return [line for line in lines if (line.form or line.mark) and _is_message(line.body)]


def _before_json(line: bytes) -> _Line | None:
    """The line with its JSON as the body, if a short text is before that."""
    begins = _JSON.search(line, 0, MAX_PREFIX_BYTES)
    return _divided(line, begins.start()) if begins is not None and begins.start() else None


def _divided(line: bytes, at: int) -> _Line:
    """The parts of this line, whose body begins at this offset."""
    form, text, before = None, "", line[:at]
    if (time := _TIME.match(before)) is not None:
        form = time.lastgroup
        text, before = time[form or 0].decode(), before[time.end() :]
    body = line[at:].lstrip(b" \t")
    for pattern in _MARKS:
        found = pattern.search(before)
        word = found[found.lastgroup or 0].decode().lower().replace(" ", "_") if found is not None else None
        if found is not None and directions.side_of(word) is not None:
            return _Line(form, text, found[0].strip(), word, not before[: found.start()].strip(), body)
    return _Line(form, text, b"", None, not before.strip(), body)


def _is_message(body: bytes) -> bool:
    """Whether this is a message, and not just any JSON."""
    try:
        message = loads(body)
    except ValueError:
        return False
    records = [each for each in (message if isinstance(message, list) else [message]) if isinstance(each, dict)]
    return any(
        "jsonrpc" in each or (is_jsonrpc(each) and _MEMBERS.issuperset(each) and len(each) > 1) for each in records
    )


def _clock(lines: list[_Line]) -> clocks.Clock:
    """The clock of these lines, which all have the same kind of time."""
    clock = clocks.choose([{"time": _value(line)} for line in lines if line.form is not None])
    if clock.key is None or clock.parse is not None:
        return clock
    decimals = max(len(line.time.replace(",", ".").partition(".")[2]) for line in lines)
    return clock._replace(resolution_s=max(clocks.MIN_RESOLUTION_S, 10.0**-decimals * clock.scale))


def _value(line: _Line) -> object:
    """The time of this line: seconds of the day or of the year; else as the clock reads it."""
    time = line.time.replace(",", ".")
    if line.form == "iso":
        return time.replace("/", "-")
    if line.form == "number":
        return float(time) if "." in time else int(time)
    *date, clock_time = time.split()
    days = _DAYS_BEFORE[date[0]] + int(date[1]) - 1 if date else 0
    hours, minutes, seconds = clock_time.split(":")
    return days * _DAY_S + int(hours) * 3600 + int(minutes) * 60 + float(seconds)
