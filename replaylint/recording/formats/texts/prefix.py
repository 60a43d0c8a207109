"""`prefix`: a time, a direction or both stand in a short text before the JSON, as `ts` and many loggers write it."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.recording import clock as clocks
from replaylint.recording import directions
from replaylint.recording.entries import Entry, on_lines, reading
from replaylint.recording.fragments import MAX_PREFIX_BYTES, begins_at, message_at_end
from replaylint.recording.message import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.entries import Json
    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "prefix"
EXAMPLE: Final = '[SEND] {"jsonrpc":"2.0",…}'

_DAY_S: Final = 86_400
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS_BEFORE: Final = dict(zip(_MONTHS, accumulate((0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30)), strict=True))
"""In a year without a leap day."""
_AROUND_S: Final = {"day": _DAY_S, "syslog": 365 * _DAY_S}
"""How long until these times start again from zero."""


def _any_of(words: Iterable[str]) -> bytes:
    return b"|".join(re.escape(word.encode()) for word in sorted(words, key=len, reverse=True))


_TIME: Final = re.compile(
    rb"\s*\[?(?:(?P<iso>\d{4}([-/])\d\d\2\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,12})?(?:Z|[+-]\d\d:?\d\d)?)"
    rb"|(?P<day>\d\d:\d\d:\d\d(?:[.,]\d{1,12})?)"
    rb"|(?P<syslog>(?:" + _any_of(_MONTHS) + rb") [ \d]\d \d\d:\d\d:\d\d)"
    rb"|[+]?(?P<number>\d{1,12}[.]\d{1,12}|\d{10,20})s?)\]?(?=[\s:]|\Z)"
)
_WORDS: Final = _any_of(directions.SIDES)
_SIGNS: Final = _any_of(word for word in directions.SIDES if not word.isalpha())
_VERBS: Final = _any_of(word for word in directions.RELATIVE_WORDS if word.isalpha() and len(word) > len("out"))
_MARKS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # Right before the message; at the beginning; or anywhere, if it is no word of a language.
        rb"(?:\[(?P<box>" + _WORDS + rb")\]|(?<!\S)(?P<label>" + _WORDS + rb"):)\s*\Z",
        rb"\A\s*\[(?P<first>" + _WORDS + rb")\]",
        rb"(?<!\S)(?P<sign>" + _SIGNS + rb")(?!\S)",
        # A sentence, or nothing else.
        rb"\A\s*(?:(?P<verb>" + _VERBS + rb")\b|(?P<alone>" + _WORDS + rb")\s*\Z)",
    )
)
_SIGN: Final = _MARKS[2]
_NO_HEADER: Final = (b" ", b"\t", b"}", b"]", b"{", b'"')
"""How lines of indented JSON begin."""
_BLANKS: Final = b" \t"
_SPOKEN: Final = {"box", "label", "first", "sign"}
"""Behind such a mark stands what a side wrote, whatever it is; behind others only what is a message."""


class _Line(NamedTuple):
    """The parts of a line: the kind of its time and the time, the direction as written and as a word."""

    form: str | None
    time: str
    mark: bytes
    word: str | None
    bare: bool
    """Nothing else is before the direction, or without one before the body."""
    body: bytes | Json
    """Parsed, if it is a message."""


class _Shape(NamedTuple):
    """What most messages of a recording have before them: a kind of time, a direction, and whether that is all."""

    form: str | None
    marks: frozenset[bytes]
    any_mark: re.Pattern[bytes]
    bare: bool


def sniff(head: Head) -> int:
    """How many lines are a message behind a text: a time, a direction, or anything."""
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
    """What a side wrote on this line: a message, or what stands where messages do; None where it is the log's own."""
    found = _message(line)
    if found is not None:
        return found
    if shape.bare and not shape.marks:  # whatever has such a time was on the wire
        begins = _TIME.match(line[:MAX_PREFIX_BYTES])
    else:
        begins = shape.any_mark.search(line, 0, MAX_PREFIX_BYTES) if shape.marks else None
    if begins is None:
        return None
    found = _divided(line, begins.end())._replace(body=line[begins_at(line, begins.end()) :].lstrip(_BLANKS))
    return found if found.form == shape.form and found.bare >= shape.bare else None


def _messages(head: Head) -> list[_Line]:
    # A line that begins with JSON may be a whole document.
    lines = (_message(line) for line in head.lines if not line.lstrip().startswith((b"{", b"[{")))
    return [line for line in lines if line is not None]


def _message(line: bytes) -> _Line | None:
    """The line with the message that it ends with."""
    found = message_at_end(line)
    if found is None:
        return None
    at, message = found
    return _divided(line, at)._replace(body=message)


def _divided(line: bytes, at: int) -> _Line:
    """The parts of this line, whose body begins at this offset."""
    form, text, before = None, "", line[:at]
    if (time := _TIME.match(before)) is not None:
        form = time.lastgroup
        text, before = time[form or 0].decode(), before[time.end() :]
    body = line[at:].lstrip(_BLANKS)
    for pattern in _MARKS:
        found = pattern.search(before)
        if found is not None:
            kind = found.lastgroup or ""
            mark = found[0].strip() if kind in _SPOKEN else b""
            return _Line(form, text, mark, found[kind].decode().lower(), not before[: found.start()].strip(), body)
    return _Line(form, text, b"", None, not before.strip(), body)


def is_header(line: bytes) -> bool:
    """Whether this line, which has no message on it, says that one comes: with an arrow, or with a time and a side."""
    if line.startswith(_NO_HEADER):
        return False
    parts = _divided(line.rstrip(), MAX_PREFIX_BYTES)
    return bool(parts.mark) and (parts.form is not None or _SIGN.search(line) is not None)


def _clock(lines: list[_Line]) -> clocks.Clock:
    """The clock of these lines, which all have the same kind of time."""
    clock = clocks.choose([{"time": _value(line)} for line in lines if line.form is not None])
    if clock.key is None or clock.parse is not None:
        return clock
    decimals = max(len(line.time.replace(",", ".").partition(".")[2]) for line in lines)
    granularity_s = max(clocks.MIN_RESOLUTION_S, 10.0**-decimals * clock.scale)
    return clock._replace(granularity_s=granularity_s, certain=True)


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
