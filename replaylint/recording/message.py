"""What a recording format yields: messages and notes, both as plain tuples.

A message is `(line, time, side, body, size)`: the 1-based line on which it begins, its time in seconds (NaN where the
recording has none), the side that sent it (None where the recording does not say), the parsed JSON, and the length of
the line in bytes. Where the body is a `Note`, the tuple is not a message but a remark of the recorder or the reader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Side = Literal["client", "agent"]
CLIENT: Final = "client"
AGENT: Final = "agent"

NO_TIME: Final = float("nan")

BLANK: Final = " \t\r\n\0"
"""The characters of a blank line: some writers leave NULs behind."""


def is_jsonrpc(record: Mapping[str, object]) -> bool:
    """Whether this object can be a JSON-RPC message: some recorders leave `jsonrpc` out."""
    if "jsonrpc" in record or isinstance(record.get("method"), str):
        return True
    return "id" in record and ("result" in record or "error" in record)


def other(side: Side) -> Side:
    """The other side."""
    return AGENT if side == CLIENT else CLIENT


class Unreadable:
    """A line, or what a side wrote, that is not JSON: `text` is what it is, `wire` whether a side wrote it.

    `ended`: a newline ended it, so that it was not cut off.
    """

    __slots__ = ("ended", "text", "wire")

    def __init__(self, text: str, *, wire: bool, ended: bool) -> None:
        self.text = text
        self.wire = wire
        self.ended = ended


class Skipped:
    """A line that was not read: it is longer than lines may be, or what it holds is too large or nested too deep."""

    __slots__ = ("too_long",)

    def __init__(self, *, too_long: bool) -> None:
        self.too_long = too_long


class NoMessage:
    """JSON that is no message: `wire` says whether a side wrote it; `body` is the object, None for any other value."""

    __slots__ = ("body", "wire")

    def __init__(self, *, wire: bool, body: Mapping[str, object] | None = None) -> None:
        self.wire = wire
        self.body = body


class Label:
    """The messages that follow belong to the connection with this `conn` value."""

    __slots__ = ("conn",)

    def __init__(self, conn: object) -> None:
        self.conn = conn


class Header:
    """The recorder says that a connection begins."""

    __slots__ = ()


class Ended:
    """The recorder says that the agent's process or its output ended."""

    __slots__ = ()


class HungUp:
    """The recorder says that the client closed its end."""

    __slots__ = ()


class Lost:
    """The recorder says that it dropped this many messages here."""

    __slots__ = ("messages",)

    def __init__(self, messages: int) -> None:
        self.messages = messages


class ClockStep:
    """The clock went back by `seconds` before this line, more than `clock.TOLERANCE_S`; None: it is another clock."""

    __slots__ = ("seconds",)

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds


class DropsReplays:
    """The client that the next message introduces records itself, and leaves replayed updates out."""

    __slots__ = ()


class Unordered:
    """It is not known between which messages of the other side the next message came: each was recorded apart."""

    __slots__ = ()


Note = Unreadable | Skipped | NoMessage | Label | Header | Ended | HungUp | Lost | ClockStep | DropsReplays | Unordered
Message = tuple[int, float, Side | None, object, int]
