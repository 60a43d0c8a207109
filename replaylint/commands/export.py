"""`--export FORMAT=PATH`: the report in further formats, each in a file of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from replaylint.commands.files import STANDARD_OUTPUT, check_output, is_replaced, write_file
from replaylint.commands.output import OutputError, complain
from replaylint.errors import UnknownNameError, UsageError
from replaylint.render import FORMATS, renderer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from replaylint.render.view import View
    from replaylint.report.model import Report


class Export(NamedTuple):
    """A format and the file that it goes to."""

    form: str
    path: str


def exports(
    given: Iterable[str], is_input: Callable[[str], bool], others: Iterable[str] = (), *, force: bool = False
) -> list[Export]:
    """What these texts mean; none may be an input, nor one of these other files.

    Raises UsageError, and OutputError where a file is not written to without `force`.
    """
    taken = {os.path.realpath(path) for path in others}
    found: list[Export] = []
    for text in given:
        form, sign, path = text.partition("=")
        if not sign or not path:
            raise UsageError(f"{text!r} is no export: write FORMAT=PATH, such as sarif=replaylint.sarif")
        if path == STANDARD_OUTPUT:
            raise UsageError(f"{text!r}: standard output is for --format; name a file")
        if "\0" in path:
            raise UsageError(f"{text!r}: no file has such a name")
        if form.lower() not in FORMATS:
            raise UnknownNameError("format", form, FORMATS)
        if is_input(path):
            raise UsageError(f"{path!r} is read and would be lost: name another file")
        check_output(path, force=force)
        if is_replaced(path):
            real = os.path.realpath(path)
            if real in taken:
                raise UsageError(f"{path!r} is read or written already: name another file")
            taken.add(real)
        found.append(Export(form.lower(), path))
    return found


def write_exports(report: Report, view: View, exports: Iterable[Export], *, force: bool = False) -> bool:
    """Write these files, each whole or not at all; whether one could not be written."""
    plain = view._replace(width=None, colour=False, unicode=True)
    failed = False
    for each in exports:
        try:
            write_file(each.path, renderer(each.form).render(report, plain), force=force)
        except OutputError as error:
            complain(str(error))
            failed = True
    return failed
