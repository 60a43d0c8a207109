"""`zed`: what Zed's view of the protocol exports: one array, without times; a response has its outcome in `params`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording.clock import NO_CLOCK
from replaylint.recording.document import Document
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import BLOCK
from replaylint.recording.message import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.document import Part
    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "zed"
EXAMPLE: Final = '[{"_direction":"outgoing","_type":"request","id":0,"method":"initialize","params":{…}}, …]'

_MARK: Final = b'"_direction"'
_OTHER: Final = {"outgoing": "incoming", "incoming": "outgoing"}


def sniff(head: Head) -> int:
    """Its array begins with an entry that has its key for directions."""
    return BLOCK if head.start.startswith(b"[") and _MARK in head.start else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """The entries of the array, as the messages that they were."""
    return reading(_entries(lines, progress), NO_CLOCK, progress)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    document = Document(lines)
    progress.lines = document.lines
    pending: set[tuple[object, str]] = set()
    for part in document.parts():
        entry = _entry(part, pending)
        if entry is not None:
            yield entry


def _entry(part: Part, pending: set[tuple[object, str]]) -> Entry | None:
    size = len(part.text.encode())
    try:
        record = loads(part.text)
    except ValueError:
        return Entry(part.line, NO_TIME, None, part.text, size)
    word = record.get("_direction") if isinstance(record, dict) else None
    if word not in _OTHER:
        return None  # stderr
    body = {"jsonrpc": "2.0", **_message(record, str(word), pending)}
    return Entry(part.line, NO_TIME, str(word), body, size)


def _message(record: dict[str, object], word: str, pending: set[tuple[object, str]]) -> dict[str, object]:
    """The id and the method say what it is: the view gives a response the method of its request."""
    ident, method, outcome = record.get("id"), record.get("method"), record.get("params")
    if ident is None and method is not None:
        return {"method": method, "params": outcome}
    key = repr(ident)
    if (key, _OTHER[word]) in pending:
        pending.discard((key, _OTHER[word]))
    elif method is not None and record.get("_type") != "response":
        pending.add((key, word))
        return {"id": ident, "method": method, "params": outcome}
    is_error = isinstance(outcome, dict) and isinstance(outcome.get("code"), int) and "message" in outcome
    return {"id": ident, "error" if is_error else "result": outcome}
