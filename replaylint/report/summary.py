"""The summary of a report: counts, the distributions of the timings, and what quiet timers would have done."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import TYPE_CHECKING, Any

from replaylint.replay.outcome import OUTCOMES
from replaylint.replay.timing import DECIMALS, FIGURES
from replaylint.report.findings import SEVERITIES
from replaylint.report.groups import grouped
from replaylint.report.model import Distribution, Group, Lateness, QuietTimer, Summary, Worst
from replaylint.report.unmeasured import REASONS, why_unknown
from replaylint.statistics.histogram import histogram
from replaylint.statistics.percentiles import distribution, percentile
from replaylint.statistics.timers import TIMERS_S, study

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from replaylint.report.model import Finding, GroupBy, Report, Resume, Session, Trace


def summary(report: Report, group_by: GroupBy | None = None) -> Summary:
    """The summary of the resumes and findings of this report."""
    traces = {trace.path: trace for trace in report.traces}
    groups = []
    if group_by is not None:
        groups = [
            Group(**_statistics(resumes, findings, traces), key=key)
            for key, resumes, findings in grouped(report, group_by)
        ]
        groups.sort(key=lambda each: -each.worst.response_gap_s if each.worst is not None else inf)
    return Summary(**_statistics(report.resumes, report.findings, traces), group_by=group_by, groups=groups)


def nothing() -> Summary:
    """The summary of an empty report."""
    return Summary(0, 0, {}, {}, 0, {}, None, {}, [], None, None, None, [])


def replays(resumes: Iterable[Resume]) -> list[tuple[Resume, Session]]:
    """What distributions count: replaying resumes, each with the session that it names."""
    return [(resume, resume.sessions[0]) for resume in resumes if resume.replaying and resume.sessions]


def _statistics(resumes: Sequence[Resume], findings: Sequence[Finding], traces: Mapping[str, Trace]) -> dict[str, Any]:
    """The fields of Statistics."""
    outcomes = Counter(session.outcome for resume in resumes for session in resume.sessions)
    severities = Counter(finding.severity for finding in findings)
    counted = replays(resumes)
    timings = [session.timing for _, session in counted]
    timing = {}
    for figure in FIGURES:
        values = sorted(value for each in timings if (value := getattr(each, figure)) is not None)
        timing[figure] = Distribution(*distribution(values), *histogram(values))
    unmeasured = Counter(
        why_unknown("response_gap_s", resume, session, traces[resume.trace])
        for resume, session in counted
        if session.timing.response_gap_s is None
    )
    pauses = [(each.longest_pause_s, each.marker_lag_s) for each in timings if each.longest_pause_s is not None]
    return {
        "resumes": len(resumes),
        "replays": len(counted),
        "outcomes": {each: outcomes[each] for each in OUTCOMES if outcomes[each]},
        "findings": {each: severities[each] for each in SEVERITIES},
        "known": sum(finding.known for finding in findings),
        "timing": timing,
        "resolution_s": _resolution(counted, traces),
        "unmeasured": {each: unmeasured[each] for each in REASONS if unmeasured[each]},
        "quiet_timer": [_quiet_timer(pauses, timer) for timer in TIMERS_S],
        "quiet_timer_needed_s": max((pause for pause, _ in pauses), default=None),
        "worst": _worst(counted),
    }


def _worst(counted: Iterable[tuple[Resume, Session]]) -> Worst | None:
    gaps = [
        Worst(resume.trace, resume.request.line, session.session_id, session.timing.response_gap_s)
        for resume, session in counted
        if session.timing.response_gap_s is not None
    ]
    return max(gaps, key=lambda each: each.response_gap_s, default=None)


def _resolution(counted: Iterable[tuple[Resume, Session]], traces: Mapping[str, Trace]) -> float | None:
    """The resolution of the coarsest clock that measured one of these, in seconds."""
    known = (
        traces[resume.trace].resolution_s
        for resume, session in counted
        if session.timing.total_s is not None or session.timing.replay_s is not None
    )
    return max(filter(None, known), default=None)


def _quiet_timer(pauses: Sequence[tuple[float, float | None]], timer: float) -> QuietTimer:
    false_ends, late = study(pauses, timer)
    middle, latest = (round(percentile(late, 50), DECIMALS), round(late[-1], DECIMALS)) if late else (None, None)
    return QuietTimer(timer, false_ends, len(pauses), Lateness(len(late), middle, latest))
