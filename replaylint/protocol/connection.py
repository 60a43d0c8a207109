"""A connection: its version and names, its pending requests, and which sessions are active on it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from replaylint.protocol import methods, vendor
from replaylint.protocol.exchange import Exchange
from replaylint.protocol.limits import NOTHING, SESSIONS_REMEMBERED, forget_oldest
from replaylint.protocol.sides import Lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replaylint.protocol.exchange import Request
    from replaylint.recording.clock import Steps
    from replaylint.recording.message import Side, Unreadable

VERSIONS: Final = (1, 2)


class History:
    """Where a recording first showed that a session has history; lines are 0 where it did not.

    A turn or an earlier replay brought some: `origin` says which. That a prompt was answered is weaker: what it
    inserted need not be replayed.
    """

    __slots__ = ("line", "origin", "prompt_line")

    def __init__(self) -> None:
        self.prompt_line = 0
        self.line = 0
        self.origin: Literal["turn", "replay"] = "turn"


class ToolCalls:
    """The tool calls that a session's messages started, on v1, where a `tool_call` does it.

    `forgot`: there were too many of them to say that one was never started.
    """

    __slots__ = ("forgot", "ids")

    def __init__(self) -> None:
        self.ids: dict[str, None] = {}
        self.forgot = False

    def start(self, ident: object) -> None:
        """A message started this one."""
        if isinstance(ident, str) and ident not in self.ids:
            self.forgot |= forget_oldest(self.ids)
            self.ids[ident] = None


class StateUpdate(NamedTuple):
    """A `state_update`: its line (0 where none came), the state, and whether it lists work in the background."""

    line: int
    state: object
    background: bool


NO_STATE: Final = StateUpdate(0, None, background=False)


class Session:
    """What a connection showed of one session.

    `active` is None where the recording has not shown yet whether the session is active: on a partial connection.
    Lines are 0 where there is none yet.
    """

    __slots__ = (
        *("active", "announced", "announced_line", "busy_line", "closed_line", "first_prompt", "first_update_line"),
        *("left_open", "named_line", "own_state", "prompt_line", "prompts", "resume_line", "resumed", "root"),
        *("seen_from_start", "snapshot", "started", "tools"),
    )

    def __init__(self, *, active: bool | None) -> None:
        self.active = active
        self.announced_line = 0
        """Its first announcement as a child."""
        self.named_line = 0
        """Where the client or a result named it first."""
        self.started = False
        """The client started it: `session/new` or `session/fork` returned it."""
        self.root: str | None = None
        """Of a child that the agent announced: the session that its parents go back to."""
        self.snapshot = NO_STATE
        """Its last `state_update`."""
        self.own_state: object = None
        """The last state that it told itself or, of a child, that its parent's stream did."""
        self.busy_line = 0
        """Its last `state_update` that says running or requires_action."""
        self.prompt_line = 0
        """Its last `session/prompt`."""
        self.prompts = 0
        """Prompts that are unanswered."""
        self.first_update_line = 0
        """Its first update on the connection."""
        self.announced: set[str] | None = None
        """Tool calls and terminals that its updates outside windows named while a resume of it was pending."""
        self.closed_line = 0
        """The success of a `session/close`, until the client asks for the session again."""
        self.resumed: Request | None = None
        """The last resume of it that succeeded."""
        self.first_prompt: Request | None = None
        """The first prompt since."""
        self.left_open: set[str] | None = None
        """Tool calls that a replay left open, and that no later update ended."""
        self.resume_line = 0
        """The last resume request that named it."""
        self.seen_from_start = False
        """Whether the connection shows it from its beginning: from `session/new`, its announcement, or in a replay."""
        self.tools: ToolCalls | None = None

    @property
    def named(self) -> bool:
        """Whether the client named it, or a result did."""
        return self.named_line > 0

    @property
    def tool_calls(self) -> ToolCalls:
        """The tool calls that its messages started."""
        if self.tools is None:
            self.tools = ToolCalls()
        return self.tools


