"""The options of `check`: those of `lint`, and what the command line alone takes; as typer and the guide have them."""

# Annotations are no strings here: they are what an option is declared by.
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter
from typing import Annotated, Any, Final, Literal, get_args

import typer

from replaylint.commands.terminal import When
from replaylint.policies.options import Option, Options, declared
from replaylint.policies.severities import Level
from replaylint.render import Format


class CheckOptions(Options):
    """What `check` takes: the command line gives all of them, None for what is not set."""

    format: Annotated[Format, Option("output", "How to print the report.", default="text", short="-f")]
    export: Annotated[
        list[str] | None,
        Option(
            "output",
            "Write the report to a file, too, in this format; repeatable.",
            metavar="FORMAT=PATH",
            settable=False,
        ),
    ]
    force: Annotated[
        bool,
        Option("output", "Write files through links and over read-only ones, too.", settable=False),
    ]
    fail_on: Annotated[
        Level,
        Option("findings", "Exit with 1 for findings of this severity or above.", default="error", takes_away=True),
    ]
    eof: Annotated[
        Literal["open", "closed"],
        Option(
            "findings", "What the end of a recording means: nothing, or that its connections ended.", default="open"
        ),
    ]
    statistics: Annotated[
        bool,
        Option("timings", "Text, csv: statistics over all resumes, instead of each resume.", settable=False),
    ]
    timeline: Annotated[
        bool,
        Option("details", "Text: what came when in each session of a resume.", settable=False),
    ]
    write_baseline: Annotated[
        str | None,
        Option("baseline", "Write the findings to this file, and take them for known.", metavar="FILE", settable=False),
    ]
    all: Annotated[
        bool,
        Option("text", "Text: show every resume, however many there are."),
    ]
    session: Annotated[
        str | None,
        Option("text", "Text: show only the resumes of this session or child.", metavar="ID", settable=False),
    ]
    resume: Annotated[
        int | None,
        Option("text", "Text: show only the resume of this number.", metavar="N", minimum=1, settable=False),
    ]
    color: Annotated[When, Option("text", "Text: whether to colour; auto: on a terminal only.", default="auto")]
    quiet: Annotated[bool, Option("text", "Text, concise, markdown: findings only.", short="-q")]
    verbose: Annotated[
        bool, Option("program", "Name every file that is passed over, not only the first five.", short="-v")
    ]
    no_settings: Annotated[bool, Option("program", "Read no settings file.", settable=False)]
    show_settings: Annotated[bool, Option("program", "Print what is set, and where, and exit.", settable=False)]
    version: Annotated[bool, Option("program", "Print the version and exit.", settable=False)]
    help: Annotated[bool, Option("program", "Print this and exit.", settable=False)]


OPTIONS: Final = declared(CheckOptions)
"""Every option, in the order in which lists have them."""

UNSET: Final[tuple[object, ...]] = (None, (), [])
"""How typer has what was not given."""


def spelled(name: str) -> str:
    """How settings call an option; on the command line `--` stands before it."""
    return name.replace("_", "-")


def parameters(callbacks: Mapping[str, Callable[..., object]]) -> Iterator[Parameter]:
    """What typer makes the options of; those with a callback act before it looks at the others."""
    for name, option in OPTIONS.items():
        *short, long = _spellings(name, option)
        made: Any = typer.Option(
            long,
            *short,
            help=option.help,
            metavar=option.metavar,
            min=option.minimum,
            show_default="/" not in long,
            callback=callbacks.get(name),
            is_eager=name in callbacks,
        )
        kind = option.kind if option.default is not None else option.kind | None
        yield Parameter(name, Parameter.KEYWORD_ONLY, default=option.default, annotation=Annotated[kind, made])


MAX_CHOICES_IN_A_CELL: Final = 5
"""More make a column that no terminal has room for."""


def table() -> Iterator[str]:
    """Every option as a row of a table in Markdown: how it is given, its key in settings, and what it does."""
    yield "| option | key | what it does |\n|---|---|---|\n"
    for name, option in OPTIONS.items():
        *short, long = _spellings(name, option)
        choices = get_args(option.kind)
        many = len(choices) > MAX_CHOICES_IN_A_CELL
        value = option.metavar or (name.upper() if many else "|".join(choices))
        given = ", ".join(f"`{each}`" for each in (*short, f"{long} {value}".rstrip())).replace("|", r"\|")
        setting = f"`{spelled(name)}`" if option.settable else ""
        listed = f" One of {', '.join(f'`{each}`' for each in choices)}." if many else ""
        default = f" Without it: `{option.default}`." if isinstance(option.default, str) else ""
        yield f"| {given} | {setting} | {option.help}{listed}{default} |\n"


def _spellings(name: str, option: Option) -> list[str]:
    """On the command line, the short one first. What settings may turn on can be turned off there."""
    off = f"/--no-{spelled(name)}" if option.kind is bool and option.settable else ""
    return [*filter(None, [option.short]), f"--{spelled(name)}{off}"]
