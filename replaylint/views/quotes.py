"""The lines of evidence, read a second time and redacted."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.analysis.run import begun, new_trace
from replaylint.errors import RecordingError
from replaylint.recording.detect import recognise
from replaylint.recording.formats import every_format
from replaylint.recording.message import ClockStep, Label, Unreadable
from replaylint.recording.source import STANDARD_INPUT, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from replaylint.recording.message import Side
    from replaylint.report.model import Report, Trace
    from replaylint.views.redaction import Redactor

    Place = tuple[str, int]
    """The path of an input, as the report has it, and a line of it."""

STREAM: Final = "it came from a stream, which cannot be read a second time"
CHANGED: Final = "the recording does not read as it did before"
NO_JSON: Final = "the line is not JSON"
NO_MESSAGE: Final = "the line holds no message"
SEVERAL: Final = "several messages stand on the line"


class Quote(NamedTuple):
    """A redacted message and who sent it, as far as that was recorded; or why there is none."""

    text: str | None = None
    side: Side | None = None
    why_not: str | None = None


def quotes(report: Report, redactor: Redactor, places: Iterable[Place]) -> Mapping[Place, Quote]:
    """What stands at these places. Each recording is read once more, whatever the number of its lines."""
    wanted: dict[str, set[int]] = {}
    for path, line in places:
        wanted.setdefault(path, set()).add(line)
    traces = {trace.path: trace for trace in report.traces}
    found: dict[Place, Quote] = {}
    for path, lines in wanted.items():
        trace = traces.get(path)
        read = _read(trace, lines, redactor) if trace is not None and _can_be_read_again(path) else STREAM
        nothing = Quote(why_not=read if isinstance(read, str) else NO_MESSAGE)
        for line in lines:
            found[path, line] = nothing if isinstance(read, str) else read.get(line, nothing)
    return found


def _can_be_read_again(path: str) -> bool:
    if path == STANDARD_INPUT:
        return False
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError):
        return True  # it was there before: whoever reads it says that it has changed
    return stat.S_ISREG(mode)


def _read(trace: Trace, lines: set[int], redactor: Redactor) -> dict[int, Quote] | str:
    """The quotes of these lines, or why there are none."""
    found: dict[int, Quote] = {}
    again = new_trace(trace.path)
    form = trace.format if trace.format in {each.NAME for each in every_format()} else None
    error = None
    try:
        with Source(trace.path) as source:
            try:
                recording = recognise(source, form)
                for line, _, side, body, _ in begun(again, recording):
                    if line in lines and not isinstance(body, Label | ClockStep):
                        found[line] = _quote(side, body, redactor) if line not in found else Quote(why_not=SEVERAL)
                again.lines, again.messages = recording.progress.lines, recording.progress.messages
            finally:
                again.bytes = source.size
    except RecordingError as raised:
        error = raised.code
    before = trace.error.code if trace.error is not None else None
    same = error == before and again.bytes == trace.bytes
    return found if same else CHANGED


def _quote(side: Side | None, body: object, redactor: Redactor) -> Quote:
    if isinstance(body, dict | list):
        return Quote(redactor.redacted(body), side)
    return Quote(why_not=NO_JSON if isinstance(body, Unreadable) else NO_MESSAGE)
