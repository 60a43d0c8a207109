"""How much memory JSON takes when it is parsed: a line is bounded by what it becomes, not only by its bytes."""

from __future__ import annotations

import re
from typing import Final

MAX_WEIGHT: Final = 300_000_000
"""Bytes that a text may become."""
MAX_UNWEIGHED: Final = 6_000_000
"""No text of so many bytes becomes more than that: small objects take up to fifty times their text."""

SIGNS: Final = ((b"{", 200), (b"[", 100), (b",", 90), (b":", 80))
"""Bytes, at most, of a small object, an array, an element and the key of a member, while it is parsed."""

_STRING: Final = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"', re.DOTALL)
_OF_FOUR_BYTES: Final = (
    *(bytes([first]) for first in range(0xF0, 0xF5)),
    *(rb"\u" + letter + digit for letter in (b"d", b"D") for digit in (b"8", b"9", b"a", b"A", b"b", b"B")),
)
"""What begins a character that takes four bytes, in UTF-8 and as an escape."""


def is_heavy(data: bytes) -> bool:
    """Whether this JSON may become more than MAX_WEIGHT."""
    # Most texts are light even if all of their strings were structure, and all characters as wide as the widest.
    if _structure(data, 0, len(data)) + _characters(data, 0, len(data)) <= MAX_WEIGHT:
        return False
    weight = at = 0
    for string in _STRING.finditer(data):
        weight += _structure(data, at, string.start()) + _characters(data, *string.span(1))
        at = string.end()
        if weight > MAX_WEIGHT:
            return True
    return weight + _structure(data, at, len(data)) > MAX_WEIGHT


def _structure(data: bytes, begin: int, end: int) -> int:
    return sum(data.count(sign, begin, end) * size for sign, size in SIGNS)


def _characters(data: bytes, begin: int, end: int) -> int:
    """The bytes of a string: each character takes as many as the widest."""
    text = data[begin:end]
    if text.isascii() and rb"\u" not in text:
        return len(text)
    return len(text) * (4 if any(sign in text for sign in _OF_FOUR_BYTES) else 2)
