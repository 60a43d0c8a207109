"""What an update or an agent's request does to a window."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from orjson import OPT_SORT_KEYS, dumps

from replaylint.protocol.limits import IDS_REMEMBERED, forget_oldest
from replaylint.protocol.variants import (
    CHILDREN,
    DECIDES,
    FINAL_STATUSES,
    HISTORY,
    KNOWN,
    LIVE_ONLY,
    MESSAGES,
    OPEN_STATUSES,
    PAUSED,
    SESSION_INFO,
    STATE,
    USER_MESSAGES,
    WHOLE,
)
from replaylint.recording.message import NO_TIME
from replaylint.replay import gap
from replaylint.replay.states import AFTER_MARKER, State, Trigger
from replaylint.replay.window import KINDS_REMEMBERED, MARKERS, NOWHERE, OTHER_KINDS, Mark, Point, Window

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replaylint.replay.window import Fold

SPECIAL: Final = frozenset({*CHILDREN, STATE, SESSION_INFO})
"""Variants that mean more than their kind: they are routed, not only folded."""

REFUSED: Final = True
"""What a fold returns that has done nothing: there is something to see in the update."""


def history(w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> None:
    """A history update before any marker. What it could call stands in it: it is on the hot path."""
    counts = w.counts
    try:
        counts[variant] += 1
    except KeyError:
        counts[variant] = 1
    w.bytes += size
    pause = time - w.last_time
    if not pause <= w.longest_pause:
        if not w.last_line:
            w.first = Point(line, time)
        elif w.longest_pause == w.longest_pause:
            w.longest_pause = pause
    w.last_line = line
    w.last_time = time
    ident: object = update.get("messageId")
    author: Author | None = None
    if ident.__class__ is str:
        author = AUTHORS.get(variant)
    else:
        tool = update.get("toolCallId")
        if tool.__class__ is not str:
            _terminal(w, update)
            return
        status = update.get("status")
        ident = (tool,)
        if status is None and w.resume.connection.version == 2 and ("status" in update or ident not in w.ids):
            status = "pending"
        if status != "completed" or w.unfinished:
            _status(w, line, tool, status, replayed=True)
    ids = w.ids
    if ident not in ids:
        if len(ids) >= IDS_REMEMBERED:
            w.forget()
        ids[ident] = author


# On the hot path


class Author:
    """Whose messages a variant brings, on v2; calling it folds a chunk of one.

    The engine's loop has it inlined for chunks of a message that has begun.
    """

    __slots__ = ()

    def __call__(
        self, w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int
    ) -> bool | None:
        """Fold a chunk; one that has no id, or that of another author's message, is an event."""
        ident = update.get("messageId")
        if ident.__class__ is not str or w.ids.get(ident, self) is not self:
            return REFUSED
        if ident not in w.ids:
            w.begin(ident, self, variant, line, time)
        history(w, line, time, variant, update, size)
        return None


USER_AUTHOR: Final = Author()
AGENT_AUTHOR: Final = Author()
AUTHORS: Final = {variant: USER_AUTHOR if variant in USER_MESSAGES else AGENT_AUTHOR for variant in MESSAGES}
"""Thoughts are the agent's, too: a message and a thought may share an id."""


