"""The quiet-timer study: a client without a marker takes a silence of some length for the end of a replay.

A pause between two history updates that is not shorter than the timer ends the replay too early, and the client cannot
notice that. In the other replays the timer fires that long after the last history update, wherever the marker is.

Source: the RFD's section "Status quo", which says why a client should not have to guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    Replay = tuple[float, float | None]
    """The longest pause between two history updates, and the time from the last one to the marker (None: no marker)."""

TIMERS_S: Final = (0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0)


def study(replays: Sequence[Replay], timer: float) -> tuple[int, list[float]]:
    """How many replays this timer ends too early, and how much later than the marker it fires in the others.

    In seconds, sorted, and negative where it fires before the marker; replays without one are left out.
    """
    right = [lag for pause, lag in replays if pause < timer]
    return len(replays) - len(right), sorted(timer - lag for lag in right if lag is not None)
