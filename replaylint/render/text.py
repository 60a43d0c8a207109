"""`text`: the report for people, who need not have read the protocol."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from replaylint.render.bar import MARKER, SNAPSHOT, bar, signs
from replaylint.render.escape import printable, shortened
from replaylint.render.layout import JOINT, joined, line
from replaylint.render.phrases import (
    MARKERS,
    counted,
    ended,
    figures,
    fixer,
    graded,
    identifier,
    place,
    resolution,
    resumed,
    unread,
)
from replaylint.render.selection import SLOWEST, Shown
from replaylint.render.statistics import statistics
from replaylint.render.suppressions import suppressions
from replaylint.render.timeline import timeline
from replaylint.report.budgets import outcome
from replaylint.report.connections import first_files
from replaylint.report.findings import new
from replaylint.report.source_map import TWO_SIDED
from replaylint.report.unmeasured import REASONS, why_unknown
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Connection, Finding, Peer, Report, Resume, Session, Timing, Trace

OUTCOMES: Final = {
    "complete": ("complete", ": the whole history came, and the session is active"),
    "complete_failed": ("complete, but failed", ": the whole history came, then the resume failed"),
    "truncated": ("truncated", ": the replay ended early; what came is not the full history"),
    "unmarked": ("unmarked", ": only the response says that the history is complete; there was no marker"),
    "rejected": ("rejected", ": the agent refused the request and sent no history"),
    "inconclusive": ("inconclusive", ": the recording stops before the response"),
    "not_requested": ("no replay was requested", ""),
}
WITHOUT_MARKERS: Final = "; protocol v1 has none of its own"
NO_HISTORY: Final = ": no history came before "
MARKED: Final = ", but after the marker: the whole history came"
OUTCOME_STYLES: Final = {"truncated": "warning", "complete_failed": "warning"}

TIMES: Final = {"monotonic": "monotonic times", "wall": "wall-clock times", "relative": "relative times"}
DIRECTIONS: Final = {
    "recorded": "directions recorded",
    "flipped": "directions recorded from the agent's side, and flipped",
    "inferred": "directions not recorded, but inferred",
}
ORDERS: Final = {
    "exact": f"exact{JOINT}order",
    "approximate": "approximate order: recorded one hop away from the client",
    "per_side": "order known within each side only",
}
GUESSED: Final = "approximate order: the times do not always tell which side came first"
"""Of two files, one for each side."""

MAX_KINDS: Final = 5
"""Variants of updates that are named, the most frequent first."""
MAX_ERROR_CHARS: Final = 500
"""Of the message of an error."""

CHILD_INDENT: Final = 2
MAX_INDENTS: Final = 6
"""How many columns a child is indented below its parent, and down to which depth."""

PIPED_BAR_CELLS: Final = 48
MAX_BAR_CELLS: Final = 80
"""The cells of a bar: in a pipe, and at most on a terminal."""

BAR_INDENT: Final = 6


def render(report: Report, view: View) -> Iterator[str]:
    """A block for each recording, with its resumes and below each its findings; at the end the totals."""
    shown = Shown(report, view)
    if view.quiet:
        findings = shown.findings() if shown.filtered else report.findings
        for finding in findings:
            yield from _finding(view, finding, 0, path=finding.trace or "-")
        yield from _not_there(view, shown)
        return
    if view.statistics:
        yield from _totals(view, report, filtered=False)
        yield from statistics(view, report)
        of_the_run = shown.of_trace.get(None, ())
        if of_the_run:
            yield "\n"
        for finding in of_the_run:
            yield from _finding(view, finding, 0)
        return
    known = {resume.trace for resume in report.resumes}
    traces = {trace.path: trace for trace in report.traces}
    for path in shown.traces:
        if traces[path].format is None and path not in shown.of_trace:
            continue  # standard error says why it was not read
        yield from _headline(view, traces[path])
        for number in shown.by_trace.get(path, ()):
            yield "\n"
            yield from _resume(view, number, shown.resumes[number], traces[path])
            if view.timelines is not None:
                yield from timeline(view, 4, shown.resumes[number], view.timelines[number])
            for finding in shown.of_resume.get(number, ()):
                yield from _finding(view, finding, 4, of=shown.resumes[number])
        if path not in known and traces[path].format is not None:
            yield line(view, 2, _without_resumes(traces[path], first_files(report.traces)[path]))
        yield from _outside(view, shown, path)
        yield "\n"
    for finding in shown.of_trace.get(None, ()):
        yield from _finding(view, finding, 0)
    yield from _not_there(view, shown)
    yield from _folded(view, shown)
    yield from _totals(view, report, filtered=shown.filtered)
    yield from _gaps(view, report)


def _outside(view: View, shown: Shown, path: str) -> Iterator[str]:
    """The findings that are on no resume."""
    findings = shown.of_trace.get(path)
    if findings and path in shown.by_trace:
        yield "\n"
        yield line(view, 2, "outside these resumes")
    for finding in findings or ():
        yield from _finding(view, finding, 4 if path in shown.by_trace else 2)


# A recording


def _without_resumes(trace: Trace, first: Trace) -> str:
    if first is not trace:
        return f"a part of the same recording as {printable(first.path)}"
    return "no session/resume and no session/load"


def _headline(view: View, trace: Trace) -> Iterator[str]:
    path: Piece = ("bold", printable(trace.path))
    facts = list(_facts(view, trace))
    if view.width is None:
        yield line(view, 0, path, ": ", *facts)
    else:
        yield line(view, 0, path)
        yield line(view, 2, *facts)
    for _, same in groupby(trace.connections, _connection):
        yield line(view, 2, *_connections(list(same), len(trace.connections)))
    error = trace.error
    if error is not None and trace.format is not None:
        where = f" up to line {error.line}" if error.line is not None else " in part"
        yield line(view, 2, ("error", f"read{where} only"))


def _facts(view: View, trace: Trace) -> Iterator[Piece | str]:
    if trace.format is None:
        yield ("error", "not read")
        return
    yield f"{trace.format}, {joined(counted(trace.lines, 'line'))}; {_times(view, trace)}; "
    order = GUESSED if (trace.format, trace.order) == (TWO_SIDED, "approximate") else ORDERS[trace.order]
    yield f"{DIRECTIONS[trace.directions]}, {order}"
    if trace.lost:
        yield f"; the recorder dropped {joined(counted(trace.lost, 'message'))}"
    if trace.left_out:
        yield f"; left out {joined(counted(trace.left_out, 'message'))} of other hops than the client's"
    if trace.malformed:
        first = (
            f"the first at line {trace.malformed_line}" if trace.malformed > 1 else f"at line {trace.malformed_line}"
        )
        yield f"; passed over {joined(counted(trace.malformed, 'message'))} with a field of a wrong type, {first}"


def _times(view: View, trace: Trace) -> str:
    if trace.timestamps == "none":
        return "no times, so nothing can be measured"
    exact = f" exact to {joined(resolution(trace.resolution_s, view))}" if trace.resolution_s is not None else ""
    return TIMES[trace.timestamps] + exact


def _connections(same: list[Connection], of: int) -> Iterator[str]:
    first, last = same[0].connection, same[-1].connection
    if of > 1:
        yield f"connection {first}: " if first == last else f"connections {first} to {last}: "
    yield _connection(same[0])


def _connection(connection: Connection) -> str:
    version = f"v{connection.protocol_version}" if connection.protocol_version else "version unknown"
    partial = "; its beginning is not recorded" if connection.partial else ""
    return f"protocol {version}, agent {_peer(connection.agent)}, client {_peer(connection.client)}{partial}"


def _peer(peer: Peer) -> str:
    if peer.name is None:
        return "unknown"
    return shortened(peer.name if peer.version is None else f"{peer.name} {peer.version}")


# A resume


def _resume(view: View, number: int, resume: Resume, trace: Trace) -> Iterator[str]:
    at = joined(f"line {resume.request.line}")
    connection = f" on connection {resume.connection}" if len(trace.connections) > 1 else ""
    yield line(
        view,
        2,
        ("bold", joined(f"resume {number}")),
        f": {resume.method} with id {identifier(resume.request_id)} at {at}{connection}, ",
        *_end(resume),
    )
    if resume.ambiguous:
        yield line(view, 4, ("warning", "ambiguous"), ": another replay of the session was pending at the same time")
    for depth, session in _family(resume.sessions):
        yield from _session(view, resume, session, trace, 4 + CHILD_INDENT * min(depth, MAX_INDENTS), below=depth > 0)


def _end(resume: Resume) -> Iterator[Piece | str]:
    response = resume.response
    if response is None:
        yield "no response: the connection ended" if resume.end == "closed" else "no response"
        return
    at = f" at {joined(place(response))}"
    if response.error is None:
        yield f"success{at}"
        return
    yield ("error", "cancelled" if resume.end == "cancelled" else "error")
    code, message = response.error.code, response.error.message
    if code is not None:
        yield f" {code}"
    yield at
    if message:
        yield f": {shortened(message, MAX_ERROR_CHARS)}"
    if response.error.data is not None:
        yield f" (data: {printable(response.error.data)})"


def _family(sessions: list[Session]) -> Iterator[tuple[int, Session]]:
    """Each session with its depth, children after their parent; one whose parent is missing is at depth 0."""
    ids = {session.session_id for session in sessions}
    children: dict[str, list[Session]] = {}
    roots = []
    for session in sessions:
        if session.parent in ids and session.parent is not None:
            children.setdefault(session.parent, []).append(session)
        else:
            roots.append(session)
    # A recording can say that two sessions are each other's children.
    left = {id(session) for session in sessions}
    for root in [*roots, *sessions]:
        waiting = [(0, root)]
        while waiting:
            depth, session = waiting.pop()
            if id(session) not in left:
                continue
            left.remove(id(session))
            yield depth, session
            waiting += [(depth + 1, child) for child in reversed(children.get(session.session_id, ()))]


def _session(view: View, resume: Resume, session: Session, trace: Trace, indent: int, *, below: bool) -> Iterator[str]:
    timing = session.timing
    parent = f" of {shortened(session.parent)}" if session.parent is not None and not below else ""
    word, meaning = OUTCOMES[session.outcome]
    if session.outcome == "inconclusive" and session.marker is not None:
        meaning += MARKED
    if session.outcome == "truncated" and not session.updates.history:
        meaning = NO_HISTORY + _before(resume)
    if session.outcome == "unmarked" and _version(resume, trace) == 1:
        meaning += WITHOUT_MARKERS
    role = "child" if session.role == "child" else "session"
    style = OUTCOME_STYLES.get(session.outcome, "")
    total = f"; response after {joined(duration(timing.total_s))}" if timing.total_s is not None else ""
    if session.outcome in {"not_requested", "rejected"}:
        meaning += total
    yield line(view, indent, f"{role} {shortened(session.session_id)}{parent}, ", (style, word), meaning)
    if session.outcome in {"not_requested", "rejected"}:
        return
    yield line(view, indent + 2, *_gap(resume, session, trace))
    if session is resume.sessions[0]:
        yield from _bar(view, timing)
    yield line(view, indent + 2, *_counts(session))


def _before(resume: Resume) -> str:
    """What ended the request."""
    if resume.response is None or resume.response.error is None:
        return "the connection ended"
    code = resume.response.error.code
    return "the error" if code is None else f"error {code}"


def _version(resume: Resume, trace: Trace) -> int | None:
    """The protocol version of the resume's connection."""
    at = bisect_left(trace.connections, resume.connection, key=attrgetter("connection"))
    found = next(iter(trace.connections[at : at + 1]), None)
    return found.protocol_version if found is not None and found.connection == resume.connection else None


