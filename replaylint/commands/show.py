"""`replaylint show`: one line of a recording, and what the analysis knows about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer
from orjson import loads

from replaylint.commands.output import complain, write
from replaylint.commands.rereadable import rereadable
from replaylint.commands.usage import Help  # noqa: TC001  (typer looks at it)
from replaylint.recording.message import AGENT, BLANK, CLIENT, Ended, Header, Lost, NoMessage, Skipped, Unreadable
from replaylint.render.escape import printable
from replaylint.render.pretty import pretty, shortened
from replaylint.render.words import counted, identifier
from replaylint.report.model import Report
from replaylint.rules.words import duration
from replaylint.views.line import look

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.views.line import Fact, Looked, Place
    from replaylint.views.watch import Spoken

MOST_DIGITS: Final = 18
"""Of a line's number."""

WAYS: Final = {CLIENT: "client to agent", AGENT: "agent to client", None: "direction unknown"}

STATES: Final = {
    "unannounced": "a child that the replay had not announced",
    "replaying": "before any marker",
    "vendor_marked": "after loadReplayEnd, before any replay_complete",
    "marked": "after the marker",
    "after": "the request had ended",
}


def show(
    where: Annotated[
        str,
        typer.Argument(metavar="TRACE:LINE", show_default=False, help="A recording, and a line of it."),
    ],
    context: Annotated[
        int, typer.Option("--context", min=0, max=10_000, metavar="N", help="Also N messages before and after.")
    ] = 0,
    usage: Help = False,  # noqa: ARG001
) -> int:
    """Show one line of a recording: its message, indented, and what is known about it.

    Who sent it, what it answers, which resume and window it belongs to, and which findings rest on it.

    Exit status: 0 shown, 2 there is no such line, or the recording could not be read to its end.
    """
    path, _, number = where.rpartition(":")
    if not path or not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
        complain(f"{shortened(where)}: name a recording and a line, as in trace.ndjson:12")
        return 2
    with rereadable(path) as readable:
        found = look(readable, int(number), context)
    report = found if isinstance(found, Report) else found.report
    trace = report.traces[0]
    if not isinstance(found, Report):
        write(f"{line}\n" for line in _lines(path, found))
    if trace.error is not None:
        at = f":{trace.error.line}" if trace.error.line is not None else ""
        complain(f"{path}{at}: {trace.error.message}")
        return 2
    if isinstance(found, Report):
        complain(f"{path}: has {counted(trace.lines, 'line')}; there is no line {int(number)}")
        return 2
    return 0


def _lines(path: str, found: Looked) -> Iterator[str]:
    where = printable(f"{path}:{found.line}")
    if not found.facts:
        yield f"{where}: {_what_else(found)}"
    elif len(found.facts) > 1 or isinstance(found.body, list):
        yield f"{where}: a batch of {counted(len(found.facts), 'message')}"
    for fact in found.facts:
        yield from _fact(fact, "  message" if isinstance(found.body, list) else where)
    for finding, how in found.findings:
        at = f"line {finding.line}" if finding.line is not None else "no line"
        text = f"{finding.severity} {finding.rule} {finding.name}, {at}: {printable(finding.message)}"
        yield f"  {printable(how)}: {text}"
    if found.earlier or found.later:
        yield ""
        yield from _context(found)
    yield ""
    yield from _content(found)


def _what_else(found: Looked) -> str:
    note = found.note
    if isinstance(note, Unreadable):
        return "no message: no JSON" + (", though a side wrote it" if note.wire else "")
    if isinstance(note, Skipped):
        return "a line that is too long to be read"
    if isinstance(note, NoMessage):
        return "no message: JSON, but neither an object nor an array"
    if isinstance(note, Header):
        return "no message: the recorder says that a connection begins"
    if isinstance(note, Ended):
        return "no message: the recorder says that the agent, or its output, ended"
    if isinstance(note, Lost):
        return f"no message: the recorder says that it dropped {counted(note.messages, 'message')}"
    if not found.text.decode(errors="replace").strip(BLANK):
        return "a blank line"
    return "no message" if found.body is not None else "no message: a record of something else"


