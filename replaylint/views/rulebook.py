"""The rules as users look them up: what is declared, what the docstring says, and what the example shows."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from replaylint.analysis.lint import lint
from replaylint.rules.explanation import Explanation, explained, recording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.report.model import Finding
    from replaylint.rules.registry import Rule


ASKED: Final[dict[str, dict[str, Any]]] = {
    "RL401": {"max_gap": "2s"},
    "RL402": {"max_replay": "5s"},
    "RL403": {"max_total": "10s"},
    "RL404": {"budget": "max(response_gap)<2s"},
    "RL405": {"max_gap": "2s"},
    "RL406": {"expect": "complete"},
    "RL407": {
        "exceptions": [{"name": "agent", "ignore": ["RL201"], "reason": "predates the marker", "until": "2026-03-01"}],
        "today": "2026-03-02",
    },
    "RL408": {"max_message": 250},
}
"""What the user asks for in the example of a rule that is silent otherwise, as `lint` takes it."""


class Entry(NamedTuple):
    """A rule; `findings` are its own in its example, where that was linted."""

    rule: Rule
    explanation: Explanation
    findings: list[Finding]


def entries(rules: Iterable[Rule], *, linted: bool = False) -> list[Entry]:
    """What there is to say of these rules. `linted`: also what each finds in its example."""
    explanations = [(rule, explained(rule)) for rule in rules]
    return [Entry(rule, text, found(rule, text.example) if linted else []) for rule, text in explanations]


def found(rule: Rule, example: str) -> list[Finding]:
    """What the rule finds in its example."""
    with suppress(OSError), TemporaryDirectory(prefix="replaylint-") as folder:
        path = Path(folder, "example")
        path.write_bytes(recording(example))
        # Not with `select`: RL407 is about findings of another rule.
        return [each for each in lint(path, **ASKED.get(rule.code, {})).findings if each.rule == rule.code]
    return []
