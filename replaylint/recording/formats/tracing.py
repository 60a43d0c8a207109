"""`tracing`: a logging framework's record a line, whose fields hold the frame as a text beside words on its way."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from replaylint.recording import clock as clocks
from replaylint.recording import directions
from replaylint.recording.entries import Entry, noted, on_lines, reading, record_in
from replaylint.recording.fragments import message_at_end

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.entries import Json
    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "tracing"
EXAMPLE: Final = '{"timestamp":"…","level":"TRACE","fields":{"message":"Sending …","frame":"{…}"}}'

_FIELDS: Final = "fields"
_WORD: Final = re.compile(r"[\w>-]+|[^\w\s]+")


def sniff(head: Head) -> int:
    """How many records hold a message in their fields."""
    if not any(isinstance(record.get(_FIELDS), dict) for record in head.records):
        return 0
    return sum(_frame(_texts(line)) is not None for line in head.lines if b'"fields"' in line)


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The frames; records without one are the program's own."""
    clock = clocks.choose(head.records)
    return reading(_entries(lines, clock, progress), clock, progress)


def _entries(lines: Iterable[bytes], clock: clocks.Clock, progress: Progress) -> Iterator[Entry]:
    def entry(number: int, line: bytes) -> Entry | None:
        record = record_in(line)
        if not isinstance(record, dict):
            return noted(number, record, len(line))
        found = _frame(_texts(line))
        if found is None:
            return None
        word, frame = found
        return Entry(number, clock.seconds(record), word, frame, len(line))

    return on_lines(lines, progress, entry)


def _texts(line: bytes) -> list[str]:
    """The texts in the fields, also where several have one key: a parser keeps only the last of these."""
    try:
        record = json.loads(line, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return []
    fields = [value for key, value in _pairs(record) if key == _FIELDS]
    return [value for each in fields for _, value in _pairs(each) if isinstance(value, str)]


def _pairs(value: object) -> list[tuple[str, object]]:
    """The members of what was an object."""
    return [each for each in value if isinstance(each, tuple)] if isinstance(value, list) else []


def _frame(texts: list[str]) -> tuple[str | None, Json] | None:
    """The first message in these texts, behind the first word about its direction, which may stand before it."""
    for text in texts:
        found = message_at_end(text.encode(errors="replace"))
        if found is not None:
            at, message = found
            before = [each for each in texts if each is not text]
            before.append(text.encode(errors="replace")[:at].decode(errors="replace"))
            words = (word.lower() for each in before for word in _WORD.findall(each[:200]))
            return next((word for word in words if directions.side_of(word) is not None), None), message
    return None
