"""Which resume and window own a message, on one connection.

Replaying requests that are pending for one session at once cannot be told apart by a marker. Each message goes to the
oldest of them that has no marker for that session yet, or, when all have one, to the newest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol import children, methods, vendor
from replaylint.protocol.limits import SESSIONS_REMEMBERED, forget_oldest
from replaylint.protocol.variants import (
    BUSY_STATES,
    CHILDREN,
    DECIDES,
    KNOWN,
    MESSAGES,
    NEAR_MISS_METHODS,
    NEAR_MISSES,
    REPLAY_COMPLETE,
    SESSION_INFO,
    STATE,
    TOOL_CALLS,
    WHOLE,
)
from replaylint.recording.message import AGENT, CLIENT
from replaylint.replay import fold, gap
from replaylint.replay.facts import Fact, Frame, Wire
from replaylint.replay.outcome import CANCELLED
from replaylint.replay.states import TABLE, Event, State
from replaylint.replay.window import NOWHERE, Early, Occurrences, Past, Point, Resume, Seen, Stray, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from replaylint.protocol.connection import Connection, Session
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Side
    from replaylint.replay.facts import Judge
    from replaylint.replay.window import End, Error, Fold

FOREIGN_REMEMBERED: Final = 1000
"""Sessions that may still be announced as children, a pending replay."""
REPLAYS_WATCHED: Final = 100
"""Pending requests, the oldest, that are looked through for one message."""
STRAYS_REMEMBERED: Final = 100
"""Markers and announcements, an unannounced window."""

_NAMES: Final = frozenset({methods.NEW, methods.FORK, methods.LIST, *methods.RESUMES})
"""Requests whose results, or whose replays, name sessions."""
_ENDS_WATCH: Final = frozenset({*methods.RESUMES, methods.PROMPT, methods.CLOSE, methods.DELETE})

_SLOW: Final[dict[str, Fold | None]] = dict.fromkeys(KNOWN)


class Nowhere:
    """The target of sessions that no window owns."""

    __slots__ = ("table",)

    def __init__(self) -> None:
        self.table: Mapping[str, Fold | None] = _SLOW


class Route:
    """The resumes of one connection. `targets` says where an update goes, by the session's id that it bears."""

    def __init__(self, connection: Connection, judge: Judge, ended: Callable[[Resume], None]) -> None:
        self.connection = connection
        self.judge = judge
        self.ended = ended
        self.targets: dict[str, Window | Nowhere] = {}
        self.nowhere = Nowhere()
        self.pending: dict[Request, Resume] = {}
        self.replays: list[Resume] = []
        """The pending ones that replay, the oldest first."""
        self.windows: dict[str, list[Window]] = {}
        """The windows of the pending ones by their sessions, those of the oldest request first."""
        self.plain: list[Resume] = []
        """The pending ones that do not replay."""
        self.past: dict[str, Past] = {}
        """The last window of each session whose request has ended."""
        self.asked: dict[Request, Window] = {}
        """Requests of the agent that the client has not answered."""
        self.moved: dict[Request, Resume] = {}
        """Replays that the connection takes over from the one before it, when their requests are said again."""
        self.early: dict[Request, Resume] = {}
        """Unanswered prompts on sessions that were not active, and the pending resumes of these."""
        self.unnamed: dict[str, Occurrences] = {}
        """Updates, by their session, that came before anything named it."""
        self._tables: dict[State, dict[str, Fold | None]] = {}
        self._idle()

    # Requests of the client

    def resume(self, request: Request, params: Mapping[str, object]) -> None:
        """The client sent `session/resume` or `session/load`."""
        connection = self.connection
        if request.method == methods.LOAD:
            self.decide(1)
            if connection.version == 2:
                return  # v2 has no session/load
        elif "replayFrom" in params:
            self.decide(2)
        resume = Resume(connection, request, params)
        self.pending[request] = resume
        session_id = request.session_id
        if session_id is None:
            return
        session = connection.session(session_id)
        session.resume_line = request.line
        resume.was_active = session.active
        if resume.replaying:
            self._replay(resume, session_id)
        else:
            self.plain.append(resume)
            self._own(session_id)  # and have its updates leave the hot path

    def _replay(self, resume: Resume, session_id: str) -> None:
        request = resume.request
        overlapped = [each for each in self._windows(session_id) if not each.resume.request.odd]
        resume.windows[session_id] = window = Window(resume, session_id, None, State.REPLAYING)
        moved = self.moved.pop(request, None)
        if moved is not None:
            self._take_over(resume, moved)
            window = resume.windows[session_id]
        for each in resume.windows.values():
            self._enter(each, each.state)
        if self.connection.drops_replays:
            resume.lost = True
            seen = Seen(request.method, request.line, request.time, session_id, {})
            self.judge.notice(Fact.NOT_RECORDED, self.connection, seen, window)
        else:
            window.session.told = True
        if not request.odd:
            for each in overlapped:
                each.resume.ambiguous = resume.ambiguous = True
            pending = next((each.resume.request for each in overlapped if each.parent is None), None)
            if pending is not None:
                seen = Seen(request.method, request.line, request.time, session_id, {"line": pending.line})
                self.judge.notice(Fact.OVERLAP, self.connection, seen, window)
        self.replays.append(resume)
        for each in resume.windows.values():
            self._add(each)
            self._own(each.session_id)
        self._idle()

    def requested(self, request: Request) -> None:
        """The client sent a request: history that comes for its session after some of them is not late."""
        session_id, method = request.session_id, request.method
        if session_id is None or method not in _ENDS_WATCH:
            return
        past = self.past.get(session_id)
        if past is not None:
            past.watched = False
        if method in {methods.PROMPT, *methods.RESUMES}:
            self._addressed(request, session_id)

    def _addressed(self, request: Request, session_id: str) -> None:
        """The client wants this session to be resumed, or prompts it."""
        session = self.connection.session(session_id)
        if session.root is not None and not session.started:
            resume = self._resume_of(session_id)
            concerned = resume.request if resume is not None else None
            concerned = request if request.method != methods.PROMPT else concerned
            frame = Frame(request.line, CLIENT, None, concerned, request)
            self.judge.wire(Wire.CHILD_ADDRESSED, self.connection, frame)
        self._prompted(request)

    def _prompted(self, request: Request) -> None:
        """A prompt, if it is one, on a session that may not be active."""
        session_id = request.session_id
        if request.method != methods.PROMPT or session_id is None:
            return
        resume = self._resume_of(session_id)
        if resume is not None and not resume.lost and self.connection.session(session_id).active is False:
            self.early[request] = resume
            frame = Frame(request.line, CLIENT, None, resume.request, request)
            self.judge.wire(Wire.EARLY_PROMPT, self.connection, frame)

    def _resume_of(self, session_id: str) -> Resume | None:
        """The oldest pending resume of this session."""
        return next((resume for resume in self.pending.values() if resume.session_id == session_id), None)

    def started(self, request: Request, result: object) -> None:
        """A `session/new` or `session/fork` succeeds: the agent may have spoken of the session before."""
        session_id = result.get("sessionId") if isinstance(result, dict) else None
        if request.method not in {methods.NEW, methods.FORK} or not isinstance(session_id, str):
            return
        early = self.unnamed.get(session_id)
        session = self.connection.session(session_id)
        if early is not None and early.first.line > request.line and not session.named and session.root is None:
            self.judge.unnamed(self.connection, session_id, early, request)

    def closed(self, session_id: str | None, line: int) -> None:
        """A `session/close` or `session/delete` succeeded."""
        for resume in self.pending.values():
            if resume.session_id == session_id:
                resume.close_line = line

    def cancel(self, side: Side | None, params: Mapping[str, object], line: int) -> None:
        """A `$/cancel_request`."""
        ident = params.get("requestId")
        if side is AGENT:
            return
        request = self.connection.exchange.find(CLIENT, ident)
        if request is not None and not request.cancel_line:
            request.cancel_line = line

    def cancel_turn(self, params: Mapping[str, object], line: int) -> None:
        """A `session/cancel`: of the prompts only those matter that came before their session was active."""
        for prompt in self.early:
            if prompt.session_id == params.get("sessionId") and not prompt.cancel_line:
                prompt.cancel_line = line

    def respond(self, request: Request, line: int, time: float, error: Error | None) -> None:
        """A request of the client was answered."""
        early = self.early.pop(request, None)
        if early is not None and early.end is None and not early.lost:
            frame = Frame(line, AGENT, None, early.request, request, error)
            self.judge.wire(Wire.EARLY_ANSWER, self.connection, frame)
        resume = self.pending.pop(request, None)
        if resume is None:
            return
        resume.response = Point(line, time)
        resume.error = error
        if error is None:
            self._finish(resume, "success")
            if request.session_id is not None:
                self.connection.session(request.session_id).active = True
        else:
            self._finish(resume, "cancelled" if error.code == CANCELLED else "error")

    def leave(self, requests: Iterable[Request]) -> dict[Request, Resume]:
        """These pending requests belong to the connection that follows this one; returns the replays among them."""
        moved = {}
        for request in requests:
            resume = self.pending.pop(request, None)
            if resume is None:
                continue
            if resume.replaying:
                moved[request] = resume
            if resume in (pending := self.replays if resume.replaying else self.plain):
                pending.remove(resume)
            for window in resume.windows.values():
                self._drop(window)
        return moved

    def _take_over(self, resume: Resume, moved: Resume) -> None:
        """What a replay has got before its connection turned out to be another one."""
        resume.windows, resume.foreign = moved.windows, moved.foreign
        for window in (*resume.windows.values(), *resume.foreign.values()):
            window.resume = resume
            window.session = self.connection.session(window.session_id)

    # Messages of the agent

    def update(self, line: int, time: float, params: Mapping[str, object], size: int) -> None:
        """A `session/update` that is not on the hot path."""
        session_id, update = params.get("sessionId"), params.get("update")
        variant = update.get("sessionUpdate") if isinstance(update, dict) else None
        if not isinstance(update, dict) or not isinstance(variant, str):
            return
        if not isinstance(session_id, str):
            if variant == REPLAY_COMPLETE and self.connection.version == 1:
                self.judge.notice(Fact.MARKER_IN_V1, self.connection, Seen(variant, line, time, "", update), None)
            elif variant in NEAR_MISS_METHODS:
                self.near_miss(variant, line, time, params)
            return
        if variant in DECIDES:
            self.decide(DECIDES[variant])
        connection = self.connection
        session = connection.session(session_id)
        seen = Seen(variant, line, time, session_id, update)
        target = self.targets.get(session_id)
        window = target if isinstance(target, Window) else None
        if variant == REPLAY_COMPLETE:
            if connection.version == 2:
                self._marker(window, session, Event.MARKER, seen)
            elif connection.version == 1:
                self.judge.notice(Fact.MARKER_IN_V1, connection, seen, window)
            return
        if variant in NEAR_MISSES:
            self.judge.notice(Fact.NEAR_MISS, connection, seen, window)
        if variant == SESSION_INFO and vendor.is_replay_end(params):
            connection.vendor_seen = True
            self.judge.notice(Fact.VENDOR_EVENT, connection, seen, window)
            self._marker(window, session, Event.VENDOR_MARKER, seen)
            return
        if variant == STATE:
            session.state_line, session.state = line, update.get("state")
            session.own_state, session.background = session.state, bool(update.get("background"))
            if session.state in BUSY_STATES:
                session.busy_line = line
        event = fold.event_of(variant)
        child = None
        if variant in CHILDREN:
            child = children.announced(variant, update)
            self._tell(variant, update)
        self._look(window, session, seen)
        if window is not None:
            begins = event == Event.HISTORY and not window.last_line
            self._take(window, event, seen, size)
            if begins:
                first = Seen(variant, line, time, session_id, params)
                self.judge.notice(Fact.FIRST_HISTORY, connection, first, window)
                self._enter(window, window.state)
            if child is not None:
                self._announce(window, child, line)
            return
        self._outside(session, event, seen)
        for resume in self.replays[:REPLAYS_WATCHED]:
            window = self._foreign(resume, seen)
            if window is None:
                continue
            self._take(window, event, seen, size)
            if child is not None and window.early is not None and len(window.early.children) < STRAYS_REMEMBERED:
                window.early.children.append(child)
        if child is not None and child != session_id:
            connection.announce(child, session_id, line)

    def _tell(self, variant: str, update: Mapping[str, object]) -> None:
        """The state of a child, on its parent's stream."""
        told = children.told_state(variant, update)
        if told is not None:
            child, state = told
            self.connection.session(child).own_state = state

    def _look(self, window: Window | None, session: Session, seen: Seen) -> None:
        """What an update is beside its kind."""
        variant, update = seen.what, seen.content
        ident: object
        if self.connection.version == 2 and variant in MESSAGES:
            ident, content = update.get("messageId"), update.get("content")
            if not isinstance(ident, str):
                self.judge.notice(Fact.NO_MESSAGE_ID, self.connection, seen, window)
            elif variant in WHOLE and window is not None and not fold.came_whole(window, ident, content):
                self.judge.notice(Fact.REPEATED, self.connection, seen, window)
        elif self.connection.version == 1 and variant in TOOL_CALLS:
            ident = update.get("toolCallId")
            if not isinstance(ident, str):
                return
            if variant == "tool_call":
                session.tool_calls.start(ident)
                if window is not None and not fold.began(window, ident):
                    self.judge.notice(Fact.REPEATED, self.connection, seen, window)
            elif ident not in session.tool_calls.ids and session.told and not session.tool_calls.forgot:
                self.judge.notice(Fact.ORPHAN, self.connection, seen, window)

    def _take(self, window: Window, event: Event, seen: Seen, size: int) -> None:
        """An update that is no marker becomes part of a window."""
        self.judge.see(window, event, seen)
        fold.fold_of(window.state, seen.what)(window, seen.line, seen.time, seen.what, seen.content, size)
        self._step(window, event)

    def agent_request(self, request: Request, params: Mapping[str, object]) -> None:
        """The agent asked the client something."""
        session_id = request.session_id
        if session_id is None:
            return
        tool = params.get("toolCall")
        if isinstance(tool, dict) and self.connection.version == 1:
            self.connection.session(session_id).tool_calls.start(tool.get("toolCallId"))
        seen = Seen(request.method, request.line, request.time, session_id, params)
        target = self.targets.get(session_id)
        if isinstance(target, Window):
            self.judge.see(target, Event.AGENT_REQUEST, seen)
            gap.request(target, request.time)
            self._step(target, Event.AGENT_REQUEST)
            self.asked[request] = target
            return
        self._outside(self.connection.session(session_id), Event.AGENT_REQUEST, seen)
        for resume in self.replays[:REPLAYS_WATCHED]:
            window = self._foreign(resume, seen)
            if window is not None:
                self.judge.see(window, Event.AGENT_REQUEST, seen)
                self._step(window, Event.AGENT_REQUEST)

    def answer(self, request: Request, time: float) -> None:
        """The client answered a request of the agent."""
        window = self.asked.pop(request, None)
        if window is not None and window.state != State.AFTER:
            gap.answer(window, time)

    def _outside(self, session: Session, event: Event, seen: Seen) -> None:
        """A message for a session that no window owns."""
        session_id = seen.session_id
        named = session.named or session.root is not None
        if not named and event != Event.AGENT_REQUEST:
            self._unnamed(seen)
        plain = [each for each in self.plain[:REPLAYS_WATCHED] if each.session_id == session_id]
        for resume in plain:
            self.judge.see_plain(resume, seen)
        past = self.remembered(session_id)
        watched = past is not None and past.watched
        if past is not None:
            if watched and event == Event.HISTORY and not session.prompts:
                if past.after is None:
                    past.after = Occurrences(0, seen.what, seen.at)
                past.after.add(0, seen.what, seen.at)
            elif session.state_line == seen.line and session.state == "running":
                past.watched = watched = False
            self._after(past, event, seen)
        free = session_id not in self.targets and len(self.targets) < FOREIGN_REMEMBERED
        if named and free and not plain and not watched:
            self.targets[session_id] = self.nowhere

    def _unnamed(self, seen: Seen) -> None:
        """An update for a session that nothing has named yet."""
        if self.connection.forgot:
            return
        before = self.unnamed.get(seen.session_id)
        if before is None:
            if len(self.unnamed) >= FOREIGN_REMEMBERED:
                return
            before = self.unnamed[seen.session_id] = Occurrences(0, seen.what, seen.at)
        before.add(0, seen.what, seen.at)

    def near_miss(self, what: str, line: int, time: float, params: Mapping[str, object]) -> None:
        """Nearly a marker: a notification of its own, or one that names no session."""
        session_id = params.get("sessionId")
        known = isinstance(session_id, str)
        target = self.targets.get(session_id) if isinstance(session_id, str) else None
        seen = Seen(what, line, time, str(session_id) if known else "", {})
        window = target if isinstance(target, Window) else None
        self.judge.notice(Fact.NEAR_MISS, self.connection, seen, window)

    def _after(self, past: Past, event: Event, seen: Seen) -> None:
        self.judge.see_after(self.connection, past, event, seen)
        past.state = TABLE[past.state][event]

    def remembered(self, session_id: str) -> Past | None:
        """The window that this session had in the last resume request of its tree, if that has ended."""
        past = self.past.get(session_id)
        sessions = self.connection.sessions
        root = sessions.get(session_id)
        if root is not None and root.root is not None:
            root = sessions.get(root.root)
        return past if past is not None and root is not None and past.request_line == root.resume_line else None

    # Markers and announcements

    def _marker(self, window: Window | None, session: Session, event: Event, seen: Seen) -> None:
        if window is None:
            self._stray(session, event, seen)
            return
        self.judge.see(window, event, seen)
        # The vendor's event is one for the whole load.
        whole = event == Event.VENDOR_MARKER and window.parent is None
        for each in tuple(window.resume.windows.values()) if whole else (window,):
            self._mark(each, event, seen.line, seen.time)

    def _mark(self, window: Window, event: Event, line: int, time: float) -> None:
        fold.mark(window, event, line, time)
        self._step(window, event)
        self._own(window.session_id)

    def _stray(self, session: Session, event: Event, seen: Seen) -> None:
        """A marker for a session that no window owns: whose is it?"""
        session_id = seen.session_id
        during = self.replays[0] if self.replays else None
        unannounced = during is not None and not session.named and session.root is None
        for named in self._windows(session.root) if session.root is not None else ():
            if named.parent is None:  # the replay of its own tree has not announced it
                during, unannounced = named.resume, True
        stray = Stray(event, seen._replace(content={}), self.remembered(session_id), during, unannounced=unannounced)
        # Another session may yet turn out to be a child.
        stray.certain = (session.started or session.resume_line > 0) and not unannounced
        for replay in self.replays[:REPLAYS_WATCHED]:
            window = self._foreign(replay, seen)
            if window is not None and window.early is not None and len(window.early.strays) < STRAYS_REMEMBERED:
                window.early.strays.append(stray)
                stray.waits += 1
                self._step(window, event)
        if not self.replays:
            self._give(stray)

    def _give(self, stray: Stray) -> None:
        past = stray.past
        if past is None:
            self.judge.stray(self.connection, stray)
            return
        self._after(past, stray.event, stray.seen)
        if not past.line_of(stray.event):
            past.lines = (*past.lines, (stray.event, stray.seen.line))

    def _foreign(self, resume: Resume, seen: Seen) -> Window | None:
        """The window that a session will have if this replay announces it; None where there are too many."""
        window = resume.foreign.get(seen.session_id)
        if window is None:
            if len(resume.foreign) >= FOREIGN_REMEMBERED:
                return None
            window = resume.foreign[seen.session_id] = Window(resume, seen.session_id, None, State.UNANNOUNCED)
        if window.early is None:
            window.early = Early(seen.what, seen.line)
        window.early.count += 1
        window.early.last_line = seen.line
        return window

    def _announce(self, parent: Window, child_id: str, line: int) -> None:
        """A child was announced on the stream of this window, and with it the children that it had announced."""
        announced = [(parent, child_id)]
        while announced:
            parent, child_id = announced.pop(0)
            window = self._child(parent, child_id, line)
            if window is not None and window.early is not None:
                announced += [(window, each) for each in window.early.children]

    def _child(self, parent: Window, child_id: str, line: int) -> Window | None:
        """The window that an announcement opens; None where it only patches."""
        resume = parent.resume
        if child_id in resume.windows:
            return None
        known = self.connection.sessions.get(child_id)
        was_announced = known is not None and known.root is not None
        new = known is None or not (known.named or was_announced)
        self.connection.announce(child_id, parent.session_id, line)
        if parent.marker is not None and not new:
            return None
        window = resume.foreign.pop(child_id, None)
        if window is None:
            window = Window(resume, child_id, None, State.UNANNOUNCED)
        window.parent = parent.session_id
        window.announced_line = line
        resume.windows[child_id] = window
        self._add(window)
        self._step(window, Event.ANNOUNCEMENT)
        if window.early is not None:
            window.early.unannounced = not was_announced
            for stray in window.early.strays:
                stray.claimed = True
                self.judge.see(window, stray.event, stray.seen)
                self._mark(window, stray.event, stray.seen.line, stray.seen.time)
        whole = resume.named.vendor if resume.named is not None else None
        if whole is not None:
            self._mark(window, Event.VENDOR_MARKER, whole.line, whole.time)
        self._own(child_id)
        return window

    def lost(self) -> None:
        """The recorder dropped messages here."""
        for resume in self.pending.values():
            resume.lost = True

    # Ends

    def close(self, end: End, at: Point) -> None:
        """The connection ended, or the recording of it, after this message."""
        for resume in tuple(self.pending.values()):
            resume.until = at
            self._finish(resume, end)
        self.pending.clear()
        for request in sorted(self.connection.exchange.pending(), key=lambda request: request.line):
            self.judge.unanswered(self.connection, request, end)
        may_be_named = end == "open" and any(each.method in _NAMES for each in self.connection.exchange.pending())
        for session_id, seen in self.unnamed.items():
            session = self.connection.session(session_id)
            if not (may_be_named or session.named or session.root is not None):
                self.judge.unnamed(self.connection, session_id, seen, None)
        self.judge.connection_end(self.connection)

    def _finish(self, resume: Resume, end: End) -> None:
        resume.end = end
        response = resume.response or NOWHERE
        for window in resume.windows.values():
            gap.end(window, response.time)
            self._step(window, Event.END)
        if resume in (pending := self.replays if resume.replaying else self.plain):
            pending.remove(resume)
        self.judge.request_end(resume)
        self.ended(resume)
        self._release(resume)
        for window in resume.windows.values():
            session = window.session
            if window.last_line:
                self.connection.lives(window.session_id, "replay")
            past = self.past.get(window.session_id)
            if past is None or past.request_line < resume.request.line:  # overlapping ones may end in reverse
                forget_oldest(self.past, SESSIONS_REMEMBERED)
                self.past[window.session_id] = past = Past(window, self._snapshot(resume))
                past.watched &= session.prompt_line < resume.request.line
            self._drop(window)
        resume.windows = {}
        self._idle()

    def _snapshot(self, resume: Resume) -> object:
        """The state in the last `state_update` of the named session since the request; None where there was none."""
        session = self.connection.session(resume.session_id or "")
        return session.state if session.state_line >= resume.request.line else None

    def _release(self, resume: Resume) -> None:
        """The sessions that this replay has not announced are none of its children."""
        for window in resume.foreign.values():
            for stray in window.early.strays if window.early is not None else ():
                stray.waits -= 1
                # Where the recording just stops, the announcement may only be missing from it.
                known = stray.certain or resume.end != "open"
                if not stray.waits and not stray.claimed and known:
                    self._give(stray)
            self._step(window, Event.END)
        resume.foreign = {}

    # Ownership and tables

    def decide(self, version: int) -> None:
        """A sign of the connection's version."""
        if self.connection.decide(version):
            self.version_changed()

    def version_changed(self) -> None:
        """The version is known now, or was taken for another: windows and pending requests follow it."""
        self._tables = {}
        for request, resume in tuple(self.pending.items()):
            replaying = resume.asks_for_history(self.connection.version)
            if resume.replaying and not replaying and resume in self.replays:  # not, if it names no session
                self.replays.remove(resume)
                self.plain.append(resume)
                windows, resume.windows = tuple(resume.windows.values()), {}
                for window in windows:
                    self._drop(window)
            resume.replaying = replaying
            if request.method == methods.LOAD and not replaying:
                del self.pending[request]
            for window in resume.windows.values():
                self._enter(window, window.state)
        self._idle()

    def _windows(self, session_id: str) -> list[Window]:
        """The pending windows of this session, as many of them as are told apart."""
        return self.windows.get(session_id, [])[:REPLAYS_WATCHED]

    def _add(self, window: Window) -> None:
        windows = self.windows.setdefault(window.session_id, [])
        windows.append(window)
        windows.sort(key=lambda each: each.resume.request.line)

    def _drop(self, window: Window) -> None:
        windows = self.windows.get(window.session_id, [])
        if window in windows:
            windows.remove(window)
        if not windows:
            self.windows.pop(window.session_id, None)
        self._own(window.session_id)

    def _own(self, session_id: str) -> None:
        """Which window owns this session's messages from here on."""
        owner: Window | None = None
        for window in self._windows(session_id):
            odd = window.resume.request.odd
            if owner is None or (not odd and (owner.marker is not None or owner.resume.request.odd)):
                owner = window
        if owner is not None:
            self.targets[session_id] = owner
        else:
            self.targets.pop(session_id, None)

    def _step(self, window: Window, event: Event) -> None:
        state = TABLE[window.state][event]
        if state is not window.state:
            self._enter(window, state)

    def _enter(self, window: Window, state: State) -> None:
        window.state = state
        # The first history update leaves the hot path: rules may want to see it, and nothing has to ask later.
        window.table = self._table(state) if window.last_line else _SLOW

    def _idle(self) -> None:
        """What happens to messages that no window owns: while a replay is pending, its children may be among them."""
        self.nowhere.table = _SLOW if self.replays else self._table(State.AFTER)

    def _table(self, state: State) -> dict[str, Fold | None]:
        found = self._tables.get(state)
        if found is None:
            version = self.connection.version
            found = fold.table(version, state, lambda event: self.judge.listens(version, state, event))
            self._tables[state] = found
        return found
