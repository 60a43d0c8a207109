"""Resumes as the report has them, made from the facts that the engine kept."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from replaylint.protocol.variants import HISTORY, LIVE_ONLY
from replaylint.replay import timing as timings
from replaylint.replay.gap import replay_end
from replaylint.replay.outcome import certified_by, outcome
from replaylint.report.model import Marker, Moment, Response, ResponseError, Resume, Session, Timing, Updates
from replaylint.report.source_map import MarkerElsewhere, ResponseElsewhere

if TYPE_CHECKING:
    from replaylint.recording.clock import Steps
    from replaylint.replay.window import Error, Mark, Point, Window
    from replaylint.replay.window import Resume as Facts
    from replaylint.report.source_map import SourceMap


def reported(facts: Facts, steps: Steps, locate: SourceMap) -> Resume:
    """A resume that has ended; `locate` gives the file and line of each of its lines."""
    request = facts.request
    trace, line = locate(request.line)
    return Resume(
        trace=trace,
        connection=facts.connection.number,
        request_id=request.id,
        method=request.method,
        session_id=facts.session_id,
        replaying=facts.replaying,
        replay_from=facts.replay_from,
        ambiguous=facts.ambiguous,
        request=Moment(line, seconds(request.time)),
        response=None if facts.response is None else _response(facts.response, facts.error, trace, locate),
        end=facts.end or "open",
        unanswered_s=timings.unanswered(facts, steps),
        sessions=[_session(window, steps, trace, locate) for window in facts.windows.values()]
        if facts.replaying
        else _plain(facts, steps),
    )


def _response(response: Point, error: Error | None, trace: str, locate: SourceMap) -> Response:
    path, line = locate(response.line)
    time = seconds(response.time)
    reported_error = None if error is None else ResponseError(*error)
    if path == trace:
        return Response(line, time, reported_error)
    return ResponseElsewhere(line, time, reported_error, path)


def _marker(mark: Mark, trace: str, locate: SourceMap) -> Marker:
    path, line = locate(mark.line)
    if path == trace:
        return Marker(mark.kind, line, seconds(mark.time))
    return MarkerElsewhere(mark.kind, line, seconds(mark.time), path)


def seconds(time: float) -> float | None:
    """A time as the report has it: None where there is none."""
    return round(time, timings.DECIMALS) if time == time else None  # noqa: PLR0124  (NaN)


def _session(window: Window, steps: Steps, trace: str, locate: SourceMap) -> Session:
    mark = window.marker
    return Session(
        session_id=window.session_id,
        role=window.role,
        parent=window.parent,
        announced_line=locate(window.announced_line)[1] if window.announced_line else None,
        was_active=window.resume.was_active,
        outcome=outcome(window),
        certified_by=certified_by(window),
        marker=None if mark is None else _marker(mark, trace, locate),
        replay_end_line=_line_in(trace, replay_end(window), locate),
        updates=_updates(window),
        timing=Timing(*timings.timing(window, steps)),
    )


def _line_in(trace: str, point: Point, locate: SourceMap) -> int | None:
    """The line of this point, if it has one and that is in this file."""
    path, line = locate(point.line) if point.line else ("", 0)
    return line if path == trace and line else None


def _updates(window: Window) -> Updates:
    updates = Updates(0, 0, 0, window.bytes, {})
    for variant, count in sorted(window.counts.items()):
        # Interned: the names are the same in every window, but each was parsed separately.
        updates.by_kind[sys.intern(variant)] = count
        if variant in HISTORY:
            updates.history += count
        elif variant in LIVE_ONLY:
            updates.live += count
        else:
            updates.other += count
    return updates


def _plain(facts: Facts, steps: Steps) -> list[Session]:
    """The session of a request that asked for no history: it has no window."""
    if facts.session_id is None:
        return []
    return [
        Session(
            session_id=facts.session_id,
            role="named",
            parent=None,
            announced_line=None,
            was_active=facts.was_active,
            outcome="not_requested",
            certified_by=None,
            marker=None,
            replay_end_line=None,
            updates=Updates(0, 0, 0, 0, {}),
            timing=Timing(*timings.Timing(total_s=timings.total(facts, steps))),
        )
    ]
