"""What the user expects of a report, and what in it is otherwise."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from replaylint.protocol.exchange import Request
from replaylint.recording.message import CLIENT, NO_TIME
from replaylint.replay.outcome import OUTCOMES
from replaylint.report.findings import finding
from replaylint.report.names import UnknownName, split
from replaylint.rules.registry import ERROR, Hit
from replaylint.rules.rl406_unexpected_outcome import RULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from replaylint.replay.outcome import Outcome
    from replaylint.report.model import Finding, Report, Resume, Session, Trace


def outcomes(names: str | Iterable[str]) -> tuple[Outcome, ...]:
    """The outcomes that these names mean, in the order of OUTCOMES. Raises UnknownName, ValueError and TypeError."""
    wanted = [name.lower() for name in split(names)]
    for name in wanted:
        if name not in OUTCOMES:
            raise UnknownName("outcome", name, OUTCOMES)
    if not wanted:
        raise ValueError("no outcome is named")
    return tuple(each for each in OUTCOMES if each in wanted)


def unexpected(
    report: Report, recordings: Sequence[Sequence[Trace]], expected: tuple[Outcome, ...]
) -> Iterator[Finding]:
    """RL406: each session of a replaying resume that has none of these outcomes, each recording without a resume.

    Of a recording that could not be read to its end, nobody knows that it holds none.
    """
    resumed = set()
    for resume in report.resumes:
        resumed.add(resume.trace)
        if resume.replaying:
            for session in resume.sessions:
                if session.outcome not in expected:
                    yield finding(_otherwise(resume, session, expected), partial(_of, resume))
    for traces in recordings:
        if all(each.path not in resumed and each.error is None for each in traces):
            yield finding(_nothing(expected), partial(_in, traces[0].path))


def _in(path: str, line: int) -> tuple[str, int]:
    return path, line


def _of(resume: Resume, line: int) -> tuple[str, int]:
    """The response may stand in another file than the request."""
    response = resume.response
    elsewhere = response is not None and line == response.line
    return (getattr(response, "trace", resume.trace) if elsewhere else resume.trace), line


def _otherwise(resume: Resume, session: Session, expected: tuple[Outcome, ...]) -> Hit:
    response = resume.response
    request = Request(CLIENT, resume.request_id, resume.method, {}, resume.request.line, NO_TIME)
    hit = Hit(
        RULE,
        ERROR,
        request.line if response is None else response.line,
        request=request,
        session_id=session.session_id,
        role=session.role,
        what=resume.method,
        found=f"the outcome is {session.outcome}",
        expected=_or(expected),
        advice=f"see the other findings on this request, or expect {session.outcome} too",
        response_line=0 if response is None else response.line,
    )
    hit.connection = resume.connection
    return hit


def _nothing(expected: tuple[Outcome, ...]) -> Hit:
    return Hit(
        RULE,
        ERROR,
        0,
        party="recording",
        found="the recording holds no resume",
        expected=_or(expected),
        advice="record a session/resume or session/load, or leave this recording out",
    )


def _or(expected: tuple[Outcome, ...]) -> str:
    return " or ".join(expected)
