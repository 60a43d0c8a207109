"""`conductor-trace`: the trace of a conductor, in Rust or TypeScript, of which the hop next to the client counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording import clock as clocks
from replaylint.recording.entries import LEFT_OUT, Entry, noted, on_lines, reading, record_in

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
_BEFORE_THE_FIRST: Final = "proxy[-1]"
"""What the conductor in TypeScript calls the client where it counts components down."""


def _hop(record: dict[str, object]) -> dict[str, object] | None:
    """The record as the Rust conductor writes it, with the ends in lower case; None where it is no hop."""
    message = record.get("message")
    dispatch = message.get("dispatch") if isinstance(message, dict) else None
    if isinstance(dispatch, dict):
        outcome = {"is_error": "error" in dispatch, "payload": dispatch.get("error", dispatch.get("result"))}
        record = {**outcome, **dispatch, "from": record.get("source"), "to": record.get("target")}
    ends = [record.get(end) for end in ("from", "to")]
    if record.get("type") not in _TYPES or not all(isinstance(end, str) for end in ends):
        return None
    one, other = (_CLIENT if end == _BEFORE_THE_FIRST else end for end in (str(end).lower() for end in ends))
    return {**record, "from": one, "to": other}


def sniff(head: Head) -> int:
    """How many records have its ends and types, and one more: they look like another format, too."""
    count = sum(_hop(record) is not None for record in head.records)
    return count and count + 1


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """What the client sent and received. Behind proxies the conductor saw it in another order than the client."""
    clock = clocks.choose(head.records)
    hops = [hop for hop in map(_hop, head.records) if hop is not None]
    proxies = any(_PROXY in str(hop[end]) for hop in hops for end in ("from", "to"))
    found = reading(_entries(lines, clock, progress), clock, progress, relative=False)
    return found._replace(order="approximate" if proxies else "exact")


def _entries(lines: Iterable[bytes], clock: clocks.Clock, progress: Progress) -> Iterator[Entry]:
    others: set[str] = set()
    """The ids of pending requests of other protocols: a response does not name its protocol."""

    def entry(number: int, line: bytes) -> Entry | None:
        record = record_in(line)
        if not isinstance(record, dict):
            return noted(number, record, len(line))
        hop = _hop(record)
        if hop is None:
            return None
        if _CLIENT not in (hop["from"], hop["to"]):
            return LEFT_OUT
        ident = repr(hop.get("id"))
        if hop.get("protocol") not in _PROTOCOLS:
            others.add(ident)
            return LEFT_OUT
        if "method" not in hop and ident in others:
            others.discard(ident)
            return LEFT_OUT
        word = "c2a" if hop["from"] == _CLIENT else "a2c"
        return Entry(number, clock.seconds(record), word, _message(hop), len(line))

    return on_lines(lines, progress, entry)


def _message(record: dict[str, object]) -> dict[str, object]:
    """The message as it was on the wire: the trace has null for missing parameters."""
    message: dict[str, object] = {"jsonrpc": "2.0"}
    if "method" in record:
        return message | {key: record[key] for key in ("id", "method", "params") if record.get(key) is not None}
    return {**message, "id": record.get("id"), "error" if record.get("is_error") else "result": record.get("payload")}
