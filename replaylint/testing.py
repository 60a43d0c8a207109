"""For test suites of agents, clients and SDKs: assertions about a report. They need no test framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.policies.expectations import outcomes as outcomes_named
from replaylint.policies.severities import failing
from replaylint.render.escape import printable, shortened
from replaylint.render.phrases import identifier
from replaylint.report.findings import SEVERITIES
from replaylint.report.model import Report

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.policies.severities import Level
    from replaylint.report.model import Finding, Resume, Session
    from replaylint.rules.registry import Party


def assert_replay(
    report: Report,
    *,
    outcomes: str | Iterable[str] = "complete",
    fail_on: Level = "error",
    party: Party | None = None,
    max_gap_s: float | None = None,
) -> Report:
    """Assert that history was replayed as it should be; returns the report.

    - Every recording could be read, and there is a replaying resume.
    - Every session of every replaying resume, children too, has one of these `outcomes`. By default only a marker will
      do; v1 has none of its own, so a suite for it says `outcomes="complete,unmarked"`.
    - No finding is of the severity `fail_on` or above. With `party`, only those count that it has to fix: a client's
      suite does not fail for what its fake agent does on purpose.
    - No response gap of a session that was named is longer than `max_gap_s`, in seconds. One that the recording's times
      do not show fails too: a limit that was never measured is none.

    Raises AssertionError, which says what is otherwise and where; ValueError and TypeError for wrong arguments.
    """
    __tracebackhide__ = True
    if not isinstance(report, Report):
        raise TypeError(f"report has to be a Report, not {type(report).__name__}")
    for name, text in (("fail_on", fail_on), ("party", party)):
        if not isinstance(text, str) and (name != "party" or text is not None):
            raise TypeError(f"{name} has to be a str, not {type(text).__name__}")
    if max_gap_s is not None and (isinstance(max_gap_s, bool) or not isinstance(max_gap_s, int | float)):
        raise TypeError(f"max_gap_s has to be a number of seconds, or None, not {type(max_gap_s).__name__}")
    expected = outcomes_named(outcomes)
    if fail_on not in (*SEVERITIES, "never"):
        raise ValueError(f"fail_on has to be 'error', 'warning', 'info' or 'never', not {fail_on!r}")
    if party not in {None, "agent", "client", "recording"}:
        raise ValueError(f"party has to be 'agent', 'client', 'recording' or None, not {party!r}")
    if max_gap_s is not None and not max_gap_s >= 0:
        raise ValueError(f"max_gap_s has to be a number of seconds, or None, not {max_gap_s}")
    wrong = [
        f"{_at(trace.path, trace.error.line)}: not read: {printable(trace.error.message)}"
        for trace in report.traces
        if trace.error is not None
    ]
    replays = [resume for resume in report.resumes if resume.replaying]
    if not replays:
        asked = f"{len(report.resumes)} resumed without" if report.resumes else "there is no resume"
        wrong.append(f"no history was asked for: {asked}")
    for resume in replays:
        lines = [f"  {line}" for line in _resume(resume, expected, max_gap_s)]
        if lines:
            where = _at(resume.trace, resume.request.line)
            wrong += [f"{where}: {resume.method} {identifier(resume.request_id)}, {resume.end}", *lines]
    wrong += [
        _finding(finding)
        for finding in report.findings
        if finding.severity in failing(fail_on) and party in {None, finding.party}
    ]
    if wrong:
        raise AssertionError("\n".join(["the replay is not as expected", *wrong]))
    return report


def _resume(resume: Resume, expected: tuple[str, ...], max_gap_s: float | None) -> Iterator[str]:
    """What is wrong with a resume, but for its findings."""
    for session in resume.sessions:
        if session.outcome not in expected:
            yield f"{_who(session)} is {session.outcome}, expected was {' or '.join(expected)}"
    if not resume.sessions:
        yield "no session is named"
    named = resume.sessions[:1] if max_gap_s is not None and resume.response is not None else []
    for session in named:
        gap = session.timing.response_gap_s
        if session.timing.replay_end is None:  # nothing came that the client could have waited after
            continue
        if gap is None:
            yield f"{_who(session)} has an unknown response gap: the recording lacks sound times"
        elif max_gap_s is not None and gap > max_gap_s:
            yield f"{_who(session)} has a response gap of {gap} s, the limit is {max_gap_s} s"


def _who(session: Session) -> str:
    child = f" (child of {shortened(session.parent)})" if session.parent is not None else ""
    return f"session {shortened(session.session_id)}{child}"


def _finding(finding: Finding) -> str:
    where = _at(finding.trace or "-", finding.line)
    return f"{where}: {finding.severity} {finding.rule} {finding.name}: {printable(finding.message)}"


def _at(path: str, line: int | None) -> str:
    return printable(path) + (f":{line}" if line is not None else "")
