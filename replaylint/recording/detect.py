"""Which format a recording has: the first lines say it, without any option, and always the same."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from orjson import loads

from replaylint.recording.formats import FORMATS, Format
from replaylint.recording.formats.raw import BLANK
from replaylint.recording.reading import Progress, Reading
from replaylint.recording.source import RecordingError, Source, failing

if TYPE_CHECKING:
    from collections.abc import Iterator

HEAD_RECORDS = 50
"""JSON objects that detection looks at, at most."""
HEAD_LINES = 1000
HEAD_BYTES = 1_000_000
SHOWN_CHARACTERS = 60


class Recording:
    """A recording that was recognised: its format's name, its messages still unread."""

    def __init__(self, source: Source, name: str, reading: Reading, progress: Progress) -> None:
        self.source = source
        self.format = name
        self.messages = reading.messages
        self.clock = reading.clock
        self.sides = reading.sides
        self.relative = reading.relative
        self.progress = progress


def recognise(source: Source) -> Recording:
    """The recording in this source. Raises RecordingError where it cannot be read or is none."""
    rest = source.lines()
    head: list[bytes] = []
    try:
        records = _beginning(rest, head)
    except RecordingError as error:
        records = _beginning(iter(head), [])
        rest = failing(error)
        if not records:
            raise
    found = _best(records)
    if found is None:
        raise RecordingError("not-a-recording", _why_not(head), 1 if head else None)
    progress = Progress()
    return Recording(source, found.NAME, found.read(chain(head, rest), records, progress), progress)


def _beginning(lines: Iterator[bytes], head: list[bytes]) -> list[dict[str, object]]:
    """The JSON objects in the first lines, which are put into `head`."""
    records: list[dict[str, object]] = []
    size = 0
    for line in lines:
        head.append(line)
        size += len(line)
        try:
            record = loads(line)
        except ValueError:
            record = None
        if isinstance(record, dict):
            records.append(record)
        elif isinstance(record, list):  # a batch counts by its messages
            records.extend(item for item in record[:HEAD_RECORDS] if isinstance(item, dict))
        if len(records) >= HEAD_RECORDS or len(head) >= HEAD_LINES or size >= HEAD_BYTES:
            break
    return records


def _best(records: list[dict[str, object]]) -> Format | None:
    """The format that most of these records look like; of two, the one that FORMATS names first."""
    counts = [(form.sniff(records), form) for form in FORMATS]
    most = max(count for count, _ in counts)
    return next(form for count, form in counts if count == most) if most else None


def _why_not(head: list[bytes]) -> str:
    texts = (line[: 4 * SHOWN_CHARACTERS].decode(errors="replace").strip(BLANK) for line in head)
    text = next(filter(None, texts), None)
    if text is None:
        return "is empty"
    shown = text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 3] + "..."
    names = ", ".join(form.NAME for form in FORMATS)
    return f"is no recording that replaylint knows; it begins with {shown!r}; formats: {names}"
