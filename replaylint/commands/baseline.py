"""`--write-baseline FILE`: what is found now is known from now on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from replaylint.commands.files import STANDARD_OUTPUT, write_file
from replaylint.commands.output import complain
from replaylint.report.analysis import shown_path
from replaylint.report.baseline import accept, load
from replaylint.report.names import WrongName

if TYPE_CHECKING:
    from replaylint.report.model import Report


def before(baseline: str | None, output: str) -> str | None:
    """The baseline to go by, where this one is to be written: None for the same file, which is yet to come.

    Raises WrongName where something else than a baseline would be overwritten: a recording, say.
    """
    if output == STANDARD_OUTPUT:
        raise WrongName("--write-baseline: standard output is for the report; name a file")
    try:
        empty = not os.path.getsize(output)  # noqa: PTH202
    except (OSError, ValueError):  # there is none; else whoever writes it says what is wrong
        empty = True
    if not empty:
        try:
            load(output, shown_path(output))
        except WrongName as error:
            raise WrongName(f"{error}; only a baseline is overwritten") from error
    elif baseline is not None and os.path.realpath(baseline) == os.path.realpath(output):
        return None
    return baseline


def save(report: Report, output: str, *, whole: bool) -> None:
    """Write this file, and mark every finding as known, unless an input could not be read. Raises OutputError."""
    if whole:
        write_file(output, [accept(report, shown_path(output))])
    else:
        complain(f"{output}: not written, for it would lack what could not be read")
