"""Aligned columns for people, or a sentence for each row where the terminal is too narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.render.layout import columns, joined, line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replaylint.render.layout import Piece
    from replaylint.render.view import View

    Row = Sequence[Piece | str]

NOTHING: Final = "-"
"""An empty cell; a sentence leaves it out."""

SPACE: Final = 2
"""Columns of a terminal between two columns of a table."""


def table(view: View, indent: int, head: Sequence[str], rows: Sequence[Row], *, titled: bool = False) -> Iterator[str]:
    """A head and its rows: the first column to the left, numbers to the right. Cells are printable.

    `titled`: the first cell of the head is above sentences, too.
    """
    styled = [[("", cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    titles: list[Piece] = [("bold", title) for title in head]
    widths = [max(columns(text) for _, text in column) for column in zip(titles, *styled, strict=True)]
    if view.width is not None and view.width < indent + sum(widths) + SPACE * (len(widths) - 1):
        if titled:
            yield line(view, indent, titles[0])
        for (_, name), *cells in styled:
            facts: list[Piece | str] = []
            known = ((title, cell) for title, cell in zip(head[1:], cells, strict=True) if cell[1] != NOTHING)
            for title, (style, text) in known:
                facts += [", " if facts else ": ", f"{joined(title)} ", (style, joined(text))]
            yield line(view, indent, ("bold", name), *facts)
        return
    for row in (titles, *styled):
        cells = []
        for at, (width, (style, text)) in enumerate(zip(widths, row, strict=True)):
            blank = " " * (width - columns(text))
            cells += [("", joined(blank + " " * SPACE if at else "")), (style, joined(text)), ("", "" if at else blank)]
        yield line(view, indent, *((style, joined(text)) for style, text in cells)).rstrip() + "\n"
