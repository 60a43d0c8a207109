"""What is kept of a resume request and of each of its sessions: counts, first and last lines, ids."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from replaylint.protocol import methods
from replaylint.protocol.limits import IDS_REMEMBERED, NOTHING, forget_oldest
from replaylint.protocol.variants import CHILDREN, HISTORY
from replaylint.recording.message import NO_TIME
from replaylint.replay.states import State, Trigger

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request

    Fold = Callable[[Any, int, float, str, Mapping[str, Any], int], bool | None]
    """Takes a window, and an update's line, time in seconds, variant, body and size in bytes; REFUSED or None."""
Role = Literal["named", "child"]
End = Literal["success", "error", "cancelled", "closed", "open"]
MarkerKind = Literal["replay_complete", "air_load_replay_end"]
STANDARD: Final = "replay_complete"
VENDOR: Final = "air_load_replay_end"
MARKERS: Final[dict[Trigger, MarkerKind]] = {Trigger.MARKER: STANDARD, Trigger.VENDOR_MARKER: VENDOR}


class Point(NamedTuple):
    """A line, 1-based, and its time in seconds (NaN where it has none)."""

    line: int
    time: float


NOWHERE: Final = Point(0, NO_TIME)
"""Of what has not come."""


class Mark(NamedTuple):
    """A marker, and what the window's history was when it came (`last.line` is 0 where there was none)."""

    kind: MarkerKind
    line: int
    time: float
    last: Point
    longest_pause: float


class Error(NamedTuple):
    """An error response, as far as it has a code and a message; `data` is the beginning of that as JSON."""

    code: int | None
    message: str | None
    data: str | None


KINDS_REMEMBERED: Final = 100
"""Names of variants that are counted apart, a window."""
OTHER_KINDS: Final = "(other)"


class Occurrences:
    """What a subscriber counted in one window, or the engine of one session outside any."""

    __slots__ = ("count", "first", "kinds", "last", "severity", "what")

    def __init__(self, severity: int, what: str, first: Point) -> None:
        self.severity = severity
        self.what = what
        self.first = first
        self.last = first
        self.count = 0
        self.kinds: dict[str, int] = {}

    def add(self, severity: int, what: str, at: Point) -> None:
        """One more; the gravest severity counts."""
        self.severity = max(self.severity, severity)
        self.last = at
        self.count += 1
        if what in self.kinds or len(self.kinds) < KINDS_REMEMBERED:
            self.kinds[what] = self.kinds.get(what, 0) + 1


class UnownedMarker:
    """A marker for a session that has no window.

    While replays are pending it may turn out to be a child's, announced later: `waits` counts the replays that can
    still claim it, unless it is `certain` that it is none. `past` is the ended window that it came too late for, if
    that is what it is; `unannounced` says that it names nothing that the pending replay `during` announced.
    """

    __slots__ = (
        "at",
        "certain",
        "claimed",
        "during",
        "past",
        "session_id",
        "trigger",
        "unannounced",
        "variant",
        "waits",
    )

    def __init__(self, trigger: Trigger, variant: str, at: Point, session_id: str, past: Past | None) -> None:
        self.trigger = trigger
        self.variant = variant
        self.at = at
        self.session_id = session_id
        self.past = past
        self.during: Resume | None = None
        self.unannounced = False
        self.waits = 0
        self.certain = False
        self.claimed = False


class Early:
    """What came for a child before its announcement: how many messages, what and where the first was.

    `markers` are those among them, each with whether it was the first of its kind, `children` the ids of the children
    that they announced, and where, both for the announcement; `unannounced` says, when it has come, that no earlier
    one had announced the child.
    """

    __slots__ = ("children", "count", "first_line", "last_line", "markers", "unannounced", "what")

    def __init__(self, what: str, line: int) -> None:
        self.what = what
        self.first_line = line
        self.last_line = line
        self.count = 0
        self.markers: list[tuple[UnownedMarker, bool]] = []
        self.children: list[tuple[str, Point]] = []
        self.unannounced = False


