"""What the analysis knows of one line of a recording."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from replaylint.analysis.lint import watched
from replaylint.errors import RecordingError
from replaylint.recording.message import (
    AGENT,
    NO_TIME,
    ClockStep,
    Ended,
    Header,
    Label,
    Lost,
    NoMessage,
    Skipped,
    Unreadable,
)
from replaylint.recording.source import Source
from replaylint.replay import timing
from replaylint.replay.states import State
from replaylint.replay.window import Point, Window
from replaylint.views.watch import Spoken, Watcher, bodies, splits

if TYPE_CHECKING:
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Message, Note
    from replaylint.replay.route import Route
    from replaylint.replay.window import Past
    from replaylint.report.model import Finding, Report, Resume, Session

    Held = tuple[Window, State]


@dataclass(slots=True, eq=False, repr=False, match_args=False)
class Place:
    """Where a message stands in a resume.

    `number` is the resume's, 1-based in report order, `since_s` the time since its request, in seconds. `session` is
    None where the message belongs to no session of the resume; then `state` is None too, unless the session's window
    is one that was never announced. `becomes` is the state that the message leads to.
    """

    number: int
    resume: Resume
    since_s: float | None
    session_id: str | None
    session: Session | None
    state: State | None
    becomes: State | None


@dataclass(slots=True, eq=False, repr=False, match_args=False)
class Fact:
    """One message of the line. Lines are None, times too, where there is none or it cannot be known."""

    spoken: Spoken
    connection: int | None
    answered_line: int | None
    """Of a request: where its response stands."""
    waited_s: float | None
    """From a request to its response; `spoken` is one of them."""
    place: Place | None


@dataclass(slots=True, eq=False, repr=False, match_args=False)
class Looked:
    """A line, what stands there, and what stands around it."""

    report: Report
    line: int
    time: float
    facts: list[Fact]
    body: object
    """The message, as it was parsed; None where there is none."""
    note: Note | None
    """What the recorder says there, where it is no message."""
    text: bytes
    """The line itself."""
    earlier: list[Spoken]
    later: list[Spoken]
    findings: list[tuple[Finding, str]]
    """Those that the line belongs to, each with how."""


def look(path: str, line: int, context: int) -> Looked | Report:
    """What is known of this line, and of so many messages around it. Only the report where there is no such line."""
    watcher = _Look(line, context)
    report = watched(path, watcher.watch)
    if not 0 < line <= report.traces[0].lines:
        return report
    return Looked(
        report,
        line,
        watcher.time,
        [_fact(watcher, each, report) for each in watcher.said],
        watcher.body,
        watcher.note,
        _text(path, line),
        list(watcher.earlier),
        watcher.later,
        [(finding, how) for finding in report.findings if (how := _role(finding, line))],
    )


def _text(path: str, line: int) -> bytes:
    with Source(path) as source:
        try:
            return next(islice(source.lines(), line - 1, None), b"")
        except RecordingError:
            return b""


def _role(finding: Finding, line: int) -> str:
    """What this line is to the finding; empty where it is nothing."""
    if line == finding.line:
        return "finding"
    if line == finding.last_line:
        return "the last of a finding"
    what = next((each.what for each in finding.evidence if each.line == line), None)
    return f"the {what} of a finding" if what is not None else ""


class _Said:
    """A message of the line that is looked at."""

    def __init__(self, spoken: Spoken, held: Held | None, past: Past | None) -> None:
        self.spoken = spoken
        self.held = held
        """The window that held it, and its state then."""
        self.becomes = held[0].state if held is not None else None
        self.past = past
        self.answer: Point | None = None


class _Look(Watcher):
    """Looks at one line, and remembers the messages next to it."""

    def __init__(self, line: int, context: int) -> None:
        super().__init__()
        self.line = line
        self.context = context
        self.time = NO_TIME
        self.said: list[_Said] = []
        self.body: object = None
        self.note: Note | None = None
        self.earlier: deque[Spoken] = deque(maxlen=context)
        self.later: list[Spoken] = []
        self._owners: dict[str, Held] = {}
        self._asked: dict[Request, Held] = {}

    def before(self, route: Route | None, message: Message) -> None:
        """Who owns what, before this message changes it."""
        if message[0] != self.line or route is None:
            return
        for body in bodies(message):
            params = body.get("params")
            session_id = params.get("sessionId") if isinstance(params, dict) else None
            window = route.targets.get(session_id) if isinstance(session_id, str) else None
            if isinstance(window, Window):
                self._owners[window.session_id] = window, window.state
        self._asked = {request: (window, window.state) for request, window in route.asked.items()}
        for resume in route.pending.values():
            if resume.named is not None:
                self._asked[resume.request] = resume.named, resume.named.state

    def after(self, old: Route | None, route: Route | None, message: Message) -> None:
        """What it was, and whether it answers what the line asked."""
        for _, request in self.settled:
            for each in self.said:
                if each.spoken.request is request and each.spoken.kind == "request":
                    each.answer = Point(message[0], message[1])
        if splits(old, route, message):
            self._move(old, route)
        if message[0] == self.line:
            self._look(route, message)
        elif message[0] < self.line and self.context:
            self.earlier.extend(self.spoken(route, message))
        elif len(self.later) < self.context:
            self.later += self.spoken(route, message)

    def _move(self, old: Route | None, route: Route | None) -> None:
        """What the client said since an `initialize` belongs to the connection that its answer started."""
        for each in self.said:
            spoken = each.spoken
            begun = route is not None and spoken.line >= route.connection.first_client_line
            if spoken.route is old and begun and spoken.side not in {AGENT, None}:
                spoken.route = route

    def _look(self, route: Route | None, message: Message) -> None:
        body = message[3]
        if isinstance(body, Label | ClockStep):  # beside the message that it says something of
            return
        self.time = message[1]
        if isinstance(body, Unreadable | Skipped | NoMessage | Header | Ended | Lost):
            self.note = body
            return
        self.body = body
        for spoken in self.spoken(route, message):
            self.said.append(_Said(spoken, self._held(spoken), _past(spoken)))

    def _held(self, spoken: Spoken) -> Held | None:
        route, session_id = spoken.route, spoken.session_id
        if route is None or session_id is None:
            return None
        if spoken.kind == "response":
            return self._asked.get(spoken.request) if spoken.request is not None else None
        if spoken.side != AGENT:
            resume = route.pending.get(spoken.request) if spoken.request is not None else None
            window = resume.named if resume is not None else None
            return (window, window.state) if window is not None else None
        if session_id in self._owners:
            return self._owners[session_id]
        foreign = (resume.foreign.get(session_id) for resume in route.replays)
        return next(((window, State.UNANNOUNCED) for window in foreign if window is not None), None)


def _past(spoken: Spoken) -> Past | None:
    """The window of this agent's message, if it belongs to one that has ended: the last of its tree."""
    if spoken.route is None or spoken.session_id is None or spoken.side != AGENT or spoken.kind == "response":
        return None
    return spoken.route.remembered(spoken.session_id)


