"""From inputs to the report: the whole way, once for each input."""

from __future__ import annotations

import os
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from replaylint.analysis.folders import is_passed_over, recordings_in
from replaylint.analysis.multi_file import concatenated, two_sided
from replaylint.analysis.plan import Plan
from replaylint.analysis.run import Analysis, begun, counted, failed, new_report, new_trace, refuse
from replaylint.errors import RecordingError
from replaylint.policies.options import Options, given, keywords, spelled_out
from replaylint.recording.detect import Recording, recognise
from replaylint.recording.source import MAX_LINE, STANDARD_INPUT, Source
from replaylint.report.model import PassedOver
from replaylint.report.paths import shown_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from replaylint.analysis.run import Sink, Watch
    from replaylint.replay.events import Stream
    from replaylint.report.model import Report, Trace
    from replaylint.report.source_map import SourceMap


@spelled_out(keywords(Options))
def lint(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    closed: bool = False,
    watch: Watch | None = None,
    sink: Sink | None = None,
    **options: Unpack[Options],
) -> Report:
    """Lint these recordings, or this one; `-` is standard input. Of a folder, every recording in it is meant.

    `input_format` names their format where it is not to be recognised. `concat`: they are parts of one recording, in
    this order. `pass_over`: what is no recording is passed over as in a folder, unless it is called `.ndjson`.
    `client_file` and `agent_file` are one more recording: what each side sent, apart. A line
    longer than `max_line`, in bytes or with a unit (`"64 MiB"`), is skipped and reported; None: than 256 MiB.

    `closed`: where a recording stops, its connections ended. `select` and `ignore` name the rules whose findings are
    wanted and those whose are not, as on the command line, and so does `severity` say how grave those of a rule are:
    `"RL301=info"` or `{"RL301": "info"}`. `expect` names the outcomes that every replay should have one of. An input
    that cannot be read becomes a trace with an error.

    `max_gap`, `max_replay` and `max_total` bound every resume's figure of that name, in seconds or with a unit
    (`"500ms"`); `budget` bounds a figure of all of them (`"p95(response_gap)<2s"`), or several. `max_message` bounds
    every message, in bytes or with a unit. `group_by`, one of agent, client, file and session, adds the summary of each
    group.

    `exceptions` are tables as in the settings, of name, version, ignore, reason and until: the findings that they
    cover are left out and counted. Where `today` is past the date of one, that is a finding; without it none has
    expired. What is in the file `baseline` is marked as known. `watch` is for who looks on, as `views.timeline` does.
    A `sink` gets the resumes and findings of each recording as they become certain, and the report has none of them:
    it goes without what needs all of them, and without recordings in several files.

    An input that is named twice, also by its folder, is linted once, unless with `concat`.

    Raises ValueError for a name that there is not, and TypeError, both before anything is read.
    """
    if not isinstance(closed, bool):
        raise TypeError(f"closed has to be a bool, not {type(closed).__name__}")
    if watch is not None and not callable(watch):
        raise TypeError(f"watch has to be callable, not {type(watch).__name__}")
    if sink is not None and not all(callable(getattr(sink, name, None)) for name in ("resume", "finding")):
        raise TypeError(f"sink has to have methods resume and finding, unlike {type(sink).__name__}")
    names = [paths] if isinstance(paths, str | bytes | PathLike) else list(paths)
    inputs = [os.fsdecode(name) for name in names]
    return execute(planned(options), inputs, closed=closed, watch=watch, sink=sink)


def planned(options: Mapping[str, object]) -> Plan:
    """What these options mean. Raises ValueError and TypeError."""
    found = given(options)
    if not found:
        return Plan()
    from replaylint.analysis.parse import parse  # noqa: PLC0415  (a plain run asks for none of the policies)

    return parse(found)


def execute(
    plan: Plan, inputs: Sequence[str], *, closed: bool, watch: Watch | None = None, sink: Sink | None = None
) -> Report:
    """Lint these inputs as planned; the rest is as in `lint`. Raises ValueError where a sink is given and cannot do."""
    if sink is not None:
        sink = plan.filtered(sink)
    report = new_report()
    form, max_line, max_message = plan.input_format, plan.max_line, plan.max_message
    recordings: list[list[Trace]] = []
    if plan.concat and inputs:
        recordings.append(
            concatenated(
                report, inputs, form=form, closed=closed, max_line=max_line, max_message=max_message, watch=watch
            )
        )
    else:
        add = partial(
            _add, report, form=form, closed=closed, max_line=max_line, max_message=max_message, watch=watch, sink=sink
        )
        added: set[str] = set()
        for path in inputs:
            # pathlib would cost at start-up.
            if path != STANDARD_INPUT and os.path.isdir(path):  # noqa: PTH112
                recordings += [[each] for each in _add_folder(report, path, add, added)]
            elif _is_new(path, added):
                before = len(report.traces)
                every = add(path)
                if plan.pass_over:
                    every = _sifted(report, every, before, named=True)
                recordings += [[each] for each in every]
    if plan.sides is not None:
        recordings.append(
            two_sided(
                report, plan.sides, form=form, closed=closed, max_line=max_line, max_message=max_message, watch=watch
            )
        )
    return plan.finish(report, recordings)


