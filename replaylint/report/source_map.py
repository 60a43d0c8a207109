"""Source maps, for a recording in several files: from a line as the analysis counts it to a file and a line in it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from replaylint.recording.message import Unordered
from replaylint.report.model import Evidence, Marker, Response

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from replaylint.recording.message import Message

    Location = tuple[str, int]
    """The path of a file, and a line in it."""
    SourceMap = Callable[[int], Location]
    """From a line as the analysis counts it to its location."""

TWO_SIDED: Final = "two-sided"
"""The `format` of two one-way files."""


@dataclass(slots=True)
class EvidenceElsewhere(Evidence):
    """Evidence in another file than the finding's."""

    trace: str


@dataclass(slots=True)
class ResponseElsewhere(Response):
    """A response in another file than the request's."""

    trace: str


@dataclass(slots=True)
class MarkerElsewhere(Marker):
    """A marker in another file than the request's."""

    trace: str


class Concatenated:
    """Files one after another: line numbers go on from one file to the next."""

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._before: list[int] = []

    def begin(self, path: str, before: int) -> None:
        """A file begins; `before` lines are in those before it."""
        self._paths.append(path)
        self._before.append(before)

    def moved(self, messages: Iterator[Message], before: int) -> Iterator[Message]:
        """The messages of a file, with line numbers that go on from the file before."""
        for line, time, side, body, size in messages:
            yield line + before, time, side, body, size

    def of(self, line: int) -> Location:
        """The file that this line is in, and its number there."""
        at = max(0, bisect_left(self._before, line) - 1)
        return self._paths[at], line - self._before[at]


class Merged:
    """Two files whose messages are interleaved: messages are numbered, and the location of each is remembered."""

    def __init__(self, paths: tuple[str, str]) -> None:
        self._paths = paths
        self._files = bytearray(b"\0")
        self._lines = array("q", [0])
        self.longest = [0, 0]
        """Bytes of the longest message in each file."""

    def moved(self, messages: Iterator[tuple[int, Message]]) -> Iterator[Message]:
        """The messages, each with the number of its file, as one stream. `Unordered` has its message's number."""
        longest = self.longest
        for file, (line, time, side, body, size) in messages:
            if isinstance(body, Unordered):
                yield len(self._lines), time, side, body, size
                continue
            if isinstance(body, dict | list):
                longest[file] = max(size, longest[file])
            self._files.append(file)
            self._lines.append(line)
            yield len(self._lines) - 1, time, side, body, size

    def of(self, line: int) -> Location:
        """The file that this message is in, and its line there."""
        if line >= len(self._lines):
            return self._paths[0], line
        return self._paths[self._files[line]], self._lines[line] or line
