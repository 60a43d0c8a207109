"""The rules as users look them up: what is declared, what the docstring says, and what the example shows."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from replaylint.report.lint import lint
from replaylint.rules.explanation import Explanation, explained, recording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.report.model import Finding
    from replaylint.rules.registry import Rule


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
    """What the rule finds in its example, for a user who expects every replay to be complete."""
    with suppress(OSError), TemporaryDirectory(prefix="replaylint-") as folder:
        path = Path(folder, "example")
        path.write_bytes(recording(example))
        return lint(path, select=rule.code, expect="complete").findings
    return []
