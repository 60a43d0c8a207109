"""Child sessions on one connection: what came before their announcement, and the windows that this opens.

Messages that bear the id of no session with a window may be those of a child that a pending replay announces later. So
each pending replay keeps a provisional window for every such id. An announcement makes it the child's window, with the
markers that came already; where none comes, it never was.

Source: the RFD's section "Subagent sessions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.limits import NOTHING
from replaylint.replay import fold
from replaylint.replay.events import ChildAnnounced, MarkerAssigned
from replaylint.replay.states import State, Trigger
from replaylint.replay.window import Early, UnownedMarker, Window

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replaylint.protocol.connection import Connection
    from replaylint.replay.events import Stream
    from replaylint.replay.ownership import Ownership
    from replaylint.replay.window import Point, Resume

MAX_PROVISIONAL: Final = 1000
"""Sessions that may still be announced as children, a pending replay."""
MAX_EARLY: Final = 100
"""Markers and announcements that are kept, a provisional window."""


class Children:
    """The children of the pending replays."""

    __slots__ = ("_ownership", "_stream", "connection")

    def __init__(self, connection: Connection, stream: Stream, ownership: Ownership) -> None:
        self.connection = connection
        self._stream = stream
        self._ownership = ownership

    def provisional(self, session_id: str, what: str, line: int) -> tuple[Window, ...]:
        """A message for a session without a window: the windows that it will have if a pending replay announces it."""
        windows = (self._provisional(resume, session_id, what, line) for resume in self._ownership.watched_replays())
        return tuple(window for window in windows if window is not None)

    def _provisional(self, resume: Resume, session_id: str, what: str, line: int) -> Window | None:
        window = resume.provisional.get(session_id)
        if window is None:
            if len(resume.provisional) >= MAX_PROVISIONAL:
                return None
            window = Window(resume, session_id, None, State.UNANNOUNCED)
            resume.provisional = resume.provisional or {}
            resume.provisional[session_id] = window
            self._mark_whole(window)
        if window.early is None:
            window.early = Early(what, line)
        window.early.count += 1
        window.early.last_line = line
        return window

    def _mark_whole(self, window: Window) -> None:
        """The vendor's event is one for the whole load: it serves the children that come later, too."""
        named = window.resume.named
        if named is not None and named.vendor is not None:
            self._ownership.mark(window, Trigger.VENDOR_MARKER, named.vendor.line, named.vendor.time)

    def keep_child(self, windows: tuple[Window, ...], child_id: str, at: Point) -> None:
        """A session that may be a child announced this one."""
        for window in windows:
            if window.early is not None and len(window.early.children) < MAX_EARLY:
                window.early.children.append((child_id, at))

    def keep_marker(self, windows: tuple[Window, ...], marker: UnownedMarker) -> None:
        """A marker of a session that may be a child: each of these windows may claim it."""
        for window in windows:
            if window.early is not None and len(window.early.markers) < MAX_EARLY:
                window.early.markers.append((marker, window.mark_of(marker.trigger) is None))
                marker.waits += 1
                self._ownership.mark(window, marker.trigger, *marker.at)

    def opens(self, parent: Window, child_id: str) -> bool:
        """Whether an announcement of this child on the stream of this window opens one for it, or only patches."""
        if child_id in parent.resume.windows:
            return False
        known = self.connection.sessions.get(child_id)
        return parent.marker is None or known is None or not (known.named or known.root is not None)

    def announce(self, parent: Window, child_id: str, at: Point) -> None:
        """A child was announced on the stream of this window, and with it the children that it had announced."""
        announced = [(parent, child_id, at)]
        while announced:
            parent, child_id, at = announced.pop(0)
            window = self._announce(parent, child_id, at)
            if window is not None and window.early is not None:
                announced += [(window, *each) for each in window.early.children]

    def _announce(self, parent: Window, child_id: str, at: Point) -> Window | None:
        """The window that an announcement opens; None where it only patches."""
        resume, connection, ownership = parent.resume, self.connection, self._ownership
        if child_id in resume.windows:
            return None
        known = connection.sessions.get(child_id)
        before = known.announced_line if known is not None else 0
        opens = self.opens(parent, child_id)
        connection.announce(child_id, parent.session_id, at.line)
        if not opens:
            return None
        window = resume.provisional.pop(child_id, None)
        if window is None:
            window = Window(resume, child_id, None, State.UNANNOUNCED)
        window.parent = parent.session_id
        window.announced_line = at.line
        resume.windows[child_id] = window
        ownership.add(window)
        ownership.step(window, Trigger.ANNOUNCEMENT)
        if window.early is not None:
            # An earlier announcement may be among the messages that were lost.
            unannounced = not before or before > window.early.first_line
            window.early.unannounced = unannounced and not resume.lost
        self._stream.emit(ChildAnnounced(connection, at.line, at.time, window))
        for marker, first in window.early.markers if window.early is not None else ():
            marker.claimed = True
            self._stream.emit(assigned(connection, marker, window=window, first=first))
        self._mark_whole(window)
        ownership.own(child_id)
        return window

    def release(self, resume: Resume) -> Iterator[UnownedMarker]:
        """The sessions that this replay has not announced are none of its children: the markers that are nobody's."""
        for window in resume.provisional.values():
            for marker, _ in window.early.markers if window.early is not None else ():
                marker.waits -= 1
                # Where the recording just stops, the announcement may only be missing from it.
                known = marker.certain or resume.end != "open"
                if not marker.waits and not marker.claimed and known:
                    yield marker
            self._ownership.step(window, Trigger.END)
        resume.provisional = NOTHING

    def fold(
        self, windows: tuple[Window, ...], line: int, time: float, variant: str, update: Mapping[str, object], size: int
    ) -> None:
        """An update becomes part of these windows."""
        for window in windows:
            window.receives()
            fold.fold_of(window.state, variant)(window, line, time, variant, update, size)
            self._ownership.step(window, fold.trigger_of(variant))


def assigned(
    connection: Connection, marker: UnownedMarker, *, window: Window | None = None, first: bool = True
) -> MarkerAssigned:
    """Whose this marker is: the window's, if there is one."""
    return MarkerAssigned(
        connection=connection,
        line=marker.at.line,
        time=marker.at.time,
        variant=marker.variant,
        session_id=marker.session_id,
        trigger=marker.trigger,
        window=window,
        past=None if window is not None else marker.past,
        during=None if window is not None else marker.during,
        unannounced=window is None and marker.unannounced,
        first=first,
    )
