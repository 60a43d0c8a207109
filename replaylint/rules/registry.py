"""What a rule is: its declaration, the events that it listens to, and what it says.

A rule's file declares `RULE` and registers a few pure functions on it. A rule keeps no state of its own: what it has to
count in a window it returns as `Counted`, and says what that comes to when the resume has ended. Its docstring is the
only source of its explanation.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar, Union

from replaylint.protocol.methods import sender
from replaylint.recording.message import AGENT, NO_TIME, other
from replaylint.replay.timing import seconds
from replaylint.replay.window import Point
from replaylint.rules.words import Clause, Count, cut, elapsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Side
    from replaylint.replay.events import Event, Located
    from replaylint.replay.window import End, Occurrences, Past, Resume, Role, Window

    Found = Union["Violation", Iterable["Violation | Counted"], None]  # noqa: UP007  (its members come later)
    Settle = Callable[[Resume, "Window | None", Occurrences], "Violation | None"]
    Confirm = Callable[[Connection, "Violation"], "Severity | None"]

Party = Literal["agent", "client", "recording"]
_E = TypeVar("_E", bound="Event")


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


class Counted(NamedTuple):
    """An occurrence, kept on a window or on a resume until the request ends. The gravest severity counts.

    `what` is its kind, where that is not what the event is.
    """

    on: Window | Resume
    severity: Severity
    what: str | None = None


class Rule:
    """A rule.

    `party` has to fix it; None: each violation says who. `severities` are those that a violation can have, the usual
    one first. `headline` says what happened, `help` what is promised or to be done: templates over the facts of a
    violation, which make one sentence. `suppressed_by` names the rules beside which it is silent for the same request,
    with the least severity that silences it. `needs_beginning`: it argues from the absence of something earlier, so it
    is silent where the connection's beginning is not in the recording. `needs_order`: it argues from the order of
    messages of both sides, so it is silent where that is not known: in a whole recording, or at a message.
    """

    def __init__(
        self,
        code: str,
        name: str,
        *,
        party: Party | None,
        severities: tuple[Severity, ...] = (),
        headline: str,
        help: str,  # noqa: A002  (the field's name)
        suppressed_by: Mapping[str, Severity] | None = None,
        needs_beginning: bool = False,
        needs_order: bool = False,
    ) -> None:
        self.code = code
        self.name = name
        self.party = party
        self.severities = severities
        self.headline = headline
        self.help = help
        self.suppressed_by = suppressed_by or {}
        self.needs_beginning = needs_beginning
        self.needs_order = needs_order
        self.handlers: dict[type[Any], list[tuple[tuple[object, ...], Callable[[Any], Found]]]] = {}
        """Functions by the event that they are called for, each with the cases of it, none for all."""
        self.settle: Settle | None = None
        self.settles_at: tuple[End, ...] = ()
        self.confirm: dict[int, Confirm] = {}

    def on(self, kind: type[_E], *cases: object) -> Callable[[Callable[[_E], Found]], Callable[[_E], Found]]:
        """Called for events of this kind, or of these cases of it. Returns or yields violations and what to count."""

        def register(function: Callable[[_E], Found]) -> Callable[[_E], Found]:
            self.handlers.setdefault(kind, []).append((cases, function))
            return function

        return register

    def settles(self, *ends: End) -> Callable[[Settle], Settle]:
        """Called when a resume has ended, in one of these ways or in any, for each window in which the rule counted.

        Where it counted on a plain resume, the window is None.
        """

        def register(function: Settle) -> Settle:
            self.settle, self.settles_at = function, ends
            return function

        return register

    def confirms(self, version: int) -> Callable[[Confirm], Confirm]:
        """Called for each violation on a connection of this version at its end: its severity, or None for none."""

        def register(function: Confirm) -> Confirm:
            self.confirm[version] = function
            return function

        return register

    def at(
        self,
        event: Located,
        severity: Severity,
        *,
        window: Window | None = None,
        past: Past | None = None,
        request: Request | None = None,
        concerns: Request | None = None,
        party: Party | None = None,
        about: object = None,
        request_id: object = None,
        **facts: object,
    ) -> Violation:
        """A violation at the line of this event: in this window, after that one, of this request, or of none.

        `concerns` is the request whose method and session it is about, where that is not the event's.
        """
        violation = Violation(
            self,
            severity,
            event.line,
            window=window,
            past=past,
            connection=event.connection,
            request=request,
            session_id=event.session_id if concerns is None else concerns.session_id,
            what=event.what if concerns is None else concerns.method,
            party=party or self.party or getattr(event, "side", None) or "agent",
            about=about,
            request_id=request_id,
            time=event.time,
        )
        violation.author = getattr(event, "side", violation.author)
        violation.facts.update(facts)
        return violation

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
        """A violation for what the rule counted in a window."""
        violation = Violation(
            self,
            seen.severity,
            seen.first.line,
            window=window,
            what=seen.what,
            last_line=seen.last.line,
            count=seen.count,
            time=seen.first.time,
        )
        took = elapsed(seen.first, seen.last, window.resume.connection.steps)
        violation.facts = {"kinds": ", ".join(sorted(seen.kinds)), "elapsed": took, **facts}
        return violation


def unless_guessed(connection: Connection, violation: Violation) -> Severity | None:
    """For `confirms`, of a marker outside the windows of its session: it may belong to another resume of that.

    That is so where each side was recorded apart, and nobody knows which of the two came first. A session that the
    client never named may be a child of any.
    """
    session = connection.sessions.get(violation.session_id or "")
    if violation.request is not None or violation.line not in connection.unordered or session is None:
        return violation.severity
    known = session.named and session.resume_line in {0, violation.request_line}
    return violation.severity if known else None


class Violation:
    """What a rule found at a line, before it is worded: one per rule, session and request.

    With `window`, it stands in that window: it concerns its request and its session. With `past`, it concerns the
    session, and the request is only evidence. `about` is what else there is one finding for: a side, an unmatched id;
    `request_id` an id that is no request's. `facts` is what the rule's sentence tells beside the count; those that
    end in `_line` are the finding's evidence. `author` sent what stands at the line, `since` is the time from the
    request to it, in seconds, where `time` is known.
    """

    __slots__ = (
        *("about", "author", "connection", "count", "facts", "last_line", "line", "party", "request", "request_id"),
        *("role", "rule", "session_id", "severity", "since", "what"),
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
        time: float = NO_TIME,
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
        # What stands at a line of its own is an update, unless it is known as something else.
        self.author = (sender(what) or AGENT) if what else None
        if request is not None and request.side is not None and facts.get("response_line") == line:
            self.author = other(request.side)
        self.since: float | None = None
        if request is not None and connection is not None:
            self.since = seconds(Point(request.line, request.time), Point(line, time), connection.steps)
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
        if violation.line < self.line:
            self.line, self.since = violation.line, violation.since
        self.last_line = max(self.last_line, violation.last_line)
        self.count += violation.count

    def words(self, shown: Callable[[int], int | str]) -> tuple[str, str]:
        """The rule's headline and its help for this violation.

        `shown` says what to write for a line, its own being `line`.
        """
        lines = {name: shown(line) for name, line in self.facts.items() if name.endswith("_line") and type(line) is int}
        lines["line"] = shown(self.line)
        clauses = {name: text.format_map(lines) for name, text in self.facts.items() if isinstance(text, Clause)}
        facts = {"what": self.what, **self.facts, **lines, **clauses, "count": Count(self.count)}
        told = {name: cut(fact) for name, fact in facts.items()}
        return self.rule.headline.format_map(told), self.rule.help.format_map(told)
