"""Findings, made from the violations that rules report."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from replaylint.report.model import Evidence, Finding
from replaylint.report.source_map import EvidenceElsewhere
from replaylint.rules.registry import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.report.model import SeverityName
    from replaylint.report.source_map import SourceMap
    from replaylint.rules.registry import Violation

SEVERITIES: tuple[SeverityName, ...] = ("error", "warning", "info")
"""The most severe first."""


def named(severity: Severity) -> SeverityName:
    """The name of this severity in the report."""
    return SEVERITIES[Severity.ERROR - severity]


def finding(violation: Violation, locate: SourceMap) -> Finding:
    """The finding for a violation; `locate` gives the file and line of each of its lines.

    A violation without a line is about the recording as a whole.
    """
    trace, line = locate(violation.line)
    last_trace, last_line = locate(violation.last_line)

    def shown(at: int) -> int | str:
        path, there = locate(at)
        return there if path == trace else f"{there} of {path}"

    headline, advice = violation.words(shown)
    return Finding(
        rule=violation.rule.code,
        name=violation.rule.name,
        severity=named(violation.severity),
        party=violation.party,
        message=f"{headline}; {advice}",
        headline=headline,
        help=advice,
        trace=trace,
        line=line or None,
        last_line=(last_line if last_trace == trace else line) or None,
        count=violation.count,
        connection=violation.connection or None,
        request_id=violation.request_id,
        side=violation.side,
        session_id=violation.session_id,
        evidence=[_evidence(trace, *locate(at), what) for at, what in violation.evidence],
        method=violation.what or None,
        author=violation.author,
        since_s=violation.since,
        fingerprint=fingerprint(violation),
        known=False,
    )


def _evidence(trace: str, path: str, line: int, what: str) -> Evidence:
    if path == trace:
        return Evidence(line, what)
    return EvidenceElsewhere(line, what, path)


def fingerprint(violation: Violation) -> str:
    """What two findings of the same fault share: no file name, id, line or time, so it survives a new recording."""
    from hashlib import sha256  # noqa: PLC0415  (it loads OpenSSL, which a recording without findings does not need)

    method = violation.request.method if violation.request is not None else ""
    parts = (violation.rule.code, violation.party, method, violation.role or "", violation.what)
    return sha256("\0".join(parts).encode(errors="surrogatepass")).hexdigest()


def new(findings: Iterable[Finding]) -> dict[str, int]:
    """How many there are of each severity, without those that a baseline knows."""
    counts = Counter(each.severity for each in findings if not each.known)
    return {each: counts[each] for each in SEVERITIES}


def order(each: Finding) -> tuple[bool, str, bool, int, str, str]:
    """The sort key: by trace, line and rule; no trace, and within a trace no line, comes last."""
    return each.trace is None, each.trace or "", each.line is None, each.line or 0, each.rule, each.session_id or ""
