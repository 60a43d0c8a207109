"""`array`: one JSON array whose elements are what another format has on its lines."""

from __future__ import annotations

import re
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording.document import Document
from replaylint.recording.formats import BLOCK, RECORDS, Head, best, family
from replaylint.recording.source import RecordingError, failing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.document import Part
    from replaylint.recording.message import Message
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "array"
EXAMPLE: Final = '[{"jsonrpc":"2.0",…}, {"jsonrpc":"2.0",…}, …]'

HEAD_PARTS: Final = 50

_BEGINS: Final = re.compile(rb"\[\s*\{")


def sniff(head: Head) -> int:
    """An array over several lines, or the only line that there is."""
    alone = len(head.lines) == 1 or not head.records
    return BLOCK - 1 if alone and _BEGINS.match(head.start) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The elements, read as lines of the format that they look like; each keeps the line on which it begins."""
    document = Document(lines)
    parts: Iterator[Part] = document.parts()
    first: list[Part] = []
    try:
        for part in parts:
            first.append(part)
            if len(first) == HEAD_PARTS:
                break
    except RecordingError as error:
        if not first:
            raise
        parts = failing(error)
    head = Head([part.text.encode() for part in first], _objects(first))
    begins: list[int] = []
    found = best(family(RECORDS), head)
    if found is None:
        raise RecordingError("not-a-recording", "is an array, but not of messages or records of them", 1)
    inner = found.read(_lines(chain(first, parts), begins), head, progress)
    return inner._replace(messages=_placed(inner.messages, begins, document, progress))


def _objects(parts: Iterable[Part]) -> list[dict[str, object]]:
    objects = []
    for part in parts:
        with suppress(ValueError):
            objects.append(loads(part.text))
    return [each for each in objects if isinstance(each, dict)]


def _lines(parts: Iterable[Part], begins: list[int]) -> Iterator[bytes]:
    for part in parts:
        begins.append(part.line)
        yield part.text.encode()


def _placed(
    messages: Iterator[Message], begins: list[int], document: Document, progress: Progress
) -> Iterator[Message]:
    try:
        for number, time, side, body, size in messages:
            yield begins[number - 1], time, side, body, size
    finally:
        progress.lines = document.lines
