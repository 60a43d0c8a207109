"""JSON for people: indented, long strings cut, what is deep or large left out with its count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import dumps

from replaylint.render.escape import printable
from replaylint.render.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST: Final = 200
"""Characters of a string that is shown whole, ..."""
BEGINNING: Final = 160
"""... and of one that is cut."""
DEEPEST: Final = 12
"""Levels."""
MOST: Final = 60
"""Items of a list, members of an object."""
LINES: Final = 400
"""Of the whole; beyond them only what is open is closed."""


def pretty(value: object) -> Iterator[str]:
    """The lines of this JSON value, without line ends. Nothing in them can be interpreted by a terminal."""
    return _Printer().lines(value, "", "", 0)


def shortened(text: str) -> str:
    """A name from a recording, on one line: its beginning, where it is very long."""
    return printable(text if len(text) <= LONGEST else f"{text[:BEGINNING]}... ({counted(len(text), 'character')})")


class _Printer:
    """Prints one value."""

    def __init__(self) -> None:
        self.left = LINES

    def lines(self, value: object, key: str, comma: str, depth: int) -> Iterator[str]:
        """The lines of a value that stands behind this key and before this comma."""
        self.left -= 1
        indent = "  " * depth + key
        if not isinstance(value, dict | list) or not value:
            yield indent + _scalar(value, comma)
            return
        is_object = isinstance(value, dict)
        first, last, noun = ("{", "}", "member") if is_object else ("[", "]", "item")
        if depth >= DEEPEST or self.left <= 0:
            yield f"{indent}{first}... {counted(len(value), noun)}{last}{comma}"
            return
        yield indent + first
        members = value.items() if isinstance(value, dict) else enumerate(value)
        for number, (name, member) in enumerate(members):
            if number >= MOST or self.left <= 0:
                yield f"{'  ' * (depth + 1)}... {len(value) - number} more"
                break
            behind = "," if number + 1 < len(value) else ""
            yield from self.lines(member, f"{_scalar(name, '')}: " if is_object else "", behind, depth + 1)
        yield "  " * depth + last + comma


def _scalar(value: object, comma: str) -> str:
    if not isinstance(value, str) or len(value) <= LONGEST:
        return printable(dumps(value).decode()) + comma
    return f"{printable(dumps(value[:BEGINNING] + '...').decode())}{comma} ({counted(len(value), 'character')})"
