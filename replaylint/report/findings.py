"""Findings, worded from what the rules hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.report.model import Evidence, Finding
from replaylint.rules.registry import Severity

if TYPE_CHECKING:
    from collections.abc import Collection

    from replaylint.report.model import SeverityName
    from replaylint.rules.registry import Hit, Rule

SEVERITIES: tuple[SeverityName, ...] = ("error", "warning", "info")
"""The gravest first."""


def finding(hit: Hit, path: str) -> Finding:
    """A hit, worded."""
    request = hit.request
    return Finding(
        rule=hit.rule.code,
        name=hit.rule.name,
        severity=SEVERITIES[Severity.ERROR - hit.severity],
        party=hit.party,
        message=hit.message(),
        trace=path,
        line=hit.line,
        last_line=hit.last_line,
        count=hit.count,
        connection=hit.connection,
        request_id=request.id if request is not None else None,
        side=hit.side,
        session_id=hit.session_id,
        evidence=[Evidence(line, what) for line, what in hit.evidence],
        fingerprint=fingerprint(hit),
        known=False,
    )


def fingerprint(hit: Hit) -> str:
    """What makes two findings the same fault: no file name, id, line or time, so it survives a new recording."""
    from hashlib import sha256  # noqa: PLC0415

    method = hit.request.method if hit.request is not None else ""
    parts = (hit.rule.code, hit.party, method, hit.role or "", hit.what)
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def order(each: Finding) -> tuple[str, bool, int, str, str]:
    """By trace, line and rule; what has no line comes last."""
    return each.trace or "", each.line is None, each.line or 0, each.rule, each.session_id or ""


class UnknownRule(ValueError):  # noqa: N818  (it says what is wrong, not that something is)
    """A rule was named that there is none of; `nearest` is what may have been meant."""

    def __init__(self, name: str, nearest: str | None) -> None:
        super().__init__(name)
        self.name = name
        self.nearest = nearest


def chosen(names: Collection[str], rules: Collection[Rule]) -> set[str]:
    """The codes of the rules that these names mean: a code, a rule's name, or the beginning of a code.

    Raises UnknownRule.
    """
    codes: set[str] = set()
    for name in names:
        wanted = name.strip()
        found = {rule.code for rule in rules if rule.name == wanted.lower() or rule.code.startswith(wanted.upper())}
        if not wanted or not found:
            from difflib import get_close_matches  # noqa: PLC0415

            known = [*(rule.code for rule in rules), *(rule.name for rule in rules)]
            raise UnknownRule(name, next(iter(get_close_matches(wanted, known, 1)), None))
        codes |= found
    return codes
