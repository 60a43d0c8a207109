"""What came when in each session of a resume, told by watching its analysis; runs are folded as they come."""

from __future__ import annotations

from collections import defaultdict, deque
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from replaylint.protocol import children, vendor
from replaylint.protocol.connection import Connection
from replaylint.protocol.exchange import id_key
from replaylint.protocol.methods import CANCEL_REQUEST, RESUMES, UPDATE
from replaylint.protocol.variants import CHILDREN, REPLAY_COMPLETE, SESSION_INFO, STATE
from replaylint.recording.message import CLIENT
from replaylint.replay.route import REPLAYS_WATCHED
from replaylint.replay.timing import seconds
from replaylint.replay.window import KINDS_REMEMBERED, OTHER_KINDS, STANDARD, VENDOR, Point, Resume, Window
from replaylint.report.watch import Watcher, bodies

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replaylint.protocol.exchange import Request
    from replaylint.recording.clock import Steps
    from replaylint.recording.message import Message, Side
    from replaylint.replay.engine import Engine
    from replaylint.replay.route import Route
    from replaylint.replay.window import MarkerKind
    from replaylint.report.analysis import Watch
    from replaylint.report.model import Report
    from replaylint.report.places import Place
    from replaylint.report.watch import Spoken

Kind = Literal[
    "request",
    "updates",
    "child",
    "announced",
    "marker",
    "state",
    "asks",
    "answers",
    "notification",
    "cancels",
    "response",
    "omitted",
]
"""The resume's request; updates; the announcement of a child, on its parent's stream and in the child's timeline; a
marker; a `state_update`; another request for the session and its answer; another notification; what cancels the
resume; the resume's response; messages of which only the number is known."""

Timeline = dict[str, list["Event"]]
"""The events of each session of a resume, by its id."""

MOST: Final = 16
"""Events, a session: of more, the neighbouring updates with the shortest silence between them are folded first."""

MARKERS: Final[dict[str, MarkerKind]] = {REPLAY_COMPLETE: STANDARD, SESSION_INFO: VENDOR}
"""What the two markers are called, by their variants."""


class Event(NamedTuple):
    """A message, or several that are folded into one event.

    `what` is a variant, a method, a state, the id of a child, or a kind of marker; `kinds` counts updates by their
    variant. `line` and `last_line` stand in the file of the request, or in `trace`; `last_line` is None where the last
    one stands in another file. `at_s` is the time since the request, `lasted_s` from the first message to the last,
    `pause_s` the silence before the first and `inner_pause_s` the longest one between two of them: seconds, None where
    not known. `longest` says which of the two is the longest of the session up to the response, if one is.
    """

    kind: Kind
    side: Side | None
    what: str
    messages: int
    kinds: Mapping[str, int]
    trace: str | None
    line: int
    last_line: int | None
    at_s: float | None
    lasted_s: float | None
    pause_s: float | None
    inner_pause_s: float | None
    longest: Literal["before", "inside"] | None


class Timelines:
    """Give `begin` to `lint` as `watch`, then ask for the timelines of its report."""

    def __init__(self) -> None:
        self._recordings: list[_Recording] = []

    def begin(self, place: Place) -> Watch:
        """A recording begins; `place` says where its lines stand."""
        self._recordings.append(_Recording(place))
        return self._recordings[-1].watch

    def of(self, report: Report) -> dict[int, Timeline]:
        """The timeline of each resume, by its number (1-based, in report order)."""
        told: defaultdict[object, deque[tuple[_Track, Place]]] = defaultdict(deque)
        for recording in self._recordings:
            for track in recording.tracks.values():
                key = (*recording.place(track.request.line), id_key(track.request.id))
                told[key].append((track, recording.place))
        timelines = {}
        for number, resume in enumerate(report.resumes, 1):
            track, place = told[resume.trace, resume.request.line, id_key(resume.request_id)].popleft()
            timelines[number] = {
                each.session_id: list(track.of(each.session_id).events(resume.trace, place)) for each in resume.sessions
            }
        return timelines


