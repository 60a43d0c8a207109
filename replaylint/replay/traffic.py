"""The traffic of one connection: takes each message to the window that owns it, and says what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from orjson import dumps

from replaylint.protocol import children as announcements
from replaylint.protocol import methods, vendor
from replaylint.protocol.connection import StateUpdate
from replaylint.protocol.limits import NOTHING
from replaylint.protocol.variants import (
    BUSY_STATES,
    CHILDREN,
    CHUNKS,
    DECIDES,
    FINAL_STATUSES,
    REPLAY_COMPLETE,
    SESSION_INFO,
    STATE,
    TOOL_CALLS,
    TURNS,
    WHOLE,
)
from replaylint.recording.message import AGENT, CLIENT
from replaylint.replay import fold, gap
from replaylint.replay.aftermath import Aftermath
from replaylint.replay.children import MAX_PROVISIONAL, Children
from replaylint.replay.events import (
    ConnectionEnded,
    MarkerAssigned,
    MarkerReceived,
    NotificationSent,
    RequestSent,
    ResponseReceived,
    ResumeEnded,
    UpdateReceived,
)
from replaylint.replay.outcome import CANCELLED, NOT_FOUND
from replaylint.replay.ownership import Ownership
from replaylint.replay.states import AFTER_MARKER, State, Trigger
from replaylint.replay.window import NOWHERE, Error, Point, Resume, UnownedMarker, Window

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replaylint.protocol.connection import Connection, Session
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Side
    from replaylint.replay.events import Body, Stream
    from replaylint.replay.window import End, Past


MAX_DATA_CHARS: Final = 500
"""Of the data of an error, as JSON."""
CUT: Final = "..."


class Traffic:
    """One connection. `ownership.targets` says where an update goes that is plain."""

    __slots__ = (
        *("_aftermath", "_asked", "_cancellable", "_children", "_early", "_stream", "connection", "moved"),
        *("ownership", "resumes"),
    )

    def __init__(self, connection: Connection, stream: Stream) -> None:
        self.connection = connection
        self._stream = stream
        self.ownership = Ownership(connection)
        self._children = Children(connection, stream, self.ownership)
        self._aftermath = Aftermath(connection, stream, self.ownership)
        self.resumes = 0
        """Those that have ended."""
        self._asked: dict[Request, Window] = NOTHING
        """Requests of the agent that the client has not answered, and the windows that owned them."""
        self._early: dict[Request, Resume] = NOTHING
        """Unanswered prompts on sessions that were not active, and the pending resumes of these."""
        self._cancellable: dict[str | None, dict[Request, None]] = NOTHING
        """Those of them that were not cancelled, by their sessions."""
        self.moved: dict[Request, Resume] = NOTHING
        """Replays that the connection takes over from the one before it, when their requests are said again."""

    # Requests and notifications

    def request(
        self,
        request: Request,
        reuses: Request | None,
        body: Body,
        params: Mapping[str, Any],
        *,
        inferred: bool,
        again: bool,
    ) -> None:
        """A request was sent."""
        connection, session_id = self.connection, request.session_id
        pending = self.ownership.resumes_of(session_id)
        resume = window = past = None
        provisional: tuple[Window, ...] = ()
        if request.side is CLIENT:
            connection.requested(request)
            if request.method == methods.PROMPT and session_id is not None:
                self.ownership.watch(session_id)
            self._aftermath.requested(request, params)
            if request.method in methods.RESUMES:
                resume = self._resume(request, params)
        elif request.side is AGENT and session_id is not None:
            self._starts_tool_call(session_id, params)
            window = self.ownership.owner(session_id)
            if window is None:
                session, at = connection.session(session_id), Point(request.line, request.time)
                past = self._aftermath.past_of(session_id)
                provisional = self._outside(
                    *(session, session_id, Trigger.AGENT_REQUEST, request.method, at, past, params)
                )
        known = connection.sessions.get(session_id) if session_id is not None else None
        event = RequestSent(
            *(connection, request.line, request.time, request.side, inferred, body, request, reuses),
            *(known, pending, resume, window, provisional, past, again),
        )
        self._stream.emit(event)
        for each in event.windows:
            self.ownership.step(each, Trigger.AGENT_REQUEST)
        if window is not None:
            gap.request(window, request.time)
            self._asked = self._asked or {}
            self._asked[request] = window
        elif request.method == methods.PROMPT and request.side is CLIENT and _is_inactive(known, pending):
            self._early = self._early or {}
            self._early[request] = pending[0]
            self._cancellable = self._cancellable or {}
            self._cancellable.setdefault(session_id, {})[request] = None

    def _resume(self, request: Request, params: Mapping[str, Any]) -> Resume | None:
        """The client sent `session/resume` or `session/load`."""
        connection = self.connection
        if request.method == methods.LOAD:
            self._decide(1, request.line)
            if connection.version == 2:
                return None  # v2 has no session/load
        elif "replayFrom" in params:
            self._decide(2, request.line)
        resume = Resume(connection, request, params)
        session_id = request.session_id
        if session_id is not None:
            session = connection.session(session_id)
            session.resume_line = request.line
            resume.was_active = session.active
            if resume.replaying:
                self._open_windows(resume, session_id)
        overlapped = self.ownership.open(resume)
        if not request.odd:
            for each in overlapped:
                resume.ambiguous = True
                if each.resume.ambiguous:
                    continue  # so are its windows, but for those whose marker had come
                each.resume.ambiguous = True
                for window in (*each.resume.windows.values(), *each.resume.provisional.values()):
                    window.ambiguous |= window.complete is None
            for window in (*resume.windows.values(), *resume.provisional.values()):
                window.ambiguous |= resume.ambiguous
        return resume

    def _open_windows(self, resume: Resume, session_id: str) -> None:
        resume.windows[session_id] = Window(resume, session_id, None, State.REPLAYING)
        moved = self.moved.pop(resume.request, None)
        if moved is not None:
            # What it has got before its connection turned out to be another one.
            resume.windows, resume.provisional = moved.windows, moved.provisional
            for window in (*resume.windows.values(), *resume.provisional.values()):
                window.resume = resume
                window.session = self.connection.session(window.session_id)
        if not self.connection.drops_replays:
            resume.windows[session_id].session.seen_from_start = True

    def _starts_tool_call(self, session_id: str, params: Mapping[str, Any]) -> None:
        tool = params.get("toolCall")
        if isinstance(tool, dict) and self.connection.version == 1:
            self.connection.session(session_id).tool_calls.start(tool.get("toolCallId"))

    def notification(
        self,
        line: int,
        time: float,
        side: Side | None,
        method: str,
        params: Mapping[str, Any],
        body: Body,
        *,
        inferred: bool,
        again: bool = False,
    ) -> None:
        """A notification that is no update of a session, or none that can be understood."""
        session_id = params.get("sessionId")
        known = session_id if isinstance(session_id, str) else None
        window = self.ownership.owner(known) if known is not None else None
        past = self._aftermath.past_of(known) if known is not None and window is None else None
        pending = self.ownership.resumes_of(known)
        self._stream.emit(
            NotificationSent(
                *(self.connection, line, time, side, inferred, body, method, params),
                *(known, window, past, pending, again),
            )
        )
        if method == methods.CANCEL_REQUEST and side is not AGENT:
            request = self.connection.exchange.find(CLIENT, params.get("requestId"))
            if request is not None and not request.cancel_line:
                request.cancel_line = line
        elif method == methods.CANCEL_TURN:
            for prompt in self._cancellable.pop(known, ()):
                prompt.cancel_line = line

    # Responses

    def response(
        self, line: int, time: float, side: Side | None, body: Body, request: Request | None, *, inferred: bool
    ) -> None:
        """A response to this request came."""
        connection = self.connection
        if request is None:
            if not connection.first_client_line:
                connection.answers_unseen = True
            earlier = connection.exchange.earlier(side, body.get("id"))
            self._stream.emit(
                ResponseReceived(
                    connection, line, time, side, inferred, body, None, earlier, None, (), None, None, None
                )
            )
            return
        connection.exchange.answered(request, line)
        error = _error(body)
        asked = self._asked.pop(request, None)
        resume = self.ownership.pending.get(request)
        unnamed = None
        if error is None and request.side is not AGENT:
            unnamed = self._aftermath.named_by(request, body.get("result"))
        pending = self.ownership.resumes_of(request.session_id) if request.side is not AGENT else ()
        window = asked if resume is None else resume.named
        early = self._early.pop(request, None)
        if early is not None:
            self._cancellable.get(request.session_id, {}).pop(request, None)
        self._stream.emit(
            ResponseReceived(
                connection, line, time, side, inferred, body, request, None, error, pending, window, unnamed, early
            )
        )
        if request.side is AGENT:
            if asked is not None and asked.state != State.AFTER:
                gap.answer(asked, time)
            return
        self._answered(request, error, body.get("result"), line)
        if resume is not None and request in self.ownership.pending:
            self._respond(resume, Point(line, time), error)

    def _answered(self, request: Request, error: Error | None, result: object, line: int) -> None:
        connection, version = self.connection, self.connection.version
        connection.answered(request, success=error is None)
        if error is not None:
            if request.method == methods.CLOSE and error.code == NOT_FOUND and request.session_id is not None:
                connection.session(request.session_id).active = False  # it should have succeeded
            return
        connection.succeeded(request, result)
        if connection.version != version:
            self.ownership.version_changed()
        if request.method == methods.CLOSE and request.session_id is not None:
            connection.session(request.session_id).closed_line = line
            self.ownership.watch(request.session_id)
        if request.method in {methods.CLOSE, methods.DELETE}:
            for resume in self.ownership.resumes_of(request.session_id):
                resume.close_line = line

    def _respond(self, resume: Resume, at: Point, error: Error | None) -> None:
        resume.response = at
        resume.error = error
        if error is None:
            self._finish(resume, "success")
            if resume.session_id is not None:
                session = self.connection.session(resume.session_id)
                session.active, session.closed_line = True, 0
                session.resumed, session.first_prompt = resume.request, None
        else:
            self._finish(resume, "cancelled" if error.code == CANCELLED else "error")

    # Updates

    def update(
        self,
        line: int,
        time: float,
        side: Side | None,
        params: Mapping[str, Any],
        body: Body,
        size: int,
        *,
        inferred: bool,
    ) -> None:
        """A `session/update` that is not on the hot path."""
        session_id, update = params.get("sessionId"), params.get("update")
        variant = update.get("sessionUpdate") if isinstance(update, dict) else None
        if not isinstance(update, dict) or not isinstance(variant, str) or not isinstance(session_id, str):
            self.notification(line, time, side, methods.UPDATE, params, body, inferred=inferred)
            return
        if variant in DECIDES:
            self._decide(DECIDES[variant], line)
        session, at = self.connection.session(session_id), Point(line, time)
        session.first_update_line = session.first_update_line or line
        window = self.ownership.owner(session_id)
        message = (self.connection, line, time, side, inferred, body, variant, params, update, session_id, session)
        past: Past | None = None
        plain: tuple[Resume, ...] = ()
        provisional: tuple[Window, ...] = ()
        if 0 < self.connection.reinitialize_line <= session.named_line:
            self._aftermath.named_later(session_id, variant, at)
        if window is None:
            past = self._aftermath.past_of(session_id)
            plain = self.ownership.plain_of(session_id)
        marker = self._marker(variant, params)
        if marker is not None:
            if window is None:
                provisional = self._children.provisional(session_id, variant, line)
            self._stream.emit(MarkerReceived(*message, marker, window, provisional, past, plain))
            if window is None:
                self._mark_unowned(session, session_id, marker, variant, at, past, provisional)
            else:
                self._mark(window, session_id, marker, variant, at)
            return
        trigger = fold.trigger_of(variant)
        child = announcements.announced(variant, update) if variant in CHILDREN else None
        opens = window is not None and child is not None and self._children.opens(window, child)
        announces = child if opens else None
        self._learn(session, variant, update, line)
        repeats = self._is_repeated(window, session, variant, update)
        # On v1 `replay_complete` is no marker, and nothing else either.
        is_nothing = variant == REPLAY_COMPLETE
        if window is None and not is_nothing:
            past = self._aftermath.latest(session_id) or past
            _learn_outside(session, variant, update, resuming=bool(plain))
            provisional = self._outside(session, session_id, trigger, variant, at, past, update)
        self._stream.emit(UpdateReceived(*message, trigger, window, provisional, past, plain, announces, repeats))
        if is_nothing:
            return
        if window is None:
            self._children.fold(provisional, line, time, variant, update, size)
            if child is not None:
                self._children.keep_child(provisional, child, at)
                if child != session_id:
                    self.connection.announce(child, session_id, line)
            return
        self._fold(window, trigger, variant, update, at, size)
        if child is not None:
            self._children.announce(window, child, at)

    def _fold(
        self, window: Window, trigger: Trigger, variant: str, update: Mapping[str, Any], at: Point, size: int
    ) -> None:
        """An update becomes part of the window that owns it."""
        line, time = at
        window.receives()
        begins = trigger == Trigger.HISTORY and not window.last_line
        if variant in CHUNKS and self.connection.version == 2 and window.state not in AFTER_MARKER:
            ident = update.get("messageId")
            if isinstance(ident, str) and ident not in window.ids:
                window.begin(ident, fold.AUTHORS[variant], variant, line, time)
        fold.fold_of(window.state, variant)(window, line, time, variant, update, size)
        self.ownership.step(window, trigger)
        if begins:
            self.ownership.has_history(window)

    def _marker(self, variant: str, params: Mapping[str, Any]) -> Trigger | None:
        """Which marker this update is, if it is one."""
        if variant == REPLAY_COMPLETE:
            return Trigger.MARKER if self.connection.version == 2 else None
        if variant == SESSION_INFO and vendor.is_replay_end(params):
            self.connection.vendor_seen = True
            return Trigger.VENDOR_MARKER
        return None

    def _learn(self, session: Session, variant: str, update: Mapping[str, Any], line: int) -> None:
        """What an update says of its session's state, or on a parent's stream of a child's."""
        told = announcements.told_state(variant, update) if variant in CHILDREN else None
        if told is not None:
            child, state = told
            self.connection.session(child).own_state = state
        elif variant == STATE:
            state = update.get("state")
            session.snapshot = StateUpdate(line, state, bool(update.get("background")))
            session.own_state = state
            if state in BUSY_STATES:
                session.busy_line = line

    def _is_repeated(self, window: Window | None, session: Session, variant: str, update: Mapping[str, Any]) -> bool:
        """Whether the window had the same before; takes note of it."""
        version = self.connection.version
        if version == 2 and variant in WHOLE and window is not None:
            ident = update.get("messageId")
            return isinstance(ident, str) and not fold.came_whole(window, ident, variant, update.get("content"))
        if version == 1 and variant == "tool_call":
            ident = update.get("toolCallId")
            if isinstance(ident, str):
                session.tool_calls.start(ident)
                return window is not None and not fold.began(window, ident)
        return False

    def _outside(
        self,
        session: Session,
        session_id: str,
        trigger: Trigger,
        what: str,
        at: Point,
        past: Past | None,
        content: Mapping[str, Any],
    ) -> tuple[Window, ...]:
        """A message for a session that no window owns: the provisional windows that it belongs to."""
        named = session.named or session.root is not None
        if not named and trigger != Trigger.AGENT_REQUEST:
            self._aftermath.unnamed(session_id, what, at)
        if past is not None:
            self._aftermath.late(past, session, trigger, what, at, content)
        ownership = self.ownership
        watched = self._aftermath.latest(session_id) is not None or session.closed_line > 0 or bool(session.left_open)
        if self._awaits_turn(session, session_id, what, at.line):
            ownership.watch(session_id)
            watched = True
        free = session_id not in ownership.targets and len(ownership.targets) < MAX_PROVISIONAL
        if named and free and not watched and not ownership.plain_of(session_id):
            ownership.leave(session_id)
        return self._children.provisional(session_id, what, at.line)

    def _awaits_turn(self, session: Session, session_id: str, what: str, line: int) -> bool:
        """Whether a turn of this session may still show that it has history; takes note where this message does."""
        if not session.prompt_line and session.snapshot.state not in BUSY_STATES:
            return False
        history = self.connection.history(session_id)
        if not history.line and what in TURNS:
            history.line, history.origin = line, "turn"
        return not history.line

    # Markers

    def _mark(self, window: Window, session_id: str, trigger: Trigger, variant: str, at: Point) -> None:
        self._stream.emit(
            MarkerAssigned(
                *(self.connection, at.line, at.time, variant, session_id, trigger, window, None, None),
                unannounced=False,
                first=window.mark_of(trigger) is None,
            )
        )
        # The vendor's event is one for the whole load. A further one finds all marked.
        whole = trigger == Trigger.VENDOR_MARKER and window.parent is None and window.vendor is None
        resume = window.resume
        for each in (*resume.windows.values(), *resume.provisional.values()) if whole else (window,):
            self.ownership.mark(each, trigger, *at)

    def _mark_unowned(
        self,
        session: Session,
        session_id: str,
        trigger: Trigger,
        variant: str,
        at: Point,
        past: Past | None,
        provisional: tuple[Window, ...],
    ) -> None:
        marker = self._aftermath.unowned(session, UnownedMarker(trigger, variant, at, session_id, past))
        if self.ownership.replays:
            self._children.keep_marker(provisional, marker)
        else:
            self._aftermath.assign(marker)

    # Ends

    def leave(self, requests: list[Request]) -> dict[Request, Resume]:
        """These pending requests belong to the connection that follows; returns the replays among them."""
        return self.ownership.move(requests)

    def close(self, end: End, at: Point, said_at: tuple[int, ...]) -> None:
        """The connection ended, or the recording of it, after this message."""
        for resume in tuple(self.ownership.pending.values()):
            resume.until = max([at, *(Point(each.last_line, each.last_time) for each in resume.windows.values())])
            self._finish(resume, end)
        restarted = self.connection.reinitialize_line in said_at
        unnamed = self._aftermath.never_named(restarted=restarted)
        self._stream.emit(ConnectionEnded(self.connection, end, at, said_at, unnamed))

    def _finish(self, resume: Resume, end: End) -> None:
        resume.finish(end)
        self.resumes += 1
        response = resume.response or NOWHERE
        for window in resume.windows.values():
            gap.end(window, response.time)
            self.ownership.step(window, Trigger.END)
        self.ownership.remove(resume)
        for window in resume.windows.values():
            self._leave_open(window, end)
        self._stream.emit(ResumeEnded(resume))
        for marker in self._children.release(resume):
            self._aftermath.assign(marker)
        for window in resume.windows.values():
            if window.last_line:
                history = self.connection.history(window.session_id)
                if not history.line:
                    history.line, history.origin = window.first.line, "replay"
        self._aftermath.remember(resume)
        for window in resume.windows.values():
            self.ownership.drop(window)
        resume.windows = {}

    def _leave_open(self, window: Window, end: End) -> None:
        """Which tool calls a replay left open: a later update may still say how they ended."""
        left_open = window.session.left_open or set()
        left_open -= _ended(window, left_open)
        if end == "success" and window.unfinished:
            left_open.update(window.unfinished)
            self.ownership.watch(window.session_id)
        window.session.left_open = left_open or None

    # The version

    def _decide(self, version: int, line: int) -> None:
        """A sign of the connection's version."""
        if self.connection.decide(version, line):
            self.ownership.version_changed()


