"""`headed`: a header line with a time, a side or an arrow, and then the message, often as indented JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.blocks import Place, beginning, blocks, placed
from replaylint.recording.formats import Head
from replaylint.recording.formats.texts import prefix
from replaylint.recording.fragments import message_at_end
from replaylint.recording.source import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.reading import Progress, Reading

NAME: Final = "headed"
EXAMPLE: Final = '+0.113s [agent] \N{BLACK LEFT-POINTING SMALL TRIANGLE} result #1 {"jsonrpc":"2.0",…}'

_JSON: Final = (b"{", b"[{", b"[ ", b"[\n")
_NEWLINES: Final = b"\r\n"


def sniff(head: Head) -> int:
    """How many messages have such a header, and one more: without it they look like another format."""
    joined = (line for line in _joined(beginning(head.lines), Place()) if not line.startswith(_JSON))
    found = map(message_at_end, joined)
    count = sum(each is not None and each[0] > 0 for each in found)
    return count and count + 1


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """The messages behind their headers, as `prefix` has them on one line; other lines are left out."""
    place = Place()
    inner = prefix.read(_joined(lines, place), Head(list(_joined(beginning(head.lines), Place())), ()), progress)
    return inner._replace(messages=placed(inner.messages, place, progress))


def _joined(lines: Iterable[bytes], place: Place) -> Iterator[bytes]:
    """Each message behind its header, on one line."""
    header = b""
    for block in blocks(lines, prefix.is_header):
        place.at(block)
        if block.value:
            body = block.data.rstrip(_NEWLINES)
            # No string of JSON goes on on another line.
            yield header + body.replace(b"\n", b" ") + block.data[len(body) :][-1:]
            header = b""
        elif block.data is SKIPPED:
            yield SKIPPED
        elif prefix.is_header(block.data):
            header = block.data.strip() + b" "
