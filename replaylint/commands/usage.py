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
"""The type of an option that prints a command's help: typer's own falls over a reader that has gone away."""


def list_commands() -> Iterator[str]:
    """For a help text: every command, a line each."""
    width = max(map(len, COMMANDS))
    yield f"\nCommands ({PROGRAM} COMMAND --help shows what each takes):\n"
    for name, what in COMMANDS.items():
        yield f"  {name:<{width}}  {what}\n"
