"""The file of a baseline: which findings a project knows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from orjson import OPT_APPEND_NEWLINE, OPT_INDENT_2, dumps

from replaylint.errors import UsageError
from replaylint.report.findings import SEVERITIES
from replaylint.report.model import Baseline, BaselineEntry, Tool
from replaylint.report.saved import loaded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.report.model import Finding, Report

SCHEMA_VERSION: Final = 1

MAX_BYTES: Final = 16 << 20
"""Of the file: room for 50,000 entries, and there are a few hundred faults that one can tell apart."""


@dataclass(slots=True)
class File:
    """What the file holds, as its JSON has it: an entry a fingerprint, by rule."""

    schema_version: int
    tool: Tool
    findings: list[BaselineEntry]


class Known(NamedTuple):
    """The entries of a baseline, by fingerprint. `path` is that of its file, as it is shown."""

    path: str
    entries: dict[str, BaselineEntry]


def load(path: str, shown: str) -> Known:
    """The baseline in this file. Raises UsageError."""
    if not os.path.lexists(path):
        raise UsageError(f"{shown}: there is no such baseline; --write-baseline writes one")
    file = loaded(path, File, "baseline", SCHEMA_VERSION, MAX_BYTES)
    return Known(shown, _merged(file.findings))


def entries(report: Report, old: Known | None = None) -> list[BaselineEntry]:
    """What a baseline has to hold that knows every finding of this report, an entry for each fingerprint.

    Of the one that it was held against, everything stays that is not told to be gone: what this run did not look for,
    and what exceptions left out.
    """
    found = _merged(
        BaselineEntry(each.fingerprint, each.rule, each.name, each.severity, each.party, 1) for each in report.findings
    )
    told = found.keys() | {each.fingerprint for each in (report.baseline.gone if report.baseline is not None else ())}
    kept = () if old is None else (each for each in old.entries.values() if each.fingerprint not in told)
    return [*_merged([*found.values(), *kept]).values()]


def accept(report: Report, path: str, old: Known | None = None) -> bytes:
    """The file that knows every finding of this report; and known they are from now on.

    `path`: as it is shown; `old`: what the report was held against.
    """
    content = File(SCHEMA_VERSION, report.tool, entries(report, old))
    for each in report.findings:
        each.known = True
    for of in (report.summary, *report.summary.groups):
        of.known = sum(of.findings.values())
    gone = report.baseline.gone if report.baseline is not None else []
    report.baseline = Baseline(path, len(report.findings), gone)
    return dumps(content, option=OPT_INDENT_2 | OPT_APPEND_NEWLINE)


def _merged(entries: Iterable[BaselineEntry]) -> dict[str, BaselineEntry]:
    """By rule, then by fingerprint: one for each, as grave as the gravest."""
    merged: dict[str, BaselineEntry] = {}
    for each in sorted(entries, key=lambda entry: (entry.rule, entry.fingerprint)):
        same = merged.setdefault(each.fingerprint, each)
        if same is not each:
            same.severity = min(same, each, key=rank).severity
            same.count += each.count
    return merged


def rank(of: Finding | BaselineEntry) -> int:
    """0 for the gravest."""
    return SEVERITIES.index(of.severity)
