"""`tck-report`: the report of a conformance suite, with a transcript for each of its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording.clock import Clock
from replaylint.recording.document import Document
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import BLOCK
from replaylint.recording.message import NO_TIME, Lost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.document import Part
    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "tck-report"
EXAMPLE: Final = '{"requirements":[{"tests":[{"transcript":[{"dir":"sent","t":…,"raw":"{…}"}, …]}]}], …}'

_MARKS: Final = (b'"requirements"', b'"tests"', b'"transcript"')
_CLOCK: Final = Clock("relative", 1e-6, None, 1.0, None, None)


def sniff(head: Head) -> int:
    """Its object begins with its own keys."""
    return BLOCK if head.start.startswith(b"{") and all(mark in head.start for mark in _MARKS) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """The transcripts, each a connection."""
    return reading(_entries(lines, progress), _CLOCK, progress, relative=False)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    document = Document(lines)
    progress.lines = document.lines
    for part in document.parts("requirements", "tests", "transcript"):
        yield _entry(part)


def _entry(part: Part) -> Entry:
    """The report cuts long messages, and says where it left some out: both are losses, and nobody's fault."""
    size = len(part.text.encode())
    try:
        record = loads(part.text)
        text = record["raw"]
        body = loads(text)
        time, word = record.get("t"), record.get("dir")
    except (ValueError, LookupError, TypeError, AttributeError):
        return Entry(part.line, NO_TIME, None, Lost(1), size, part.array)
    time = float(time) if isinstance(time, int | float) else NO_TIME
    word = word if isinstance(word, str) else None
    return Entry(part.line, time, word, body if isinstance(body, dict | list) else text, len(text), part.array)