def watched(path: str, subscribe: Callable[[Stream], object]) -> Report:
    """Lint one recording with a subscriber to its events, whose lines are those of the file: many may be on one."""
    report = new_report()

    def watch(stream: Stream, _locate: SourceMap) -> None:
        subscribe(stream)

    return Plan().finish(report, [_add(report, path, closed=False, watch=watch, numbered=False)])


def _add(
    report: Report,
    path: str,
    *,
    closed: bool,
    form: str | None = None,
    max_line: int = MAX_LINE,
    max_message: int | None = None,
    watch: Watch | None = None,
    sink: Sink | None = None,
    numbered: bool = True,
) -> list[Trace]:
    """Lint one recording, or those in one archive, as far as they can be read."""
    read = partial(
        _read, report, closed=closed, form=form, max_message=max_message, watch=watch, sink=sink, numbered=numbered
    )
    try:
        with Source(path, max_line) as source:
            return _add_members(report, source, read) if source.archive is not None else [read(source)]
    except RecordingError as error:
        trace = new_trace(shown_path(path))
        Analysis(report, trace, watch=watch, sink=sink)
        failed(trace, error)
        return [trace]


def _read(
    report: Report,
    source: Source,
    *,
    closed: bool,
    form: str | None,
    max_message: int | None,
    watch: Watch | None,
    sink: Sink | None,
    numbered: bool,
) -> Trace:
    trace = new_trace(shown_path(source.path))
    analysis = Analysis(report, trace, max_message=max_message, watch=watch, sink=sink)
    try:
        try:
            _run(analysis, trace, recognise(source, form), closed=closed, numbered=numbered)
        finally:
            trace.bytes = source.size
    except RecordingError as error:
        failed(trace, error)
    return trace


def _is_new(path: str, added: set[str]) -> bool:
    """Whether this input is none of those that were added, by its path; it is one of them from now on."""
    whole = path if path == STANDARD_INPUT else os.path.abspath(path)  # noqa: PTH100
    before = len(added)
    added.add(whole)
    return len(added) > before


def _add_folder(report: Report, folder: str, add: Callable[[str], list[Trace]], added: set[str]) -> list[Trace]:
    """Lint every recording below this folder. A folder without any is a trace of its own, with an error."""
    before = len(report.traces)
    paths = recordings_in(folder)
    every = [trace for path in paths if _is_new(path, added) for trace in add(path)]
    if paths and not every:
        return []
    return _some(report, folder, every, before, "is a folder without a recording in it")


def _add_members(report: Report, archive: Source, read: Callable[[Source], Trace]) -> list[Trace]:
    """The same for an archive, up to where it is damaged."""
    before = len(report.traces)
    every: list[Trace] = []
    damage: RecordingError | None = None
    try:
        every.extend(map(read, archive.members()))
    except RecordingError as error:
        damage = error
    if damage is None or every:
        every = _some(report, archive.path, every, before, "is an archive without a recording in it")
    if damage is not None:
        every.append(new_trace(shown_path(archive.path)))
        report.traces.append(every[-1])
        failed(every[-1], damage)
    return every


def _some(report: Report, path: str, every: list[Trace], before: int, without: str) -> list[Trace]:
    """The recordings among these; where there is none, an input of this path that says so."""
    found = _sifted(report, every, before)
    if not found:
        found = [new_trace(shown_path(path))]
        failed(found[0], RecordingError("directory", without))
        report.traces[before:] = found
    return found


def _sifted(report: Report, every: list[Trace], before: int, *, named: bool = False) -> list[Trace]:
    """The recordings among these, the only ones behind so many in the report: it names the others."""
    found = []
    for trace in every:
        error = trace.error
        if error is not None and is_passed_over(trace.path, error.code, error.message, named=named):
            report.passed_over_files.append(PassedOver(trace.path, error))
        else:
            found.append(trace)
    report.passed_over = len(report.passed_over_files)
    report.traces[before:] = found
    return found


def _run(
    analysis: Analysis,
    trace: Trace,
    recording: Recording,
    *,
    closed: bool,
    numbered: bool,
) -> None:
    messages = begun(trace, recording)
    engine = analysis.engine
    whole = False
    try:
        analysis.run(analysis.numbered(messages) if recording.many_per_line and numbered else messages)
        whole = True
    finally:
        counted(trace, recording.progress)
        trace.longest_message_bytes = engine.measured()
        if engine.other_protocol is None:
            analysis.finish(closed=closed, whole=whole)
    refuse(engine)
