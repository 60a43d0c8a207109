"""`acp-el`: the log buffer of Emacs' acp.el, in which a message stands several times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from replaylint.recording.clock import NO_CLOCK
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import CERTAIN
from replaylint.recording.fragments import is_cut
from replaylint.recording.message import BLANK, NO_TIME, Skipped
from replaylint.recording.source import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "acp-el"
EXAMPLE: Final = 'OUTGOING TEXT > {"jsonrpc":"2.0",…}'

_WAYS: Final = (b"OUTGOING", b"INCOMING")
_HEADER: Final = re.compile(rb"(OUTGOING|INCOMING) ([A-Z]+) >\s*\Z")
_ON_THE_WIRE: Final = b"TEXT"
_HEADERS: Final = tuple(b"%b %b >" % (way, what) for way in _WAYS for what in (_ON_THE_WIRE, b"LINE", b"OBJECT"))
"""One may be cut off at the end."""


def sniff(head: Head) -> int:
    """A header of what was on the wire."""
    return CERTAIN if any((found := _HEADER.match(line)) and found[2] == _ON_THE_WIRE for line in head.lines) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """What was on the wire, as it was received: a message may go on under the next header of its direction."""
    return reading(_entries(lines, progress), NO_CLOCK, progress)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    word = ""
    begun: dict[str, tuple[int, bytes]] = {}
    """Messages that stopped before their end, by their directions."""
    for number, line in enumerate(lines, 1):
        progress.lines = number
        header = _HEADER.match(line)
        if line is SKIPPED:
            yield Entry(number, NO_TIME, None, Skipped(too_long=True), 0)
        elif header is not None:
            word = header[1].decode() if header[2] == _ON_THE_WIRE else ""
        elif word and line.strip(BLANK.encode()) and not any(each.startswith(line) for each in _HEADERS):
            at, before = begun.pop(word, (number, b""))
            text = before + line
            if is_cut(text.decode(errors="replace").strip(BLANK)):
                begun[word] = at, text.rstrip(b"\r\n")
            else:
                yield Entry(at, NO_TIME, word, text, len(text))
    for word, (at, text) in begun.items():
        yield Entry(at, NO_TIME, word, text, len(text))
