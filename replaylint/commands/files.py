"""Files that a command writes: whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Final, cast

from replaylint.commands.output import OutputError, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STANDARD_OUTPUT: Final = "-"
STDOUT: Final = 1
STDERR: Final = 2

OPEN: Final = re.compile(r"/dev/fd/|/dev/std|/proc/[^/]+/(task/[^/]+/)?fd/")
"""How paths of open files begin. A process that has one open would keep writing to the file that was replaced."""


def write_file(path: str, pieces: Iterable[str] | Iterable[bytes]) -> None:
    """Write this file, text as UTF-8; - is standard output. Raises OutputError."""
    with written_whole(path) as (file, _):
        file.writelines(
            piece if isinstance(piece, bytes) else piece.encode(errors="backslashreplace") for piece in pieces
        )


class NotWritten(Exception):  # noqa: N818  (it undoes, it is no error)
    """Raised to undo what was written so far."""


@contextmanager
def written_whole(output: str) -> Iterator[tuple[IO[bytes], str]]:
    """A temporary file and its name; at the end it becomes the output. Raises OutputError."""
    try:
        target = Path(os.path.realpath(output)) if is_replaced(output) else None
        if target is not None and target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        folder = None if target is None else target.parent
        file = NamedTemporaryFile(prefix=".replaylint-", dir=folder, delete=False)  # noqa: SIM115  (it is closed below)
        made = Path(file.name)
        try:
            with file:  # closing may fail, too: on a full disk
                yield cast("IO[bytes]", file), file.name
            if target is None:
                _pour(made, output)
            else:
                made.chmod(_mode(target))
                made.replace(target)
        finally:
            made.unlink(missing_ok=True)
    except NotWritten:
        return
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"{output}: cannot be written: {why}") from error


def is_replaced(output: str) -> bool:
    """Whether a new file replaces this one: devices, pipes and files that are open already are written to instead.

    Raises OutputError for a file that standard output or error go to: other output would spoil it.
    """
    if output == STANDARD_OUTPUT or OPEN.match(os.path.abspath(output)):  # noqa: PTH100  (it follows no link)
        return False
    try:
        regular = stat.S_ISREG(os.stat(output).st_mode)  # noqa: PTH116  (a Path would lose a last slash)
    except (OSError, ValueError):
        return True  # there is none; anything else is reported when it is written
    if regular and (_is_stream(output, STDOUT) or _is_stream(output, STDERR)):
        raise OutputError(f"{output}: is where other output goes; name another file")
    return regular


def _is_stream(output: str, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(output), os.fstat(descriptor))  # noqa: PTH116  (a Path would lose a last slash)
    except (OSError, ValueError):
        return False


def _pour(made: Path, output: str) -> None:
    """Append the content to an output that is not replaced."""
    if output == STANDARD_OUTPUT or _is_stream(output, STDOUT):
        write(_pieces(made))
        return
    with open(os.dup(STDERR) if _is_stream(output, STDERR) else output, "ab") as file:  # noqa: PTH123  (a Path would lose a last slash)
        file.writelines(_pieces(made))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(1 << 16), b"")


def _mode(target: Path) -> int:
    """The permissions of the file that is there, or those of a new one."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
