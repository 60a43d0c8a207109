"""From inputs to the report: the whole way, once for each input."""

from __future__ import annotations

import os
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING

from replaylint.analysis.options import Wanted, finished, wanted
from replaylint.analysis.run import Analysis, begun, failed, new_report, new_trace, refuse, shown_path
from replaylint.errors import RecordingError, UnknownNameError
from replaylint.recording.detect import NOT_A_RECORDING, Recording, recognise
from replaylint.recording.source import MAX_LINE, STANDARD_INPUT, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date

    from replaylint.analysis.run import Begin, Sink
    from replaylint.policies.baseline import Known
    from replaylint.replay.events import Stream
    from replaylint.report.model import Report, Trace


def lint(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    closed: bool = False,
    select: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    severity: str | Iterable[str] | Mapping[str, str] | None = None,
    expect: str | Iterable[str] | None = None,
    input_format: str | None = None,
    concat: bool = False,
    client_file: str | PathLike[str] | None = None,
    agent_file: str | PathLike[str] | None = None,
    max_line: int | str | None = None,
    max_gap: float | str | None = None,
    max_replay: float | str | None = None,
    max_total: float | str | None = None,
    budget: str | Iterable[str] | None = None,
    group_by: str | None = None,
    exceptions: Iterable[Mapping[str, object]] | None = None,
    today: date | str | None = None,
    baseline: str | PathLike[str] | Known | None = None,
    watch: Begin | None = None,
    sink: Sink | None = None,
) -> Report:
    """Lint these recordings, or this one; `-` is standard input. Of a folder, every recording in it is meant.

    `input_format` names their format where it is not to be recognised. `concat`: they are parts of one recording, in
    this order. `client_file` and `agent_file` are one more recording: what each side sent, apart. A line
    longer than `max_line`, in bytes or with a unit (`"64 MiB"`), is skipped and reported; None: than 256 MiB.

    `closed`: where a recording stops, its connections ended. `select` and `ignore` name the rules whose findings are
    wanted and those whose are not, as on the command line, and so does `severity` say how grave those of a rule are:
    `"RL301=info"` or `{"RL301": "info"}`. `expect` names the outcomes that every replay should have one of. An input
    that cannot be read becomes a trace with an error.

    `max_gap`, `max_replay` and `max_total` bound every resume's figure of that name, in seconds or with a unit
    (`"500ms"`); `budget` bounds a figure of all of them (`"p95(response_gap)<2s"`), or several. `group_by`, one of
    agent, client, file and session, adds the summary of each group.

    `exceptions` are tables as in the settings, of name, version, ignore, reason and until: the findings that they
    cover are left out and counted. Where `today` is past the date of one, that is a finding; without it none has
    expired. What is in the file `baseline` is marked as known. `watch` is for who looks on, as `report.timeline` does.
    A `sink` gets the resumes and findings of each recording as they become certain, and the report has none of them:
    it goes without what needs all of them, and without recordings in several files.

    An input that is named twice, also by its folder, is linted once, unless with `concat`.

    Raises ValueError for a name that there is not, and TypeError, both before anything is read.
    """
    names = [paths] if isinstance(paths, str | bytes | PathLike) else list(paths)
    inputs = [os.fsdecode(name) for name in names]
    wishes = wanted(
        select=select,
        ignore=ignore,
        severity=severity,
        expect=expect,
        max_gap=max_gap,
        max_replay=max_replay,
        max_total=max_total,
        budget=budget,
        group_by=group_by,
        exceptions=exceptions,
        today=today,
        baseline=baseline,
    )
    form = None if input_format is None else known_format(input_format)
    longest = MAX_LINE
    if max_line is not None:
        from replaylint.policies.units import size_in_bytes  # noqa: PLC0415

        longest = size_in_bytes(max_line)
    report = new_report()
    recordings: list[list[Trace]] = []
    if concat and inputs:
        from replaylint.analysis.multi_file import concatenated  # noqa: PLC0415

        recordings.append(concatenated(report, inputs, form=form, closed=closed, max_line=longest, watch=watch))
    else:
        if sink is not None:
            sink = wishes.applied(sink)
        add = partial(_add, report, form=form, closed=closed, max_line=longest, watch=watch, sink=sink)
        added: set[str] = set()
        for path in inputs:
            # pathlib would cost at start-up.
            if path != STANDARD_INPUT and os.path.isdir(path):  # noqa: PTH112
                recordings += [[each] for each in _add_folder(report, path, add, added)]
            elif _is_new(path, added):
                recordings.append([add(path)])
    if client_file is not None and agent_file is not None:
        from replaylint.analysis.multi_file import two_sided  # noqa: PLC0415

        sides = os.fsdecode(client_file), os.fsdecode(agent_file)
        recordings.append(two_sided(report, sides, form=form, closed=closed, max_line=longest, watch=watch))
    elif client_file is not None or agent_file is not None:
        raise ValueError("client_file and agent_file belong together")
    return finished(report, wishes, recordings)


def known_format(name: str) -> str:
    """The name of a format, whatever its case. Raises UnknownNameError."""
    from replaylint.recording.formats import every_format  # noqa: PLC0415

    names = [form.NAME for form in every_format()]
    if name.lower() not in names:
        raise UnknownNameError("format", name, names)
    return name.lower()


def watched(path: str, subscribe: Callable[[Stream], object]) -> Report:
    """Lint one recording with a subscriber to its events, whose lines are those of the file: many may be on one."""
    report = new_report()
    begin: Begin = lambda stream, _: subscribe(stream)  # noqa: E731
    return finished(report, Wanted(), [[_add(report, path, closed=False, watch=begin, numbered=False)]])


def _add(
    report: Report,
    path: str,
    *,
    closed: bool,
    form: str | None = None,
    max_line: int = MAX_LINE,
    watch: Begin | None = None,
    sink: Sink | None = None,
    numbered: bool = True,
) -> Trace:
    """Lint one recording, as far as it can be read."""
    trace = new_trace(shown_path(path))
    analysis = Analysis(report, trace, watch=watch, sink=sink)
    try:
        with Source(path, max_line) as source:
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


def _add_folder(report: Report, folder: str, add: Callable[[str], Trace], added: set[str]) -> list[Trace]:
    """Lint every recording below this folder. A folder without any is a trace of its own, with an error."""
    from replaylint.analysis.folders import recordings_in  # noqa: PLC0415

    before = len(report.traces)
    paths = recordings_in(folder)
    every = [add(path) for path in paths if _is_new(path, added)]
    if paths and not every:
        return []
    found = [each for each in every if each.error is None or each.error.code != NOT_A_RECORDING]
    report.passed_over += len(every) - len(found)
    if not found:
        found = [new_trace(shown_path(folder))]
        failed(found[0], RecordingError("directory", "is a folder without a recording in it"))
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
        trace.lines, trace.messages = recording.progress.lines, recording.progress.messages
        if engine.other_protocol is None:
            analysis.finish(closed=closed, whole=whole)
    refuse(engine)
