"""`array`: one JSON array whose elements are what another format has on its lines."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Final

from replaylint.errors import RecordingError
from replaylint.recording.document import Document
from replaylint.recording.entries import record_in
from replaylint.recording.formats import CERTAIN, Family, Head, best, formats_of
from replaylint.recording.source import failing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.document import Part
    from replaylint.recording.message import Message
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "array"
EXAMPLE: Final = '[{"jsonrpc":"2.0",…}, {"jsonrpc":"2.0",…}, …]'

MAX_HEAD_PARTS: Final = 50
MAX_HEAD_BYTES: Final = 1_000_000

_BEGINS: Final = re.compile(rb"\[\s*\{")


def sniff(head: Head) -> int:
    """An array of objects, whatever these are."""
    return CERTAIN - 1 if _BEGINS.match(head.document) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The elements, read as lines of the format that they look like, with their lines in the array."""
    document = Document.of(lines)
    parts = document.parts()
    first: list[Part] = []
    try:
        for part in parts:
            first.append(part)
            if len(first) == MAX_HEAD_PARTS or sum(len(each.data) for each in first) >= MAX_HEAD_BYTES:
                break
    except RecordingError as error:
        if not first:
            raise
        parts = failing(error)
    records = (record_in(part.data) for part in first)
    head = Head([part.data for part in first], [record for record in records if isinstance(record, dict)])
    begins: list[int] = []
    found = best(formats_of(Family.RECORDS), head)
    if found is None:
        raise RecordingError("not-a-recording", "is an array, but not of messages or records of them", 1)
    inner = found.read(_lines(chain(first, parts), begins), head, progress)
    return inner._replace(messages=_placed(inner.messages, begins, document, progress), many_per_line=True)


def _lines(parts: Iterable[Part], begins: list[int]) -> Iterator[bytes]:
    for part in parts:
        begins.append(part.line)
        yield part.data


def _placed(
    messages: Iterator[Message], begins: list[int], document: Document, progress: Progress
) -> Iterator[Message]:
    try:
        for number, time, side, body, size in messages:
            yield begins[number - 1], time, side, body, size
    finally:
        progress.lines = document.lines
