"""How lines for people write what several of them write: durations, ids, outcomes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orjson import dumps

from replaylint.render.escape import printable

if TYPE_CHECKING:
    from replaylint.report.model import Session


def duration(seconds: float) -> str:
    """Up to three significant digits, in milliseconds below a second: 2.70 s, 140 ms, 0.25 ms, 0.001 ms."""
    value, unit = (seconds, "s") if seconds >= 0.9995 else (seconds * 1000, "ms")
    decimals = 3 if value < 0.00995 else 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{decimals}f} {unit}" if value else "0 ms"


def counted(number: int, noun: str) -> str:
    """The number and its noun, in the plural where there is not one."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def identifier(request_id: object) -> str:
    """A request's id as JSON writes it: "1" is another id than 1."""
    return printable(dumps(request_id).decode())


def gap(session: Session) -> str | None:
    """The response gap and what filled it, or None where it cannot be known."""
    timing = session.timing
    if timing.response_gap_s is None:
        return None
    text = f"response gap {duration(timing.response_gap_s)}"
    if timing.gap_waiting_for_client_s:
        text += f", {duration(timing.gap_waiting_for_client_s)} of it waiting for the client"
    return text
