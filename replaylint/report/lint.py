"""From inputs to the report: the whole way, once for each input."""

from __future__ import annotations

import os
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

from replaylint import __version__
from replaylint.protocol import direction
from replaylint.recording.detect import Recording, recognise
from replaylint.recording.directions import flip
from replaylint.recording.source import STANDARD_INPUT, RecordingError, Source
from replaylint.replay.engine import Engine
from replaylint.report import findings, resumes, summary
from replaylint.report.model import SCHEMA_VERSION, Connection, Peer, ReadError, Report, Tool, Trace
from replaylint.rules import all_rules
from replaylint.rules.judge import Judge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from replaylint.protocol.connection import Peer as PeerFacts
    from replaylint.recording.message import Message
    from replaylint.replay.outcome import Outcome
    from replaylint.report.model import Resume, SeverityName

    Watch = Callable[[Engine, Iterator[Message]], Iterator[Message]]
    """Is handed the engine and the messages, and passes these on: sees how the one takes the others."""


class Wanted(NamedTuple):
    """What the user wants reported.

    The codes of the rules, and the outcomes that are expected, None: no matter; and severities, by code, other than
    those that the rules give.
    """

    codes: set[str] | None = None
    outcomes: tuple[Outcome, ...] | None = None
    severities: Mapping[str, SeverityName] = {}


def wanted(
    *,
    select: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    severity: str | Iterable[str] | Mapping[str, str] | None = None,
    expect: str | Iterable[str] | None = None,
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
    return wishes


def lint(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    closed: bool = False,
    select: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    severity: str | Iterable[str] | Mapping[str, str] | None = None,
    expect: str | Iterable[str] | None = None,
) -> Report:
    """Lint these recordings, or this one; `-` is standard input.

    `closed`: where a recording stops, its connections ended. `select` and `ignore` name the rules whose findings are
    wanted and those whose are not, as on the command line, and so does `severity` say how grave those of a rule are:
    `"RL301=info"` or `{"RL301": "info"}`. `expect` names the outcomes that every replay should have one of. An input
    that cannot be read becomes a trace with an error.

    Raises ValueError for a name that there is not, and TypeError, both before anything is read.
    """
    names = [paths] if isinstance(paths, str | bytes | PathLike) else list(paths)
    inputs = [os.fsdecode(name) for name in names]
    wishes = wanted(select=select, ignore=ignore, severity=severity, expect=expect)
    report = new_report()
    for path in inputs:
        _add(report, path, closed=closed)
    return finished(report, wishes)


def watched(path: str, watch: Watch) -> Report:
    """Lint one recording while someone watches."""
    report = new_report()
    _add(report, path, closed=False, watch=watch)
    return finished(report, Wanted())


def new_report() -> Report:
    """A report without anything in it."""
    return Report(SCHEMA_VERSION, Tool("replaylint", __version__), [], [], [], summary.summary([], []))


def new_trace(path: str) -> Trace:
    """An input of which nothing was read yet."""
    return Trace(path, None, 0, 0, 0, "none", None, "recorded", "exact", 0, None, [])


def finished(report: Report, wishes: Wanted) -> Report:
    """The same report: what is wanted of it, in order, and its summary."""
    if wishes.outcomes is not None:
        from replaylint.report.expectations import unexpected  # noqa: PLC0415

        report.findings += unexpected(report, wishes.outcomes)
    if wishes.codes is not None:
        report.findings = [each for each in report.findings if each.rule in wishes.codes]
    if wishes.severities:
        for each in report.findings:
            each.severity = wishes.severities.get(each.rule, each.severity)
    report.findings.sort(key=findings.order)
    report.summary = summary.summary(report.resumes, report.findings)
    return report


class Analysis:
    """One input on its way into a report: feed its messages to `engine`, then call `finish`."""

    def __init__(self, report: Report, trace: Trace) -> None:
        report.traces.append(trace)
        self._report = report
        self._trace = trace
        self._ended: list[Resume] = []
        self._judge = Judge()
        ended, path = self._ended, trace.path
        # No method of its own: that would be a cycle, and the command line runs without the collector.
        self.engine = Engine(self._judge, lambda resume, steps: ended.append(resumes.reported(resume, steps, path)))

    def finish(self, *, closed: bool, whole: bool = True) -> None:
        """There is no more. `closed`: the connections ended with the recording; `whole`: it was read to its end."""
        report, trace, engine = self._report, self._trace, self.engine
        engine.finish(closed=closed)
        self._judge.recording_end(len(self._ended) if whole and not engine.lost else None)
        if engine.inferred:
            trace.directions = "inferred"
        trace.lost = engine.lost
        trace.connections = [
            Connection(each.number, each.version, each.partial, each.ended, _peer(each.client), _peer(each.agent))
            for each in engine.connections
        ]
        report.resumes.extend(sorted(self._ended, key=lambda resume: resume.request.line))
        report.findings.extend(findings.finding(hit, trace.path) for hit in self._judge.hits)


def _add(report: Report, path: str, *, closed: bool, watch: Watch | None = None) -> None:
    """Lint one recording, as far as it can be read."""
    trace = new_trace(shown_path(path))
    analysis = Analysis(report, trace)
    try:
        with Source(path) as source:
            try:
                _run(analysis, trace, recognise(source), closed=closed, watch=watch)
            finally:
                trace.bytes = source.size
    except RecordingError as error:
        trace.error = ReadError(error.code, error.message, error.line or trace.lines or None)


def _run(
    analysis: Analysis,
    trace: Trace,
    recording: Recording,
    *,
    closed: bool,
    watch: Watch | None,
) -> None:
    trace.format = recording.format
    trace.order = recording.order
    trace.timestamps, trace.resolution_s = recording.clock.timestamps, recording.clock.resolution_s
    messages = recording.messages
    if recording.relative:
        messages, trace.directions = direction.settle(messages, lambda: flip(recording.sides))
    engine = analysis.engine
    engine.drops_replays = recording.drops_replays
    whole = False
    try:
        engine.run(messages if watch is None else watch(engine, messages))
        whole = True
    finally:
        analysis.finish(closed=closed, whole=whole)
        trace.lines, trace.messages = recording.progress.lines, recording.progress.messages


def _peer(facts: PeerFacts) -> Peer:
    return Peer(facts.name, facts.version)


def shown_path(path: str) -> str:
    """The path as given, but relative where it is below the working folder; bytes that are no UTF-8 are escaped."""
    if path != STANDARD_INPUT and os.path.isabs(path):  # noqa: PTH117  (pathlib would cost at start-up)
        below = os.path.relpath(path)
        path = path if below.startswith(os.pardir) else below
    return os.fsencode(path).decode(errors="backslashreplace")
