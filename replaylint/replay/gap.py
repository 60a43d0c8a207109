"""The gap between a replay's end and the response: its silences, its snapshot, and what waited for the client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import STATE
from replaylint.replay.window import NO_GAP, Gap, Point

if TYPE_CHECKING:
    from replaylint.replay.window import Window


def replay_end(w: Window) -> Point:
    """The replay's end so far: the marker, or without one the last history update. Line 0: there is none."""
    marker = w.marker
    return Point(w.last_line, w.last_time) if marker is None else Point(marker.line, marker.time)


def update(w: Window, line: int, time: float, variant: str) -> None:
    """An update that is no history before a marker."""
    gap = _current(w)
    if gap.line:
        _silence(gap, time)
        if variant == STATE and not gap.snapshot.line:
            gap.snapshot = Point(line, time)


def request(w: Window, time: float) -> None:
    """The agent asked the client something for this session."""
    if w.gap is NO_GAP:
        w.gap = Gap()
    gap = w.gap
    if not gap.requests:
        gap.waiting_since = time
    gap.requests += 1


def answer(w: Window, time: float) -> None:
    """The client answered such a request."""
    gap = _current(w)
    gap.requests -= 1
    if not gap.requests:
        _waited(w, gap, time)


def end(w: Window, time: float) -> None:
    """The request ended: the last silence, and the waiting that no answer ended."""
    gap = _current(w)
    if gap.requests:
        _waited(w, gap, time)
    if gap.line:
        _silence(gap, time)


def _current(w: Window) -> Gap:
    """The gap; begun anew where the replay's end has moved."""
    end = replay_end(w)
    if w.gap.line != end.line:
        if w.gap is NO_GAP:
            w.gap = Gap()
        w.gap.begin(end)
    return w.gap


def _silence(gap: Gap, time: float) -> None:
    silence = time - gap.time
    if not silence <= gap.pause and gap.pause == gap.pause:
        gap.pause = silence
    gap.time = time


def _waited(w: Window, gap: Gap, time: float) -> None:
    if gap.line:
        waited = time - max(gap.waiting_since, replay_end(w).time)
        gap.waited += 0.0 if waited < 0 else waited
