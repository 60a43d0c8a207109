"""The judge: asks the rules what they make of the facts, counts, and settles which findings stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.states import State
from replaylint.replay.window import Occurrences, Point
from replaylint.rules import all_rules
from replaylint.rules.registry import Hit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.replay.states import Event
    from replaylint.replay.window import End, Past, Resume, Seen, Stray, Window
    from replaylint.rules.registry import Rule, See, SeeAfter

    Listener = tuple[Rule, See]


class Judge:
    """Judges one recording. `hits` are final, in the order in which their connections ended."""

    def __init__(self, rules: Iterable[Rule] | None = None) -> None:
        self.rules = tuple(all_rules() if rules is None else rules)
        self.hits: list[Hit] = []
        self._open: dict[int, dict[tuple[object, ...], Hit]] = {}
        self._listening: dict[tuple[int | None, State, Event], list[Listener]] = {}
        for rule in self.rules:
            for key, see in rule.listening.items():
                self._listening.setdefault(key, []).append((rule, see))
        self._after: dict[Event, list[SeeAfter]] = {}
        for rule in self.rules:
            for event, see_after in rule.listening_after.items():
                self._after.setdefault(event, []).append(see_after)
        self._at_request_end = [rule.request_end for rule in self.rules if rule.request_end and not rule.listening]
        # These settle what they saw in a window.
        self._settling = [rule.request_end for rule in self.rules if rule.request_end and rule.listening]
        self._at_stray = [rule.stray for rule in self.rules if rule.stray is not None]
        self._at_unanswered = [rule.unanswered for rule in self.rules if rule.unanswered is not None]

    def listens(self, version: int | None, state: State, event: Event) -> bool:
        """Whether a rule wants to see this event in this state, on connections of this version."""
        if state == State.AFTER:
            return event in self._after
        return (version, state, event) in self._listening

    def see(self, window: Window, event: Event, seen: Seen) -> None:
        """An event in a window; the window is still as it was before."""
        for rule, see in self._listening.get((window.resume.connection.version, window.state, event), ()):
            found = see(window, event, seen)
            if isinstance(found, Hit):
                self._add(found)
            elif found is not None:
                occurrences = window.occurrences.get(rule.code)
                if occurrences is None:
                    first = Point(seen.line, seen.time)
                    occurrences = window.occurrences[rule.code] = Occurrences(found, seen.what, first)
                occurrences.add(found, seen.what, seen.line)

    def see_after(self, connection: Connection, past: Past, event: Event, seen: Seen) -> None:
        """An event for a session whose last replay has ended."""
        for see in self._after.get(event, ()):
            self._add(see(connection, past, event, seen))

    def stray(self, connection: Connection, stray: Stray) -> None:
        """A marker that no window and no ended one can claim."""
        for rule in self._at_stray:
            self._add(rule(connection, stray))

    def request_end(self, resume: Resume) -> None:
        """A resume request ended."""
        rules = self._at_request_end
        if any(window.occurrences for window in resume.windows.values()):
            rules = rules + self._settling
        for rule in rules:
            for hit in rule(resume):
                self._add(hit)

    def unanswered(self, connection: Connection, request: Request, end: End) -> None:
        """A request was not answered by the end of its connection."""
        for rule in self._at_unanswered:
            self._add(rule(connection, request, end))

    def connection_end(self, connection: Connection) -> None:
        """A connection ended, or the recording of it: its findings are final."""
        hits = list(self._open.pop(connection.number, {}).values())
        confirmed = []
        for hit in hits:
            rule = hit.rule
            if rule.needs_beginning and connection.partial:
                continue
            severity = hit.severity if rule.confirm is None else rule.confirm(connection, hit)
            if severity is not None:
                hit.severity = severity
                confirmed.append(hit)
        self.hits.extend(_unsilenced(confirmed))

    def _add(self, hit: Hit | None) -> None:
        if hit is None:
            return
        hits = self._open.setdefault(hit.connection, {})
        known = hits.get(hit.subject)
        if known is None:
            hits[hit.subject] = hit
        else:
            known.add(hit)


def _unsilenced(hits: list[Hit]) -> list[Hit]:
    """The hits beside which no rule stands, for the same request, that they yield to."""
    gravest: dict[tuple[str, Request | None], int] = {}
    for hit in hits:
        key = hit.rule.code, hit.request
        gravest[key] = max(hit.severity, gravest.get(key, 0))
    return [
        hit
        for hit in hits
        if not any(gravest.get((code, hit.request), 0) >= least for code, least in hit.rule.yields_to.items())
    ]
