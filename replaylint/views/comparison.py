"""Two reports compared: which faults are new, which outcomes changed, and what became slower, and not by chance.

The fields of the classes are those of the JSON. Seconds where a name ends in `_s`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import takewhile
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from replaylint.replay.outcome import OUTCOMES
from replaylint.replay.timing import DECIMALS
from replaylint.report.findings import SEVERITIES, new
from replaylint.report.model import Tool
from replaylint.statistics import shares
from replaylint.version import __version__
from replaylint.views.timing_changes import JUDGED, SLOW, SlowChange, TimingChange, changes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from replaylint.replay.outcome import Outcome
    from replaylint.report.model import Finding, Peer, Report, Resume, Session, SeverityName
    from replaylint.rules.registry import Party

    Thing = TypeVar("Thing")
    Pairs = list[tuple[Thing, Thing]]

SCHEMA_VERSION: Final = 2

HIGHEST: Final = 16
"""So many folders above the common one are looked at to find the place of a recording."""


@dataclass(slots=True)
class Compared:
    """One side. `unread`: inputs that could not be read, or not to their end. `findings`: those that no baseline knows.

    `agents`: those of its connections, sorted; `resolution_s`: of the coarsest clock, None without any.
    """

    path: str
    tool: Tool
    recordings: int
    unread: int
    resumes: int
    replays: int
    outcomes: dict[str, int]
    findings: dict[str, int]
    agents: list[Peer]
    resolution_s: float | None


@dataclass(slots=True)
class Pairing:
    """How many things have a counterpart on the other side, and how many have none."""

    paired: int
    only_before: int
    only_after: int


@dataclass(slots=True)
class Fault:
    """The findings of one fingerprint: how many on each side, and how grave the gravest there is; None without any.

    The rest is said of the first of the gravest ones, after the change if there are any.
    """

    fingerprint: str
    rule: str
    name: str
    severity: SeverityName
    party: Party
    message: str
    trace: str | None
    line: int | None
    before: int
    after: int
    severity_before: SeverityName | None
    severity_after: SeverityName | None


@dataclass(slots=True)
class Ended:
    """How a session of a resume ended on one side; `line` is the request's."""

    trace: str
    line: int
    session_id: str
    outcome: Outcome


@dataclass(slots=True)
class OutcomeChange:
    """A session of a pair of resumes that ended differently.

    `recording`: its path below the folder of its side, or after the change, where each side has only one.
    """

    recording: str
    role: Literal["named", "child"]
    before: Ended
    after: Ended


@dataclass(slots=True)
class Judgement:
    """Whether a figure became slower by more than `max_regression`, and not by chance.

    For a timing that is a part of its median before, for the share of slow resumes a part of all resumes.
    """

    figure: str
    verdict: Literal["regressed", "passed", "not_judged"]
    reason: str


@dataclass(slots=True)
class Comparison:
    """What changed from one report to the other.

    `graver`: faults on both sides of which the gravest finding is graver after. `unchanged`: the others on both sides.
    `children` counts those of paired resumes. `seed`: of the exchanges that judge the share of slow resumes.
    `regressions` is empty without a `max_regression`.
    """

    schema_version: int
    tool: Tool
    before: Compared
    after: Compared
    new: list[Fault]
    graver: list[Fault]
    outcomes: list[OutcomeChange]
    recordings: Pairing
    resumes: Pairing
    children: Pairing
    timing: dict[str, TimingChange]
    slow: SlowChange
    seed: int
    max_regression: float | None
    regressions: list[Judgement]
    gone: list[Fault]
    unchanged: list[Fault]


