"""Messages from entries, for formats whose lines are not plain JSON records.

A format yields entries; here they get their side, and the clock is checked. These formats are rare: this is simple
rather than fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.recording import clock as clocks
from replaylint.recording import directions
from replaylint.recording.fragments import message_at_end
from replaylint.recording.ids import restore
from replaylint.recording.message import NO_TIME, ClockStep, Label, NoMessage, Skipped
from replaylint.recording.parsing import parse
from replaylint.recording.reading import MIN_BYTES, Reading, said, unparsed
from replaylint.recording.source import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from replaylint.recording.clock import Clock
    from replaylint.recording.message import Message, Note, Side
    from replaylint.recording.reading import Progress

Json = dict[str, object] | list[object]


class Entry(NamedTuple):
    """What a recorder wrote at one time.

    `line` is the 1-based line on which it begins, `time` in seconds (NaN: it has none), `word` the word for the
    direction (None: it has none), `body` the message, parsed or as it was on the wire, or a note of the recorder,
    `size` in bytes; `conn` names the connection where the format keeps several apart.
    """

    line: int
    time: float
    word: str | None
    body: Json | bytes | str | Note
    size: int
    conn: object = None


LEFT_OUT: Final = Entry(0, NO_TIME, None, b"", 0)
"""In place of a message that is not one of the client's, or stands in the recording a second time."""


def on_lines(
    lines: Iterable[bytes], progress: Progress, entry: Callable[[int, bytes], Entry | None]
) -> Iterator[Entry]:
    """The entries that `entry` makes of each line and its number, but for what is `LEFT_OUT`.

    Where it makes none, the line may hold a message in a way of its own: nobody knows then who sent it.
    """
    for number, line in enumerate(lines, 1):
        progress.lines = number
        if len(line) < MIN_BYTES and line.isspace():
            continue
        found = noted(number, Skipped(too_long=True), 0) if line is SKIPPED else entry(number, line)
        if found is None:
            found = _stray(number, line)
        if found is LEFT_OUT:
            progress.left_out += 1
        elif found is not None:
            yield exact(found, line)


def exact(entry: Entry, text: bytes) -> Entry:
    """The same, whose message was read from this text, with the ids that stand there."""
    if isinstance(entry.body, dict | list):
        restore(entry.body, text)
    return entry


def _stray(number: int, line: bytes) -> Entry | None:
    message = message_at_end(line) if b'"jsonrpc"' in line else None
    return None if message is None else Entry(number, NO_TIME, None, message[1], len(line))


def noted(line: int, note: Note | None, size: int) -> Entry | None:
    """An entry for a note."""
    return None if note is None else Entry(line, NO_TIME, None, note, size)


def record_in(line: bytes) -> dict[str, object] | Note | None:
    """The recorder's record on this line, a note about what is there instead, or None for a blank line."""
    try:
        record = parse(line)
    except ValueError as error:
        return unparsed(line, error, wire=False, unsaid=True)
    return record if isinstance(record, dict) else NoMessage(wire=False)


def reading(
    entries: Iterator[Entry], clock: Clock, progress: Progress, *, relative: bool = True, many_per_line: bool = False
) -> Reading:
    """The recording with these entries.

    `relative`: their words are the recorder's view, and may have to be flipped. `many_per_line`: several messages may
    begin on one line.
    """
    sides: dict[object, Side] = {}
    sides.update(directions.SIDES.items())
    return Reading(_messages(entries, sides, progress), clock, sides, relative, many_per_line=many_per_line)


def _messages(entries: Iterator[Entry], sides: dict[object, Side], progress: Progress) -> Iterator[Message]:
    conn: object = None
    latest = NO_TIME
    for line, time, word, body, size, of in entries:
        if of is not None and of != conn:
            conn, latest = of, NO_TIME  # another connection may have another clock
            yield line, NO_TIME, None, Label(conn), 0
        back = latest - time
        if clocks.went_back(back):
            yield line, time, None, ClockStep(back), 0
        if time == time:  # noqa: PLR0124  (NaN: it has no time, and the one before stays the latest)
            latest = time
        side = None if word is None else sides.get(word.lower())
        message = said(body) if isinstance(body, bytes | str) else body
        if message is None:
            continue
        progress.messages += isinstance(message, dict | list)
        yield line, time, side, message, size
