"""`conductor-trace`: the trace of the Rust conductor, of which the hop next to the client counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording import clock as clocks
from replaylint.recording.entries import Entry, reading
from replaylint.recording.message import NO_TIME, NoMessage
from replaylint.recording.reading import unparsed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "conductor-trace"
EXAMPLE: Final = '{"type":"request","ts":0.01,"protocol":"acp","from":"Client","to":"Agent","id":"…",…}'

_CLIENT: Final = "client"
_PROXY: Final = "proxy"
_TYPES: Final = ("request", "response", "notification", "trace")


def _is_record(record: dict[str, object]) -> bool:
    ends = isinstance(record.get("from"), str) and isinstance(record.get("to"), str)
    return ends and record.get("type") in _TYPES


def sniff(head: Head) -> int:
    """How many records have its ends and types; more than for what else they look like."""
    count = sum(map(_is_record, head.records))
    return count and count + 1


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """What the client sent and received. Behind proxies the conductor saw it in another order than the client."""
    clock = clocks.choose(head.records)
    proxies = any(_PROXY in str(record.get(end)).lower() for record in head.records for end in ("from", "to"))
    found = reading(_entries(lines, clock, progress), clock, progress, relative=False)
    return found._replace(order="approximate" if proxies else "exact")


def _entries(lines: Iterable[bytes], clock: clocks.Clock, progress: Progress) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        progress.lines = number
        try:
            record = loads(line)
        except ValueError:
            if (note := unparsed(line, wire=False)) is not None:
                yield Entry(number, NO_TIME, None, note, len(line))
            continue
        if not isinstance(record, dict):
            yield Entry(number, NO_TIME, None, NoMessage(wire=False), len(line))
            continue
        sender, receiver = (str(record.get(end)).lower() for end in ("from", "to"))
        if not _is_record(record) or record.get("protocol") not in {None, "acp"} or _CLIENT not in {sender, receiver}:
            continue
        word = "c2a" if sender == _CLIENT else "a2c"
        yield Entry(number, clock.seconds(record), word, _message(record), len(line))


def _message(record: dict[str, object]) -> dict[str, object]:
    message: dict[str, object] = {"jsonrpc": "2.0"}
    if "id" in record:
        message["id"] = record["id"]
    if "method" in record:
        return {**message, "method": record["method"], "params": record.get("params")}
    return {**message, "error" if record.get("is_error") else "result": record.get("payload")}
