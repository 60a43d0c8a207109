"""The recordings that inputs are made from: those in the repository, and some in every format."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from orjson import OPT_INDENT_2, dumps, loads

from tests.conversations import Spoken as Said
from tests.conversations import example
from tests.fuzz.values import parsed
from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT: Final = Path(__file__).resolve().parent.parent.parent
SHARED: Final = ROOT.parent / "shared"

Spoken = list[tuple[int, str, dict[str, Any]]]
"""Milliseconds since the start, the side that sent it, and the message."""

START_MS: Final = 1764400000000
SMALL_BYTES: Final = 40_000
"""Larger recordings of others are left out: one takes the time of many small ones."""


class Sample(NamedTuple):
    """A recording to start from.

    `form` is the format it is written in, None where that is not known; `content` is what was packed where there is a
    `codec`; `layout` says what its parts are: lines, frames with their length before them, or parts of one document.
    """

    name: str
    group: str
    form: str | None
    content: bytes
    layout: str
    codec: str | None = None


def zstd_of(data: bytes) -> bytes:
    """A zstd frame with one block that is not compressed: there is no module for more in every Python."""
    return b"\x28\xb5\x2f\xfd\xa0" + len(data).to_bytes(4, "little") + (len(data) << 3 | 1).to_bytes(3, "little") + data


CODECS: Final[dict[str, tuple[bytes, Callable[[bytes], bytes], Callable[[bytes], bytes]]]] = {
    "gzip": (b"\x1f\x8b", lambda data: gzip.compress(data, 1, mtime=0), gzip.decompress),
    "bz2": (b"BZh", lambda data: bz2.compress(data, 1), bz2.decompress),
    "xz": (b"\xfd7zXZ\0", lambda data: lzma.compress(data, preset=0), lzma.decompress),
    "zstd": (b"\x28\xb5\x2f\xfd", zstd_of, lambda packed: packed[12:]),
}
"""Of each: its first bytes, and how it is packed and unpacked."""


def conversations() -> dict[str, Recording]:
    """A few connections, one message after the other, with something to find in most."""
    ok: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}
    whole = Recording(0.0).initialize_v2().resume(1, "s").message("s", "m1", who="user_message").message("s", "m2")
    whole.agent("ask", "session/request_permission", sessionId="s").result("ask", ok, direction="c2a")
    whole.child("s", "c").message("c", "m3").update("c", "tool_call_update", toolCallId="t", status="completed")
    whole.marker("c").marker("s").idle("s").result(1, {}, after=0.7).client(2, "session/prompt", sessionId="s")
    whole.update("s", "agent_message_chunk", messageId="m4", content={"type": "text", "text": "words"})
    whole.result(2, {"stopReason": "end_turn"})
    older = Recording(0.0).initialize_v1(opted_in=True).load(1, "s").message("s", None, who="user_message")
    older.message("s", None).update("s", "tool_call", toolCallId="t", title="Run", kind="execute", status="pending")
    older.update("s", "tool_call_update", toolCallId="t", status="completed").vendor("s").result(1, {}, after=0.9)
    older.load(2, "other").error(2, -32002).client(3, "session/prompt", sessionId="s", prompt=[])
    older.message("s", None).result(3, {"stopReason": "end_turn"})
    faulty = Recording(0.0).initialize_v2().resume(1, "s").update("s", "notice", text="x").message("s", "m1")
    faulty.message("s", "m1").resume("two", "s").agent(1, "fs/read_text_file", sessionId="s", path="/w/a")
    faulty.result(1, {"content": ""}, direction="c2a").marker("s").message("s", "m2").result(1, {}).result(1, {})
    faulty.record("c2a", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "two"}})
    faulty.client(5, "session/new", cwd="/w").result(5, {"sessionId": "n"}).marker("nobody").error("two", -32800)
    return {"whole": whole, "older": older, "faulty": faulty}


def spoken_in(recording: Recording) -> Spoken:
    """Its messages."""
    sides = {"c2a": "client", "a2c": "agent"}
    return [(round(1000 * each["ts"]), sides[each["dir"]], each["msg"]) for each in recording.records]


def enveloped(
    spoken: Spoken,
    words: tuple[str, str] = ("out", "in"),
    keys: tuple[str, str, str] = ("ts", "dir", "msg"),
    at: Callable[[int], object] = lambda ms: (START_MS + ms) / 1000,
    body: Callable[[dict[str, Any]], object] = lambda message: message,
    **more: object,
) -> bytes:
    """An envelope a line, spelled so."""
    time_key, side_key, body_key = keys
    return of_lines(
        dumps({time_key: at(ms), side_key: words[side == "agent"], **more, body_key: body(message)})
        for ms, side, message in spoken
    )


def of_lines(lines: Iterable[bytes]) -> bytes:
    """Each with a newline behind it."""
    return b"".join(line + b"\n" for line in lines)


def text_of(message: object) -> str:
    """A message as it is on the wire."""
    return dumps(message).decode()


def prefixed(spoken: Spoken, prefix: Callable[[int, bool], str]) -> bytes:
    """What `prefix` makes of the time and of whether the agent spoke, before each message."""
    return of_lines(prefix(ms, side == "agent").encode() + dumps(message) for ms, side, message in spoken)


def moment(ms: int) -> datetime:
    """That time of the conversation."""
    return datetime.fromtimestamp((START_MS + ms) / 1000, UTC)


def recorded(spoken: Spoken) -> bytes:
    """What our own recorder writes, notes included."""
    lines: list[dict[str, Any]] = [
        {"replaylint": 1, "ts": START_MS, "mono_ns": 1, "conn": 1, "dir": "meta", "event": "start", "pid": 7}
    ]
    for ms, side, message in spoken:
        clock = {"ts": START_MS + ms, "mono_ns": ms * 10**6 + 1, "conn": 1}
        lines.append({**clock, "dir": "in" if side == "agent" else "out", "msg": message})
    around = {"ts": START_MS + 9000, "mono_ns": 9 * 10**9, "conn": 1}
    lines[3:3] = [{**lines[2], "msg": None, "dir": "stderr", "text": "warming up"}, {**lines[2], "text": "no JSON"}]
    del lines[4]["msg"]
    notes: list[dict[str, Any]] = [
        {"event": "dropped", "count": 2},
        {"event": "eof", "side": "agent"},
        {"event": "exit", "code": 0},
    ]
    return of_lines(map(dumps, [*lines, *({**around, "dir": "meta", **note} for note in notes)]))


def conducted(spoken: Spoken, agent: str = "Agent") -> bytes:
    """What the Rust conductor writes; messages to a proxy come again behind it."""
    records: list[dict[str, Any]] = []
    for ms, side, message in spoken:
        ends = {"from": agent, "to": "Client"} if side == "agent" else {"from": "Client", "to": agent}
        kind = "notification" if "id" not in message else "request" if "method" in message else "response"
        record: dict[str, Any] = {"type": kind, "ts": ms / 1000, "protocol": "acp", **ends}
        if "id" in message:
            record["id"] = f"u-{message['id']}"
        if "method" in message:
            record |= {"method": message["method"], "session": None, "params": message["params"]}
        else:
            record |= {"is_error": "error" in message, "payload": message.get("error", message.get("result"))}
        records.append(record)
        if agent != "Agent":
            records.append({**record, "from": agent, "to": "Agent"})
    return of_lines(map(dumps, records))


def viewed(spoken: Spoken) -> bytes:
    """What Zed's view exports."""
    entries: list[dict[str, Any]] = [{"_direction": "stderr", "_type": "stderr", "message": "warming up"}]
    methods: dict[tuple[str, object], object] = {}
    for _, side, message in spoken:
        entry: dict[str, Any] = {"_direction": "incoming" if side == "agent" else "outgoing", "_type": "request"}
        if "method" in message:
            methods[side, message.get("id")] = message["method"]
            entry |= {"id": message.get("id"), "method": message["method"], "params": message["params"]}
        else:
            method = methods.get(("client" if side == "agent" else "agent", message["id"]))
            outcome = message.get("error", message.get("result"))
            entry |= {"_type": "response", "id": message["id"], "method": method, "params": outcome}
        entries.append(entry)
    return json.dumps(entries, indent=2).encode()


