"""`gitlab`: a Code Quality report, which GitLab compares with the target branch's in a merge request.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format says what is in it. Known findings are left
out.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render.ascii_json import listed
from replaylint.render.escape import printable
from replaylint.report.distinct import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Finding, ReadError, Report

# Of GitLab's five, "minor" is left for matters of taste: a broken SHOULD is none.
SEVERITIES: Final = {"error": "critical", "warning": "major", "info": "info"}

UNREADABLE: Final = "blocker"
"""What could not be read hides all the rest."""


def render(report: Report, view: View) -> Iterator[bytes]:  # noqa: ARG001
    """An array with an object for each recording that could not be read and for each finding."""
    yield from listed(_entries(report))
    yield b"\n"


def _entries(report: Report) -> Iterator[dict[str, object]]:
    errors = [(trace.path, trace.error) for trace in report.traces if trace.error is not None]
    names = distinct(f"unreadable:{error.code}" for _, error in errors)
    for (path, error), name in zip(errors, names, strict=True):
        yield _unreadable(path, error, name)
    fingerprints = distinct(finding.fingerprint for finding in report.findings)
    for finding, fingerprint in zip(report.findings, fingerprints, strict=True):
        if not finding.known:  # but numbered: a baseline changes nothing about the others
            yield _finding(finding, fingerprint)


def _finding(finding: Finding, fingerprint: str) -> dict[str, object]:
    return {
        "description": printable(finding.message),
        "check_name": f"{finding.rule} {finding.name}",
        "fingerprint": fingerprint,
        "severity": SEVERITIES[finding.severity],
        "location": _location(finding.trace, finding.line),
    }


def _unreadable(path: str, error: ReadError, fingerprint: str) -> dict[str, object]:
    return {
        "description": printable(error.message),
        "check_name": "unreadable recording",
        "fingerprint": fingerprint,
        "severity": UNREADABLE,
        "location": _location(path, error.line),
    }


def _location(path: str | None, line: int | None) -> dict[str, object]:
    """Both are required, so what concerns a recording as a whole stands at its first line."""
    return {"path": PurePath(path or STANDARD_INPUT).as_posix(), "lines": {"begin": line or 1}}
