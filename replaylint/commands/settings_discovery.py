"""Where settings may stand, and what is read of it. Every run looks there, so it has to be quick.

Settings come with a checkout, and that may be a stranger's: they are looked for no further than the root of the
repository, and only in regular files of the user, or of whoever owns the working folder.
"""

from __future__ import annotations

import os
import re
import stat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN: Final = "replaylint.toml"
SHARED: Final = "pyproject.toml"

LARGEST: Final = 1_000_000
"""Bytes of a file that is read."""
ROOTS: Final = (".git", ".hg", ".jj", ".svn")
"""What the root of a repository holds."""

_TABLE: Final = rb"""tool["' \t]*\.["' \t]*replaylint|^[ \t]*\[?[ \t]*["']?tool["']?[ \t]*[\]=]"""
"""In any spelling of the table: most files without it are told from that, and never parsed."""
# A link would name a file elsewhere, and a pipe would be waited for.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def files() -> Iterator[str]:
    """The files of these names, from the working folder upwards; in one folder, the own one first.

    They end at the root of the repository; where there is none, with the working folder.
    """
    try:
        here = folder = os.getcwd()  # noqa: PTH109  (pathlib would cost at start-up)
    except OSError:  # it was deleted
        return
    folders, above, is_repository = [], "", False
    while folder != above and not is_repository:
        folders.append(folder)
        is_repository = any(map(os.path.exists, (os.path.join(folder, root) for root in ROOTS)))  # noqa: PTH118
        folder, above = os.path.dirname(folder), folder  # noqa: PTH120
    for each in folders if is_repository else [here]:
        for name in (OWN, SHARED):
            path = os.path.join(each, name)  # noqa: PTH118
            if os.path.lexists(path) and (name == OWN or _may_hold_settings(path)):
                yield path


def content_of(path: str) -> bytes:
    """What is in this file, one byte more than LARGEST at most. Raises OSError, also where it may hold no settings."""
    try:
        descriptor = os.open(path, _FLAGS)
    except OSError as error:
        if os.path.islink(path):  # noqa: PTH114
            raise OSError(error.errno, "is a link") from error
        raise
    try:
        facts = os.fstat(descriptor)
        if not stat.S_ISREG(facts.st_mode):
            raise OSError(0, "is no regular file")
        if hasattr(os, "geteuid") and facts.st_uid not in {os.geteuid(), os.stat(os.curdir).st_uid}:  # noqa: PTH116
            raise OSError(0, "belongs to somebody else")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST + 1)
    finally:
        os.close(descriptor)


def _may_hold_settings(path: str) -> bool:
    """Whether this file may have a table for this tool; one that may not be read has none."""
    try:
        content = content_of(path)
    except OSError:
        return False
    return b"replaylint" in content and re.search(_TABLE, content, re.MULTILINE) is not None
