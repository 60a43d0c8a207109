"""`--timeline` as text: below a resume, what came when in each of its sessions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from replaylint.render.escape import printable, shortened
from replaylint.render.layout import JOINT, beside, columns, joined, line
from replaylint.render.phrases import MARKERS, arrows, counted
from replaylint.render.table import NOTHING, SPACE
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Resume
    from replaylint.views.timeline import Timeline, TimelineEntry

ENDS: Final = {"closed": "the connection ended", "open": "the recording stops"}
"""What ends a resume without a response."""

MAX_KINDS: Final = 4
"""Variants of a run that are named, the most frequent first."""


def timeline(view: View, indent: int, resume: Resume, of: Timeline) -> Iterator[str]:
    """The sessions of a resume, a line for each event; without times there is no column for them."""
    for session in resume.sessions:
        events = of.get(session.session_id, [])
        role = "child" if session.role == "child" else "session"
        of_it = f" of {role} {shortened(session.session_id)}"
        yield line(view, indent, ("bold", "timeline"), of_it, *_unknown(events))
        yield from _events(view, indent + 2, resume, events)


def _unknown(events: Sequence[TimelineEntry]) -> Iterator[str]:
    if not events:
        yield ": not known, as all of it came in one batch"
    elif not all(each.ordered for each in events):
        always = " always" if any(each.ordered for each in events) else ""
        yield f": what of one side came before what of the other is not{always} known"


def _events(view: View, indent: int, resume: Resume, events: Sequence[TimelineEntry]) -> Iterator[str]:
    times = [_time(each) for each in events]
    timed = any(each.at_s is not None for each in events)
    places = [_place(each) for each in events]
    until = max(map(columns, times), default=0) + SPACE if timed else 0
    room = until + max(map(columns, places), default=0) + SPACE
    for event, time, at in zip(events, times, places, strict=True):
        if event.longest == "before" and event.pause_s is not None:
            pause = duration(event.pause_s).rjust(until - SPACE)
            yield beside(view, indent, ("gap", pause), room, ("gap", "longest pause between these lines"))
        head = time.rjust(until - SPACE) + " " * SPACE + at if timed else at
        file = [] if event.trace is None else [("dim", f" (in {printable(event.trace)})")]
        yield beside(view, indent, ("dim", head), room, *_what(view, resume, event), *file)


def _time(event: TimelineEntry) -> str:
    if event.at_s is None:
        return NOTHING
    return f"+{duration(event.at_s)}" if event.at_s else duration(event.at_s)


def _place(event: TimelineEntry) -> str:
    if event.line is None:
        return ""
    several = event.last_line is not None and event.last_line != event.line
    return f"lines {event.line} to {event.last_line}" if several else f"line {event.line}"


def _what(view: View, resume: Resume, event: TimelineEntry) -> Iterator[Piece | str]:
    if event.side is not None:
        yield f"{arrows(view)[event.side]}{JOINT}"
    name = shortened(event.what)
    match event.kind:
        case "updates":
            yield from _updates(event)
        case "marker":
            yield ("bold", MARKERS[event.what])
            yield ", the end-of-replay marker"
        case "state":
            yield f"state_update: {name}"
        case "child":
            yield f"announcement of child {name}"
        case "announced":
            yield f"announced by {name}"
        case "answers":
            yield f"answer to {name}"
        case "response":
            yield from _response(resume)
        case "end":
            yield ("bold", ENDS[event.what])
        case "omitted":
            yield ("dim", f"{counted(event.messages, 'message')} left out")
            yield from _spread(event)
        case _:
            yield name
    if event.messages > 1 and event.kind not in {"updates", "omitted"}:
        yield f", {joined(f'{event.messages} times')}"
        yield from _spread(event)


def _response(resume: Resume) -> Iterator[Piece | str]:
    error = resume.response.error if resume.response is not None else None
    if error is None:
        yield ("bold", "success response")
    else:
        yield ("error", "cancelled" if resume.end == "cancelled" else "error response")
        yield f" {error.code}" if error.code is not None else ""


def _updates(event: TimelineEntry) -> Iterator[Piece | str]:
    kinds = Counter(event.kinds).most_common()
    if len(kinds) == 1:
        yield shortened(event.what) if event.messages == 1 else f"{event.messages} {shortened(event.what)}"
        yield from _spread(event)
        return
    yield counted(event.messages, "update")
    yield from _spread(event)
    named = [f"{count}{JOINT}{shortened(kind)}" for kind, count in kinds[:MAX_KINDS]]
    more = f", {joined(counted(len(kinds) - MAX_KINDS, 'more kind'))}" if len(kinds) > MAX_KINDS else ""
    yield ("dim", f" ({', '.join(named)}{more})")


def _spread(event: TimelineEntry) -> Iterator[Piece | str]:
    """How long several messages took."""
    if event.messages > 1 and event.lasted_s is not None:
        yield f" in {joined(duration(event.lasted_s))}"
    if event.longest == "inside" and event.inner_pause_s is not None:
        yield ("gap", f", {joined(f'longest pause {duration(event.inner_pause_s)}')}")
