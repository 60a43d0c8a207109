"""What a rule is: its declaration, what it listens to, and what it says.

A rule's file declares `RULE` and registers up to a few pure functions on it: one that *sees* events in windows, whose
occurrences the runner counts, and those that decide when a fact is certain. A rule keeps no state of its own. Its
docstring is the only source of its explanation.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal

from replaylint.rules.words import Clause, Count, cut, elapsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Side
    from replaylint.replay.facts import Frame
    from replaylint.replay.states import Event, State
    from replaylint.replay.window import End, Occurrences, Past, Resume, Role, Seen, Stray, Window

    See = Callable[[Window, Event, Seen], "Severity | Violation | None"]
    SeeAfter = Callable[[Connection, Past, Event, Seen], "Violation | None"]
    SeePlain = Callable[[Resume, Seen], "Severity | None"]
    Notice = Callable[[Connection, Seen, "Window | None"], "Severity | Violation | None"]
    AtRequestEnd = Callable[[Resume], Iterable["Violation"]]
    AtStray = Callable[[Connection, Stray], "Violation | None"]
    AtUnnamed = Callable[[Connection, str, Occurrences, "Request | None"], "Violation | None"]
    Read = Callable[["Connection | None", Frame], "Violation | None"]
    AtRecordingEnd = Callable[[int], "Violation | None"]
    AtUnanswered = Callable[[Connection, Request, End], "Violation | None"]
    Confirm = Callable[[Connection, "Violation"], "Severity | None"]

Party = Literal["agent", "client", "recording"]


class Severity(IntEnum):
    """How grave a finding is."""

    INFO = 1
    WARNING = 2
    ERROR = 3


INFO: Final = Severity.INFO
WARNING: Final = Severity.WARNING
ERROR: Final = Severity.ERROR

REQUEST: Final = "request"
"""What the request that a finding concerns is called among its evidence."""

VERSIONS: Final = (1, 2)
ENDS: Final[tuple[End, ...]] = ("success", "error", "cancelled", "closed", "open")


class Rule:
    """A rule.

    `party` has to fix it; None: each violation says who. `severities` are those that a violation can have, the usual
    one first.
    `message` is the rule's sentence, a template over the facts of a violation.
    `suppressed_by` names the rules beside which it is silent for the same request, with the least severity that
    silences it. `needs_beginning`: it argues from the absence of something earlier, so it is silent where the
    connection's beginning is not in the recording. `needs_order`: it argues from the order of messages of both sides,
    so it is silent where that is not known.
    """

    def __init__(
        self,
        code: str,
        name: str,
        *,
        party: Party | None,
        severities: tuple[Severity, ...] = (),
        message: str,
        suppressed_by: Mapping[str, Severity] | None = None,
        needs_beginning: bool = False,
        needs_order: bool = False,
    ) -> None:
        self.code = code
        self.name = name
        self.party = party
        self.severities = severities
        self.message = message
        self.suppressed_by = suppressed_by or {}
        self.needs_beginning = needs_beginning
        self.needs_order = needs_order
        self.listening: dict[tuple[int | None, State, Event], See] = {}
        self.listening_after: dict[Event, SeeAfter] = {}
        self.see_plain: SeePlain | None = None
        self.notice: dict[str, Notice] = {}
        self.request_end: AtRequestEnd | None = None
        self.ends: tuple[End, ...] = ()
        self.stray: AtStray | None = None
        self.read: dict[str, Read] = {}
        self.unnamed: AtUnnamed | None = None
        self.unanswered: AtUnanswered | None = None
        self.recording_end: AtRecordingEnd | None = None
        self.confirm: dict[int | None, Confirm] = {}

    def sees(
        self, *, states: Iterable[State], events: Iterable[Event], versions: Iterable[int] = VERSIONS
    ) -> Callable[[See], See]:
        """Called for these events in these states.

        A severity is counted on the window, for `at_request_end` to settle; a violation stands as it is.
        """

        def register(function: See) -> See:
            for version in versions:
                for state in states:
                    for event in events:
                        self.listening[version, state, event] = function
            return function

        return register

    def sees_after(self, *events: Event) -> Callable[[SeeAfter], SeeAfter]:
        """Called for these events of a session whose last replay has ended."""

        def register(function: SeeAfter) -> SeeAfter:
            for event in events:
                self.listening_after[event] = function
            return function

        return register

    def sees_plain(self, function: SeePlain) -> SeePlain:
        """Called for the updates of the session of a pending request that asks for no history."""
        self.see_plain = function
        return function

    def notices(self, *facts: str) -> Callable[[Notice], Notice]:
        """Called for these facts. A severity is counted on the window, for `at_request_end` to settle."""

        def register(function: Notice) -> Notice:
            for fact in facts:
                self.notice[fact] = function
            return function

        return register

    def reads(self, *kinds: str) -> Callable[[Read], Read]:
        """Called for messages that are this, and for what stands in the place of one."""

        def register(function: Read) -> Read:
            for kind in kinds:
                self.read[kind] = function
            return function

        return register

    def at_request_end(self, *ends: End) -> Callable[[AtRequestEnd], AtRequestEnd]:
        """Called when a resume has ended in one of these ways, or in any, with its windows as they were then.

        A rule that also sees events or facts settles what it saw: it is called only if a window holds something.
        """

        def register(function: AtRequestEnd) -> AtRequestEnd:
            self.request_end = function
            self.ends = ends or ENDS
            return function

        return register

    def at_stray_marker(self, function: AtStray) -> AtStray:
        """Called for a marker that belongs to no request."""
        self.stray = function
        return function

    def at_unnamed(self, function: AtUnnamed) -> AtUnnamed:
        """Called for the updates of a session that only the result of a request named, or nothing at all."""
        self.unnamed = function
        return function

    def at_unanswered(self, function: AtUnanswered) -> AtUnanswered:
        """Called for each request that is unanswered when its connection ends."""
        self.unanswered = function
        return function

    def at_connection_end(self, version: int) -> Callable[[Confirm], Confirm]:
        """Called for each violation on a connection of this version at its end: its severity, or None for none."""

        def register(function: Confirm) -> Confirm:
            self.confirm[version] = function
            return function

        return register

    def at_recording_end(self, function: AtRecordingEnd) -> AtRecordingEnd:
        """Called when a recording was read to its end and nothing in it was lost, with its number of resumes."""
        self.recording_end = function
        return function

    def seen_in(self, resume: Resume) -> Iterator[tuple[Window, Occurrences]]:
        """The windows of this resume in which the rule saw something, and what."""
        for window in resume.windows.values():
            seen = window.occurrences.get(self.code)
            if seen is not None:
                yield window, seen

    def saw(
        self,
        severity: Severity,
        connection: Connection,
        seen: Seen,
        *,
        window: Window | None = None,
        past: Past | None = None,
        **facts: object,
    ) -> Violation:
        """A violation for one message, in this window, after that one, or outside any."""
        violation = Violation(
            self,
            severity,
            seen.line,
            window=window,
            past=past,
            connection=connection,
            session_id=seen.session_id or None,
            what=seen.what,
        )
        violation.facts.update(facts)
        return violation

    def read_in(
        self,
        severity: Severity,
        connection: Connection | None,
        frame: Frame,
        *,
        party: Party | None = None,
        **facts: Any,
    ) -> Violation:
        """A violation for what a message was, or what stood in the place of one; its side has to fix it."""
        concerned = frame.other or frame.request
        facts.setdefault("what", concerned.method if concerned is not None else "")
        return Violation(
            self,
            severity,
            frame.line,
            connection=connection,
            request=frame.request,
            session_id=concerned.session_id if concerned is not None else None,
            party=party or self.party or frame.side or "agent",
            **facts,
        )

    def counted_outside(
        self, severity: Severity, connection: Connection, session_id: str, seen: Occurrences, **facts: object
    ) -> Violation:
        """A violation for updates of a session outside any window."""
        violation = Violation(
            self,
            severity,
            seen.first.line,
            connection=connection,
            session_id=session_id,
            what=seen.what,
            last_line=seen.last.line,
            count=seen.count,
        )
        violation.facts = {
            "kinds": ", ".join(sorted(seen.kinds)),
            "elapsed": elapsed(seen.first, seen.last, connection.steps),
            **facts,
        }
        return violation

    def counted(self, window: Window, seen: Occurrences, **facts: object) -> Violation:
        """A violation for what the rule saw in a window."""
        violation = Violation(
            self,
            seen.severity,
            seen.first.line,
            window=window,
            what=seen.what,
            last_line=seen.last.line,
            count=seen.count,
        )
        took = elapsed(seen.first, seen.last, window.resume.connection.steps)
        violation.facts = {"kinds": ", ".join(sorted(seen.kinds)), "elapsed": took, **facts}
        return violation


class Violation:
    """What a rule found at a line, before it is worded: one per rule, session and request.

    With `window`, it stands in that window: it concerns its request and its session. With `past`, it concerns the
    session, and the request is only evidence. `about` is what else there is one finding for: a side, an unmatched id;
    `request_id` an id that is no request's. `facts` is what the rule's sentence tells beside the count; those that
    end in `_line` are the finding's evidence.
    """

    __slots__ = (
        *("about", "connection", "count", "facts", "last_line", "line", "party", "request", "request_id", "role"),
        *("rule", "session_id", "severity", "what"),
    )

    def __init__(
        self,
        rule: Rule,
        severity: int,
        line: int,
        *,
        window: Window | None = None,
        past: Past | None = None,
        connection: Connection | None = None,
        request: Request | None = None,
        session_id: str | None = None,
        role: Role | None = None,
        what: str = "",
        last_line: int | None = None,
        count: int = 1,
        party: Party | None = None,
        about: object = None,
        request_id: object = None,
        **facts: object,
    ) -> None:
        self.rule = rule
        self.severity = Severity(severity)
        self.party: Party = party or rule.party or "recording"
        if window is not None:
            connection, request = window.resume.connection, window.resume.request
            session_id, role = window.session_id, window.role
        elif past is not None:
            session_id, role = past.session_id, past.role
            facts["request_line"] = past.request_line
        self.connection = connection.number if connection is not None else 0
        self.request = request
        self.request_id = request.id if request is not None else request_id
        self.about = about
        self.session_id = session_id
        self.role = role
        self.what = what
        self.line = line
        self.last_line = last_line or line
        self.count = count
        self.facts = facts

    @property
    def evidence(self) -> list[tuple[int, str]]:
        """The lines that the finding rests on, and what stands there, in the recording's order."""
        lines = {name.removesuffix("_line"): line for name, line in self.facts.items() if name.endswith("_line")}
        if self.request is not None:
            lines[REQUEST] = self.request.line
        return sorted((line, what) for what, line in lines.items() if isinstance(line, int) and line)

    @property
    def subject(self) -> tuple[int, str, str | None, Request | None, object]:
        """What there is one finding for."""
        return self.connection, self.rule.code, self.session_id, self.request, self.about

    @property
    def request_line(self) -> int | None:
        """The request that it concerns, also where that is only evidence."""
        line = self.request.line if self.request is not None else self.facts.get("request_line")
        return line if isinstance(line, int) else None

    @property
    def side(self) -> Side | None:
        """Whose request this concerns."""
        return self.request.side if self.request else None

    def add(self, violation: Violation) -> None:
        """Another one of the same subject. It may stand earlier: a text can turn out late not to be cut off."""
        self.severity = max(self.severity, violation.severity)
        self.line = min(self.line, violation.line)
        self.last_line = max(self.last_line, violation.last_line)
        self.count += violation.count

    def message(self, shown: Callable[[int], int | str]) -> str:
        """The rule's sentence about this violation; `shown` says what to write for a line, its own being `line`."""
        lines = {name: shown(line) for name, line in self.facts.items() if name.endswith("_line") and type(line) is int}
        lines["line"] = shown(self.line)
        clauses = {name: text.format_map(lines) for name, text in self.facts.items() if isinstance(text, Clause)}
        facts = {"what": self.what, **self.facts, **lines, **clauses, "count": Count(self.count)}
        return self.rule.message.format_map({name: cut(fact) for name, fact in facts.items()})
