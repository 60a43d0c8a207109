"""Findings, worded from what the rules hit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from replaylint.report.model import Evidence, Finding
from replaylint.report.names import UnknownName, WrongName, split
from replaylint.rules.registry import Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from replaylint.report.model import SeverityName
    from replaylint.report.places import Place
    from replaylint.rules.registry import Hit, Rule

SEVERITIES: tuple[SeverityName, ...] = ("error", "warning", "info")
"""The gravest first."""


def named(severity: Severity) -> SeverityName:
    """Its name."""
    return SEVERITIES[Severity.ERROR - severity]


def finding(hit: Hit, place: Place) -> Finding:
    """A hit, worded; `place` says where its lines stand. One without a line concerns the recording as a whole."""
    trace, line = place(hit.line)
    last_trace, last_line = place(hit.last_line)

    def shown(at: int) -> int | str:
        path, there = place(at)
        return there if path == trace else f"{there} of {path}"

    return Finding(
        rule=hit.rule.code,
        name=hit.rule.name,
        severity=named(hit.severity),
        party=hit.party,
        message=hit.message(shown),
        trace=trace,
        line=line or None,
        last_line=(last_line if last_trace == trace else line) or None,
        count=hit.count,
        connection=hit.connection or None,
        request_id=hit.request_id,
        side=hit.side,
        session_id=hit.session_id,
        evidence=[_evidence(trace, *place(at), what) for at, what in hit.evidence],
        fingerprint=fingerprint(hit),
        known=False,
    )


def _evidence(trace: str, path: str, line: int, what: str) -> Evidence:
    if path == trace:
        return Evidence(line, what)
    from replaylint.report.places import ForeignEvidence  # noqa: PLC0415

    return ForeignEvidence(line, what, path)


def fingerprint(hit: Hit) -> str:
    """What makes two findings the same fault: no file name, id, line or time, so it survives a new recording."""
    from hashlib import sha256  # noqa: PLC0415

    method = hit.request.method if hit.request is not None else ""
    parts = (hit.rule.code, hit.party, method, hit.role or "", hit.what)
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def order(each: Finding) -> tuple[bool, str, bool, int, str, str]:
    """By trace, line and rule; what has no trace, and there what has no line, comes last."""
    return each.trace is None, each.trace or "", each.line is None, each.line or 0, each.rule, each.session_id or ""


def chosen(names: str | Iterable[str], rules: Collection[Rule]) -> set[str]:
    """The codes of the rules that these names mean: a code, a rule's name, or the beginning of a code.

    Raises UnknownName and TypeError.
    """
    codes: set[str] = set()
    for name in split(names):
        found = {rule.code for rule in rules if rule.name == name.lower() or rule.code.startswith(name.upper())}
        if not name or not found:
            raise UnknownName("rule", name, [*(rule.code for rule in rules), *(rule.name for rule in rules)])
        codes |= found
    return codes


def severities(given: str | Iterable[str] | Mapping[str, str], rules: Collection[Rule]) -> dict[str, SeverityName]:
    """What these texts, such as `RL301=info`, or this mapping say how grave findings are, by code; the last one counts.

    Raises WrongName and TypeError.
    """
    wanted: dict[str, SeverityName] = {}
    for name, level in given.items() if isinstance(given, Mapping) else _assignments(given):
        if not isinstance(level, str):
            raise TypeError(f"a severity has to be a str, not {type(level).__name__}")
        severity = next((each for each in SEVERITIES if each == level.strip().lower()), None)
        if severity is None:
            raise UnknownName("severity", level.strip(), SEVERITIES)
        wanted |= dict.fromkeys(chosen(name, rules), severity)
    return wanted


def _assignments(given: str | Iterable[str]) -> Iterator[tuple[str, str]]:
    for text in split(given):
        name, sign, level = text.partition("=")
        if not sign:
            raise WrongName(f"{text!r} says no severity: it has to be RULE=LEVEL, such as RL301=info")
        yield name, level
