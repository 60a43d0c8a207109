"""JSON values that stand on several lines, one after another, perhaps each behind a line of text.

A value begins on a line of its own and ends where its brackets are closed. One that does not end is given up where the
next begins at the margin, so that it harms no other.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.recording.source import MAX_LINE, SKIPPED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from replaylint.recording.message import Message
    from replaylint.recording.reading import Progress

MAX_FIRST_BYTES: Final = 1_000_000

_BEGINS: Final = re.compile(rb'\s*(?:\{\s*(?:["}]|\Z)|\[\s*(?:\{|\Z))')
_AT_MARGIN: Final = re.compile(rb'(?:\{\s*(?:"|\Z)|\[\s*(?:\{|\Z))')
_STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
_SEPARATORS: Final = b" \t\r\n\0,"


class Block(NamedTuple):
    """A value, or a line of text: the 1-based number of its first line, its bytes, and whether it is a value.

    A value has no separator behind it, and a newline as a line has one.
    """

    line: int
    data: bytes
    value: bool


def blocks(lines: Iterable[bytes], is_header: Callable[[bytes], bool] | None = None) -> Iterator[Block]:
    """The values and the lines of text between them; at a line of which `is_header` is true no value goes on.

    A line that was skipped is a text.
    """
    value = bytearray()
    begun = depth = 0
    for number, line in enumerate(lines, 1):
        if value and (
            line is SKIPPED
            or len(value) > MAX_LINE
            or _AT_MARGIN.match(line)
            or (is_header is not None and is_header(line))
        ):
            yield Block(begun, bytes(value), value=True)
            value.clear()
        if not value:
            if line is SKIPPED or not _BEGINS.match(line):
                yield Block(number, line, value=False)
                continue
            begun, depth = number, 0
        value += line
        depth += _opened(line)
        if depth <= 0:
            yield Block(begun, bytes(value.rstrip(_SEPARATORS)) + b"\n", value=True)
            value.clear()
    if value:
        # It is cut off, also where that is between two lines of it.
        yield Block(begun, bytes(value.rstrip(_SEPARATORS)), value=True)


def beginning(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Those of the first lines that detection looks at: a long one may be a whole document."""
    return (line for line in lines if len(line) < MAX_FIRST_BYTES)


def _opened(line: bytes) -> int:
    """How many more brackets this line opens than it closes."""
    signs = _STRING.sub(b"", line)
    return signs.count(b"{") + signs.count(b"[") - signs.count(b"}") - signs.count(b"]")


class Place:
    """Where a reader of blocks is: the 1-based first line of the block, and the last one."""

    def __init__(self) -> None:
        self.line = 0
        self.last = 0

    def at(self, block: Block) -> None:
        """It is at this block."""
        self.line = block.line
        self.last = block.line + block.data.count(b"\n", 0, -1)


def placed(messages: Iterator[Message], place: Place, progress: Progress) -> Iterator[Message]:
    """The messages that a format reads from blocks one by one, as if each were a line, with their lines."""
    try:
        for _, time, side, body, size in messages:
            yield place.line, time, side, body, size
    finally:
        progress.lines = place.last
