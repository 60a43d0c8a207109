"""Archives: the files in a tar, which is read as a stream, and in a zip, which has to be a file.

Only names and contents matter. Hidden files, links and folders are left out, as in folders. The standard library is not
used for a tar: it holds a name of any size, takes quadratic time for some, and ends in silence where one is damaged.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Final, cast

from replaylint.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.recording.packed import Into

ZIP_MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")
TAR_MAGIC: Final = b"ustar"
TAR_MAGIC_AT: Final = 257
MAX_MAGIC_BYTES: Final = TAR_MAGIC_AT + len(TAR_MAGIC)

BLOCK_BYTES: Final = 512
MAX_NAME_BYTES: Final = 1 << 16
"""A longer name of a file, or a longer list of its properties, is not believed."""
MAX_SKIP_BYTES: Final = 1 << 16

_FILES: Final = b"0\0" + b"7"
_LONG_NAME: Final = b"L"
_PROPERTIES: Final = b"x"
_STORED_OR_DEFLATED: Final = (0, 8)
"""The compressions of a zip whose output can be bounded."""


def kind_of(begun: bytes) -> str | None:
    """Which archive begins so: "zip", "tar" or None."""
    if begun.startswith(ZIP_MAGICS):
        return "zip"
    return "tar" if begun.startswith(TAR_MAGIC, TAR_MAGIC_AT) else None


def in_zip(file: io.FileIO) -> Iterator[tuple[str, io.BufferedIOBase]]:
    """The names of the files in a zip, in its order, and what is in them. Raises RecordingError."""
    import zipfile  # noqa: PLC0415  (few runs read one)

    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                if member.is_dir() or _is_hidden(member.filename):
                    continue
                if member.compress_type not in _STORED_OR_DEFLATED or member.flag_bits & 1:
                    raise RecordingError("damaged", f"has {member.filename!r} encrypted, or compressed as no other zip")
                with archive.open(member) as inner:
                    yield member.filename, cast("io.BufferedIOBase", _Checked(inner, zipfile.BadZipFile))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, EOFError) as error:
        raise RecordingError("damaged", f"damaged zip archive: {error}") from error


class _Checked(io.RawIOBase):
    """A file in a zip, whose damage is named as that of other recordings is."""

    def __init__(self, file: Any, damage: type[Exception]) -> None:
        super().__init__()
        self._file = file
        self._damage = damage

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """The next bytes. Raises RecordingError."""
        import zlib  # noqa: PLC0415

        try:
            data = self._file.read1(len(buffer))
        except (self._damage, zlib.error, EOFError) as error:
            raise RecordingError("damaged", f"damaged zip archive: {error}") from error
        buffer[: len(data)] = data
        return len(data)


def in_tar(into: Into) -> Iterator[tuple[str, io.RawIOBase]]:
    """The names of the files in a tar, in its order, and what is in each, up to the next. Raises RecordingError."""
    stream = _Stream(into)
    name = ""
    while (header := stream.take(BLOCK_BYTES)).strip(b"\0"):
        size, kind = _size(header), header[156:157]
        member = _Member(stream, size)
        if kind in (_LONG_NAME, _PROPERTIES):
            text = stream.take(size) if size <= MAX_NAME_BYTES else b""
            name = (_property(text, b"path") if kind == _PROPERTIES else text.rstrip(b"\0")).decode(errors="replace")
            member.rest -= len(text)
        else:
            name = name or _name(header)
            if kind and kind in _FILES and not _is_hidden(name):
                yield name, member
            name = ""
        stream.skip(member.rest + -size % BLOCK_BYTES)


class _Stream:
    """The bytes of a tar, one after another."""

    def __init__(self, into: Into) -> None:
        self.into = into

    def take(self, size: int) -> bytes:
        """So many bytes; nothing at the end. Raises RecordingError where it ends among them."""
        data = bytearray(size)
        done = 0
        while done < size and (more := self.into(memoryview(data)[done:])):
            done += more
        if 0 < done < size:
            raise RecordingError("truncated", "the archive ends too early")
        return bytes(data[:done])

    def skip(self, size: int) -> None:
        """Go on behind so many bytes."""
        while size and (taken := len(self.take(min(size, MAX_SKIP_BYTES)))):
            size -= taken
        if size >= BLOCK_BYTES:
            raise RecordingError("truncated", "the archive ends too early")


class _Member(io.RawIOBase):
    """What is in a file of a tar."""

    def __init__(self, stream: _Stream, size: int) -> None:
        super().__init__()
        self._stream = stream
        self.rest = size

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """The next bytes, as many as there are at once. Raises RecordingError."""
        size = self._stream.into(buffer[: self.rest]) if self.rest else 0
        if self.rest and not size:
            raise RecordingError("truncated", "the archive ends too early")
        self.rest -= size
        return size


def _size(header: bytes) -> int:
    """The size of a file. Raises RecordingError for what is no header."""
    field = header[124:136]
    try:
        unsigned = sum(header[:148]) + sum(b" " * 8) + sum(header[156:])
        if len(header) < BLOCK_BYTES or int(header[148:156].strip(b"\0 "), 8) != unsigned:
            raise ValueError
        if field[0] & 0x80:
            return int.from_bytes(field[1:])
        return int(field.strip(b"\0 ") or b"0", 8)
    except ValueError:
        raise RecordingError("damaged", "damaged tar archive") from None


def _name(header: bytes) -> str:
    """The name in a header, behind what precedes it where it is long."""
    name, before = (field.partition(b"\0")[0] for field in (header[:100], header[345:500]))
    is_posix = header[257:263] == b"ustar\0"
    return (before + b"/" + name if before and is_posix else name).decode(errors="replace")


def _property(text: bytes, key: bytes) -> bytes:
    """The value of a property, each of which is on a line behind its length; empty where it is not there."""
    for line in text.split(b"\n"):
        found, equals, value = line.partition(b" ")[2].partition(b"=")
        if equals and found == key:
            return value
    return b""


def _is_hidden(name: str) -> bool:
    return name.endswith("/") or any(part.startswith(".") and part != "." for part in name.split("/")) or not name
