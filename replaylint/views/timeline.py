"""What came when in each session of a resume, told by watching its analysis; runs are folded as they come."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from replaylint.protocol import children, vendor
from replaylint.protocol.connection import Connection
from replaylint.protocol.exchange import id_key
from replaylint.protocol.methods import CANCEL_REQUEST, RESUMES, UPDATE
from replaylint.protocol.variants import CHILDREN, KNOWN, REPLAY_COMPLETE, SESSION_INFO, STATE
from replaylint.recording.message import AGENT, CLIENT, NO_TIME
from replaylint.replay.route import REPLAYS_WATCHED
from replaylint.replay.timing import DECIMALS, figure, seconds
from replaylint.replay.window import KINDS_REMEMBERED, OTHER_KINDS, STANDARD, VENDOR, Point, Resume, Window
from replaylint.views.watch import Watcher, bodies

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.analysis.run import Watch
    from replaylint.protocol.exchange import Request
    from replaylint.recording.clock import Steps
    from replaylint.recording.message import Message, Side
    from replaylint.replay.engine import Engine
    from replaylint.replay.route import Route
    from replaylint.replay.window import MarkerKind
    from replaylint.report.model import Report
    from replaylint.report.model import Resume as ReportedResume
    from replaylint.report.source_map import SourceMap
    from replaylint.views.watch import Spoken

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
    "end",
    "omitted",
]
"""The resume's request; updates; the announcement of a child, on its parent's stream and in the child's timeline; a
marker; a `state_update`; another request for the session and its answer; another notification; what cancels the
resume; the resume's response, or where there is none the end of the connection or of its recording; messages of which
only the number is known."""

Timeline = dict[str, list["Event"]]
"""The events of each session of a resume, by its id."""

MOST: Final = 16
"""Events, a session: of more, the neighbouring updates with the shortest pause between them are folded first."""

KEPT: Final = frozenset({"request", "announced", "marker", "cancels", "response", "end"})
"""The first event of these kinds, of a marker the first of each kind of it, is never folded: at most five a session."""

MUCH: Final = 5
"""A pause in a run of like updates stands out if it is so many times as long as the run's are on average, and at least
such a part of its time: a steady stream is one event. The longest of the timeline stands out if the others of the run
are no more than half as long on average."""

MARKERS: Final[dict[str, MarkerKind]] = {REPLAY_COMPLETE: STANDARD, SESSION_INFO: VENDOR}
"""What the two markers are called, by their variants."""

_NEVER: Final = -inf

_PLAIN: Final = KNOWN - CHILDREN - {STATE, SESSION_INFO}
"""Updates that are nothing but updates."""


# What is lost with two events that become one: nothing, where they are updates of one kind without a pause that stands
# out; the pause, where they are updates or several times the same; the messages.
_NOTHING: Final = 0
_PAUSE: Final = 1
_MESSAGES: Final = 2


class Event(NamedTuple):
    """A message, or several that are folded into one event.

    `what` is a variant, a method, a state, the id of a child, a kind of marker, or how a resume without a response
    ended; `kinds` counts updates by their variant. `line` and `last_line` stand in the file of the request, or in
    `trace`; `last_line` is None where the last one stands in another file, and an end has no line. `ordered`: it is
    known what of the other side came before it. `at_s` is the time since the request, `lasted_s` from the first message
    to the last, `pause_s` the one before the first and `inner_pause_s` the longest between two of them: seconds, None
    where not known. `longest` says which of the two is the longest of the session up to the response, if one is.
    """

    kind: Kind
    side: Side | None
    what: str
    messages: int
    kinds: Mapping[str, int]
    trace: str | None
    line: int | None
    last_line: int | None
    ordered: bool
    at_s: float | None
    lasted_s: float | None
    pause_s: float | None
    inner_pause_s: float | None
    longest: Literal["before", "inside"] | None


class Timelines:
    """Give `begin` to `lint` as `watch`, then ask for the timelines of its report."""

    def __init__(self) -> None:
        self._recordings: list[_Recording] = []

    def begin(self, locate: SourceMap) -> Watch:
        """A recording begins; `locate` says where its lines stand."""
        self._recordings.append(_Recording(locate))
        return self._recordings[-1].watch

    def of(self, report: Report) -> Mapping[int, Timeline]:
        """The timeline of each resume, by its number (1-based, in report order)."""
        return _Told(self._recordings, report)


class _Told(Mapping[int, Timeline]):
    """Timelines, each made when it is asked for: of many resumes few are shown."""

    def __init__(self, recordings: Iterable[_Recording], report: Report) -> None:
        told: defaultdict[object, deque[tuple[_Track, SourceMap]]] = defaultdict(deque)
        for recording in recordings:
            for track in recording.tracks.values():
                key = (*recording.locate(track.request.line), id_key(track.request.id))
                told[key].append((track, recording.locate))
        self._unordered = {trace.path for trace in report.traces if trace.order == "per_side"}
        self._of = {
            number: (resume, *told[resume.trace, resume.request.line, id_key(resume.request_id)].popleft())
            for number, resume in enumerate(report.resumes, 1)
        }
        self._made: dict[int, Timeline] = {}

    def __getitem__(self, number: int) -> Timeline:
        if number not in self._made:
            self._made[number] = self._timeline(*self._of[number])
        return self._made[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def _timeline(self, resume: ReportedResume, track: _Track, locate: SourceMap) -> Timeline:
        made: Timeline = {}
        for session_id in (each.session_id for each in resume.sessions):
            rows = track.rows.get(session_id) or _Rows(track.request, track.steps)
            if resume.response is None:
                rows.end(resume.end, resume.unanswered_s)
            made[session_id] = list(rows.events(resume.trace, locate, ordered=resume.trace not in self._unordered))
        return made


class _Row:
    """An event in the making."""

    __slots__ = (
        *("at", "count", "first", "kept", "kind", "kinds", "line", "name", "pause", "side", "silence", "time"),
        "what",
    )

    def __init__(
        self, kind: Kind, side: Side | None, what: str, here: Point, at: float | None, pause: float | None
    ) -> None:
        self.kind = kind
        self.side = side
        self.what = what
        self.first = here
        self.line, self.time = here
        """Of the last message."""
        self.at = at
        self.pause = pause
        self.silence = 0.0
        """The longest pause inside."""
        self.count = 1
        self.kinds = {what: 1}
        self.name = what if kind == "updates" else None
        """The variant, if all of it is updates of one."""
        self.kept = False

    @property
    def lasted(self) -> float:
        """By the clock as it is: 0 where it has none."""
        return max(0.0, self.time - self.first.time)

    def same(self, other: _Row) -> bool:
        """Whether the other one is the same as this, once more."""
        return self.kind == other.kind != "omitted" and self.what == other.what and self.side == other.side

    def extend(self, other: _Row) -> None:
        """What comes next is part of this event, too."""
        if not (self.kind == other.kind == "updates" or self.same(other)):
            self.kind = "omitted"
        self.side = self.side if self.side == other.side else None
        self.name = self.name if self.name == other.name else None
        for what, count in other.kinds.items():
            name = what if what in self.kinds or len(self.kinds) < KINDS_REMEMBERED else OTHER_KINDS
            self.kinds[name] = self.kinds.get(name, 0) + count
        self.count += other.count
        self.line, self.time = other.line, other.time
        self.silence = max(self.silence, other.pause or 0.0, other.silence)


class _Rows:
    """The events of a session, at most MOST.

    While there is room, like updates that follow each other begin an event of their own where the pause before them
    may turn out to stand out; in the end, or for want of room, they are folded where it does not.
    """

    __slots__ = ("_asked", "_like", "_longest", "_other", "_paused", "_response", "_room", "_rows", "_steps")

    def __init__(self, request: Request, steps: Steps) -> None:
        self._asked = Point(request.line, request.time)
        self._steps = steps
        self._rows: list[_Row] = []
        self._response: _Row | None = None
        self._longest = 0.0
        """The longest pause up to the response."""
        self._paused: _Row | None = None
        """What came after it."""
        self._room = _NEVER
        """There is no room for what comes after a pause no longer than this, and can be folded into the last event."""
        self._like = self._other = _NEVER
        """After no longer a pause, an update is part of the last event: one like it, and any other."""

    def more(self, variant: str, line: int, time: float) -> bool:
        """Add an update, if that is all there is to it. The clock has not gone back so far."""
        if not self._rows:
            return False
        last = self._rows[-1]
        pause = time - last.time
        if not 0.0 <= pause <= (self._like if variant == last.name else self._other):
            return False
        kinds = last.kinds
        if variant in kinds:
            kinds[variant] += 1
        elif len(kinds) < KINDS_REMEMBERED:
            kinds[variant] = 1
            last.name = None
        else:
            return False
        last.count += 1
        last.line = line
        last.time = time
        if pause > last.silence:  # noqa: PLR1730  (a call would cost)
            last.silence = pause
        return True

    def add(self, kind: Kind, side: Side | None, what: str, here: Point) -> None:
        """The next message."""
        last = self._rows[-1] if self._rows else None
        pause = seconds(Point(last.line, last.time), here, self._steps) if last is not None else None
        row = _Row(kind, side, what, here, seconds(self._asked, here, self._steps), pause)
        if last is not None and row.name is not None and row.name == last.name and (pause or 0.0) <= self._limit():
            last.extend(row)
        else:
            self._append(row)
        last = self._rows[-1]
        self._like = self._limit() if last.name is not None else _NEVER
        self._other = self._known(self._room) if last.kind == "updates" else _NEVER

    def end(self, how: str, at: float | None) -> None:
        """No response came up to this time since the request."""
        if not self._rows:
            return
        last = self._rows[-1]
        end = self._asked.time + at if at is not None else NO_TIME
        self._append(_Row("end", None, how, Point(0, end), at, figure(end - last.time)))

    def _append(self, row: _Row) -> None:
        row.kept = row.kind in KEPT and all((each.kind, each.what) != (row.kind, row.what) for each in self._rows)
        self._rows.append(row)
        if self._response is None and (row.pause or 0.0) > self._longest:
            self._longest, self._paused = row.pause or 0.0, row
        if row.kind == "response" and self._response is None:
            self._response = row
        if len(self._rows) > MOST:
            loss, pause, at = self._cheapest()
            self._fold(at)
            self._room = _NEVER if loss == _NOTHING else pause if loss == _PAUSE else inf

    def _fold(self, at: int) -> None:
        self._rows[at].extend(self._rows.pop(at + 1))

    def _cheapest(self) -> tuple[int, float, int]:
        """Which two to fold: updates with the shortest pause; where none are neighbours, in the middle."""
        apart: set[_Row] | None = None
        best = (_MESSAGES, inf, 0, 0)
        for at, (one, other) in enumerate(pairwise(self._rows)):
            if one.kept or other.kept:
                continue
            if other.name is not None and one.name == other.name:
                apart = self._apart() if apart is None else apart
                if other not in apart:
                    best = min(best, (_NOTHING, other.pause or 0.0, one.count + other.count, at))
                    continue
            if other is self._paused:
                continue
            if one.kind == other.kind == "updates" or one.same(other):
                cost = (_PAUSE, other.pause or 0.0, one.count + other.count, at)
            else:
                cost = (_MESSAGES, abs(at - MOST // 2), 0, at)
            best = min(best, cost)
        return best[0], best[1], best[3]

    def _apart(self) -> set[_Row]:
        """What follows a pause that stands out in a run of like updates."""
        found: set[_Row] = set()
        run: list[_Row] = []
        for one, other in pairwise(self._rows):
            if other.name is not None and one.name == other.name:
                run = run or [one]
                run.append(other)
            elif run:
                found |= self._standing_out(run)
                run = []
        return found | self._standing_out(run) if run else found

    def _standing_out(self, run: list[_Row]) -> set[_Row]:
        """From the longest pause down, each compared to what is left of the run without it and those before it."""
        found: set[_Row] = set()
        pauses = sum(each.count for each in run) - 1
        time = sum(each.lasted + (each.pause or 0.0) for each in run) - (run[0].pause or 0.0)
        for row in sorted(run[1:], key=lambda each: each.pause or 0.0, reverse=True):
            pause = row.pause or 0.0
            much = pause * min(pauses, MUCH * MUCH) >= MUCH * time
            if not pause or not (much or (row is self._paused and pause * (pauses - 1) >= 2 * (time - pause))):
                break
            found.add(row)
            pauses -= 1
            time -= pause
        return found

    def _limit(self) -> float:
        """A pause before a further update like the last one that cannot stand out, or that there is no room for."""
        time, pauses = 0.0, 0
        name = self._rows[-1].name
        for row in reversed(self._rows):
            if row.name != name:
                break
            time += row.lasted
            pauses += row.count
        if len(self._rows) < MOST:
            return self._known(time / MUCH)
        shares = min(pauses, MUCH * MUCH) - MUCH
        return self._known(MUCH * time / shares if shares > 0 else inf)

    def _known(self, pause: float) -> float:
        """This pause, or the longest so far: a longer one is to be seen."""
        return pause if self._response is not None else min(pause, self._longest)

    def events(self, trace: str, locate: SourceMap, *, ordered: bool) -> Iterator[Event]:
        """As they are told. Lines are said as in this file."""
        while len(self._rows) > 1:
            loss, _, at = self._cheapest()
            if loss != _NOTHING:
                break
            self._fold(at)
        longest, where = self._mark()
        for row in self._rows:
            path, line = locate(row.first.line) if row.first.line else (trace, None)
            last_path, last_line = locate(row.line) if row.line else (trace, None)
            yield Event(
                kind=row.kind,
                side=row.side,
                what=row.what,
                messages=row.count,
                kinds=row.kinds,
                trace=None if path == trace else path,
                line=line,
                last_line=last_line if last_path == path else None,
                ordered=ordered,
                at_s=row.at,
                lasted_s=seconds(row.first, Point(row.line, row.time), self._steps),
                pause_s=row.pause,
                inner_pause_s=round(row.silence, DECIMALS) or None,
                longest=where if row is longest else None,
            )

    def _mark(self) -> tuple[_Row | None, Literal["before", "inside"]]:
        """The event with the longest pause up to the response, if there is one."""
        if self._paused in self._rows:
            return self._paused, "before"
        # It was folded, as it does not stand out.
        inside = (each for each in self._rows if self._longest and each.silence == self._longest)
        return next(inside, None), "inside"


class _Track:
    """What is told of one resume: of its sessions, and of those that it may still announce."""

    __slots__ = ("request", "rows", "steps", "whole")

    def __init__(self, request: Request, steps: Steps) -> None:
        self.request = request
        self.steps = steps
        self.rows: dict[str, _Rows] = {}
        self.whole: Point | None = None
        """The vendor's event: one for the whole load, also for what is announced later."""

    def of(self, session_id: str) -> _Rows:
        """The events of this session."""
        rows = self.rows.get(session_id)
        if rows is None:
            rows = self.rows[session_id] = _Rows(self.request, self.steps)
            if self.whole is not None:
                rows.add("marker", AGENT, VENDOR, self.whole)
        return rows


