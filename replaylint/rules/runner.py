"""The runner: asks the rules what they make of the events, counts, and decides which violations stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from replaylint.replay.events import ConnectionEnded, RecordingEnded, ResponseReceived, Restarted, ResumeEnded
from replaylint.replay.window import Occurrences, Point
from replaylint.rules import all_rules
from replaylint.rules.registry import Counted, Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from replaylint.protocol.connection import Connection
    from replaylint.replay.events import Located, Stream
    from replaylint.replay.window import Resume, Window
    from replaylint.rules.registry import Found, Rule

    Handler = Callable[[Any], Found]
    Handlers = dict[object, list[tuple[Rule, Handler]]]

_EVERY_CASE = object()


class Runner:
    """Runs the rules over one recording. `final` is called for each violation as soon as nothing can change it.

    `ordered`: the messages are in an order that they can have had.
    """

    def __init__(
        self, final: Callable[[Violation], object], rules: Iterable[Rule] | None = None, *, ordered: bool = True
    ) -> None:
        self._final = final
        self._ordered = ordered
        self.rules = tuple(all_rules() if rules is None else rules)
        self._open: dict[int, dict[tuple[object, ...], Violation]] = {}
        """By connection and subject."""
        self._at_resume_end = _handlers(self.rules, ResumeEnded)
        self._settling = [rule for rule in self.rules if rule.settle is not None]
        self._early_final = _early_final(self.rules)

    def subscribe(self, stream: Stream) -> None:
        """Listen to the events of the recording."""
        for kind in dict.fromkeys(kind for rule in self.rules for kind in rule.handlers):
            if kind is not ResumeEnded:
                stream.subscribe(kind, self._listener(_handlers(self.rules, kind)))
        stream.subscribe(ResumeEnded, self._resume_ended)
        stream.subscribe(Restarted, self._restarted)
        stream.subscribe(ConnectionEnded, self._connection_ended)
        stream.subscribe(RecordingEnded, self._recording_ended)

    def _listener(self, handlers: Handlers) -> Callable[[Located], None]:
        every = handlers.get(_EVERY_CASE, [])

        def heard(event: Located) -> None:
            for rule, handler in handlers.get(event.case, every):
                if rule.needs_order and not _is_placed(event):
                    continue
                for each in _each(handler(event)):
                    if isinstance(each, Counted):
                        _count(each, rule, event)
                    else:
                        self._remember(each)

        return heard

    def _resume_ended(self, event: ResumeEnded) -> None:
        resume = event.resume
        handlers = self._at_resume_end
        found = [
            self._remember(violation)
            for _, handler in handlers.get(event.case, handlers.get(_EVERY_CASE, ()))
            for violation in _each(handler(event))
            if isinstance(violation, Violation)
        ]
        if resume.occurrences or any(window.occurrences for window in resume.windows.values()):
            found += [self._remember(violation) for violation in self._settled(resume)]
        found.sort(key=lambda violation: violation.rule.code)
        if resume.response is not None:
            self._finalise(resume.connection, [each for each in found if self._is_final(each, resume.connection)])

    def _settled(self, resume: Resume) -> Iterable[Violation]:
        """What the rules make of what they counted."""
        for rule in self._settling:
            if rule.settle is None or (rule.settles_at and resume.end not in rule.settles_at):
                continue
            counted: list[tuple[Window | None, dict[str, Occurrences]]] = [(None, resume.occurrences)]
            counted += [(window, window.occurrences) for window in resume.windows.values()]
            for window, occurrences in counted:
                seen = occurrences.get(rule.code)
                violation = rule.settle(resume, window, seen) if seen is not None else None
                if violation is not None:
                    yield violation

    def _restarted(self, event: Restarted) -> None:
        """What the client sent from that line on is said again, where it may mean something else."""
        violations = self._open.get(event.connection.number, {})
        for subject, violation in tuple(violations.items()):
            if violation.party == "client" and violation.line >= event.line:
                said_again = ResponseReceived not in violation.rule.handlers
                if said_again if event.certain else violation.about is None:
                    del violations[subject]

    def _connection_ended(self, event: ConnectionEnded) -> None:
        """Its violations are final."""
        connection = event.connection
        self._finalise(connection, list(self._open.pop(connection.number, {}).values()))

    def _recording_ended(self, event: RecordingEnded) -> None:  # noqa: ARG002
        """What concerns no connection is final."""
        for violation in self._open.pop(0, {}).values():
            self._final(violation)

    def _is_final(self, violation: Violation, connection: Connection) -> bool:
        """Whether a violation on a request that was answered can change no more, nor suppress or be suppressed."""
        # A connection that starts while it is pending may take what the client said, and what is said of that.
        rule = violation.rule
        return rule in self._early_final and connection.version not in rule.confirm and violation.party != "client"

    def _finalise(self, connection: Connection, violations: list[Violation]) -> None:
        """These are certain, and all that suppress them are among them: those that stand are final."""
        known = self._open.get(connection.number, {})
        confirmed = []
        for violation in violations:
            known.pop(violation.subject, None)
            rule = violation.rule
            if (rule.needs_beginning and connection.partial) or (rule.needs_order and not self._ordered):
                continue
            confirm = rule.confirm.get(connection.version or 0)
            severity = violation.severity if confirm is None else confirm(connection, violation)
            if severity is not None:
                violation.severity = severity
                confirmed.append(violation)
        for violation in _unsuppressed(confirmed):
            self._final(violation)

    def _remember(self, violation: Violation) -> Violation:
        """This violation, or the one that there is for its subject, which takes it in."""
        violations = self._open.setdefault(violation.connection, {})
        known = violations.setdefault(violation.subject, violation)
        if known is not violation:
            known.add(violation)
        return known


def _handlers(rules: Iterable[Rule], kind: type[Any]) -> Handlers:
    """What is called for this kind of event, by its case."""
    registered = [(rule, *each) for rule in rules for each in rule.handlers.get(kind, ())]
    cases = dict.fromkeys(case for _, only, _ in registered for case in only)
    handlers: Handlers = {
        case: [(rule, handler) for rule, only, handler in registered if not only or case in only] for case in cases
    }
    handlers[_EVERY_CASE] = [(rule, handler) for rule, only, handler in registered if not only]
    return handlers


def _is_placed(event: Located) -> bool:
    """Whether it is known between which messages of the other side it came."""
    return event.connection is None or event.line not in event.connection.unordered


def _each(found: Found) -> Iterable[Violation | Counted]:
    if found is None:
        return ()
    return (found,) if isinstance(found, Violation) else found


def _early_final(rules: Iterable[Rule]) -> set[Rule]:
    """Those that have said all about a request when its response came, as have the rules that suppress them."""
    early = {rule for rule in rules if rule.settle is not None or rule.handlers.keys() == {ResumeEnded}}
    codes = {rule.code for rule in early}
    return {rule for rule in early if codes.issuperset(rule.suppressed_by)}


def _count(counted: Counted, rule: Rule, event: Any) -> None:
    on, severity, kind = counted
    what = event.what if kind is None else kind
    occurrences = on.occurrences.get(rule.code)
    at = Point(event.line, event.time)
    if occurrences is None:
        occurrences = Occurrences(severity, what, at)
        on.occurrences = on.occurrences or {}
        on.occurrences[rule.code] = occurrences
    occurrences.add(severity, what, at)


def _unsuppressed(violations: list[Violation]) -> list[Violation]:
    """The violations beside which no rule stands, for the same request, that suppresses them."""
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
