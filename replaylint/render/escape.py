"""Text from a recording, which may be hostile, made harmless for a terminal and for a CI log."""

from __future__ import annotations

import re
from json import dumps
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_NAME_CHARS: Final = 200
"""Of a name or an id that people read."""

_UNSEEN: Final = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"  # no glyph
    "\u2800\U00013441\U00013442\U00016fe4\U0001d159"  # a glyph without ink
)
"""What `str.isprintable` takes for visible, though nobody sees it.

First the rest of Unicode's Default_Ignorable_Code_Point: joiners, fillers, variation selectors. These belong to many
an emoji, but with one more or one fewer, two ids that look the same are not: hence all are written as escapes.
"""
_COMMAND: Final = r"(?<=#)#|(?<=:):|:\Z"
"""`##[` and `::` can begin a command of a CI system, also together with our own colon."""
_FOUND: Final = re.compile(f"[{_UNSEEN}]|{_COMMAND}")
_CANDIDATE: Final = re.compile(f"[^ -~]|{_COMMAND}")


def printable(text: str) -> str:
    """The same text, on one line, with everything that could be interpreted, or not be seen, written as an escape.

    Of characters it keeps those with ink, and U+0020: no control, format character, surrogate, other space or line end,
    none for private use, and none that this Python's Unicode does not know.
    """
    if text.isprintable():
        if text.isascii() and not text.endswith(":") and "::" not in text and "##" not in text:
            return text
        if _FOUND.search(text) is None:
            return text
    return _CANDIDATE.sub(_escaped, text)


def shortened(text: str, most: int = MAX_NAME_CHARS) -> str:
    """The same text, printable; of a longer one so many characters, and its length."""
    return printable(clipped(text, most))


def clipped(text: str, most: int = MAX_NAME_CHARS) -> str:
    """The same text; of a longer one so many characters, and its length."""
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character > "~" and character.isprintable() and _FOUND.match(character) is None:
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def harmless(json: bytes) -> bytes:
    """JSON as orjson writes it, with the same value: what lies beyond printable ASCII, and `##`, written as escapes."""
    if b"##" in json:
        json = json.replace(b"##", rb"#\u0023")
    if json.isascii() and b"\x7f" not in json:
        return json
    return re.sub("[^\x00-\x7e]", _json_escape, json.decode()).encode()


def _json_escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def dumped(value: object) -> bytes:
    """This value as JSON on one line, in printable ASCII."""
    return harmless(dumps(value).encode())


def listed(values: Iterable[object]) -> Iterator[bytes]:
    """These values as a JSON array with a line for each."""
    separator = b"[\n"
    for value in values:
        yield separator + dumped(value)
        separator = b",\n"
    yield b"[]" if separator == b"[\n" else b"\n]"
