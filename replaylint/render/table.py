"""Aligned columns for people, or a sentence for each row where the terminal is too narrow."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final

from replaylint.render.layout import columns, joined, line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from replaylint.render.layout import Piece
    from replaylint.render.view import View

    Row = Sequence[Piece | str]

NOTHING: Final = "-"
"""An empty cell; a sentence leaves it out."""

SPACE: Final = 2
"""Columns of a terminal between two columns of a table."""


def table(
    view: View,
    indent: int,
    head: Sequence[str],
    rows: Sequence[Row],
    *,
    titled: bool = False,
    texts: Collection[str] = (),
    dropped: Sequence[str] = (),
) -> Iterator[str]:
    """A head and its rows: the first column and `texts` to the left, numbers to the right. Cells are printable.

    `titled`: the first cell of the head is above sentences, too. `dropped`: titles of columns that go, one after the
    other, while the table is too wide.
    """
    styled = [[("", cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    titles: list[Piece] = [("bold", title) for title in head]
    widths = [max(columns(text) for _, text in column) for column in zip(titles, *styled, strict=True)]
    room = inf if view.width is None else view.width - indent
    kept = list(range(len(head)))
    for title in dropped:
        if _width(widths, kept) > room:
            kept.remove(head.index(title))
    if _width(widths, kept) > room:
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
        for at in kept:
            style, text = row[at]
            blank = " " * (widths[at] - columns(text))
            left = not at or head[at] in texts
            before, after = ("", blank) if left else (blank, "")
            cells += [("", joined(before + " " * SPACE if at else "")), (style, joined(text)), ("", joined(after))]
        yield line(view, indent, *cells).rstrip() + "\n"


def _width(widths: Sequence[int], kept: Sequence[int]) -> int:
    return sum(widths[at] for at in kept) + SPACE * (len(kept) - 1)
