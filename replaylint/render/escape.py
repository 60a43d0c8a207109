"""Text from a recording, which may be hostile, made harmless for a terminal and for a CI log."""

from __future__ import annotations

import re
from json import dumps
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DANGEROUS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # controls: escapes, carriage returns, line ends
    "\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb"  # line ends, and what reorders or hides
    "\ud800-\udfff\U000e0000-\U000e007f]"  # lone surrogates, invisible tags
    r"|(?<=#)#|(?<=:):|:\Z"  # "##[" and "::" can begin a command of a CI system, also together with our own colon
)


def printable(text: str) -> str:
    """The same text, on one line, with everything that could be interpreted written as an escape."""
    if text.isascii() and text.isprintable() and not text.endswith(":") and "::" not in text and "##" not in text:
        return text
    return _DANGEROUS.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
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
