"""A conversation with each protocol version, as each format writes it down, and what is to be found in that."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import pytest
from orjson import dumps

from replaylint.recording import directions
from tests.recordings import DIRECTION_WORDS, Message, Recording, report_of_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path


START_MS = 1764400000000
RIGHT, LEFT = "\N{RIGHTWARDS ARROW}", "\N{LEFTWARDS ARROW}"
TOLERANCE_S = 2e-6


class Spoken(NamedTuple):
    """A message: milliseconds since the start, the side that sent it, and what it was."""

    ms: int
    side: str
    message: Message


class Said(bytes):
    """Bytes of a recording at which a message begins."""


class Written(NamedTuple):
    """A recording, and the line of each of its messages."""

    data: bytes
    lines: list[int]


def laid_out(*pieces: bytes) -> Written:
    """These bytes, one behind the other."""
    line, lines = 1, []
    for piece in pieces:
        if isinstance(piece, Said):
            lines.append(line)
        line += piece.count(b"\n")
    return Written(b"".join(pieces), lines)


def on_lines(lines: Iterable[bytes], end: bytes = b"\n") -> Written:
    """Each on a line; those that are `Said` are messages."""
    return laid_out(*(piece for line in lines for piece in (line, end)))


def spoken(recording: Recording) -> list[Spoken]:
    sides = {"c2a": "client", "a2c": "agent"}
    return [Spoken(round(each["ts"] * 1000), sides[each["dir"]], each["msg"]) for each in recording.records]


OPTIONS = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
CANCELLED = {"outcome": {"outcome": "cancelled"}}


def v2() -> list[Spoken]:
    """A replay with a child; after the marker a permission request, under the id of the resume, and a gap."""
    made = Recording(-0.01).initialize_v2().resume(1, "s").message("s", "m1").child("s", "c").message("c", "m2")
    made.marker("c").marker("s").agent(1, "session/request_permission", sessionId="s", title="Write?", options=OPTIONS)
    return spoken(made.result(1, CANCELLED, 0.3, "c2a").idle("s").result(1, {}, 0.2))


def v1() -> list[Spoken]:
    """The same as far as that goes: a load, the vendor's event, a permission request and a gap."""
    made = Recording(-0.01).initialize_v1(opted_in=True).load(1, "s").message("s", None, who="user_message")
    made.message("s", None).vendor("s")
    call = {"toolCallId": "t1", "title": "Write?", "status": "pending"}
    made.agent(1, "session/request_permission", sessionId="s", toolCall=call, options=OPTIONS)
    return spoken(made.result(1, CANCELLED, 0.3, "c2a").result(1, {}, 0.2))


CONVERSATIONS = {"v1": v1(), "v2": v2()}


def reported(data: bytes, folder: Path) -> Message:
    path = folder / "recording"
    path.write_bytes(data)
    return report_of_file(path)


def facts(report: Message, lines: Sequence[int] | None = None) -> list[object]:
    """What a report says of resumes, beside times; of line n it says `lines[n - 1]`."""

    def at(line: int | None) -> int | None:
        return line if line is None or lines is None else lines[line - 1]

    return [
        (
            [resume[key] for key in ("connection", "request_id", "method", "replay_from", "ambiguous", "end")],
            [at(resume[key] and resume[key]["line"]) for key in ("request", "response")],
            [
                (
                    [each[key] for key in ("session_id", "role", "parent", "outcome", "certified_by")],
                    [at(each["announced_line"]), each["marker"]["kind"], at(each["marker"]["line"])],
                    each["updates"]["by_kind"],
                )
                for each in resume["sessions"]
            ],
        )
        for resume in report["resumes"]
    ]


def timings(report: Message) -> list[dict[str, float | None]]:
    """The figures of each session."""
    named = (each["timing"] for resume in report["resumes"] for each in resume["sessions"])
    return [{name: value for name, value in each.items() if name != "replay_end"} for each in named]


class Expected(NamedTuple):
    """What a report should say of the recording. `scale`: how much slower all of it is."""

    format: str
    timestamps: str = "none"
    resolution_s: float | None = None
    directions: str = "recorded"
    order: str = "exact"
    scale: int = 1


def assert_said(written: Written, said: list[Spoken], expected: Expected, folder: Path) -> Message:
    """All of the conversation is found, where it is and as it was; the report."""
    envelope = on_lines(Said(dumps({"ts": (START_MS + ms) / 1000, "dir": side, "msg": m})) for ms, side, m in said)
    reference = reported(envelope.data, folder)
    assert len(timings(reference)) == (2 if said == CONVERSATIONS["v2"] else 1)
    report = reported(written.data, folder)
    (trace,), (other,) = report["traces"], reference["traces"]
    assert trace["error"] is None
    assert [trace[key] for key in ("format", "timestamps", "directions", "order")] == [
        *(expected.format, expected.timestamps, expected.directions, expected.order)
    ]
    assert trace["resolution_s"] == pytest.approx(expected.resolution_s)
    assert facts(report) == facts(reference, written.lines)
    for figures, wanted in zip(timings(report), timings(reference), strict=True):
        known = {name: value for name, value in wanted.items() if value is not None}
        if expected.timestamps == "none":
            assert set(figures.values()) == {None}
        else:
            assert {name: figures[name] for name in known} == {
                name: pytest.approx(value * expected.scale, abs=TOLERANCE_S) for name, value in known.items()
            }
    assert trace["connections"] == other["connections"]
    assert (trace["messages"], trace["bytes"]) == (len(said), len(written.data))
    assert trace["lines"] == written.data.count(b"\n") + (not written.data.endswith(b"\n"))
    assert report["findings"] == []
    return report