def exported(spoken: Spoken) -> bytes:
    """What acp-devtools exports."""
    words = {"client": "editor-to-agent", "agent": "agent-to-editor"}
    messages = [
        {"seq": at, "timestamp": START_MS + ms, "direction": words[side], "kind": "x", "raw": text_of(message)}
        for at, (ms, side, message) in enumerate(spoken)
    ]
    messages[1]["payload"] = loads(str(messages[1].pop("raw")))
    tool = {"name": "t", "version": "1"}
    return dumps({"version": 1, "exportedAt": 1, "tool": tool, "session": {"id": "x"}, "messages": messages})


def transcribed(spoken: Spoken) -> bytes:
    """A conformance report with two tests."""
    entries = [
        {"dir": "received" if side == "agent" else "sent", "t": 100 + ms / 1000, "raw": text_of(message)}
        for ms, side, message in spoken
    ]
    tests = [{"nodeid": "one", "transcript": entries}, {"nodeid": "two", "transcript": [*entries[:3], {"gap": 4}]}]
    return dumps({"requirements": [{"id": "X-1", "status": "FAIL", "tests": tests}], "summary": {"failed": 1}})


def traced(spoken: Spoken) -> bytes:
    """What editors' language clients log."""
    records = [
        {
            "isLSPMessage": True,
            "type": f"{'receive' if side == 'agent' else 'send'}-{'request' if 'method' in message else 'response'}",
            "message": message,
            "timestamp": START_MS + ms,
        }
        for ms, side, message in spoken
    ]
    return of_lines([b"client log", *(b"[Trace - 10:00:00 AM] " + dumps(record) for record in records)])


