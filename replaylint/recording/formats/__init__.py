"""The recording formats, one file each, in the order in which they win a tie.

A format has a `NAME`, a `sniff` that counts the records of a beginning that look like its own, and a `read` that turns
lines into messages. Adding one adds its file and its name here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from replaylint.recording.formats import envelope, inline, raw, recorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from replaylint.recording.clock import Clock
    from replaylint.recording.message import Message, Side


class Progress:
    """How far a recording was read: 1-based number of the last line, messages so far, lines that were no JSON."""

    __slots__ = ("first_unreadable", "lines", "messages", "unreadable")

    def __init__(self) -> None:
        self.lines = 0
        self.messages = 0
        self.unreadable = 0
        self.first_unreadable = 0


class Reading(NamedTuple):
    """A recording as its format reads it.

    `sides` maps the words that it uses for directions; `messages` looks them up at every line, so that a change takes
    effect at once. It is empty where the recording has no directions; `relative` says whether they are relative words.
    """

    messages: Iterator[Message]
    clock: Clock
    sides: dict[object, Side]
    relative: bool


class Format(Protocol):
    """A module of this package."""

    NAME: str

    def sniff(self, records: Sequence[dict[str, object]]) -> int:
        """How many of these first JSON objects are records of this format."""

    def read(self, lines: Iterable[bytes], records: Sequence[dict[str, object]], progress: Progress) -> Reading:
        """The messages in these lines, the first of which hold `records`."""


FORMATS: Final[tuple[Format, ...]] = (recorder, inline, envelope, raw)
