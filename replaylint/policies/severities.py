"""How grave the findings of a rule are, where the user says so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from replaylint.errors import UnknownNameError, UsageError
from replaylint.policies.names import chosen, split
from replaylint.report.findings import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from replaylint.report.model import SeverityName
    from replaylint.rules.registry import Rule


def severities(given: str | Iterable[str] | Mapping[str, str], rules: Collection[Rule]) -> dict[str, SeverityName]:
    """What these texts, such as `RL301=info`, or this mapping say how grave findings are, by code; the last one counts.

    Raises UsageError and TypeError.
    """
    wanted: dict[str, SeverityName] = {}
    for name, level in given.items() if isinstance(given, Mapping) else _assignments(given):
        if not isinstance(level, str):
            raise TypeError(f"a severity has to be a str, not {type(level).__name__}")
        severity = next((each for each in SEVERITIES if each == level.strip().lower()), None)
        if severity is None:
            raise UnknownNameError("severity", level.strip(), SEVERITIES)
        wanted |= dict.fromkeys(chosen(name, rules), severity)
    return wanted


def _assignments(given: str | Iterable[str]) -> Iterator[tuple[str, str]]:
    for text in split(given):
        name, sign, level = text.partition("=")
        if not sign:
            raise UsageError(f"{text!r} says no severity: it has to be RULE=LEVEL, such as RL301=info")
        yield name, level
