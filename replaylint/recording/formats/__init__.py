"""The recording formats, one file each, in the order in which they win a tie.

A format has a `NAME`, a `sniff` that counts the records of a beginning that look like its own, and a `read` that turns
lines into messages. Adding one adds its file and its name here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from replaylint.recording.formats import envelope, inline, raw, recorder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replaylint.recording.reading import Progress, Reading


class Format(Protocol):
    """A module of this package."""

    NAME: str

    def sniff(self, records: Sequence[dict[str, object]]) -> int:
        """How many of these first JSON objects are records of this format."""

    def read(self, lines: Iterable[bytes], records: Sequence[dict[str, object]], progress: Progress) -> Reading:
        """The messages in these lines, the first of which hold `records`."""


FORMATS: Final[tuple[Format, ...]] = (recorder, inline, envelope, raw)
