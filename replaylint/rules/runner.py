"""The runner: asks the rules what they make of the facts, counts, and settles which findings stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.facts import Wire
from replaylint.replay.window import Occurrences
from replaylint.rules import all_rules
from replaylint.rules.registry import ENDS, Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.replay.facts import Frame
    from replaylint.replay.states import Event, State
    from replaylint.replay.window import End, Past, Resume, Seen, Stray, Window
    from replaylint.rules.registry import AtRequestEnd, Read, Rule, See, SeeAfter, Severity

    Listener = tuple[Rule, See]

_RESPONSES = frozenset({Wire.RESPONSE, Wire.UNMATCHED, Wire.OTHER_TYPE})


class Runner:
    """Judges one recording. `final` is called for each violation as soon as nothing that may still come can change it.

    `ordered`: the messages are in an order that they can have had.
    """

    def __init__(
        self, final: Callable[[Violation], object], rules: Iterable[Rule] | None = None, *, ordered: bool = True
    ) -> None:
        self._final = final
        self._ordered = ordered
        self.rules = tuple(all_rules() if rules is None else rules)
        self._open: dict[int, dict[tuple[object, ...], Violation]] = {}
        self._listening: dict[tuple[int | None, State, Event], list[Listener]] = {}
        for rule in self.rules:
            for key, see in rule.listening.items():
                self._listening.setdefault(key, []).append((rule, see))
        self._after: dict[Event, list[SeeAfter]] = {}
        for rule in self.rules:
            for event, see_after in rule.listening_after.items():
                self._after.setdefault(event, []).append(see_after)
        self._at_request_end: dict[str, list[AtRequestEnd]] = {end: [] for end in ENDS}
        self._settling: dict[str, list[AtRequestEnd]] = {end: [] for end in ENDS}
        for rule in self.rules:
            for end in rule.ends:
                calls = self._settling if rule.listening or rule.notice else self._at_request_end
                if rule.request_end is not None:
                    calls[end].append(rule.request_end)
        self._plain = [rule for rule in self.rules if rule.see_plain is not None]
        self._noticing: dict[str, list[Rule]] = {}
        for rule in self.rules:
            for fact in rule.notice:
                self._noticing.setdefault(fact, []).append(rule)
        self._reading: dict[str, list[Read]] = {}
        for rule in self.rules:
            for kind, read in rule.read.items():
                self._reading.setdefault(kind, []).append(read)
        self._settled = _settled(self.rules)
        self._at_unnamed = [rule.unnamed for rule in self.rules if rule.unnamed is not None]
        self._at_recording_end = [rule.recording_end for rule in self.rules if rule.recording_end is not None]
        self._at_stray = [rule.stray for rule in self.rules if rule.stray is not None]
        self._at_unanswered = [rule.unanswered for rule in self.rules if rule.unanswered is not None]

    def listens(self, version: int | None, state: State, event: Event) -> bool:
        """Whether a rule wants to see this event in this state, on connections of this version."""
        return (version, state, event) in self._listening

    def see(self, window: Window, event: Event, seen: Seen) -> None:
        """An event in a window; the window is still as it was before."""
        for rule, see in self._listening.get((window.resume.connection.version, window.state, event), ()):
            found = see(window, event, seen)
            if isinstance(found, Violation):
                self._add(found)
            elif found is not None:
                _count(window.occurrences, rule, found, seen)

    def see_after(self, connection: Connection, past: Past, event: Event, seen: Seen) -> None:
        """An event for a session whose last replay has ended."""
        for see in self._after.get(event, ()):
            self._add(see(connection, past, event, seen))

    def see_plain(self, resume: Resume, seen: Seen) -> None:
        """An update for the session of a pending request that asks for no history."""
        for rule in self._plain:
            severity = rule.see_plain(resume, seen) if rule.see_plain is not None else None
            if severity is not None:
                _count(resume.occurrences, rule, severity, seen)

    def notice(self, fact: str, connection: Connection, seen: Seen, window: Window | None) -> None:
        """A fact that is certain; the window is the one that holds it, if any does."""
        for rule in self._noticing.get(fact, ()):
            found = rule.notice[fact](connection, seen, window)
            if found is None or isinstance(found, Violation):
                self._add(found)
            elif window is not None:
                _count(window.occurrences, rule, found, seen)

    def wire(self, wire: str, connection: Connection | None, frame: Frame) -> None:
        """What a message was, or what stood in the place of one."""
        for rule in self._reading.get(wire, ()):
            self._add(rule(connection, frame))

    def unnamed(self, connection: Connection, session_id: str, seen: Occurrences, request: Request | None) -> None:
        """Updates for a session that only the result of this request named, or nothing at all."""
        for rule in self._at_unnamed:
            self._add(rule(connection, session_id, seen, request))

    def restart(self, connection: Connection, line: int) -> None:
        """What the client sent from this line on belongs to another connection, and is said there again."""
        violations = self._open.get(connection.number, {})
        for subject, violation in tuple(violations.items()):
            if (
                violation.party == "client"
                and violation.line >= line
                and violation.rule.read.keys().isdisjoint(_RESPONSES)
            ):
                del violations[subject]

    def doubt(self, connection: Connection, line: int) -> None:
        """What the client sent from this line on may belong to another connection, where it means something else."""
        violations = self._open.get(connection.number, {})
        for subject, violation in tuple(violations.items()):
            if violation.party == "client" and violation.line >= line and violation.about is None:
                del violations[subject]

    def stray(self, connection: Connection, stray: Stray) -> None:
        """A marker that no window and no ended one can claim."""
        for rule in self._at_stray:
            self._add(rule(connection, stray))

    def request_end(self, resume: Resume) -> None:
        """A resume request ended."""
        end = resume.end or "open"
        rules = self._at_request_end[end]
        if any(window.occurrences for window in resume.windows.values()):
            rules = rules + self._settling[end]
        violations = [self._remember(violation) for rule in rules for violation in rule(resume)]
        if resume.response is not None:
            self._settle(
                resume.connection,
                [violation for violation in violations if self._is_settled(violation, resume.connection)],
            )

    def unanswered(self, connection: Connection, request: Request, end: End) -> None:
        """A request was not answered by the end of its connection."""
        for rule in self._at_unanswered:
            self._add(rule(connection, request, end))

    def connection_end(self, connection: Connection) -> None:
        """A connection ended, or the recording of it: its findings are final."""
        self._settle(connection, list(self._open.pop(connection.number, {}).values()))

    def recording_end(self, resumes: int | None) -> None:
        """There is no more: what concerns no connection is final. `resumes` is None where there may be others."""
        if resumes is not None:
            for rule in self._at_recording_end:
                self._add(rule(resumes))
        for violation in self._open.pop(0, {}).values():
            self._final(violation)

    def _is_settled(self, violation: Violation, connection: Connection) -> bool:
        """Whether a violation on a request that was answered can change no more, nor silence or be silenced."""
        # A connection that starts while it is pending may take what the client said, and what is said of that.
        return (
            violation.rule in self._settled
            and connection.version not in violation.rule.confirm
            and violation.party != "client"
        )

    def _settle(self, connection: Connection, violations: list[Violation]) -> None:
        """These violations are certain, and all that silence them are among them: those that stand are final."""
        known = self._open.get(connection.number, {})
        confirmed = []
        for violation in violations:
            known.pop(violation.subject, None)
            rule = violation.rule
            if (rule.needs_beginning and connection.partial) or (rule.needs_order and not self._ordered):
                continue
            confirm = rule.confirm.get(connection.version)
            severity = violation.severity if confirm is None else confirm(connection, violation)
            if severity is not None:
                violation.severity = severity
                confirmed.append(violation)
        for violation in _unsilenced(confirmed):
            self._final(violation)

    def _add(self, violation: Violation | None) -> None:
        if violation is not None:
            self._remember(violation)

    def _remember(self, violation: Violation) -> Violation:
        """This violation, or the one that there is for its subject, which takes it in."""
        violations = self._open.setdefault(violation.connection, {})
        known = violations.setdefault(violation.subject, violation)
        if known is not violation:
            known.add(violation)
        return known


def _settled(rules: Iterable[Rule]) -> set[Rule]:
    """Those that have said all about a request when its response came, as have the rules that silence them."""
    settled = {
        rule
        for rule in rules
        if rule.request_end is not None and not (rule.listening_after or rule.stray or rule.unanswered or rule.unnamed)
    }
    codes = {rule.code for rule in settled}
    return {rule for rule in settled if codes.issuperset(rule.suppressed_by)}


def _count(seen_before: dict[str, Occurrences], rule: Rule, severity: Severity, seen: Seen) -> None:
    occurrences = seen_before.get(rule.code)
    if occurrences is None:
        occurrences = seen_before[rule.code] = Occurrences(severity, seen.what, seen.at)
    occurrences.add(severity, seen.what, seen.at)


def _unsilenced(violations: list[Violation]) -> list[Violation]:
    """The violations beside which no rule stands, for the same request, that they yield to."""
    gravest: dict[tuple[str, int | None], int] = {}
    for violation in violations:
        key = violation.rule.code, violation.request_line
        gravest[key] = max(violation.severity, gravest.get(key, 0))
    return [
        violation
        for violation in violations
        if not any(
            gravest.get((code, violation.request_line), 0) >= least
            for code, least in violation.rule.suppressed_by.items()
        )
    ]
