"""The recordings that a command reads: whether a file is one of them, and which could not be read to their end."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from replaylint.analysis.folders import ANOTHER_PROTOCOL, recordings_in
from replaylint.commands import COMMANDS
from replaylint.commands.output import complain
from replaylint.errors import RecordingError
from replaylint.policies.names import known_format
from replaylint.recording.detect import NOT_A_RECORDING, recognise
from replaylint.recording.source import STANDARD_INPUT, Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.report.model import Report

MAX_NAMED: Final = 5
"""Files that were passed over: more are only counted."""


def is_read(output: str, inputs: Iterable[str], form: str | None = None) -> bool:
    """Whether this file is one of these inputs, by whatever name: also one in a folder, if it is a recording.

    `form` is the name of their format, if it was given. Raises UnknownNameError where there is no such.
    """
    return os.path.isfile(output) and any(_holds(path, output, form) for path in inputs)  # noqa: PTH113


def _holds(path: str, output: str, form: str | None) -> bool:
    if path == STANDARD_INPUT or not os.path.isdir(path):  # noqa: PTH112
        return _is_one_file(0 if path == STANDARD_INPUT else path, output)
    # What is no recording, such as an earlier report, is passed over.
    return any(_is_one_file(each, output) and _is_recording(each, form) for each in recordings_in(path))


def _is_one_file(path: str | int, output: str) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.stat(output))  # noqa: PTH116
    except (OSError, ValueError):
        return False


def _is_recording(path: str, form: str | None) -> bool:
    try:
        with Source(path) as source:
            recognise(source, form and known_format(form))
    except RecordingError as error:
        return error.code != NOT_A_RECORDING
    return True


def complain_of(report: Report, *, verbose: bool = False) -> bool:
    """Say which inputs could not be read to their end, and what was passed over; whether there is one of the former.

    `verbose`: name every file that was passed over, not only the first ones.
    """
    failed = False
    for trace in report.traces:
        error = trace.error
        if error is None:
            continue
        failed = True
        line = f":{error.line}" if error.line is not None else ""
        complain(f"{trace.path}{line}: {error.message}{_meant(trace.path, error.code)}")
    others = [each for each in report.passed_over_files if each.error.code == ANOTHER_PROTOCOL]
    paths = [each.path for each in report.passed_over_files if each.error.code != ANOTHER_PROTOCOL]
    most = None if verbose else MAX_NAMED
    for each in others[:most]:
        complain(f"passed over {each.path}: {each.error.message}")
    if more := len(others[most:] if most else ()):
        complain(f"passed over {more} more of other protocols (-v names all)")
    if paths:
        are = "file that is no recording" if len(paths) == 1 else "files that are no recordings"
        more = len(paths[most:] if most else ())
        rest = f" and {more} more (-v names all)" if more else ""
        complain(f"passed over {len(paths)} {are}: {', '.join(paths[:most])}{rest}")
    return failed


def _meant(path: str, code: str) -> str:
    """A file that is not there, with a name like a command's."""
    if code != "not-found":
        return ""
    near = get_close_matches(path, COMMANDS, 1)
    return f"; did you mean the command {near[0]}?" if near else ""
