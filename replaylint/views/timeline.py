"""What came when in each session of a resume, told by the events of its analysis; runs are folded as they come."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from replaylint.protocol.exchange import id_key
from replaylint.protocol.methods import CANCEL_REQUEST, RESUMES
from replaylint.protocol.variants import CHILDREN, KNOWN, REPLAY_COMPLETE, SESSION_INFO, STATE
from replaylint.recording.message import AGENT, CLIENT, NO_TIME
from replaylint.replay.events import (
    ChildAnnounced,
    MarkerReceived,
    NotificationSent,
    RequestSent,
    ResponseReceived,
    UpdateReceived,
)
from replaylint.replay.states import Trigger
from replaylint.replay.timing import DECIMALS, figure, seconds
from replaylint.replay.window import KINDS_REMEMBERED, OTHER_KINDS, STANDARD, VENDOR, Point, Window

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.protocol.sides import Lines
    from replaylint.recording.clock import Steps
    from replaylint.recording.message import Side
    from replaylint.replay.events import Stream
    from replaylint.replay.window import MarkerKind, Past, Resume
    from replaylint.report.model import Report
    from replaylint.report.model import Resume as ReportedResume
    from replaylint.report.source_map import SourceMap

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

Timeline = dict[str, list["TimelineEntry"]]
"""What is told of each session of a resume, by its id."""

MAX_ENTRIES: Final = 16
"""Events, a session: of more, the neighbouring updates with the shortest pause between them are folded first."""

KEPT: Final = frozenset({"request", "announced", "marker", "cancels", "response", "end"})
"""The first event of these kinds, of a marker the first of each kind of it, is never folded: at most five a session."""

PAUSE_FACTOR: Final = 5
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


class TimelineEntry(NamedTuple):
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

    def begin(self, stream: Stream, locate: SourceMap) -> None:
        """A recording begins; `locate` says where its lines are."""
        self._recordings.append(_Recording(stream, locate))

    def of(self, report: Report) -> Mapping[int, Timeline]:
        """The timeline of each resume, by its number (1-based, in report order)."""
        return _Made(self._recordings, report)


class _Made(Mapping[int, Timeline]):
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
            unordered = None if resume.trace in self._unordered else track.unordered
            made[session_id] = list(rows.events(resume.trace, locate, unordered))
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
    """The events of a session, at most MAX_ENTRIES.

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
        if len(self._rows) > MAX_ENTRIES:
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
                cost = (_MESSAGES, abs(at - MAX_ENTRIES // 2), 0, at)
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
            much = pause * min(pauses, PAUSE_FACTOR * PAUSE_FACTOR) >= PAUSE_FACTOR * time
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
        if len(self._rows) < MAX_ENTRIES:
            return self._known(time / PAUSE_FACTOR)
        shares = min(pauses, PAUSE_FACTOR * PAUSE_FACTOR) - PAUSE_FACTOR
        return self._known(PAUSE_FACTOR * time / shares if shares > 0 else inf)

    def _known(self, pause: float) -> float:
        """This pause, or the longest so far: a longer one is to be seen."""
        return pause if self._response is not None else min(pause, self._longest)

    def events(self, trace: str, locate: SourceMap, unordered: Lines | None) -> Iterator[TimelineEntry]:
        """As they are told. Lines are said as in this file; those that are not in order are given, None for all."""
        while len(self._rows) > 1:
            loss, _, at = self._cheapest()
            if loss != _NOTHING:
                break
            self._fold(at)
        longest, where = self._mark()
        for row in self._rows:
            path, line = locate(row.first.line) if row.first.line else (trace, None)
            last_path, last_line = locate(row.line) if row.line else (trace, None)
            yield TimelineEntry(
                kind=row.kind,
                side=row.side,
                what=row.what,
                messages=row.count,
                kinds=row.kinds,
                trace=None if path == trace else path,
                line=line,
                last_line=last_line if last_path == path else None,
                ordered=unordered is not None and row.first.line not in unordered,
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

    __slots__ = ("request", "rows", "steps", "unordered", "whole")

    def __init__(self, request: Request, connection: Connection) -> None:
        self.request = request
        self.steps = connection.steps
        self.unordered = connection.unordered
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


class _Recording:
    """Collects what is told of one recording. Lines are the analysis's; `locate` says where they are."""

    def __init__(self, stream: Stream, locate: SourceMap) -> None:
        self.locate = locate
        self.tracks: dict[Request, _Track] = {}
        self._at: dict[int, list[_Track]] = {}
        """By the line of the request."""
        self._asked: dict[Request, list[_Rows]] = {}
        """Other requests that are not answered yet, and where they were told of."""
        self._latest: tuple[Window, _Rows] | None = None
        """The window of the last plain update, and where it was told of."""
        stream.everything = True
        stream.subscribe(RequestSent, self._request)
        stream.subscribe(ResponseReceived, self._response)
        stream.subscribe(NotificationSent, self._notification)
        stream.subscribe(UpdateReceived, self._update)
        stream.subscribe(MarkerReceived, self._marker)
        stream.subscribe(ChildAnnounced, self._announced)

    def _request(self, event: RequestSent) -> None:
        request, session_id = event.request, event.session_id
        if event.again:
            return
        track = None
        if event.side is CLIENT and request.method in RESUMES:
            track = self._track(request, event.connection)
        if session_id is None:
            return
        if track is not None:
            _add(track.of(session_id), "request", event)
        told = [self._of(event.window, session_id)] if event.window is not None else []
        told += [self._of(each, session_id) for each in event.pending if event.window is None]
        for rows in told:
            _add(rows, "asks", event)
        if told:
            self._asked[request] = told

    def _response(self, event: ResponseReceived) -> None:
        request = event.request
        if request is None:
            return
        for rows in self._asked.pop(request, ()):
            _add(rows, "answers", event)
        track = self.tracks.get(request)
        if track is None or request.session_id is None:
            return
        # What it did not announce has no window.
        known = {request.session_id, *(event.window.resume.windows if event.window is not None else ())}
        track.rows = {each: rows for each, rows in track.rows.items() if each in known}
        for rows in track.rows.values():
            _add(rows, "response", event)

    def _notification(self, event: NotificationSent) -> None:
        session_id = event.session_id
        if event.again:
            return
        if event.method == CANCEL_REQUEST:
            self._cancel(event)
        elif session_id is not None:
            for rows in self._rows(session_id, event.window, (), event.pending):
                _add(rows, "notification", event)

    def _cancel(self, event: NotificationSent) -> None:
        exchange, ident = event.connection.exchange, event.params.get("requestId")
        request = exchange.find(CLIENT, ident) if event.side is not AGENT else None
        if request is None and event.side is CLIENT:
            request = exchange.earlier(AGENT, ident)
        elif request is not None and request.cancel_line:
            return
        track = self.tracks.get(request) if request is not None else None
        if track is not None and track.request.session_id is not None:
            _add(track.of(track.request.session_id), "cancels", event)

    def _update(self, event: UpdateReceived) -> None:
        window, variant = event.window, event.variant
        if window is not None and variant in _PLAIN:
            self._more(window, event)
            return
        told = self._rows(event.session_id, window, event.provisional, event.plain)
        past = event.past
        if not told and past is not None and past.after is not None and past.after.last.line == event.line:
            told = self._late(past, event.session_id)
        for rows in told:
            if event.announces is not None:
                _add(rows, "child", event, event.announces)
            elif variant == STATE:
                state = event.update.get("state")
                _add(rows, "state", event, state if isinstance(state, str) else "")
            else:
                _add(rows, "updates", event)

    def _more(self, window: Window, event: UpdateReceived) -> None:
        """An update that is no more than that, for the session of this window. Most messages are one."""
        if self._latest is None or self._latest[0] is not window:
            self._latest = window, self._of(window, window.session_id)
        rows = self._latest[1]
        if event.connection.steps.lines or not rows.more(event.variant, event.line, event.time):
            rows.add("updates", AGENT, event.variant, Point(event.line, event.time))

    def _marker(self, event: MarkerReceived) -> None:
        window, session_id = event.window, event.session_id
        told = self._rows(session_id, window, event.provisional, event.plain)
        if not told and event.past is not None:
            told = self._late(event.past, session_id)
        for rows in told:
            _add(rows, "marker", event, MARKERS[event.variant])
        if window is not None and event.trigger == Trigger.VENDOR_MARKER and window.parent is None:
            self._whole(window.resume, event)

    def _whole(self, resume: Resume, event: MarkerReceived) -> None:
        """The vendor's event on the stream of the session that was asked for."""
        track = self._track(resume.request, event.connection)
        if track.whole is not None:
            return
        track.whole = Point(event.line, event.time)
        for session_id, rows in track.rows.items():
            window = resume.windows.get(session_id)
            if session_id != resume.session_id and (window is None or window.vendor is None):
                _add(rows, "marker", event, VENDOR)

    def _announced(self, event: ChildAnnounced) -> None:
        rows = self._of(event.window, event.window.session_id)
        rows.add("announced", AGENT, event.window.parent or "", Point(event.line, event.time))

    def _rows(
        self,
        session_id: str,
        window: Window | None,
        provisional: tuple[Window, ...],
        resumes: tuple[Resume, ...],
    ) -> list[_Rows]:
        """Where a message of this session is told of, if it came while a resume was pending."""
        if window is not None:
            return [self._of(window, session_id)]
        told = [self._of(each, session_id) for each in provisional]
        return told + [self._of(each, session_id) for each in resumes]

    def _late(self, past: Past, session_id: str) -> list[_Rows]:
        """Where a marker or history is told of that should have come before the response."""
        return [each.of(session_id) for each in self._at.get(past.request_line, ()) if session_id in each.rows]

    def _of(self, of: Window | Resume, session_id: str) -> _Rows:
        resume = of.resume if isinstance(of, Window) else of
        return self._track(resume.request, resume.connection).of(session_id)

    def _track(self, request: Request, connection: Connection) -> _Track:
        track = self.tracks.get(request)
        if track is None:
            track = self.tracks[request] = _Track(request, connection)
            self._at.setdefault(request.line, []).append(track)
        return track


_Told = RequestSent | ResponseReceived | NotificationSent | UpdateReceived | MarkerReceived


def _add(rows: _Rows, kind: Kind, event: _Told, what: str | None = None) -> None:
    rows.add(kind, event.side, event.what if what is None else what, Point(event.line, event.time))
