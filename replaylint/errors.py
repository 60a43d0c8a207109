"""Errors for what a user gave: inputs that cannot be read, and names and values that make no sense."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class RecordingError(Exception):
    """An input that cannot be read to its end.

    `code` is one word for programs, `line` the last line that was reached (1-based), or None.
    """

    def __init__(self, code: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.line = line


class UsageError(ValueError):
    """A name or value that a user gave makes no sense."""


class UnknownNameError(UsageError):
    """An unknown name: `kind` is the kind of thing that was named, `nearest` a known name that is like it, or None."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        spellings = {each.lower(): each for each in known}
        self.nearest = next((spellings[each] for each in get_close_matches(name.lower(), spellings, 1)), None)
        hint = f"; did you mean {self.nearest}?" if self.nearest is not None else ""
        super().__init__(f"there is no {kind} {name!r}{hint}")
