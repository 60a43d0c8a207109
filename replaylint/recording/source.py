"""Where the bytes come from: files and standard input, decompressed, cut into lines."""

from __future__ import annotations

import errno
import io
import sys
import zlib
from contextlib import ExitStack
from typing import TYPE_CHECKING, Never, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    File = io.FileIO | io.BufferedIOBase

BUFFER_BYTES = 1 << 17
GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
STANDARD_INPUT = "-"


class RecordingError(Exception):
    """An input that cannot be read, or not to its end.

    `code` is one word for programs, `line` the 1-based line that was reached, or None.
    """

    def __init__(self, code: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.line = line


class Source(io.RawIOBase):
    """One input, as the bytes of its recording; its lines are `lines()`. `size` counts the bytes that were read.

    Only `\\n` ends a line: JSON strings may hold U+2028 raw. Raises RecordingError, when it is opened or in the middle.
    """

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path
        self.size = 0
        self._owned = ExitStack()
        self._begun = b""
        """Bytes that were read already, to know them."""
        try:
            file = self._opened()
            self._into = _into(file)
            self._begun = self._head()
            if self._begun.startswith(GZIP_MAGIC):
                self._into = _into(self._unpacked(file))
                self._begun = self._head()
            self._begun = self._begun.removeprefix(BYTE_ORDER_MARK)
        except BaseException:
            self.close()
            raise

    def lines(self) -> Iterator[bytes]:
        """The lines, with their newlines. A long line is the only one that is held whole."""
        return io.BufferedReader(self, BUFFER_BYTES)

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """The next bytes, as many as there are at once, but no more than the buffer holds."""
        if self._begun:
            size = min(len(buffer), len(self._begun))
            buffer[:size], self._begun = self._begun[:size], self._begun[size:]
        else:
            size = self._next(buffer)
        self.size += size
        return size

    def close(self) -> None:
        """Close the file."""
        self._owned.close()
        super().close()

    def _head(self) -> bytes:
        """The first bytes: enough to know them, also from a pipe that gives one at a time."""
        head = memoryview(bytearray(BUFFER_BYTES + len(BYTE_ORDER_MARK)))
        size = 0
        while size < len(BYTE_ORDER_MARK) and (more := self._next(head[size:])):
            size += more
        return bytes(head[:size])

    def _next(self, buffer: memoryview) -> int:
        try:
            return self._into(buffer)
        except OSError as error:
            raise _explained(error) from error
        except EOFError as error:
            raise RecordingError("truncated", "the compressed data ends too early") from error
        except zlib.error as error:
            raise RecordingError("damaged", f"damaged gzip data: {error}") from error

    def _opened(self) -> File:
        if self.path == STANDARD_INPUT:
            if sys.stdin is None:
                raise RecordingError("unreadable", "standard input is closed")
            return cast("io.BufferedReader", sys.stdin.buffer)
        try:
            return self._owned.enter_context(open(self.path, "rb", buffering=0))  # noqa: PTH123
        except OSError as error:
            raise _explained(error) from error
        except ValueError as error:  # a path with a NUL
            raise RecordingError("unreadable", str(error)) from error

    def _unpacked(self, file: File) -> File:
        import gzip  # noqa: PLC0415

        packed = cast("io.BufferedIOBase", _Rewound(self._begun, file))
        return self._owned.enter_context(gzip.GzipFile(fileobj=packed))


class _Rewound:
    """A file whose first bytes were read already: a pipe cannot be sought."""

    def __init__(self, head: bytes, file: File) -> None:
        self._head = head
        self._read = file.read1 if isinstance(file, io.BufferedIOBase) else file.read

    def read(self, size: int) -> bytes:
        """The first bytes, then the rest."""
        if self._head:
            head, self._head = self._head[:size], self._head[size:]
            return head
        return self._read(size) or b""


def _into(file: File) -> Callable[[memoryview], int]:
    """Reads into a buffer whatever there is at once.

    A buffered file's readinto() waits until the buffer is full, and where packed data ends too early it keeps what it
    has unpacked to itself.
    """
    return cast("Callable[[memoryview], int]", file.readinto1 if isinstance(file, io.BufferedIOBase) else file.readinto)


def failing(error: RecordingError) -> Iterator[Never]:
    """Stands for the rest of an input that cannot be read: raises this at the first step."""
    raise error
    yield


def _explained(error: OSError) -> RecordingError:
    if error.errno == errno.ENOENT:
        return RecordingError("not-found", "no such file")
    if error.errno == errno.EISDIR:
        return RecordingError("directory", "is a folder: name the recordings in it")
    if error.errno is None:  # gzip's own
        return RecordingError("damaged", f"damaged gzip data: {error}")
    return RecordingError("unreadable", error.strerror or str(error))