def text(message: object) -> str:
    return json.dumps(message, separators=(",", ":"), ensure_ascii=False)


def by_line(write: Callable[[Spoken], str]) -> Callable[[list[Spoken]], Written]:
    """Writes a line for each message."""
    return lambda said: on_lines(Said(write(each).encode()) for each in said)


def envelope(
    key: str | None = "ts",
    time: Callable[[int], object] = lambda ms: (START_MS + ms) / 1000,
    side_key: str = "dir",
    words: tuple[str, str] = ("c2a", "a2c"),
    body_key: str | None = "msg",
    body: Callable[[Message], object] = lambda message: message,
) -> Callable[[Spoken], str]:
    """A record of an envelope; without `body_key` the message is its own."""

    def record(each: Spoken) -> str:
        times = {} if key is None else {key: time(each.ms)}
        message = each.message if body_key is None else {body_key: body(each.message)}
        return text({**times, side_key: words[each.side == "agent"], **message})

    return record


def moment(ms: int) -> datetime:
    return datetime.fromtimestamp((START_MS + ms) / 1000, UTC)


def iso(ms: int) -> str:
    return moment(ms).isoformat(timespec="milliseconds").removesuffix("+00:00")


WALL = Expected("envelope", "wall", 0.01)
TIMES: dict[str, tuple[Callable[[int], object], Expected]] = {
    "seconds": (lambda ms: (START_MS + ms) / 1000, WALL),
    "milliseconds": (lambda ms: START_MS + ms, WALL._replace(resolution_s=0.001)),
    "microseconds": (lambda ms: (START_MS + ms) * 1000, WALL._replace(resolution_s=1e-6)),
    "nanoseconds": (lambda ms: (START_MS + ms) * 10**6, WALL._replace(resolution_s=1e-6)),
    "relative seconds": (lambda ms: ms / 1000, WALL._replace(timestamps="relative")),
    "ISO with Z": (lambda ms: iso(ms) + "Z", WALL._replace(resolution_s=0.001)),
    "ISO with an offset": (lambda ms: iso(ms) + "+05:30", WALL._replace(resolution_s=0.001)),
    "ISO without zone": (iso, WALL._replace(resolution_s=0.001)),
}
MONOTONIC = Expected("envelope", "monotonic", 1e-6)
NO_TIMES = Expected("envelope")


def envelopes() -> Iterator[Case]:
    for key in ("ts", "t", "at", "timestamp", "time", "t_utc"):
        for name, (stamp, expected) in TIMES.items():
            yield f"envelope {key} {name}", by_line(envelope(key, stamp)), expected
    for key in ("mono_ns", "t_mono_ns"):
        yield f"envelope {key}", by_line(envelope(key, lambda ms: 5 * 10**9 + ms * 10**6)), MONOTONIC
    yield "envelope ts_ms", by_line(envelope("ts_ms", lambda ms: ms)), Expected("envelope", "relative", 0.001)
    for side_key in directions.KEYS:
        yield f"envelope {side_key}", by_line(envelope(side_key=side_key)), WALL
    for words in DIRECTION_WORDS:
        yield f"envelope {words[0]}", by_line(envelope(words=words)), WALL
        yield f"inline {words[0]}", by_line(envelope(words=words, body_key=None)), WALL._replace(format="inline")
    for body_key in ("msg", "message", "frame", "rpc", "payload", "parsed", "json", "raw", "line", "data", "object"):
        yield f"envelope {body_key}", by_line(envelope(body_key=body_key)), WALL
        yield f"envelope {body_key} as a text", by_line(envelope(body_key=body_key, body=text)), WALL
    yield "envelope without times", by_line(envelope(key=None)), NO_TIMES
    yield "inline without times", by_line(envelope(key=None, body_key=None)), NO_TIMES._replace(format="inline")
    yield "raw", by_line(lambda each: text(each.message)), Expected("raw", directions="inferred")


RELATIVE_WORDS = [pair for pair in DIRECTION_WORDS if directions.is_relative(pair[0])]


# conductor-trace, conductor-debug


