"""Budgets: how long a resume, or all resumes together, may take; and which of them were kept."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from replaylint.errors import UnknownNameError, UsageError
from replaylint.policies.names import split
from replaylint.policies.units import in_seconds
from replaylint.policies.violations import on_recording, on_resume
from replaylint.replay.timing import FIGURES
from replaylint.report import budgets as told
from replaylint.report.model import BudgetResult, Moment
from replaylint.report.summary import replays
from replaylint.report.unmeasured import REASONS, why_unknown
from replaylint.rules import (
    rl401_gap_over_budget,
    rl402_replay_over_budget,
    rl403_resume_over_budget,
    rl404_budget_exceeded,
    rl405_budget_not_judged,
)
from replaylint.rules.registry import ERROR, WARNING
from replaylint.rules.words import Count, duration
from replaylint.statistics.percentiles import bounded_from, bounds, least, mean, percentile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replaylint.policies.options import LinterOptions
    from replaylint.policies.policy import Draft
    from replaylint.report.model import Finding, Marker, Report, Resume, Session, Trace
    from replaylint.rules.registry import Party

    Verdict = Literal["kept", "exceeded", "not_judged"]

NAMES: Final = {figure.removesuffix("_s"): figure for figure in FIGURES}
STATISTICS: Final = ("min", "median", "mean", "max", "p90", "p95", "p99")
_BUDGET: Final = re.compile(r"([^()<>=]*)\(([^()<>=]*)\)\s*(<=?)([^()<>=]*)")
_PERCENTILE: Final = re.compile(r"p([0-9]{1,2}(?:\.[0-9]{1,6})?)")

LIMITED: Final = {
    "response_gap_s": "response gap",
    "replay_s": "replay",
    "total_s": "time to the response",
}
"""The figures that each resume may have a limit for, in the words of a sentence."""


class Cause(NamedTuple):
    """Why a figure is not known, as a clause; who has to do something about it, and what."""

    why: str
    party: Party
    advice: str


STOPS: Final = "stops"
NO_SESSION: Final = "no_session"
CAUSES: Final = {
    "no_times": Cause(REASONS["no_times"], "recording", "record with a clock"),
    STOPS: Cause("the recording stops before the response", "recording", "record until the response has come"),
    "no_response": Cause("the connection ended without a response", "agent", "answer every request, also at the end"),
    "no_history": Cause(REASONS["no_history"], "recording", "record the replay of a session that has history"),
    "clock": Cause(REASONS["clock"], "recording", "record with a monotonic clock"),
    NO_SESSION: Cause("the request names no session", "client", "name the session to resume"),
}
NONE: Final = Cause("there is none", "recording", "record one")
TOO_FEW: Final = Cause("there are too few", "recording", "record more of them")


class Budget(NamedTuple):
    """A figure of all replays together: `statistic` is a percent, or min, mean or max; `limit` is in seconds."""

    text: str
    statistic: Fraction | str
    figure: str
    strict: bool
    limit: float

    @property
    def name(self) -> str:
        """The budget without its limit."""
        return self.text.partition("<")[0]


class Budgets(NamedTuple):
    """Limits in seconds for each resume, by figure, and budgets for the run."""

    limits: Mapping[str, float]
    run: tuple[Budget, ...]

    def apply(self, draft: Draft) -> None:
        """Report RL401 to RL405: what is over its budget, and what cannot be judged."""
        draft.add(_exceeded(draft.report, self))


def parse(options: LinterOptions) -> Budgets | None:
    """What `max_gap`, `max_replay`, `max_total` and `budget` say. Raises UsageError, UnknownNameError and TypeError."""
    limits = {
        "response_gap_s": options.get("max_gap"),
        "replay_s": options.get("max_replay"),
        "total_s": options.get("max_total"),
    }
    run = options.get("budget")
    if run is None and all(limit is None for limit in limits.values()):
        return None
    return budgets(limits, run)


def budgets(limits: Mapping[str, float | str | None], run: str | Iterable[str] | None) -> Budgets:
    """What the user gave. Raises UsageError, UnknownNameError and TypeError."""
    each = {figure: in_seconds(limit) for figure, limit in limits.items() if limit is not None}
    return Budgets(each, () if run is None else tuple(map(budget, split(run))))


def budget(text: str) -> Budget:
    """A budget such as `p95(response_gap)<2s`. Raises UsageError and UnknownNameError."""
    found = _BUDGET.fullmatch(text)
    if found is None:
        raise UsageError(f"{text!r} is not a budget: write STATISTIC(TIMING)<LIMIT, such as p95(response_gap)<2s")
    statistic, figure, sign, limit = (part.strip() for part in found.groups())
    name = figure.lower().removesuffix("_s")
    if name not in NAMES:
        raise UnknownNameError("timing", figure, NAMES)
    shown = f"{statistic.lower()}({name}){sign}{limit}"
    return Budget(shown, _statistic(statistic.lower()), NAMES[name], sign == "<", in_seconds(limit))


def _statistic(name: str) -> Fraction | str:
    if name in {"min", "mean", "max"}:
        return name
    if name == "median":
        return Fraction(50)
    found = _PERCENTILE.fullmatch(name)
    percent = Fraction(found[1]) if found else Fraction()
    if not percent:
        raise UnknownNameError("statistic", name, STATISTICS)
    return percent


def _exceeded(report: Report, given: Budgets) -> Iterator[Finding]:
    traces = {trace.path: trace for trace in report.traces}
    for figure, limit in given.limits.items():
        yield from _each(report, traces, figure, limit)
    for each in given.run:
        yield from _together(report, traces, each)


# Each resume


def _each(report: Report, traces: Mapping[str, Trace], figure: str, limit: float) -> Iterator[Finding]:
    counted: Counter[str] = Counter()
    unknown: dict[str, Counter[str]] = {}
    for resume, session in _concerned(report, figure):
        counted[resume.trace] += 1
        found, reason = _judged(resume, session, traces[resume.trace], figure, limit)
        if found is not None:
            yield found
        if reason is not None:
            unknown.setdefault(resume.trace, Counter())[reason] += 1
    noun = "resume" if figure == "total_s" else "replay"
    what = f"whether the {LIMITED[figure]} is at most {duration(limit)}"
    for path, reasons in unknown.items():
        of = f" for {reasons.total()} of {Count(counted[path]):{noun}}"
        yield _not_judged(path, figure, what, f"{of}: {_told(reasons)}", _main(reasons), reasons.total())
    if not counted:
        yield _not_judged(None, figure, what, f": there is no {noun}", NONE)


def _concerned(report: Report, figure: str) -> Iterator[tuple[Resume, Session | None]]:
    if figure != "total_s":
        yield from replays(report.resumes)
        return
    for resume in report.resumes:
        yield resume, resume.sessions[0] if resume.sessions else None


def _judged(
    resume: Resume, session: Session | None, trace: Trace, figure: str, limit: float
) -> tuple[Finding | None, str | None]:
    """What is over the limit, or why that is not known."""
    timing = session.timing if session is not None else None
    value = getattr(timing, figure) if timing is not None else None
    if value is not None:
        return (_over(resume, session, figure, value, limit) if value > limit else None), None
    total = timing.total_s if timing is not None else None
    if total is not None and total <= limit:  # no part of it is longer
        return None, None
    waited = resume.unanswered_s
    if figure == "total_s" and waited is not None and waited > limit:
        return _over(resume, session, figure, waited, limit), None
    if session is None and resume.response is not None:
        return None, NO_SESSION
    return None, _reason(figure, resume, session, trace)


def _over(resume: Resume, session: Session | None, figure: str, value: float, limit: float) -> Finding:
    facts: dict[str, object] = {"limit": duration(limit), "value": _shown(value, limit)}
    if session is None or figure == "total_s":
        came = "there was still no response" if resume.response is None else "the response came"
        return on_resume(rl403_resume_over_budget.RULE, ERROR, resume, session, facts | {"came": came})
    end: dict[str, Marker | Moment | None] = {"marker": session.marker}
    if session.timing.replay_end != "marker":
        line = session.replay_end_line
        end = {"last_update": None if line is None else Moment(line, None)}
    if figure == "replay_s":
        facts["history"] = Count(session.updates.history)
        return on_resume(rl402_replay_over_budget.RULE, ERROR, resume, session, facts, evidence=end, at=next(iter(end)))
    waiting = session.timing.gap_waiting_for_client_s
    facts["waiting"] = f", {duration(waiting)} of it waiting for the client" if waiting else ""
    return on_resume(rl401_gap_over_budget.RULE, ERROR, resume, session, facts, evidence=end)


# The run


def _together(report: Report, traces: Mapping[str, Trace], given: Budget) -> Iterator[Finding]:
    results = report.budgets
    values: list[float] = []
    unknown: Counter[str] = Counter()
    for resume, session in replays(report.resumes):
        value = getattr(session.timing, given.figure)
        if value is not None:
            values.append(value)
        elif _happened(session, given.figure):
            unknown[_reason(given.figure, resume, session, traces[resume.trace])] += 1
    needed = 1 if isinstance(given.statistic, str) else least(given.statistic)
    others = f"; {unknown.total()} could not be measured: {_told(unknown)}" if unknown else ""
    if len(values) < needed:
        results.append(_result(given, "not_judged", None, values))
        few = f": it needs {Count(needed):replay} with this figure, and there are {len(values)}{others}"
        yield _not_judged(None, given.name, given.text, few, _main(unknown) if unknown else TOO_FEW)
        return
    ordered = sorted(values)
    value = _value(ordered, given.statistic)
    exceeded = value > given.limit or (given.strict and value == given.limit)
    result = _result(given, "exceeded" if exceeded else "not_judged" if unknown else "kept", value, ordered)
    results.append(result)
    if exceeded:
        facts = {
            "name": given.name,
            "value": _shown(value, given.limit),
            "n": Count(len(values)),
            "bounds": told.bounds(result),
            "budget": given.text,
            "others": others,
        }
        yield on_recording(rl404_budget_exceeded.RULE, ERROR, None, facts, what=given.name)
    elif unknown:
        kept = f" for all: {Count(len(values)):replay} kept it{others}"
        yield _not_judged(None, given.name, given.text, kept, _main(unknown))


def _result(given: Budget, verdict: Verdict, value: float | None, ordered: Sequence[float]) -> BudgetResult:
    low = high = needs = None
    if not isinstance(given.statistic, str):
        needs = bounded_from(given.statistic)
        if value is not None:
            low, high = bounds(ordered, given.statistic)
    return BudgetResult(given.text, verdict, value, len(ordered), low, high, needs)


def _shown(value: float, limit: float) -> str:
    """A duration, so exact that it is not the limit's if they differ."""
    text = duration(value)
    return text if value == limit or text != duration(limit) else f"{value:.6f}".rstrip("0").rstrip(".") + " s"