def _learn_outside(session: Session, variant: str, update: Mapping[str, Any], *, resuming: bool) -> None:
    """What an update outside windows says of tool calls and terminals.

    While a plain resume is pending, it announces them. Later it may say how a tool call ended that a replay left open,
    or that it goes on in the background.
    """
    if resuming:
        ids = (update.get(key) for key in ("toolCallId", "terminalId"))
        named = {each for each in ids if isinstance(each, str)}
        if named:
            session.announced = session.announced or set()
            session.announced |= named
    ended: list[object] = []
    if variant in TOOL_CALLS and update.get("status") in FINAL_STATUSES:
        ended.append(update)
    elif variant == STATE and isinstance(update.get("background"), list):
        ended += update["background"]
    for each in ended if session.left_open else ():
        ident = each.get("toolCallId") if isinstance(each, dict) else None
        if isinstance(ident, str) and session.left_open:
            session.left_open.discard(ident)


def _ended(window: Window, left_open: set[str]) -> set[str]:
    """Those of these tool calls that came in this window, and have ended there."""
    ids = window.ids
    if len(left_open) < len(ids):
        came = {each for each in left_open if (each,) in ids}
    else:
        came = left_open.intersection(each[0] for each in ids if isinstance(each, tuple) and len(each) == 1)
    return came.difference(window.unfinished)


def _is_inactive(session: Session | None, pending: tuple[Resume, ...]) -> bool:
    """Whether a resume of this session is pending that has yet to make it active."""
    return bool(pending) and session is not None and session.active is False


def _error(body: Body) -> Error | None:
    """The error of a response. `"error": null` is none."""
    error = body.get("error")
    if error is None:
        return None
    facts = error if isinstance(error, dict) else {}
    code, message = facts.get("code"), facts.get("message")
    return Error(
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        message if isinstance(message, str) else None,
        _beginning(facts.get("data")),
    )


def _beginning(data: object) -> str | None:
    """This as JSON, cut where it is long; None where there is none."""
    if data is None:
        return None
    try:
        text = dumps(data).decode()
    except TypeError:  # nested deeper than can be written
        return CUT
    return text if len(text) <= MAX_DATA_CHARS else text[:MAX_DATA_CHARS] + CUT
