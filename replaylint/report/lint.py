"""From inputs to the report: the whole way, once for each input."""

from __future__ import annotations

import os
from array import array
from functools import partial
from operator import itemgetter
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from replaylint import __version__
from replaylint.protocol import direction
from replaylint.recording.detect import NOT_A_RECORDING, Recording, recognise
from replaylint.recording.directions import flip
from replaylint.recording.source import MAX_LINE, STANDARD_INPUT, RecordingError, Source
from replaylint.replay.engine import Engine
from replaylint.report import findings, resumes, summary
from replaylint.report.model import SCHEMA_VERSION, Connection, Peer, ReadError, Report, Tool, Trace
from replaylint.report.names import UnknownName
from replaylint.rules import all_rules
from replaylint.rules.judge import Judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from datetime import date

    from replaylint.protocol.connection import Peer as PeerFacts
    from replaylint.recording.message import Message
    from replaylint.replay.outcome import Outcome
    from replaylint.report.baseline import Known
    from replaylint.report.budgets import Budgets
    from replaylint.report.exceptions import AgentException
    from replaylint.report.model import Finding, GroupBy, Resume, SeverityName
    from replaylint.report.places import Place
    from replaylint.rules.registry import Hit

    Watch = Callable[[Engine, Iterator[Message]], Iterator[Message]]
    """Is handed the engine and the messages, and passes these on: sees how the one takes the others."""

    Begin = Callable[[Place], Watch]
    """Is called for each recording, and told where its lines stand, before that is watched."""


class Wanted(NamedTuple):
    """What the user wants reported.

    The codes of the rules, and the outcomes that are expected, None: no matter; and severities, by code, other than
    those that the rules give. `exceptions` are left out, and what is in the `baseline` is marked.
    """

    codes: set[str] | None = None
    outcomes: tuple[Outcome, ...] | None = None
    severities: Mapping[str, SeverityName] = {}
    budgets: Budgets | None = None
    group_by: GroupBy | None = None
    exceptions: tuple[AgentException, ...] = ()
    baseline: Known | None = None


def wanted(
    *,
    select: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    severity: str | Iterable[str] | Mapping[str, str] | None = None,
    expect: str | Iterable[str] | None = None,
    max_gap: float | str | None = None,
    max_replay: float | str | None = None,
    max_total: float | str | None = None,
    budget: str | Iterable[str] | None = None,
    group_by: str | None = None,
    exceptions: Iterable[Mapping[str, object]] | None = None,
    today: date | str | None = None,
    baseline: str | PathLike[str] | None = None,
) -> Wanted:
    """What these names mean; each text may hold several, with commas between them.

    Raises WrongName, another ValueError where nothing is expected, and TypeError.
    """
    wishes = Wanted()
    if select is not None or ignore is not None:
        rules = all_rules()
        codes = {rule.code for rule in rules} if select is None else findings.chosen(select, rules)
        if ignore is not None:
            codes -= findings.chosen(ignore, rules)
        wishes = wishes._replace(codes=codes)
    if severity is not None:
        wishes = wishes._replace(severities=findings.severities(severity, all_rules()))
    if expect is not None:
        from replaylint.report.expectations import outcomes  # noqa: PLC0415

        wishes = wishes._replace(outcomes=outcomes(expect))
    limits = {"response_gap_s": max_gap, "replay_s": max_replay, "total_s": max_total}
    if budget is not None or any(limit is not None for limit in limits.values()):
        from replaylint.report.budgets import budgets  # noqa: PLC0415

        wishes = wishes._replace(budgets=budgets(limits, budget))
    if group_by is not None:
        from replaylint.report.groups import grouping  # noqa: PLC0415

        wishes = wishes._replace(group_by=grouping(group_by))
    if exceptions:
        from replaylint.report.exceptions import exceptions as agreed  # noqa: PLC0415

        wishes = wishes._replace(exceptions=agreed(exceptions, today))
    if baseline is not None:
        from replaylint.report.baseline import load  # noqa: PLC0415

        path = os.fsdecode(baseline)
        wishes = wishes._replace(baseline=load(path, shown_path(path)))
    return wishes


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
    baseline: str | PathLike[str] | None = None,
    watch: Begin | None = None,
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
        from replaylint.report.sizes import size_in_bytes  # noqa: PLC0415

        longest = size_in_bytes(max_line)
    report = new_report()
    recordings: list[list[Trace]] = []
    if concat and inputs:
        from replaylint.report.several import concatenated  # noqa: PLC0415

        recordings.append(concatenated(report, inputs, form=form, closed=closed, max_line=longest, watch=watch))
    else:
        add = partial(_add, report, form=form, closed=closed, max_line=longest, watch=watch)
        for path in inputs:
            folder = path != STANDARD_INPUT and os.path.isdir(path)  # noqa: PTH112  (pathlib would cost at start-up)
            recordings += [[each] for each in (_add_folder(report, path, add) if folder else (add(path),))]
    if client_file is not None and agent_file is not None:
        from replaylint.report.several import two_sided  # noqa: PLC0415

        sides = os.fsdecode(client_file), os.fsdecode(agent_file)
        recordings.append(two_sided(report, sides, form=form, closed=closed, max_line=longest, watch=watch))
    elif client_file is not None or agent_file is not None:
        raise ValueError("client_file and agent_file belong together")
    return finished(report, wishes, recordings)


