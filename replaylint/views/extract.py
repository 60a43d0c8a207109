"""Which lines of a recording one resume needs, so that they show of it what the whole recording does.

A *selection* keeps lines of the resume's connection, by the sessions that they concern. Its sessions are those of the
resume; those of every resume that shares one with it; the parents that announced one; the session of the vendor's event
that makes a missing one an error. It ends with the last line that the resume and its findings, or another resume of
these sessions, need. Kept are

- the recorder's notes: where the connection begins, where it ended, what was dropped;
- `initialize` and its answer, or what else gave the version away, where the resume itself does not;
- up to the end of the selection, every message that bears the id of one of the sessions, names it in a result, or
  announces it; of the updates before the resume only those of earlier resumes, markers, states and announcements;
- requests and answers in pairs, wherever the other one stands, and what cancels a request that is kept;
- what ended the connection, where something that is kept was not answered before.

Where that does not show the same, more is kept, step by step: `Scope` says what.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from enum import IntEnum
from heapq import heappop, heappush
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from replaylint.analysis.lint import watched
from replaylint.protocol import children, methods
from replaylint.protocol.exchange import id_key
from replaylint.protocol.variants import REPLAY_COMPLETE, STATE
from replaylint.recording.message import CLIENT, Ended, Header, HungUp, Lost
from replaylint.replay.events import (
    ConnectionEnded,
    MarkerReceived,
    Noted,
    NotificationSent,
    RequestSent,
    ResponseReceived,
    UpdateReceived,
)
from replaylint.replay.states import Trigger
from replaylint.replay.timing import FIGURES
from replaylint.rules.registry import REQUEST

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.replay.events import Stream
    from replaylint.report.model import Finding, Report, Resume, Session

NEAR_S: Final = 2e-6
"""Figures that differ by no more, in seconds, are the same: each is rounded to microseconds."""


class Scope(IntEnum):
    """How much is kept, from little to much."""

    NEEDED = 1
    """The selection."""
    SESSIONS = 2
    """Its updates before the resume, too."""
    RECONNECTED = 3
    """What concerns its sessions on other connections, too: a rule may ask whether a session was ever used."""
    CONNECTION = 4
    """Every message of the connection up to the selection's end."""
    RECORDING = 5
    """Every line up to the selection's end."""
    WHOLE = 6
    """Every line: a later one may say how something ended that the resume left open."""


class _Kind(IntEnum):
    UPDATE = 0
    KEY_UPDATE = 1
    """A marker, a state, an announcement: may mean something later."""
    EXCHANGE = 2
    """A request or a response: kept as a pair."""
    OTHER = 3


class _Exchange:
    """A request, and its response if there was one."""

    __slots__ = ("client", "connection", "ids", "key", "method", "request_line", "response_line")

    def __init__(self, event: RequestSent) -> None:
        request = event.request
        self.client = event.side == CLIENT
        self.connection = event.connection.number
        self.ids = {request.session_id} if request.session_id is not None else set()
        self.key = request.key
        self.method = request.method
        self.request_line = event.line
        self.response_line = 0

    def answer(self, event: ResponseReceived) -> None:
        """Its response, which may name sessions."""
        self.response_line = event.line
        result = event.body.get("result")
        facts = result if isinstance(result, dict) else {}
        listed = facts.get("sessions")
        for each in (facts, *(listed if isinstance(listed, list) else ())):
            session_id = each.get("sessionId") if isinstance(each, dict) else None
            if isinstance(session_id, str):
                self.ids.add(session_id)


