"""`replaylint check`: lint recordings and report. It is what `replaylint` does without another command."""

# Annotations are no strings here: typer would compile each of them at every start.
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from replaylint.analysis.lint import lint
from replaylint.commands import terminal
from replaylint.commands.inputs import complain_of, is_read
from replaylint.commands.output import PROGRAM, complain, write
from replaylint.commands.settings_discovery import files
from replaylint.commands.usage import list_commands
from replaylint.render import Format, renderer
from replaylint.report.findings import SEVERITIES
from replaylint.report.model import GroupBy
from replaylint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from replaylint.commands.settings import Settings
    from replaylint.policies.baseline import Known
    from replaylint.report.model import Report
    from replaylint.views.quotes import Place, Quote
    from replaylint.views.redaction import Redactor
    from replaylint.views.timeline import Timelines


def _version(wanted: bool) -> None:
    if wanted:
        write([f"{PROGRAM} {__version__}\n"])
        raise typer.Exit


def _help(context: typer.Context, wanted: bool) -> None:
    if wanted:
        write([context.get_help() + "\n", *list_commands()])
        raise typer.Exit


def _today() -> "date":
    from datetime import date  # noqa: PLC0415

    return date.today()


def _settings(context: typer.Context, unwanted: bool) -> bool:
    """They are defaults: what is given on the command line comes before them."""
    for path in () if unwanted else files():
        from replaylint.commands.settings import read  # noqa: PLC0415

        found = read(path, context)
        if found is not None:
            context.obj, context.default_map = found, found.values
            break
    return unwanted