def hop(each: Spoken, one: str, other: str) -> bytes:
    """What the conductor writes of a message between these two, of which the first is nearer to the client."""
    message = each.message
    ends = (one, other) if each.side == "client" else (other, one)
    record: Message = {"ts": each.ms / 1000, "from": ends[0], "to": ends[1]}
    if "method" in message:
        kind = "request" if "id" in message else "notification"
        identity = {"id": message["id"]} if "id" in message else {}
        parts = {"method": message["method"], "session": None, "params": message.get("params")}
        return text({"type": kind, **record, "protocol": "acp", **identity, **parts}).encode()
    outcome = {"is_error": "error" in message, "payload": message.get("error", message.get("result"))}
    return text({"type": "response", **record, "id": message["id"], **outcome}).encode()


OTHER_PROTOCOL = [
    b'{"type":"request","ts":0,"protocol":"mcp","from":"Client","to":"Proxy(0)","id":77,"method":"tools/list"}',
    b'{"type":"notification","ts":0,"protocol":"mcp","from":"Proxy(0)","to":"Client","method":"tools/changed"}',
    b'{"type":"response","ts":0,"from":"Proxy(0)","to":"Client","id":77,"is_error":false,"payload":{}}',
]
TRACED = b'{"type":"trace","ts":0.01,"component":"proxy:0","level":"info","message":"{\\"jsonrpc\\":\\"2.0\\"}"}'


def conductor(client: str, *others: str, between: Sequence[bytes] = ()) -> Callable[[list[Spoken]], Written]:
    """Every hop of every message, and what else stands between them."""

    def written(said: list[Spoken]) -> Written:
        lines = list(between)
        for each in said:
            hops = [hop(each, *pair) for pair in pairwise((client, *others))]
            hops[0] = Said(hops[0])
            lines += [*(hops if each.side == "client" else hops[::-1]), *between]
        return on_lines(lines)

    return written


def debugged(ms: bool = True, components: int = 1) -> Callable[[list[Spoken]], Written]:
    """The lanes of the client and of components, with what these wrote to standard error."""

    def written(said: list[Spoken]) -> Written:
        lines = [b"=== Conductor Debug Log ===", b"Started: 2026-05-21T18:06:51-05:00", b"Components:", b"  0: agent"]
        for each in said:
            time = f"+{each.ms}ms " if ms else ""
            arrow = RIGHT if each.side == "client" else LEFT
            lanes = [f"{lane} {arrow} {time}{text(each.message)}".encode() for lane in ("C", *range(components))]
            lines += [
                Said(lanes[0]),
                *lanes[1:],
                f'0 ! {time}{{"jsonrpc":"2.0"}} to stderr'.encode(),
                f"C ! {time}log".encode(),
            ]
        return on_lines(lines)

    return written


def conductors() -> Iterator[Case]:
    expected = Expected("conductor-trace", "relative", 0.01)
    yield "conductor", conductor("Client", "Agent"), expected
    yield "conductor, older", conductor("client", "agent", between=[TRACED]), expected
    proxies = "Proxy(0)", "Proxy(1)", "Agent"
    yield "conductor, proxies", conductor("Client", *proxies), expected._replace(order="approximate")
    yield "conductor, older proxies", conductor("client", "proxy:0", "agent"), expected._replace(order="approximate")
    mcp = conductor("Client", "Proxy(0)", "Agent", between=OTHER_PROTOCOL)
    yield "conductor, another protocol", mcp, expected._replace(order="approximate")
    debug = Expected("conductor-debug", "relative", 0.001)
    yield "conductor-debug", debugged(), debug
    yield "conductor-debug, many lanes", debugged(components=12), debug
    yield "conductor-debug, older", debugged(ms=False), debug._replace(timestamps="none", resolution_s=None)


# Logs


def logged(each: Spoken, uptime: int, ms: int | None = None) -> str:
    wall = moment(each.ms if ms is None else ms).strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
    word = "OUT" if each.side == "client" else "IN"
    return f"{wall} [{uptime:7d}]   FINE - AcpTransport - {word}: {text(each.message)}"


def jetbrains(
    uptime: Callable[[int], int], wall: Callable[[int], int] = lambda ms: ms
) -> Callable[[list[Spoken]], Written]:
    """The log, with lines of other loggers in it; both clocks by the time of the message."""

    def written(said: list[Spoken]) -> Written:
        lines: list[bytes] = []
        for each in said:
            lines.append(b'2026-11-14 19:57:12,975 [     34]   INFO - Acp - {"jsonrpc":"2.0"} came')
            lines.append(Said(logged(each, uptime(each.ms), wall(each.ms)).encode()))
            lines.append(b"java.lang.IllegalStateException: IN: nothing")
        return on_lines(lines)

    return written


def traced(prefix: str, separators: tuple[str, str] = (",", ":")) -> Callable[[list[Spoken]], Written]:
    """The records of a language client, behind this, with other lines between them."""

    def written(said: list[Spoken]) -> Written:
        lines: list[bytes] = []
        for each in said:
            message = each.message
            kind = "response" if "method" not in message else "request" if "id" in message else "notification"
            way = "send" if each.side == "client" else "receive"
            record = {
                "isLSPMessage": True,
                "type": f"{way}-{kind}",
                "message": message,
                "timestamp": START_MS + each.ms,
            }
            lines += [Said((prefix + json.dumps(record, separators=separators)).encode()), f"{prefix}idle".encode()]
        return on_lines(lines if prefix else lines[::2])

    return written


