"""`tck-report`: the report of a conformance suite, with a transcript for each test that failed."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from replaylint.errors import RecordingError
from replaylint.recording.clock import Clock
from replaylint.recording.document import Document, entries_of, look
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import CERTAIN
from replaylint.recording.message import NO_TIME, Lost

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.document import Part
    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "tck-report"
EXAMPLE: Final = '{"requirements":[{"tests":[{"transcript":[{"dir":"sent","t":…,"raw":"{…}"}, …]}]}], …}'

_REQUIREMENTS: Final = "requirements"
_TESTS: Final = "tests"
_TRANSCRIPT: Final = "transcript"
_NAME: Final = b'"nodeid"'
_CLOCK: Final = Clock("relative", 1e-6, "t", 1.0, None, None)
_GAP: Final = "gap"
_COUNT: Final = re.compile(r"[1-9][0-9]{0,8}")


def sniff(head: Head) -> int:
    """Its object has its own keys, nested."""
    keys, _ = look(head, _REQUIREMENTS)
    within = all(f'"{key}"'.encode() in head.document for key in (_TESTS, _TRANSCRIPT))
    return CERTAIN if _REQUIREMENTS.encode() in keys and within else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """The transcripts, each a connection."""
    return reading(_entries(lines, progress), _CLOCK, progress, many_per_line=True)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    document = Document.of(lines)
    progress.lines = document.lines
    seen: set[int] = set()
    for number, test in enumerate(document.elements(_REQUIREMENTS, _TESTS)):
        # A test is listed under each of its requirements, but it ran once.
        same = _identity(document, test)
        if same is None or same not in seen:
            for entry in entries_of(document.within(test, _TRANSCRIPT), _entry):
                yield entry._replace(conn=number)
        if same is not None:
            seen.add(same)


def _identity(document: Document, test: int) -> int | None:
    """What tells this test from others; None where it has no name, or no end."""
    with suppress(RecordingError):
        data = document.part(test).data
        return hash(data) if _NAME in data else None
    return None


def _entry(record: dict[str, object], part: Part) -> Entry | None:
    """The report cuts long messages, and says where it left some out: both are losses of the recorder."""
    text, word = record.get("raw"), record.get("dir")
    if _GAP in record or _GAP in record.values():
        count = _COUNT.search(" ".join(str(record.get(key)) for key in (_GAP, "count", "raw")))
        return Entry(part.line, NO_TIME, None, Lost(int(count[0]) if count is not None else 1), len(part.data))
    if not isinstance(text, str):
        return None
    is_cut = text.lstrip().startswith(("{", "[")) and text.rstrip().endswith(("...", "…"))
    word = word if isinstance(word, str) else None
    return Entry(part.line, _CLOCK.seconds(record), word, Lost(1) if is_cut else text, len(text.encode()))
