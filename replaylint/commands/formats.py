"""`replaylint formats`: which recordings are read."""

from __future__ import annotations

from typing import Annotated, Literal

import typer
from orjson import OPT_INDENT_2, dumps

from replaylint.commands import terminal
from replaylint.commands.output import write
from replaylint.commands.usage import Help  # noqa: TC001  (typer looks at it)
from replaylint.recording.formats import every_format
from replaylint.render.formats import entry, listing, table

Form = Literal["text", "json", "markdown"]


def formats(
    form: Annotated[Form, typer.Option("--format", "-f", help="How to print the list.")] = "text",
    color: Annotated[terminal.When, typer.Option(help="Text: whether to colour; auto: on a terminal only.")] = "auto",
    usage: Help = False,  # noqa: ARG001
) -> int:
    """List the recording formats, each with what its lines look like. They are recognised; no option is needed.

    Exit status: 0.
    """
    entries = [entry(each) for each in every_format()]
    if form == "json":
        write([dumps([each._asdict() for each in entries], option=OPT_INDENT_2) + b"\n"])
    elif form == "markdown":
        write([table(entries) + "\n"])
    else:
        write(listing(terminal.view(color), entries))
    return 0
