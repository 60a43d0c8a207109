"""One recording on its way into a report."""

from __future__ import annotations

from array import array
from operator import itemgetter
from typing import TYPE_CHECKING

from replaylint import __version__
from replaylint.errors import RecordingError
from replaylint.protocol import direction
from replaylint.recording.directions import flip
from replaylint.replay.engine import Engine
from replaylint.report import findings, resumes, summary
from replaylint.report.model import SCHEMA_VERSION, Connection, Peer, ReadError, Report, Tool, Trace
from replaylint.rules.runner import Runner

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol

    from replaylint.protocol.connection import Peer as PeerFacts
    from replaylint.recording.detect import Recording
    from replaylint.recording.message import Message
    from replaylint.report.model import Finding, Resume
    from replaylint.report.source_map import SourceMap
    from replaylint.rules.registry import Violation

    Watch = Callable[[Engine, Iterator[Message]], Iterator[Message]]
    """Is handed the engine and the messages, and passes these on: sees how the one takes the others."""

    Begin = Callable[[SourceMap], Watch]
    """Is called for each recording, and told where its lines stand, before that is watched."""

    class Sink(Protocol):
        """Takes resumes as they end, and findings when nothing can change them any more."""

        def resume(self, resume: Resume) -> None:
            """Take this one."""

        def finding(self, finding: Finding) -> None:
            """Take this one."""


def new_report() -> Report:
    """A report without anything in it."""
    return Report(SCHEMA_VERSION, Tool("replaylint", __version__), [], [], [], summary.nothing(), 0, None, [])


def new_trace(path: str) -> Trace:
    """An input of which nothing was read yet."""
    return Trace(path, None, 0, 0, 0, "none", None, "recorded", "exact", 0, 0, None, None, [])


class Analysis:
    """A recording on its way into a report: `run` its messages, then call `finish`.

    `locate` says in which input a line stands, and where, if there are several; the recording as a whole is told of in
    the trace that is given. `ordered`: the messages are in an order that they can have had. A `sink` gets what else
    would be kept for the report.
    """

    def __init__(
        self,
        report: Report,
        trace: Trace,
        locate: SourceMap | None = None,
        *,
        ordered: bool = True,
        watch: Begin | None = None,
        sink: Sink | None = None,
    ) -> None:
        report.traces.append(trace)
        self._report = report
        self._trace = trace
        path = trace.path
        self._lines = lines = array("q")
        self._place = locate = locate or (lambda line: (path, lines[line] if line < len(lines) else line))
        self._ended: list[tuple[int, Resume]] = []
        self._watch = watch(locate) if watch is not None else None
        self._violations: list[Violation] = []
        ended = self._ended
        # No methods of its own: that would be a cycle, and the command line runs without the collector.
        if sink is None:
            self._runner = Runner(self._violations.append, ordered=ordered)
            self.engine = Engine(
                self._runner,
                lambda resume, steps: ended.append((resume.request.line, resumes.reported(resume, steps, locate))),
            )
        else:
            self._runner = Runner(lambda violation: sink.finding(findings.finding(violation, locate)), ordered=ordered)
            self.engine = Engine(
                self._runner, lambda resume, steps: sink.resume(resumes.reported(resume, steps, locate))
            )

    def run(self, messages: Iterable[Message]) -> None:
        """Take these messages in."""
        self.engine.run(messages if self._watch is None else self._watch(self.engine, iter(messages)))

    def numbered(self, messages: Iterator[Message]) -> Iterator[Message]:
        """The messages of a recording with many on a line, each with a number in place of that: it tells them apart."""
        lines = self._lines
        lines.append(0)
        for line, time, side, body, size in messages:
            lines.append(line)
            yield len(lines) - 1, time, side, body, size

    def finish(self, *, closed: bool, whole: bool = True) -> None:
        """There is no more. `closed`: the connections ended with the recording; `whole`: it was read to its end."""
        report, trace, engine = self._report, self._trace, self.engine
        engine.finish(closed=closed)
        self._runner.recording_end(engine.resumes if whole and not engine.lost and not engine.skipped else None)
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
        report.findings.extend(findings.finding(violation, self._place) for violation in self._violations)


def _peer(facts: PeerFacts) -> Peer:
    return Peer(facts.name, facts.version)


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
