"""Names that a user gives: of rules, of outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class WrongName(ValueError):  # noqa: N818  (it says what is wrong, not that something is)
    """What a user named cannot be meant."""


class UnknownName(WrongName):
    """There is no such thing: `kind` says what was named, `nearest` what may have been meant."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        from difflib import get_close_matches  # noqa: PLC0415

        self.kind = kind
        self.name = name
        spellings = {each.lower(): each for each in known}
        self.nearest = next((spellings[each] for each in get_close_matches(name.lower(), spellings, 1)), None)
        hint = f"; did you mean {self.nearest}?" if self.nearest is not None else ""
        super().__init__(f"there is no {kind} {name!r}{hint}")


def split(given: str | Iterable[str]) -> list[str]:
    """The names, one by one: a text may hold several, with commas between them. Raises TypeError."""
    texts = [given] if isinstance(given, str) else list(given)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a name has to be a str, not {type(text).__name__}")
    return [name.strip() for text in texts for name in text.strip(", ").split(",")]