def _fact(fact: Fact, where: str) -> Iterator[str]:
    spoken = fact.spoken
    yield f"{where}: {_headline(spoken)}"
    if spoken.session_id is not None:
        yield f"  session: {shortened(spoken.session_id)}"
    if fact.connection is not None:
        yield f"  connection: {fact.connection}"
    if spoken.time == spoken.time:  # NaN: it has none
        yield f"  time: {round(spoken.time, 6)} s"
    yield from _exchange(fact)
    if fact.place is not None:
        yield from _place(fact.place, spoken)


def _headline(spoken: Spoken) -> str:
    inferred = " (inferred)" if spoken.inferred and spoken.side is not None else ""
    if spoken.kind == "other":
        return f"JSON, but no JSON-RPC message, {WAYS[spoken.side]}{inferred}"
    names = [spoken.method]
    if spoken.kind != "notification":
        names.append(_ident(spoken.body.get("id")))
    if spoken.variant is not None:
        names.append(spoken.variant)
    what = " ".join(shortened(name) for name in names if name)
    return f"{spoken.kind} {what}, {WAYS[spoken.side]}{inferred}"


def _ident(value: object) -> str:
    return shortened(identifier(value)) if not isinstance(value, dict | list) else "with an id that is no id"


def _exchange(fact: Fact) -> Iterator[str]:
    spoken, request = fact.spoken, fact.spoken.request
    after = f", after {duration(fact.waited_s)}" if fact.waited_s is not None else ""
    if spoken.kind == "response":
        if request is None:
            yield "  answers: no request that was pending"
            return
        error = spoken.body.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        how = "with a result" if error is None else f"with error {_ident(code)}"
        yield f"  answers: {shortened(request.method)} {_ident(request.id)} at line {request.line}{after}, {how}"
    elif spoken.kind == "request":
        yield f"  answered: at line {fact.answered_line}{after}" if fact.answered_line else "  answered: never"


def _place(place: Place, spoken: Spoken) -> Iterator[str]:
    resume = place.resume
    if spoken.line == resume.request.line:
        yield f"  resume: {place.number}, which this requests"
    else:
        since = f", {duration(place.since_s)} after its request" if place.since_s is not None else ""
        request = f"{resume.method} {_ident(resume.request_id)} at line {resume.request.line}"
        yield f"  resume: {place.number} ({request}){since}"
    if place.state is None:
        return
    session = place.session
    name = shortened(place.session_id or "")
    if session is not None and session.parent is not None:
        name += f", child of {shortened(session.parent)}"
        if session.announced_line is not None:
            name += f" announced at line {session.announced_line}"
    state = f"{place.state} ({STATES[place.state]})"
    if place.becomes is not None and place.becomes != place.state:
        state += f", then {place.becomes}"
    yield f"  window: {name}: {state}"


def _context(found: Looked) -> Iterator[str]:
    """The messages around, a line each, under one another."""
    here = [fact.spoken for fact in found.facts]
    width = len(str(max(each.line for each in (*found.earlier, *here, *found.later))))
    for mark, messages in ((" ", found.earlier), (">", here), (" ", found.later)):
        for each in messages:
            yield f"{mark} {each.line:>{width}}  {_ago(each.time - found.time):>10}  {_one_line(each)}"
        if mark == ">" and not messages:
            yield f"> {found.line:>{width}}"


def _ago(seconds: float) -> str:
    if seconds != seconds:  # noqa: PLR0124  (NaN)
        return "-"
    seconds = round(seconds, 6)
    return f"{'-' if seconds < 0 else '+' if seconds else ''}{duration(abs(seconds))}"


def _one_line(spoken: Spoken) -> str:
    session = f"  {shortened(spoken.session_id)}" if spoken.session_id is not None else ""
    return f"{spoken.side or 'unknown':<7} {_headline(spoken).rpartition(', ')[0]}{session}"


def _content(found: Looked) -> Iterator[str]:
    body = found.body
    if body is None:
        try:
            body = loads(found.text)
        except ValueError:
            yield shortened(found.text.decode(errors="replace").strip(BLANK))
            return
    yield from pretty(body)