def logs() -> Iterator[Case]:
    expected = Expected("jetbrains", "monotonic", 0.001)
    yield "jetbrains", jetbrains(lambda ms: ms + 34), expected
    yield "jetbrains, restarted", jetbrains(lambda ms: ms + 1000 if ms < 60 else ms - 55), expected
    yield "jetbrains, the hour is put back", jetbrains(lambda ms: ms, lambda ms: ms - 3600_000 * (ms > 60)), expected
    lsp = Expected("lsp-trace", "wall", 0.001)
    for prefix in ("", "[Trace - 10:00:00 AM] ", "2026-07-01 16:51:00.101 [trace] ", "12:00 {x} "):
        yield f"lsp-trace {prefix}", traced(prefix), lsp
    yield "lsp-trace, spaced", traced("", (", ", " : ")), lsp


# prefix


def prefixed(
    time: Callable[[int], str] | None, marks: tuple[str, str] | None, scale: int = 1, between: Sequence[bytes] = ()
) -> Callable[[list[Spoken]], Written]:
    """A time, a direction or both before each message."""

    def written(said: list[Spoken]) -> Written:
        lines = list(between)
        for each in said:
            parts = [] if time is None else [time(each.ms * scale)]
            parts += [] if marks is None else [marks[each.side == "agent"]]
            lines += [Said(" ".join([*parts, text(each.message)]).encode()), *between]
        return on_lines(lines)

    return written


def of_day(start_ms: int, decimals: int) -> Callable[[int], str]:
    """A time of day."""

    def time(ms: int) -> str:
        seconds = (start_ms + ms) % 86_400_000 / 1000
        width = 3 + decimals if decimals else 2
        return f"{int(seconds // 3600):02d}:{int(seconds // 60 % 60):02d}:{seconds % 60:0{width}.{decimals}f}"

    return time


def syslog(start: datetime) -> Callable[[int], str]:
    return lambda ms: datetime.fromtimestamp(start.timestamp() + ms / 1000, UTC).strftime("%b %e %H:%M:%S")


RELATIVE = Expected("prefix", "relative", 0.001, "inferred")
STAMPS: list[tuple[str, Callable[[int], str], Expected]] = [
    ("ts %.s", lambda ms: f"{(START_MS + ms) / 1000:.6f}", RELATIVE._replace(timestamps="wall", resolution_s=1e-6)),
    ("ts -s %.s", lambda ms: f"{ms / 1000:.6f}", RELATIVE._replace(resolution_s=1e-6)),
    ("ts -s %.s in a column", lambda ms: f"{ms / 1000:8.3f}", RELATIVE),
    ("ts %s", lambda ms: f"{(START_MS + ms) // 1000}", Expected("prefix", "wall", 1.0, "inferred", scale=100)),
    ("ts", syslog(datetime(2026, 2, 3, tzinfo=UTC)), Expected("prefix", "relative", 1.0, "inferred", scale=100)),
    (
        "ts over the end of February",
        syslog(datetime(2026, 2, 28, 23, 59, 56, tzinfo=UTC)),
        Expected("prefix", "relative", 1.0, "inferred", scale=100),
    ),
    (
        "ts over the new year",
        syslog(datetime(2026, 12, 31, 23, 59, 56, tzinfo=UTC)),
        Expected("prefix", "relative", 1.0, "inferred", scale=100),
    ),
    ("ts -s", of_day(0, 0), Expected("prefix", "relative", 1.0, "inferred", scale=100)),
    ("time of day", of_day(36_000_000, 3), RELATIVE),
    ("time of day with a comma", lambda ms: of_day(36_000_000, 3)(ms).replace(".", ","), RELATIVE),
    ("time of day over midnight", of_day(86_399_950, 3), RELATIVE),
    ("milliseconds", lambda ms: f"{START_MS + ms}", RELATIVE._replace(timestamps="wall")),
    ("ISO", iso, RELATIVE._replace(timestamps="wall")),
    ("ISO with Z", lambda ms: iso(ms) + "Z", RELATIVE._replace(timestamps="wall")),
    ("ISO with an offset", lambda ms: iso(ms) + "-0500", RELATIVE._replace(timestamps="wall")),
    ("ISO with a blank", lambda ms: iso(ms).replace("T", " "), RELATIVE._replace(timestamps="wall")),
    ("ISO with a comma", lambda ms: iso(ms).replace("T", " ").replace(".", ","), RELATIVE._replace(timestamps="wall")),
    ("ISO in brackets", lambda ms: f"[{iso(ms)}]", RELATIVE._replace(timestamps="wall")),
    ("ISO with slashes", lambda ms: iso(ms).replace("T", " ").replace("-", "/"), RELATIVE._replace(timestamps="wall")),
    ("ISO and a colon", lambda ms: iso(ms) + ":", RELATIVE._replace(timestamps="wall")),
]
MARKS = [
    *((f"[{word}]", f"[{other}]") for word, other in [*DIRECTION_WORDS, ("client", "agent"), ("SEND", "RECV")]),
    *((f"{word.upper()}:", f"{other.upper()}:") for word, other in DIRECTION_WORDS if word.isalpha()),
    *((word, other) for word, other in DIRECTION_WORDS if not word.isalpha()),
    ('C2A "request" ::', 'A2C "result" ::'),
    ("C2A (other) ::", "A2C session/new ::"),
    ("[main] TRACE c.a.s.StdioAcpClientTransport -- SEND:", "[worker-2] TRACE c.a.s.StdioAcpClientTransport -- RECV:"),
    ("INFO Message sent to agent:", "INFO Message from agent:"),
    ("<- from client:", "-> to client:"),
]
DIRECTED = Expected("prefix", directions="recorded")


