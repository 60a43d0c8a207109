"""`acp-devtools`: what the tool of that name exports: a document with the messages of one session of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording.clock import Clock
from replaylint.recording.document import Document
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import BLOCK
from replaylint.recording.message import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "acp-devtools"
EXAMPLE: Final = '{"version":1,"tool":{…},"session":{…},"messages":[{"direction":"editor-to-agent",…}, …]}'

_MARKS: Final = (b'"version"', b'"tool"', b'"session"', b'"messages"')
_CLOCK: Final = Clock("wall", 1e-3, None, 1.0, None, None)


def sniff(head: Head) -> int:
    """Its object begins with its own keys."""
    return BLOCK if head.start.startswith(b"{") and all(mark in head.start for mark in _MARKS) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """Its messages, byte for byte where it has them so."""
    return reading(_entries(lines, progress), _CLOCK, progress, relative=False)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    document = Document(lines)
    progress.lines = document.lines
    for part in document.parts("messages"):
        size = len(part.text.encode())
        try:
            record = loads(part.text)
        except ValueError:
            yield Entry(part.line, NO_TIME, None, part.text, size)
            continue
        if not isinstance(record, dict):
            continue
        body = next((record[key] for key in ("raw", "payload") if record.get(key) is not None), None)
        time, word = record.get("timestamp"), record.get("direction")
        if isinstance(body, str | dict | list):
            yield Entry(
                part.line,
                time / 1000 if isinstance(time, int | float) else NO_TIME,
                word if isinstance(word, str) else None,
                body,
                len(body.encode()) if isinstance(body, str) else size,
            )
