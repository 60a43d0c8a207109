"""`replaylint check`: lint recordings and report. It is what `replaylint` does without another command."""

# Annotations are no strings here: typer would compile each of them at every start.
import gc
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from replaylint import __version__
from replaylint.commands import COMMANDS, terminal
from replaylint.commands.output import PROGRAM, complain, write
from replaylint.commands.usage import list_commands
from replaylint.render import Format, renderer
from replaylint.render.escape import printable
from replaylint.report.findings import SEVERITIES
from replaylint.report.lint import lint

if TYPE_CHECKING:
    from replaylint.report.model import Report


def _version(wanted: bool) -> None:
    if wanted:
        write([f"{PROGRAM} {__version__}\n"])
        raise typer.Exit


def _help(context: typer.Context, wanted: bool) -> None:
    if wanted:
        write([context.get_help() + "\n", *list_commands()])
        raise typer.Exit


def check(
    traces: Annotated[
        list[str] | None, typer.Argument(metavar="TRACE...", help="Recordings; - is standard input.")
    ] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to print the report.")] = "text",
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE[,RULE]", help="Report these rules only: a code, a name, or a prefix such as RL2."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="RULE[,RULE]", help="Do not report these rules.")] = None,
    severity: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE=LEVEL[,RULE=LEVEL]",
            help="How grave findings of a rule are: error, warning or info. Of several, the last one counts.",
        ),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OUTCOME[,OUTCOME]",
            help="Report every replay with another outcome than these, and recordings without a resume, as errors.",
        ),
    ] = None,
    fail_on: Annotated[
        Literal["error", "warning", "info", "never"],
        typer.Option(help="Exit with 1 for findings of this severity or above."),
    ] = "error",
    eof: Annotated[
        Literal["open", "closed"],
        typer.Option(help="What the end of a recording means: nothing, or that its connections ended."),
    ] = "open",
    input_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The format of the recordings, instead of the one that they look like."),
    ] = None,
    concat: Annotated[bool, typer.Option("--concat", help="The recordings are parts of one, in this order.")] = False,
    client_file: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="What the client sent, where each side was recorded apart."),
    ] = None,
    agent_file: Annotated[
        str | None, typer.Option(metavar="FILE", help="What the agent sent; goes with --client-file.")
    ] = None,
    max_line: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Skip longer lines, and report them: bytes, or with a unit (256MiB)."),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Text: show every resume, however many there are.")] = False,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Text: show only the resumes of this session or child.")
    ] = None,
    resume: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Text: show only the resume of this number.")
    ] = None,
    color: Annotated[terminal.When, typer.Option(help="Text: whether to colour; auto: on a terminal only.")] = "auto",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print findings only.")] = False,
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit."),
    ] = False,
    usage: Annotated[  # noqa: ARG001
        bool,
        typer.Option("--help", callback=_help, is_eager=True, help="Print this and exit."),
    ] = False,
) -> int:
    """Say how every session/resume and session/load in recordings of the Agent Client Protocol ended.

    How long the client waited for the response although it had the whole history, and what broke the order.

    Exit status: 0 clean, 1 findings at or above --fail-on, 2 an input could not be read or the call was wrong.
    """
    # Nothing here makes cycles that grow with the input; the collector only walks the report again and again.
    gc.disable()
    if (client_file is None) != (agent_file is None):
        raise typer.BadParameter("--client-file and --agent-file belong together")
    if not traces and client_file is None:
        raise typer.BadParameter("name a recording (TRACE), or - for standard input")
    report = lint(
        traces or [],
        closed=eof == "closed",
        select=select or None,
        ignore=ignore or None,
        severity=severity or None,
        expect=expect or None,
        input_format=input_format,
        concat=concat,
        client_file=client_file,
        agent_file=agent_file,
        max_line=max_line,
    )
    failed = _complain_of_inputs(report)
    view = terminal.view(color)._replace(quiet=quiet, everything=everything, session=session, resume=resume)
    write(renderer(form).render(report, view))
    return 2 if failed else int(_failing(report, fail_on))


def _complain_of_inputs(report: "Report") -> bool:
    """Say which inputs could not be read to their end; whether there was one."""
    failed = False
    for trace in report.traces:
        error = trace.error
        if error is None:
            continue
        failed = True
        line = f":{error.line}" if error.line is not None else ""
        complain(f"{printable(trace.path)}{line}: {printable(error.message)}{_meant(trace.path, error.code)}")
    return failed


def _meant(path: str, code: str) -> str:
    """A file that is not there, with a name like a command's."""
    if code != "not-found":
        return ""
    from difflib import get_close_matches  # noqa: PLC0415

    near = get_close_matches(path, COMMANDS, 1)
    return f"; did you mean the command {near[0]}?" if near else ""


def _failing(report: "Report", fail_on: str) -> bool:
    if fail_on == "never":
        return False
    grave = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return any(report.summary.findings[severity] for severity in grave)
