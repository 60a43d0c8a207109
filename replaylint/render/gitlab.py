"""`gitlab`: a Code Quality report, which GitLab compares with the target branch's in a merge request.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format says what is in it. Known findings are left
out, and those on all recordings are at the first one; what settings may have taken away is an entry, so that a merge
request shows where that changes.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Final

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render.address import address
from replaylint.render.distinct import distinct
from replaylint.render.escape import listed, printable
from replaylint.render.suppressions import of_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Finding, ReadError, Report, SettingsUsed

# "minor" is for matters of taste: a broken SHOULD is more than that.
SEVERITIES: Final = {"error": "critical", "warning": "major", "info": "info"}

UNREADABLE: Final = "blocker"
"""What could not be read may hide anything."""


def render(report: Report, view: View) -> Iterator[bytes]:
    """An array with an object for each recording that could not be read and for each finding, and one for settings."""
    yield from listed(_entries(report, view))
    yield b"\n"


def _entries(report: Report, view: View) -> Iterator[dict[str, object]]:
    first = report.traces[0].path if report.traces else STANDARD_INPUT

    def path_of(trace: str | None) -> str:
        return address(trace or STANDARD_INPUT, view.checkout)

    errors = [(path_of(trace.path), trace.error) for trace in report.traces if trace.error is not None]
    names = distinct(_identity(path, f"unreadable:{error.code}") for path, error in errors)
    for (path, error), name in zip(errors, names, strict=True):
        yield _unreadable(path, error, name)
    if report.settings is not None:
        yield _settings(report.settings, address(report.settings.path, view.checkout))
    paths = [path_of(finding.trace) for finding in report.findings]
    fingerprints = distinct(map(_identity, paths, (finding.fingerprint for finding in report.findings)))
    for finding, path, fingerprint in zip(report.findings, paths, fingerprints, strict=True):
        if not finding.known:  # they are numbered all the same, so that a baseline does not change other fingerprints
            yield _finding(finding, path if finding.trace is not None else path_of(first), fingerprint)


def _identity(path: str, what: str) -> str:
    """A fingerprint of this recording alone: a further recording changes no other fingerprint."""
    return sha256(f"{path}\0{what}".encode(errors="surrogatepass")).hexdigest()


def _finding(finding: Finding, path: str, fingerprint: str) -> dict[str, object]:
    return {
        "description": printable(finding.message),
        "check_name": f"{finding.rule} {finding.name}",
        "fingerprint": fingerprint,
        "severity": SEVERITIES[finding.severity],
        "location": _location(path, finding.line),
    }


def _unreadable(path: str, error: ReadError, fingerprint: str) -> dict[str, object]:
    return {
        "description": printable(error.message),
        "check_name": "unreadable recording",
        "fingerprint": fingerprint,
        "severity": UNREADABLE,
        "location": _location(path, error.line),
    }


def _settings(settings: SettingsUsed, path: str) -> dict[str, object]:
    text = f"settings {of_settings(settings)}"
    return {
        "description": printable(text),
        "check_name": "settings",
        "fingerprint": _identity(path, f"settings:{text}"),
        "severity": SEVERITIES["info"],
        "location": _location(path, None),
    }


def _location(path: str, line: int | None) -> dict[str, object]:
    """GitLab requires a line, so findings on a recording as a whole are at its first line."""
    return {"path": path, "lines": {"begin": line or 1}}