def compare(
    before: Report,
    after: Report,
    *,
    paths: tuple[str, str] = ("before", "after"),
    max_regression: float | None = None,
    slow_s: float | None = None,
    seed: int = shares.SEED,
) -> Comparison:
    """Compare these reports, whose names are `paths`; a `max_regression` of 0.1 allows 10 % more.

    `slow_s`: the response gap from which a resume is slow; None: three times the median, at least 0.1 s.
    """
    faults = list(_faults(before.findings, after.findings))
    of_before, of_after = _by_recording(before), _by_recording(after)
    recordings = _recordings(list(of_before), list(of_after))
    resumes = [
        (name, pair)
        for name, one, other in recordings
        for pair in _matched(of_before[one], of_after[other], lambda each: (each.method, each.session_id))
    ]
    sessions = [(name, pair, of) for name, pair in resumes for of in _sessions(*pair)]
    timing, slow = changes(before, after, resumes, slow_s=slow_s, seed=seed)
    return Comparison(
        schema_version=SCHEMA_VERSION,
        tool=Tool("replaylint", __version__),
        before=_compared(paths[0], before),
        after=_compared(paths[1], after),
        new=[each for each in faults if not each.before],
        graver=[each for each in faults if _is_graver(each)],
        outcomes=[
            OutcomeChange(name, there.role, _ended(pair[0], here), _ended(pair[1], there))
            for name, pair, (here, there) in sessions
            if here.outcome != there.outcome
        ],
        recordings=_pairing(len(recordings), len(of_before), len(of_after)),
        resumes=_pairing(len(resumes), len(before.resumes), len(after.resumes)),
        children=_pairing(
            sum(here.role == "child" for _, _, (here, _) in sessions),
            *(sum(len(_children(pair[side])) for _, pair in resumes) for side in (0, 1)),
        ),
        timing=timing,
        slow=slow,
        seed=seed,
        max_regression=max_regression,
        regressions=[] if max_regression is None else list(_judgements(timing, slow, max_regression)),
        gone=[each for each in faults if not each.after],
        unchanged=[each for each in faults if each.before and each.after and not _is_graver(each)],
    )


# The sides


def _compared(path: str, report: Report) -> Compared:
    outcomes = Counter(session.outcome for resume in report.resumes for session in resume.sessions)
    agents = {
        (each.agent.name or "", each.agent.version or ""): each.agent
        for trace in report.traces
        for each in trace.connections
        if each.agent.name is not None or each.agent.version is not None
    }
    resolutions = [trace.resolution_s for trace in report.traces if trace.resolution_s is not None]
    return Compared(
        path=path,
        tool=report.tool,
        recordings=len({each.path for each in report.traces if each.format is not None}),
        unread=sum(trace.error is not None for trace in report.traces),
        resumes=len(report.resumes),
        replays=sum(resume.replaying for resume in report.resumes),
        outcomes={each: outcomes[each] for each in OUTCOMES if outcomes[each]},
        findings=new(report.findings),
        agents=[agents[key] for key in sorted(agents)],
        resolution_s=max(resolutions, default=None),
    )


# Findings


def _faults(before: Iterable[Finding], after: Iterable[Finding]) -> Iterator[Fault]:
    """The gravest first."""
    one, other = _by_fingerprint(before), _by_fingerprint(after)
    faults = [_fault(key, one.get(key, []), other.get(key, [])) for key in one | other]
    yield from sorted(faults, key=lambda each: (SEVERITIES.index(each.severity), each.rule, each.fingerprint))


def _by_fingerprint(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for each in findings:
        found.setdefault(each.fingerprint, []).append(each)
    return found


def _gravest(findings: Iterable[Finding]) -> Finding:
    """The first of the gravest."""
    return min(findings, key=lambda each: SEVERITIES.index(each.severity))


def _fault(fingerprint: str, before: list[Finding], after: list[Finding]) -> Fault:
    shown = _gravest(after or before)
    return Fault(
        fingerprint=fingerprint,
        rule=shown.rule,
        name=shown.name,
        severity=shown.severity,
        party=shown.party,
        message=shown.message,
        trace=shown.trace,
        line=shown.line,
        before=len(before),
        after=len(after),
        severity_before=_gravest(before).severity if before else None,
        severity_after=_gravest(after).severity if after else None,
    )


def _is_graver(fault: Fault) -> bool:
    before, after = fault.severity_before, fault.severity_after
    return before is not None and after is not None and SEVERITIES.index(after) < SEVERITIES.index(before)


# Outcomes


def _recordings(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, str, str]]:
    """Pairs of recordings, each behind the name that it has on both sides.

    One on each side are a pair. Of several, those are that stand at the same place below the common folder of their
    side; or, where a side has only a part of the folders of the other one, below the folder above it with which most
    of them are.
    """
    if len(before) == len(after) == 1:
        return [(after[0], before[0], after[0])]
    choices = [(0, 0), *((more, 0) for more in range(1, HIGHEST)), *((0, more) for more in range(1, HIGHEST))]
    found: list[tuple[str, str, str]] = []
    for more_before, more_after in choices:
        one, other = _placed(before, more_before), _placed(after, more_after)
        pairs = [(str(PurePath(*place)), one[place], other[place]) for place in one if place in other]
        if len(pairs) > len(found):
            found = pairs
    return found


