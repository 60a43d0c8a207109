"""`conductor-trace`: the trace of the Rust conductor, of which the hop next to the client counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording import clock as clocks
from replaylint.recording.entries import Entry, noted, on_lines, reading, record_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "conductor-trace"
EXAMPLE: Final = '{"type":"request","ts":0.01,"protocol":"acp","from":"Client","to":"Agent","id":"…",…}'

_CLIENT: Final = "client"
_PROXY: Final = "proxy"
_TYPES: Final = ("request", "response", "notification", "trace")
_PROTOCOLS: Final = (None, "acp")


def _is_record(record: dict[str, object]) -> bool:
    return record.get("type") in _TYPES and all(isinstance(record.get(end), str) for end in ("from", "to"))


def sniff(head: Head) -> int:
    """How many records have its ends and types, and one more: they look like another format, too."""
    count = sum(map(_is_record, head.records))
    return count and count + 1


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """What the client sent and received. Behind proxies the conductor saw it in another order than the client."""
    clock = clocks.choose(head.records)
    proxies = any(_PROXY in str(record.get(end)).lower() for record in head.records for end in ("from", "to"))
    found = reading(_entries(lines, clock, progress), clock, progress, relative=False)
    return found._replace(order="approximate" if proxies else "exact")


def _entries(lines: Iterable[bytes], clock: clocks.Clock, progress: Progress) -> Iterator[Entry]:
    others: set[str] = set()
    """The ids of pending requests of other protocols: a response does not name its protocol."""

    def entry(number: int, line: bytes) -> Entry | None:
        record = record_in(line)
        if not isinstance(record, dict):
            return noted(number, record, len(line))
        ends = [str(record.get(end)).lower() for end in ("from", "to")]
        if not _is_record(record) or _CLIENT not in ends:
            return None
        ident = repr(record.get("id"))
        if record.get("protocol") not in _PROTOCOLS:
            others.add(ident)
            return None
        if "method" not in record and ident in others:
            others.discard(ident)
            return None
        word = "c2a" if ends[0] == _CLIENT else "a2c"
        return Entry(number, clock.seconds(record), word, _message(record), len(line))

    return on_lines(lines, progress, entry)


def _message(record: dict[str, object]) -> dict[str, object]:
    """The message as it was on the wire: the trace has null for missing parameters."""
    message: dict[str, object] = {"jsonrpc": "2.0"}
    if "method" in record:
        return message | {key: record[key] for key in ("id", "method", "params") if record.get(key) is not None}
    return {**message, "id": record.get("id"), "error" if record.get("is_error") else "result": record.get("payload")}
