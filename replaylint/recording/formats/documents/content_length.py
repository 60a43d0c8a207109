"""`content-length`: the framing of the Language Server Protocol: a header with its length before each message."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replaylint.recording.clock import NO_CLOCK
from replaylint.recording.document import unbroken
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import CERTAIN, is_json
from replaylint.recording.message import BLANK, NO_TIME, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "content-length"
EXAMPLE: Final = 'Content-Length: 58 {"jsonrpc":"2.0",…}'

MAX_HEADER_BYTES: Final = 64

_LENGTH: Final = re.compile(rb"Content-Length: *([0-9]{1,12})\r?\n\Z", re.IGNORECASE)
_FIELD: Final = re.compile(rb"Content-[A-Z-]+:.*\n\Z", re.IGNORECASE)
_BEGUN: Final = "content-length: "


def sniff(head: Head) -> int:
    """A header comes before anything that looks like JSON."""
    first = next((line for line in head.lines if _LENGTH.match(line) or line.startswith((b"{", b"["))), b"")
    return CERTAIN if _LENGTH.match(first) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """The framed messages, both ways in one stream."""
    return reading(_entries(_Stream(lines, progress)), NO_CLOCK, progress, relative=False)


def _header(line: bytes) -> re.Match[bytes] | None:
    """The header at the end of this line: a message without a newline may be before it."""
    return _LENGTH.search(line, max(0, len(line) - MAX_HEADER_BYTES))


class _Stream:
    """Bytes, by lines and by lengths.

    `number` is the 1-based line of the next byte, `last` that of the last one, `rest` what was read ahead.
    """

    def __init__(self, lines: Iterable[bytes], progress: Progress) -> None:
        self.number = 1
        self.last = 0
        self.rest = b""
        self._lines = unbroken(lines)
        self._progress = progress

    def line(self) -> bytes:
        """Up to the next newline; empty at the end."""
        line, self.rest = self.rest, b""
        while not line.endswith(b"\n") and (more := next(self._lines, b"")):
            line += more
        return self._passed(line)

    def take(self, length: int) -> bytes:
        """The next bytes: `length`, or fewer where a header or the end comes first. No JSON holds a header."""
        taken = bytearray(self.rest)
        while len(taken) < length and (more := next(self._lines, b"")):
            if (header := _header(more)) is not None:
                length = min(length, len(taken) + header.start())
            taken += more
        self.rest = bytes(taken[length:])
        return self._passed(bytes(taken[:length]))

    def back(self, line: bytes) -> None:
        """Put this line back."""
        self.rest = line + self.rest
        self.number -= line.count(b"\n")

    def _passed(self, data: bytes) -> bytes:
        if data:
            self.number += data.count(b"\n")
            self._progress.lines = self.last = self.number - data.endswith(b"\n")
        return data


def _entries(stream: _Stream) -> Iterator[Entry]:
    length: int | None = None
    begins = stream.number
    while line := stream.line():
        noise = b""
        if length is not None and (line.startswith((b"{", b"[")) or not line.strip(b"\r\n")):
            if line.strip(b"\r\n"):  # some writers leave the blank line out
                stream.back(line)
            begins = stream.number
            body = stream.take(length)
            yield _framed(min(begins, stream.last), body, length, cut=not stream.rest)
            length = None
        elif (header := _header(line)) is not None:
            noise, length = line[: header.start()], int(header[1])
        elif not _FIELD.match(line):
            noise = line
        if text := noise.decode(errors="replace").strip(BLANK):
            if not line.endswith(b"\n") and _BEGUN.startswith(text[: len(_BEGUN)].lower()):
                yield _framed(begins, b"", 1, cut=True)
            else:
                note = Unreadable(text, wire=True, ended=line.endswith(b"\n"))
                yield Entry(begins, NO_TIME, None, note, len(line))
        begins = stream.number
    if length is not None:
        yield _framed(stream.last, b"", length, cut=True)


def _framed(line: int, body: bytes, length: int, *, cut: bool) -> Entry:
    """The entry of a framed message. If it is shorter than its header says, it was cut off or the header is wrong."""
    if len(body) == length or is_json(body):
        return Entry(line, NO_TIME, None, body, len(body))
    text = body.decode(errors="replace") or "{"  # cut off right after the header
    return Entry(line, NO_TIME, None, Unreadable(text, wire=True, ended=not cut), len(body))
