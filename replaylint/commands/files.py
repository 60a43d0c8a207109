"""Files that a command writes: whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, Final, cast

from replaylint.commands.interruption import Held
from replaylint.commands.output import OutputError, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STANDARD_OUTPUT: Final = "-"
STDOUT: Final = 1
STDERR: Final = 2

OPEN: Final = re.compile(r"/dev/fd/|/dev/std|/proc/[^/]+/(task/[^/]+/)?fd/")
"""How paths of open files begin. A process that has one open would keep writing to the file that was replaced."""


def write_file(path: str, pieces: Iterable[str] | Iterable[bytes], *, force: bool = False) -> None:
    """Write this file, text as UTF-8; - is standard output. Raises OutputError."""
    with written_whole(path, force=force) as (file, _):
        file.writelines(
            piece if isinstance(piece, bytes) else piece.encode(errors="backslashreplace") for piece in pieces
        )


class NotWritten(Exception):  # noqa: N818  (it undoes, it is no error)
    """Raised to undo what was written so far."""


Version = tuple[int, ...] | None
"""What tells a file from another one that took its place; None: there is none."""


def version(path: str) -> Version:
    """The version of this file now."""
    try:
        status = os.stat(path)  # noqa: PTH116  (a Path would lose a last slash)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def replace_file(path: str, pieces: Iterable[bytes], seen: Version, *, force: bool = False) -> None:
    """Write this file, unless it is another one than that which was seen. Raises OutputError."""
    with _alone(path), written_whole(path, force=force) as (file, _):
        if is_replaced(path) and version(path) != seen:
            raise OutputError(f"{path}: another run wrote it in the meantime, so it is left as it is: run this again")
        file.writelines(pieces)


@contextmanager
def _alone(path: str) -> Iterator[None]:
    """Whoever writes this file in this way, too, waits. Where folders cannot be locked, nobody does."""
    try:
        import fcntl  # noqa: PLC0415  (not on Windows)

        folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)  # noqa: PTH120
    except (ImportError, OSError, ValueError):
        yield
        return
    try:
        with suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextmanager
def written_whole(output: str, *, force: bool = False) -> Iterator[tuple[IO[bytes], str]]:
    """A temporary file and its name; at the end it becomes the output, where `check_output` allows that.

    Raises OutputError.
    """
    check_output(output, force=force)
    made: Path | None = None
    try:
        target = Path(os.path.realpath(output)) if is_replaced(output) else None
        if target is not None and target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        folder = None if target is None else target.parent
        with Held():
            file = NamedTemporaryFile(prefix=".replaylint-", dir=folder, delete=False)  # noqa: SIM115  (closed below)
            made = Path(file.name)
        with file:  # closing may fail, too: on a full disk
            yield cast("IO[bytes]", file), file.name
        if target is None:
            _pour(made, output)
        else:
            made.chmod(_mode(target))
            made.replace(target)
    except NotWritten:
        return
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"{output}: cannot be written: {why}") from error
    finally:
        if made is not None:
            with Held():
                made.unlink(missing_ok=True)


def check_output(output: str, *, force: bool) -> None:
    """Raises OutputError where this would be written through a link, or over a file that is read-only.

    A checkout may have links to anywhere. So the part of a path that is below the working folder is without, and its
    last name; what is above belongs to the user. With `force` all that may be.
    """
    if force or output == STANDARD_OUTPUT or OPEN.match(os.path.abspath(output)):  # noqa: PTH100  (as below)
        return
    try:
        for each in _own_part(output):
            if os.path.islink(each):  # noqa: PTH114  (as below)
                raise OutputError(f"{output}: is not written through the link {each}; --force does")
        status = os.stat(output)  # noqa: PTH116  (a Path would lose a last slash)
    except (OSError, ValueError):
        return  # there is none yet, or writing it says what is wrong
    if stat.S_ISREG(status.st_mode) and not _is_writable(output, status):
        raise OutputError(f"{output}: is read-only; --force overwrites it")


def _own_part(output: str) -> list[str]:
    """The paths on the way to this one that are below the working folder, and its own."""
    parts = Path(output).parts
    if os.path.isabs(output):  # noqa: PTH117
        parts = Path(os.path.relpath(output)).parts
        if parts[0] == os.pardir:
            return [output]
    return [os.path.join(*parts[: number + 1]) for number in range(len(parts))]  # noqa: PTH118


def _is_writable(output: str, status: os.stat_result) -> bool:
    """Also where whoever runs this may write everything."""
    return bool(status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)) and os.access(output, os.W_OK)


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