class Gap:
    """What came between the replay's end so far, which stands at `line`, and the response.

    `time` is that of the last message in it, `pause` the longest silence, `waited` how long an agent's request waited
    for the client's answer, in seconds; `requests` are waiting now, since `waiting_since`.
    """

    __slots__ = ("line", "pause", "requests", "snapshot", "time", "waited", "waiting_since")

    def __init__(self) -> None:
        self.requests = 0
        self.waiting_since = NO_TIME
        self.begin(NOWHERE)

    def begin(self, end: Point) -> None:
        """The replay's end has moved: what was in the gap before is not."""
        self.line, self.time = end
        self.pause = 0.0
        self.waited = 0.0
        self.snapshot = NOWHERE
        """The first `state_update`."""


NO_GAP: Final = Gap()
"""Of a window in which nothing has come that may be in one."""


class Window:
    """One session of one replaying request. `table` says what to do with an update, by its variant.

    Times are seconds, lines 1-based; 0 is no line. `last_line`, `last_time` and `longest_pause` are of the history so
    far, also after a marker: a `Mark` holds what they were when it came. `longest_pause` is NaN, and stays so, where
    an update has no time: nobody knows what silence is around it.
    """

    __slots__ = (
        *("ambiguous", "announced_line", "bytes", "complete", "counts", "early", "first", "forgot", "gap"),
        *("headless", "ids", "last_line", "last_time", "longest_pause", "occurrences", "parent", "resume", "session"),
        *("session_id", "state", "table", "unfinished", "vendor", "whole"),
    )

    def __init__(self, resume: Resume, session_id: str, parent: str | None, state: State) -> None:
        self.resume = resume
        self.session = resume.connection.session(session_id)
        self.session_id = session_id
        self.parent = parent
        self.state = state
        self.table: Mapping[str, Fold | None] = {}
        self.ambiguous = resume.ambiguous
        """Whether another replay of the session was pending before its marker."""
        self.announced_line = 0
        self.counts: dict[str, int] = NOTHING
        """Updates, by their variant; markers are not among them."""
        self.bytes = 0
        self.first = NOWHERE
        """The first history update."""
        self.last_line = 0
        self.last_time = NO_TIME
        self.longest_pause = 0.0
        self.complete: Mark | None = None
        self.vendor: Mark | None = None
        self.ids: dict[object, object] = NOTHING
        """Of messages and thoughts before any marker, with their authors; as tuples, of tool calls and terminals."""
        self.headless: Occurrences | None = None
        """Messages and thoughts, on v2 and before any marker, that began with a chunk."""
        self.forgot = False
        """Whether ids were forgotten, so that one that seems new may be old."""
        self.whole: dict[object, float] = NOTHING
        """Digests of messages that came whole, by their id; on v1, as tuples of one, the tool calls that began."""
        self.unfinished: dict[str, int] = NOTHING
        """The last line of each replayed tool call that is still pending or in progress."""
        self.occurrences: dict[str, Occurrences] = NOTHING
        """What subscribers counted here, by a key of their own: a rule by its code."""
        self.early: Early | None = None
        self.gap = NO_GAP

    @property
    def request(self) -> Request:
        """The request that it belongs to."""
        return self.resume.request

    @property
    def role(self) -> Role:
        """Whether the request named this session or the agent announced it."""
        return "named" if self.parent is None else "child"

    @property
    def marker(self) -> Mark | None:
        """The marker of this window; where both kinds came, the standard one."""
        return self.complete or self.vendor

    def mark_of(self, trigger: Trigger) -> Mark | None:
        """The marker of this kind that came in the window."""
        return self.complete if trigger == Trigger.MARKER else self.vendor

    @property
    def history(self) -> int:
        """History updates."""
        return sum(count for variant, count in self.counts.items() if variant in HISTORY)

    @property
    def content(self) -> int:
        """History updates that are neither announcements nor states of children."""
        return sum(count for variant, count in self.counts.items() if variant in HISTORY and variant not in CHILDREN)

    def surely_has(self, line: int) -> bool:
        """Whether a message that came after the request, as far as is known, certainly did.

        That is a guess for some where each side was recorded apart, unless something of the replay came before.
        """
        guessed = line in self.resume.connection.unordered
        # History of an active session may be live output.
        replayed = self.last_line > 0 and self.resume.was_active is False
        return not guessed or replayed or self.announced_line > 0

    def receives(self) -> None:
        """An update comes for it: until the first history update each calls this, and none later on the hot path."""
        if self.counts is NOTHING:
            self.counts, self.ids = {}, {}

    def begin(self, ident: object, author: object, variant: str, line: int, time: float) -> None:
        """A message begins with this chunk, without the whole one that clears what the client holds of it."""
        if len(self.ids) >= IDS_REMEMBERED:
            self.forget()
        self.ids[ident] = author
        if self.resume.lost:  # its beginning may be
            return
        at = Point(line, time)
        if self.headless is None:
            self.headless = Occurrences(0, variant, at)
        self.headless.add(0, variant, at)

    def forget(self) -> None:
        """Forget the oldest ids: there are too many."""
        self.forgot |= forget_oldest(self.ids)


