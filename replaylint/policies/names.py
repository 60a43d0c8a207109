"""Names that a user gives: several in a text, and those of rules and of formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.errors import UnknownNameError
from replaylint.recording.formats import every_format

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from replaylint.rules.registry import Rule


def split(given: str | Iterable[str]) -> list[str]:
    """The names, one by one: a text may hold several, with commas between them. Raises TypeError."""
    texts = [given] if isinstance(given, str) else list(given)
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a name has to be a str, not {type(text).__name__}")
    return [name.strip() for text in texts for name in text.strip(", ").split(",")]


def chosen(names: str | Iterable[str], rules: Collection[Rule]) -> set[str]:
    """The codes of the rules that these names mean: a code, a rule's name, or the beginning of a code.

    Raises UnknownNameError and TypeError.
    """
    codes: set[str] = set()
    for name in dict.fromkeys(split(names)):
        found = {rule.code for rule in rules if rule.name == name.lower() or rule.code.startswith(name.upper())}
        if not name or not found:
            raise UnknownNameError("rule", name, [*(rule.code for rule in rules), *(rule.name for rule in rules)])
        codes |= found
    return codes


def known_format(name: str) -> str:
    """The name of a recording format, whatever its case. Raises UnknownNameError."""
    names = [form.NAME for form in every_format()]
    if name.lower() not in names:
        raise UnknownNameError("format", name, names)
    return name.lower()
