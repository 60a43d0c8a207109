"""What is raised for what a user gave: inputs that cannot be read, and names and values that cannot be meant."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class RecordingError(Exception):
    """An input that cannot be read, or not to its end.

    `code` is one word for programs, `line` the 1-based line that was reached, or None.
    """

    def __init__(self, code: str, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.line = line


class UsageError(ValueError):
    """What a user named or gave cannot be meant."""


class UnknownNameError(UsageError):
    """There is no such thing: `kind` says what was named, `nearest` what may have been meant."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.kind = kind
        self.name = name
        spellings = {each.lower(): each for each in known}
        self.nearest = next((spellings[each] for each in get_close_matches(name.lower(), spellings, 1)), None)
        hint = f"; did you mean {self.nearest}?" if self.nearest is not None else ""
        super().__init__(f"there is no {kind} {name!r}{hint}")
