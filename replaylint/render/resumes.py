"""Resumes one by one, as `text` shows few of them: their recording, how each ended, its bar and its figures."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from replaylint.render.bar import MARKER, SNAPSHOT, bar, signs
from replaylint.render.escape import printable, shortened
from replaylint.render.layout import JOINT, joined, line
from replaylint.render.phrases import MARKERS, counted, gap_style, identifier, place, resolution
from replaylint.render.timeline import timeline
from replaylint.report.connections import first_files
from replaylint.report.source_map import TWO_SIDED
from replaylint.report.unmeasured import REASONS, why_unknown
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Connection, Peer, Report, Resume, Session, Timing, Trace

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


# A recording


def recording(view: View, report: Report, trace: Trace, resumes: Mapping[int, Resume]) -> Iterator[str]:
    """What it is like, and these resumes of it, each below its number."""
    yield from _headline(view, trace)
    for number, resume in resumes.items():
        yield from _resume(view, number, resume, trace)
        if view.timelines is not None:
            yield from timeline(view, 4, resume, view.timelines[number])
    if not any(each.trace == trace.path for each in report.resumes):
        yield line(view, 2, _without_resumes(trace, first_files(report.traces)[trace.path]))


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
    yield from _bar(view, timing, indent + 2)
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
    yield (gap_style(gap), joined(duration(gap)))
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


def _bar(view: View, timing: Timing, indent: int) -> Iterator[str]:
    cells = PIPED_BAR_CELLS if view.width is None else max(10, min(MAX_BAR_CELLS, view.width - indent - 2))
    drawn = bar(timing, cells, unicode=view.unicode)
    if drawn is None or timing.total_s is None or timing.replay_s is None:
        return
    sign = signs(unicode=view.unicode)
    yield line(view, indent, *drawn)
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
    yield line(view, indent, ("dim", ", ".join(legend)))
