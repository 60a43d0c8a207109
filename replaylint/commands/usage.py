"""What every command takes, and which commands there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from replaylint.commands import COMMANDS
from replaylint.commands.output import PROGRAM, write

if TYPE_CHECKING:
    from collections.abc import Iterator


def _help(context: typer.Context, wanted: bool) -> None:
    if wanted:
        write([context.get_help() + "\n"])
        raise typer.Exit


Help = Annotated[bool, typer.Option("--help", callback=_help, is_eager=True, help="Print this and exit.")]
"""The `--help` option of a command: typer's own fails when the reader has gone away."""


def list_commands() -> Iterator[str]:
    """A line for each command, for a help text."""
    width = max(map(len, COMMANDS))
    yield f"\nCommands ({PROGRAM} COMMAND --help shows what each takes):\n"
    for name, what in COMMANDS.items():
        yield f"  {name:<{width}}  {what}\n"
