"""Lines for people: styled pieces, wrapped for a terminal, and coloured if it shows colour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from unicodedata import category, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View

Piece = tuple[str, str]
"""A style of STYLES, or "", and a text."""

# No white, black, blue or cyan: each is hard to read on one background or another.
STYLES: Final = {
    "bold": "1",
    "dim": "2",
    "error": "1;31",
    "warning": "1;33",
    "info": "1",
    "gap": "1;35",
    "waiting": "35",
}

JOINT: Final = "\x1f"
"""A space at which no line breaks. `printable` leaves none in what comes from a recording."""

HANG_COLUMNS: Final = 2
"""How far the further lines of a record are indented, by default."""

MIN_COLUMNS: Final = 20
"""No line is wrapped to fewer columns than this, whatever its indentation."""


def joined(text: str) -> str:
    """This text as one word."""
    return text.replace(" ", JOINT)


def line(view: View, indent: int, *pieces: Piece | str, hang: int = HANG_COLUMNS) -> str:
    """A record, with the line end: one line, or on a terminal as many as it needs. Words are never cut."""
    styled: list[Piece] = [("", piece) if isinstance(piece, str) else piece for piece in pieces]
    if view.width is None:
        return " " * indent + _painted(styled, view) + "\n"
    room = max(MIN_COLUMNS, view.width - indent)
    text = ""
    margin = indent
    for row in _rows(styled, room, max(MIN_COLUMNS, room - hang)):
        text += " " * margin + _painted(row, view) + "\n"
        margin = indent + hang
    return text


def beside(view: View, indent: int, head: Piece, room: int, *pieces: Piece | str) -> str:
    """A record beside a head that takes `room` columns; further lines are below the first line, not below the head."""
    style, text = head
    first = line(view, indent, (style, joined(text))).rstrip("\n")
    gap = " " * (room - columns(text))
    return first + gap + line(view, indent + room, *pieces)[indent + room :]


def columns(text: str) -> int:
    """How many columns of a terminal this text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if category(character) in {"Mn", "Me"} else 1 + (east_asian_width(character) in {"W", "F"})
        for character in text
    )


def _rows(pieces: list[Piece], first: int, further: int) -> Iterator[list[Piece]]:
    row: list[Piece] = []
    used = 0
    room = first
    for word, style_before in _words(pieces):
        width = sum(columns(text) for _, text in word)
        if used and used + 1 + width > room:
            yield row
            row, used, room = [], 0, further
        if used:
            # A space between words of one style has that style: fewer escapes.
            row.append((style_before if word[0][0] == style_before else "", " "))
            used += 1
        row += word
        used += width
    yield row


def _words(pieces: list[Piece]) -> Iterator[tuple[list[Piece], str]]:
    """The words, each in one or more styles, and the style of what is before it."""
    word: list[Piece] = []
    before = last = ""
    for style, text in pieces:
        head, *tail = text.split(" ")
        if head:
            word.append((style, head))
            last = style
        for part in tail:
            if word:
                yield word, before
                before = last
            word = [(style, part)] if part else []
            last = style if part else last
    if word:
        yield word, before


def _painted(pieces: list[Piece], view: View) -> str:
    if not view.colour:
        return "".join(text for _, text in pieces).replace(JOINT, " ")
    painted = ""
    current = ""
    for style, text in pieces:
        if style != current:
            painted += ("\x1b[0m" if current else "") + (f"\x1b[{STYLES[style]}m" if style else "")
            current = style
        painted += text
    return (painted + ("\x1b[0m" if current else "")).replace(JOINT, " ")
