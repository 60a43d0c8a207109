"""Which window owns a message, on one connection.

Replaying requests that are pending for one session at once cannot be told apart by a marker. Each message goes to the
oldest of them that has no marker for that session yet, or, when all have one, to the newest. A request that an error
with id null may answer starts no overlap.

Source: the RFD's question "Can a Client resume the same session twice at the same time on one connection?".
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeVar

from replaylint.protocol import methods
from replaylint.protocol.variants import KNOWN
from replaylint.replay import fold
from replaylint.replay.states import TABLE, UNANNOUNCED, State, Trigger
from replaylint.replay.window import Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.replay.window import Fold, Resume

_K = TypeVar("_K")
_T = TypeVar("_T")
Queue = OrderedDict["Request", _T]
"""By requests, the oldest first. Those are found at once, also behind many that were removed."""

MAX_REPLAYS_WATCHED: Final = 100
"""Pending requests, the oldest, that are looked through for one message."""

_SLOW: Final[dict[str, Fold | None]] = dict.fromkeys(KNOWN)


class Nowhere:
    """The target of sessions that no window owns."""

    __slots__ = ("table",)

    def __init__(self) -> None:
        self.table: Mapping[str, Fold | None] = _SLOW


class Ownership:
    """The pending resumes of one connection and their windows."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.targets: dict[str, Window | Nowhere] = {}
        """Where an update goes, by the session's id that it bears."""
        self.nowhere = Nowhere()
        self.pending: dict[Request, Resume] = {}
        self.replays: Queue[Resume] = OrderedDict()
        """The pending ones that replay, the oldest first."""
        self._plain: dict[str, Queue[Resume]] = {}
        """The pending ones that do not, by their sessions."""
        self._of_session: dict[str, Queue[Resume]] = {}
        """The pending ones by the sessions that they name."""
        self._windows: dict[str, Queue[Window]] = {}
        """The windows of the pending ones by their sessions, those of the oldest request first."""
        self._tables: dict[State, dict[str, Fold | None]] = {}
        self._idle()

    # Resumes

    def open(self, resume: Resume) -> tuple[Window, ...]:
        """A resume is pending from here on. Returns the pending windows of its session that it overlaps with."""
        request, session_id = resume.request, resume.session_id
        self.pending[request] = resume
        if session_id is None:
            return ()
        _enqueue(self._of_session, session_id, request, resume)
        if not resume.replaying:
            self._add_plain(resume, session_id)
            return ()
        overlapped = tuple(each for each in self.windows_of(session_id) if not each.resume.request.odd)
        for window in resume.windows.values():
            self._enter(window, window.state)
            self.add(window)
        self.replays[request] = resume
        self._idle()
        return overlapped

    def _add_plain(self, resume: Resume, session_id: str) -> None:
        _enqueue(self._plain, session_id, resume.request, resume)
        self.own(session_id)  # and have its updates leave the hot path

    def remove(self, resume: Resume) -> None:
        """A resume is pending no longer; its windows still have to be dropped."""
        request, session_id = resume.request, resume.session_id
        self.pending.pop(request, None)
        self.replays.pop(request, None)
        if session_id is not None:
            discard(self._plain, session_id, request)
            discard(self._of_session, session_id, request)
        self._idle()

    def resumes_of(self, session_id: str | None) -> tuple[Resume, ...]:
        """The pending resumes that name this session, the oldest first, as many of them as are told apart."""
        return _first(self._of_session.get(session_id)) if session_id is not None else ()

    def plain_of(self, session_id: str) -> tuple[Resume, ...]:
        """Those of them that ask for no history."""
        return _first(self._plain.get(session_id))

    def watched_replays(self) -> tuple[Resume, ...]:
        """The pending replays that one message may concern: as many of the oldest as are looked through."""
        return _first(self.replays)

    def move(self, requests: Iterable[Request]) -> dict[Request, Resume]:
        """These pending requests belong to the connection that follows this one; returns the replays among them."""
        moved = {}
        for request in requests:
            resume = self.pending.get(request)
            if resume is None:
                continue
            if resume.replaying:
                moved[request] = resume
            self.remove(resume)
            for window in resume.windows.values():
                self.drop(window)
        return moved

    def version_changed(self) -> None:
        """The version is known now, or was taken for another: windows and pending requests follow it."""
        self._tables = {}
        for request, resume in tuple(self.pending.items()):
            replaying = resume.asks_for_history(self.connection.version)
            if resume.replaying and not replaying and request in self.replays:  # not, if it names no session
                del self.replays[request]
                windows, resume.windows = tuple(resume.windows.values()), {}
                if resume.session_id is not None:
                    _enqueue(self._plain, resume.session_id, request, resume)
                for window in windows:
                    self.drop(window)
            resume.replaying = replaying
            if request.method == methods.LOAD:  # it had been sent on v1, and v2 has none
                self.remove(resume)
            for window in resume.windows.values():
                self._enter(window, window.state)
        self._idle()

    # Windows

    def windows_of(self, session_id: str | None) -> tuple[Window, ...]:
        """The pending windows of this session, as many of them as are told apart."""
        return _first(self._windows.get(session_id)) if session_id is not None else ()

    def add(self, window: Window) -> None:
        """This window owns messages from here on, if no other one of its session does."""
        request, session_id = window.resume.request, window.session_id
        windows = self._windows.get(session_id)
        last = next(reversed(windows)) if windows else None
        _enqueue(self._windows, session_id, request, window)
        if windows is not None and last is not None and last.line > request.line:
            # A child of an older replay was announced.
            for each in sorted(windows, key=lambda each: each.line):
                windows.move_to_end(each)
        self.own(session_id)

    def drop(self, window: Window) -> None:
        """This window owns nothing any more."""
        discard(self._windows, window.session_id, window.resume.request)
        self.own(window.session_id)

    def own(self, session_id: str) -> None:
        """Find out which window owns this session's messages from here on."""
        owner: Window | None = None
        for window in self.windows_of(session_id):
            # Of requests that the agent may not have been able to read, the newest is the likeliest.
            doubtful = owner is not None and owner.resume.request.odd
            if owner is None or doubtful or (not window.resume.request.odd and owner.marker is not None):
                owner = window
        if owner is not None:
            self.targets[session_id] = owner
        else:
            self.targets.pop(session_id, None)

    def watch(self, session_id: str) -> None:
        """Have the updates of this session leave the hot path, if no window owns them."""
        if self.targets.get(session_id) is self.nowhere:
            del self.targets[session_id]

    def owner(self, session_id: str) -> Window | None:
        """The window that owns this session's messages."""
        target = self.targets.get(session_id)
        return target if isinstance(target, Window) else None

    def mark(self, window: Window, trigger: Trigger, line: int, time: float) -> None:
        """A marker of this window came."""
        fold.mark(window, trigger, line, time)
        self.step(window, trigger)
        if window.state not in UNANNOUNCED:
            self.own(window.session_id)

    def step(self, window: Window, trigger: Trigger) -> None:
        """This happened to a window."""
        state = TABLE[window.state][trigger]
        if state is not window.state:
            self._enter(window, state)

    def has_history(self, window: Window) -> None:
        """The first history update of a window came."""
        self._enter(window, window.state)

    def _enter(self, window: Window, state: State) -> None:
        window.state = state
        # The first history update leaves the hot path, so that nothing has to ask later whether it is the first.
        window.table = self._table(state) if window.last_line else _SLOW

    def _idle(self) -> None:
        """What happens to messages that no window owns: while a replay is pending, its children may be among them."""
        self.nowhere.table = _SLOW if self.replays else self._table(State.AFTER)

    def _table(self, state: State) -> dict[str, Fold | None]:
        found = self._tables.get(state)
        if found is None:
            found = self._tables[state] = fold.table(self.connection.version, state)
        return found


def _first(queue: Queue[_T] | None) -> tuple[_T, ...]:
    return tuple(islice(queue.values(), MAX_REPLAYS_WATCHED)) if queue else ()


def _enqueue(index: dict[str, Queue[_T]], session_id: str, request: Request, item: _T) -> None:
    index.setdefault(session_id, OrderedDict())[request] = item


def discard(index: dict[_K, Queue[_T]], session_id: _K, request: Request) -> None:
    """This request is not pending any more in an index by sessions."""
    queue = index.get(session_id)
    if queue is not None:
        queue.pop(request, None)
        if not queue:
            del index[session_id]