def prefixes() -> Iterator[Case]:
    for name, stamp, expected in STAMPS:
        yield f"prefix {name}", prefixed(stamp, None, expected.scale), expected
        directed = expected._replace(directions="recorded")
        yield f"prefix {name} [SEND]", prefixed(stamp, ("[SEND]", "[RECV]"), expected.scale), directed
        yield f"prefix {name} INFO", prefixed(stamp, ("INFO main sent", "INFO main got"), expected.scale), expected
    for marks in MARKS:
        yield f"prefix {marks[0]}", prefixed(None, marks), DIRECTED
        timed = RELATIVE._replace(directions="recorded", resolution_s=1e-6)
        yield f"prefix time {marks[0]}", prefixed(lambda ms: f"{ms / 1000:.6f}", marks), timed
    between = [
        b"# a comment about [SEND] and [RECV]",
        b"",
        b'10:15:30.123 [main] INFO started {"level":"info","message":"started"}',
        b'config {"method":"GET","path":"/"}',
        b"span{id=1}: sending",
    ]
    yield "prefix among other lines", prefixed(None, ("[SEND]", "[RECV]"), between=between), DIRECTED
    timed = RELATIVE._replace(directions="recorded")
    yield "prefix among timed lines", prefixed(of_day(36_000_000, 3), ("- SEND:", "- RECV:"), between=between), timed


# Documents


def array(texts: Iterable[str], opening: str = "[", between: str = ",", closing: str = "]") -> list[bytes]:
    """The pieces of a JSON array."""
    pieces = [opening.encode()]
    for each in texts:
        pieces += [Said(each.encode()), between.encode()]
    return [*pieces[:-1], closing.encode()]


PRETTY = ("[\n  ", ",\n  ", "\n]")
STYLES: dict[str, tuple[tuple[str, str, str], int | None]] = {
    "in one line": (("[", ",", "]"), None),
    "in one line with a newline": (("[", ", ", "]\n"), None),
    "a line each": (("[\n", ",\n", "\n]\n"), None),
    "a line each, commas first": (("[", "\n,", "\n]\n"), None),
    "pretty": (PRETTY, 2),
    "pretty, with blank lines": (("\n\n[\n\n\t", "\n,\r\n\n", "\n]\n\n"), 4),
}


def in_array(record: Callable[[Spoken], str], style: str) -> Callable[[list[Spoken]], Written]:
    """An array of these records."""
    frame, indent = STYLES[style]
    return lambda said: laid_out(*array((json.dumps(json.loads(record(each)), indent=indent) for each in said), *frame))


def zed(said: list[Spoken], kinds: Callable[[str], str] = str) -> list[Message]:
    """The entries of Zed's view: a response has the method of its request, and its outcome in `params`."""
    methods: dict[tuple[str, object], str] = {}
    entries: list[Message] = []
    for each in said:
        message, ident = each.message, each.message.get("id")
        if "method" in message:
            kind, method, outcome = (
                "request" if "id" in message else "notification",
                message["method"],
                message.get("params"),
            )
            methods[each.side, ident] = method
        else:
            kind, outcome = "response", message.get("result", message.get("error"))
            method = methods.pop(("agent" if each.side == "client" else "client", ident), "[unrecognized response]")
        way = "outgoing" if each.side == "client" else "incoming"
        entries.append({"_direction": way, "_type": kinds(kind), "id": ident, "method": method, "params": outcome})
    return entries


def zed_written(
    style: str, kinds: Callable[[str], str] = str, other: Sequence[Message] = ()
) -> Callable[[list[Spoken]], Written]:
    """The export, with other entries before each."""
    (opening, between, closing), indent = STYLES[style]

    def written(said: list[Spoken]) -> Written:
        pieces = [opening.encode()]
        for number, entry in enumerate(zed(said, kinds)):
            pieces += [between.encode()] * bool(number)
            pieces += [json.dumps(each, indent=indent).encode() + between.encode() for each in other]
            pieces.append(Said(json.dumps(entry, indent=indent).encode()))
        return laid_out(*pieces, closing.encode())

    return written


