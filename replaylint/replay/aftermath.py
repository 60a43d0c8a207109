"""What still comes on one connection when a resume has ended, or for sessions that no resume named.

Of the last window of each session enough is remembered to tell a marker or history that came too late from what nobody
asked for. Updates for a session that nothing has named yet are counted until something names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from replaylint.protocol import methods
from replaylint.protocol.content import text_of
from replaylint.protocol.limits import NOTHING, SESSIONS_REMEMBERED, forget_oldest
from replaylint.protocol.variants import USER_MESSAGES
from replaylint.replay.children import assigned
from replaylint.replay.states import Trigger
from replaylint.replay.window import Occurrences, Past

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replaylint.protocol.connection import Connection, Session
    from replaylint.protocol.exchange import Request
    from replaylint.replay.events import Stream
    from replaylint.replay.ownership import Ownership
    from replaylint.replay.window import Point, Resume, UnownedMarker

MAX_PROMPT_CHARS: Final = 100_000
"""Of a prompt that may explain a user's message."""
MAX_UNNAMED: Final = 1000
"""Sessions that nothing has named, and for which updates came, a connection."""

_ENDS_WATCH: Final = frozenset({*methods.RESUMES, methods.PROMPT, methods.CLOSE, methods.DELETE, methods.ARCHIVE})
"""Requests after which history that comes for their session is not late."""


class Aftermath:
    """The ended windows of one connection, and the sessions without a name."""

    __slots__ = ("_named_later", "_ownership", "_past", "_stream", "_unnamed", "connection")

    def __init__(self, connection: Connection, stream: Stream, ownership: Ownership) -> None:
        self.connection = connection
        self._stream = stream
        self._ownership = ownership
        self._past: dict[str, Past] = NOTHING
        """The last window of each session whose request has ended."""
        self._unnamed: dict[str, Occurrences] = NOTHING
        """Updates, by their session, that came before anything named it."""
        self._named_later: dict[str, Occurrences] = NOTHING
        """The same, where only a request named it that may belong to the connection that follows."""

    # Ended windows

    def remember(self, resume: Resume) -> None:
        """A resume has ended."""
        for window in resume.windows.values():
            past = self._past.get(window.session_id)
            self._past = self._past or {}
            if past is None or past.request_line < resume.request.line:  # overlapping ones may end in reverse
                forget_oldest(self._past, SESSIONS_REMEMBERED)
                self._past[window.session_id] = past = Past(window, self._snapshot(resume))
                past.watched &= window.session.prompt_line < resume.request.line

    def _snapshot(self, resume: Resume) -> object:
        """The state in the last `state_update` of the named session since the request; None where there was none."""
        line, state, _ = self.connection.session(resume.session_id or "").snapshot
        return state if line >= resume.request.line else None

    def requested(self, request: Request, params: Mapping[str, Any]) -> None:
        """The client sent a request: history that comes for its session after some of them is not late.

        On v1 a user's message may still be late while the first prompt is unanswered, if its text is not the prompt's.
        """
        past = self._past.get(request.session_id) if request.session_id is not None else None
        if past is None or request.method not in _ENDS_WATCH:
            return
        if past.watched and request.method == methods.PROMPT and self.connection.version == 1:
            past.prompt, past.prompt_text = request, text_of(params.get("prompt"))[:MAX_PROMPT_CHARS]
        past.watched = False

    def past_of(self, session_id: str) -> Past | None:
        """The window that this session had in the last resume request of its tree, if that has ended."""
        past = self._past.get(session_id)
        sessions = self.connection.sessions
        root = sessions.get(session_id)
        if root is not None and root.root is not None:
            root = sessions.get(root.root)
        return past if past is not None and root is not None and past.request_line == root.resume_line else None

    def latest(self, session_id: str) -> Past | None:
        """The last window of this session that has ended, while history that comes may be late for it."""
        past = self._past.get(session_id)
        if past is None or not (past.watched or (past.prompt is not None and not past.prompt.answer_line)):
            return None
        return past

    def late(
        self, past: Past, session: Session, trigger: Trigger, what: str, at: Point, content: Mapping[str, Any]
    ) -> None:
        """A message for a session whose last window has ended: history may be late, until a turn explains it."""
        if past.prompt is not None and not past.prompt.answer_line and what in USER_MESSAGES:
            text = text_of(content.get("content"))
            if text and text not in past.prompt_text:
                past.after = past.after or Occurrences(0, what, at)
                past.after.add(0, what, at)
            return
        if past.watched and trigger == Trigger.HISTORY and not session.prompts:
            if past.after is None:
                past.after = Occurrences(0, what, at)
            past.after.add(0, what, at)
        elif session.snapshot[:2] == (at.line, "running"):
            past.watched = False

    # Markers

    def unowned(self, session: Session, marker: UnownedMarker) -> UnownedMarker:
        """A marker for a session that no window owns: whose is it?"""
        during = next(iter(self._ownership.replays.values()), None)
        unannounced = during is not None and not session.named and session.root is None
        for named in self._ownership.windows_of(session.root):
            if named.parent is None:  # the replay of its own tree has not announced it
                during, unannounced = named.resume, True
        marker.during, marker.unannounced = during, unannounced
        # Another session may yet turn out to be a child.
        marker.certain = (session.started or session.resume_line > 0) and not unannounced
        return marker

    def assign(self, marker: UnownedMarker) -> None:
        """No pending replay can claim this marker any more."""
        self._stream.emit(assigned(self.connection, marker))
        past = marker.past
        if past is not None and not past.line_of(marker.trigger):
            past.lines = (*past.lines, (marker.trigger, marker.at.line))

    # Sessions that nothing has named

    def unnamed(self, session_id: str, what: str, at: Point) -> None:
        """An update for a session that nothing has named yet."""
        if not self.connection.forgot:
            self._unnamed = self._unnamed or {}
            _count(self._unnamed, session_id, what, at)

    def named_later(self, session_id: str, what: str, at: Point) -> None:
        """An update for a session that only a request named which may belong to the connection that follows."""
        self._named_later = self._named_later or {}
        _count(self._named_later, session_id, what, at)

    def named_by(self, request: Request, result: object) -> Occurrences | None:
        """The updates that came since this request for the session that its result is the first to name."""
        session_id = result.get("sessionId") if isinstance(result, dict) else None
        if request.method not in {methods.NEW, methods.FORK} or not isinstance(session_id, str):
            return None
        early = self._unnamed.get(session_id)
        if early is None or early.first.line <= request.line or self._is_named(session_id):
            return None
        return early

    def never_named(self, *, restarted: bool) -> Mapping[str, Occurrences]:
        """The updates for sessions that nothing has named; `restarted`: an `initialize` ended the connection."""
        found = {each: seen for each, seen in self._unnamed.items() if not self._is_named(each)}
        return {**found, **self._named_later} if restarted else found

    def _is_named(self, session_id: str) -> bool:
        session = self.connection.session(session_id)
        return session.named or session.root is not None


def _count(counted: dict[str, Occurrences], session_id: str, what: str, at: Point) -> None:
    before = counted.get(session_id)
    if before is None:
        if len(counted) >= MAX_UNNAMED:
            return
        before = counted[session_id] = Occurrences(0, what, at)
    before.add(0, what, at)
