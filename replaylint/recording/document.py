"""A JSON document that is read as a whole, and those parts of it that are messages, each with its first line.

It is scanned, not parsed: an error inside a part does not affect the others, and only the bytes are in memory.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.errors import RecordingError
from replaylint.recording.entries import Entry, exact, noted, record_in
from replaylint.recording.source import SKIPPED, too_long

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from replaylint.recording.formats import Head

_BLANK: Final = b" \t\r\n\0"
_SPACE: Final = re.compile(rb"[ \t\r\n\0]*")
# No JSON string crosses the end of a line, so a missing quote is noticed there.
_STRING: Final = rb'"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"'
_SCALAR: Final = re.compile(_STRING + rb'|[^\s\0,:"\[\]{}]++')
_BETWEEN: Final = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+")
"""What is between two brackets, strings with brackets in them included."""


class Part(NamedTuple):
    """An element of an array: the 1-based line on which it begins, and its bytes, with a newline as a line has one."""

    line: int
    data: bytes


class Document:
    """A document. `failure`: why it could not be read to its end."""

    def __init__(self, data: bytes | bytearray, failure: RecordingError | None = None) -> None:
        self.keys: list[bytes] = []
        """Of the outermost object, as far as it was scanned."""
        self._data = data
        self._line = 1
        self._counted = 0
        self._failure = failure
        self._ended = -1, -1
        """Where the last value that was scanned begins and ends: it is asked for again."""

    @classmethod
    def of(cls, lines: Iterable[bytes]) -> Document:
        """The document on these lines, up to an error in reading them."""
        data = bytearray()
        try:
            for line in unbroken(lines):
                data += line
        except RecordingError as error:
            return cls(data, error)
        return cls(data)

    @property
    def lines(self) -> int:
        """The number of lines."""
        return self._data.count(b"\n") + (not self._data.endswith(b"\n") and bool(self._data))

    def parts(self, *path: str) -> Iterator[Part]:
        """The elements of the array under these keys, of each where arrays on the way to it hold several.

        Raises RecordingError, after the parts before that, where the document ends too early or is no JSON.
        """
        return map(self.part, self.elements(*path))

    def elements(self, *path: str) -> Iterator[int]:
        """The offsets of these elements; the last one may be cut off."""
        end = yield from self._value(self._next(0), _quoted(path), self.keys)
        if self._next(end) < len(self._data):
            raise self._error(self._next(end))
        if self._failure is not None:
            raise self._failure

    def part(self, at: int) -> Part:
        """The value that begins here."""
        line = self._line_of(at)
        return Part(line, b"".join((memoryview(self._data)[at : self._end(at)], b"\n")))

    def within(self, at: int, *path: str) -> Iterator[Part]:
        """The same as `parts` of the value that begins here."""
        return map(self.part, self._value(at, _quoted(path)))

    def _value(self, at: int, path: tuple[bytes, ...], keys: list[bytes] | None = None) -> Generator[int, None, int]:
        """From the value that begins here, with what is left of the path; returns where it ends."""
        if path and self._at(at) == "{":
            return (yield from self._object(at, path, keys))
        if self._at(at) != "[":
            return self._end(at)
        at = self._next(at + 1)
        while self._at(at) != "]":
            if not path:
                yield at
            at = (yield from self._object(at, path)) if path and self._at(at) == "{" else self._end(at)
            at = self._after(at, "]")
        return at + 1

    def _object(self, at: int, path: tuple[bytes, ...], keys: list[bytes] | None = None) -> Generator[int, None, int]:
        at = self._next(at + 1)
        while self._at(at) != "}":
            end = self._end(at)
            key = self._data[at:end]
            if keys is not None:
                keys.append(bytes(key[1:-1]))
            at = self._next(end)
            if self._at(at) != ":":
                raise self._error(at)
            at = self._next(at + 1)
            if key == path[0]:
                at = yield from self._value(at, path[1:])
            else:
                at = self._end(at)
            at = self._after(at, "}")
        return at + 1

    def _at(self, at: int) -> str:
        """The character at this offset; empty after the end."""
        return chr(self._data[at]) if at < len(self._data) else ""

    def _next(self, at: int) -> int:
        """The offset after white space."""
        found = _SPACE.match(self._data, at)
        return found.end() if found is not None else at

    def _after(self, at: int, closing: str) -> int:
        """The offset after the comma, or of the closing bracket."""
        at = self._next(at)
        if self._at(at) == closing:
            return at
        if self._at(at) != ",":
            raise self._error(at)
        return self._next(at + 1)

    def _end(self, at: int) -> int:
        """Where the value that begins here ends. Brackets are counted; what is between them is not checked."""
        if at == self._ended[0]:
            return self._ended[1]
        begin, depth = at, 0
        while True:
            if depth or self._at(at) in {"[", "{"}:
                between = _BETWEEN.match(self._data, at)
                at = between.end() if between is not None else at
            else:
                scalar = _SCALAR.match(self._data, at)
                if scalar is None:
                    raise self._error(at)
                return scalar.end()
            sign = self._at(at)
            if not sign or sign == '"':
                raise self._error(at)
            depth += 1 if sign in {"[", "{"} else -1
            at += 1
            if not depth:
                self._ended = begin, at
                return at

    def _error(self, at: int) -> RecordingError:
        """Why it cannot be read beyond this offset: it ends there or in a string that begins there, or is damaged."""
        end = len(self._data.rstrip(_BLANK))
        line = 1 + self._data.count(b"\n", 0, min(at, end))
        unclosed = self._at(at) == '"' and _SCALAR.match(self._data, at) is None
        if at >= end or (unclosed and self._data.find(b"\n", at, end) < 0):
            return self._failure or RecordingError("truncated", "the document ends too early", line)
        return RecordingError("damaged", "the document is no JSON from here on", line)

    def _line_of(self, at: int) -> int:
        self._line += self._data.count(b"\n", self._counted, at)
        self._counted = max(at, self._counted)
        return self._line


def unbroken(lines: Iterable[bytes]) -> Iterator[bytes]:
    """These lines. Raises RecordingError at one that was skipped: what is open after that is unknown."""
    for number, line in enumerate(lines, 1):
        if line is SKIPPED:
            raise too_long(number)
        yield line


def _quoted(path: Iterable[str]) -> tuple[bytes, ...]:
    return tuple(f'"{key}"'.encode() for key in path)


def look(head: Head, *path: str) -> tuple[list[bytes], Part | None]:
    """The first keys of the document that begins so, up to this path, and the first part there."""
    document = Document(head.document)
    part = None
    if not head.document.startswith(b"{" if path else b"["):
        return [], None
    with suppress(RecordingError):
        part = next(document.parts(*path), None)
    return document.keys, part


def entries_of(parts: Iterable[Part], entry: Callable[[dict[str, object], Part], Entry | None]) -> Iterator[Entry]:
    """The entries that `entry` makes of these records; None is left out."""
    for part in parts:
        record = record_in(part.data)
        found = entry(record, part) if isinstance(record, dict) else noted(part.line, record, len(part.data))
        if found is not None:
            yield exact(found, part.data)
