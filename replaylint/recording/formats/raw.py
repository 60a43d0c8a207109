"""`raw`: JSON-RPC messages as they were on the wire, both ways in one stream, without times or directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording.clock import NO_CLOCK
from replaylint.recording.message import NO_TIME, Unreadable
from replaylint.recording.reading import Reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from replaylint.recording.message import Message
    from replaylint.recording.reading import Progress

NAME: Final = "raw"
JOURNAL: Final = "acpx."
BLANK: Final = " \t\r\n\0"
"""What a line may consist of that says nothing: some writers leave NULs behind."""


def is_jsonrpc(record: dict[str, object]) -> bool:
    """Whether this object can be a JSON-RPC message: some recorders leave `jsonrpc` out."""
    if "jsonrpc" in record or isinstance(record.get("method"), str):
        return True
    return "id" in record and ("result" in record or "error" in record)


def sniff(records: Sequence[dict[str, object]]) -> int:
    """How many of these records are bare messages."""
    return sum(map(is_jsonrpc, records))


def read(lines: Iterable[bytes], records: Sequence[dict[str, object]], progress: Progress) -> Reading:  # noqa: ARG001
    """One message a line. acpx writes records of its own between them; they are silent."""
    return Reading(_messages(lines, progress), NO_CLOCK, {}, relative=False)


def _messages(lines: Iterable[bytes], progress: Progress) -> Iterator[Message]:
    number = others = 0
    try:
        for line in lines:
            number += 1
            try:
                body = loads(line)
            except ValueError:
                others += 1
                if text := line.decode(errors="replace").strip(BLANK):
                    yield number, NO_TIME, None, Unreadable(text, wire=True), len(line)
                continue
            if body.__class__ is dict and str(body.get("schema")).startswith(JOURNAL):
                others += 1
                continue
            yield number, NO_TIME, None, body, len(line)
    finally:
        progress.lines = number
        progress.messages = number - others