class _Recording(Watcher):
    """Collects the events of one recording. Lines are the analysis's; `locate` says where they stand."""

    def __init__(self, locate: SourceMap) -> None:
        super().__init__()
        self.locate = locate
        self.tracks: dict[Request, _Track] = {}
        self._at: dict[int, list[_Track]] = {}
        """By the line of the request."""
        self._asked: dict[Request, list[_Rows]] = {}
        """Other requests that are not answered yet, and where they were told of."""
        self._owners: dict[str, Resume] = {}
        self._plain: Window | None = None
        """What owns the message in hand, where that is nothing but an update."""
        self._latest: tuple[Window, _Rows] | None = None
        """The window of the last such, and where it was told of."""

    def watch(self, engine: Engine, messages: Iterator[Message]) -> Iterator[Message]:
        """The same messages."""
        try:
            yield from super().watch(engine, messages)
        finally:
            # Engine and watcher hold each other no longer: the command line runs without the collector.
            engine.connect = Connection
            del self.engine
            self._plain = self._latest = None
            self._owners = {}

    def before(self, route: Route | None, message: Message) -> None:
        """Who owns the updates, before this message changes it."""
        self._plain = None
        if route is None:
            self._owners = {}
            return
        try:
            body: Any = message[3]
            params = body["params"]
            target = route.targets[params["sessionId"]]
            plain = params["update"]["sessionUpdate"] in _PLAIN and body["method"] == UPDATE and message[2] != CLIENT
            if plain and isinstance(target, Window):
                self._plain = target
                return
        except (LookupError, TypeError):
            pass
        self._owners = {}
        for body in bodies(message):
            params = body.get("params")
            session_id = params.get("sessionId") if isinstance(params, dict) else None
            window = route.targets.get(session_id) if isinstance(session_id, str) else None
            if isinstance(window, Window):
                self._owners[window.session_id] = window.resume

    def after(self, old: Route | None, route: Route | None, message: Message) -> None:  # noqa: ARG002
        """Tell of what this message was."""
        plain = self._plain
        if plain is not None:
            if route is not None and route.targets.get(plain.session_id) is plain:
                self._more(plain, message)
                return
            self._owners = {plain.session_id: plain.resume}
        if route is None or not isinstance(message[3], dict | list):
            return
        for spoken in self.spoken(route, message):
            if spoken.kind == "request" and spoken.request is not None:
                self._request(route, spoken, spoken.request)
            elif spoken.kind == "response" and spoken.request is not None:
                self._response(route, spoken, spoken.request)
            elif spoken.kind == "notification":
                self._notification(route, spoken)

    def _more(self, window: Window, message: Message) -> None:
        """An update that changes nothing, for the session of this window. Most messages are one."""
        line, time, _, body, _ = message
        if self._latest is None or self._latest[0] is not window:
            self._latest = window, self._rows(window.resume, window.session_id)
        rows, variant = self._latest[1], body["params"]["update"]["sessionUpdate"]  # type: ignore[index]
        if self.engine.steps.lines or not rows.more(variant, line, time):
            rows.add("updates", AGENT, variant, Point(line, time))

    def _add(self, rows: _Rows, kind: Kind, spoken: Spoken, what: str) -> None:
        rows.add(kind, spoken.side, what, Point(spoken.line, spoken.time))

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
        # What it did not announce has no window that is remembered.
        known = {request.session_id, *route.past}
        track.rows = {each: rows for each, rows in track.rows.items() if each in known}
        for rows in track.rows.values():
            self._add(rows, "response", spoken, request.method)

    def _notification(self, route: Route, spoken: Spoken) -> None:
        session_id, params = spoken.session_id, spoken.body.get("params")
        if spoken.method == CANCEL_REQUEST:
            self._cancel(route, spoken, params.get("requestId") if isinstance(params, dict) else None)
        elif session_id is not None and isinstance(params, dict):
            update = params.get("update")
            if spoken.method == UPDATE and spoken.side != CLIENT and isinstance(update, dict) and spoken.variant:
                self._update(route, spoken, session_id, params, update)
            else:
                for rows in self._pending(route, session_id, spoken.line):
                    self._add(rows, "notification", spoken, spoken.method)

    def _cancel(self, route: Route, spoken: Spoken, ident: object) -> None:
        cancelled = [request for request in route.pending if request.cancel_line == spoken.line]
        exchange = route.connection.exchange
        if not cancelled and spoken.side == CLIENT and exchange.find(CLIENT, ident) is None:
            answered = exchange.earlier(AGENT, ident)
            cancelled = [answered] if answered in self.tracks and answered is not None else []
        for request in cancelled:
            if request.session_id is not None:
                self._add(self._track(request).of(request.session_id), "cancels", spoken, spoken.method)

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
        if marker and variant == SESSION_INFO and session_id == resume.session_id:
            self._whole(resume, spoken)

    def _whole(self, resume: Resume, spoken: Spoken) -> None:
        """The vendor's event on the stream of the session that was asked for."""
        track = self._track(resume.request)
        if track.whole is not None:
            return
        track.whole = Point(spoken.line, spoken.time)
        for session_id, rows in track.rows.items():
            window = resume.windows.get(session_id)
            new = window is None or (window.vendor is not None and window.vendor.line == spoken.line)
            if new and session_id != resume.session_id:
                self._add(rows, "marker", spoken, VENDOR)

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
        return self._owners.get(session_id) or (target.resume if isinstance(target, Window) else None)

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
            track = self.tracks[request] = _Track(request, self.engine.steps)
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
