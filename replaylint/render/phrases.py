"""Phrases that several outputs for people share: counts, ids, figures, places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from replaylint.recording.message import AGENT, CLIENT
from replaylint.render.escape import printable, shortened
from replaylint.replay.outcome import OUTCOMES
from replaylint.rules.words import as_json, duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from replaylint.recording.message import Side
    from replaylint.render.view import View
    from replaylint.report.model import Distribution, Evidence, Finding, Marker, Response, Session
    from replaylint.rules.registry import Party


LONG_GAP_S: Final = 0.5
"""A response gap that a person notices."""

FAILED: Final = frozenset({"truncated", "complete_failed"})
"""Outcomes that no resume should have."""

ARROWS: Final = {CLIENT: "\N{RIGHTWARDS ARROW}", AGENT: "\N{LEFTWARDS ARROW}", None: " "}
ASCII_ARROWS: Final = {CLIENT: "->", AGENT: "<-", None: "  "}

MARKERS: Final = {"replay_complete": "replay_complete", "air_load_replay_end": "loadReplayEnd"}
"""What the protocol calls each kind of marker."""


def arrows(view: View) -> Mapping[Side | None, str]:
    """Where a message of each side goes: to the agent, to the client, or nobody knows."""
    return ARROWS if view.unicode else ASCII_ARROWS


def gap_style(seconds: float | None) -> str:
    """How loud a response gap is."""
    return "gap" if seconds is not None and seconds >= LONG_GAP_S else ""


def counted(number: int, noun: str) -> str:
    """The number and its noun, in the plural unless it is 1."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def graded(number: int, severity: str) -> str:
    """The number of findings of this severity."""
    return f"{number} info" if severity == "info" else counted(number, severity)


def resumed(number: int, outcomes: Mapping[str, int], join: Callable[[str], str] = str) -> str:
    """How many resumes, how many sessions, and how these ended; `join` is applied to each number with its noun."""
    text = join(counted(number, "resume"))
    return f"{text}, {ended(outcomes, join)}" if outcomes else text


def ended(outcomes: Mapping[Any, int], join: Callable[[str], str] = str) -> str:
    """How many sessions, and how they ended."""
    named = ", ".join(join(f"{outcomes[each]} {each}") for each in OUTCOMES if outcomes.get(each))
    return f"{join(counted(sum(outcomes.values()), 'session'))}: {named}"


def unread(inputs: int) -> str:
    """How many inputs could not be read, or not to their end; nothing for none."""
    return f"{inputs} not read" if inputs else ""


def figures(of: Distribution) -> list[str]:
    """The main figures of a distribution of durations, each with its name; a single duration alone."""
    named = {"": of.max} if of.n == 1 else {"median": of.p50, "p95": of.p95, "longest": of.max}
    return [f"{name} {duration(value)}".lstrip() for name, value in named.items() if value is not None]


def identifier(request_id: object) -> str:
    """A request's id as JSON, cut where it is very long: "1" is another id than 1."""
    return shortened(as_json(request_id))


def either(words: Iterable[str]) -> str:
    """These words as alternatives: "a, b or c"."""
    *before, last = words
    return f"{', '.join(before)} or {last}" if before else last


def fixer(party: Party) -> str:
    """Where a fault is to be fixed."""
    return "in the recording" if party == "recording" else f"by the {party}"


def resolution(seconds: float, view: View) -> str:
    """The resolution of a clock, such as 1 ms or 100 µs."""
    micro = "\N{MICRO SIGN}s" if view.unicode else "us"
    scale, unit = (1, "s") if seconds >= 1 else (1e3, "ms") if seconds >= 1e-3 else (1e6, micro)
    return f"{seconds * scale:.3g} {unit}"


def round_duration(seconds: float) -> str:
    """A duration that is a round number, such as 25 ms or 2 s."""
    return f"{seconds:g} s" if seconds >= 1 else f"{round(seconds * 1000, 3):g} ms"


def place(thing: Response | Marker | Evidence) -> str:
    """The line of this, and its file if that is another one than the resume's or the finding's."""
    trace = getattr(thing, "trace", None)
    return f"line {thing.line}" if trace is None else f"line {thing.line} of {printable(trace)}"


def gap(session: Session) -> str | None:
    """The response gap and what filled it, or None where it is not known."""
    timing = session.timing
    if timing.response_gap_s is None:
        return None
    text = f"response gap {duration(timing.response_gap_s)}"
    if timing.gap_waiting_for_client_s:
        text += f", {duration(timing.gap_waiting_for_client_s)} of it waiting for the client"
    return text


def of_finding(finding: Finding) -> str:
    """Its severity, rule and message."""
    where = address_of(finding.trace, finding.line)
    known = " (known from the baseline)" if finding.known else ""
    return f"{where}: {finding.severity} {finding.rule} {finding.name}: {printable(finding.message)}{known}"


def address_of(trace: str | None, line: int | None) -> str:
    """As editors and terminals take it: `path:line`."""
    return printable(trace or "-") + (f":{line}" if line is not None else "")
