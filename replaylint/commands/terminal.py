"""What standard output can show: its width, colour, and signs beyond ASCII; and where a CI system looks for files."""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePath
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Final, Literal

from replaylint.render.view import SIGNS, View

if TYPE_CHECKING:
    from collections.abc import Mapping

When = Literal["auto", "always", "never"]

CHECKOUTS: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Variables with the root of the checkout:
https://docs.github.com/en/actions/reference/workflows-and-actions/variables and
https://docs.gitlab.com/ci/variables/predefined_variables/"""


def view(color: When) -> View:
    """How to show a report on standard output."""
    return View(width=width(), colour=shows_colour(color), unicode=shows_unicode(), checkout=checkout())


def width() -> int | None:
    """The terminal's columns (COLUMNS wins), or None where standard output is no terminal."""
    return get_terminal_size().columns if _is_terminal() else None


def shows_colour(when: When, variables: Mapping[str, str] = os.environ) -> bool:
    """Whether to colour: as asked, else by NO_COLOR or FORCE_COLOR, else on a terminal that can."""
    if when != "auto":
        return when == "always"
    if variables.get("NO_COLOR"):
        return False
    if variables.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    # The old console of Windows prints escapes as they are.
    capable = variables.get("TERM") != "dumb" and (os.name != "nt" or "WT_SESSION" in variables)
    return capable and _is_terminal()


def shows_unicode(variables: Mapping[str, str] = os.environ) -> bool:
    """Whether standard output can show SIGNS.

    Under LC_ALL=C Python still writes UTF-8, but it asks for plain text.
    """
    if variables.get("LC_ALL") in {"C", "POSIX"} and "PYTHONIOENCODING" not in variables:
        return False
    try:
        SIGNS.encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeError, LookupError):
        return False
    return True


def checkout(variables: Mapping[str, str] = os.environ) -> tuple[str, str] | None:
    """The root of the checkout of a CI system and the working folder, as paths are shown; None where there is none."""
    named = (variables.get(name, "") for name in CHECKOUTS)
    roots = [root for root in named if PurePath(root).is_absolute()]
    if not roots:
        return None
    try:
        here = Path.cwd()
    except OSError:  # it is gone
        return None
    # The path of the working folder has no links; that of the checkout may have some.
    ways = [way for root in roots for way in (root, os.path.realpath(root))]
    root = next((way for way in ways if here.is_relative_to(os.path.normpath(way))), roots[0])
    return _shown(root), _shown(here)


def _shown(path: str | Path) -> str:
    return os.fsencode(path).decode(errors="backslashreplace")


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()
