"""`replaylint show`: one line of a recording, and what the analysis knows about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer
from orjson import loads

from replaylint.commands.output import complain, write
from replaylint.commands.rereadable import rereadable
from replaylint.commands.usage import Help  # noqa: TC001  (typer looks at it)
from replaylint.recording.message import (
    AGENT,
    BLANK,
    CLIENT,
    Ended,
    Header,
    HungUp,
    Lost,
    NoMessage,
    Skipped,
    Unreadable,
)
from replaylint.render.escape import printable, shortened
from replaylint.render.phrases import counted, identifier
from replaylint.render.pretty import pretty
from replaylint.report.model import Report
from replaylint.rules.words import duration
from replaylint.views.line import look

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.views.line import LineView, Message, MessageView, ResumeView

MAX_DIGITS: Final = 18
"""Of a line number."""

WAYS: Final = {CLIENT: "client to agent", AGENT: "agent to client", None: "direction unknown"}

STATES: Final = {
    "unannounced": "a child that the replay had not announced",
    "unannounced_vendor_marked": "a child that the replay had not announced, after loadReplayEnd",
    "unannounced_marked": "a child that the replay had not announced, after its marker",
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
    if not path or not (number.isascii() and number.isdecimal() and len(number) <= MAX_DIGITS):
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


def _lines(path: str, found: LineView) -> Iterator[str]:
    where = printable(f"{path}:{found.line}")
    if not found.messages:
        yield f"{where}: {_what_else(found)}"
    elif len(found.messages) > 1 or isinstance(found.body, list):
        yield f"{where}: a batch of {counted(len(found.messages), 'message')}"
    for each in found.messages:
        yield from _message(each, "  message" if isinstance(found.body, list) else where)
    for finding, how in found.findings:
        at = f"line {finding.line}" if finding.line is not None else "no line"
        text = f"{finding.severity} {finding.rule} {finding.name}, {at}: {printable(finding.message)}"
        yield f"  {printable(how)}: {text}"
    if found.earlier or found.later:
        yield ""
        yield from _context(found)
    yield ""
    yield from _content(found)


def _what_else(found: LineView) -> str:
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
    if isinstance(note, HungUp):
        return "no message: the recorder says that the client closed its end"
    if isinstance(note, Lost):
        return f"no message: the recorder says that it dropped {counted(note.messages, 'message')}"
    if not found.text.decode(errors="replace").strip(BLANK):
        return "a blank line"
    return "no message" if found.body is not None else "no message: a record of something else"


def _message(view: MessageView, where: str) -> Iterator[str]:
    message = view.message
    yield f"{where}: {_headline(message)}"
    if message.session_id is not None:
        yield f"  session: {shortened(message.session_id)}"
    if view.connection is not None:
        yield f"  connection: {view.connection}"
    if message.time == message.time:  # NaN: it has none
        yield f"  time: {round(message.time, 6)} s"
    yield from _exchange(view)
    if view.resume is not None:
        yield from _resume(view.resume, message)


def _headline(message: Message) -> str:
    inferred = " (inferred)" if message.inferred and message.side is not None else ""
    if message.kind == "other":
        return f"JSON, but no JSON-RPC message, {WAYS[message.side]}{inferred}"
    names = [message.method]
    if message.kind != "notification":
        names.append(_ident(message.body.get("id")))
    if message.variant is not None:
        names.append(message.variant)
    what = " ".join(shortened(name) for name in names if name)
    return f"{message.kind} {what}, {WAYS[message.side]}{inferred}"


def _ident(value: object) -> str:
    return identifier(value) if not isinstance(value, dict | list) else "with an id that is no id"


def _exchange(view: MessageView) -> Iterator[str]:
    message, request = view.message, view.message.request
    after = f", after {duration(view.waited_s)}" if view.waited_s is not None else ""
    if message.kind == "response":
        if request is None:
            yield "  answers: no request that was pending"
            return
        error = message.body.get("error")
        code = error.get("code") if isinstance(error, dict) else None
        how = "with a result" if error is None else f"with error {_ident(code)}"
        yield f"  answers: {shortened(request.method)} {_ident(request.id)} at line {request.line}{after}, {how}"
    elif message.kind == "request":
        yield f"  answered: at line {view.answered_line}{after}" if view.answered_line else "  answered: never"


def _resume(view: ResumeView, message: Message) -> Iterator[str]:
    resume = view.resume
    if message.line == resume.request.line:
        yield f"  resume: {view.number}, which this requests"
    else:
        since = f", {duration(view.since_s)} after its request" if view.since_s is not None else ""
        request = f"{resume.method} {_ident(resume.request_id)} at line {resume.request.line}"
        yield f"  resume: {view.number} ({request}){since}"
    if view.state is None:
        return
    session = view.session
    name = shortened(view.session_id or "")
    if session is not None and session.parent is not None:
        name += f", child of {shortened(session.parent)}"
        if session.announced_line is not None:
            name += f" announced at line {session.announced_line}"
    state = f"{view.state} ({STATES[view.state]})"
    if view.becomes is not None and view.becomes != view.state:
        state += f", then {view.becomes}"
    yield f"  window: {name}: {state}"


def _context(found: LineView) -> Iterator[str]:
    """The messages around it, a line each, in columns."""
    here = [view.message for view in found.messages]
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


def _one_line(message: Message) -> str:
    session = f"  {shortened(message.session_id)}" if message.session_id is not None else ""
    return f"{message.side or 'unknown':<7} {_headline(message).rpartition(', ')[0]}{session}"


def _content(found: LineView) -> Iterator[str]:
    body = found.body
    if body is None:
        try:
            body = loads(found.text)
        except ValueError:
            yield shortened(found.text.decode(errors="replace").strip(BLANK))
            return
    yield from pretty(body)
