"""`replaylint check`: lint recordings and report. It is what `replaylint` does without another command."""

# Annotations are no strings here: typer would compile each of them at every start.
from collections import Counter
from datetime import date
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Unpack, cast

import typer

from replaylint.analysis.lint import execute, planned
from replaylint.commands import terminal
from replaylint.commands.inputs import complain_of, is_read
from replaylint.commands.options import UNSET, CheckOptions, parameters
from replaylint.commands.output import PROGRAM, Output, complain, write
from replaylint.commands.settings_discovery import files
from replaylint.commands.usage import list_commands
from replaylint.policies.options import Options, spelled_out
from replaylint.policies.severities import Level, failing
from replaylint.render import renderer
from replaylint.report.paths import shown_path
from replaylint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from replaylint.commands import baseline, export, settings
    from replaylint.render import ndjson, suppressions
    from replaylint.report.model import Report, SettingsUsed
    from replaylint.views import quotes, timeline
    from replaylint.views.quotes import Place, Quote
    from replaylint.views.redaction import Redactor
else:

    class _Late:
        """A module that a plain run has no use for, and which is imported when something is taken from it."""

        def __init__(self, name: str) -> None:
            self._name = name

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(f"replaylint.{self._name}"), name)

    baseline, export, settings = _Late("commands.baseline"), _Late("commands.export"), _Late("commands.settings")
    ndjson, suppressions = _Late("render.ndjson"), _Late("render.suppressions")
    quotes, timeline = _Late("views.quotes"), _Late("views.timeline")


def _version(asked: bool) -> None:
    if asked:
        write([f"{PROGRAM} {__version__}\n"])
        raise typer.Exit


def _help(context: typer.Context, asked: bool) -> None:
    if asked:
        write([context.get_help() + "\n", *list_commands()])
        raise typer.Exit


def _settings(context: typer.Context, without: bool) -> bool:
    """They are defaults: what is given on the command line comes before them."""
    for path in () if without else files():
        found = settings.read(path)
        if found is not None:
            context.obj, context.default_map = found, found.values
            break
    return without


@spelled_out(parameters({"no_settings": _settings, "version": _version, "help": _help}))
def check(
    context: typer.Context,
    traces: Annotated[
        list[str] | None,
        typer.Argument(metavar="TRACE...", help="Recordings, or folders of them; - is standard input."),
    ] = None,
    **options: Unpack[CheckOptions],
) -> int:
    """Say how every session/resume and session/load in recordings of the Agent Client Protocol ended.

    How long the client waited for the response although it had the whole history, and what broke the order.

    Exit status: 0 clean, 1 findings at or above --fail-on, 2 an input could not be read or the call was wrong.
    """
    found: settings.Settings | None = context.obj
    if options["show_settings"]:
        write(settings.in_force(context, found))
        return 0
    form, quiet, output, force = options["format"], options["quiet"], options["write_baseline"], options["force"]
    paths = options["client_file"], options["agent_file"], options["baseline"]
    client, agent, known = (cast("str | None", each) for each in paths)
    if (client is None) != (agent is None):
        raise typer.BadParameter("--client-file and --agent-file belong together")
    if not traces and client is None:
        raise typer.BadParameter("name a recording (TRACE), or - for standard input")
    statistics = options["statistics"] or options["group_by"] is not None
    if statistics:
        _check_statistics(form, filtered=options["session"] is not None or options["resume"] is not None)
    timelines = None
    if options["timeline"]:
        _check_timeline(form, statistics=statistics, quiet=quiet and _is_given(context, "quiet"))
        timelines, quiet = timeline.Timelines(), False
    inputs = [*(traces or []), client, agent, None if found is None else found.path]
    is_input = partial(is_read, inputs=[*filter(None, inputs)], form=options["input_format"])
    exports, update = [], None
    asked = {name: options.get(name) for name in Options.__annotations__ if options.get(name) not in UNSET}
    if options["export"]:
        exports = export.exports(options["export"], is_input, filter(None, [known, output]), force=force)
    if output is not None:
        update = baseline.before(known, output, is_input, force=force)
        asked["baseline"] = update.old
    if found is not None and found.exceptions:
        asked |= {"exceptions": found.exceptions, "today": date.today()}
    plan = planned(asked)
    run = partial(execute, plan, traces or [], closed=options["eof"] == "closed")
    taken = None if found is None else settings.used(context, found)
    if form == "ndjson" and plan.streams and not exports and output is None:
        failed, counts = _streamed(run, taken, verbose=options["verbose"])
        return _status(failed, counts, options["fail_on"])
    report = run(watch=timelines.begin if timelines is not None else None)
    report.settings = taken
    failed = complain_of(report, verbose=options["verbose"])
    if update is not None:
        baseline.save(report, update, whole=not failed)
    view = terminal.view(options["color"])._replace(
        quiet=quiet,
        everything=options["all"],
        statistics=statistics,
        session=options["session"],
        resume=options["resume"],
        timelines=timelines.of(report) if timelines is not None else None,
        quotes=_quotes,
        inputs=[shown_path(each) for each in traces or filter(None, [client, agent])],
    )
    if report.baseline is not None or report.exceptions or taken is not None:
        for each in suppressions.beside(report, form, quiet=quiet, updated=output is not None):
            complain(each)
    if exports:
        # Before the results: these may go to a full disk.
        failed |= export.write_exports(report, view, exports, force=force)
    write(renderer(form).render(report, view))
    return _status(failed, Counter(each.severity for each in report.findings if not each.known), options["fail_on"])


def _status(unread: bool, severities: Counter[str], level: Level) -> int:
    """What the run exits with: `severities` counts the findings that no baseline knows."""
    return 2 if unread else int(any(severities[each] for each in failing(level)))


def _streamed(
    run: "Callable[..., Report]", taken: "SettingsUsed | None", *, verbose: bool
) -> tuple[bool, Counter[str]]:
    """Print everything as it becomes certain: nothing is kept that was printed. `taken`: what the settings took away.

    Returns whether an input could not be read to its end, and how many findings there are, by severity. Raises
    OutputError.
    """
    output = Output()

    def put(line: bytes) -> None:
        output.put(line)
        output.flush()  # who waits for it sees it

    stream = ndjson.Stream(put)
    report = run(sink=stream)
    report.settings = taken
    failed = complain_of(report, verbose=verbose)
    stream.end(report)
    return failed, stream.failing


def _check_statistics(form: str, *, filtered: bool) -> None:
    if form not in {"text", "json", "csv"}:
        raise typer.BadParameter(f"statistics are for --format text, json and csv, not {form}")
    if filtered:
        raise typer.BadParameter("statistics count all resumes: they go without --session and --resume")


def _check_timeline(form: str, *, statistics: bool, quiet: bool) -> None:
    if form != "text":
        raise typer.BadParameter(f"--timeline is for --format text, not {form}")
    if statistics:
        raise typer.BadParameter("--timeline shows each resume: it goes without --statistics and --group-by")
    if quiet:
        raise typer.BadParameter("--timeline shows each resume: it goes without --quiet")


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether this parameter stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _quotes(report: "Report", redactor: "Redactor", places: "Iterable[Place]") -> "Mapping[Place, Quote]":
    return quotes.quotes(report, redactor, places)
