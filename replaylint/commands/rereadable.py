"""Recordings that a command reads more than once."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from replaylint.commands.output import OutputError
from replaylint.recording.readable import is_pipe, opened
from replaylint.recording.source import STANDARD_INPUT

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def rereadable(path: str) -> Iterator[str]:
    """A path that can be read again: standard input and pipes are copied into a temporary file first."""
    if path != STANDARD_INPUT and not is_pipe(path):
        yield path
        return
    with NamedTemporaryFile(prefix="replaylint-") as copy:
        try:
            if path != STANDARD_INPUT:
                with opened(path) as file:
                    copyfileobj(file, copy)
            elif sys.stdin is not None:
                copyfileobj(sys.stdin.buffer, copy)
            copy.flush()
        except OSError as error:
            raise OutputError(f"{path}: cannot be copied to be read twice: {error.strerror}") from error
        yield copy.name
