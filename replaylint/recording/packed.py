"""Unpacking: gzip, bz2, xz and zstd; one stream may follow another, with NULs between and after them.

Where the data is damaged, what could be unpacked before that comes first.
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from replaylint.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Into = Callable[[memoryview], int]
    """Reads into a buffer what there is, and returns how many bytes; 0 at the end."""

MAGICS: Final = {
    "gzip": (b"\x1f\x8b",),
    "bz2": (b"BZh",),
    "xz": (b"\xfd7zXZ\0",),
    "zstd": (b"\x28\xb5\x2f\xfd", *(bytes((first,)) + b"\x2a\x4d\x18" for first in range(0x50, 0x60))),
}
"""How packed data begins; zstd's may begin with a frame that is skipped."""
MAX_MAGIC_BYTES: Final = 6

READ_BYTES: Final = 1 << 16
PIECE_BYTES: Final = 1 << 11
"""How much packed data is unpacked at once: where it is damaged, what is in that piece is lost."""
SMALL_PIECE_BYTES: Final = 1 << 9
"""The same where the output of a piece is bounded by the format alone: to 16 MB."""
LAST_BYTES: Final = 64
"""Checksums are at the end: the last bytes come one by one, so that a wrong checksum loses no data."""
OUTPUT_BYTES: Final = 1 << 16
GZIP_WINDOW: Final = 31
"""The largest window, with gzip's header and checksum around the data."""
MAX_XZ_MEMORY_BYTES: Final = 256 << 20
"""Four times as much as the highest level of xz needs."""


class Decompressor(Protocol):
    """Unpacks one stream. `eof`: it has ended, and `unused_data` is what followed."""

    @property
    def eof(self) -> bool: ...  # noqa: D102

    @property
    def unused_data(self) -> bytes: ...  # noqa: D102

    def decompress(self, data: bytes, max_length: int) -> bytes:
        """The next bytes, at most `max_length`; the rest when asked again."""


Kind = tuple["Callable[[], Decompressor]", type[Exception], int]
"""The constructor of a decompressor, what it raises for damaged data, and how many bytes it gets at once."""


class Unpacked:
    """The bytes in packed data, which begins with `begun` and goes on with what `into` reads."""

    def __init__(self, form: str, begun: bytes, into: Into) -> None:
        self._outputs = _unpacked(begun, into, form)
        self._rest = b""

    def readinto(self, buffer: memoryview) -> int:
        """The next bytes, as many as there are without waiting for more packed data."""
        size = 0
        while size < len(buffer):
            output = self._rest or next(self._outputs, None)
            if output is None or (size and not output):
                break
            part = output[: len(buffer) - size]
            self._rest = output[len(part) :]
            buffer[size : size + len(part)] = part
            size += len(part)
        return size


def _unpacked(packed: bytes, into: Into, form: str) -> Iterator[bytes]:
    """The unpacked bytes, piece by piece; an empty piece comes before there may be a wait or an error."""
    make, damage, most = _kind(form)
    at = 0
    while True:
        if packed.startswith(b"\0", at):
            packed, at = packed[at:].lstrip(b"\0"), 0
        while len(packed) - at < MAX_MAGIC_BYTES and (more := _more(into)):
            packed, at = (packed[at:] + more).lstrip(b"\0"), 0
        if at == len(packed):
            return
        if not packed.startswith(MAGICS[form], at):
            raise RecordingError("damaged", f"what follows the {form} data is no {form} data")
        stream = make()
        while True:
            if at == len(packed):
                yield b""
                packed, at = _more(into), 0
                if not packed:
                    raise RecordingError("truncated", "the compressed data ends too early")
            piece = packed[at : at + max(1, min(most, len(packed) - at - LAST_BYTES))]
            at += len(piece)
            try:
                while output := stream.decompress(piece, OUTPUT_BYTES):
                    yield output
                    if stream.eof or len(output) < OUTPUT_BYTES:
                        break
                    piece = b""
            except damage as error:
                yield b""
                reason = str(error).rpartition(": ")[2]
                raise RecordingError("damaged", f"damaged {form} data: {reason}") from error
            if stream.eof:
                break
        at -= len(stream.unused_data)
        yield b""


def _more(into: Into) -> bytes:
    buffer = memoryview(bytearray(READ_BYTES))
    return bytes(buffer[: into(buffer)])


class _Gzip:
    """One member of gzip data."""

    def __init__(self, zlib: Any) -> None:
        self._inflate = zlib.decompressobj(wbits=GZIP_WINDOW)

    @property
    def eof(self) -> bool:
        return bool(self._inflate.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inflate.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return cast("bytes", self._inflate.decompress(self._inflate.unconsumed_tail + data, max_length))


class _Zstandard:
    """One frame of zstd data, by the package `zstandard`, which always unpacks all of a piece."""

    def __init__(self, zstandard: Any) -> None:
        self._frame = zstandard.ZstdDecompressor().decompressobj()

    @property
    def eof(self) -> bool:
        return bool(self._frame.eof)

    @property
    def unused_data(self) -> bytes:
        return bytes(self._frame.unused_data)

    def decompress(self, data: bytes, max_length: int) -> bytes:  # noqa: ARG002
        return cast("bytes", self._frame.decompress(data))


def _kind(form: str) -> Kind:
    """How this is unpacked. Raises RecordingError where a library is missing."""
    if form == "zstd":
        return _zstd()
    name = {"gzip": "zlib", "bz2": "bz2", "xz": "lzma"}[form]
    try:
        module: Any = import_module(name)
    except ImportError as error:
        why = f"is compressed with {form}, and this Python was built without its module {name}"
        raise RecordingError("needs-library", why) from error
    if form == "gzip":
        return partial(_Gzip, module), module.error, PIECE_BYTES
    if form == "bz2":
        return module.BZ2Decompressor, OSError, PIECE_BYTES
    return partial(module.LZMADecompressor, module.FORMAT_XZ, MAX_XZ_MEMORY_BYTES), module.LZMAError, PIECE_BYTES


def _zstd() -> Kind:
    for name in ("compression.zstd", "backports.zstd", "zstandard"):
        try:
            module: Any = import_module(name)
        except ImportError:
            continue
        if name == "zstandard":
            return partial(_Zstandard, module), module.ZstdError, SMALL_PIECE_BYTES
        return module.ZstdDecompressor, module.ZstdError, PIECE_BYTES
    why = "is compressed with zstd: install the package zstandard, or replaylint[zstd], to read it"
    raise RecordingError("needs-library", why)
