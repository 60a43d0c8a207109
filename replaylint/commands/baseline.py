"""`--write-baseline FILE`: what is found now is known from now on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from replaylint.commands.files import STANDARD_OUTPUT, write_file
from replaylint.commands.output import complain
from replaylint.errors import UsageError
from replaylint.policies.known import accept, entries, load
from replaylint.render.suppressions import counted_entries
from replaylint.report.paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from replaylint.policies.known import Known
    from replaylint.report.model import BaselineEntry, Report


def before(baseline: str | None, output: str, is_input: Callable[[str], bool]) -> Known | None:
    """What is known so far, where this file is to be written: None where the baseline is that file, yet to come.

    Raises UsageError where something else than a baseline would be overwritten: a recording, say.
    """
    if output == STANDARD_OUTPUT:
        raise UsageError("--write-baseline: standard output is for the report; name a file")
    if is_input(output):
        raise UsageError(f"{output!r} is read and would be lost: name another file")
    try:
        empty = not os.path.getsize(output)  # noqa: PTH202
    except (OSError, ValueError):  # there is none; else whoever writes it says what is wrong
        empty = True
    if not empty:
        try:
            load(output, shown_path(output))
        except UsageError as error:
            raise UsageError(f"{error}; only a baseline is overwritten") from error
    elif baseline is not None and os.path.realpath(baseline) == os.path.realpath(output):
        return None
    return None if baseline is None else load(baseline, shown_path(baseline))


def save(report: Report, output: str, old: Known | None, *, whole: bool) -> None:
    """Write this file, say so, and mark every finding as known, unless an input could not be read.

    Raises OutputError.
    """
    shown = shown_path(output)
    if not whole:
        complain(f"{shown}: not written, for it would lack what could not be read")
        return
    now = entries(report, old)
    write_file(output, [accept(report, shown, old)])
    complain(f"{shown}: written, {counted_entries(len(now))}{'' if old is None else _changes(report, now, old)}")


def _changes(report: Report, now: list[BaselineEntry], old: Known) -> str:
    new = sum(each.fingerprint not in old.entries for each in now)
    gone = 0 if report.baseline is None else len(report.baseline.gone)
    changes = [f"{number} {what}" for number, what in ((new, "new"), (gone, "gone")) if number]
    return f" ({', '.join(changes) or 'as before'})"
