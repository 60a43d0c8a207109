"""Which window owns a message, on one connection.

Replaying requests that are pending for one session at once cannot be told apart by a marker. Each message goes to the
oldest of them that has no marker for that session yet, or, when all have one, to the newest. A request that an error
with id null may answer starts no overlap.

Source: the RFD's question "Can a Client resume the same session twice at the same time on one connection?".
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from replaylint.protocol import methods
from replaylint.protocol.limits import NOTHING
from replaylint.protocol.variants import KNOWN
from replaylint.replay import fold
from replaylint.replay.states import TABLE, UNANNOUNCED, State, Trigger
from replaylint.replay.window import Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.replay.window import Fold, Resume

_T = TypeVar("_T", bound="OfRequest")
Queue = OrderedDict["Request", _T]
"""By requests, the oldest first. Those are found at once, also behind many that were removed."""

MAX_REPLAYS_WATCHED: Final = 100
"""Pending requests, the oldest, that are looked through for one message."""

_SLOW: Final[dict[str, Fold | None]] = dict.fromkeys(KNOWN)


class OfRequest(Protocol):
    """What a request is pending for."""

    @property
    def request(self) -> Request:
        """That request."""


class BySession(Generic[_T]):
    """What is pending, by its session, that of the oldest request first. Nearly always it is one thing a session."""

    __slots__ = ("_only", "_several")

    def __init__(self) -> None:
        self._only: dict[str, _T] = NOTHING
        self._several: dict[str, Queue[_T]] | None = None

    def add(self, session_id: str, item: _T) -> None:
        """One more."""
        queue = None if self._several is None else self._several.get(session_id)
        if queue is None:
            self._only = self._only or {}
            only = self._only.setdefault(session_id, item)
            if only is item:
                return
            del self._only[session_id]
            queue = OrderedDict({only.request: only})
            self._several = self._several or {}
            self._several[session_id] = queue
        last = next(reversed(queue))
        queue[item.request] = item
        if last.line > item.request.line:
            # A child of an older replay was announced.
            for request in sorted(queue, key=lambda request: request.line):
                queue.move_to_end(request)

    def discard(self, session_id: str, request: Request) -> None:
        """What was pending for this request is no longer."""
        only = self._only.get(session_id)
        if only is not None:
            if only.request is request:
                del self._only[session_id]
            return
        queue = None if self._several is None else self._several.get(session_id)
        if queue is not None:
            queue.pop(request, None)
            if not queue and self._several is not None:
                del self._several[session_id]

    def first(self, session_id: str) -> tuple[_T, ...]:
        """As many of them as are told apart."""
        only = self._only.get(session_id)
        if only is not None:
            return (only,)
        queue = None if self._several is None else self._several.get(session_id)
        return tuple(islice(queue.values(), MAX_REPLAYS_WATCHED)) if queue else ()


NO_REPLAYS: Final[Queue[Any]] = OrderedDict()
"""In place of a queue of its own, until one is pending."""


class Nowhere:
    """The target of sessions that no window owns."""

    __slots__ = ("table",)

    def __init__(self) -> None:
        self.table: Mapping[str, Fold | None] = _SLOW


class Ownership:
    """The pending resumes of one connection and their windows."""

    __slots__ = ("_of_session", "_windows", "connection", "nowhere", "pending", "replays", "targets")

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.targets: dict[str, Window | Nowhere] = NOTHING
        """Where an update goes, by the session's id that it bears."""
        self.nowhere = Nowhere()
        self.pending: dict[Request, Resume] = NOTHING
        self.replays: Queue[Resume] = NO_REPLAYS
        """The pending ones that replay, the oldest first."""
        self._of_session: BySession[Resume] = BySession()
        """The pending ones by the sessions that they name."""
        self._windows: BySession[Window] = BySession()
        """The windows of the pending ones."""
        self._idle()

    # Resumes

    def open(self, resume: Resume) -> tuple[Window, ...]:
        """A resume is pending from here on. Returns the pending windows of its session that it overlaps with."""
        request, session_id = resume.request, resume.session_id
        self.pending = self.pending or {}
        self.pending[request] = resume
        if session_id is None:
            return ()
        self._of_session.add(session_id, resume)
        if not resume.replaying:
            self.own(session_id)  # and have its updates leave the hot path
            return ()
        overlapped = tuple(each for each in self.windows_of(session_id) if not each.resume.request.odd)
        for window in resume.windows.values():
            self._enter(window, window.state)
            self.add(window)
        self.replays = self.replays or OrderedDict()
        self.replays[request] = resume
        self._idle()
        return overlapped

    def remove(self, resume: Resume) -> None:
        """A resume is pending no longer; its windows still have to be dropped."""
        request, session_id = resume.request, resume.session_id
        self.pending.pop(request, None)
        self.replays.pop(request, None)
        if session_id is not None:
            self._of_session.discard(session_id, request)
        self._idle()

    def resumes_of(self, session_id: str | None) -> tuple[Resume, ...]:
        """The pending resumes that name this session, the oldest first, as many of them as are told apart."""
        return self._of_session.first(session_id) if session_id is not None else ()

    def plain_of(self, session_id: str) -> tuple[Resume, ...]:
        """Those of them that ask for no history."""
        return tuple(each for each in self._of_session.first(session_id) if not each.replaying)

    def watched_replays(self) -> tuple[Resume, ...]:
        """The pending replays that one message may concern: as many of the oldest as are looked through."""
        return tuple(islice(self.replays.values(), MAX_REPLAYS_WATCHED))

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
        for request, resume in tuple(self.pending.items()):
            replaying = resume.asks_for_history(self.connection.version)
            if resume.replaying and not replaying and request in self.replays:  # not, if it names no session
                del self.replays[request]
                windows, resume.windows = tuple(resume.windows.values()), {}
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
        return self._windows.first(session_id) if session_id is not None else ()

    def add(self, window: Window) -> None:
        """This window owns messages from here on, if no other one of its session does."""
        self._windows.add(window.session_id, window)
        self.own(window.session_id)

    def drop(self, window: Window) -> None:
        """This window owns nothing any more."""
        self._windows.discard(window.session_id, window.request)
        self.own(window.session_id)

    def own(self, session_id: str) -> None:
        """Find out which window owns this session's messages from here on."""
        owner: Window | None = None
        for window in self.windows_of(session_id):
            # Of requests that the agent may not have been able to read, the newest is the likeliest.
            doubtful = owner is not None and owner.resume.request.odd
            if owner is None or doubtful or (not window.resume.request.odd and owner.marker is not None):
                owner = window
            elif owner.marker is None:
                break
        if owner is not None:
            self.targets = self.targets or {}
            self.targets[session_id] = owner
        else:
            self.targets.pop(session_id, None)

    def leave(self, session_id: str) -> None:
        """No window owns the updates of this session, and nothing else is to be seen in them."""
        self.targets = self.targets or {}
        self.targets[session_id] = self.nowhere

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

    def _table(self, state: State) -> Mapping[str, Fold | None]:
        return fold.table(self.connection.version, state)
