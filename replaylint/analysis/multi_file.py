"""Recordings that are spread over several files."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from replaylint.analysis.run import Analysis, begun, counted, failed, new_trace, refuse
from replaylint.errors import RecordingError
from replaylint.protocol.sides import interleaved
from replaylint.recording.clock import went_back
from replaylint.recording.detect import recognise
from replaylint.recording.message import NO_TIME, ClockStep
from replaylint.recording.source import Source
from replaylint.report.paths import shown_path
from replaylint.report.source_map import TWO_SIDED, Concatenated, Merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.analysis.run import Watch
    from replaylint.recording.clock import Timestamps
    from replaylint.recording.detect import Recording
    from replaylint.recording.message import Message
    from replaylint.recording.reading import Order
    from replaylint.report.model import Report, Trace


def concatenated(
    report: Report,
    paths: Iterable[str],
    *,
    form: str | None,
    closed: bool,
    max_line: int,
    max_message: int | None = None,
    watch: Watch | None = None,
) -> list[Trace]:
    """Lint these files as one recording, in this order: a connection may go on from one to the next."""
    traces = [new_trace(shown_path(path)) for path in paths]
    source_map = Concatenated()
    source_map.begin(traces[0].path, 0)
    analysis = Analysis(report, traces[0], source_map.of, max_message=max_message, watch=watch)
    report.traces += traces[1:]
    clocks = _Clocks()
    before, whole = 0, True
    for path, trace in zip(paths, traces, strict=True):
        if trace is not traces[0]:
            source_map.begin(trace.path, before)
        try:
            with Source(path, max_line) as source:
                try:
                    _feed(analysis, trace, recognise(source, form), source_map, clocks, before)
                finally:
                    trace.bytes = source.size
        except RecordingError as error:
            failed(trace, error)
            whole = False
        before += trace.lines
    _end(analysis, traces, closed=closed, whole=whole)
    return traces


def _feed(
    analysis: Analysis, trace: Trace, recording: Recording, source_map: Concatenated, clocks: _Clocks, before: int
) -> None:
    try:
        messages = clocks.joined(begun(trace, recording), recording.clock.timestamps)
        analysis.run(source_map.moved(messages, before))
    finally:
        counted(trace, recording.progress)
        trace.longest_message_bytes = analysis.engine.measured()


class _Clocks:
    """The clocks of the parts, one after the other."""

    def __init__(self) -> None:
        self._kind: Timestamps = "none"
        self._latest = NO_TIME

    def joined(self, messages: Iterator[Message], kind: Timestamps) -> Iterator[Message]:
        """The messages of the next part, with a note where its times do not follow from those before."""
        begins = True
        for message in messages:
            line, time, *_ = message
            if time == time:  # noqa: PLR0124  (NaN: it has no time)
                if begins and (step := self._step(time, kind)) is not None:
                    yield line, time, None, step, 0
                begins, self._kind, self._latest = False, kind, time
            yield message

    def _step(self, time: float, kind: Timestamps) -> ClockStep | None:
        if self._kind not in {"none", kind}:
            return ClockStep(None)
        back = self._latest - time
        return ClockStep(back) if went_back(back) else None


def two_sided(
    report: Report,
    paths: tuple[str, str],
    *,
    form: str | None,
    closed: bool,
    max_line: int,
    max_message: int | None = None,
    watch: Watch | None = None,
) -> list[Trace]:
    """Lint what the client sent, in the first file, and what the agent sent, in the second, as one recording."""
    client, agent = traces = [new_trace(shown_path(path)) for path in paths]
    source_map = Merged((client.path, agent.path))
    with ExitStack() as files:
        opened = []
        for path, trace in zip(paths, traces, strict=True):
            try:
                source = files.enter_context(Source(path, max_line))
                opened.append((source, recognise(source, form)))
            except RecordingError as error:
                failed(trace, error)
        if len(opened) < len(traces):
            report.traces += traces
            return traces
        resolution_s = _resolution(*(recording for _, recording in opened))
        ordered = resolution_s is not None
        analysis = Analysis(report, client, source_map.of, ordered=ordered, max_message=max_message, watch=watch)
        report.traces.append(agent)
        whole = True
        one, other = (_safe(begun(trace, found), trace) for trace, (_, found) in zip(traces, opened, strict=True))
        try:
            analysis.run(source_map.moved(interleaved(one, other, resolution_s)))
        finally:
            for trace, longest, (source, found) in zip(traces, source_map.longest, opened, strict=True):
                trace.bytes = source.size
                counted(trace, found.progress)
                trace.longest_message_bytes = longest
                trace.format, trace.directions = TWO_SIDED, "recorded"
                trace.order = _order(analysis, resolution_s)
        whole = all(trace.error is None for trace in traces)
    _end(analysis, traces, closed=closed, whole=whole)
    return traces


def _resolution(client: Recording, agent: Recording) -> float | None:
    """How exactly the times of both tell their order, in seconds; None where they do not."""
    one, other = client.clock, agent.clock
    if one.timestamps != other.timestamps or (one.anchor is None) != (other.anchor is None):
        return None
    steps = [clock.granularity_s for clock in (one, other, one.anchor, other.anchor) if clock is not None]
    known = [step for step in steps if step is not None]
    return round(max(known), 6) if known and len(known) == len(steps) else None


def _order(analysis: Analysis, resolution_s: float | None) -> Order:
    if resolution_s is None:
        return "per_side"
    return "approximate" if analysis.engine.unordered else "exact"


def _safe(messages: Iterator[Message], trace: Trace) -> Iterator[Message]:
    """The messages as far as they can be read: the other side's are not lost with the rest."""
    try:
        yield from messages
    except RecordingError as error:
        failed(trace, error)


def _end(analysis: Analysis, traces: list[Trace], *, closed: bool, whole: bool) -> None:
    try:
        refuse(analysis.engine)
    except RecordingError as error:
        failed(traces[0], error)
        return
    analysis.finish(closed=closed, whole=whole)
    if traces[0].directions == "inferred" and traces[0].format != TWO_SIDED:
        for trace in traces:
            trace.directions = "inferred"
    elif traces[0].format == TWO_SIDED:
        traces[0].directions = "recorded"
