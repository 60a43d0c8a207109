"""`conductor-debug`: the debug log of the Rust conductor, of which the client's lane counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replaylint.recording.clock import Clock
from replaylint.recording.entries import Entry, reading, skipped
from replaylint.recording.source import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "conductor-debug"
EXAMPLE: Final = 'C \N{RIGHTWARDS ARROW} +12ms {"jsonrpc":"2.0",…}'

_LINE: Final = re.compile("(C|[0-9]+) ([\N{RIGHTWARDS ARROW}\N{LEFTWARDS ARROW}!]) [+]([0-9]{1,15})ms (.*)", re.DOTALL)
_CLIENT: Final = "C"
_STDERR: Final = "!"
_CLOCK: Final = Clock("relative", 1e-3, None, 1.0, None, None)


def sniff(head: Head) -> int:
    """How many lines have its form."""
    return sum(_LINE.match(text) is not None for text in head.texts)


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """What went between the client and the conductor; what it passed on to components is the same again."""
    return reading(_entries(lines, progress), _CLOCK, progress, relative=False)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    for number, line in enumerate(lines, 1):
        progress.lines = number
        found = _LINE.match(line.decode(errors="replace"))
        if found is None:
            if line is SKIPPED:
                yield skipped(number)
            continue
        lane, word, milliseconds, body = found.groups()
        if lane == _CLIENT and word != _STDERR:
            yield Entry(number, int(milliseconds) / 1000, word, body, len(line))
