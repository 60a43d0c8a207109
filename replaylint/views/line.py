"""What the analysis knows of one line of a recording."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

from replaylint.analysis.lint import watched
from replaylint.errors import RecordingError
from replaylint.protocol.variants import variant_of
from replaylint.recording.message import AGENT, NO_TIME, ClockStep, NoMessage
from replaylint.recording.source import Source
from replaylint.replay import timing
from replaylint.replay.events import (
    Batch,
    MarkerReceived,
    Noted,
    NotificationSent,
    Oversized,
    RequestSent,
    ResponseReceived,
    Unversioned,
    UpdateReceived,
)
from replaylint.replay.states import TABLE, State, Trigger
from replaylint.replay.window import Point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Note, Side
    from replaylint.replay.events import Stream
    from replaylint.replay.window import Past, Window
    from replaylint.report.model import Finding, Report, Resume, Session

    Said = RequestSent | ResponseReceived | NotificationSent | UpdateReceived | MarkerReceived
    """The events that are a message."""
    Kind = Literal["request", "response", "notification", "other"]


@dataclass(slots=True)
class Message:
    """One message. `inferred`: the recording does not say whose; `request`: the one that it is or answers."""

    line: int
    time: float
    side: Side | None
    inferred: bool
    kind: Kind
    method: str
    """Of an answer that of its request; empty where there is none."""
    variant: str | None
    session_id: str | None
    """The session whose id it bears, or of an answer the session that was asked about."""
    body: Mapping[str, object]
    request: Request | None


@dataclass(slots=True)
class ResumeView:
    """Where a message is in a resume.

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


@dataclass(slots=True)
class MessageView:
    """One message of the line. Lines are None, times too, where there is none or it cannot be known."""

    message: Message
    connection: int | None
    answered_line: int | None
    """Of a request: where its response is."""
    waited_s: float | None
    """From a request to its response; `message` is one of them."""
    resume: ResumeView | None


@dataclass(slots=True)
class LineView:
    """A line, what it holds, and what is around it."""

    report: Report
    line: int
    time: float
    messages: list[MessageView]
    body: object
    """The message or batch, as it was parsed; None where there is none."""
    note: Note | None
    """What the recorder says there, where it is no message."""
    text: bytes
    """The line itself."""
    earlier: list[Message]
    later: list[Message]
    findings: list[tuple[Finding, str]]
    """Those that the line belongs to, each with how."""