class Survey:
    """What is where in a recording: some bytes a message, and a little more for what is rare."""

    def __init__(self, path: str) -> None:
        self.lines, self.connections, self.sessions, self.kinds = array("q"), array("q"), array("q"), bytearray()
        """A message each: its line, its connection, its session (-1: none) and its kind."""
        self.ids: dict[str, int] = {}
        self.exchanges: list[_Exchange] = []
        self.announcements: list[tuple[int, str, str]] = []
        """Connection, parent, child."""
        self.vendor_events: list[tuple[int, int, str]] = []
        """Connection, line, session."""
        self.cancels: list[tuple[int, int, object]] = []
        """Connection, line, the id of the request as ids are compared."""
        self.versions: dict[int, int] = {}
        """Of a connection: the line that gave its version away."""
        self.notes: list[tuple[int, int]] = []
        """Connection, line."""
        self.ends: dict[int, tuple[int, ...]] = {}
        """Of a connection that another one ended: the lines that say so."""
        self.headers: dict[int, int] = {}
        """Of a connection: the header that began it."""
        self.first_header = 0
        self._exchanges: dict[Request, _Exchange] = {}
        """Those that are not answered yet."""
        self.report = watched(path, self._subscribe)

    def _subscribe(self, stream: Stream) -> None:
        stream.everything = True
        stream.subscribe(RequestSent, self._request)
        stream.subscribe(ResponseReceived, self._response)
        stream.subscribe(NotificationSent, self._notification)
        stream.subscribe(UpdateReceived, self._update)
        stream.subscribe(MarkerReceived, self._marker)
        stream.subscribe(Noted, self._note)
        stream.subscribe(ConnectionEnded, self._ended)

    def _add(self, kind: _Kind, line: int, connection: Connection, session_id: str | None) -> None:
        self.lines.append(line)
        self.connections.append(connection.number)
        self.sessions.append(-1 if session_id is None else self.ids.setdefault(session_id, len(self.ids)))
        self.kinds.append(kind)

    def _request(self, event: RequestSent) -> None:
        if event.again:
            # It belongs to the connection that an `initialize` before it turned out to start.
            self._exchanges[event.request].connection = event.connection.number
            return
        self._exchanges[event.request] = exchange = _Exchange(event)
        self.exchanges.append(exchange)
        self._add(_Kind.EXCHANGE, event.line, event.connection, event.session_id)

    def _response(self, event: ResponseReceived) -> None:
        session_id, request = event.session_id, event.request
        if request is not None and request in self._exchanges:
            self._exchanges.pop(request).answer(event)
        if session_id is None:
            result = event.body.get("result")
            named = result.get("sessionId") if isinstance(result, dict) else None
            session_id = named if isinstance(named, str) else None
        self._add(_Kind.EXCHANGE, event.line, event.connection, session_id)

    def _notification(self, event: NotificationSent) -> None:
        number = event.connection.number
        if event.again:
            for at in range(bisect_left(self.lines, event.line), bisect_right(self.lines, event.line)):
                if self.kinds[at] == _Kind.OTHER:
                    self.connections[at] = number
            return
        if event.method == methods.CANCEL_REQUEST:
            self.cancels.append((number, event.line, id_key(event.params.get("requestId"))))
        self._add(_Kind.OTHER, event.line, event.connection, event.session_id)

    def _update(self, event: UpdateReceived) -> None:
        child = children.announced(event.variant, event.update)
        if child is not None:
            self.announcements.append((event.connection.number, event.session_id, child))
        key = child is not None or event.variant in {REPLAY_COMPLETE, STATE}
        self._add(_Kind.KEY_UPDATE if key else _Kind.UPDATE, event.line, event.connection, event.session_id)

    def _marker(self, event: MarkerReceived) -> None:
        if event.trigger == Trigger.VENDOR_MARKER:
            self.vendor_events.append((event.connection.number, event.line, event.session_id))
        self._add(_Kind.KEY_UPDATE, event.line, event.connection, event.session_id)

    def _note(self, event: Noted) -> None:
        if isinstance(event.note, Header):
            self.first_header = self.first_header or event.line
        elif isinstance(event.note, Ended | HungUp | Lost) and event.connection is not None:
            self.notes.append((event.connection.number, event.line))

    def _ended(self, event: ConnectionEnded) -> None:
        connection = event.connection
        if connection.header_line:
            self.headers[connection.number] = connection.header_line
        if connection.version_line:
            self.versions[connection.number] = connection.version_line
        if event.said_at:
            self.ends[connection.number] = event.said_at


