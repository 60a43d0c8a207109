"""A recording as its format reads it, and how far it was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from replaylint.recording.fragments import is_surrounding
from replaylint.recording.ids import restore
from replaylint.recording.message import BLANK, NoMessage, Skipped, Unreadable
from replaylint.recording.parsing import Unholdable, parse
from replaylint.recording.source import SKIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.recording.clock import Clock
    from replaylint.recording.message import Message, Note, Side


MAX_TEXT_BYTES: Final = 5_000_000
"""Kept of a line that is not JSON: more than `fragments` looks at."""

MIN_BYTES: Final = 3
"""Of a line that is no message, nor SKIPPED, its newline included: a shorter one may be blank."""

Order = Literal["exact", "approximate", "per_side"]
"""Whether the order of the messages is that in which the client saw them."""


class Progress:
    """How far a recording was read: the 1-based number of its last line, and how many lines held messages.

    `left_out`: how many messages the format has beside those, of other hops than the client's.
    """

    __slots__ = ("left_out", "lines", "messages")

    def __init__(self) -> None:
        self.lines = 0
        self.messages = 0
        self.left_out = 0


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


def said(body: bytes | str) -> dict[str, object] | list[object] | Note | None:
    """The message that a side sent, as it was on the wire; a note for what else that is, or None for blank text."""
    try:
        message = parse(body)
    except Unholdable:
        return Skipped(too_long=False)
    except ValueError as error:
        if isinstance(body, bytes):
            return unparsed(body, error, wire=True)
        return Unreadable(body, wire=True, ended=body.endswith("\n")) if body.strip(BLANK) else None
    if not isinstance(message, dict | list):
        return NoMessage(wire=True)
    restore(message, body)
    return message


def unparsed(line: bytes, error: ValueError, *, wire: bool, unsaid: bool = False) -> Note | None:
    """A note for a line that could not be parsed, for this reason; None where it is blank.

    `wire`: a side wrote it, not the recorder; `unsaid`: which of them the recording does not say. Then it may also be
    what stands around a recording that was pasted somewhere, which is passed over.
    """
    if line is SKIPPED:
        return Skipped(too_long=True)
    if isinstance(error, Unholdable):
        return Skipped(too_long=False)
    begun = line if len(line) <= MAX_TEXT_BYTES else line.lstrip(BLANK.encode())[:MAX_TEXT_BYTES]
    text = begun.decode(errors="replace").strip(BLANK)
    if not text or (unsaid and is_surrounding(text)):
        return None
    return Unreadable(text, wire=wire, ended=line.endswith(b"\n"))
