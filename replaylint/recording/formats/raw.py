"""`raw`: JSON-RPC messages as they were on the wire, both ways in one stream, without times or directions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from orjson import loads

from replaylint.recording.clock import NO_CLOCK
from replaylint.recording.ids import restore
from replaylint.recording.message import NO_TIME, DropsReplays, NoMessage, is_jsonrpc
from replaylint.recording.parsing import parse
from replaylint.recording.reading import MIN_BYTES, Reading, unparsed
from replaylint.recording.weight import MAX_UNWEIGHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from replaylint.recording.formats import Head
    from replaylint.recording.message import Message
    from replaylint.recording.reading import Progress

NAME: Final = "raw"
EXAMPLE: Final = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{…}}'

INITIALIZE: Final = "initialize"
ACPX: Final = "acpx"
LAST_VERSION_THAT_DROPS: Final = (0, 19)
MAX_VERSION_CHARS: Final = 100
JOURNAL: Final = "acpx."


def sniff(head: Head) -> int:
    """How many records are bare messages."""
    return sum(map(is_jsonrpc, head.records))


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """One message a line. Records of acpx itself between them are left out."""
    return Reading(_messages(lines, progress), NO_CLOCK, {}, relative=False)


def _drops_replays(initialize: Mapping[str, Any]) -> bool:
    """Whether this client records itself without the replayed updates: acpx did up to 0.19."""
    params = initialize.get("params")
    info = (params.get("info") or params.get("clientInfo")) if isinstance(params, dict) else None
    version = info.get("version") if isinstance(info, dict) and info.get("name") == ACPX else None
    if not isinstance(version, str):
        return False
    major, _, rest = version.partition(".")
    minor = rest.partition(".")[0]
    numbers = major.isdecimal() and minor.isdecimal() and len(version) <= MAX_VERSION_CHARS
    return numbers and (int(major), int(minor)) <= LAST_VERSION_THAT_DROPS


def _refused(line: bytes) -> object:
    """What is on a line that orjson refuses: JSON all the same, a note, or None where there is nothing."""
    try:
        body = parse(line)
    except ValueError as error:
        return unparsed(line, error, wire=True, unsaid=True)
    return body if isinstance(body, dict | list) else NoMessage(wire=True)


def _is_acpx_own(record: Mapping[str, Any]) -> bool:
    """Whether acpx says this itself: an entry of its journal, or a line of its standard output."""
    if is_jsonrpc(record):
        return False
    if str(record.get("schema")).startswith(JOURNAL):
        return True
    return isinstance(record.get("action"), str) or (record.get("source") == "agent" and "sessions" in record)


def _messages(lines: Iterable[bytes], progress: Progress) -> Iterator[Message]:
    number = others = 0
    body: Any
    try:
        for line in lines:
            number += 1
            size = len(line)
            if size < MIN_BYTES and line.isspace():
                others += 1
                continue
            try:
                body = loads(line) if size <= MAX_UNWEIGHED else parse(line)
            except ValueError:
                body = _refused(line)
                if body.__class__ not in {dict, list}:
                    others += 1
                    if body is not None:
                        yield number, NO_TIME, None, body, size
                    continue
            if body.__class__ not in {dict, list}:
                others += 1
                yield number, NO_TIME, None, NoMessage(wire=True), size
                continue
            if body.__class__ is dict:
                if "id" in body and body["id"].__class__ is float:
                    restore(body, line)
                if "jsonrpc" not in body and _is_acpx_own(body):
                    others += 1
                    continue
                if body.get("method") == INITIALIZE and _drops_replays(body):
                    yield number, NO_TIME, None, DropsReplays(), 0
            else:
                restore(body, line)
            yield number, NO_TIME, None, body, size
    finally:
        progress.lines = number
        progress.messages = number - others