def _counts(session: Session) -> Iterator[Piece | str]:
    updates = session.updates
    yield joined(counted(updates.history, "history update"))
    for count, what in ((updates.live, "live"), (updates.other, "other")):
        if count:
            yield f", {joined(f'{count} {what}')}"
    if session.marker is not None:
        yield f", marker {MARKERS[session.marker.kind]} at {joined(place(session.marker))}"
    kinds = Counter(updates.by_kind).most_common()
    if kinds:
        named = [f"{count}{JOINT}{shortened(kind)}" for kind, count in kinds[:MAX_KINDS]]
        more = f", {joined(counted(len(kinds) - MAX_KINDS, 'more kind'))}" if len(kinds) > MAX_KINDS else ""
        yield ("dim", f" ({', '.join(named)}{more})")


def _gap(resume: Resume, session: Session, trace: Trace) -> Iterator[Piece | str]:
    """The response gap, what filled it, and what it means."""
    timing = session.timing
    gap = timing.response_gap_s
    if gap is None:
        reason = why_unknown("response_gap_s", resume, session, trace)
        yield f"response gap unknown: {REASONS[reason]}"
        return
    yield "response gap "
    yield ("gap", joined(duration(gap)))
    after = f" after {joined(duration(timing.replay_s))}" if timing.replay_s is not None else ""
    marked = timing.replay_end == "marker"
    yield f": the client had the whole history{after}" if marked else f": the last history update came{after}"
    failed = resume.response is not None and resume.response.error is not None
    awaited = "the error" if failed else "the response"
    if not gap:
        yield f", and {awaited} with it"
        return
    unaware = "" if failed else ", which could not know that it was the last,"
    yield f" and kept waiting for {awaited}" if marked else f"; the client{unaware} kept waiting for {awaited}"
    pause, waiting = timing.gap_longest_pause_s, timing.gap_waiting_for_client_s
    if pause is not None:
        all_of_it = duration(pause) == duration(gap)
        yield " without any update" if all_of_it else f"; longest silence in it {joined(duration(pause))}"
    if waiting:
        yield f"; {joined(duration(waiting))} of it the agent waited for the client"


