"""`sequence`: indented JSON, one value behind another, each what another format has on its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.errors import RecordingError
from replaylint.recording.blocks import Place, beginning, blocks, placed
from replaylint.recording.document import Part
from replaylint.recording.entries import record_in
from replaylint.recording.formats import Family, Head, best, formats_of
from replaylint.recording.formats.documents import zed
from replaylint.recording.message import BLANK

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.reading import Progress, Reading

NAME: Final = "sequence"
EXAMPLE: Final = '{ "jsonrpc":"2.0","id":0,… } { "jsonrpc":"2.0","id":0,… }'

_PUNCTUATION: Final = BLANK.encode() + b"[],"


def sniff(head: Head) -> int:
    """How many values are of another format, where one is on several lines or has a comma behind it."""
    values = _first_values(head)
    if not any(b"\n" in value[:-1] for value in values) and len(values) <= len(head.records):
        return 0
    inner = _head(values)
    entries = sum(map(zed.is_entry, inner.records))
    if entries:
        return entries
    found = best(formats_of(Family.RECORDS), inner)
    return found.sniff(inner) if found is not None else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The values, read as lines of the format that they look like."""
    inner = _head(_first_values(head))
    place = Place()
    found = best(formats_of(Family.RECORDS), inner)
    if any(map(zed.is_entry, inner.records)):
        reading = zed.read_parts((Part(place.line, value) for value in _values(lines, place)), progress)
    elif found is not None:
        reading = found.read(_values(lines, place), inner, progress)
    else:
        raise RecordingError("not-a-recording", "is JSON, but not of messages or records of them", 1)
    return reading._replace(messages=placed(reading.messages, place, progress))


def _first_values(head: Head) -> list[bytes]:
    return [block.data for block in blocks(beginning(head.lines)) if block.value]


def _head(values: list[bytes]) -> Head:
    records = (record_in(value) for value in values)
    return Head(values, [record for record in records if isinstance(record, dict)])


def _values(lines: Iterable[bytes], place: Place) -> Iterator[bytes]:
    """The values and what else is between them, but for the brackets and commas of an array."""
    for block in blocks(lines):
        place.at(block)
        if block.value or block.data.strip(_PUNCTUATION):
            yield block.data
