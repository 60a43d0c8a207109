"""`zed`: what Zed's view of the protocol exports: one array, without times; a response has its outcome in `params`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.clock import NO_CLOCK
from replaylint.recording.document import Document, entries_of, look
from replaylint.recording.entries import Entry, reading, record_in
from replaylint.recording.formats import CERTAIN
from replaylint.recording.message import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.document import Part
    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "zed"
EXAMPLE: Final = '[{"_direction":"outgoing","_type":"request","id":0,"method":"initialize","params":{…}}, …]'

_KEY: Final = "_direction"
_OTHER: Final = {"outgoing": "incoming", "incoming": "outgoing"}
_UNRECOGNIZED: Final = (None, "[unrecognized response]")
"""The method of a response whose request is not in the view."""


def sniff(head: Head) -> int:
    """Its array begins with an entry that has its key for directions, and is no message by itself."""
    _, first = look(head)
    record = record_in(first.data) if first is not None else None
    return CERTAIN if isinstance(record, dict) and is_entry(record) else 0


def is_entry(record: dict[str, object]) -> bool:
    """Whether this is an entry of the view."""
    return _KEY in record and "jsonrpc" not in record


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """The entries of the array, as the messages that they were."""
    return read_parts(_parts(lines, progress), progress)


def read_parts(parts: Iterable[Part], progress: Progress) -> Reading:
    """The same of entries that were found otherwise."""
    return reading(_entries(parts), NO_CLOCK, progress, many_per_line=True)


def _parts(lines: Iterable[bytes], progress: Progress) -> Iterator[Part]:
    document = Document.of(lines)
    progress.lines = document.lines
    yield from document.parts()


def _entries(parts: Iterable[Part]) -> Iterator[Entry]:
    pending: dict[tuple[str, str], object] = {}
    """The methods of requests, by their ids and directions."""

    def entry(record: dict[str, object], part: Part) -> Entry | None:
        word = record.get(_KEY)
        if not isinstance(word, str) or word not in _OTHER:
            return None  # stderr
        return Entry(part.line, NO_TIME, word, {"jsonrpc": "2.0", **_message(record, word, pending)}, len(part.data))

    yield from entries_of(parts, entry)


def _message(record: dict[str, object], word: str, pending: dict[tuple[str, str], object]) -> dict[str, object]:
    """The id and the method say what it is: a response has the method of its request. Where both are new, the type."""
    ident, method, outcome = record.get("id"), record.get("method"), record.get("params")
    parameters = {} if outcome is None else {"params": outcome}
    if ident is None and method not in _UNRECOGNIZED:
        return {"method": method, **parameters}
    request = repr(ident), _OTHER[word]
    if pending.get(request) != method and method not in _UNRECOGNIZED and record.get("_type") != "response":
        pending[repr(ident), word] = method
        return {"id": ident, "method": method, **parameters}
    pending.pop(request, None)
    is_error = isinstance(outcome, dict) and isinstance(outcome.get("code"), int) and "message" in outcome
    return {"id": ident, "error" if is_error else "result": outcome}
