"""A replay as a bar to scale: from the request at its left end to the response at its right end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.render.view import SIGNS

if TYPE_CHECKING:
    from replaylint.render.layout import Piece
    from replaylint.report.model import Timing


class Signs(NamedTuple):
    """What a bar is drawn with: its ends, before the first update, the replay, the response gap."""

    left: str
    right: str
    before: str
    replay: str
    gap: str


UNICODE: Final = Signs(*SIGNS[:5])
ASCII: Final = Signs("|", "|", ".", "=", "-")
MARKER: Final = "M"
SNAPSHOT: Final = "S"


def signs(*, unicode: bool) -> Signs:
    """What to draw with."""
    return UNICODE if unicode else ASCII


def bar(timing: Timing, cells: int, *, unicode: bool) -> list[Piece] | None:
    """The bar, `cells` columns between its ends; None where the figures are not known or no time passed.

    What happened `t` seconds after the request is in the cell that spans `t`. Marker and snapshot never share a cell or
    change places: one of them moves by a cell.
    """
    total, replay = timing.total_s, timing.replay_s
    if not total or replay is None or timing.response_gap_s is None:
        return None
    sign = signs(unicode=unicode)
    end = _cell(replay, total, cells)
    marked = timing.replay_end == "marker"
    snapshot = None
    if timing.snapshot_gap_s is not None:
        snapshot = _cell(replay + timing.snapshot_gap_s, total, cells)
        if snapshot == end and end + 1 < cells:
            snapshot = end + 1
        elif snapshot == end and marked:
            end -= 1
    begin = min(_cell(timing.to_first_update_s or 0.0, total, cells), end)
    # Without a marker the replay has the cell in which it ends, so that it is always visible.
    after = end if marked else end + 1
    drawn: list[Piece] = [
        *[("dim", sign.before)] * begin,
        *[("", sign.replay)] * (after - begin),
        *[("waiting", sign.gap)] * (cells - after),
    ]
    if marked:
        drawn[end] = ("bold", MARKER)
    if snapshot is not None:
        drawn[snapshot] = ("bold", SNAPSHOT)
    pieces: list[Piece] = [("dim", sign.left)]
    for style, text in drawn:
        if style == pieces[-1][0]:
            pieces[-1] = (style, pieces[-1][1] + text)
        else:
            pieces.append((style, text))
    return [*pieces, ("dim", sign.right)]


def _cell(seconds: float, total: float, cells: int) -> int:
    """The cell that spans this time; the last one for the end and, as clocks are noisy, for later times."""
    return max(0, min(cells - 1, int(seconds / total * cells)))