def _bar(view: View, timing: Timing) -> Iterator[str]:
    cells = PIPED_BAR_CELLS if view.width is None else max(10, min(MAX_BAR_CELLS, view.width - BAR_INDENT - 2))
    drawn = bar(timing, cells, unicode=view.unicode)
    if drawn is None or timing.total_s is None or timing.replay_s is None:
        return
    sign = signs(unicode=view.unicode)
    yield line(view, BAR_INDENT, *drawn)
    shows = "".join(text for _, text in drawn)
    legend = []
    if timing.to_first_update_s is not None and sign.before in shows:
        legend.append(f"{sign.before}{JOINT}first update at {joined(duration(timing.to_first_update_s))}")
    replayed = joined(duration(timing.replay_s))
    if timing.replay_end == "marker":
        legend += [f"{sign.replay}{JOINT}replay"] if sign.replay in shows else []
        legend.append(f"{MARKER}{JOINT}end-of-replay marker at {replayed}")
    else:
        legend.append(f"{sign.replay}{JOINT}replay to {replayed}")
    if sign.gap in shows:
        legend.append(f"{sign.gap}{JOINT}response gap")
    if timing.snapshot_gap_s is not None:
        at = joined(duration(timing.replay_s + timing.snapshot_gap_s))
        legend.append(f"{SNAPSHOT}{JOINT}state snapshot at {at}")
    legend.append(f"response at {joined(duration(timing.total_s))}")
    yield line(view, BAR_INDENT, ("dim", ", ".join(legend)))