def _fact(watcher: _Look, said: _Said, report: Report) -> Fact:
    spoken = said.spoken
    connection = spoken.route.connection.number if spoken.route is not None else None
    here, request = Point(spoken.line, spoken.time), spoken.request
    asked = Point(request.line, request.time) if request is not None else None
    answer = here if spoken.kind == "response" else said.answer
    return Fact(
        spoken,
        connection,
        said.answer.line if said.answer is not None else None,
        timing.seconds(asked, answer, watcher.engine.steps),
        _place(watcher, said, report, connection),
    )


def _place(watcher: _Look, said: _Said, report: Report, connection: int | None) -> Place | None:
    spoken, session_id, request_line = said.spoken, said.spoken.session_id, 0
    state = State.AFTER if said.past is not None else None
    if said.held is not None:
        window, state = said.held
        session_id, request_line = window.session_id, window.resume.request.line
    elif said.past is not None:
        session_id, request_line = said.past.session_id, said.past.request_line
    found = [
        (number, resume)
        for number, resume in enumerate(report.resumes, 1)
        if resume.connection == connection
        and (resume.request.line == request_line if request_line else _concerns(resume, spoken))
    ]
    if not found:
        return None
    number, resume = found[-1]
    asked = resume.request
    since = timing.seconds(
        Point(asked.line, NO_TIME if asked.time is None else asked.time),
        Point(spoken.line, spoken.time),
        watcher.engine.steps,
    )
    session = next((each for each in resume.sessions if each.session_id == session_id), None)
    return Place(number, resume, since, session_id, session, state, said.becomes or state)


def _concerns(resume: Resume, spoken: Spoken) -> bool:
    """Whether this message is the resume's request or response, or came for its session while it was pending."""
    last = resume.response.line if resume.response is not None else None
    if spoken.line in {resume.request.line, last}:
        return spoken.request is not None and spoken.request.line == resume.request.line
    pending = resume.request.line < spoken.line and (last is None or spoken.line < last)
    ids = {resume.session_id, *(session.session_id for session in resume.sessions)}
    return pending and spoken.session_id is not None and spoken.session_id in ids
