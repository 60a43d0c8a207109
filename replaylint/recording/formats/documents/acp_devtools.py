"""`acp-devtools`: what the tool of that name exports: a document with the messages of one session of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.clock import Clock
from replaylint.recording.document import Document, entries_of, look
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import CERTAIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.document import Part
    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "acp-devtools"
EXAMPLE: Final = '{"version":1,"tool":{…},"session":{…},"messages":[{"direction":"editor-to-agent",…}, …]}'

_MESSAGES: Final = "messages"
_KEYS: Final = {b"version", b"tool", b"session", _MESSAGES.encode()}
_CLOCK: Final = Clock("wall", 1e-3, "timestamp", 1e-3, None, None)


def sniff(head: Head) -> int:
    """Its object begins with its own keys."""
    keys, _ = look(head, _MESSAGES)
    return CERTAIN if _KEYS.issubset(keys) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """Its messages, byte for byte where it has them so."""
    return reading(_entries(lines, progress), _CLOCK, progress, relative=False, many_per_line=True)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    document = Document.of(lines)
    progress.lines = document.lines
    yield from entries_of(document.parts(_MESSAGES), _entry)


def _entry(record: dict[str, object], part: Part) -> Entry | None:
    body = next((record[key] for key in ("raw", "payload") if record.get(key) is not None), None)
    if not isinstance(body, str | dict | list):
        return None
    word = record.get("direction")
    size = len(body.encode()) if isinstance(body, str) else len(part.data)
    return Entry(part.line, _CLOCK.seconds(record), word if isinstance(word, str) else None, body, size)
