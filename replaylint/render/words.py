"""How lines for people write what several of them write: durations, ids, outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orjson import dumps

from replaylint.render.escape import printable
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterable

    from replaylint.report.model import Evidence, Marker, Response, Session
    from replaylint.rules.registry import Party


def counted(number: int, noun: str) -> str:
    """The number and its noun, in the plural where there is not one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def identifier(request_id: object) -> str:
    """A request's id as JSON writes it: "1" is another id than 1."""
    return printable(dumps(request_id).decode())


def either(words: Iterable[str]) -> str:
    """These words as alternatives: "a, b or c"."""
    *before, last = words
    return f"{', '.join(before)} or {last}" if before else last


def fixer(party: Party) -> str:
    """Where a fault is to be fixed."""
    return "in the recording" if party == "recording" else f"by the {party}"


def place(thing: Response | Marker | Evidence) -> str:
    """The line of this, and its file where that is another one than what it belongs to."""
    trace = getattr(thing, "trace", None)
    return f"line {thing.line}" if trace is None else f"line {thing.line} of {printable(trace)}"


def gap(session: Session) -> str | None:
    """The response gap and what filled it, or None where it cannot be known."""
    timing = session.timing
    if timing.response_gap_s is None:
        return None
    text = f"response gap {duration(timing.response_gap_s)}"
    if timing.gap_waiting_for_client_s:
        text += f", {duration(timing.gap_waiting_for_client_s)} of it waiting for the client"
    return text
