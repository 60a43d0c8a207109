"""What an update or an agent's request does to a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.connection import IDS_REMEMBERED
from replaylint.protocol.variants import CHILDREN, DECIDES, HISTORY, KNOWN, LIVE_ONLY, MESSAGES, SESSION_INFO, STATE
from replaylint.replay import gap
from replaylint.replay.states import Event, State
from replaylint.replay.window import KINDS_REMEMBERED, MARKERS, OTHER_KINDS, Mark, Point, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replaylint.replay.window import Fold

SPECIAL = frozenset({*CHILDREN, STATE, SESSION_INFO})
"""Variants that mean more than their kind: they are routed, not only folded."""


def history(w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> None:
    """A history update before any marker. What it could call stands in it: it is on the hot path."""
    counts = w.counts
    try:
        counts[variant] += 1
    except KeyError:
        counts[variant] = 1
    w.bytes += size
    pause = time - w.last_time
    if pause > w.longest_pause:
        w.longest_pause = pause
    elif not w.last_line:
        w.first = Point(line, time)
    w.last_line = line
    w.last_time = time
    ident = update.get("messageId") or (update.get("toolCallId"),)
    ids = w.ids
    try:
        if ident not in ids:
            if len(ids) >= IDS_REMEMBERED:
                w.forget()
            ids[ident] = None
    except TypeError:  # an id that is a list or an object names nothing
        pass


def message(w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> None:
    """The same for a message or thought on v2, whose id is required. The engine's loop has it inlined."""
    history(w, line, time, variant, update, size)


def aside(w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> None:
    """An update that is no history, before any marker."""
    _count(w, variant, size)
    gap.update(w, line, time, variant)


def marked(w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> None:
    """Any update after a marker. Ids of messages are not remembered: here they are what is new."""
    _count(w, variant, size)
    gap.update(w, line, time, variant)
    if variant in HISTORY:
        _advance(w, line, time)
        tool = update.get("toolCallId")
        if isinstance(tool, str) and (tool,) not in w.ids:
            if len(w.ids) >= IDS_REMEMBERED:
                w.forget()
            w.ids[tool,] = None


def ignored(w: object, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> None:
    """An update that belongs to no window, or to one that is only remembered."""


def fold_of(state: State, variant: str, version: int | None = None) -> Fold:
    """What to do with an update of this variant in this state, on a connection of this version."""
    if state == State.AFTER:
        return ignored
    if state in {State.MARKED, State.VENDOR_MARKED}:
        return marked
    if variant in HISTORY:
        return message if version == 2 and variant in MESSAGES else history
    return aside


def event_of(variant: str) -> Event:
    """What an update of this variant is to a window, unless it is a marker."""
    if variant in HISTORY:
        return Event.HISTORY
    return Event.LIVE if variant in LIVE_ONLY else Event.EITHER


def table(version: int | None, state: State, listened: Callable[[Event], bool]) -> dict[str, Fold | None]:
    """What a window in this state does with each variant on the hot path; None is the slow path.

    There goes what means more than its kind, what a rule listens to, and what gives a version away that is not known.
    """
    slow = SPECIAL if version is not None else SPECIAL | DECIDES.keys()
    return {
        variant: None if variant in slow or listened(event_of(variant)) else fold_of(state, variant, version)
        for variant in KNOWN
    }


def mark(w: Window, event: Event, line: int, time: float) -> None:
    """A marker came. Only the first of its kind counts."""
    if w.mark_of(event) is not None:
        return
    made = Mark(MARKERS[event], line, time, Point(w.last_line, w.last_time), w.longest_pause)
    if event == Event.MARKER:
        w.complete = made
    else:
        w.vendor = made


def _count(w: Window, variant: str, size: int) -> None:
    counts = w.counts
    if variant not in counts and len(counts) >= KINDS_REMEMBERED:
        variant = OTHER_KINDS
    counts[variant] = counts.get(variant, 0) + 1
    w.bytes += size


def _advance(w: Window, line: int, time: float) -> None:
    pause = time - w.last_time
    if pause > w.longest_pause:
        w.longest_pause = pause
    if not w.last_line:
        w.first = Point(line, time)
    w.last_line = line
    w.last_time = time
