"""`sarif`: SARIF 2.1.0, which GitHub code scanning, editors and other tools read.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html says what is in it, and
https://docs.github.com/en/code-security/reference/code-scanning/sarif-files/sarif-support what GitHub makes of it:
it takes no result without a file and a line, shows results that are suppressed, and knows a result again only by
`primaryLocationLineHash`. So findings on a recording as a whole are at its first line, and findings on all of them at
the first line of the first; known findings are left out; and that hash is made of the finding, not of the line's text,
with which it would be another one in each recording.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from hashlib import sha256
from itertools import takewhile
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render.address import address
from replaylint.render.distinct import distinct
from replaylint.render.escape import dumped, listed, printable
from replaylint.render.phrases import counted
from replaylint.render.rulebook import pages, sections
from replaylint.render.suppressions import of_settings
from replaylint.render.view import View
from replaylint.report.findings import SEVERITIES, named
from replaylint.rules import all_rules
from replaylint.views.rulebook import entries

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replaylint.report.model import Finding, ReadError, Report, SettingsUsed
    from replaylint.views.rulebook import Entry

    Object = dict[str, object]
    Identified = tuple[Finding, Object]
    """A finding and its fingerprints."""

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}

INFORMATION: Final = "https://agentclientprotocol.com/"
"""What the rules are about: the tool has no page of its own."""

PRECISIONS: Final = {"error": "very-high", "warning": "high", "info": "medium"}
"""How rarely a rule is wrong, by its usual severity: what is not certain is no error."""
PROBLEMS: Final = {"error": "error", "warning": "warning", "info": "recommendation"}
"""What GitHub calls each severity."""

FINGERPRINT: Final = "replaylint/v1"
GITHUB_FINGERPRINT: Final = "primaryLocationLineHash"
HASH_DIGITS: Final = 16
"""Of the hash, as GitHub has them."""

ROOT: Final = "%SRCROOT%"
"""What relative paths are relative to; the reader knows where that is."""
ROOTS: Final = {ROOT: {"description": {"text": "The root of the repository, or else the working folder."}}}

MAX_RESULTS: Final = 25_000
"""GitHub rejects a run with more results."""


def render(report: Report, view: View) -> Iterator[bytes]:
    """One run, with a line for each rule and each result."""
    first = report.traces[0].path if report.traces else None
    identified = zip(report.findings, _fingerprints(view, report.findings), strict=True)
    new = [each for each in identified if not each[0].known]
    kept = _most_severe(new)
    indices = {rule.code: index for index, rule in enumerate(all_rules())}
    results = (_result(view, finding, fingerprints, indices, first) for finding, fingerprints in kept)
    invocation = _invocation(view, report, known=len(report.findings) - len(new), left_out=len(new) - len(kept))
    driver = {
        "name": report.tool.name,
        "fullName": f"{report.tool.name} {report.tool.version}",
        "version": report.tool.version,
        "informationUri": INFORMATION,
    }
    run = {"automationDetails": {"id": _category(report, view)}, "originalUriBaseIds": ROOTS}
    yield b'{"$schema": ' + dumped(SCHEMA) + b', "version": "2.1.0", "runs": [{\n'
    yield b'"tool": {"driver": ' + dumped(driver).removesuffix(b"}") + b', "rules": '
    yield _rules()
    yield b"}},\n" + dumped(run)[1:-1] + b',\n"invocations": ' + dumped([invocation]) + b',\n"results": '
    yield from listed(results)
    yield b"}]}\n"


def _category(report: Report, view: View) -> str:
    """By what readers tell runs apart: the path that all inputs share, so that runs over others replace nothing.

    With the slash at its end the whole of it is the category, and nothing names the single run.
    """
    inputs = view.inputs or [trace.path for trace in report.traces]
    levels = zip(*(_parts(address(path, view.checkout)) for path in inputs), strict=False)
    shared = takewhile(lambda names: len(set(names)) == 1, levels)
    return "/".join([report.tool.name, *(printable(name) for name, *_ in shared), ""])


def _parts(path: str) -> tuple[str, ...]:
    """Of an absolute path only the name: the rest is of this machine."""
    pure = PurePath(path)
    return (pure.name,) if pure.is_absolute() else pure.parts


# What was looked for


@cache  # they are the same in each report
def _rules() -> bytes:
    return b"".join(listed(map(_rule, entries(all_rules()))))


def _rule(entry: Entry) -> Object:
    rule, text, _ = entry
    usual = named(rule.severities[0]) if rule.severities else "error"  # those without are limits of the user's own
    described: Object = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": text.summary},
        "fullDescription": {"text": text.meaning.split("\n\n")[0]},  # GitHub takes 1024 characters; the help has all
        "help": {"text": "".join(pages(View(), [entry])), "markdown": "".join(sections([entry]))},
        "properties": {
            "tags": ["agent-client-protocol", *([rule.party] if rule.party is not None else [])],
            "precision": PRECISIONS[usual],
            "problem.severity": PROBLEMS[usual],
            "party": rule.party,
            "severities": [named(each) for each in rule.severities],
        },
        "defaultConfiguration": {"level": LEVELS[usual]},
    }
    source = re.match(r"https?://[^\s,]+", text.source)
    if source is not None:
        described["helpUri"] = source[0]
    return described


# What was found


def _fingerprints(view: View, findings: Sequence[Finding]) -> Iterator[Object]:
    """Our own, and for GitHub one of this recording alone: a further recording changes no other.

    Equal ones are numbered, also known ones: so a baseline changes no other.
    """
    counts: Counter[str] = Counter()
    for finding, own in zip(findings, distinct(each.fingerprint for each in findings), strict=True):
        fault = f"{address(finding.trace or STANDARD_INPUT, view.checkout)}\0{finding.fingerprint}"
        hash_ = sha256(fault.encode(errors="surrogatepass")).hexdigest()[:HASH_DIGITS]
        counts[hash_] += 1
        yield {FINGERPRINT: own, GITHUB_FINGERPRINT: f"{hash_}:{counts[hash_]}"}


def _most_severe(found: list[Identified]) -> list[Identified]:
    """All of them in report order. Where they are too many, the most severe."""
    if len(found) <= MAX_RESULTS:
        return found
    return sorted(found, key=lambda each: SEVERITIES.index(each[0].severity))[:MAX_RESULTS]


def _result(view: View, finding: Finding, fingerprints: Object, indices: dict[str, int], first: str | None) -> Object:
    """`first` is the first recording, for a finding on all of them."""
    path = finding.trace or first
    result: Object = {
        "ruleId": finding.rule,
        "level": LEVELS[finding.severity],
        "message": {"text": _text(finding.message) + _links(finding)},
        "locations": [] if path is None else [_location(view, path, finding.line or 1, finding.last_line)],
        "relatedLocations": [
            {
                "id": number,
                **_location(view, getattr(evidence, "trace", finding.trace) or STANDARD_INPUT, evidence.line),
                "message": {"text": _text(evidence.what)},
            }
            for number, evidence in enumerate(finding.evidence, 1)
        ],
        "partialFingerprints": fingerprints,
        "properties": {
            "party": finding.party,
            "count": finding.count,
            "connection": finding.connection,
            "request_id": finding.request_id,
            "session_id": finding.session_id,
        },
    }
    if finding.rule in indices:  # a report of another version may have other rules
        result["ruleIndex"] = indices[finding.rule]
    return result


def _links(finding: Finding) -> str:
    """The evidence as links in a message: otherwise GitHub does not show related locations."""
    links = []
    for number, evidence in enumerate(finding.evidence, 1):
        there = getattr(evidence, "trace", None)
        file = "" if there is None else f" of {_text(there)}"
        links.append(f"[line {evidence.line}]({number}){file} {_text(evidence.what)}")
    return f" (evidence: {', '.join(links)})" if links else ""


def _invocation(view: View, report: Report, *, known: int, left_out: int) -> Object:
    """Whether everything could be read, how many findings are left out, and what settings may have taken away."""
    errors = [_unreadable(view, trace.path, trace.error) for trace in report.traces if trace.error is not None]
    invocation: Object = {
        "executionSuccessful": not errors,
        "toolExecutionNotifications": [
            *errors,
            *([_known(known)] if known else []),
            *([_more(left_out)] if left_out else []),
        ],
    }
    if report.settings is not None:
        invocation["toolConfigurationNotifications"] = [_settings(view, report.settings)]
    return invocation


def _settings(view: View, settings: SettingsUsed) -> Object:
    return {
        "descriptor": {"id": "settings"},
        "level": "note",
        "message": {"text": _text(f"settings {of_settings(settings)}")},
        "locations": [_location(view, settings.path, None)],
    }


def _unreadable(view: View, path: str, error: ReadError) -> Object:
    return {
        "descriptor": {"id": error.code},
        "level": "error",
        "message": {"text": _text(error.message)},
        "locations": [_location(view, path, error.line)],
    }


def _known(findings: int) -> Object:
    text = f"not shown: {counted(findings, 'finding')} known from the baseline"
    return {"descriptor": {"id": "known-findings"}, "level": "note", "message": {"text": text}}


def _more(left_out: int) -> Object:
    text = f"{counted(left_out, 'finding')} more; GitHub takes {MAX_RESULTS:,} in a file, other formats list them all"
    return {"descriptor": {"id": "too-many-findings"}, "level": "warning", "message": {"text": text}}


def _location(view: View, path: str, line: int | None, last: int | None = None) -> Object:
    physical: Object = {"artifactLocation": _artifact(address(path, view.checkout))}
    if line is not None:
        physical["region"] = {"startLine": line, "endLine": max(line, last or line)}
    return {"physicalLocation": physical}


@cache  # findings are many, their paths are few
def _artifact(path: str) -> Object:
    if PurePath(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(path, errors="surrogatepass"), "uriBaseId": ROOT}


def _text(text: str) -> str:
    """A plain text in which nothing is a link or begins one, `[…](…)`, also together with our own links."""
    closed, bracket, rest = printable(text).replace("](", r"]\x28").rpartition("]")
    return closed + bracket + rest.replace("[", r"\x5b")
