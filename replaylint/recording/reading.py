"""What a format makes of a recording, and how far it has got."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from orjson import loads

from replaylint.recording.message import BLANK, NoMessage, Skipped, Unreadable
from replaylint.recording.source import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.recording.clock import Clock
    from replaylint.recording.message import Message, Note, Side


TEXT_BYTES: Final = 5_000_000
"""Of a line that is no JSON: more than `fragments` looks at, and no more than that."""

Order = Literal["exact", "approximate", "per_side"]
"""How far the order of the messages is that in which the client saw them."""


class Progress:
    """How far a recording was read: the 1-based number of its last line, and how many lines held messages."""

    __slots__ = ("lines", "messages")

    def __init__(self) -> None:
        self.lines = 0
        self.messages = 0


class Reading(NamedTuple):
    """A recording as its format reads it.

    `sides` maps the words that it uses for directions; `messages` looks them up at every line, so that a change takes
    effect at once. It is empty where the recording has no directions; `relative` says whether they are relative words.
    `many_per_line`: several messages may begin on one line, so that lines do not tell them apart.
    """

    messages: Iterator[Message]
    clock: Clock
    sides: dict[object, Side]
    relative: bool
    order: Order = "exact"
    many_per_line: bool = False


def parsed(text: str) -> dict[str, object] | list[object] | Note | None:
    """A body that is a text: a message as it was on the wire, what a side wrote instead of one, or None for nothing."""
    try:
        body = loads(text)
    except ValueError:
        return Unreadable(text, wire=True, ended=text.endswith("\n")) if text.strip(BLANK) else None
    return body if isinstance(body, dict | list) else NoMessage(wire=True)


def unparsed(line: bytes, *, wire: bool) -> Note | None:
    """A line that is no JSON; None where it is blank. `wire`: a side wrote it, if anybody did."""
    if line is SKIPPED:
        return Skipped()
    begun = line if len(line) <= TEXT_BYTES else line.lstrip(BLANK.encode())[:TEXT_BYTES]
    text = begun.decode(errors="replace").strip(BLANK)
    return Unreadable(text, wire=wire, ended=line.endswith(b"\n")) if text else None
