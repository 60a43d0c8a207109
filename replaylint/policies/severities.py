"""How grave the findings of a rule are, where the user says so; and which findings fail a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple

from replaylint.errors import UnknownNameError, UsageError
from replaylint.policies.names import chosen, split
from replaylint.report.findings import SEVERITIES
from replaylint.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.policies.options import LinterOptions
    from replaylint.policies.policy import Draft
    from replaylint.report.model import Finding, SeverityName

Level = Literal["error", "warning", "info", "never"]
"""The least severity of a finding for which a run fails."""


class Severities(NamedTuple):
    """Other severities than the rules give, by code."""

    by_code: Mapping[str, SeverityName]

    def revise(self, finding: Finding) -> bool:
        """Make it as grave as it is to be; it stays in any case."""
        finding.severity = self.by_code.get(finding.rule, finding.severity)
        return True

    def apply(self, draft: Draft) -> None:
        """Make all findings as grave as they are to be."""
        draft.revise(self.revise)


def parse(options: LinterOptions) -> Severities | None:
    """What `severity` says: texts such as `RL301=info`, or a mapping; of several, the last one counts.

    Raises UsageError and TypeError.
    """
    given = options.get("severity")
    if given is None:
        return None
    by_code: dict[str, SeverityName] = {}
    rules = all_rules()
    for name, level in given.items() if isinstance(given, Mapping) else _assignments(given):
        if not isinstance(level, str):
            raise TypeError(f"a severity has to be a str, not {type(level).__name__}")
        severity = next((each for each in SEVERITIES if each == level.strip().lower()), None)
        if severity is None:
            raise UnknownNameError("severity", level.strip(), SEVERITIES)
        by_code |= dict.fromkeys(chosen(name, rules), severity)
    return Severities(by_code)


def _assignments(given: str | Iterable[str]) -> Iterator[tuple[str, str]]:
    for text in split(given):
        name, sign, level = text.partition("=")
        if not sign:
            raise UsageError(f"{text!r} says no severity: it has to be RULE=LEVEL, such as RL301=info")
        yield name, level


def failing(level: Level) -> tuple[SeverityName, ...]:
    """The severities of findings that fail a run."""
    return () if level == "never" else SEVERITIES[: SEVERITIES.index(level) + 1]
