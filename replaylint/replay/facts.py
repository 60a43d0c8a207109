"""What rules are told of beside the events of a window.

No enumerations: these cost at every start, and nothing asks them for their members.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Side
    from replaylint.replay.window import Error


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