def _placed(paths: Iterable[str], more: int) -> dict[tuple[str, ...], str]:
    """The paths by their place below their common folder, or below one so many folders above it."""
    parts = {path: PurePath(path).parts for path in paths}
    steps = zip(*(each[:-1] for each in parts.values()), strict=False)
    common = sum(1 for _ in takewhile(lambda step: len({*step}) == 1, steps))
    return {each[max(0, common - more) :]: path for path, each in parts.items()}


def _by_recording(report: Report) -> dict[str, list[Resume]]:
    """The resumes of each recording that could be read, at least in part, by its path."""
    found: dict[str, list[Resume]] = {each.path: [] for each in report.traces if each.format is not None}
    for resume in report.resumes:
        found.get(resume.trace, []).append(resume)
    return found


def _sessions(before: Resume, after: Resume) -> Pairs[Session]:
    """The named sessions, then the children."""
    named = [[each for each in resume.sessions if each.role == "named"] for resume in (before, after)]
    children = _matched(_children(before), _children(after), lambda each: each.session_id)
    return [*zip(*named, strict=False), *children]


def _children(resume: Resume) -> list[Session]:
    return [each for each in resume.sessions if each.role == "child"]


def _matched(before: Iterable[Thing], after: Iterable[Thing], key: Callable[[Thing], object]) -> Pairs[Thing]:
    """Pairs of the same key, the first with the first and so on; then what is left, in its order."""
    one, other = dict(_numbered(before, key)), dict(_numbered(after, key))
    left = ([own[each] for each in own if each not in theirs] for own, theirs in ((one, other), (other, one)))
    return [*((one[each], other[each]) for each in one if each in other), *zip(*left, strict=False)]


def _numbered(things: Iterable[Thing], key: Callable[[Thing], object]) -> Iterator[tuple[object, Thing]]:
    """Each thing behind its key and how many of that key came before it."""
    seen: Counter[object] = Counter()
    for each in things:
        own = key(each)
        yield (own, seen[own]), each
        seen[own] += 1


def _ended(resume: Resume, session: Session) -> Ended:
    return Ended(resume.trace, resume.request.line, session.session_id, session.outcome)


def _pairing(paired: int, before: int, after: int) -> Pairing:
    return Pairing(paired, before - paired, after - paired)


# What is allowed


def _judgements(timing: Mapping[str, TimingChange], slow: SlowChange, limit: float) -> Iterator[Judgement]:
    for figure in JUDGED:
        if figure == SLOW:
            verdict, difference, allowed = slow.verdict, slow.difference, limit
        else:
            change = timing[figure]
            # The allowance is rounded, so that 10 % more than 0.1 s is 0.11 s.
            verdict, difference = change.verdict, change.difference_s
            allowed = round((change.before.median or 0.0) * limit, DECIMALS + 3)
        if verdict == "unknown" or difference is None:
            yield Judgement(figure, "not_judged", "there are too few recordings to tell")
        elif difference <= allowed:
            yield Judgement(figure, "passed", "not slower by more than that")
        elif verdict != "slower":
            yield Judgement(figure, "passed", "slower by more than that, but that may be chance")
        else:
            yield Judgement(figure, "regressed", "slower by more than that, and not by chance")
