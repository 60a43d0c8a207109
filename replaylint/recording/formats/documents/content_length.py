"""`content-length`: the framing of the Language Server Protocol: a header with its length before each message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replaylint.recording.clock import NO_CLOCK
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import BLOCK
from replaylint.recording.message import BLANK, NO_TIME, Unreadable
from replaylint.recording.source import SKIPPED, too_long

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "content-length"
EXAMPLE: Final = 'Content-Length: 58 {"jsonrpc":"2.0",…}'

_HEADER: Final = re.compile(rb"Content-Length: *([0-9]{1,12})\r?\n\Z", re.IGNORECASE)


def sniff(head: Head) -> int:
    """It begins with a header."""
    return BLOCK if any(_HEADER.match(line) for line in head.lines[:1]) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """The framed messages, both ways in one stream."""
    return reading(_entries(_Stream(lines), progress), NO_CLOCK, progress, relative=False)


class _Stream:
    """Bytes, by lines and by lengths. `number` is the 1-based line on which the next byte stands."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self.number = 1
        self._lines = _read(lines)
        self._rest = b""

    def line(self) -> bytes:
        """Up to the next newline; empty at the end."""
        line, self._rest = self._rest, b""
        while not line.endswith(b"\n") and (more := next(self._lines, b"")):
            line += more
        self.number += line.endswith(b"\n")
        return line

    def take(self, length: int) -> bytes:
        """So many bytes, or fewer at the end."""
        pieces, size = [self._rest], len(self._rest)
        while size < length and (more := next(self._lines, b"")):
            pieces.append(more)
            size += len(more)
        whole = b"".join(pieces)
        self._rest = whole[length:]
        self.number += whole.count(b"\n", 0, length)
        return whole[:length]


def _read(lines: Iterable[bytes]) -> Iterator[bytes]:
    """These lines: behind one that was skipped, nobody knows where a message begins."""
    for number, line in enumerate(lines, 1):
        if line is SKIPPED:
            raise too_long(number)
        yield line


def _entries(stream: _Stream, progress: Progress) -> Iterator[Entry]:
    begins = stream.number
    while line := stream.line():
        header = _HEADER.search(line)
        noise = (line if header is None else line[: header.start()]).decode(errors="replace").strip(BLANK)
        if noise:
            yield Entry(begins, NO_TIME, None, Unreadable(noise, wire=True, ended=True), len(line))
        if header is not None:
            while stream.line().strip(b"\r\n"):
                pass  # further fields of the header
            begins, length = stream.number, int(header[1])
            body = stream.take(length)
            text = body.decode(errors="replace")
            whole = len(body) == length
            yield Entry(begins, NO_TIME, None, text if whole else Unreadable(text, wire=True, ended=False), len(body))
        begins = stream.number
        progress.lines = begins