def devtools(keys: Sequence[str], *, indent: int | None = 4) -> Callable[[list[Spoken]], Written]:
    """The export of acp-devtools, in which a message has these."""

    def record(number: int, each: Spoken) -> str:
        way = "editor-to-agent" if each.side == "client" else "agent-to-editor"
        bodies = {"raw": text(each.message), "payload": each.message}
        facts = {"seq": number, "timestamp": START_MS + each.ms, "direction": way, "kind": "request"}
        return json.dumps({**facts, **{key: bodies.get(key) if key in keys else None for key in bodies}}, indent=indent)

    header = {"version": 1, "exportedAt": 1, "tool": {"name": "acp-devtools"}, "session": {"id": 1, "messages": [1]}}
    opening = json.dumps(header, indent=indent)[:-1].rstrip() + ', "messages": ['
    closing = '], "after": {"messages": [{"direction": 1}]}}'
    between = "," if indent is None else ",\n"
    return lambda said: laid_out(
        *array((record(number, each) for number, each in enumerate(said)), opening, between, closing)
    )


def transcript(said: list[Spoken], *, indent: int | None = None, start: float = 100.0) -> list[bytes]:
    """The pieces of the transcript of a test."""
    texts = (
        json.dumps(
            {
                "dir": "sent" if each.side == "client" else "received",
                "t": start + each.ms / 1000,
                "raw": text(each.message),
            },
            indent=indent,
        )
        for each in said
    )
    return array(texts, "[\n" if indent else "[", ",\n" if indent else ",", "]")


def tck(*tests: Sequence[bytes], indent: int | None = None, gap: str = "") -> list[bytes]:
    """The pieces of a report with a requirement for each test."""
    pieces = [b'{"tck_version": "1", "agent_command": ["requirements", "{"], "requirements": [\n']
    for number, test in enumerate(tests):
        pieces += [f'{"," if number else ""}{{"id": "R{number}", "tests": [{{"nodeid": "t{number}", '.encode()]
        pieces += [b'"status": "FAIL", "transcript": ', *test, b', "stderr": ""}]}\n']
    passed = b',{"id": "X", "tests": [{"nodeid": "x", "transcript": null}]}, {"id": "Y", "tests": []}]'
    return [*pieces, passed, b', "verdict": {"transcript": [1]}}']


def documents() -> Iterator[Case]:
    for style in STYLES:
        raw = Expected("array", directions="inferred")
        yield f"array {style}", in_array(lambda each: text(each.message), style), raw
        yield f"array of envelopes {style}", in_array(envelope(), style), WALL._replace(format="array")
        inner = envelope(body_key=None, words=("out", "in"))
        yield f"array of messages with directions {style}", in_array(inner, style), WALL._replace(format="array")
        for name, kinds in ("", str), (" without types", lambda _: "asdf"), (" with wrong types", lambda _: "request"):
            yield f"zed{name} {style}", zed_written(style, kinds), Expected("zed")
        stderr = [{"_direction": "stderr", "_type": "stderr", "id": None, "method": "_x", "params": "jsonrpc"}]
        yield f"zed with stderr {style}", zed_written(style, other=stderr), Expected("zed")
    trace = in_array(lambda each: hop(each, "Client", "Proxy(0)").decode(), "pretty")
    yield "array of a conductor's", trace, Expected("array", "relative", 0.01, order="approximate")
    for keys in (("raw", "payload"), ("raw",), ("payload",)):
        for indent in (None, 4):
            expected = Expected("acp-devtools", "wall", 0.001)
            yield f"acp-devtools {keys} {indent}", devtools(keys, indent=indent), expected
    report = Expected("tck-report", "relative", 1e-6)
    yield "tck-report None", lambda said: laid_out(*tck(transcript(said))), report
    yield "tck-report 2", lambda said: laid_out(*tck(transcript(said, indent=2))), report


# Frames


def framed(
    end: bytes = b"\r\n", before: bytes = b"", after: bytes = b"", behind: bytes = b""
) -> Callable[[list[Spoken]], Written]:
    """Each behind a header with its length, which has fields before and after that."""

    def written(said: list[Spoken]) -> Written:
        pieces: list[bytes] = []
        for each in said:
            body = json.dumps(each.message, indent=1, ensure_ascii=False).encode()
            pieces += [before, b"Content-Length: %d" % len(body), end, after, end, Said(body), behind]
        return laid_out(*pieces)

    return written


def frames() -> Iterator[Case]:
    expected = Expected("content-length", directions="inferred")
    kind = b"Content-Type: application/vscode-jsonrpc; charset=utf-8"
    for name, end in ("CRLF", b"\r\n"), ("LF", b"\n"):
        yield f"content-length {name}", framed(end), expected
        yield f"content-length {name}, a field before", framed(end, before=kind + end), expected
        yield f"content-length {name}, a field after", framed(end, after=kind + end), expected
        yield f"content-length {name}, newlines behind", framed(end, behind=b"\n\n"), expected