class Past:
    """What is remembered of a window when its request has ended: enough to tell what still comes for its session.

    `response` is NOWHERE where there was no response; `lines` holds the line of the first marker of each kind, also of
    one that came after the end. `watched`: history that still comes may be late; `after` counts it.
    """

    __slots__ = (
        *("after", "had_history", "lines", "prompt", "prompt_text", "request_line", "response", "role", "session_id"),
        *("snapshot", "watched"),
    )

    def __init__(self, window: Window, snapshot: object) -> None:
        resume = window.resume
        self.session_id = window.session_id
        self.role: Role = window.role
        self.request_line = resume.request.line
        self.response = resume.response or NOWHERE
        self.lines: tuple[tuple[Trigger, int], ...] = ()
        if window.complete is not None:
            self.lines += ((Trigger.MARKER, window.complete.line),)
        if window.vendor is not None:
            self.lines += ((Trigger.VENDOR_MARKER, window.vendor.line),)
        self.had_history = window.last_line > 0
        self.snapshot = snapshot if isinstance(snapshot, str) else None
        self.watched = window.parent is None and resume.end == "success"
        self.after: Occurrences | None = None
        self.prompt: Request | None = None
        """On v1, the first prompt since, while it is unanswered."""
        self.prompt_text = ""

    def line_of(self, trigger: Trigger) -> int:
        """The line of the first marker of this kind, 0 where there is none."""
        return next((line for kind, line in self.lines if kind == trigger), 0)


class Resume:
    """A `session/resume` or `session/load` request. `windows` holds its sessions, the named one first."""

    __slots__ = (
        "_lost",
        "ambiguous",
        "close_line",
        "connection",
        "cursor",
        "end",
        "error",
        "occurrences",
        "provisional",
        "replay_from",
        "replaying",
        "request",
        "response",
        "until",
        "was_active",
        "windows",
    )

    def __init__(self, connection: Connection, request: Request, params: Mapping[str, object]) -> None:
        self.connection = connection
        self.request = request
        cursor = params.get("replayFrom")
        self.cursor = cursor is not None
        kind = cursor.get("type") if isinstance(cursor, dict) else None
        self.replay_from = sys.intern(kind) if isinstance(kind, str) else None
        self.replaying = self.asks_for_history(connection.version)
        self.ambiguous = False
        self._lost = self.replaying and connection.drops_replays
        self.was_active: bool | None = None
        self.windows: dict[str, Window] = {}
        self.provisional: dict[str, Window] = NOTHING
        """Unannounced windows, by the id that their messages bear."""
        self.close_line = 0
        """The success of a `session/close` or `session/delete` of its session while it was pending."""
        self.occurrences: dict[str, Occurrences] = NOTHING
        """The same, of a request that asks for no history."""
        self.end: End | None = None
        self.response: Point | None = None
        self.until = NOWHERE
        """Where no response came, the last that is known to have come before any."""
        self.error: Error | None = None

    def asks_for_history(self, version: int | None) -> bool:
        """Whether on a connection of this version the request asks for history."""
        if self.request.method == methods.LOAD:
            return version != 2
        return version != 1 and self.cursor

    @property
    def lost(self) -> bool:
        """Whether the recorder dropped messages while it was pending, or leaves replays out."""
        return self._lost or (self.end is None and self.connection.lost_line > self.request.line)

    def finish(self, end: End) -> None:
        """It is pending no longer: what is lost from here on concerns it no more."""
        self._lost, self.end = self.lost, end

    @property
    def session_id(self) -> str | None:
        """The session that the request names; None where it names none."""
        return self.request.session_id

    @property
    def named(self) -> Window | None:
        """The window of the session that the request names."""
        return self.windows.get(self.session_id) if self.session_id is not None else None
