"""What happened in a recording, whatever anyone makes of it: the events that the engine emits, and who hears them.

Every message is exactly one of `RequestSent`, `ResponseReceived`, `NotificationSent`, `UpdateReceived` and
`MarkerReceived`; JSON that is no message is `Noted`. Plain updates are the exception: most lines of a recording are
history, one like the other, and the engine folds them into their windows without an event unless a subscriber asks for
everything. An update is plain when it is history of a window after its first one and before any marker, and nothing is
odd about its id; when it is current metadata in a window; and outside of windows, when its session is known.

An event is emitted before the message changes anything, except for a request, whose resume is open already. Lines are
1-based, times are seconds, NaN where the recording has none. What the client sent after an `initialize` that turns out
to start a new connection is said again on that, after `Restarted`: with the lines that it had.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replaylint.protocol.connection import Connection, Session
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Note, Side
    from replaylint.replay.states import Trigger
    from replaylint.replay.window import End, Error, Occurrences, Past, Point, Resume, Window

    Body = Mapping[str, Any]


class RequestSent(NamedTuple):
    """A request. Its `case` is the method."""

    connection: Connection
    line: int
    time: float
    side: Side | None
    inferred: bool
    """Whether the recording does not say whose it is."""
    body: Body
    request: Request
    reuses: Request | None
    """The oldest pending request of its side that has the same id."""
    session: Session | None
    """The session that it names."""
    pending: tuple[Resume, ...]
    """The resumes of its session that were pending before, the oldest first."""
    resume: Resume | None
    """What it opens, if it is a resume."""
    window: Window | None
    """Of an agent's request: the window that owns it."""
    provisional: tuple[Window, ...]
    """Where no window does: those that its session will have if a pending replay announces it."""
    past: Past | None
    """Where no window does: the last window of its session, whose request has ended."""
    again: bool
    """Whether it is said again, on the connection that it belongs to."""

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows that it belongs to, or may turn out to belong to."""
        return self.provisional if self.window is None else (self.window,)

    @property
    def case(self) -> str:
        """The method."""
        return self.request.method

    @property
    def what(self) -> str:
        """The method."""
        return self.request.method

    @property
    def session_id(self) -> str | None:
        """The session that it names."""
        return self.request.session_id


class ResponseReceived(NamedTuple):
    """A response. Its `case` is the method of the request that it answers, None where it answers none."""

    connection: Connection
    line: int
    time: float
    side: Side | None
    inferred: bool
    body: Body
    request: Request | None
    """What it answers."""
    earlier: Request | None
    """Where it answers nothing that was pending: the last request with its id."""
    error: Error | None
    pending: tuple[Resume, ...]
    """The resumes of its request's session that are pending, the oldest first."""
    window: Window | None
    """That of the resume that it answers, or the one that owned the agent's request."""
    unnamed: Occurrences | None
    """Updates that came for the session which only this result names."""
    early: Resume | None
    """Of a prompt that was sent before its session was active: the resume that was pending then."""

    @property
    def case(self) -> str | None:
        """The method of its request."""
        return self.request.method if self.request is not None else None

    @property
    def what(self) -> str:
        """The method of its request."""
        return self.request.method if self.request is not None else ""

    @property
    def session_id(self) -> str | None:
        """The session that its request names."""
        return self.request.session_id if self.request is not None else None


class NotificationSent(NamedTuple):
    """A notification that is no update of a session. Its `case` is the method."""

    connection: Connection
    line: int
    time: float
    side: Side | None
    inferred: bool
    body: Body
    method: str
    params: Mapping[str, Any]
    session_id: str | None
    window: Window | None
    """The one that owns the messages of its session."""
    past: Past | None
    """Where no window does: the last window of its session, whose request has ended."""
    pending: tuple[Resume, ...]
    """The pending resumes of its session, the oldest first."""
    again: bool
    """Whether it is said again, on the connection that it belongs to."""

    @property
    def case(self) -> str:
        """The method."""
        return self.method

    @property
    def what(self) -> str:
        """The method."""
        return self.method


class UpdateReceived(NamedTuple):
    """A `session/update` of a session that is no marker. Its `case` is the trigger: history, live, or either."""

    connection: Connection
    line: int
    time: float
    side: Side | None
    inferred: bool
    body: Body
    variant: str
    params: Mapping[str, Any]
    update: Mapping[str, Any]
    session_id: str
    session: Session
    trigger: Trigger
    window: Window | None
    """The one that owns it, as it was before."""
    provisional: tuple[Window, ...]
    """Where none does: those that the session will have if a pending replay announces it."""
    past: Past | None
    """Where none does: the last window of the session, whose request has ended."""
    plain: tuple[Resume, ...]
    """Where none does: the pending resumes of the session that ask for no history."""
    announces: str | None
    """The child that it opens a window for."""
    repeats: bool
    """Whether the window had the same whole message, or on v1 a `tool_call` with this id, before."""

    @property
    def windows(self) -> tuple[Window, ...]:
        """The windows that it belongs to, or may turn out to belong to."""
        return self.provisional if self.window is None else (self.window,)

    @property
    def case(self) -> Trigger:
        """What it is to a window."""
        return self.trigger

    @property
    def what(self) -> str:
        """The variant."""
        return self.variant


