"""Which files are read: those on a disk and pipes; no device, and nothing that the kernel makes up as it is read.

A folder may hold links to anything. A device may never end, and a file of the kernel may hold secrets or never end.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from replaylint.errors import RecordingError

if TYPE_CHECKING:
    import io

KERNEL: Final = ("/proc/", "/sys/")
"""Where its files are: they look like those on a disk."""

STDIN: Final = 0


def opened(path: str) -> io.FileIO:
    """This file, unbuffered. Raises RecordingError where it is none to be read, and what `open` raises."""
    _check(path, os.stat(path))  # noqa: PTH116  (a Path would lose a last slash); opening a device may act on it
    file = open(path, "rb", buffering=0)  # noqa: PTH123, SIM115  (as above; the caller closes it)
    try:
        status = os.fstat(file.fileno())
        _check(path, status)
        if stat.S_ISREG(status.st_mode) and not status.st_size:
            # It holds nothing, whatever a kernel's file system that is mounted elsewhere would make up.
            file.close()
            file = open(os.devnull, "rb", buffering=0)  # noqa: PTH123, SIM115
    except BaseException:
        file.close()
        raise
    return file


def is_pipe(path: str) -> bool:
    """Whether this can be read, but only once: a named pipe, or standard input by another name."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except (OSError, ValueError):
        return False  # whoever reads it says what is wrong
    return stat.S_ISFIFO(status.st_mode) or (not stat.S_ISREG(status.st_mode) and _is_standard_input(status))


def _check(path: str, status: os.stat_result) -> None:
    mode = status.st_mode
    if stat.S_ISFIFO(mode) or stat.S_ISDIR(mode) or _is_standard_input(status):  # to open a folder says that it is one
        return
    if not stat.S_ISREG(mode):
        raise RecordingError("not-a-recording", "is a device or a socket: only files and pipes are read")
    # Only what takes no room on a disk is worth the walk along its links.
    if not getattr(status, "st_blocks", 1) and os.path.realpath(path).startswith(KERNEL):
        raise RecordingError("not-a-recording", "is made up by the kernel, no file on a disk: it is not read")


def _is_standard_input(status: os.stat_result) -> bool:
    try:
        return os.path.samestat(status, os.fstat(STDIN))
    except OSError:  # it is closed
        return False