def check(
    context: typer.Context,
    traces: Annotated[
        list[str] | None,
        typer.Argument(metavar="TRACE...", help="Recordings, or folders of them; - is standard input."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to print the report.")] = "text",
    export: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMAT=PATH", help="Write the report to a file, too, in this format; repeatable."),
    ] = None,
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
    max_gap: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="Report response gaps longer than this (2s, 500ms) as errors."),
    ] = None,
    max_replay: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Report replays longer than this as errors.")
    ] = None,
    max_total: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Report resumes that take longer than this as errors.")
    ] = None,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BUDGET", help="Report it as an error if all replays together exceed this: p95(response_gap)<2s."
        ),
    ] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Text, csv: what all resumes came to, instead of each.")
    ] = False,
    group_by: Annotated[
        GroupBy | None, typer.Option(help="Text, csv, json: the statistics of each group, too.")
    ] = None,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Text: what came when in each session of a resume.")
    ] = False,
    baseline: Annotated[
        str | None, typer.Option(metavar="FILE", help="Do not fail for the findings that are known from this file.")
    ] = None,
    write_baseline: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the findings to this file, and take them for known.")
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all/--no-all", show_default=False, help="Text: show every resume, however many there are."),
    ] = False,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="Text: show only the resumes of this session or child.")
    ] = None,
    resume: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Text: show only the resume of this number.")
    ] = None,
    color: Annotated[terminal.When, typer.Option(help="Text: whether to colour; auto: on a terminal only.")] = "auto",
    quiet: Annotated[
        bool,
        typer.Option("--quiet/--no-quiet", "-q", show_default=False, help="Text, concise, markdown: findings only."),
    ] = False,
    no_settings: Annotated[  # noqa: ARG001
        bool,
        typer.Option("--no-settings", callback=_settings, is_eager=True, help="Read no settings file."),
    ] = False,
    show_settings: Annotated[
        bool, typer.Option("--show-settings", help="Print what is set, and where, and exit.")
    ] = False,
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
    found: Settings | None = context.obj
    if show_settings:
        from replaylint.commands.settings import in_force  # noqa: PLC0415

        write(in_force(context, found))
        return 0
    exceptions = [] if found is None else found.exceptions
    if (client_file is None) != (agent_file is None):
        raise typer.BadParameter("--client-file and --agent-file belong together")
    if not traces and client_file is None:
        raise typer.BadParameter("name a recording (TRACE), or - for standard input")
    statistics |= group_by is not None
    if statistics:
        _check_statistics(form, filtered=session is not None or resume is not None)
    timelines = None
    if timeline:
        timelines = _timelines(form, statistics=statistics, quiet=quiet and _is_given(context, "quiet"))
        quiet = False
    inputs = [*(traces or []), client_file, agent_file, None if found is None else found.path]
    is_input = partial(is_read, inputs=[*filter(None, inputs)], form=input_format)
    wanted, old = [], None
    known: str | Known | None = baseline
    if export:
        from replaylint.commands.export import exports  # noqa: PLC0415

        wanted = exports(export, is_input, filter(None, [baseline, write_baseline]))
    if write_baseline is not None:
        from replaylint.commands.baseline import before  # noqa: PLC0415

        known = old = before(baseline, write_baseline, is_input)
    linted = partial(
        lint,
        traces or [],
        closed=eof == "closed",
        select=select or None,
        ignore=ignore or None,
        severity=severity or None,
        input_format=input_format,
        max_line=max_line,
    )
    needs_all = (
        *(expect or None, budget or None, exceptions or None, wanted or None, concat or None),
        *(max_gap, max_replay, max_total, known, write_baseline, client_file),
    )
    if form == "ndjson" and all(each is None for each in needs_all):
        from replaylint.commands.stream import streamed  # noqa: PLC0415

        failed, counts = streamed(linted)
        return 2 if failed else int(_failing(counts.elements(), fail_on))
    report = linted(
        expect=expect or None,
        concat=concat,
        client_file=client_file,
        agent_file=agent_file,
        max_gap=max_gap,
        max_replay=max_replay,
        max_total=max_total,
        budget=budget or None,
        group_by=group_by,
        exceptions=exceptions,
        today=_today() if exceptions else None,
        baseline=known,
        watch=timelines.begin if timelines is not None else None,
    )
    failed = complain_of(report)
    if write_baseline is not None:
        from replaylint.commands.baseline import save  # noqa: PLC0415

        save(report, write_baseline, old, whole=not failed)
    view = terminal.view(color)._replace(
        quiet=quiet, everything=everything, statistics=statistics, session=session, resume=resume, quotes=_quotes
    )
    if timelines is not None:
        view = view._replace(timelines=timelines.of(report))
    if (report.baseline is not None or report.exceptions) and not _tells(form, quiet=quiet):
        from replaylint.render.suppressions import beside  # noqa: PLC0415

        for each in beside(report, updated=write_baseline is not None):
            complain(each)
    if wanted:
        from replaylint.commands.export import write_exports  # noqa: PLC0415

        # Before the results: these may go to a full disk.
        failed |= write_exports(report, view, wanted)
    write(renderer(form).render(report, view))
    return 2 if failed else int(_failing((each.severity for each in report.findings if not each.known), fail_on))


def _check_statistics(form: str, *, filtered: bool) -> None:
    if form not in {"text", "json", "csv"}:
        raise typer.BadParameter(f"statistics are for --format text, json and csv, not {form}")
    if filtered:
        raise typer.BadParameter("statistics count all resumes: they go without --session and --resume")


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether this parameter stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _timelines(form: str, *, statistics: bool, quiet: bool) -> "Timelines":
    if form != "text":
        raise typer.BadParameter(f"--timeline is for --format text, not {form}")
    if statistics:
        raise typer.BadParameter("--timeline shows each resume: it goes without --statistics and --group-by")
    if quiet:
        raise typer.BadParameter("--timeline shows each resume: it goes without --quiet")
    from replaylint.views.timeline import Timelines  # noqa: PLC0415

    return Timelines()


def _tells(form: str, *, quiet: bool) -> bool:
    """Whether the results say what a baseline and exceptions changed."""
    return form in {"json", "markdown"} or (form == "text" and not quiet)


def _quotes(report: "Report", redactor: "Redactor", places: "Iterable[Place]") -> "Mapping[Place, Quote]":
    from replaylint.views.quotes import quotes  # noqa: PLC0415

    return quotes(report, redactor, places)


def _failing(severities: "Iterable[str]", fail_on: str) -> bool:
    if fail_on == "never":
        return False
    grave = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
    return any(each in grave for each in severities)
