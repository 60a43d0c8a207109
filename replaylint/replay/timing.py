"""How long a session of a request took, and what filled the gap before the response.

The response gap is what the RFD's section "Status quo" measured: 0.7 to 1.9 s on an idle machine, 4 to 9 s on a cold
start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from replaylint.recording.clock import went_back
from replaylint.replay.gap import replay_end
from replaylint.replay.window import Point

if TYPE_CHECKING:
    from replaylint.recording.clock import Steps
    from replaylint.replay.window import Resume, Window

DECIMALS = 6
"""Figures are rounded to microseconds: what lies below is the noise of floating point and pipes."""


LONGEST_S = 1e12
"""What is longer than thirty thousand years is no duration, but a field that holds something else."""


class Timing(NamedTuple):
    """Seconds; None where a figure cannot be known. `replay_end` says what the figures take for the replay's end."""

    replay_end: Literal["marker", "last_update"] | None = None
    to_first_update_s: float | None = None
    replay_s: float | None = None
    marker_lag_s: float | None = None
    response_gap_s: float | None = None
    snapshot_gap_s: float | None = None
    total_s: float | None = None
    longest_pause_s: float | None = None
    gap_longest_pause_s: float | None = None
    gap_waiting_for_client_s: float | None = None


FIGURES: tuple[str, ...] = Timing._fields[1:]


def seconds(first: Point | None, last: Point | None, steps: Steps) -> float | None:
    """From one point to a later one.

    None where one is missing or has no time, or where the clock went back by more than the tolerance in between.
    """
    if first is None or last is None or not first.line or not last.line:
        return None
    if steps.lines and steps.between(first.line, last.line):
        return None
    value = last.time - first.time
    return round(value, DECIMALS) if 0.0 <= value <= LONGEST_S else figure(value)


def figure(value: float) -> float | None:
    """A duration as it is reported: None for NaN, beyond LONGEST_S, or where it is negative beyond the tolerance."""
    if 0.0 <= value <= LONGEST_S:
        return round(value, DECIMALS)
    return 0.0 if value < 0.0 and not went_back(-value) else None


def total(resume: Resume, steps: Steps) -> float | None:
    """From the request to its response."""
    return seconds(Point(resume.request.line, resume.request.time), resume.response, steps)


def unanswered(resume: Resume, steps: Steps) -> float | None:
    """From a request without a response to the last message that is known to have come before any."""
    if resume.response is not None:
        return None
    return seconds(Point(resume.request.line, resume.request.time), resume.until, steps)


def timing(window: Window, steps: Steps) -> Timing:
    """The figures of one session of a replaying request that has ended."""
    resume = window.resume
    request = Point(resume.request.line, resume.request.time)
    response = resume.response
    marker = window.marker
    end = replay_end(window)
    last, longest = (Point(window.last_line, window.last_time), window.longest_pause)
    if marker is not None:
        last, longest = marker.last, marker.longest_pause
    several = 0 < window.first.line < last.line
    known = several and seconds(window.first, last, steps) is not None
    gap = seconds(end, response, steps)
    return Timing(
        replay_end=None if not end.line else "last_update" if marker is None else "marker",
        to_first_update_s=seconds(request, window.first, steps),
        replay_s=seconds(request, end, steps),
        marker_lag_s=seconds(last, end, steps) if marker is not None else None,
        response_gap_s=gap,
        snapshot_gap_s=seconds(end, window.gap.snapshot, steps) if window.gap.line == end.line else None,
        total_s=seconds(request, response, steps),
        longest_pause_s=figure(longest) if known else None,
        gap_longest_pause_s=figure(window.gap.pause) if gap is not None else None,
        gap_waiting_for_client_s=figure(window.gap.waited) if gap is not None else None,
    )