def as_format(form: str, spoken: Spoken) -> bytes:
    """What the tests of the formats write in this one."""
    return example(form, [Said(*each) for each in spoken]).data


ARROWS: Final = "\N{RIGHTWARDS ARROW}", "\N{LEFTWARDS ARROW}"
WRITERS: Final[dict[str, Callable[[Spoken], bytes]]] = {
    "raw": lambda spoken: of_lines(dumps(message) for _, _, message in spoken),
    "raw batches": lambda spoken: of_lines(dumps([each[2] for each in spoken[at : at + 2]]) for at in (0, 2, 4, 6, 8)),
    "envelope": enveloped,
    "envelope ms": lambda spoken: enveloped(spoken, ("c2a", "a2c"), at=lambda ms: START_MS + ms, conn="a"),
    "envelope text": lambda spoken: enveloped(
        spoken, ("to_agent", "to_client"), ("ts_ms", "dir", "line"), lambda ms: START_MS + ms, text_of
    ),
    "envelope iso": lambda spoken: enveloped(
        spoken, (">>>", "<<<"), ("timestamp", "direction", "message"), lambda ms: moment(ms).isoformat()
    ),
    "envelope mono": lambda spoken: enveloped(
        spoken, ("sent", "received"), ("t_mono_ns", "d", "frame"), lambda ms: ms * 10**6, t_utc="2025-11-29T07:06:40Z"
    ),
    "envelope flipped": lambda spoken: enveloped(spoken, ("in", "out")),
    "envelope crlf": lambda spoken: b"\xef\xbb\xbf" + enveloped(spoken).replace(b"\n", b"\r\n\r\n"),
    "inline": lambda spoken: of_lines(
        dumps({"direction": side, "t": ms / 1000, **message}) for ms, side, message in spoken
    ),
    "recorder": recorded,
    "conductor-trace": conducted,
    "conductor-trace proxy": lambda spoken: conducted(spoken, "Proxy(0)"),
    "conductor-debug": lambda spoken: b"started\n" + prefixed(spoken, lambda ms, agent: f"C {ARROWS[agent]} +{ms}ms "),
    "jetbrains": lambda spoken: prefixed(
        spoken,
        lambda ms, agent: (
            f"{moment(ms):%F %T},{ms % 1000:03} [{ms:7}]   FINE - AcpTransport - {('OUT', 'IN')[agent]}: "
        ),
    ),
    "prefix epoch": lambda spoken: prefixed(spoken, lambda ms, _: f"{(START_MS + ms) / 1000:.6f} "),
    "prefix syslog": lambda spoken: prefixed(spoken, lambda ms, _: f"{moment(ms):%b %d %H:%M:%S} "),
    "prefix box": lambda spoken: b"# log\n" + prefixed(spoken, lambda _, agent: f"[{'RECV' if agent else 'SEND'}] "),
    "prefix sides": lambda spoken: prefixed(spoken, lambda _, agent: f"[{'agent' if agent else 'client'}] "),
    "prefix sign": lambda spoken: prefixed(
        spoken, lambda ms, agent: f'{ms / 1000:.3f} {"A2C" if agent else "C2A"} "x" :: '
    ),
    "prefix label": lambda spoken: prefixed(
        spoken, lambda ms, agent: f"{moment(ms):%T}.{ms % 1000:03} [t-1] TRACE a.b -- {('SEND', 'RECV')[agent]}: "
    ),
    "lsp-trace": traced,
    "zed": viewed,
    "acp-devtools": exported,
    "array": lambda spoken: dumps([message for _, _, message in spoken]),
    "array indented": lambda spoken: dumps(
        [loads(line) for line in enveloped(spoken).splitlines()], option=OPT_INDENT_2
    ),
    "tck-report": transcribed,
    "content-length": lambda spoken: framed([dumps(message) for _, _, message in spoken]),
    **{form: partial(as_format, form) for form in ("headed", "sequence", "acp-el", "acp-el-traffic", "tracing")},
}
"""How each format is written; the first word is its name."""
PACKED: Final = (("gzip", "envelope"), ("gzip", "zed"), ("bz2", "raw"), ("xz", "envelope"), ("zstd", "recorder"))


