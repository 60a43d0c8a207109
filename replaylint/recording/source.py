"""Where the bytes come from: files and standard input, decompressed, cut into lines."""

from __future__ import annotations

import errno
import sys
import zlib
from itertools import chain
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CHUNK_BYTES = 1 << 16
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


class Readable(Protocol):
    """The part of a binary file that is used here."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes; none at the end."""


class Source:
    """One input. `size` counts the (decompressed) bytes that were read so far."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.size = 0

    def lines(self) -> Iterator[bytes]:
        """The lines, without their newlines. Raises RecordingError, at once or in the middle."""
        return split_lines(self._chunks())

    def _chunks(self) -> Iterator[bytes]:
        try:
            if self.path == STANDARD_INPUT:
                if sys.stdin is None:
                    raise RecordingError("unreadable", "standard input is closed")
                yield from self._read(sys.stdin.buffer)
            else:
                with open(self.path, "rb") as file:  # noqa: PTH123  (pathlib would cost at start-up)
                    yield from self._read(file)
        except OSError as error:
            raise _explained(error) from error
        except EOFError as error:
            raise RecordingError("truncated", "the compressed data ends too early") from error
        except zlib.error as error:
            raise RecordingError("damaged", f"damaged gzip data: {error}") from error
        except ValueError as error:  # a path with a NUL
            raise RecordingError("unreadable", str(error)) from error

    def _read(self, file: Readable) -> Iterator[bytes]:
        chunk = file.read(CHUNK_BYTES)
        if chunk.startswith(GZIP_MAGIC):
            import gzip  # noqa: PLC0415

            file = gzip.GzipFile(fileobj=_Rewound(chunk, file))  # type: ignore[call-overload]
            chunk = file.read(CHUNK_BYTES)
        chunk = chunk.removeprefix(BYTE_ORDER_MARK)
        while chunk:
            self.size += len(chunk)
            yield chunk
            chunk = file.read(CHUNK_BYTES)


class _Rewound:
    """A file whose first bytes were read already: a pipe cannot be sought."""

    def __init__(self, head: bytes, file: Readable) -> None:
        self._head = head
        self._file = file

    def read(self, size: int) -> bytes:
        if self._head:
            head, self._head = self._head[:size], self._head[size:]
            return head
        return self._file.read(size)


def _explained(error: OSError) -> RecordingError:
    if error.errno == errno.ENOENT:
        return RecordingError("not-found", "no such file")
    if error.errno == errno.EISDIR:
        return RecordingError("directory", "is a folder: name the recordings in it")
    if type(error).__name__ == "BadGzipFile":
        return RecordingError("damaged", f"damaged gzip data: {error}")
    return RecordingError("unreadable", error.strerror or str(error))


def split_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The lines in these bytes, however they are cut. Only `\\n` ends a line: JSON strings may hold U+2028 raw."""
    return chain.from_iterable(_batches(chunks))


def _batches(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    begun: list[bytes] = []
    for chunk in chunks:
        lines = chunk.split(b"\n")
        if len(lines) == 1:
            begun.append(chunk)
            continue
        if begun:
            begun.append(lines[0])
            lines[0] = b"".join(begun)
            begun.clear()
        rest = lines.pop()
        if rest:
            begun.append(rest)
        yield lines
    if begun:
        yield [b"".join(begun)]
