"""Files that a command writes: whole or not at all."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, TYPE_CHECKING, cast

from replaylint.commands.output import OutputError, write

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STANDARD_OUTPUT = "-"


def write_file(path: str, pieces: Iterable[str] | Iterable[bytes]) -> None:
    """Write this file, text as UTF-8; - is standard output. Raises OutputError."""
    with written_whole(path) as (file, _):
        file.writelines(
            piece if isinstance(piece, bytes) else piece.encode(errors="backslashreplace") for piece in pieces
        )


class NotWritten(Exception):  # noqa: N818  (it undoes, it is no error)
    """What was written so far is not wanted."""


@contextmanager
def written_whole(output: str) -> Iterator[tuple[IO[bytes], str]]:
    """A temporary file and its name: it becomes the output when all is done. Raises OutputError."""
    try:
        target = Path(output).resolve()
        replaces = output != STANDARD_OUTPUT and _is_replaced(target)
        with NamedTemporaryFile(prefix=".replaylint-", dir=target.parent if replaces else None, delete=False) as file:
            made = Path(file.name)
            try:
                yield cast("IO[bytes]", file), file.name
                file.close()
                if replaces:
                    made.chmod(_mode(target))
                    made.replace(target)
                elif output == STANDARD_OUTPUT:
                    write(_pieces(made))
                else:
                    with target.open("wb") as special:
                        special.writelines(_pieces(made))
            finally:
                file.close()
                made.unlink(missing_ok=True)
    except NotWritten:
        return
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise OutputError(f"{output}: cannot be written: {why}") from error


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(lambda: file.read(1 << 16), b"")


def _is_replaced(target: Path) -> bool:
    """Whether a new file can take the place of this one: a device or a pipe is written to."""
    return target.is_file() or not target.exists()


def _mode(target: Path) -> int:
    """The permissions of the file that is there, or those of a new one."""
    if target.exists():
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