class Peer:
    """The name and version that one side gave itself."""

    __slots__ = ("name", "version")

    def __init__(self, info: object) -> None:
        facts = info if isinstance(info, dict) else {}
        name, version = facts.get("name"), facts.get("version")
        # Interned: a recording's connections have few peers, but each name was parsed separately.
        self.name = sys.intern(name) if isinstance(name, str) else None
        self.version = sys.intern(version) if isinstance(version, str) else None


UNKNOWN: Final = Peer(None)


class Skips:
    """Lines that nobody has read: each connection that had begun may have lost a message there."""

    __slots__ = ("line",)

    def __init__(self) -> None:
        self.line = 0
        """The last one."""


class Connection:
    """One connection of a recording; `number` counts from 1."""

    __slots__ = (
        *("_skipped_before", "_skips", "agent", "answered_line", "answers_unseen", "begins_here", "client"),
        *("cut", "dropped_line", "drops_replays", "ended_at", "exchange", "first_client_line", "forgot"),
        *("has_history", "header_line", "hung_up_line", "number", "opted_in", "reinitialize"),
        *("reinitialize_line",),
        *("sessions", "speaks_jsonrpc", "steps", "unordered", "vendor_seen", "version", "version_line"),
    )

    def __init__(
        self,
        number: int,
        has_history: dict[str, History],
        steps: Steps,
        skips: Skips,
        header_line: int = 0,
        unordered: Lines | None = None,
    ) -> None:
        self.number = number
        self.header_line = header_line
        """Where the recorder said that it begins; 0 where it did not."""
        self.steps = steps
        """Where its clock went back."""
        self.unordered = Lines() if unordered is None else unordered
        """The lines of messages of which nobody knows between which of the other side they came."""
        self.has_history = has_history
        """Sessions that the recording showed to have history, on this connection or another one."""
        self.exchange = Exchange()
        self.sessions: dict[str, Session] = NOTHING
        self.forgot = False
        """Whether sessions were forgotten, so that a new id may be an old one."""
        self.version: int | None = None
        self.version_line = 0
        """What gave it away first."""
        self.first_client_line = 0
        self.answers_unseen = False
        """Whether the agent answered something before the client said anything: the end of a log that was rotated."""
        self.begins_here = False
        """Whether its first client message is `initialize`: else its beginning is not in the recording."""
        self.speaks_jsonrpc: tuple[str | None, ...] = ()
        """The sides whose messages bear `jsonrpc`: some recorders leave it out of all."""
        self.answered_line = 0
        """The client's last request that was answered."""
        self.dropped_line = 0
        """Where the recorder last dropped messages."""
        self._skips = skips
        self._skipped_before = skips.line
        self.ended_at: tuple[int, float] | None = None
        """The line and the time at which the recorder said that the agent or its output ended."""
        self.hung_up_line = 0
        """Where the recorder said that the client closed its end, before the agent ended."""
        self.client = self.agent = UNKNOWN
        self.cut: dict[Side | None, tuple[int, float, Unreadable]] = NOTHING
        """The text of a side that may be cut off, its line and time: the last one until now, a beginning of JSON."""
        self.opted_in = False
        """Whether the client declared the vendor event."""
        self.vendor_seen = False
        """Whether the agent sent the vendor event."""
        self.reinitialize: dict[Request, None] | None = None
        """The requests to `initialize` that are pending although the connection was in use."""
        self.reinitialize_line = 0
        """The first `initialize` that is pending although the connection was in use; 0 where there is none."""
        self.drops_replays = False
        """Whether the recorder is known to leave replayed updates out."""

    @property
    def partial(self) -> bool:
        """Whether the beginning of the connection is not in the recording."""
        return not self.begins_here

    @property
    def lost_line(self) -> int:
        """Where a message of it was lost last, as far as that can be known."""
        skipped = self._skips.line
        return max(self.dropped_line, skipped) if skipped > self._skipped_before else self.dropped_line

    def client_message(self, method: str | None, line: int) -> None:
        """The client sent something."""
        if not self.first_client_line:
            self.first_client_line = line
            self.begins_here = method == methods.INITIALIZE
            if self.begins_here:
                # Sessions that the agent spoke of before: now it is known that none was active.
                for session in self.sessions.values():
                    session.active = False

    def session(self, session_id: str) -> Session:
        """What is known of this session; the oldest is forgotten when there are too many."""
        session = self.sessions.get(session_id)
        if session is None:
            self.forgot |= forget_oldest(self.sessions, SESSIONS_REMEMBERED)
            unknown = self.partial or self.forgot
            self.sessions = self.sessions or {}
            session = self.sessions[session_id] = Session(active=None if unknown else False)
        return session

    def history(self, session_id: str) -> History:
        """What the recording showed of this session's history so far."""
        known = self.has_history.get(session_id)
        if known is None:
            forget_oldest(self.has_history, SESSIONS_REMEMBERED)
            known = self.has_history[session_id] = History()
        return known

    def announce(self, child_id: str, parent_id: str, line: int) -> Session:
        """An agent announced a child on its parent's stream."""
        root = self.session(parent_id).root
        child = self.session(child_id)
        if child.root is None:
            child.seen_from_start |= not child.named
            child.announced_line = line
        child.root = parent_id if root is None else root
        return child

    def decide(self, version: int, line: int) -> bool:
        """A sign of the version, where nothing said it before. True when it was news."""
        if self.version is not None:
            return False
        self.version, self.version_line = version, line
        return True

    def introduced(self, params: Mapping[str, object]) -> None:
        """The client sent `initialize` with these params."""
        self.client = Peer(params.get("info") or params.get("clientInfo"))
        self.opted_in = vendor.declares_replay_end(params)

    def requested(self, request: Request) -> None:
        """The client sent a request."""
        if request.session_id is None:
            return
        session = self.session(request.session_id)
        self.sessions[request.session_id] = self.sessions.pop(request.session_id)  # no longer the oldest
        session.named_line = session.named_line or request.line
        if request.method not in {methods.CLOSE, methods.DELETE, methods.ARCHIVE}:
            session.closed_line = 0
        if request.method == methods.PROMPT:
            session.first_prompt = session.first_prompt or request
            session.prompt_line = request.line
            session.prompts += 1

    def answered(self, request: Request, *, success: bool) -> None:
        """A request of the client was answered."""
        self.answered_line = max(self.answered_line, request.line)
        if request.method == methods.PROMPT and request.session_id is not None:
            session = self.session(request.session_id)
            session.prompts = max(0, session.prompts - 1)
            if success:
                history = self.history(request.session_id)
                history.prompt_line = history.prompt_line or request.answer_line

    def succeeded(self, request: Request, result: object) -> None:
        """A request of the client was answered with a result."""
        facts = result if isinstance(result, dict) else {}
        method = request.method
        if method == methods.INITIALIZE:
            self.agent = Peer(facts.get("info") or facts.get("agentInfo"))
            version = facts.get("protocolVersion")
            if version in VERSIONS and not isinstance(version, bool):
                self.version = int(version)
                self.version_line = self.version_line or request.answer_line
        elif method in {methods.NEW, methods.FORK}:
            self._starts(facts.get("sessionId"), request.answer_line, seen_from_start=method == methods.NEW)
        elif method in {methods.CLOSE, methods.DELETE, methods.ARCHIVE} and request.session_id is not None:
            self.session(request.session_id).active = False
        elif method == methods.LIST:
            listed = facts.get("sessions")
            for entry in listed if isinstance(listed, list) else ():
                self._names(entry.get("sessionId") if isinstance(entry, dict) else None, request.answer_line)

    def _names(self, session_id: object, line: int) -> None:
        if isinstance(session_id, str):
            session = self.session(session_id)
            session.named_line = session.named_line or line

    def _starts(self, session_id: object, line: int, *, seen_from_start: bool) -> None:
        if isinstance(session_id, str):
            session = self.session(session_id)
            session.named_line = session.named_line or line
            session.started = session.active = True
            session.seen_from_start |= seen_from_start
