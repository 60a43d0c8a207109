"""`github`: workflow commands, which GitHub Actions turns into annotations.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands says how they look. Known findings
are left out.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render.escape import printable
from replaylint.render.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Finding, ReadError, Report

COMMANDS: Final = {"error": "error", "warning": "warning", "info": "notice"}

SHOWN: Final = 10
"""So many annotations of each command GitHub shows for a step:
https://github.com/actions/toolkit/blob/main/docs/problem-matchers.md#limitations"""


def render(report: Report, view: View) -> Iterator[bytes]:  # noqa: ARG001
    """The gravest first, as many as are shown; a last notice says how many more there are."""
    found: dict[str, list[bytes]] = {command: [] for command in COMMANDS.values()}
    found["error"] += [_unreadable(trace.path, trace.error) for trace in report.traces if trace.error is not None]
    for finding in report.findings:
        if not finding.known:
            command = COMMANDS[finding.severity]
            found[command].append(_annotation(command, finding))
    room = dict.fromkeys(found, SHOWN)
    if any(len(lines) > SHOWN for lines in found.values()):
        room["notice"] -= 1
    for command, lines in found.items():
        yield from lines[: room[command]]
    more = [
        counted(len(lines) - room[command], command) for command, lines in found.items() if len(lines) > room[command]
    ]
    if more:
        message = (
            f"{' and '.join(more)} more; GitHub shows {SHOWN} of each kind for a step, other formats list them all"
        )
        yield _command("notice", "replaylint", message)


def _annotation(command: str, finding: Finding) -> bytes:
    title = f"{finding.rule} {finding.name}"
    return _command(command, title, finding.message, finding.trace, finding.line, finding.last_line)


def _unreadable(path: str, error: ReadError) -> bytes:
    return _command("error", f"unreadable recording ({error.code})", error.message, path, error.line)


def _command(
    command: str, title: str, message: str, path: str | None = None, line: int | None = None, last: int | None = None
) -> bytes:
    places: dict[str, object] = {}
    if path is None or path == STANDARD_INPUT:
        message = message if line is None else f"line {line}: {message}"
    else:
        places["file"] = PurePath(path).as_posix()
        if line is not None:
            places["line"] = line
        if line is not None and last is not None and last > line:
            places["endLine"] = last
    places["title"] = title
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items())
    return f"::{command} {properties}::{_data(message)}\n".encode()


def _data(text: str) -> str:
    """The documented escapes; of a line end, which is another one, `printable` leaves nothing."""
    return printable(text).replace("%", "%25")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
