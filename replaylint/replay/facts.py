"""Who is told of the events of windows, and what else there is to tell.

No enumerations: these cost at every start, and nothing asks them for their members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Side
    from replaylint.replay.states import Event, State
    from replaylint.replay.window import End, Error, Occurrences, Past, Resume, Seen, Stray, Window


class Fact:
    """Something that a connection showed of a session, in a window or outside any."""

    MARKER_IN_V1: Final = "marker_in_v1"
    """A `replay_complete` on a v1 connection."""
    NEAR_MISS: Final = "near_miss"
    """What is nearly an end-of-replay marker, but none for any client."""
    VENDOR_EVENT: Final = "vendor_event"
    """The vendor's end-of-replay event, wherever it came."""
    FIRST_HISTORY: Final = "first_history"
    """The first history update of a window; its content is the params of the notification."""
    OVERLAP: Final = "overlap"
    """A replaying request for a session while another one is pending, whose line is its content."""
    NOT_RECORDED: Final = "not_recorded"
    """A replaying request whose replay the recorder is known to leave out."""
    NO_MESSAGE_ID: Final = "no_message_id"
    """On v2, a message, a thought or a chunk of one without a `messageId` that is a string."""
    REPEATED: Final = "repeated"
    """A whole message again, the same as in this window before; on v1, a `tool_call` for a tool call again."""
    ORPHAN: Final = "orphan"
    """On v1, a `tool_call_update` for a tool call that nothing started."""


class Wire:
    """Something that a message was, or that stood in the place of one, beside what it says of a session."""

    UNREADABLE: Final = "unreadable"
    """No JSON. The body is the JSON-RPC message that is embedded in it, if there is one."""
    SKIPPED: Final = "skipped"
    """A line of the recording that is too long to be read."""
    CUT: Final = "cut"
    """JSON that stops before its end, the last text of its side."""
    NO_MESSAGE: Final = "no_message"
    """JSON that is no JSON-RPC message."""
    NO_VERSION: Final = "no_version"
    """A message without `"jsonrpc": "2.0"`, of a side whose messages have it."""
    CLOCK_STEP: Final = "clock_step"
    """The clock went back; the body is by how many seconds."""
    BATCH: Final = "batch"
    """An array of messages."""
    ID_REUSED: Final = "id_reused"
    """A request; `other` is the oldest pending one of its side that has the same id."""
    INVALID_ID: Final = "invalid_id"
    """A request with an id that none may have."""
    OTHER_TYPE: Final = "other_type"
    """A response whose id is that of its request in another JSON type."""
    RESPONSE: Final = "response"
    """A response that is more or less than an id and a result, and the request that it answers."""
    INITIALIZED: Final = "initialized"
    """The response to `initialize`."""
    UNMATCHED: Final = "unmatched"
    """A response to no pending request; the request is the one with its id that was answered before, if any."""
    EARLY_PROMPT: Final = "early_prompt"
    """A prompt, `other`, on a session that is not active, while the request, a resume of it, is pending."""
    EARLY_ANSWER: Final = "early_answer"
    """The response to such a prompt while the resume is still pending."""
    CHILD_ADDRESSED: Final = "child_addressed"
    """A resume of a child or a prompt on it, `other`; the request is the resume that it concerns, if there is one."""


class Frame(NamedTuple):
    """A message as rules about the exchange see it: the side that sent it is None where that is not known."""

    line: int
    side: Side | None
    body: object = None
    request: Request | None = None
    """The request that it concerns."""
    other: Request | None = None
    error: Error | None = None


class Judge(Protocol):
    """What is told of the facts, as they become certain. The rules stand behind it."""

    def listens(self, version: int | None, state: State, event: Event) -> bool:
        """Whether a rule wants to see this event in this state, on connections of this version."""

    def see(self, window: Window, event: Event, seen: Seen) -> None:
        """An event in a window; the window is still as it was before."""

    def see_after(self, connection: Connection, past: Past, event: Event, seen: Seen) -> None:
        """An event for a session whose last replay has ended."""

    def see_plain(self, resume: Resume, seen: Seen) -> None:
        """An update for the session of a pending request that asks for no history."""

    def notice(self, fact: str, connection: Connection, seen: Seen, window: Window | None) -> None:
        """A fact that is certain; the window is the one that holds it, if any does."""

    def restart(self, connection: Connection, line: int) -> None:
        """What the client sent from this line on belongs to another connection, and is said there again."""

    def doubt(self, connection: Connection, line: int) -> None:
        """What the client sent from this line on may belong to another connection."""

    def stray(self, connection: Connection, stray: Stray) -> None:
        """A marker that no window and no ended one can claim."""

    def request_end(self, resume: Resume) -> None:
        """A resume request ended."""

    def wire(self, wire: str, connection: Connection | None, frame: Frame) -> None:
        """What a message was, or what stood in the place of one."""

    def unnamed(self, connection: Connection, session_id: str, seen: Occurrences, request: Request | None) -> None:
        """Updates for a session that only the result of this request named, or nothing at all."""

    def unanswered(self, connection: Connection, request: Request, end: End) -> None:
        """A request was not answered by the end of its connection."""

    def connection_end(self, connection: Connection) -> None:
        """A connection ended, or the recording of it."""