class _Row:
    """An event in the making."""

    __slots__ = ("at", "count", "first", "kind", "kinds", "last", "lasted", "pause", "side", "silence", "what")

    def __init__(
        self, kind: Kind, side: Side | None, what: str, here: Point, at: float | None, pause: float | None
    ) -> None:
        self.kind = kind
        self.side = side
        self.what = what
        self.first = self.last = here
        self.at = at
        self.lasted: float | None = 0.0
        self.pause = pause
        self.silence: float | None = None
        """The longest one inside."""
        self.count = 1
        self.kinds = {what: 1}

    def extend(self, other: _Row, steps: Steps) -> None:
        """What comes next is part of this event, too."""
        if not self.kind == other.kind == "updates":
            self.kind = "omitted"
        self.side = self.side if self.side == other.side else None
        for what, count in other.kinds.items():
            name = what if what in self.kinds or len(self.kinds) < KINDS_REMEMBERED else OTHER_KINDS
            self.kinds[name] = self.kinds.get(name, 0) + count
        self.count += other.count
        self.last = other.last
        self.lasted = seconds(self.first, self.last, steps)
        self.silence = max(
            (each for each in (self.silence, other.pause, other.silence) if each is not None), default=None
        )


class _Rows:
    """The events of a session, at most MOST."""

    __slots__ = ("_asked", "_rows")

    def __init__(self, request: Request) -> None:
        self._asked = Point(request.line, request.time)
        self._rows: list[_Row] = []

    def add(self, kind: Kind, side: Side | None, what: str, here: Point, steps: Steps) -> None:
        """The next message."""
        last = self._rows[-1] if self._rows else None
        pause = seconds(last.last, here, steps) if last is not None else None
        row = _Row(kind, side, what, here, seconds(self._asked, here, steps), pause)
        if last is not None and kind == last.kind == "updates" and last.kinds.keys() == row.kinds.keys():
            last.extend(row, steps)
            return
        self._rows.append(row)
        if len(self._rows) > MOST:
            self._fold(steps)

    def _fold(self, steps: Steps) -> None:
        """Fold two into one. Of updates the longest silences survive; where none are neighbours, the middle goes."""
        rows = self._rows
        runs = [
            (other.pause or 0.0, one.count + other.count, at)
            for at, (one, other) in enumerate(pairwise(rows))
            if one.kind == other.kind == "updates"
        ]
        at = min(runs)[-1] if runs else MOST // 2
        rows[at].extend(rows.pop(at + 1), steps)

    def events(self, trace: str, place: Place) -> Iterator[Event]:
        """As they are told. Lines are said as in this file."""
        longest, where = self._longest()
        for row in self._rows:
            path, line = place(row.first.line)
            last_path, last_line = place(row.last.line)
            yield Event(
                kind=row.kind,
                side=row.side,
                what=row.what,
                messages=row.count,
                kinds=row.kinds,
                trace=None if path == trace else path,
                line=line,
                last_line=last_line if last_path == path else None,
                at_s=row.at,
                lasted_s=row.lasted,
                pause_s=row.pause,
                inner_pause_s=row.silence,
                longest=where if row is longest else None,
            )

    def _longest(self) -> tuple[_Row | None, Literal["before", "inside"]]:
        """The event with the longest silence up to the response, if there is one."""
        answers = [row.first.line for row in self._rows if row.kind == "response"]
        found: _Row | None = None
        where: Literal["before", "inside"] = "before"
        longest = 0.0
        for row in self._rows:
            if answers and row.first.line > answers[0]:
                break
            if (row.pause or 0.0) > longest:
                found, where, longest = row, "before", row.pause or 0.0
            if (row.silence or 0.0) > longest:
                found, where, longest = row, "inside", row.silence or 0.0
        return found, where


