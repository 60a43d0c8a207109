"""Detection of the format of a recording, by its first lines."""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING

from replaylint.errors import RecordingError
from replaylint.recording.description import description
from replaylint.recording.formats import Family, Format, Head, best, every_format, formats_of
from replaylint.recording.fragments import fenced, has_fence
from replaylint.recording.message import BLANK
from replaylint.recording.parsing import parse
from replaylint.recording.reading import Progress, Reading
from replaylint.recording.source import SKIPPED, Source, failing, too_long

if TYPE_CHECKING:
    from collections.abc import Iterator

NOT_A_RECORDING = "not-a-recording"
"""The error code of an input whose format was not recognised."""
OWN_OUTPUT = "is what replaylint wrote, no recording"
"""The message of that error for reports."""

MAX_HEAD_RECORDS = 50
"""JSON objects that detection looks at."""
MAX_HEAD_LINES = 1000
MAX_HEAD_BYTES = 1_000_000
MAX_SHOWN_CHARS = 60

REPORTS = (
    b"## replaylint ",
    b"# Rules\n",
    b"## RL",
    b'{"type":"resume","trace":',
    b'{"type":"finding","rule":',
    b'{"type":"trace","path":',
    b'{"type":"summary","schema_version":',
)
"""How our own outputs begin that quote messages or methods, and may be in a folder of recordings."""


class Recording:
    """A recording whose format was recognised; its messages are still unread."""

    def __init__(self, source: Source, name: str, reading: Reading, progress: Progress) -> None:
        self.source = source
        self.format = name
        self.messages = reading.messages
        self.clock = reading.clock
        self.sides = reading.sides
        self.relative = reading.relative
        self.order = reading.order
        self.many_per_line = reading.many_per_line
        self.progress = progress


def recognise(source: Source, form: str | None = None) -> Recording:
    """The recording in this source; `form` names its format, None detects it.

    Raises RecordingError where the source cannot be read or is no recording.
    """
    rest = source.lines()
    head: list[bytes] = []
    failed: RecordingError | None = None
    try:
        records = _beginning(rest, head)
    except RecordingError as error:
        records = _beginning(iter(head), [])
        rest, failed = failing(error), error
    beginning = Head(head, records)
    if has_fence(head) and not _is_report(head) and (inside := _in_fences(head)) is not None:
        beginning, rest = inside, fenced(chain(head, rest))
        head = [next(rest) for _ in head]
    found: Format | None = None
    if form is not None:
        found = next(each for each in every_format() if form == each.NAME)
    elif not _is_report(head):
        found = _best(beginning)
    if (found is None or found in formats_of(Family.RECORDS)) and any(len(line) >= MAX_HEAD_BYTES for line in head):
        # A line as long as that may be a whole document, so it is parsed only now that it is not.
        beginning = Head(head, [record for line in head for record in _records(line)])
        found = found or best(formats_of(Family.RECORDS), beginning)
    if failed is not None and (found is None or not head):
        raise failed
    if found is None or not any(line is SKIPPED or line.strip(BLANK.encode()) for line in head):
        for number, line in enumerate(head, 1):
            if line is SKIPPED:
                raise too_long(number)
        raise RecordingError(NOT_A_RECORDING, _why_not(head, source.path), 1 if head else None)
    progress = Progress()
    return Recording(source, found.NAME, found.read(chain(head, rest), beginning, progress), progress)


def _in_fences(head: list[bytes]) -> Head | None:
    """The beginning of a recording that stands in fences of Markdown; None where these hold something else."""
    records: list[dict[str, object]] = []
    inside: list[bytes] = []
    records = _beginning(fenced(head), inside)
    beginning = Head(inside, records)
    return beginning if _best(beginning) is not None else None


def _beginning(lines: Iterator[bytes], head: list[bytes]) -> list[dict[str, object]]:
    """The JSON objects on the first lines; the lines are appended to `head`."""
    records: list[dict[str, object]] = []
    size = 0
    for line in lines:
        head.append(line)
        size += len(line)
        if len(line) < MAX_HEAD_BYTES:
            records += _records(line)
        if len(records) >= MAX_HEAD_RECORDS or len(head) >= MAX_HEAD_LINES or size >= MAX_HEAD_BYTES:
            break
    return records


def _records(line: bytes) -> list[dict[str, object]]:
    """The JSON object on this line, or those of a batch."""
    try:
        record = parse(line)
    except ValueError:
        return []
    items = record[:MAX_HEAD_RECORDS] if isinstance(record, list) else [record]
    return [item for item in items if isinstance(item, dict)]


def _best(head: Head) -> Format | None:
    """The format that most of this beginning looks like. Most recordings have a JSON object on every line."""
    formats = formats_of(Family.RECORDS)
    lines = sum(1 for line in head.lines if not line.isspace())
    if lines == 1 or lines > len(head.records):
        formats += formats_of(Family.TEXTS) + formats_of(Family.DOCUMENTS)
    return best(formats, head)


def _is_report(head: list[bytes]) -> bool:
    return bool(head) and head[0].startswith(REPORTS)


def _why_not(head: list[bytes], path: str) -> str:
    what = description(head)
    if what is None:
        return "is empty"
    if _is_report(head):
        return OWN_OUTPUT
    if os.path.realpath(path) == os.path.abspath(path):  # noqa: PTH100  (behind a link of somebody else may be a secret)
        texts = (line[: 4 * MAX_SHOWN_CHARS].decode(errors="replace").strip(BLANK) for line in head)
        text = next(filter(None, texts), "")
        what = repr(text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 3] + "...")
    names = ", ".join(form.NAME for form in every_format())
    return f"is no recording that replaylint knows; it begins with {what}; formats: {names}"