# A finding


def _finding(
    view: View, finding: Finding, indent: int, *, path: str | None = None, of: Resume | None = None
) -> Iterator[str]:
    """One line; on a terminal the message and the evidence are on lines of their own.

    What the headings above say is left out: the path of the recording, the resume.
    """
    head: list[Piece | str] = [f"{printable(path)}: "] if path is not None else []
    head.append((finding.severity, f"{finding.severity}{JOINT}{finding.rule}"))
    head.append(f" {finding.name}")
    named = of.sessions[0].session_id if of is not None and of.sessions else None
    if finding.session_id not in {None, named}:
        head.append(f", session {shortened(finding.session_id)}")
    head.append(_where(finding, None if of is None else of.trace))
    message = printable(finding.message)
    fixed = f"to be fixed {fixer(finding.party)}"
    if finding.known:
        fixed += "; known from the baseline"
    rests = ", ".join(f"{joined(place(each))} {printable(each.what)}" for each in finding.evidence)
    evidence: list[Piece | str] = [("dim", f"; evidence: {rests}")] if rests else []
    if view.width is None:
        yield line(view, indent, *head, f": {message} ({fixed}", *evidence, ")")
        return
    yield line(view, indent, *head)
    yield line(view, indent + 2, message)
    yield line(view, indent + 2, fixed, *evidence)