def known_format(name: str) -> str:
    """The name of a format, whatever its case. Raises UnknownName."""
    from replaylint.recording.formats import every_format  # noqa: PLC0415

    names = [form.NAME for form in every_format()]
    if name.lower() not in names:
        raise UnknownName("format", name, names)
    return name.lower()


def watched(path: str, watch: Watch) -> Report:
    """Lint one recording while someone watches, to whom a message is its line: several may stand on one."""
    report = new_report()
    return finished(report, Wanted(), [[_add(report, path, closed=False, watch=lambda _: watch, numbered=False)]])


def new_report() -> Report:
    """A report without anything in it."""
    return Report(SCHEMA_VERSION, Tool("replaylint", __version__), [], [], [], summary.nothing(), 0, None, [])


def new_trace(path: str) -> Trace:
    """An input of which nothing was read yet."""
    return Trace(path, None, 0, 0, 0, "none", None, "recorded", "exact", 0, 0, None, None, [])


def finished(report: Report, wishes: Wanted, recordings: Sequence[Sequence[Trace]]) -> Report:
    """The same report: what is wanted of it, in order, and its summary. `recordings`: which inputs are one."""
    if wishes.outcomes is not None:
        from replaylint.report.expectations import unexpected  # noqa: PLC0415

        report.findings += unexpected(report, recordings, wishes.outcomes)
    if wishes.budgets is not None:
        from replaylint.report.budgets import exceeded  # noqa: PLC0415

        report.findings += exceeded(report, wishes.budgets)
    if wishes.codes is not None:
        report.findings = [each for each in report.findings if each.rule in wishes.codes]
    left_out: list[Finding] = []
    if wishes.exceptions:
        from replaylint.report.exceptions import expired, leave_out  # noqa: PLC0415

        left_out = leave_out(report, wishes.exceptions)
        report.findings += [each for each in expired(report) if wishes.codes is None or each.rule in wishes.codes]
    if wishes.severities:
        for each in report.findings:
            each.severity = wishes.severities.get(each.rule, each.severity)
    report.findings.sort(key=findings.order)
    if wishes.baseline is not None:
        from replaylint.report.baseline import mark  # noqa: PLC0415

        mark(report, wishes.baseline, wishes.codes, left_out)
    report.summary = summary.summary(report, wishes.group_by)
    return report


