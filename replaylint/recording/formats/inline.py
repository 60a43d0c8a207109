"""`inline`: the direction, and perhaps a time, stand beside `jsonrpc` in the message object itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording import directions
from replaylint.recording.formats import envelope
from replaylint.recording.message import is_jsonrpc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "inline"
EXAMPLE: Final = '{"dir":"out","jsonrpc":"2.0","id":0,"method":"initialize","params":{…}}'


def sniff(head: Head) -> int:
    """How many records are messages with a direction."""
    records = head.records
    key = directions.find_key(records)
    messages = [record for record in records if is_jsonrpc(record) and not envelope.has_body(record)]
    known = sum(directions.side_of(record.get(key)) is not None for record in messages if key is not None)
    # A few unknown directions do not make the recording a raw one.
    return len(messages) if 2 * known > len(messages) else known


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """One message a line; the recorder's keys stay in it, where no rule looks."""
    return envelope.read_records(lines, head, progress, body_key=None)