def look(path: str, line: int, context: int) -> LineView | Report:
    """What is known of this line, and of so many messages around it. Only the report where there is no such line."""
    watcher = _Watcher(line, context)
    report = watched(path, watcher.subscribe)
    if not 0 < line <= report.traces[0].lines:
        return report
    return LineView(
        report,
        line,
        watcher.time,
        [_message_view(each, report) for each in watcher.said],
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


def message_of(event: Said) -> Message:
    """The message that this event is."""
    request = None
    if isinstance(event, RequestSent | ResponseReceived):
        request, session_id = event.request, event.session_id
    else:
        session_id = event.session_id
    if isinstance(event, ResponseReceived):
        result = event.body.get("result")
        if session_id is None and isinstance(result, dict) and isinstance(result.get("sessionId"), str):
            session_id = result["sessionId"]
        return Message(
            *(event.line, event.time, event.side, event.inferred, "response", event.what, None, session_id),
            *(event.body, request),
        )
    params = event.body.get("params")
    kind: Kind = "notification" if request is None else "request"
    method = str(event.body["method"])
    variant = variant_of(params) if isinstance(params, dict) else None
    return Message(
        event.line, event.time, event.side, event.inferred, kind, method, variant, session_id, event.body, request
    )


class _Seen:
    """A message of the line that is looked at: where it belonged then, and what it led to."""

    def __init__(self, event: Said | None, message: Message, connection: Connection | None) -> None:
        self.message = message
        self.connection = connection
        self.window: Window | None = None
        self.state: State | None = None
        self.becomes: State | None = None
        self.past: Past | None = None
        self.answer: Point | None = None
        if event is not None and message.session_id is not None:
            self._place(event)

    def _place(self, event: Said) -> None:
        window = event.window
        if isinstance(event, RequestSent) and event.resume is not None:
            window = event.resume.named
        if window is None and not isinstance(event, ResponseReceived) and event.side == AGENT:
            self.past = event.past
            if not isinstance(event, NotificationSent):
                window = next(iter(event.provisional), None)
        elif isinstance(event, NotificationSent) and event.side != AGENT:
            window = None
        if window is None:
            return
        self.window, self.state = window, window.state
        trigger = event.trigger if isinstance(event, UpdateReceived | MarkerReceived) else None
        if isinstance(event, ResponseReceived) and event.request is window.resume.request:
            trigger = Trigger.END
        self.becomes = self.state if trigger is None else TABLE[self.state][trigger]


class _Watcher:
    """Looks at one line, and remembers the messages next to it."""

    def __init__(self, line: int, context: int) -> None:
        self.line = line
        self.context = context
        self.time = NO_TIME
        self.said: list[_Seen] = []
        self.body: object = None
        self.note: Note | None = None
        self.earlier: deque[Message] = deque(maxlen=context)
        self.later: list[Message] = []

    def subscribe(self, stream: Stream) -> None:
        """Hear of every message."""
        stream.everything = True
        stream.subscribe(RequestSent, self._message)
        stream.subscribe(ResponseReceived, self._message)
        stream.subscribe(NotificationSent, self._message)
        stream.subscribe(UpdateReceived, self._message)
        stream.subscribe(MarkerReceived, self._message)
        stream.subscribe(Noted, self._noted)

    def _message(self, event: Said) -> None:
        if isinstance(event, RequestSent | NotificationSent) and event.again:
            for each in self.said:
                if each.message.body is event.body:
                    each.connection = event.connection
            return
        message = message_of(event)
        if message.kind == "response":
            for each in self.said:
                if each.message.kind == "request" and each.message.request is message.request:
                    each.answer = Point(message.line, message.time)
        if event.line == self.line:
            self.time = event.time
            self.body = self.body if isinstance(self.body, list) else event.body
            self.said.append(_Seen(event, message, event.connection))
        else:
            self._beside(message)

    def _beside(self, message: Message) -> None:
        if message.line < self.line:
            self.earlier.append(message)
        elif len(self.later) < self.context:
            self.later.append(message)

    def _noted(self, event: Noted) -> None:
        note = event.note
        if isinstance(note, Batch):
            if event.line == self.line:
                self.time, self.body = event.time, note.items
        elif isinstance(note, NoMessage) and note.body is not None:
            self._other(event, note.body)
        elif event.line == self.line and not isinstance(note, Unversioned | ClockStep | Oversized):
            self.time, self.note = event.time, note

    def _other(self, event: Noted, body: Mapping[str, object]) -> None:
        """JSON that is no message."""
        params = body.get("params")
        variant, session_id = None, None
        if isinstance(params, dict):
            variant, session_id = variant_of(params), params.get("sessionId")
            session_id = session_id if isinstance(session_id, str) else None
        message = Message(
            *(event.line, event.time, event.side, event.side is None, "other", "", variant, session_id, body, None)
        )
        if event.line != self.line:
            self._beside(message)
        elif all(each.message.body is not body for each in self.said):
            self.time = event.time
            self.body = self.body if isinstance(self.body, list) else body
            self.said.append(_Seen(None, message, event.connection))


def _message_view(seen: _Seen, report: Report) -> MessageView:
    message, request = seen.message, seen.message.request
    asked = Point(request.line, request.time) if request is not None else None
    answer = Point(message.line, message.time) if message.kind == "response" else seen.answer
    connection = seen.connection
    return MessageView(
        message,
        None if connection is None else connection.number,
        None if seen.answer is None else seen.answer.line,
        None if connection is None else timing.seconds(asked, answer, connection.steps),
        None if connection is None else _resume_view(seen, report, connection),
    )


def _resume_view(seen: _Seen, report: Report, connection: Connection) -> ResumeView | None:
    message, session_id, request_line = seen.message, seen.message.session_id, 0
    state = State.AFTER if seen.past is not None else None
    if seen.window is not None:
        state = seen.state
        session_id, request_line = seen.window.session_id, seen.window.resume.request.line
    elif seen.past is not None:
        session_id, request_line = seen.past.session_id, seen.past.request_line
    found = [
        (number, resume)
        for number, resume in enumerate(report.resumes, 1)
        if resume.connection == connection.number
        and (resume.request.line == request_line if request_line else _concerns(resume, message))
    ]
    if not found:
        return None
    number, resume = found[-1]
    asked = resume.request
    since = timing.seconds(
        Point(asked.line, NO_TIME if asked.time is None else asked.time),
        Point(message.line, message.time),
        connection.steps,
    )
    session = next((each for each in resume.sessions if each.session_id == session_id), None)
    return ResumeView(number, resume, since, session_id, session, state, seen.becomes or state)


def _concerns(resume: Resume, message: Message) -> bool:
    """Whether this message is the resume's request or response, or came for its session while it was pending."""
    last = resume.response.line if resume.response is not None else None
    if message.line in {resume.request.line, last}:
        return message.request is not None and message.request.line == resume.request.line
    pending = resume.request.line < message.line and (last is None or message.line < last)
    ids = {resume.session_id, *(session.session_id for session in resume.sessions)}
    return pending and message.session_id is not None and message.session_id in ids
