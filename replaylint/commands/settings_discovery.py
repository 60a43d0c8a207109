"""Where settings may stand. Every run looks there, so it has to be quick."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Final

from replaylint.commands.output import complain

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN: Final = "replaylint.toml"
SHARED: Final = "pyproject.toml"

LARGEST: Final = 1 << 20
"""Bytes of a file that is read."""

REPOSITORY: Final = ".git"
"""What the root of a repository holds."""

_TABLE: Final = rb"""tool["' \t]*+\.["' \t]*+replaylint|^[ \t]*+(?:\[[ \t]*+)?["']?tool["']?[ \t]*+[\]=]"""
"""In any spelling of the table: most files without it are told from that, and never parsed."""


def files() -> Iterator[str]:
    """The files of these names, from the working folder upwards to the repository's root; the own one first.

    One of another user, which may stand in a folder that all may write to, is passed over, and so is a link out of its
    folder; both are said.
    """
    try:
        folder = os.getcwd()  # noqa: PTH109  (pathlib would cost at start-up)
        trusted = _trusted(folder)
    except OSError:  # it was deleted
        return
    above = ""
    while folder != above:
        for name in (OWN, SHARED):
            path = os.path.join(folder, name)  # noqa: PTH118
            if not os.path.isfile(path):  # noqa: PTH113
                continue
            if not is_inside(path, folder):
                complain(f"{path}: leads out of its folder, so it is not read for settings")
            elif name == OWN or _may_hold_settings(path):
                if os.stat(path).st_uid in trusted:  # noqa: PTH116
                    yield path
                else:
                    complain(f"{path}: belongs to another user, so it is not read for settings")
        if os.path.lexists(os.path.join(folder, REPOSITORY)):  # noqa: PTH118
            return
        folder, above = os.path.dirname(folder), folder  # noqa: PTH120


def is_inside(path: str, folder: str) -> bool:
    """Whether this path leads to something in this folder, or deeper, whatever links there are on the way."""
    real = os.path.realpath(folder)
    return os.path.realpath(path).startswith(os.path.join(real, ""))  # noqa: PTH118


def _trusted(folder: str) -> set[int]:
    """Whose settings count here: the user's own, and those of whom the working folder belongs to."""
    owners = {os.stat(folder).st_uid}  # noqa: PTH116
    if sys.platform != "win32":
        owners.add(os.geteuid())
    return owners


def _may_hold_settings(path: str) -> bool:
    """Whether this file may have a table for this tool; also where it cannot be read, which is for others to say."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read(LARGEST + 1)
    except OSError:
        return True
    return b"replaylint" in content and re.search(_TABLE, content, re.MULTILINE) is not None
