"""`lsp-trace`: the message log of editors' language clients, each record often behind a log's own prefix."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replaylint.recording import clock as clocks
from replaylint.recording.entries import Entry, noted, on_lines, reading, record_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.message import Note
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "lsp-trace"
EXAMPLE: Final = '[Trace - 10:00:00] {"isLSPMessage":true,"type":"send-request","message":{…},"timestamp":…}'

_MARK: Final = re.compile(rb'\{\s*"isLSPMessage"\s*:')
_WORDS: Final = {"send": "sent", "receive": "received"}


def sniff(head: Head) -> int:
    """How many lines hold one of its records, and one more: they look like another format, too."""
    count = len(_records(head))
    return count and count + 1


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The records of the log; its other lines are left out."""
    clock = clocks.choose(_records(head))
    return reading(_entries(lines, clock, progress), clock, progress)


def _records(head: Head) -> list[dict[str, object]]:
    return [record for record in map(_record, head.lines) if isinstance(record, dict)]


def _record(line: bytes) -> dict[str, object] | Note | None:
    mark = _MARK.search(line)
    return record_in(line[mark.start() :]) if mark is not None else None


def _entries(lines: Iterable[bytes], clock: clocks.Clock, progress: Progress) -> Iterator[Entry]:
    def entry(number: int, line: bytes) -> Entry | None:
        record = _record(line)
        if not isinstance(record, dict):
            return noted(number, record, len(line))
        body, word = record.get("message"), _WORDS.get(str(record.get("type")).partition("-")[0])
        if not isinstance(body, dict | list | str):
            return None
        return Entry(number, clock.seconds(record), word, body, len(line))

    return on_lines(lines, progress, entry)