def whole(w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> bool | None:
    """A message or thought that comes whole, on v2, and not as it came before."""
    ident = update.get("messageId")
    author = AUTHORS[variant]
    if ident.__class__ is not str or w.ids.get(ident, author) is not author:
        return REFUSED
    if not came_whole(w, ident, variant, update.get("content")):
        return REFUSED
    history(w, line, time, variant, update, size)
    return None


def call(w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> bool | None:
    """A `tool_call` on v1: the first of its id."""
    ident = update.get("toolCallId")
    if not isinstance(ident, str) or not began(w, ident):
        return REFUSED
    w.session.tool_calls.start(ident)
    history(w, line, time, variant, update, size)
    return None


def patch(w: Window, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> bool | None:
    """A `tool_call_update` on v1, for a tool call that began."""
    ident = update.get("toolCallId")
    if not isinstance(ident, str) or ident not in w.session.tool_calls.ids:
        return REFUSED
    history(w, line, time, variant, update, size)
    return None


def outside(w: object, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> bool | None:
    """A message or thought on v2 that belongs to no window, or to one that is only remembered."""
    return None if isinstance(update.get("messageId"), str) else REFUSED


_EXACT: Final[dict[int | None, dict[str, Fold]]] = {
    1: {"tool_call": call, "tool_call_update": patch},
    2: {**AUTHORS, **dict.fromkeys(WHOLE, whole)},
}
"""What rules look at: taken here where there is nothing to see, refused where there is."""
_OUTSIDE: Final[dict[int | None, dict[str, Fold | None]]] = {
    1: {"tool_call": None, "tool_call_update": None},
    2: dict.fromkeys(MESSAGES, outside),
}


# Off it


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
        ident = update.get("toolCallId")
        if isinstance(ident, str):
            _status(w, line, ident, update.get("status"), replayed=False)
            if (ident,) not in w.ids:
                w.forget()
                w.ids[ident,] = None
        else:
            _terminal(w, update)


def ignored(w: object, line: int, time: float, variant: str, update: Mapping[str, object], size: int) -> None:
    """An update that belongs to no window, or to one that is only remembered."""


def fold_of(state: State, variant: str) -> Fold:
    """What to do with an update of this variant in this state, whatever it is. Never REFUSED."""
    if state == State.AFTER:
        return ignored
    if state in AFTER_MARKER:
        return marked
    return history if variant in HISTORY else aside


def trigger_of(variant: str) -> Trigger:
    """What an update of this variant is to a window, unless it is a marker."""
    if variant in HISTORY:
        return Trigger.HISTORY
    return Trigger.LIVE if variant in LIVE_ONLY else Trigger.EITHER


@cache
def table(version: int | None, state: State) -> Mapping[str, Fold | None]:
    """What a window in this state does with each variant on the hot path; None is the slow path.

    There goes what means more than its kind, what is live in a window, history after a marker, and what gives a version
    away that is not known: there is little of it, and each is an event.
    """
    slow = SPECIAL if version is not None else SPECIAL | DECIDES.keys()
    if state in AFTER_MARKER:
        slow |= HISTORY
    if state != State.AFTER:
        slow |= LIVE_ONLY
    special = _OUTSIDE if state == State.AFTER else {} if state in AFTER_MARKER else _EXACT
    exact: Mapping[str, Fold | None] = special.get(version, {})
    return {
        variant: None if variant in slow else exact[variant] if variant in exact else fold_of(state, variant)
        for variant in KNOWN
    }


def mark(w: Window, trigger: Trigger, line: int, time: float) -> None:
    """A marker came. Only the first of its kind counts."""
    if w.mark_of(trigger) is not None:
        return
    last = Point(w.last_line, w.last_time) if w.last_line else NOWHERE
    made = Mark(MARKERS[trigger], line, time, last, w.longest_pause)
    if trigger == Trigger.MARKER:
        w.complete = made
    else:
        w.vendor = made


def began(w: Window, ident: str) -> bool:
    """A `tool_call` on v1. False where that tool call had begun in this window."""
    if (ident,) in w.whole:
        return False
    _remember_whole(w, (ident,), 0.0)
    return True


def came_whole(w: Window, ident: object, variant: str, content: object) -> bool:
    """A message or thought on v2. False where it has content and the same had come in this window."""
    try:
        seen: float = hash((variant, dumps(content, option=OPT_SORT_KEYS)))
    except TypeError:  # nested deeper than can be written: like nothing else
        seen = NO_TIME
    if ident in w.whole and w.whole[ident] == seen and not says_nothing(content):
        return False
    _remember_whole(w, ident, seen)
    return True


def _remember_whole(w: Window, ident: object, seen: float) -> None:
    w.whole = w.whole or {}
    if ident not in w.whole:
        forget_oldest(w.whole)
    w.whole[ident] = seen


def says_nothing(content: object) -> bool:
    """Whether a message with this content is empty."""
    blocks = content if isinstance(content, list) else [content]
    return not content or all(isinstance(block, dict) and block.get("text") == "" for block in blocks)


def _status(w: Window, line: int, ident: object, status: object, *, replayed: bool) -> None:
    """An update of a tool call: only those that were replayed can be left unfinished."""
    if not isinstance(ident, str):
        return
    if status in FINAL_STATUSES or status == PAUSED:
        w.unfinished.pop(ident, None)  # which changes none that is empty
    elif ident in w.unfinished or (replayed and status in OPEN_STATUSES):
        w.unfinished = w.unfinished or {}
        forget_oldest(w.unfinished)
        w.unfinished[ident] = line


def _terminal(w: Window, update: Mapping[str, object]) -> None:
    """An update may announce a terminal."""
    terminal = update.get("terminalId")
    if isinstance(terminal, str) and ("terminal", terminal) not in w.ids:
        w.forget()
        w.ids["terminal", terminal] = None


def _count(w: Window, variant: str, size: int) -> None:
    counts = w.counts
    if variant not in counts and len(counts) >= KINDS_REMEMBERED:
        variant = OTHER_KINDS
    counts[variant] = counts.get(variant, 0) + 1
    w.bytes += size


def _advance(w: Window, line: int, time: float) -> None:
    pause = time - w.last_time
    if not w.last_line:
        w.first = Point(line, time)
    elif not pause <= w.longest_pause and w.longest_pause == w.longest_pause:
        w.longest_pause = pause
    w.last_line = line
    w.last_time = time
