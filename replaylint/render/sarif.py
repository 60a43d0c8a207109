"""`sarif`: SARIF 2.1.0, which GitHub code scanning, editors and other tools read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html says what is in it, and
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support what GitHub makes of it.
Known findings are suppressed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from replaylint.render.ascii_json import dumped, listed
from replaylint.render.escape import printable
from replaylint.render.rulebook import pages, sections
from replaylint.render.view import View
from replaylint.report.distinct import distinct
from replaylint.report.findings import named
from replaylint.report.rulebook import entries
from replaylint.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.report.model import Finding, ReadError, Report
    from replaylint.report.rulebook import Entry

    Object = dict[str, object]

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}

FINGERPRINT: Final = "replaylint/v1"
"""A key of our own: GitHub's `primaryLocationLineHash` is a hash of the line, which GitHub's upload adds itself."""

ROOT: Final = "%SRCROOT%"
"""What relative paths are relative to. It is left to the reader where that is."""


def render(report: Report, view: View) -> Iterator[bytes]:  # noqa: ARG001
    """One run. A rule or a result is a line: there may be many."""
    occurring = {finding.rule for finding in report.findings}
    rules = entries(rule for rule in all_rules() if rule.code in occurring)
    indices = {entry.rule.code: index for index, entry in enumerate(rules)}
    fingerprints = distinct(finding.fingerprint for finding in report.findings)
    results = (
        _result(finding, fingerprint, indices)
        for finding, fingerprint in zip(report.findings, fingerprints, strict=True)
    )
    yield b'{"$schema": ' + dumped(SCHEMA) + b', "version": "2.1.0", "runs": [{\n'
    yield b'"tool": {"driver": {"name": ' + dumped(report.tool.name) + b', "version": ' + dumped(report.tool.version)
    yield b', "rules": '
    yield from listed(map(_rule, rules))
    yield b'}},\n"invocations": ' + dumped([_invocation(report)]) + b',\n"results": '
    yield from listed(results)
    yield b"}]}\n"


# What was looked for


def _rule(entry: Entry) -> Object:
    rule, text, _ = entry
    described: Object = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": text.summary},
        "fullDescription": {"text": text.meaning.split("\n\n")[0]},  # GitHub takes 1024 characters; the help has all
        "help": {"text": "".join(pages(View(), [entry])), "markdown": "".join(sections([entry]))},
        "properties": {"party": rule.party, "severities": [named(each) for each in rule.severities]},
    }
    source = re.match(r"https?://[^\s,]+", text.source)
    if source is not None:
        described["helpUri"] = source[0]
    if rule.severities:
        described["defaultConfiguration"] = {"level": LEVELS[named(rule.severities[0])]}
    return described


# What was found


def _result(finding: Finding, fingerprint: str, indices: dict[str, int]) -> Object:
    result: Object = {
        "ruleId": finding.rule,
        "level": LEVELS[finding.severity],
        "message": _message(finding.message),
        "locations": _locations(finding.trace, finding.line, finding.last_line),
        "relatedLocations": [
            location
            for evidence in finding.evidence
            for location in _locations(getattr(evidence, "trace", finding.trace), evidence.line, what=evidence.what)
        ],
        "partialFingerprints": {FINGERPRINT: fingerprint},
        "properties": {
            "party": finding.party,
            "count": finding.count,
            "connection": finding.connection,
            "request_id": finding.request_id,
            "session_id": finding.session_id,
        },
    }
    if finding.rule in indices:  # not so in the report of another version
        result["ruleIndex"] = indices[finding.rule]
    if finding.known:
        result["suppressions"] = [{"kind": "external", "justification": "known from the baseline"}]
    return result


def _invocation(report: Report) -> Object:
    """Whether everything could be read."""
    errors = [_notification(trace.path, trace.error) for trace in report.traces if trace.error is not None]
    return {"executionSuccessful": not errors, "toolExecutionNotifications": errors}


def _notification(path: str, error: ReadError) -> Object:
    return {
        "descriptor": {"id": error.code},
        "level": "error",
        "message": _message(error.message),
        "locations": _locations(path, error.line),
    }


def _locations(path: str | None, line: int | None, last: int | None = None, what: str | None = None) -> list[Object]:
    if path is None:
        return []
    physical: Object = {"artifactLocation": _artifact(path)}
    if line is not None:
        physical["region"] = {"startLine": line, "endLine": max(line, last or line)}
    location: Object = {"physicalLocation": physical}
    if what is not None:
        location["message"] = _message(what)
    return [location]


@cache  # findings are many, their paths are few
def _artifact(path: str) -> Object:
    if PurePath(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(PurePath(path).as_posix(), errors="surrogatepass"), "uriBaseId": ROOT}


def _message(text: str) -> Object:
    """A plain text in which nothing is a link: `[…](…)` would be one."""
    return {"text": printable(text).replace("](", r"]\x28")}
