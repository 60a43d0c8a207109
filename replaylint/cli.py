"""The command line: wires the commands to typer and turns every end into an exit status."""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import TYPE_CHECKING, cast

import typer

from replaylint.commands import COMMANDS, DEFAULT
from replaylint.commands.output import PROGRAM, OutputError, complain
from replaylint.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ClickError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
"""What typer raises for a call that is wrong; it has no public name for it."""


def main(arguments: Sequence[str] | None = None, ready: Callable[[], object] | None = None) -> int:
    """Run the command line with these arguments, or those of the process; it never exits.

    `ready` is called when all is imported. Returns the exit status: the command's own, 2 for a wrong call, 130 for
    Ctrl-C.
    """
    command, program, rest = DEFAULT, PROGRAM, list(sys.argv[1:] if arguments is None else arguments)
    if rest and rest[0] in COMMANDS:
        command = rest.pop(0)
        if command != DEFAULT:
            program += f" {command}"
            gc.enable()  # `check` makes no cycles that grow with its input
    try:
        app = _app(command)
        if ready is not None:
            ready()
        return int(app(args=rest, prog_name=program, standalone_mode=False) or 0)
    except ClickError as error:
        complain(f"{error.format_message()} ({program} --help shows what it takes)")
    except (UsageError, OutputError) as error:
        complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        complain(f"internal error: {type(error).__name__}: {error}; please report it with the recording, if you may")
    return 2


def _app(command: str) -> typer.Typer:
    """The command alone: the modules of the others are not imported."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    function = getattr(import_module(f"replaylint.commands.{command}"), command)
    app.command(command, add_help_option=False)(function)
    return app