def _value(ordered: list[float], statistic: Fraction | str) -> float:
    if statistic == "mean":
        return mean(ordered)
    if isinstance(statistic, str):
        return ordered[0] if statistic == "min" else ordered[-1]
    return percentile(ordered, statistic)


def _happened(session: Session, figure: str) -> bool:
    """Whether there is something that this figure should measure, as far as the report shows."""
    timing, history = session.timing, session.updates.history
    if figure == "snapshot_gap_s":
        return False
    if figure == "to_first_update_s":
        return history > 0
    if figure == "longest_pause_s":
        return history > 1
    if figure == "marker_lag_s":
        return history > 0 and session.marker is not None
    return figure == "total_s" or timing.replay_end is not None


# What cannot be judged


def _not_judged(path: str | None, figure: str, what: str, why: str, cause: Cause, count: int = 1) -> Finding:
    facts = {"budget": what, "why": why, "advice": cause.advice}
    rule = rl405_budget_not_judged.RULE
    return on_recording(rule, WARNING, path, facts, what=figure, count=count, party=cause.party)


def _reason(figure: str, resume: Resume, session: Session | None, trace: Trace) -> str:
    """The key of CAUSES."""
    reason = why_unknown(figure, resume, session, trace)
    return STOPS if reason == "no_response" and resume.end == "open" else reason


def _main(reasons: Counter[str]) -> Cause:
    """The most frequent one."""
    return CAUSES[max((each for each in CAUSES if reasons[each]), key=lambda each: reasons[each])]


def _told(reasons: Counter[str]) -> str:
    if len(reasons) == 1:
        return CAUSES[next(iter(reasons))].why
    return ", ".join(f"{CAUSES[each].why} ({reasons[each]})" for each in CAUSES if reasons[each])
