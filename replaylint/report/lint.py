"""From inputs to the report: the whole way, once for each input."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from replaylint import __version__
from replaylint.protocol import direction
from replaylint.recording.detect import Recording, recognise
from replaylint.recording.formats.directions import flip
from replaylint.recording.source import STANDARD_INPUT, RecordingError, Source
from replaylint.replay.engine import Engine
from replaylint.report import findings, resumes, summary
from replaylint.report.model import SCHEMA_VERSION, Connection, Peer, ReadError, Report, Tool, Trace
from replaylint.rules.judge import Judge

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from replaylint.protocol.connection import Peer as PeerFacts
    from replaylint.report.model import Resume


def lint(
    paths: Iterable[str],
    *,
    closed: bool = False,
    codes: Collection[str] | None = None,
    warn: Callable[[str], None] = lambda _: None,
) -> Report:
    """Lint these recordings; `-` is standard input.

    `closed`: where a recording stops, its connections ended. `codes`: the rules whose findings are wanted, by default
    all. `warn` is told of lines that could not be read. An input that cannot be read becomes a trace with an error.
    """
    report = Report(SCHEMA_VERSION, Tool("replaylint", __version__), [], [], [], summary.summary([], []))
    for path in paths:
        _add(report, path, closed=closed, warn=warn)
    if codes is not None:
        report.findings = [each for each in report.findings if each.rule in codes]
    report.findings.sort(key=findings.order)
    report.summary = summary.summary(report.resumes, report.findings)
    return report


def _add(report: Report, path: str, *, closed: bool, warn: Callable[[str], None]) -> None:
    """Lint one recording, as far as it can be read."""
    shown = shown_path(path)
    trace = Trace(shown, None, 0, 0, 0, "none", None, "recorded", "exact", 0, None, [])
    report.traces.append(trace)
    try:
        with Source(path) as source:
            try:
                _run(report, trace, recognise(source), closed=closed, warn=warn)
            finally:
                trace.bytes = source.size
    except RecordingError as error:
        trace.error = ReadError(error.code, error.message, error.line or trace.lines or None)


def _run(report: Report, trace: Trace, recording: Recording, *, closed: bool, warn: Callable[[str], None]) -> None:
    trace.format = recording.format
    trace.timestamps, trace.resolution_s = recording.clock.timestamps, recording.clock.resolution_s
    messages = recording.messages
    if recording.relative:
        messages, trace.directions = direction.settle(messages, lambda: flip(recording.sides))
    ended: list[Resume] = []
    judge = Judge()
    engine = Engine(judge, lambda resume, steps: ended.append(resumes.reported(resume, steps, trace.path)))
    try:
        engine.run(messages)
    finally:
        engine.finish(closed=closed)
        if engine.inferred:
            trace.directions = "inferred"
        trace.lines, trace.messages = recording.progress.lines, recording.progress.messages
        trace.lost = engine.lost
        trace.connections = [
            Connection(each.number, each.version, each.partial, each.ended, _peer(each.client), _peer(each.agent))
            for each in engine.connections
        ]
        report.resumes.extend(sorted(ended, key=lambda resume: resume.request.line))
        report.findings.extend(findings.finding(hit, trace.path) for hit in judge.hits)
        if engine.unreadable:
            more = f", nor are {engine.unreadable - 1} others" if engine.unreadable > 1 else ""
            warn(f"{trace.path}:{engine.first_unreadable_line}: this line is no JSON and was passed over{more}")


def _peer(facts: PeerFacts) -> Peer:
    return Peer(facts.name, facts.version)


def shown_path(path: str) -> str:
    """The path as given, but relative where it is below the working folder; bytes that are no UTF-8 are escaped."""
    if path != STANDARD_INPUT and os.path.isabs(path):  # noqa: PTH117  (pathlib would cost at start-up)
        below = os.path.relpath(path)
        path = path if below.startswith(os.pardir) else below
    return os.fsencode(path).decode(errors="backslashreplace")
