"""`text`: the report for people, plain."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from replaylint.render.escape import printable
from replaylint.render.words import counted, duration, gap, identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.report.model import Connection, Finding, Peer, Report, Resume, Session, Trace

OUTCOMES = {
    "complete": "complete: the whole history, and the session is active",
    "complete_failed": "complete, failed: the whole history, but the resume failed",
    "truncated": "truncated: not the whole history",
    "unmarked": "unmarked: only the response says that the history is whole",
    "rejected": "rejected: no history was sent",
    "inconclusive": "inconclusive: the recording stops before the response",
    "not_requested": "no replay was requested",
}


def render(report: Report, *, quiet: bool) -> Iterator[str]:
    """A block for each recording: its resumes, and below each its findings; at the end one line that sums up."""
    findings: dict[object, list[Finding]] = defaultdict(list)
    known = {_key(resume) for resume in report.resumes}
    for finding in report.findings:
        key = _key(finding)
        # What concerns no resume stands behind them all.
        findings[key if finding.side == "client" and key in known else finding.trace].append(finding)
    if quiet:
        for finding in report.findings:
            yield from _finding(finding, f"{printable(finding.trace or '-')}: ")
        return
    resumes: dict[str, list[Resume]] = defaultdict(list)
    for resume in report.resumes:
        resumes[resume.trace].append(resume)
    for trace in {trace.path: trace for trace in report.traces}.values():
        yield from _headline(trace)
        for resume in resumes[trace.path]:
            yield from _resume(resume)
            for finding in findings.pop(_key(resume), ()):
                yield from _finding(finding, "    ")
        for finding in findings[trace.path]:
            yield from _finding(finding, "  ")
        yield "\n"
    yield _summary(report) + "\n"


def _key(of: Finding | Resume) -> tuple[object, ...]:
    return of.trace, of.connection, identifier(of.request_id)


def _headline(trace: Trace) -> Iterator[str]:
    if trace.format is None:
        yield f"{printable(trace.path)}: not read\n"
        return
    facts = [trace.format, counted(trace.lines, "line")]
    if trace.timestamps == "none":
        facts.append("no timestamps")
    if trace.directions != "recorded":
        facts.append(f"directions {trace.directions}")
    yield f"{printable(trace.path)}: {', '.join(facts)}\n"
    for connection in trace.connections:
        yield f"  {_connection(connection)}\n"
    if trace.error is not None:
        yield f"  read up to line {trace.error.line}: {printable(trace.error.message)}\n"


def _connection(connection: Connection) -> str:
    version = f"v{connection.protocol_version}" if connection.protocol_version else "unknown version"
    partial = ", its beginning is not recorded" if connection.partial else ""
    peers = f"agent {_peer(connection.agent)}, client {_peer(connection.client)}"
    return f"connection {connection.connection}: {version}, {peers}{partial}"


def _peer(peer: Peer) -> str:
    if peer.name is None:
        return "unknown"
    return printable(peer.name if peer.version is None else f"{peer.name} {peer.version}")


def _resume(resume: Resume) -> Iterator[str]:
    ambiguous = ", ambiguous: another replay of the session was pending" if resume.ambiguous else ""
    yield (
        f"\n  {resume.method} {identifier(resume.request_id)} at line {resume.request.line}, {resume.end}{ambiguous}\n"
    )
    for session in resume.sessions:
        yield from _session(session)


def _session(session: Session) -> Iterator[str]:
    child = f", child of {printable(session.parent)}" if session.parent is not None else ""
    yield f"    {printable(session.session_id)}{child}: {OUTCOMES[session.outcome]}\n"
    timing = session.timing
    if session.outcome == "not_requested":
        if timing.total_s is not None:
            yield f"      response after {duration(timing.total_s)}\n"
        return
    facts = [counted(session.updates.history, "history update")]
    if session.marker is not None:
        facts.append(f"marker at line {session.marker.line}")
    if timing.replay_s is not None:
        facts.append(f"replay {duration(timing.replay_s)}")
    facts.append(gap(session) or "response gap unknown")
    yield f"      {', '.join(facts)}\n"


def _finding(finding: Finding, indent: str) -> Iterator[str]:
    where = f"line {finding.line}" if finding.line is not None else "no line"
    if finding.last_line is not None and finding.last_line != finding.line:
        where += f" to {finding.last_line}"
    message = printable(finding.message)
    yield f"{indent}{finding.severity} {finding.rule} {finding.name}, {where}: {message}\n"


def _summary(report: Report) -> str:
    summary = report.summary
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in summary.outcomes.items())
    found = ", ".join(counted(count, severity) for severity, count in summary.findings.items() if severity != "info")
    text = f"{counted(summary.resumes, 'resume')}{f' ({outcomes})' if outcomes else ''}; {found}"
    text += f", {summary.findings['info']} info"
    return text
