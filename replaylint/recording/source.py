"""Where the bytes come from: files and standard input, unpacked, cut into lines."""

from __future__ import annotations

import codecs
import errno
import io
import os
import stat
import sys
from contextlib import ExitStack, closing
from itertools import chain
from select import select
from typing import TYPE_CHECKING, Final, Never, Self, cast

from replaylint.errors import RecordingError
from replaylint.recording import archives
from replaylint.recording.packed import MAGICS, MAX_MAGIC_BYTES, Unpacked
from replaylint.recording.readable import opened

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from replaylint.recording.packed import Into

    File = io.RawIOBase | io.BufferedIOBase

BUFFER_BYTES = 1 << 17
MIN_BUFFER_BYTES: Final = 1 << 12
MAX_LINE: Final = 256 << 20
"""Bytes of a line, without its newline: a longer one is skipped."""
SKIPPED: Final = b"  \n"
"""Takes the place of a line that was skipped: compared by identity, and otherwise a blank line."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_ENCODINGS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""By their marks: that of UTF-32 begins as that of UTF-16 does. A shell on Windows writes UTF-16."""
STANDARD_INPUT = "-"
IS_ARCHIVE: Final = "archive"
"""The error code of an archive where a recording is to be read."""


def too_long(line: int) -> RecordingError:
    """The error where a format cannot go on without a line that was skipped."""
    return RecordingError("line-too-long", f"line {line} is longer than --max-line, and was not read", line)


