"""Where settings may stand. Every run looks there, so it has to be quick."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN: Final = "replaylint.toml"
SHARED: Final = "pyproject.toml"

LARGEST: Final = 1 << 20
"""Bytes of a file that is read."""

_TABLE: Final = rb"""tool["' \t]*\.["' \t]*replaylint|^[ \t]*\[?[ \t]*["']?tool["']?[ \t]*[\]=]"""
"""In any spelling of the table: most files without it are told from that, and never parsed."""


def files() -> Iterator[str]:
    """The files of these names, from the working folder upwards; in one folder, the own one first."""
    try:
        folder = os.getcwd()  # noqa: PTH109  (pathlib would cost at start-up)
    except OSError:  # it was deleted
        return
    above = ""
    while folder != above:
        for name in (OWN, SHARED):
            path = os.path.join(folder, name)  # noqa: PTH118
            if os.path.isfile(path) and (name == OWN or _may_hold_settings(path)):  # noqa: PTH113
                yield path
        folder, above = os.path.dirname(folder), folder  # noqa: PTH120


def _may_hold_settings(path: str) -> bool:
    """Whether this file may have a table for this tool; also where it cannot be read, which is for others to say."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read(LARGEST + 1)
    except OSError:
        return True
    return b"replaylint" in content and re.search(_TABLE, content, re.MULTILINE) is not None
