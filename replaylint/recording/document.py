"""A JSON document that is read as a whole: the parts of it that are messages, each with the line on which it begins."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.recording.source import SKIPPED, RecordingError, too_long

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

_BLANK: Final = re.compile(r"[ \t\r\n]*")


class Part(NamedTuple):
    """An element of an array: its text, its line, 1-based, and which array it is in, counted from 1."""

    line: int
    text: str
    array: int


class Document:
    """A document, and how far it has been read."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        self._error: RecordingError | None = None
        """Why what is known of the document ends before its end."""
        self.text = b"".join(self._read(lines)).decode(errors="replace")
        self.lines = self.text.count("\n") + (not self.text.endswith("\n") and self.text != "")
        self._scan = json.JSONDecoder(strict=False).raw_decode
        self._line = 1
        self._counted = 0
        self._arrays = 0

    def parts(self, *path: str) -> Generator[Part, None, int]:
        """The elements of the array at this path, of each where arrays on the way to it hold several.

        Raises RecordingError where the document is no JSON: what comes before that is not lost.
        """
        try:
            end = yield from self._walk(self._next(0), path)
        except (ValueError, IndexError) as error:
            at = error.pos if isinstance(error, json.JSONDecodeError) else len(self.text)
            ends = not self.text[at:].strip()
            line = self._line_of(min(at, len(self.text.rstrip())))
            if self._error is not None:
                raise self._error from error
            if ends:
                raise RecordingError("truncated", "the document ends too early", line) from error
            raise RecordingError("damaged", "the document is no JSON from here on", line) from error
        except RecursionError as error:
            raise RecordingError("damaged", "the document is nested too deeply", self._line) from error
        if self._error is not None:
            raise self._error
        return end

    def _read(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        try:
            for number, line in enumerate(lines, 1):
                if line is SKIPPED:
                    raise too_long(number)
                yield line
        except RecordingError as error:
            self._error = error

    def _walk(self, at: int, path: tuple[str, ...]) -> Generator[Part, None, int]:
        """From the value that begins here; returns where it ends."""
        if self.text[at] == "[":
            self._arrays += not path
            at = self._next(at + 1)
            while self.text[at] != "]":
                if path:
                    at = yield from self._walk(at, path)
                else:
                    end = self._scan(self.text, at)[1]
                    yield Part(self._line_of(at), self.text[at:end], self._arrays)
                    at = end
                at = self._after(at, "]")
            return at + 1
        if self.text[at] != "{" or not path:
            return self._scan(self.text, at)[1]
        at = self._next(at + 1)
        while self.text[at] != "}":
            key, at = self._scan(self.text, at)
            at = self._next(at)
            if self.text[at] != ":":
                raise json.JSONDecodeError("", self.text, at)
            at = self._next(at + 1)
            if key == path[0]:
                at = yield from self._walk(at, path[1:])
            else:
                at = self._scan(self.text, at)[1]
            at = self._after(at, "}")
        return at + 1

    def _next(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return at if found is None else found.end()

    def _after(self, at: int, closing: str) -> int:
        """Behind the comma, or at the end of this array or object."""
        at = self._next(at)
        if self.text[at] == closing:
            return at
        if self.text[at] != ",":
            raise json.JSONDecodeError("", self.text, at)
        return self._next(at + 1)

    def _line_of(self, at: int) -> int:
        if at >= self._counted:
            self._line += self.text.count("\n", self._counted, at)
            self._counted = at
        return self._line
