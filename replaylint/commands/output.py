"""Where commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from replaylint.render.escape import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

PROGRAM = "replaylint"

MAX_COMPLAINT_CHARS: Final = 10_000
"""Of a line on standard error: more than any path and what is wrong with it."""


class OutputError(Exception):
    """The results cannot be written."""


class Output:
    """Standard output, for as long as somebody reads it. A reader that goes away is no error."""

    def __init__(self) -> None:
        self._stream = sys.stdout
        """None where there is none, or its reader has gone."""
        if self._stream is not None and hasattr(self._stream, "reconfigure"):
            self._stream.reconfigure(errors="backslashreplace")

    def put(self, piece: str | bytes) -> bool:
        """Write this, and return whether somebody still reads. Raises OutputError."""
        return self._try(piece)

    def flush(self) -> None:
        """Write out what was put. Raises OutputError."""
        self._try(None)

    def _try(self, piece: str | bytes | None) -> bool:
        stream = self._stream
        if stream is None:
            return False
        try:
            if isinstance(piece, bytes):
                stream.buffer.write(piece)
            elif piece is not None:
                stream.write(piece)
            else:
                stream.flush()
        except BrokenPipeError:
            self._abandon()
            return False
        except OSError as error:
            self._abandon()
            raise OutputError(f"the results cannot be written: {error.strerror}") from error
        return True

    def _abandon(self) -> None:
        # The interpreter flushes standard output at exit, which would fail again.
        self._stream = None
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def write(pieces: Iterable[str] | Iterable[bytes]) -> None:
    """Print results. Raises OutputError."""
    output = Output()
    for piece in pieces:
        if not output.put(piece):
            return
    output.flush()


def complain(text: str) -> None:
    """Print one line on standard error. File names and texts in it may be hostile, and of any length."""
    if sys.stderr is None:
        return
    with suppress(OSError):
        sys.stderr.write(f"{PROGRAM}: {shortened(text, MAX_COMPLAINT_CHARS)}\n")
        sys.stderr.flush()