class Source:
    """One input; its lines are `lines()`. A context manager that closes it.

    Only `\\n` ends a line: JSON strings may hold U+2028 raw. A file that grows while it is read ends where its end was
    first reached. Raises RecordingError, when it is opened or while it is read.
    """

    def __init__(self, path: str, max_line: int = MAX_LINE, file: File | None = None) -> None:
        self.path = path
        self._max_line = max_line
        self._owned = ExitStack()
        try:
            self._file = file = file or self._opened()
            into = _reading(file)
            begun = _head(into)
            form = next((form for form, magics in MAGICS.items() if begun.startswith(magics)), None)
            if form is not None:
                into = Unpacked(form, begun, into).readinto
                begun = _head(into)
            begun = _longer_head(begun, into)
            self.archive = archives.kind_of(begun)
            """Which archive it is, "zip" or "tar"; None for a recording."""
            into, begun, encoded = _decoded(into, begun)
            plain = file if form is None and not encoded and isinstance(file, io.FileIO) and _is_regular(file) else None
            self._bounded = _Bounded(into, begun.removeprefix(BYTE_ORDER_MARK), max_line, plain)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """Return self: it is open already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    @property
    def size(self) -> int:
        """How many bytes of the recording were read, unpacked and without a byte-order mark."""
        return self._bounded.size

    def lines(self) -> Iterator[bytes]:
        """The lines, with their newlines. A long line is the only one that is held whole; one too long is `SKIPPED`."""
        if self.archive is not None:
            raise RecordingError(IS_ARCHIVE, f"is an archive: name a recording in it, such as {self.path}/trace.ndjson")
        return chain.from_iterable(self._bounded.runs())

    def members(self) -> Iterator[Source]:
        """The files in an archive, each up to the next. Raises RecordingError where it is damaged."""
        for name, file in self.files():
            with Source(f"{self.path}/{name}", self._max_line, file) as member:
                yield member

    def files(self) -> Generator[tuple[str, File]]:
        """Their names, and what is in them. Raises RecordingError."""
        if self.archive == "tar":
            yield from archives.in_tar(self._bounded.next)
            return
        if not isinstance(self._file, io.FileIO) or not self._file.seekable():
            raise RecordingError("unreadable", "is a zip archive: these are read as files, not as streams")
        yield from archives.in_zip(self._file)

    def close(self) -> None:
        """Close the file."""
        self._owned.close()

    def _opened(self) -> File:
        if self.path == STANDARD_INPUT:
            if sys.stdin is None:
                raise RecordingError("unreadable", "standard input is closed")
            return cast("io.BufferedReader", sys.stdin.buffer)
        try:
            return self._owned.enter_context(opened(self.path))
        except OSError as error:
            return self._in_archive() or _refuse(error)
        except ValueError as error:  # a path with a NUL
            raise RecordingError("unreadable", str(error)) from error

    def _in_archive(self) -> File | None:
        """The file of this path, if a part of that names an archive."""
        at = -1
        while (at := self.path.find("/", at + 1)) >= 0:
            if os.path.isfile(self.path[:at]):  # noqa: PTH113
                archive = self._owned.enter_context(Source(self.path[:at], self._max_line))
                if archive.archive is not None:
                    files = self._owned.enter_context(closing(archive.files()))
                    return next((file for name, file in files if name == self.path[at + 1 :]), None)
                break
        return None


def _refuse(error: OSError) -> Never:
    raise _explained(error) from error


class _Bounded(io.RawIOBase):
    """The bytes of a recording without the lines that are too long.

    It stops at each of these, and a buffered reader then drops its part of that line: see `readinto`.
    """

    def __init__(self, into: Into, begun: bytes, max_line: int, plain: io.FileIO | None) -> None:
        super().__init__()
        self.size = 0
        self._into = into
        self._begun = begun
        """Bytes that were read already, and come next."""
        self._max_line = max_line
        self._plain = plain
        """The file, if it is seekable. Then no line is measured until one may be too long; else each one is."""
        self._line = 0
        """Bytes of the line that is being read; of a plain file they may be fewer."""
        self._copied = bytearray(BUFFER_BYTES if plain is None else 0)
        self._skipped = self._skipping = False
        """Whether the line was skipped, and whether its end is still to come."""

    def runs(self) -> Iterator[Iterable[bytes]]:
        """Runs of lines: those before one that is too long, then SKIPPED, and so on."""
        reader = io.BufferedReader(self, min(BUFFER_BYTES, max(self._max_line, MIN_BUFFER_BYTES)))
        yield reader
        while self._skipped:
            self._skipped = False
            yield (SKIPPED,)
            yield reader

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """The next bytes, as many as there are at once, but no more than the buffer holds.

        Raises StopIteration where the line is too long. A buffered reader then drops what it has of that line, and the
        iteration over its lines ends; the next iteration goes on after the line.
        """
        if self._skipping:
            self._skip()
        size = self.next(buffer)
        if self._line + size > self._max_line:
            return self._measured(buffer, size)
        behind = size if self._plain is not None else self._behind_last_newline(buffer, size)
        self._line = behind if behind < size else self._line + size
        return size

    def _behind_last_newline(self, buffer: memoryview, size: int) -> int:
        """How many of these bytes are after the last newline, which usually is near; all where there is none."""
        copy = memoryview(self._copied)  # allocating it each time would be slow
        for length in (min(size, MIN_BUFFER_BYTES), size):
            copy[:length] = buffer[size - length : size]
            found = self._copied.rfind(b"\n", 0, length)
            if found >= 0:
                break
        return length - found - 1

    def _measured(self, buffer: memoryview, size: int) -> int:
        """How many of these bytes come before a line that is too long. Raises StopIteration where that comes first."""
        data = bytes(buffer[:size])
        begin, line = 0, self._line
        if self._plain is not None:
            line = min(line, _line_before(self._plain, len(self._begun) + size, self._max_line))
        while True:
            end = data.find(b"\n", begin)
            line += (end if end >= 0 else size) - begin
            if line > self._max_line:
                break
            if end < 0:
                self._line = line
                return size
            begin, line = end + 1, 0
        self._line = 0
        if begin:
            self._give_back(data[begin:])
            return begin
        self._skipped = True
        self._skipping = end < 0
        if end >= 0:
            self._give_back(data[end + 1 :])
        raise StopIteration

    def _skip(self) -> None:
        """Go to the end of the line."""
        self._skipping = False
        buffer = bytearray(BUFFER_BYTES)
        while size := self.next(memoryview(buffer)):
            end = buffer.find(b"\n", 0, size)
            if end >= 0:
                self._give_back(bytes(buffer[end + 1 : size]))
                break

    def next(self, buffer: memoryview) -> int:
        """The next bytes, whatever lines they are."""
        if self._begun:
            size = min(len(buffer), len(self._begun))
            buffer[:size], self._begun = self._begun[:size], self._begun[size:]
        else:
            size = self._into(buffer)
        self.size += size
        return size

    def _give_back(self, data: bytes) -> None:
        self._begun = data + self._begun
        self.size -= len(data)


def _reading(file: File) -> Into:
    """Reads into a buffer whatever there is at once, up to where the file's end is first reached.

    A buffered file's readinto() waits until the buffer is full.
    """
    into = file.readinto1 if isinstance(file, io.BufferedIOBase) else file.readinto
    ended = False

    def read(buffer: memoryview) -> int:
        nonlocal ended
        if ended:
            return 0
        try:
            while (size := into(buffer)) is None:  # standard input that is non-blocking
                select([file], [], [])
        except OSError as error:
            raise _explained(error) from error
        ended = not size
        return size

    return read


def _head(into: Into) -> bytes:
    """The first bytes: enough for any magic number, also from a pipe that gives one byte at a time."""
    head = memoryview(bytearray(BUFFER_BYTES + MAX_MAGIC_BYTES))
    size = 0
    while size < MAX_MAGIC_BYTES and (more := into(head[size:])):
        size += more
    return bytes(head[:size])


def _longer_head(begun: bytes, into: Into) -> bytes:
    """More of the beginning, as far as it may be an archive's: no first line has ended in it."""
    while len(begun) < archives.MAX_MAGIC_BYTES and b"\n" not in begun:
        more = memoryview(bytearray(BUFFER_BYTES))
        size = into(more)
        if not size:
            break
        begun += bytes(more[:size])
    return begun