# Messages on several lines


DOWN = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", "\N{BLACK LEFT-POINTING SMALL TRIANGLE}"


def headed(
    header: Callable[[Spoken], str], indent: int | None = 2, between: Sequence[bytes] = ()
) -> Callable[[list[Spoken]], Written]:
    """Each message below a header, with other lines before that."""

    def written(said: list[Spoken]) -> Written:
        pieces: list[bytes] = []
        for each in said:
            body = json.dumps(each.message, indent=indent).encode()
            pieces += [*(line + b"\n" for line in between), header(each).encode() + b"\n", Said(body), b"\n"]
        return laid_out(*pieces)

    return written


def of_client(each: Spoken) -> str:
    side = "[user] " if each.side == "client" else "[agent]"
    return f"+{each.ms / 1000:.3f}s {side} {DOWN[each.side == 'agent']} {each.message.get('method', 'result')}"


def of_devtools(each: Spoken) -> str:
    return f"[{of_day(36_000_000, 3)(each.ms)}] {RIGHT if each.side == 'client' else LEFT} AGENT message"


def sequenced(
    record: Callable[[Spoken], str], between: str = "\n", frame: tuple[str, str] = ("", ""), indent: int = 2
) -> Callable[[list[Spoken]], Written]:
    """These records, indented, one behind the other."""

    def written(said: list[Spoken]) -> Written:
        texts = (json.dumps(json.loads(record(each)), indent=indent) for each in said)
        return laid_out(*array(texts, frame[0], between, frame[1]), b"\n")

    return written


def acp_el(said: list[Spoken]) -> Written:
    """The log buffer: objects, texts, and what came once more by the line."""
    pieces: list[bytes] = []
    for each in said:
        way, body = ("OUTGOING" if each.side == "client" else "INCOMING"), text(each.message).encode()
        pieces += [f'{way} OBJECT >\n\n((jsonrpc . 2.0) (x . "{{")\n\n'.encode()] * (each.side == "client")
        pieces += [f"{way} TEXT >\n\n".encode(), Said(body), b"\n\n\n"]
        if each.side == "agent":
            pieces += [b"INCOMING LINE >\n\n", body, b"\n\n-> Routing as response\n\n"]
    return laid_out(*pieces)


def lisp(value: object) -> str:
    """What is the value of a key: ` . atom`, or the rest of a list."""
    if isinstance(value, dict):
        return "".join(f" ({key}{lisp(each)})" for key, each in value.items())
    if isinstance(value, list):
        items = (f"({lisp(each).strip()})" if isinstance(each, dict) else json.dumps(each) for each in value)
        return f" . [{' '.join(items)}]"
    atoms = {True: "t", False: ":false", None: "nil"}
    return f" . {atoms[value] if value is None or isinstance(value, bool) else text(value)}"


def acp_el_traffic(said: list[Spoken]) -> Written:
    pieces = [b"("]
    for each in said:
        way = "outgoing" if each.side == "client" else "incoming"
        entry = f"((:direction . {way})\n  (:kind . request)\n  (:object{lisp(each.message)}))"
        pieces += [Said(entry.encode()), b"\n "]
    return laid_out(*pieces, b")\n")


def traced_fields(fields: Callable[[str, str], str]) -> Callable[[Spoken], str]:
    """A record of a logging framework with these fields, of a word and a frame."""

    def record(each: Spoken) -> str:
        word = "Sending" if each.side == "client" else "Received"
        inner = fields(word, json.dumps(text(each.message)))
        return f'{{"timestamp":"{iso(each.ms)}Z","level":"TRACE","fields":{{{inner}}},"target":"sacp::jsonrpc"}}'

    return record


def dispatched(each: Spoken, one: str, other: str) -> bytes:
    """What the conductor in TypeScript writes of a message between these two."""
    ends = (one, other) if each.side == "client" else (other, one)
    way = "left-to-right" if each.side == "client" else "right-to-left"
    kind = "response" if "method" not in each.message else "request" if "id" in each.message else "notification"
    parts = {key: value for key, value in each.message.items() if key != "jsonrpc"}
    message = {"type": way, "targetIndex": 0, "dispatch": {"type": kind, **parts}}
    record = {"timestamp": iso(each.ms) + "Z", "direction": way, "source": ends[0], "target": ends[1]}
    return text({**record, "message": message}).encode()


