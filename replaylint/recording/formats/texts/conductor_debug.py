"""`conductor-debug`: the debug log of the Rust conductor, of which the client's lane counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replaylint.recording.clock import NO_CLOCK, Clock
from replaylint.recording.entries import LEFT_OUT, Entry, on_lines, reading
from replaylint.recording.message import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "conductor-debug"
EXAMPLE: Final = 'C \N{RIGHTWARDS ARROW} +12ms {"jsonrpc":"2.0",…}'

_LINE: Final = re.compile(
    "(C|[0-9]{1,4}) (\N{RIGHTWARDS ARROW}|\N{LEFTWARDS ARROW}|!) (?:[+]([0-9]{1,15})ms )?".encode()
)
_CLIENT: Final = b"C"
_STDERR: Final = b"!"
_CLOCK: Final = Clock("relative", 1e-3, None, 1.0, None, None)


def sniff(head: Head) -> int:
    """How many lines have its form, and one more: they look like another format, too."""
    count = sum(_LINE.match(line) is not None for line in head.lines)
    return count and count + 1


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """What went between the client and the conductor; what it passed on to components is the same again."""
    found = [line for line in map(_LINE.match, head.lines) if line is not None]
    timed = any(line[3] is not None for line in found)  # its older logs have no times
    return reading(on_lines(lines, progress, _entry), _CLOCK if timed else NO_CLOCK, progress, relative=False)


def _entry(number: int, line: bytes) -> Entry | None:
    found = _LINE.match(line)
    if found is None:
        return None
    if found[2] == _STDERR:
        return Entry(number, NO_TIME, None, b"", len(line))  # whatever it says is no message
    if found[1] != _CLIENT:
        return LEFT_OUT
    time = int(found[3]) / 1000 if found[3] is not None else NO_TIME
    return Entry(number, time, found[2].decode(), line[found.end() :], len(line))