def _decoded(into: Into, begun: bytes) -> tuple[Into, bytes, bool]:
    """The same as UTF-8, where a byte-order mark says that it is UTF-16 or UTF-32, and whether it was."""
    name = next((name for mark, name in _ENCODINGS if begun.startswith(mark)), None)
    if name is None:
        return into, begun, False
    decode = codecs.getincrementaldecoder(name)(errors="replace").decode
    rest = decode(begun).encode()

    def read(buffer: memoryview) -> int:
        nonlocal rest
        piece = memoryview(bytearray(BUFFER_BYTES))
        while not rest:
            size = into(piece)
            rest = decode(piece[:size], final=not size).encode()
            if not size:
                break
        size = min(len(buffer), len(rest))
        buffer[:size], rest = rest[:size], rest[size:]
        return size

    return read, _head(read), True


def _is_regular(file: io.FileIO) -> bool:
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def _line_before(file: io.FileIO, back: int, enough: int) -> int:
    """How many bytes of its line are before the position `back` bytes ago; counting stops beyond `enough`."""
    try:
        here = file.tell()
        end = begin = here - back
        while begin and end - begin <= enough:
            last, begin = begin, max(0, begin - BUFFER_BYTES)
            file.seek(begin)
            found = (file.read(last - begin) or b"").rfind(b"\n")
            if found >= 0:
                begin += found + 1
                break
        file.seek(here)
    except OSError as error:
        raise _explained(error) from error
    return end - begin


def failing(error: RecordingError) -> Iterator[Never]:
    """The rest of an input that cannot be read: raises this at the first step."""
    raise error
    yield


def _explained(error: OSError) -> RecordingError:
    if error.errno == errno.ENOENT:
        return RecordingError("not-found", "no such file")
    if error.errno == errno.EISDIR:
        return RecordingError("directory", "is a folder: name the recordings in it")
    return RecordingError("unreadable", error.strerror or str(error))
