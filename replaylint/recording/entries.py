"""Messages from what a format has made of its entries: for formats whose lines are no JSON records.

A format yields entries; here they get their side, and the clock is watched. What is on no hot path is simple.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from replaylint.recording import clock as clocks
from replaylint.recording import directions
from replaylint.recording.message import NO_TIME, ClockStep, Label, Skipped
from replaylint.recording.reading import Reading, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.recording.clock import Clock
    from replaylint.recording.message import Message, Note, Side
    from replaylint.recording.reading import Progress


class Entry(NamedTuple):
    """What a recorder wrote down at once.

    `line` is the 1-based line on which it begins, `time` in seconds (NaN: it has none), `word` the word for the
    direction (None: it has none), `body` the message, parsed or as a text, or a note of the recorder, `size` in bytes;
    `conn` names the connection where the format keeps several apart.
    """

    line: int
    time: float
    word: str | None
    body: dict[str, object] | list[object] | str | Note
    size: int
    conn: object = None


def skipped(line: int) -> Entry:
    """This line was not read."""
    return Entry(line, NO_TIME, None, Skipped(), 0)


def reading(entries: Iterator[Entry], clock: Clock, progress: Progress, *, relative: bool = True) -> Reading:
    """The recording with these entries. `relative`: their words are the recorder's view, and may have to be flipped."""
    sides: dict[object, Side] = {}
    sides.update(directions.SIDES.items())
    return Reading(_messages(entries, sides, progress), clock, sides, relative)


def _messages(entries: Iterator[Entry], sides: dict[object, Side], progress: Progress) -> Iterator[Message]:
    conn: object = None
    latest = NO_TIME
    for line, time, word, body, size, of in entries:
        if of is not None and of != conn:
            conn = of
            yield line, NO_TIME, None, Label(conn), 0
        back = latest - time
        if clocks.went_back(back):
            yield line, time, None, ClockStep(back), 0
        if time == time:  # noqa: PLR0124  (NaN: it has no time, and the one before stays the latest)
            latest = time
        side = None if word is None else sides.get(word.lower())
        message = parsed(body) if isinstance(body, str) else body
        if message is None:
            continue
        progress.messages += isinstance(message, dict | list)
        yield line, time, side, message, size
