"""The command line: wires the commands to typer and turns every end into an exit status."""

from __future__ import annotations

import sys
from typing import cast

import typer

from replaylint.commands.check import NAME, check
from replaylint.commands.output import PROGRAM, OutputError, complain

ClickError = cast("type[typer.BadParameter]", typer.BadParameter.__mro__[2])
"""What typer raises for a call that is wrong; it has no public name for it."""

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
app.command(NAME, add_help_option=False)(check)


def main() -> int:
    """Run the command line; returns the exit status: `check` has 0, 1 and 2, and Ctrl-C is 130."""
    arguments = sys.argv[1:]
    if arguments[:1] == [NAME]:
        del arguments[0]
    try:
        return int(app(args=arguments, prog_name=PROGRAM, standalone_mode=False) or 0)
    except ClickError as error:
        complain(f"{error.format_message()} ({PROGRAM} --help shows what it takes)")
    except OutputError as error:
        complain(str(error))
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except Exception as error:
        complain(f"internal error: {type(error).__name__}: {error}; please report it with the recording, if you may")
    return 2