def framed(bodies: Iterable[bytes]) -> bytes:
    """Each with its length before it."""
    return b"".join(b"Content-Length: %d\r\n\r\n%b" % (len(body), body) for body in bodies)


def own_samples() -> Iterator[Sample]:
    """The conversations in every format."""
    for title, recording in conversations().items():
        spoken = spoken_in(recording)
        for name, writer in WRITERS.items():
            content = writer(spoken)
            yield Sample(f"{title} as {name}", "formats", name.split()[0], content, layout_of(content))
        for codec, name in PACKED:
            content = WRITERS[name](spoken)
            yield Sample(f"{title} as {name} in {codec}", "formats", name, content, layout_of(content), codec)


def samples(shared: Path = SHARED) -> list[Sample]:
    """Every sample, in an order that is always the same; recordings of others only where they are there."""
    found = [sample_of(path, "samples") for path in sorted((ROOT / "sample_traces").glob("*.ndjson"))]
    found += [sample_of(path, "rules") for path in sorted((ROOT / "tests" / "rules").glob("*/*.ndjson"))]
    found += own_samples()
    groups = (("traces/formats", "shared formats"), ("traces/real", "shared"), ("traces/public", "shared"))
    for folder, group in groups:
        for path in sorted((shared / folder).rglob("*")):
            if path.suffix != ".md" and not path.name.endswith("expect.json") and path.is_file():
                sample = sample_of(path, group)
                if len(sample.content) <= SMALL_BYTES:
                    found.append(sample)
    return found


def sample_of(path: Path, group: str) -> Sample:
    """A recording that was there before."""
    content = path.read_bytes()
    codec = codec_of(content)
    content = unpacked(content)
    return Sample(f"{path.parent.name}/{path.name}", group, None, content, layout_of(content), codec)


def codec_of(content: bytes) -> str | None:
    """How this is packed; None for not at all."""
    return next((name for name, (magic, _, _) in CODECS.items() if content.startswith(magic)), None)


def unpacked(content: bytes) -> bytes:
    """What is in it, if it is packed; raises what the module that unpacks it does."""
    codec = codec_of(content)
    return content if codec is None else CODECS[codec][2](content)


DOCUMENT_KEYS: Final = frozenset({"messages", "requirements"})


def layout_of(content: bytes) -> str:
    """What the parts of this recording are."""
    if content.startswith(b"Content-Length"):
        return "frames"
    value = parsed(content)
    whole = isinstance(value, list) or (isinstance(value, dict) and not value.keys().isdisjoint(DOCUMENT_KEYS))
    return "document" if whole else "lines"
