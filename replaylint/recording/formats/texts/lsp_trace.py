"""`lsp-trace`: the message log of editors' language clients, each record often behind a log's own prefix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording import clock as clocks
from replaylint.recording.entries import Entry, reading, skipped
from replaylint.recording.message import NO_TIME
from replaylint.recording.source import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "lsp-trace"
EXAMPLE: Final = (
    '[Trace - 10:00:00 AM] {"isLSPMessage":true,"type":"send-request","message":{"jsonrpc":"2.0",…},"timestamp":…}'
)

_MARK: Final = b'{"isLSPMessage":'
_WORDS: Final = {"send": "send", "receive": "received"}


def sniff(head: Head) -> int:
    """How many lines hold one of its records."""
    return sum(_record(line) is not None for line in head.lines)


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The records of the log; its other lines are silent."""
    records = [record for line in head.lines if (record := _record(line)) is not None]
    clock = clocks.choose(records)
    return reading(_entries(lines, clock, progress), clock, progress)


def _record(line: bytes) -> dict[str, object] | None:
    at = line.find(_MARK)
    if at < 0:
        return None
    try:
        record = loads(line[at:])
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _entries(lines: Iterable[bytes], clock: clocks.Clock, progress: Progress) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        progress.lines = number
        record = _record(line)
        if record is None:
            if (at := line.find(_MARK)) >= 0:
                yield Entry(number, NO_TIME, None, line[at:].decode(errors="replace"), len(line))
            elif line is SKIPPED:
                yield skipped(number)
            continue
        body = record.get("message")
        word = _WORDS.get(str(record.get("type")).partition("-")[0])
        if isinstance(body, dict | list | str):
            yield Entry(number, clock.seconds(record), word, body, len(line))
