"""`--write-baseline FILE`: what is found now is known from now on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from replaylint.commands.files import STANDARD_OUTPUT, check_output, replace_file, version
from replaylint.commands.output import complain
from replaylint.errors import UsageError
from replaylint.policies.known import accept, entries, load
from replaylint.render.suppressions import counted_entries
from replaylint.report.paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Callable

    from replaylint.commands.files import Version
    from replaylint.policies.known import Known
    from replaylint.report.model import BaselineEntry, Report


class Update(NamedTuple):
    """A baseline that is to be written: its path, what is known so far, and the version that was there at first.

    Nothing is known where the baseline is that file, yet to come.
    """

    path: str
    old: Known | None
    seen: Version
    force: bool


def before(baseline: str | None, output: str, is_input: Callable[[str], bool], *, force: bool) -> Update:
    """Look at this file before it is to be written.

    Raises UsageError where something else than a baseline would be overwritten: a recording, say; and OutputError where
    the file is not written to without `force`.
    """
    if output == STANDARD_OUTPUT:
        raise UsageError("--write-baseline: standard output is for the report; name a file")
    if is_input(output):
        raise UsageError(f"{output!r} is read and would be lost: name another file")
    check_output(output, force=force)
    seen = version(output)
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
        baseline = None
    return Update(output, None if baseline is None else load(baseline, shown_path(baseline)), seen, force)


def save(report: Report, update: Update, *, whole: bool) -> None:
    """Write the file, say so, and mark every finding as known, unless an input could not be read.

    Raises OutputError.
    """
    shown = shown_path(update.path)
    if not whole:
        complain(f"{shown}: not written, for it would lack what could not be read")
        return
    old = update.old
    now = entries(report, old)
    replace_file(update.path, [accept(report, shown, old)], update.seen, force=update.force)
    complain(f"{shown}: written, {counted_entries(len(now))}{'' if old is None else _changes(report, now, old)}")


def _changes(report: Report, now: list[BaselineEntry], old: Known) -> str:
    new = sum(each.fingerprint not in old.entries for each in now)
    gone = 0 if report.baseline is None else len(report.baseline.gone)
    changes = [f"{number} {what}" for number, what in ((new, "new"), (gone, "gone")) if number]
    return f" ({', '.join(changes) or 'as before'})"
