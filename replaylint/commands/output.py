"""Where commands print: results on standard output, everything else on standard error."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

PROGRAM = "replaylint"


class OutputError(Exception):
    """The results cannot be written."""


def write(pieces: Iterable[str] | Iterable[bytes]) -> None:
    """Print results. A reader that goes away changes nothing. Raises OutputError where they cannot be written."""
    stream = sys.stdout
    if stream is None:  # started with standard output closed
        return
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="backslashreplace")
    try:
        for piece in pieces:
            if isinstance(piece, bytes):
                stream.buffer.write(piece)
            else:
                stream.write(piece)
        stream.flush()
    except BrokenPipeError:
        _abandon()
    except OSError as error:
        _abandon()
        raise OutputError(f"the results cannot be written: {error.strerror}") from error


def complain(text: str) -> None:
    """Say something on standard error that is no result."""
    if sys.stderr is None:
        return
    with suppress(OSError):
        sys.stderr.write(f"{PROGRAM}: {text}\n")
        sys.stderr.flush()


def _abandon() -> None:
    # The interpreter flushes standard output when it ends, which would fail once more.
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