class Selection:
    """The lines that one resume needs; the resume is named by its number, 1-based in report order."""

    def __init__(self, survey: Survey, number: int) -> None:
        self._survey = survey
        self._report = survey.report
        self.resume = survey.report.resumes[number - 1]
        self._by_request = by_request(survey.report)
        self.findings = findings_of(self._by_request, self.resume)
        self._ids = ids_of(self.resume) | {each.session_id for each in self.findings if each.session_id is not None}
        self._last = max([self.resume.request.line, *_lines_of(self.findings)])
        self._also: set[int] = _lines_of(self.findings)
        self._begins: list[int] = []
        self._ends: list[int] = []
        """The first line of each resume that shares a session, in order, and the last one of it and those before."""
        self._follow_vendor()
        self._follow_cancel()
        self._grow()

    def kept(self, scope: Scope) -> bytearray:
        """A byte for each line of the recording, after one for line 0, which there is not: whether it is kept."""
        survey, connection = self._survey, self.resume.connection
        last_line = survey.report.traces[0].lines
        kept = bytearray(last_line + 1)
        connections = {connection}
        if scope >= Scope.RECONNECTED:
            connections |= {each.connection for each in survey.exchanges if self._shares(each)}
        for line in self._always(connections):
            kept[line] = 1
        wanted = {survey.ids[each] for each in self._ids if each in survey.ids}
        for line, number, session, kind in zip(
            survey.lines, survey.connections, survey.sessions, survey.kinds, strict=True
        ):
            if number in connections and line <= self._last and kind != _Kind.EXCHANGE:
                all_of_it = scope >= Scope.CONNECTION and number == connection
                kept[line] |= all_of_it or (session in wanted and self._tells(line, kind, scope))
            if number in connections and line in self._also:
                kept[line] = 1
        self._keep_exchanges(kept, scope, connections)
        if scope >= Scope.RECORDING:
            end = last_line if scope == Scope.WHOLE else max(kept.rfind(1), min(self._last, last_line))
            kept[1 : end + 1] = b"\1" * end
        return kept

    def _tells(self, line: int, kind: int, scope: Scope) -> bool:
        """Whether this message of one of the sessions is needed."""
        if scope > Scope.NEEDED or kind != _Kind.UPDATE or line >= self.resume.request.line:
            return True
        at = bisect_right(self._begins, line)
        return at > 0 and line <= self._ends[at - 1]

    def _always(self, connections: set[int]) -> Iterator[int]:
        survey = self._survey
        headers = [survey.headers[number] for number in connections if number in survey.headers]
        yield from headers or [survey.first_header]  # a recorder's format is known by one
        yield from (line for number, line in survey.notes if number in connections)
        if self.resume.method != methods.LOAD and not self.resume.replaying:
            yield from (line for number, line in survey.versions.items() if number in connections)

    def _shares(self, exchange: _Exchange) -> bool:
        return exchange.request_line <= self._last and not exchange.ids.isdisjoint(self._ids)

    def _keep_exchanges(self, kept: bytearray, scope: Scope, connections: set[int]) -> None:
        """Requests with their answers, until nothing is missing: a batch may bring further ones."""
        connection = self.resume.connection
        exchanges = [each for each in self._survey.exchanges if each.connection in connections]
        kept[0] = 0
        at: defaultdict[int, list[_Exchange]] = defaultdict(list)
        for each in exchanges:
            own = each.connection == connection and each.request_line <= self._last
            if each.method == methods.INITIALIZE or self._shares(each) or (own and scope >= Scope.CONNECTION):
                kept[each.request_line] = 1
            for line in (each.request_line, each.response_line):
                at[line].append(each)
        cancels: defaultdict[tuple[int, object], list[int]] = defaultdict(list)
        for number, line, key in self._survey.cancels:
            cancels[number, key].append(line)
        new = [line for line in at if kept[line]]
        while new:
            for each in at.pop(new.pop(), ()):
                for line in (
                    *(each.request_line, each.response_line, *cancels.pop((each.connection, each.key), ())),
                    *(self._survey.ends.get(each.connection, ()) if not each.response_line else ()),
                ):
                    if line and not kept[line]:
                        kept[line] = 1
                        new.append(line)

    def _grow(self) -> None:
        """Until no other resume of the connection shares a session with what is kept."""
        connection, last_line = self.resume.connection, self._report.traces[0].lines
        parents: defaultdict[str, set[str]] = defaultdict(set)
        for number, parent, child in self._survey.announcements:
            if number == connection:
                parents[child].add(parent)
        sharing: defaultdict[str, set[int]] = defaultdict(set)
        resumes = [each for each in self._report.resumes if each.connection == connection]
        for at, each in enumerate(resumes):
            for session_id in ids_of(each):
                sharing[session_id].add(at)
        if self.resume.response is None:
            self._last = last_line
        spans: list[tuple[int, int]] = []
        ids = list(self._ids)
        later: list[tuple[int, int]] = []
        """Those that share one, the first of them first: the line, and which one it is."""
        known: set[int] = set()
        """Which ones these are and were."""
        while ids or (later and later[0][0] <= self._last):
            if ids:
                session_id = ids.pop()
                found = parents[session_id]
                for at in sharing.pop(session_id, set()) - known:
                    heappush(later, (resumes[at].request.line, at))
                    known.add(at)
            else:
                line, at = heappop(later)
                each = resumes[at]
                found = ids_of(each)
                last = each.response.line if each.response is not None else last_line
                spans.append((line, last))
                if each.response is not None:
                    self._last = max(self._last, last, *_lines_of(findings_of(self._by_request, each)))
            ids += found - self._ids
            self._ids |= found
        self._begins = [first for first, _ in sorted(spans)]
        self._ends = list(accumulate((last for _, last in sorted(spans)), max))

    def _follow_vendor(self) -> None:
        """Whether the agent sends the vendor's event at all makes a missing one grave."""
        if all(each.rule != "RL201" for each in self.findings):
            return
        events = [each for each in self._survey.vendor_events if each[0] == self.resume.connection]
        if events and not any(session in self._ids and line <= self._last for _, line, session in events):
            _, line, session = events[0]
            self._ids.add(session)
            self._last = max(self._last, line)

    def _follow_cancel(self) -> None:
        """An agent that answers what came after a cancellation, but not what was cancelled, has gone on."""
        key, first = id_key(self.resume.request_id), self.resume.request.line
        line = next(
            (
                line
                for number, line, cancelled in self._survey.cancels
                if number == self.resume.connection and cancelled == key and line > first
            ),
            0,
        )
        if line and self.resume.response is None:
            for each in self._survey.exchanges:
                later = each.client and each.connection == self.resume.connection and each.request_line > line
                if later and each.response_line:
                    self._also |= {each.request_line, each.response_line}
                    return