class _Track:
    """What is told of one resume: of its sessions, and of those that it may still announce."""

    __slots__ = ("request", "rows")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.rows: dict[str, _Rows] = {}

    def of(self, session_id: str) -> _Rows:
        """The events of this session."""
        rows = self.rows.get(session_id)
        if rows is None:
            rows = self.rows[session_id] = _Rows(self.request)
        return rows


class _Recording(Watcher):
    """Collects the events of one recording. Lines are the analysis's; `place` says where they stand."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self.place = place
        self.tracks: dict[Request, _Track] = {}
        self._at: dict[int, list[_Track]] = {}
        """By the line of the request."""
        self._asked: dict[Request, list[_Rows]] = {}
        """Other requests that are not answered yet, and where they were told of."""
        self._owners: dict[str, Request] = {}

    def watch(self, engine: Engine, messages: Iterator[Message]) -> Iterator[Message]:
        """The same messages."""
        try:
            yield from super().watch(engine, messages)
        finally:
            # Engine and watcher hold each other no longer: the command line runs without the collector.
            engine.connect = Connection
            del self.engine

    def before(self, route: Route | None, message: Message) -> None:
        """Who owns the updates, before this message changes it."""
        self._owners = {}
        if route is None:
            return
        for body in bodies(message):
            params = body.get("params")
            session_id = params.get("sessionId") if isinstance(params, dict) else None
            window = route.targets.get(session_id) if isinstance(session_id, str) else None
            if isinstance(window, Window):
                self._owners[window.session_id] = window.resume.request

    def after(self, old: Route | None, route: Route | None, message: Message) -> None:  # noqa: ARG002
        """Tell of what this message was."""
        if route is None or not isinstance(message[3], dict | list):
            return
        for spoken in self.spoken(route, message):
            if spoken.kind == "request" and spoken.request is not None:
                self._request(route, spoken, spoken.request)
            elif spoken.kind == "response" and spoken.request is not None:
                self._response(route, spoken, spoken.request)
            elif spoken.kind == "notification":
                self._notification(route, spoken)

    def _add(self, rows: _Rows, kind: Kind, spoken: Spoken, what: str) -> None:
        rows.add(kind, spoken.side, what, Point(spoken.line, spoken.time), self.engine.steps)

    def _request(self, route: Route, spoken: Spoken, request: Request) -> None:
        if spoken.side == CLIENT and request.method in RESUMES:
            track = self._track(request)
            if request.session_id is not None:
                self._add(track.of(request.session_id), "request", spoken, request.method)
        if spoken.session_id is None:
            return
        window = route.asked.get(request)
        if window is not None:
            told = [self._rows(window.resume, spoken.session_id)]
        else:
            pending = list(route.pending.values()) if spoken.side == CLIENT else route.plain
            told = [
                self._rows(each, spoken.session_id)
                for each in pending[:REPLAYS_WATCHED]
                if each.session_id == spoken.session_id and each.request in self.tracks and each.request is not request
            ]
        for rows in told:
            self._add(rows, "asks", spoken, request.method)
        if told:
            self._asked[request] = told

    def _response(self, route: Route, spoken: Spoken, request: Request) -> None:
        for rows in self._asked.pop(request, ()):
            self._add(rows, "answers", spoken, request.method)
        track = self.tracks.get(request)
        if track is None or request.session_id is None:
            return
        self._add(track.of(request.session_id), "response", spoken, request.method)
        # What it did not announce has no window that is remembered.
        known = {request.session_id, *route.past}
        track.rows = {each: rows for each, rows in track.rows.items() if each in known}

    def _notification(self, route: Route, spoken: Spoken) -> None:
        session_id, params = spoken.session_id, spoken.body.get("params")
        if spoken.method == CANCEL_REQUEST:
            for request, resume in route.pending.items():
                if request.cancel_line == spoken.line and request.session_id is not None:
                    self._add(self._rows(resume, request.session_id), "cancels", spoken, spoken.method)
        elif session_id is not None and isinstance(params, dict):
            update = params.get("update")
            if spoken.method == UPDATE and spoken.side != CLIENT and isinstance(update, dict) and spoken.variant:
                self._update(route, spoken, session_id, params, update)
            else:
                for rows in self._pending(route, session_id, spoken.line):
                    self._add(rows, "notification", spoken, spoken.method)

    def _update(
        self,
        route: Route,
        spoken: Spoken,
        session_id: str,
        params: Mapping[str, object],
        update: Mapping[str, object],
    ) -> None:
        variant = spoken.variant or ""
        marker = _is_marker(route, variant, params)
        told = self._pending(route, session_id, spoken.line)
        if not told:
            told = self._late(route, session_id, spoken.line, marker=marker)
        resume = self._owner(route, session_id)
        announced = _announced(resume, variant, update, spoken.line)
        for rows in told:
            if marker:
                self._add(rows, "marker", spoken, MARKERS[variant])
            elif announced:
                self._add(rows, "child", spoken, announced[0].session_id)
            elif variant == STATE:
                state = update.get("state")
                self._add(rows, "state", spoken, state if isinstance(state, str) else "")
            else:
                self._add(rows, "updates", spoken, variant)
        if resume is None:
            return
        for window in announced:
            self._add(self._rows(resume, window.session_id), "announced", spoken, window.parent or "")
        if marker and variant == SESSION_INFO:
            # The vendor's event is one for the whole load.
            for window in resume.windows.values():
                if window.vendor is not None and window.vendor.line == spoken.line and window.session_id != session_id:
                    self._add(self._rows(resume, window.session_id), "marker", spoken, MARKERS[variant])

    def _pending(self, route: Route, session_id: str, line: int) -> list[_Rows]:
        """Where a message of this line and session is told of, if it came while a resume was pending."""
        owner = self._owner(route, session_id)
        if owner is not None:
            return [self._rows(owner, session_id)]
        foreign = [
            resume
            for resume in route.replays[:REPLAYS_WATCHED]
            if (window := resume.foreign.get(session_id)) is not None
            and window.early is not None
            and window.early.last_line == line
        ]
        plain = [resume for resume in route.plain[:REPLAYS_WATCHED] if resume.session_id == session_id]
        return [self._rows(resume, session_id) for resume in (*foreign, *plain)]

    def _owner(self, route: Route, session_id: str) -> Resume | None:
        """The resume whose window of this session owns what came; in a batch, it may have come with its request."""
        target = route.targets.get(session_id)
        request = self._owners.get(session_id) or (target.resume.request if isinstance(target, Window) else None)
        return route.pending.get(request) if request is not None else None

    def _late(self, route: Route, session_id: str, line: int, *, marker: bool) -> list[_Rows]:
        """Where this is told of if it should have come before the response: a marker, or late history."""
        past = route.remembered(session_id)
        if past is None or not (marker or (past.after is not None and past.after.last.line == line)):
            return []
        return [each.of(session_id) for each in self._at.get(past.request_line, ()) if session_id in each.rows]

    def _rows(self, resume: Resume, session_id: str) -> _Rows:
        return self._track(resume.request).of(session_id)

    def _track(self, request: Request) -> _Track:
        track = self.tracks.get(request)
        if track is None:
            track = self.tracks[request] = _Track(request)
            self._at.setdefault(request.line, []).append(track)
        return track


def _is_marker(route: Route, variant: str, params: Mapping[str, object]) -> bool:
    if variant == REPLAY_COMPLETE:
        return route.connection.version == 2
    return variant == SESSION_INFO and vendor.is_replay_end(params)


def _announced(resume: Resume | None, variant: str, update: Mapping[str, object], line: int) -> list[Window]:
    """The windows that this update opened: the child's, and those of the children that it had announced already."""
    child = children.announced(variant, update) if variant in CHILDREN else None
    window = resume.windows.get(child) if resume is not None and child is not None else None
    if resume is None or window is None or window.announced_line != line:
        return []
    return [window, *(each for each in resume.windows.values() if each.announced_line == line and each is not window)]