class Analysis:
    """A recording on its way into a report: `run` its messages, then call `finish`.

    `place` says in which input a line stands, and where, if there are several; the recording as a whole is told of in
    the trace that is given. `ordered`: the messages are in an order that they can have had.
    """

    def __init__(
        self,
        report: Report,
        trace: Trace,
        place: Place | None = None,
        *,
        ordered: bool = True,
        watch: Begin | None = None,
    ) -> None:
        report.traces.append(trace)
        self._report = report
        self._trace = trace
        path = trace.path
        self._lines = lines = array("q")
        self._place = place = place or (lambda line: (path, lines[line] if line < len(lines) else line))
        self._ended: list[tuple[int, Resume]] = []
        self._watch = watch(place) if watch is not None else None
        self._hits: list[Hit] = []
        self._judge = Judge(self._hits.append, ordered=ordered)
        ended = self._ended
        # No method of its own: that would be a cycle, and the command line runs without the collector.
        self.engine = Engine(
            self._judge,
            lambda resume, steps: ended.append((resume.request.line, resumes.reported(resume, steps, place))),
        )

    def run(self, messages: Iterable[Message]) -> None:
        """Take these messages in."""
        self.engine.run(messages if self._watch is None else self._watch(self.engine, iter(messages)))

    def numbered(self, messages: Iterator[Message]) -> Iterator[Message]:
        """The messages of a crowded recording, each with a number in place of its line: that tells them apart."""
        lines = self._lines
        lines.append(0)
        for line, time, side, body, size in messages:
            lines.append(line)
            yield len(lines) - 1, time, side, body, size

    def finish(self, *, closed: bool, whole: bool = True) -> None:
        """There is no more. `closed`: the connections ended with the recording; `whole`: it was read to its end."""
        report, trace, engine = self._report, self._trace, self.engine
        engine.finish(closed=closed)
        self._judge.recording_end(len(self._ended) if whole and not engine.lost and not engine.skipped else None)
        if engine.inferred:
            trace.directions = "inferred"
        trace.lost = engine.lost
        trace.malformed, trace.malformed_line = engine.malformed, self._place(engine.first_malformed_line)[1] or None
        trace.connections = [
            Connection(each.number, each.version, each.partial, each.ended, _peer(each.client), _peer(each.agent))
            for each in engine.connections
        ]
        self._ended.sort(key=itemgetter(0))
        report.resumes.extend(resume for _, resume in self._ended)
        report.findings.extend(findings.finding(hit, self._place) for hit in self._hits)


def _add(
    report: Report,
    path: str,
    *,
    closed: bool,
    form: str | None = None,
    max_line: int = MAX_LINE,
    watch: Begin | None = None,
    numbered: bool = True,
) -> Trace:
    """Lint one recording, as far as it can be read."""
    trace = new_trace(shown_path(path))
    analysis = Analysis(report, trace, watch=watch)
    try:
        with Source(path, max_line) as source:
            try:
                _run(analysis, trace, recognise(source, form), closed=closed, numbered=numbered)
            finally:
                trace.bytes = source.size
    except RecordingError as error:
        failed(trace, error)
    return trace


def _add_folder(report: Report, folder: str, add: Callable[[str], Trace]) -> list[Trace]:
    """Lint every recording below this folder. A folder without any is a trace of its own, with an error."""
    from replaylint.report.folders import recordings_in  # noqa: PLC0415

    before = len(report.traces)
    every = [add(path) for path in recordings_in(folder)]
    found = [each for each in every if each.error is None or each.error.code != NOT_A_RECORDING]
    report.passed_over += len(every) - len(found)
    if not found:
        found = [new_trace(shown_path(folder))]
        failed(found[0], RecordingError("directory", "is a folder without a recording in it"))
    report.traces[before:] = found
    return found


def failed(trace: Trace, error: RecordingError) -> None:
    """This input could not be read, or not to its end."""
    trace.error = ReadError(error.code, error.message, error.line or trace.lines or None)


def begun(trace: Trace, recording: Recording) -> Iterator[Message]:
    """The messages of a recording, the right way round; the trace says what it is."""
    trace.format, trace.order = recording.format, recording.order
    trace.timestamps, trace.resolution_s = recording.clock.timestamps, recording.clock.resolution_s
    messages = recording.messages
    if recording.relative:
        messages, trace.directions = direction.settle(messages, lambda: flip(recording.sides))
    return messages


def refuse(engine: Engine) -> None:
    """Raises RecordingError where this turned out to be a recording of another protocol."""
    if engine.foreign is not None:
        raise RecordingError(
            "another-protocol", f"is a recording of {engine.foreign}, not of the Agent Client Protocol"
        )


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
    engine.drops_replays = recording.drops_replays
    whole = False
    try:
        analysis.run(analysis.numbered(messages) if recording.crowded and numbered else messages)
        whole = True
    finally:
        trace.lines, trace.messages = recording.progress.lines, recording.progress.messages
        if engine.foreign is None:
            analysis.finish(closed=closed, whole=whole)
    refuse(engine)


def _peer(facts: PeerFacts) -> Peer:
    return Peer(facts.name, facts.version)


def shown_path(path: str) -> str:
    """The path as given, but relative where it is below the working folder; bytes that are no UTF-8 are escaped."""
    if path != STANDARD_INPUT and os.path.isabs(path):  # noqa: PTH117  (pathlib would cost at start-up)
        below = os.path.relpath(path)
        path = path if below.startswith(os.pardir) else below
    return os.fsencode(path).decode(errors="backslashreplace")