def ids_of(resume: Resume) -> set[str]:
    """The sessions of a resume."""
    ids = {session.session_id for session in resume.sessions}
    return ids if resume.session_id is None else ids | {resume.session_id}


def by_request(report: Report) -> Mapping[tuple[object, ...], list[Finding]]:
    """The findings by each request that is evidence of them: its connection, its line, and whose it is.

    That is the id of a client's request, as ids are compared, or None where the finding concerns no request.
    """
    found: defaultdict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for each in report.findings:
        whose = None if each.side is None else (each.side, id_key(each.request_id))
        for line in {evidence.line for evidence in each.evidence if evidence.what == REQUEST}:
            found[each.connection, line, whose].append(each)
    return found


def findings_of(by_request: Mapping[tuple[object, ...], list[Finding]], resume: Resume) -> list[Finding]:
    """The findings on a resume: those that its request is evidence of."""
    connection, line = resume.connection, resume.request.line
    whose = CLIENT, id_key(resume.request_id)
    return [*by_request.get((connection, line, None), ()), *by_request.get((connection, line, whose), ())]


def _lines_of(findings: list[Finding]) -> set[int]:
    lines = {each.line for finding in findings for each in finding.evidence}
    return lines | {line for each in findings for line in (each.line, each.last_line) if line is not None}


class Moved:
    """Where the lines that were kept stand among each other."""

    def __init__(self, kept: bytearray) -> None:
        self._kept = kept
        self._up_to = array("q", accumulate(kept))

    def to(self, line: int | None) -> int | None:
        """Where this line stands now; None where it was not kept."""
        return self._up_to[line] if line is not None and self._kept[line] else None


def same(selection: Selection, moved: Moved, extract: Report) -> bool:
    """Whether this report of the lines that were kept says the same of the resume as that of the whole recording."""
    line = moved.to(selection.resume.request.line)
    for each in extract.resumes:
        if each.request.line == line and id_key(each.request_id) == id_key(selection.resume.request_id):
            found = [_finding(finding, None) for finding in findings_of(by_request(extract), each)]
            wanted = [_finding(finding, moved) for finding in selection.findings]
            return (
                sorted(found, key=repr) == sorted(wanted, key=repr)
                and _resume(each, None) == _resume(selection.resume, moved)
                and len(each.sessions) == len(selection.resume.sessions)
                and all(map(_near, each.sessions, selection.resume.sessions))
            )
    return False


def accuses(moved: Moved, extract: Report, whole: Report) -> bool:
    """Whether the report of the lines that were kept finds something that is not found in the whole recording."""
    known = {_finding(each, moved)[:4] for each in whole.findings}
    return any(_finding(each, None)[:4] not in known for each in extract.findings)


def _at(moved: Moved | None, line: int | None) -> int | None:
    return line if moved is None else moved.to(line)


def _finding(each: Finding, moved: Moved | None) -> tuple[object, ...]:
    return (
        *(each.rule, each.severity, _at(moved, each.line), each.session_id, each.party, each.count, each.side),
        *(each.fingerprint, _at(moved, each.last_line)),
        tuple((_at(moved, evidence.line), evidence.what) for evidence in each.evidence),
    )


def _resume(each: Resume, moved: Moved | None) -> tuple[object, ...]:
    response = each.response
    error = response.error if response is not None else None
    return (
        *(each.method, each.session_id, each.replaying, each.replay_from, each.ambiguous, each.end),
        _at(moved, response.line) if response is not None else None,
        (error.code, error.message) if error is not None else None,
        [_session(session, moved) for session in each.sessions],
    )


def _session(each: Session, moved: Moved | None) -> tuple[object, ...]:
    marker, updates = each.marker, each.updates
    return (
        *(each.session_id, each.role, each.parent, each.was_active, each.outcome, each.certified_by),
        _at(moved, each.announced_line),
        (marker.kind, _at(moved, marker.line)) if marker is not None else None,
        (updates.history, updates.live, updates.other, updates.bytes, updates.by_kind),
        each.timing.replay_end,
    )


def _near(one: Session, other: Session) -> bool:
    """Whether two sessions have the same figures."""
    for figure in FIGURES:
        first, second = getattr(one.timing, figure), getattr(other.timing, figure)
        if (first is None) != (second is None) or (first is not None and abs(first - second) > NEAR_S):
            return False
    return True