def _where(finding: Finding, here: str | None) -> str:
    if finding.line is None:
        return ""
    last = finding.last_line
    where = f"line {finding.line}" if last is None or last == finding.line else f"lines {finding.line} to {last}"
    if here is not None and finding.trace is not None and finding.trace != here:
        where += f" of {printable(finding.trace)}"
    return f", {joined(where)}" + (f", {joined(f'{finding.count} times')}" if finding.count > 1 else "")


# The end


def _not_there(view: View, shown: Shown) -> Iterator[str]:
    if shown.filtered and not shown.resumes:
        asked = [f"--session {printable(view.session)}"] if view.session is not None else []
        asked += [f"--resume {view.resume}"] if view.resume is not None else []
        yield line(view, 0, ("bold", "no such resume"), f": {' '.join(asked)}")


def _folded(view: View, shown: Shown) -> Iterator[str]:
    if not shown.folding or not (shown.folded or shown.folded_traces):
        return
    folded = []
    if shown.folded:
        outcomes = Counter(session.outcome for resume in shown.folded for session in resume.sessions)
        folded.append(f"{counted(len(shown.folded), 'resume')} ({ended(outcomes, joined)})")
    if shown.folded_traces:
        folded.append(counted(shown.folded_traces, "recording"))
    yield line(
        view,
        0,
        ("bold", "folded"),
        f": {' and '.join(folded)} without errors and warnings, none of them among the {SLOWEST} slowest; ",
        "--all shows them, --resume N the N-th resume, --session ID those of a session",
    )


def _totals(view: View, report: Report, *, filtered: bool) -> Iterator[str]:
    summary = report.summary
    pieces: list[Piece | str] = ["in all " if filtered else "", resumed(summary.resumes, summary.outcomes, joined)]
    separator = "; "
    for severity, count in new(report.findings).items():
        number = joined(graded(count, severity))
        pieces += [separator, (severity, number) if count else number]
        separator = ", "
    missing = unread(sum(trace.error is not None for trace in report.traces))
    if missing:
        pieces += ["; ", ("error", joined(missing))]
    yield line(view, 0, *pieces)
    for each in report.budgets:
        yield line(view, 0, ("bold", "budget"), f" {printable(each.budget)}: {outcome(each)}")
    yield from suppressions(view, report)


def _gaps(view: View, report: Report) -> Iterator[str]:
    gaps = report.summary.timing.get("response_gap_s")
    if gaps is None or not gaps.n:
        return
    yield line(
        view,
        0,
        ("bold", "response gap"),
        f" over {joined(counted(gaps.n, 'replay'))}: {', '.join(map(joined, figures(gaps)))}",
        ("dim", " (how long the client waited for the response after the replay had ended)"),
    )
