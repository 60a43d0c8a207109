"""What a format makes of a recording, and how far it has got."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.recording.clock import Clock
    from replaylint.recording.message import Message, Side


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
    """

    messages: Iterator[Message]
    clock: Clock
    sides: dict[object, Side]
    relative: bool
