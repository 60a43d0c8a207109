"""`github`: workflow commands, which GitHub Actions turns into annotations.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands says how they look. Known findings
are left out; what settings may have taken away is a notice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render.address import address
from replaylint.render.escape import printable
from replaylint.render.phrases import counted
from replaylint.render.suppressions import of_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Finding, ReadError, Report

COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}

SETTINGS: Final = "replaylint settings"

MAX_ANNOTATIONS: Final = 10
"""How many annotations of each command GitHub shows for a step:
https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md#limitations"""

MAX_MESSAGE_UNITS: Final = 4096
"""How many UTF-16 units of a message, after unescaping, GitHub's runner keeps:
https://github.com/actions/runner/blob/main/src/Runner.Worker/ExecutionContext.cs (_maxIssueMessageLength)"""


def render(report: Report, view: View) -> Iterator[bytes]:
    """The most severe first, as many as GitHub shows; a last notice says how many more there are."""
    found: dict[str, list[bytes]] = {command: [] for command in COMMANDS.values()}
    errors = [(trace.path, trace.error) for trace in report.traces if trace.error is not None]
    found["error"] += [_unreadable(view, path, error) for path, error in errors]
    if report.settings is not None:
        message = f"settings {of_settings(report.settings)}"
        found["notice"].append(_command(view, "notice", SETTINGS, message, report.settings.path))
    for finding in report.findings:
        if not finding.known:
            command = COMMANDS[finding.severity]
            found[command].append(_annotation(view, command, finding))
    room = dict.fromkeys(found, MAX_ANNOTATIONS)
    if any(len(lines) > MAX_ANNOTATIONS for lines in found.values()):
        room["notice"] -= 1
    for command, lines in found.items():
        yield from lines[: room[command]]
    more = [
        counted(len(lines) - room[command], command) for command, lines in found.items() if len(lines) > room[command]
    ]
    if more:
        limit = f"GitHub shows {MAX_ANNOTATIONS} of each kind for a step, other formats list them all"
        message = f"{' and '.join(more)} more; {limit}"
        yield _command(view, "notice", "replaylint", message)


def _annotation(view: View, command: str, finding: Finding) -> bytes:
    title = f"{finding.rule} {finding.name}"
    return _command(view, command, title, finding.message, finding.trace, finding.line, finding.last_line)


def _unreadable(view: View, path: str, error: ReadError) -> bytes:
    return _command(view, "error", f"unreadable recording ({error.code})", error.message, path, error.line)


def _command(
    view: View,
    command: str,
    title: str,
    message: str,
    path: str | None = None,
    line: int | None = None,
    last: int | None = None,
) -> bytes:
    places: dict[str, object] = {}
    if path is None or path == STANDARD_INPUT:
        message = message if line is None else f"line {line}: {message}"
    else:
        places["file"] = address(path, view.checkout)
        if line is not None:
            places["line"] = line
        if line is not None and last is not None and last > line:
            places["endLine"] = last
    places["title"] = title
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items())
    return f"::{command} {properties}::{_data(_cut(printable(message)))}\n".encode()


def _cut(text: str) -> str:
    """As much of it as GitHub keeps, with its length at the end where it is cut."""
    units = text.encode("utf-16-le")
    if len(units) <= 2 * MAX_MESSAGE_UNITS:
        return text
    end = f"\N{HORIZONTAL ELLIPSIS} ({len(text):,} characters)"
    return units[: 2 * (MAX_MESSAGE_UNITS - len(end))].decode("utf-16-le", errors="ignore") + end


def _data(text: str) -> str:
    """With the documented escapes; line ends were escaped by `printable`."""
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