def several_lines() -> Iterator[Case]:
    relative = Expected("headed", "relative", 0.001)
    noise = [b"[client] connected", b"[agent] thinks", b"[agent:stderr] reading", b"", b"12:00:00 reads the {file}"]
    yield "headed", headed(of_client), relative
    yield "headed, other lines", headed(of_client, between=noise), relative
    yield "headed, devtools", headed(of_devtools, None, [b"[session/create] phase=1"]), relative
    plain = relative._replace(timestamps="none", resolution_s=None)
    arrow = headed(lambda each: f"{RIGHT if each.side == 'client' else LEFT} message", 4)
    yield "headed, no times", arrow, plain
    raw = Expected("sequence", directions="inferred")
    bare = lambda each: text(each.message)  # noqa: E731
    yield "sequence", sequenced(bare), raw
    yield "sequence, blank lines", sequenced(bare, "\n\n\n"), raw
    yield "sequence, an array without brackets", sequenced(bare, ",\n"), raw
    yield "sequence, an array without its first bracket", sequenced(bare, ",\n", ("", "\n]")), raw
    yield "sequence of envelopes", sequenced(envelope()), WALL._replace(format="sequence")
    yield (
        "sequence of envelopes in fences",
        sequenced(envelope(), frame=("# Log\n\n```json\n", "\n```\nEnd.")),
        (WALL._replace(format="sequence")),
    )

    def of_zed(said: list[Spoken]) -> Written:
        return laid_out(*array((json.dumps(each, indent=2) for each in zed(said)), "", ",\n", "\n"))

    yield "sequence of zed's", of_zed, Expected("sequence")
    yield "acp-el", acp_el, Expected("acp-el")
    yield "acp-el-traffic", acp_el_traffic, Expected("acp-el-traffic")
    fields = Expected("tracing", "wall", 0.001)
    repeated = traced_fields(lambda word, frame: f'"message":"{word} JSON-RPC message","message":{frame}')
    yield "tracing", by_line(repeated), fields
    yield (
        "tracing, a field of its own",
        by_line(traced_fields(lambda word, f: f'"message":"{word}","frame":{f}')),
        fields,
    )
    inside = traced_fields(lambda word, frame: f'"message":"{word}: {frame[1:]}')
    yield "tracing, in one text", by_line(inside), fields
    conducted = Expected("conductor-trace", "wall", 0.001)
    yield "conductor, TypeScript", by_line(lambda each: dispatched(each, "client", "agent").decode()), conducted

    def hops(said: list[Spoken]) -> Written:
        return on_lines(
            piece
            for each in said
            for piece in (Said(dispatched(each, "client", "proxy[0]")), dispatched(each, "proxy[0]", "agent"))
        )

    yield "conductor, TypeScript with a proxy", hops, conducted._replace(order="approximate")
    counted = by_line(
        lambda each: dispatched(each, "client" if each.side == "client" else "proxy[-1]", "agent").decode()
    )
    yield "conductor, TypeScript that counts down", counted, conducted


def pasted() -> Iterator[Case]:
    """Recordings as they stand in reports."""
    raw = Expected("raw", directions="inferred")
    fence = "### Log\n\nIt says `this`:\n\n~~~ json\n", "~~~\n\nI expected more.\n"
    for name, expected in ("raw", raw), ("envelope ts seconds", WALL), ("zed pretty", Expected("zed")):

        def fenced_(said: list[Spoken], name: str = name) -> Written:
            inner = {each: write for each, write, _ in CASES}[name](said)
            before = fence[0].count("\n")
            data = b"".join(
                (fence[0].encode(), inner.data, b"\n" * (not inner.data.endswith(b"\n")), fence[1].encode())
            )
            return Written(data, [line + before for line in inner.lines])

        yield f"{name} in a fence", fenced_, expected
    lines = ["$ agent acp", "dev@host:~/x$ ls", "...", "## Log", "[client] connected", "> ", ""]

    def prompted(said: list[Spoken]) -> Written:
        around = [line.encode() for line in lines]
        return on_lines(piece for each in said for piece in (*around, Said(text(each.message).encode())))

    yield "raw among a shell's lines", prompted, raw


Case = tuple[str, "Callable[[list[Spoken]], Written]", Expected]
CASES: list[Case] = [
    *envelopes(),
    *conductors(),
    *logs(),
    *prefixes(),
    *documents(),
    *frames(),
    *several_lines(),
]
CASES += pasted()
"""Name, how it is written, and what is expected."""


WRITERS = {name: write for name, write, _ in reversed(CASES)}
ONE_OF_EACH = {
    "raw": "raw",
    "envelope": "envelope ts seconds",
    "inline": "inline out",
    "conductor-trace": "conductor",
    "conductor-debug": "conductor-debug",
    "jetbrains": "jetbrains",
    "lsp-trace": "lsp-trace [Trace - 10:00:00 AM] ",
    "prefix": "prefix time [SEND]",
    "zed": "zed pretty",
    "acp-devtools": "acp-devtools ('raw', 'payload') 4",
    "array": "array pretty",
    "tck-report": "tck-report 2",
    "content-length": "content-length CRLF",
    "headed": "headed",
    "sequence": "sequence",
    "acp-el": "acp-el",
    "acp-el-traffic": "acp-el-traffic",
    "tracing": "tracing",
}


def example(form: str, said: list[Spoken] | None = None) -> Written:
    """The conversation on v2, or this one, in this format."""
    return WRITERS[ONE_OF_EACH[form]](CONVERSATIONS["v2"] if said is None else said)
