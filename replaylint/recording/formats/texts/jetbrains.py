"""`jetbrains`: the transport log of the JetBrains IDEs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replaylint.recording import clock as clocks
from replaylint.recording.entries import Entry, on_lines, reading

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "jetbrains"
EXAMPLE: Final = '2026-11-14 19:57:12,975 [     34]   FINE - AcpTransport - OUT: {"jsonrpc":"2.0",…}'

_LINE: Final = re.compile(rb"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) \[ *(\d{1,15})\] +[A-Z]+ - [^{]*?\b(IN|OUT): ")
_CLOCK: Final = clocks.Clock("monotonic", 1e-3, None, 1.0, None, None)


def sniff(head: Head) -> int:
    """How many lines have its form, and one more: they look like another format, too."""
    count = sum(_LINE.match(line) is not None for line in head.lines)
    return count and count + 1


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """The lines of the transport; those of other loggers are left out."""
    return reading(_entries(lines, progress), _CLOCK, progress)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    """The uptime in brackets is the monotonic clock; the wall clock, in local time, only says when that began."""
    offset: float | None = None
    latest = 0.0

    def entry(number: int, line: bytes) -> Entry | None:
        nonlocal offset, latest
        found = _LINE.match(line)
        if found is None:
            return None
        wall, uptime, word = (each.decode() for each in found.groups())
        up = int(uptime) / 1000
        if offset is None or clocks.went_back(latest - up):
            offset = clocks.iso_seconds(wall) - up
        latest = up
        return Entry(number, up + offset, word, line[found.end() :], len(line))

    return on_lines(lines, progress, entry)