class MarkerReceived(NamedTuple):
    """A marker: `replay_complete` on v2, or the vendor's event. Its `case` is the trigger that says which."""

    connection: Connection
    line: int
    time: float
    side: Side | None
    inferred: bool
    body: Body
    variant: str
    params: Mapping[str, Any]
    update: Mapping[str, Any]
    session_id: str
    session: Session
    trigger: Trigger
    window: Window | None
    """The one that owns it."""
    provisional: tuple[Window, ...]
    """Where none does: those that the session will have if a pending replay announces it."""
    past: Past | None
    """Where none does: the last window of the session, whose request has ended."""
    plain: tuple[Resume, ...]
    """Where none does: the pending resumes of the session that ask for no history."""

    @property
    def case(self) -> Trigger:
        """Which marker."""
        return self.trigger

    @property
    def what(self) -> str:
        """The variant."""
        return self.variant


class MarkerAssigned(NamedTuple):
    """Whose a marker is has become certain. Where no window owned it, that may take until the pending replays end.

    With neither a window nor a past one it belongs to nothing: `during` is the replay that was pending, and
    `unannounced` says that it names a session which that replay did not announce. Its `case` is the trigger.
    """

    connection: Connection
    line: int
    time: float
    variant: str
    session_id: str
    trigger: Trigger
    window: Window | None
    past: Past | None
    during: Resume | None
    unannounced: bool
    first: bool
    """Whether its window had no marker of its kind before."""

    @property
    def case(self) -> Trigger:
        """Which marker."""
        return self.trigger

    @property
    def what(self) -> str:
        """The variant."""
        return self.variant


class ChildAnnounced(NamedTuple):
    """The announcement of a child opened a window. `line` is the announcement's."""

    connection: Connection
    line: int
    time: float
    window: Window

    @property
    def case(self) -> None:
        """There is but one."""


class Batch:
    """A note: an array of messages, each of which is an event too."""

    __slots__ = ("items",)

    def __init__(self, items: list[Any]) -> None:
        self.items = items


class Unversioned:
    """A note: this message, an event too, has no `"jsonrpc": "2.0"`, which earlier ones of its side have."""

    __slots__ = ("body",)

    def __init__(self, body: Body) -> None:
        self.body = body


class Oversized:
    """A note: this message, an event too, is longer than messages may be. `size` and `limit` are in bytes."""

    __slots__ = ("limit", "size")

    def __init__(self, size: int, limit: int) -> None:
        self.size = size
        self.limit = limit


class Noted(NamedTuple):
    """What the recorder noted, or what there is to note of a line beside its messages. Its `case` is the note's class.

    `connection` and `side` are None where they are not known. `cut`: the note is an `Unreadable`, a beginning of JSON
    and the last text of its side.
    """

    connection: Connection | None
    line: int
    time: float
    side: Side | None
    note: Note | Batch | Oversized | Unversioned
    cut: bool = False

    @property
    def case(self) -> type:
        """The class of the note."""
        return self.note.__class__

    @property
    def what(self) -> str:
        """No method or variant."""
        return ""

    @property
    def session_id(self) -> None:
        """It concerns no session."""


class Restarted(NamedTuple):
    """What the client sent from this line on belongs to the connection that follows, and is said again there.

    Where that is not `certain`, an `initialize` was pending when the recording stopped.
    """

    connection: Connection
    line: int
    certain: bool

    @property
    def case(self) -> bool:
        """Whether it is certain."""
        return self.certain


class ResumeEnded(NamedTuple):
    """A resume ended, with its windows as they were then. Its `case` is how."""

    resume: Resume

    @property
    def case(self) -> End:
        """How it ended."""
        return self.resume.end or "open"


class ConnectionEnded(NamedTuple):
    """A connection ended, or the recording of it. Its `case` is which: `closed` or `open`."""

    connection: Connection
    end: End
    at: Point
    """The last message that is known to have come before."""
    said_at: tuple[int, ...]
    """The lines that say so."""
    unnamed: Mapping[str, Occurrences]
    """Updates, by their session, that nothing on the connection names."""

    @property
    def case(self) -> End:
        """Whether it is known to have ended."""
        return self.end


class RecordingEnded(NamedTuple):
    """There is no more."""

    resumes: int
    lost: int
    """Messages that the recorder says it dropped."""
    whole: bool
    """Whether it was read to its end, and nothing is known to be lost."""
    inferred: bool
    """Whether the direction of a message was inferred."""
    malformed: int
    """Messages that are passed over because a field has another type than it has to have."""
    malformed_line: int
    """The first of them, 0 where there is none."""

    @property
    def case(self) -> bool:
        """Whether it is whole."""
        return self.whole


Located = RequestSent | ResponseReceived | NotificationSent | UpdateReceived | MarkerReceived | MarkerAssigned | Noted
"""What is at a line, and may be a fault."""

_E = TypeVar("_E", bound=tuple[object, ...])

Event = Located | ChildAnnounced | Restarted | ResumeEnded | ConnectionEnded | RecordingEnded


class Stream:
    """The events of one recording on their way to whoever subscribes."""

    def __init__(self) -> None:
        self._subscribers: dict[type[Any], list[Callable[[Any], object]]] = {}
        self.everything = False
        """Whether somebody wants to hear of plain updates too, which costs time on every line."""

    def subscribe(self, kind: type[_E], heard: Callable[[_E], object]) -> None:
        """Call this for each event of this kind, after those who subscribed before."""
        self._subscribers.setdefault(kind, []).append(heard)

    def emit(self, event: Event) -> None:
        """This happened."""
        for heard in self._subscribers.get(event.__class__, ()):
            heard(event)
