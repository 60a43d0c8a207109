"""One recording on its way into a report."""

from __future__ import annotations

from array import array
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING

from replaylint.analysis.folders import ANOTHER_PROTOCOL
from replaylint.errors import RecordingError
from replaylint.protocol import direction
from replaylint.recording.directions import flip
from replaylint.replay.engine import Engine
from replaylint.replay.events import ConnectionEnded, RecordingEnded, ResumeEnded, Stream
from replaylint.report import findings, resumes, summary
from replaylint.report.model import SCHEMA_VERSION, Connection, Peer, ReadError, Report, Tool, Trace
from replaylint.rules.runner import Runner
from replaylint.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Protocol

    from replaylint.protocol.connection import Peer as PeerFacts
    from replaylint.recording.detect import Recording
    from replaylint.recording.message import Message
    from replaylint.recording.reading import Progress
    from replaylint.replay.window import Resume as Replayed
    from replaylint.report.model import Finding, Resume
    from replaylint.report.source_map import SourceMap
    from replaylint.rules.registry import Violation

    Watch = Callable[[Stream, SourceMap], object]
    """Is called for each recording before it is read, to subscribe to its events, and told where its lines are."""

    class Sink(Protocol):
        """Takes resumes as they end, and findings when nothing can change them any more."""

        def resume(self, resume: Resume) -> None:
            """Take this one."""

        def finding(self, finding: Finding) -> None:
            """Take this one."""


def new_report() -> Report:
    """A report without anything in it."""
    return Report(
        SCHEMA_VERSION, Tool("replaylint", __version__), [], [], [], summary.nothing(), 0, [], None, [], None, []
    )


def new_trace(path: str) -> Trace:
    """An input of which nothing was read yet."""
    return Trace(path, None, 0, 0, 0, 0, "none", None, "recorded", "exact", 0, 0, 0, None, None, [])


class Analysis:
    """A recording on its way into a report: `run` its messages, then call `finish`.

    `locate` says in which input a line stands, and where, if there are several; the recording as a whole is told of in
    the trace that is given. `ordered`: the messages are in an order that they can have had. One of more bytes than
    `max_message` is a finding. A `sink` gets what else would be kept for the report.
    """

    def __init__(
        self,
        report: Report,
        trace: Trace,
        locate: SourceMap | None = None,
        *,
        ordered: bool = True,
        max_message: int | None = None,
        watch: Watch | None = None,
        sink: Sink | None = None,
    ) -> None:
        report.traces.append(trace)
        self._report = report
        self._trace = trace
        path = trace.path
        self._lines = lines = array("q")
        self._locate = locate = locate or (lambda line: (path, lines[line] if line < len(lines) else line))
        self._resumes: list[tuple[int, Resume]] = []
        self._violations: list[Violation] = []
        stream = Stream()
        self.engine = Engine(stream, max_message)
        # No methods of this object subscribe: that would be a cycle, and the command line runs without the collector.
        found, ended = self._violations, self._resumes
        if sink is None:
            Runner(found.append, ordered=ordered).subscribe(stream)
            stream.subscribe(ResumeEnded, lambda event: ended.append(_located(event.resume, locate)))
        else:
            Runner(lambda each: sink.finding(findings.finding(each, locate)), ordered=ordered).subscribe(stream)
            stream.subscribe(ResumeEnded, lambda event: sink.resume(_located(event.resume, locate)[1]))
        stream.subscribe(ConnectionEnded, lambda event: trace.connections.append(_connection(event)))
        stream.subscribe(RecordingEnded, lambda event: _finish(trace, event, locate))
        if watch is not None:
            watch(stream, locate)

    def run(self, messages: Iterable[Message]) -> None:
        """Take these messages in."""
        self.engine.run(messages)

    def numbered(self, messages: Iterator[Message]) -> Iterator[Message]:
        """The messages of a recording with many on a line, each with a number in place of that: it tells them apart."""
        lines = self._lines
        lines.append(0)
        for line, time, side, body, size in messages:
            lines.append(line)
            yield len(lines) - 1, time, side, body, size

    def finish(self, *, closed: bool, whole: bool = True) -> None:
        """There is no more. `closed`: the connections ended with the recording; `whole`: it was read to its end."""
        self.engine.finish(closed=closed, whole=whole)
        self._resumes.sort(key=itemgetter(0))
        self._report.resumes.extend(resume for _, resume in self._resumes)
        self._report.findings.extend(findings.finding(each, self._locate) for each in self._violations)


def _located(resume: Replayed, locate: SourceMap) -> tuple[int, Resume]:
    """A resume as the report has it, behind the line of its request as the analysis counts lines."""
    return resume.request.line, resumes.reported(resume, resume.connection.steps, locate)


def _connection(event: ConnectionEnded) -> Connection:
    known = event.connection
    return Connection(known.number, known.version, known.partial, event.end, _peer(known.client), _peer(known.agent))


def _finish(trace: Trace, event: RecordingEnded, locate: SourceMap) -> None:
    """What is told of the recording as a whole."""
    if event.inferred:
        trace.directions = "inferred"
    trace.lost = event.lost
    trace.malformed, trace.malformed_line = event.malformed, locate(event.malformed_line)[1] or None
    trace.connections.sort(key=attrgetter("connection"))


def _peer(facts: PeerFacts) -> Peer:
    return Peer(facts.name, facts.version)


def failed(trace: Trace, error: RecordingError) -> None:
    """This input could not be read, or not to its end."""
    trace.error = ReadError(error.code, error.message, error.line or trace.lines or None)
    # A frame that it went through may hold it: a circle, and the command line runs without the collector.
    seen: BaseException | None = error
    while seen is not None:
        seen.__traceback__ = None
        seen = seen.__cause__ or seen.__context__


def counted(trace: Trace, progress: Progress) -> None:
    """Say in the trace how far its recording was read."""
    trace.lines, trace.messages, trace.left_out = progress.lines, progress.messages, progress.left_out


def begun(trace: Trace, recording: Recording) -> Iterator[Message]:
    """The messages of a recording, the right way round; the trace says what it is."""
    trace.format, trace.order = recording.format, recording.order
    trace.timestamps, trace.resolution_s = recording.clock.timestamps, recording.clock.resolution_s
    messages = recording.messages
    if recording.relative:
        messages, trace.directions = direction.decide(messages, lambda: flip(recording.sides))
    return messages


def refuse(engine: Engine) -> None:
    """Raises RecordingError where this turned out to be a recording of another protocol."""
    if engine.other_protocol is not None:
        raise RecordingError(
            ANOTHER_PROTOCOL, f"is a recording of {engine.other_protocol}, not of the Agent Client Protocol"
        )
