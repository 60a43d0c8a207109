"""JSON for people: indented, long strings cut, what is deep or large left out with its count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.render.escape import printable
from replaylint.render.phrases import counted
from replaylint.rules.words import as_json

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_STRING_CHARS: Final = 200
"""A longer string is cut, ..."""
CUT_STRING_CHARS: Final = 160
"""... to this many characters."""
MAX_DEPTH: Final = 12
"""Levels."""
MAX_ITEMS: Final = 60
"""Items of a list, members of an object."""
MAX_LINES: Final = 400
"""Of the whole; after that open lists and objects are only closed."""


def pretty(value: object) -> Iterator[str]:
    """The lines of this JSON value, without line ends. Nothing in them can be interpreted by a terminal."""
    return _Printer().lines(value, "", "", 0)


class _Printer:
    """Prints one value."""

    def __init__(self) -> None:
        self.left = MAX_LINES

    def lines(self, value: object, key: str, comma: str, depth: int) -> Iterator[str]:
        """The lines of a value, after this key and before this comma."""
        self.left -= 1
        indent = "  " * depth + key
        if not isinstance(value, dict | list) or not value:
            yield indent + _scalar(value, comma)
            return
        is_object = isinstance(value, dict)
        first, last, noun = ("{", "}", "member") if is_object else ("[", "]", "item")
        if depth >= MAX_DEPTH or self.left <= 0:
            yield f"{indent}{first}... {counted(len(value), noun)}{last}{comma}"
            return
        yield indent + first
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for number, (name, member) in enumerate(members):
            if number >= MAX_ITEMS or self.left <= 0:
                yield f"{'  ' * (depth + 1)}... {len(value) - number} more"
                break
            behind = "," if number + 1 < len(value) else ""
            yield from self.lines(member, f"{_scalar(name, '')}: " if is_object else "", behind, depth + 1)
        yield "  " * depth + last + comma


def _scalar(value: object, comma: str) -> str:
    if not isinstance(value, str) or len(value) <= MAX_STRING_CHARS:
        return printable(as_json(value)) + comma
    return f"{printable(as_json(value[:CUT_STRING_CHARS] + '...'))}{comma} ({counted(len(value), 'character')})"
