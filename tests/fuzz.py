"""Fuzz the linter: whatever a recording holds, there is a report as declared, or an error of ours.

    python -m tests.fuzz [--inputs 1000000] [--jobs 2] [--seed 1] [--first 0] [--failures FOLDER]

An input is a sample that one to four mutations went through. Its number and the seed say all of it, as long as the
samples stay the same. What fails is made small and written to a file. Exit status: 0 nothing failed, 1 something did.
"""

from __future__ import annotations

import bz2
import contextlib
import gc
import gzip
import io
import json
import lzma
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from argparse import ArgumentParser
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, reduce
from hashlib import blake2b
from math import inf
from multiprocessing import active_children, get_context
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from unittest.mock import patch

from orjson import OPT_INDENT_2, JSONDecodeError, JSONEncodeError, dumps, loads

import replaylint.cli
from replaylint.commands.output import complain
from replaylint.recording.formats import every_format
from replaylint.render import FORMATS, renderer
from replaylint.render.view import View
from replaylint.replay.outcome import OUTCOMES
from replaylint.report.lint import lint
from replaylint.report.linter import Linter
from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from types import FrameType

    from replaylint.report.model import Report

ROOT: Final = Path(__file__).resolve().parent.parent
SHARED: Final = ROOT.parent / "shared"

# Samples

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


WEIGHTS: Final = {"samples": 10, "rules": 46, "formats": 32, "shared formats": 9, "shared": 3}
"""How often a sample of each group is taken."""


class Stock:
    """All samples, and the values in them."""

    def __init__(self, every: list[Sample]) -> None:
        self.every = every
        self.by_name = {sample.name: sample for sample in every}
        self.groups = {name: [each for each in every if each.group == name] for name in WEIGHTS}
        self._names = [name for name, those in self.groups.items() if those]
        self._weights = [WEIGHTS[name] for name in self._names]
        self.values: dict[str, list[Any]] = {}
        """Of each key, some of the values that it has in samples."""
        for sample in every:
            if sample.layout == "lines" and sample.group != "shared":
                for line in sample.content.splitlines()[:12]:
                    self._collect(parsed(line))
        self.keys = sorted(self.values)
        self.mixable = [sample for sample in self.groups["rules"] if is_mixable(sample)]
        self.plain = [sample for sample in self.groups["rules"] if b'"msg"' in sample.content]

    def _collect(self, value: object) -> None:
        for container, key in slots_of(value):
            if isinstance(key, str):
                known = self.values.setdefault(key, [])
                if len(known) < 40 and isinstance(container, dict) and container[key] not in known:
                    known.append(container[key])

    def draw(self, random: Random) -> Sample:
        """A sample."""
        return random.choice(self.groups[random.choices(self._names, self._weights)[0]])

    def value(self, random: Random, key: object = None) -> Any:
        """A value of a sample, of this key if it is one."""
        known = self.values.get(key) if isinstance(key, str) else None
        return random.choice(known or self.values[random.choice(self.keys)])


# Mutations

Slot = tuple[Any, Any]
"""An object or array, and a key or place in it."""
Mutation: TypeAlias = "Callable[[Random, bytes, Sample, Stock], bytes | None]"
"""What becomes of a recording; None where it allows no such mutation."""
Change: TypeAlias = "Callable[[Random, Any, Any, list[bytes], Stock], None]"
"""Changes the value at a place; texts that no serialiser would write go into the list."""

PIECES: Final = (
    *(b"\n", b"\0", b"\xff", "\u2028".encode(), b"\xef\xbb\xbf", b"\x1b[31m", b"\r", b"\r\n", b'"', b"\\", b"{"),
    *(b"}", b"[", b"]", b",", b":", b" ", b"\xed\xa0\x80", b"\xc0\x80", "\u202e".encode(), b"\x9b", b"\xc2\x9b"),
    *(b"::error::", b"##[group]", b"null", b"1e999", b"-", b"0", b"\x1f\x8b\x08\0", b"[SEND] ", b"\\ud800", b"\x7f"),
    *(b"Content-Length: 9\r\n\r\n", b'{"jsonrpc":"2.0","method":', b"\n\n", b"\xf4\x90\x80\x80", b"9" * 21),
)


def bytes_changed(random: Random, data: bytes, sample: Sample, stock: Stock) -> bytes | None:
    """Some bytes are others."""
    if not data:
        return random.choice(PIECES)
    at = random.randrange(len(data))
    how = random.choice(("flip", "set", "delete", "insert", "insert", "splice", "truncate", "repeat", "overwrite"))
    if how == "flip":
        return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
    if how == "set":
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    if how == "delete":
        return data[:at] + data[at + random.choice((1, 1, 2, 3, 8, 40)) :]
    if how == "truncate":
        return data[:at]
    if how == "repeat":
        end = at + random.choice((1, 2, 8, 100, 1000))
        return data[:end] + data[at:]
    if how == "splice":
        other = stock.draw(random).content
        begin = random.randrange(len(other) or 1)
        return data[:at] + other[begin : begin + random.choice((3, 20, 200))] + data[at:]
    piece = random.choice(PIECES)
    return data[:at] + piece + data[at + (len(piece) if how == "overwrite" else 0) :]


def lines_changed(random: Random, data: bytes, sample: Sample, stock: Stock) -> bytes | None:
    """Some lines, or elements of the document, are others, elsewhere, or gone."""
    if sample.layout == "document" and random.random() < 0.8:
        return elements_changed(random, data, stock)
    parts = parts_of(data, sample.layout)
    other = parts_of(stock.draw(random).content, "lines")
    how = random.choice(("drop", "drop", "repeat", "swap", "move", "join", "split", "cut", "import", "drop some"))
    at = random.randrange(len(parts))
    if how == "join":
        parts[at : at + 2] = [b"".join(parts[at : at + 2])]
    elif how == "split":
        place = random.randrange(len(parts[at]) + 1)
        parts[at : at + 1] = [parts[at][:place], parts[at][place:]]
    elif how == "cut":
        parts[at] = parts[at][: random.randrange(len(parts[at]) + 1)]
    else:
        moved(random, parts, how, random.choice(other))
    return joined(parts, sample.layout)


def moved(random: Random, parts: list[Any], how: str, other: object) -> None:
    """Drop, repeat, swap, move or import one of these parts."""
    at, to = random.randrange(len(parts)), random.randrange(len(parts))
    if how == "drop":
        del parts[at]
    elif how == "drop some":
        del parts[at : at + random.randrange(1, 4)]
    elif how == "repeat":
        parts[to:to] = [parts[at]] * (3000 if random.random() < 0.02 else random.choice((1, 1, 2, 5)))
    elif how == "swap":
        parts[at], parts[to] = parts[to], parts[at]
    elif how == "move":
        parts.insert(to, parts.pop(at))
    else:
        parts.insert(at, other)


def elements_changed(random: Random, data: bytes, stock: Stock) -> bytes | None:
    """Some elements of the longest array of a document are elsewhere or gone."""
    document = parsed(data)
    arrays = [document, *(container[key] for container, key in slots_of(document))]
    longest = max((each for each in arrays if isinstance(each, list)), key=len, default=None)
    if not longest:
        return None
    how = random.choice(("drop", "repeat", "swap", "move", "import", "drop some"))
    moved(random, longest, how, stock.value(random))
    return like(data, written(document))


def parts_of(data: bytes, layout: str) -> list[bytes]:
    """The lines, or what stands in the frames."""
    if layout == "frames":
        return re.split(rb"Content-Length: *\d+\r?\n\r?\n", data)[1:] or [data]
    return data.split(b"\n")


def joined(parts: list[bytes], layout: str) -> bytes:
    """The recording with these parts."""
    return framed(parts) if layout == "frames" else b"\n".join(parts)


def fields_changed(random: Random, data: bytes, sample: Sample, stock: Stock) -> bytes | None:
    """Some members of an object are gone, are called otherwise, come twice, or have values of others."""
    return values_changed(random, data, sample, stock, rearranged)


def types_changed(random: Random, data: bytes, sample: Sample, stock: Stock) -> bytes | None:
    """Some value is of another type, or of an extreme one."""
    return values_changed(random, data, sample, stock, replaced)


LEVELS: Final[dict[str, Mutation]] = {
    "byte": bytes_changed,
    "line": lines_changed,
    "field": fields_changed,
    "type": types_changed,
}


def values_changed(
    random: Random,
    data: bytes,
    sample: Sample,
    stock: Stock,
    change: Change,
) -> bytes | None:
    """A value in one of the parts, or in the document, is changed."""
    if sample.layout == "document":
        document = parsed(data)
        text = None if document is None else revised(random, document, stock, change)
        return None if text is None else like(data, text)
    parts = parts_of(data, sample.layout)
    for _ in range(4):
        at = random.randrange(len(parts))
        opened = opened_part(parts[at])
        if opened is not None:
            before, value, behind = opened
            text = revised(random, value, stock, change)
            if text is not None:
                parts[at] = before + text + behind
                return joined(parts, sample.layout)
    return None


def opened_part(part: bytes) -> tuple[bytes, Any, bytes] | None:
    """What stands before the JSON of this line, its value, and what stands behind."""
    text = part.rstrip()
    at = text.find(b"{")
    if at < 0:
        return None
    if at and text[at - 1] == ord("["):
        at -= 1
    value = parsed(text[at:])
    return None if value is None else (part[:at], value, part[len(text) :])


def parsed(data: bytes | str) -> Any:
    """The JSON value that this is, None where it is none; also what only lenient parsers take."""
    try:
        return loads(data)
    except JSONDecodeError:
        pass
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def written(value: object) -> bytes:
    """The value as JSON, whatever it holds; JSONEncodeError where it is nested too deeply."""
    try:
        return dumps(value)
    except JSONEncodeError:
        try:
            return json.dumps(value).encode()
        except RecursionError:
            raise JSONEncodeError("nested too deeply") from None


def like(data: bytes, text: bytes) -> bytes:
    """The document, on several lines if it was so before: never inside strings, where a newline is escaped."""
    return re.sub(rb'([\[{,])("|\{)', rb"\1\n  \2", text) if b"\n" in data.strip() else text


def slots_of(value: object) -> list[Slot]:
    """Every place in this value that holds another one."""
    slots: list[Slot] = []
    containers: list[Any] = [value]
    for each in containers:
        inner: Iterable[tuple[Any, Any]]
        if each.__class__ is dict:
            inner = each.items()
        elif each.__class__ is list:
            inner = enumerate(each)
        else:
            continue
        for key, part in inner:
            slots.append((each, key))
            if part.__class__ is dict or part.__class__ is list:
                containers.append(part)
    return slots


def revised(
    random: Random,
    value: Any,
    stock: Stock,
    change: Change,
) -> bytes | None:
    """The value, written, after one change somewhere in it; often inside a text that is JSON itself."""
    raw: list[bytes] = []
    outside = [value]
    slots = [(outside, 0), *slots_of(value)]
    container, key = random.choice(slots)
    old = container[key]
    if isinstance(old, str) and old.startswith("{") and random.random() < 0.8:
        inner = parsed(old)
        text = None if inner is None else revised(random, inner, stock, change)
        if text is not None:
            container[key] = text.decode(errors="replace")
    else:
        change(random, container, key, raw, stock)
    if not outside:
        return b""
    try:
        text = written(outside[0])
    except JSONEncodeError:
        return None
    for number, each in enumerate(raw):
        text = text.replace(b'"@fuzz:%d@"' % number, each)
    return text


def raw_text(raw: list[bytes], text: bytes) -> str:
    """Stands for this text, which no serialiser would write."""
    raw.append(text)
    return f"@fuzz:{len(raw) - 1}@"


def rearranged(random: Random, container: Any, key: Any, raw: list[bytes], stock: Stock) -> None:
    """What field mutations do at a place."""
    how = random.choice(("drop", "drop", "rename", "duplicate", "swap", "graft", "graft", "graft any", "add"))
    old = container[key]
    if how == "drop":
        del container[key]
    elif how == "graft any" or not isinstance(container, dict):
        container[key] = stock.value(random)
    elif how == "graft":
        container[key] = stock.value(random, key)
    elif how == "rename":
        name = random.choice((random.choice(stock.keys), key.upper(), f"{key} ", f"_{key}", key[:-1]))
        items = [(name if each == key else each, part) for each, part in container.items()]
        container.clear()
        container.update(items)
    elif how == "duplicate":
        container[raw_text(raw, written_safely(key))] = random.choice((old, stock.value(random, key), None))
    elif how == "swap":
        other = random.choice(list(container))
        container[key], container[other] = container[other], old
    else:
        name = random.choice(stock.keys)
        container[name] = stock.value(random, name)


def written_safely(value: object) -> bytes:
    """The value as JSON, or null."""
    try:
        return written(value)
    except JSONEncodeError:
        return b"null"


EXTREMES: Final = (
    *(b"null", b"true", b"false", b"0", b"-1", b"1.5", b"9007199254740993", b"1180591620717411303424", b"-0.0"),
    *(b"1e400", b"NaN", b"-Infinity", b'"NaN"', b'""', b'" "', b'"0"', b'"1"', b"[]", b"{}", b"[null]", b"[[]]"),
    *(b'"\\ud800"', b'"\\udc00\\ud800"', b'"\xed\xa0\x80"', b"2", b"1.0", b"1e-320", b"1" * 400, b'"initialize"'),
    *(b'"\\u0000\\u001b[31m\\r\\n::error::\\u202e\\u2028##[x]"', b'"' + b"x" * 5000 + b'"', b"18446744073709551616"),
    *(b"[" * 100 + b"]" * 100, b'{"a":' * 100 + b"1" + b"}" * 100, b"-9223372036854775809", b'{"":{"":[]}}'),
)
RARE: Final = (
    *(b"[" * 1030 + b"]" * 1030, b'{"a":' * 3000 + b"1" + b"}" * 3000, b"[" * 100_000, b"1" * 5000),
    *(b'"' + b"x" * 140_000 + b'"', b'"' + b"\\u0000" * 3000 + b'"', b"[" + b"0," * 3000 + b"0]"),
)


def replaced(random: Random, container: Any, key: Any, raw: list[bytes], stock: Stock) -> None:
    """What type mutations do at a place."""
    old = container[key]
    how = random.randrange(12)
    if how == 0:
        container[key] = [old]
    elif how == 1:
        container[key] = {"a": old} if isinstance(key, int) else {key: old}
    elif how == 2:
        container[key] = [old, old]
    elif how == 3:
        text = written_safely(old)
        container[key] = raw_text(raw, b"[" * 100 + text + b"]" * 100)
    elif how == 4:
        container[key] = old.encode(errors="replace").decode() if isinstance(old, str) else written_safely(old).decode()
    elif how == 5 and isinstance(old, str):
        container[key] = parsed(old)
    else:
        container[key] = raw_text(raw, random.choice(RARE if random.random() < 0.01 else EXTREMES))


def mutated(random: Random, data: bytes, level: str, sample: Sample, stock: Stock) -> tuple[bytes, str]:
    """The recording after one mutation of this level, or of bytes where it allows none; and which it was."""
    new = LEVELS[level](random, data, sample, stock)
    if new is None:
        level = "byte"
        new = bytes_changed(random, data, sample, stock)
    return (data if new is None else new), level


# An input


class Case(NamedTuple):
    """An input, and how it is linted.

    `mode`: one file, `several`, `concat`: cut in two at byte `cut`, or `sides`: what each side sent apart.
    """

    number: int
    sample: str
    content: bytes
    levels: tuple[str, ...]
    closed: bool
    expect: tuple[str, ...] | None
    form: str | None
    max_line: int | None
    mode: str
    cut: int


@cache
def format_names() -> list[str]:
    """The names of all formats."""
    return [form.NAME for form in every_format()]


def case_of(seed: int, index: int, stock: Stock) -> Case:
    """Input number `index` of this seed."""
    random = Random(f"{seed}:{index}")  # noqa: S311
    sample = stock.draw(random)
    content, levels = sample.content, []
    packs = CODECS[sample.codec][1] if sample.codec is not None else None
    only_bytes = packs is not None and random.random() < 0.3
    if packs is not None and only_bytes:
        content = packs(content)
    for _ in range(random.choices((1, 2, 3, 4), (4, 3, 2, 1))[0]):
        level = "byte" if only_bytes else random.choices(tuple(LEVELS), (2, 2, 3, 3))[0]
        content, level = mutated(random, content, level, sample, stock)
        levels.append(level)
    if packs is not None and not only_bytes:
        content = packs(content)
    form = None
    if random.random() < 0.12:
        form = sample.form if sample.form and random.random() < 0.7 else random.choice(format_names())
    expect = None
    if random.random() < 0.2:
        expect = ("complete",) if random.random() < 0.7 else tuple(random.sample(OUTCOMES, 2))
    max_line = random.choice((1, 60, 200, 1000)) if random.random() < 0.03 else None
    mode = random.choices(("one", "several", "concat", "sides"), (92, 2, 3, 3))[0]
    cut = random.randrange(len(content) + 1)
    if mode == "concat" and random.random() < 0.8:
        cut = content.find(b"\n", cut) + 1
    closed = random.random() < 0.5
    return Case(index, sample.name, content, tuple(levels), closed, expect, form, max_line, mode, cut)


# What has to hold


class Broken(AssertionError):  # noqa: N818  (what is broken, is a promise)
    """Something that has to hold does not."""

    def __init__(self, what: str, details: str = "", files: dict[str, bytes] | None = None) -> None:
        super().__init__(f"{what}: {details}" if details else what)
        self.what = what
        self.files = files or {}
        """What shows it, where that is not the input."""


class Hang(BaseException):
    """One input takes far too long."""


class Lost(Exception):  # noqa: N818  (so are the inputs)
    """A process that is fuzzed in has ended, or does not answer."""


def require(holds: object, what: str, details: object = "") -> None:
    """Raise Broken if it does not hold."""
    if not holds:
        raise Broken(what, str(details)[:2000])


SCHEMA: Final[dict[str, Any]] = loads((ROOT / "replaylint" / "report" / "schema.json").read_bytes())
Check: TypeAlias = "Callable[[Any], bool]"

TYPES: Final[dict[str, Check]] = {
    "object": lambda value: value.__class__ is dict,
    "array": lambda value: value.__class__ is list,
    "string": lambda value: value.__class__ is str,
    "integer": lambda value: value.__class__ is int or (value.__class__ is float and value.is_integer()),
    "number": lambda value: value.__class__ is int or value.__class__ is float,
    "boolean": lambda value: value.__class__ is bool,
    "null": lambda value: value is None,
}
KEYWORDS: Final = frozenset(
    {"$schema", "$id", "$defs", "title", "description", "type", "required", "properties", "items", "enum", "const"}
    | {"anyOf", "$ref", "minimum", "exclusiveMinimum", "pattern", "additionalProperties", "propertyNames"}
)
"""What `checker` knows of JSON Schema."""


@cache
def fast_check() -> Check:
    """Whether a value is valid by the schema, many times faster than a validator: for every input."""
    return checker(SCHEMA, {})


def checker(schema: dict[str, Any], known: dict[str, Check]) -> Check:
    """The schema as functions. `known` holds those of definitions."""
    require(schema.keys() <= KEYWORDS, "a keyword of the schema is not known here", schema.keys() - KEYWORDS)
    checks: list[Check] = []
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name not in known:
            known[name] = checker(SCHEMA["$defs"][name], known)
        checks.append(known[name])
    if "type" in schema:
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        checks.append(reduce(either, (TYPES[kind] for kind in kinds)))
    if "anyOf" in schema:
        checks.append(reduce(either, (checker(each, known) for each in schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        checks.append(one_of(schema["enum"] if "enum" in schema else [schema["const"]]))
    least, above = schema.get("minimum", -inf), schema.get("exclusiveMinimum", -inf)
    if least > -inf or above > -inf:
        checks.append(lambda value: value.__class__ not in {int, float} or (value >= least and value > above))
    if "pattern" in schema:
        pattern = re.compile(schema["pattern"])
        checks.append(lambda value: value.__class__ is not str or pattern.search(value) is not None)
    if "items" in schema:
        item = checker(schema["items"], known)
        checks.append(lambda value: value.__class__ is not list or all(map(item, value)))
    if not schema.keys().isdisjoint({"required", "properties", "additionalProperties", "propertyNames"}):
        checks.append(members(schema, known))
    return reduce(both, checks) if checks else lambda _: True


def both(one: Check, other: Check) -> Check:
    """Whether both hold."""
    return lambda value: one(value) and other(value)


def either(one: Check, other: Check) -> Check:
    """Whether one of them holds."""
    return lambda value: one(value) or other(value)


def one_of(values: list[Any]) -> Check:
    """Whether it is one of these scalars; true is not 1."""
    exact = {(each.__class__, each) for each in values}
    return lambda value: value.__class__ not in {dict, list} and (value.__class__, value) in exact


def members(schema: dict[str, Any], known: dict[str, Check]) -> Check:
    """The part of the schema that is about an object's members."""
    required = frozenset(schema.get("required", ()))
    properties = {name: checker(each, known) for name, each in schema.get("properties", {}).items()}
    rest = checker(schema["additionalProperties"], known) if "additionalProperties" in schema else None
    names = checker(schema["propertyNames"], known) if "propertyNames" in schema else None

    def check(value: Any) -> bool:
        if value.__class__ is not dict:
            return True
        if not value.keys() >= required or (names is not None and not all(map(names, value))):
            return False
        for name, part in value.items():
            if (of_member := properties.get(name, rest)) is not None and not of_member(part):
                return False
        return True

    return check


@cache
def validator() -> Any:
    """The real one."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(SCHEMA)


UNPRINTABLE: Final = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""What must not reach a terminal."""
COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


def require_printable(text: str, what: str) -> None:
    """Raise Broken if there is anything in it that a terminal would act upon."""
    found = UNPRINTABLE.search(text)
    if found is not None:
        around = text[max(0, found.start() - 60) : found.end() + 20]
        raise Broken(f"{what} holds a control character", repr(around))


NARROW: Final = View(width=80)
COLOURED: Final = View(width=80, colour=True)
VIEWS: Final = {"text": (View(), NARROW), "concise": (View(), NARROW), "json": (View(),)}

DIRECTED: Final = re.compile(rb"c2a|\"out\"|SEND|client|sent|>>>|OUT|outgoing")
TOO_SLOW_S: Final = 10.0
HANG_S: Final = 30

REPEAT, LINTER, FULL, COMMANDS, APART, BESIDE = 10, 20, 50, 200, 25, 25
"""Every how many inputs: the same again; the library's Linter; the real validator; show and extract; the two checks of
what must not change."""


class Seen(NamedTuple):
    """What came of an input. `seconds` are those of the processor for linting it once and writing it in all formats."""

    recognised: bool
    window: bool
    seconds: float
    digest: int


class Oracle:
    """Lints inputs, and says what does not hold. All files are written to `folder`."""

    def __init__(self, folder: Path, stock: Stock, seed: int) -> None:
        self.folder = folder
        self.stock = stock
        self.seed = seed

    def path(self, name: str = "trace") -> str:
        """A file of this name."""
        return os.path.join(self.folder, name)  # noqa: PTH118  (pathlib is felt a million times)

    def save(self, content: bytes, name: str = "trace") -> str:
        """Write a file; its path."""
        path = self.path(name)
        with open(path, "wb", buffering=0) as file:  # noqa: PTH123
            file.write(content)
        return path

    def check(self, case: Case) -> Seen:
        """Raises whatever does not hold."""
        started = time.process_time()
        run = self.prepared(case)
        report = run()
        outputs = rendered(report)
        seconds = time.process_time() - started
        data = outputs[-1]
        require(seconds < TOO_SLOW_S, "slow", f"{seconds:.1f} s")
        self.check_report(report, outputs)
        if case.number % REPEAT == 0:
            require(rendered(run()) == outputs, "the same input gives another report")
        if case.number % FULL == 1:
            self.check_fully(report, data)
        if case.number % LINTER == 2:
            self.check_linter(case)
        if case.number % COMMANDS == 3:
            self.check_commands(case)
        if case.number % APART == 4:
            self.check_unchanged(Random(f"{self.seed}:{case.number}:unchanged"))  # noqa: S311
        if case.number % BESIDE == 5:
            self.check_beside(Random(f"{self.seed}:{case.number}:beside"))  # noqa: S311
        digest = int.from_bytes(blake2b(data, digest_size=8).digest())
        recognised = any(trace.format is not None for trace in report.traces)
        return Seen(recognised, any(resume.replaying for resume in report.resumes), seconds, digest)

    def prepared(self, case: Case) -> Callable[[], Report]:
        """Writes the files of an input; how to lint them."""
        options: dict[str, Any] = {
            "closed": case.closed,
            "expect": case.expect,
            "input_format": case.form,
            "max_line": case.max_line,
        }
        if case.mode == "one":
            path = self.save(case.content)
            return lambda: lint(path, **options)
        if case.mode == "sides":
            lines = case.content.split(b"\n")
            sides = [DIRECTED.search(line) is not None for line in lines]
            client = self.save(b"\n".join(line for line, side in zip(lines, sides, strict=True) if side))
            agent = self.save(b"\n".join(line for line, side in zip(lines, sides, strict=True) if not side), "trace-2")
            return lambda: lint([], client_file=client, agent_file=agent, **options)
        cut = case.cut if case.mode == "concat" else len(case.content)
        second = case.content[cut:] if cut < len(case.content) else self.stock.by_name[case.sample].content
        paths = [self.save(case.content[:cut]), self.save(second, "trace-2")]
        return lambda: lint(paths, concat=case.mode == "concat", **options)

    def check_report(self, report: Report, outputs: list[bytes]) -> None:
        """What holds for every report, and for how it is written."""
        for name, output in zip(OUTPUTS, outputs, strict=True):
            if name != "json":
                require_printable(output.decode(errors="surrogatepass"), name)
        value = loads(outputs[-1])
        if not fast_check()(value):
            errors = [f"{error.json_path}: {error.message}" for error in validator().iter_errors(value)]
            raise Broken("the report is not valid", "; ".join(errors[:3]) or "the fast check is wrong")
        check_lines(report)
        check_order(report)
        summary = report.summary
        require(summary.resumes == len(report.resumes), "the summary counts other resumes")
        counts = Counter[str](finding.severity for finding in report.findings)
        require(Counter(summary.findings) == counts, "the summary counts other findings")

    def check_fully(self, report: Report, data: bytes) -> None:
        """What takes longer to find out."""
        value = loads(data)
        errors = [f"{error.json_path}: {error.message}" for error in validator().iter_errors(value)]
        require(not errors, "the report is not valid", "; ".join(errors[:3]))
        require(value == loads(dumps(report)), "the JSON is not the report")
        text = b"".join(pieces(report, "text", COLOURED)).decode(errors="surrogatepass")
        require_printable(COLOUR.sub("", text), "coloured text")

    def check_linter(self, case: Case) -> None:
        """A program feeds it what is in the input, as objects, as bytes and as texts, with times and without."""
        random = Random(f"{self.seed}:{case.number}:linter")  # noqa: S311
        linter = Linter(name=random.choice(("messages", "\ud800\x1b[0m")), expect=case.expect)
        at = random.choice((0.0, 1764400000.0))
        lines = 0
        for part in case.content.split(b"\n")[:300]:
            opened = opened_part(part)
            value = opened[1] if opened is not None else None
            body = value.get("msg", value) if isinstance(value, dict) else value
            how = random.randrange(4)
            message: Any = part if how == 0 or not isinstance(body, dict | list) else body
            if how == 1:
                message = part.decode(errors="surrogateescape")
            at += random.choice((0.0, 0.01, 0.01, 3.0, -1.0))
            try:
                linter.feed(random.choice(("client", "agent")), message, random.choice((at, at, None)))
            except UnicodeEncodeError:
                continue  # half of a surrogate pair from us: no text that a peer may have sent
            lines += 1
        report = linter.finish(closed=case.closed)
        require(report.traces[0].lines == lines, "the linter counts other messages")
        self.check_report(report, rendered(report))

    def check_commands(self, case: Case) -> None:
        """The commands that look closer at a recording."""
        random = Random(f"{self.seed}:{case.number}:commands")  # noqa: S311
        path = self.save(case.content)
        report = lint(path)
        (trace,) = report.traces
        line = random.randrange(trace.lines + 2)
        shown = self.command("show", f"{path}:{line}", "--context", str(random.randrange(4)))
        require(shown == (0 if trace.error is None and 0 < line <= trace.lines else 2), "show ends otherwise", shown)
        checked = self.command("check", path, "--format", random.choice(FORMATS), "--session", "s", "--all")
        failed = any(finding.severity == "error" for finding in report.findings)
        require(checked == (2 if trace.error is not None else int(failed)), "check ends otherwise", checked)
        if report.resumes:
            number = random.randrange(1, len(report.resumes) + 1)
            extracted = self.command("extract", path, "--resume", str(number), "-o", self.path("extract"))
            require(extracted in {0, 2}, "extract ends otherwise", extracted)

    def command(self, *arguments: str) -> int:
        """The exit status of a command that printed nothing but text. Raises what it calls an internal error."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        raised: list[BaseException] = []

        def listening(text: str) -> None:
            if text.startswith("internal error") and (error := sys.exception()) is not None:
                raised.append(error)
            complain(text)

        with (
            patch("sys.argv", ["replaylint", *arguments]),
            patch("replaylint.cli.complain", listening),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            status = replaylint.cli.main()
        gc.enable()  # `check` turns it off
        if raised:
            raise raised[0]
        for stream in (out, err):
            text = stream.buffer.getvalue().decode()
            if "json" not in arguments:
                require_printable(text, arguments[0])
        return status

    # What must not change

    def signature(self, content: bytes, *, closed: bool, lines: Sequence[int] | None = None) -> list[Any]:
        """The findings and outcomes. `lines` says which line each line was before; 0: it is new."""

        def was(line: int | None) -> int | None:
            return line if lines is None or line is None else lines[line - 1]

        report = lint(self.save(content), closed=closed)
        found: list[Any] = [
            (
                *(each.rule, was(each.line), was(each.last_line), each.count, each.severity, each.party),
                each.session_id,
                tuple((was(evidence.line), evidence.what) for evidence in each.evidence),
            )
            for each in report.findings
        ]
        for resume in report.resumes:
            sessions = tuple((each.session_id, each.outcome, each.certified_by) for each in resume.sessions)
            found.append((was(resume.request.line), resume.end, resume.session_id, sessions))
        return sorted(found, key=repr)

    def check_unchanged(self, random: Random) -> None:
        """A message that says the same in other words, and one that nobody knows, change no finding of any line."""
        sample = random.choice(self.stock.plain)
        closed = random.random() < 0.5
        lines = sample.content.split(b"\n")
        change = random.choice(HARMLESS)
        result = change(random, lines)
        if result is None:
            return
        new, numbers = result
        content = b"\n".join(new)
        before = self.signature(sample.content, closed=closed)
        after = self.signature(content, closed=closed, lines=numbers)
        if before != after:
            details = f"{sample.name}, closed={closed}: {before} became {after}"
            raise Broken(f"{change.__name__}: findings change", details, {"before": sample.content, "after": content})

    def check_beside(self, random: Random) -> None:
        """Whatever a message of one connection becomes, the other connection of the recording keeps its findings."""
        one, other = random.choice(self.stock.mixable), random.choice(self.stock.mixable)
        records, owners = beside(random, one, other)
        closed = random.random() < 0.5
        kept = [number for number, owner in enumerate(owners, 1) if owner == "b"]
        old = of_lines(records)
        before = of_those(self.signature(old, closed=closed), kept)
        at = random.choice([at for at, owner in enumerate(owners) if owner == "a"])
        record = loads(records[at])
        change = random.choice((rearranged, replaced))
        body = revised(random, record["msg"], self.stock, change)
        if body is None or not body:
            return
        record["msg"] = "@fuzz:body@"
        records[at] = dumps(record).replace(b'"@fuzz:body@"', body)
        content = of_lines(records)
        after = of_those(self.signature(content, closed=closed), kept)
        if before != after:
            details = f"line {at + 1} of {one.name} beside {other.name}, closed={closed}: {before} became {after}"
            raise Broken("another connection's findings change", details, {"before": old, "after": content})


OUTPUTS: Final = tuple(name for name in ("text", "concise", "json") for _ in VIEWS[name])


def pieces(report: Report, name: str, view: View) -> Iterator[bytes]:
    """The report as a renderer writes it."""
    for piece in renderer(name).render(report, view):
        yield piece if isinstance(piece, bytes) else piece.encode(errors="surrogatepass")


def rendered(report: Report) -> list[bytes]:
    """The report in every format, for a file and for a narrow terminal; JSON comes last."""
    return [b"".join(pieces(report, name, view)) for name, views in VIEWS.items() for view in views]


def check_lines(report: Report) -> None:
    """Each line that the report names is one of its trace."""
    lines = {trace.path: trace.lines for trace in report.traces}
    for finding in report.findings:
        require(finding.trace is None or finding.trace in lines, "a finding in no trace", finding.trace)
        if finding.trace is None or finding.line is None:
            continue
        last = lines[finding.trace]
        require(1 <= finding.line <= last, f"{finding.rule} names a line that is not there", finding.line)
        require(finding.last_line is not None, f"{finding.rule} has a line, but no last one")
        require(finding.line <= (finding.last_line or 0) <= last, f"{finding.rule} ends at no line", finding.last_line)
        for evidence in finding.evidence:
            there = lines[getattr(evidence, "trace", finding.trace)]
            require(1 <= evidence.line <= there, f"{finding.rule} rests on a line that is not there", evidence.line)
    for resume in report.resumes:
        named = [(resume.trace, resume.request.line)]
        if resume.response is not None:
            named.append((getattr(resume.response, "trace", resume.trace), resume.response.line))
        for session in resume.sessions:
            if session.marker is not None:
                named.append((getattr(session.marker, "trace", resume.trace), session.marker.line))
            if session.announced_line is not None and len(lines) == 1:
                named.append((resume.trace, session.announced_line))
        for trace, line in named:
            require(1 <= line <= lines[trace], "a resume names a line that is not there", line)


def check_order(report: Report) -> None:
    """Findings and resumes are in the order that the schema declares."""
    at = {trace.path: number for number, trace in enumerate(report.traces)}
    ranks = [(at.get(each.trace or "", inf), each.line or inf, each.rule) for each in report.findings]
    require(ranks == sorted(ranks), "findings are in another order")
    if len(report.traces) == 1:
        places = [each.request.line for each in report.resumes]
        require(places == sorted(places), "resumes are in another order", places)
        for finding in report.findings:
            lines = [each.line for each in finding.evidence]
            require(lines == sorted(lines), f"the evidence of {finding.rule} is in another order", lines)


Changed = tuple[list[bytes], "list[int] | None"]


def text_changed(random: Random, lines: list[bytes]) -> Changed | None:
    """The words of a message that no other one has, before and after."""
    content = b"\n".join(lines)
    texts = [
        (number, each)
        for number, line in enumerate(lines)
        for each in re.findall(rb'"text":"((?:[^"\\]|\\.)+)"', line)
        if content.count(b'"%b"' % each) == 1 and b'"sessionUpdate":"' in line
    ]
    if not texts:
        return None
    number, text = random.choice(texts)
    others = (b"other words", b"\\u001b[0m", b"x" * 3000, b"\xe2\x80\xa8", text + b".", b'{\\"jsonrpc\\":')
    other = random.choice([each for each in others if each not in content] or [b"none of these"])
    changed = list(lines)
    changed[number] = lines[number].replace(b'"%b"' % text, b'"%b"' % other)
    return changed, None


def meta_added(random: Random, lines: list[bytes]) -> Changed | None:
    """A member of `_meta` that nobody knows."""
    number = random.randrange(len(lines))
    record = parsed(lines[number])
    body = record.get("msg") if isinstance(record, dict) else None
    params = body.get("params", body.get("result")) if isinstance(body, dict) else None
    if not isinstance(params, dict) or not same_again(lines[number], record):
        return None
    target = random.choice([each for each in (params, params.get("update")) if isinstance(each, dict)])
    meta = target.setdefault("_meta", {})
    if not isinstance(meta, dict):
        return None
    meta["fuzz.example/x"] = random.choice((None, 1, "x", [], {"sessionId": "s"}, {"loadReplayEnd": True}))
    return [*lines[:number], dumps(record), *lines[number + 1 :]], None


def note_inserted(random: Random, lines: list[bytes]) -> Changed | None:
    """A notification that nobody knows, somewhere between two messages of one connection."""
    after = random.randrange(1, max(2, len(lines) - 1))
    record, begun = parsed(lines[after - 1]), parsed(lines[0])
    following = parsed(lines[after]) if after < len(lines) else None
    if not isinstance(record, dict) or not isinstance(following, dict) or not isinstance(begun, dict):
        return None
    if not all(isinstance(each.get("msg"), dict) for each in (record, following, begun)):
        return None
    around = {key: record[key] for key in record if key not in {"msg", "dir"}}
    if around.get("conn") != following.get("conn"):
        return None
    note = {"jsonrpc": "2.0", "method": "_fuzz.example/note", "params": {"x": random.choice(("s", None, [1]))}}
    line = dumps({**around, "dir": random.choice(("a2c", "c2a")), "msg": note})
    numbers = [*range(1, after + 1), 0, *range(after + 1, len(lines) + 1)]
    return [*lines[:after], line, *lines[after:]], numbers


def rewritten(random: Random, lines: list[bytes]) -> Changed | None:
    """The same JSON with its members in another order and blanks between them."""
    number = random.randrange(len(lines))
    record = parsed(lines[number])
    if not isinstance(record, dict) or not same_again(lines[number], record):
        return None
    separators = random.choice(((" ,  ", " : "), (",", ":"), (", ", ": ")))
    text = json.dumps(shuffled(random, record), separators=separators, ensure_ascii=random.random() < 0.5)
    return [*lines[:number], text.encode() + b" " * random.randrange(3), *lines[number + 1 :]], None


HARMLESS: Final = (text_changed, meta_added, note_inserted, rewritten)


def shuffled(random: Random, value: Any) -> Any:
    """The same value, its members in another order."""
    if isinstance(value, list):
        return [shuffled(random, each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: shuffled(random, value[key]) for key in random.sample(list(value), len(value))}


def same_again(line: bytes, record: object) -> bool:
    """Whether nothing of the line is lost by parsing: no member that came twice, no number that is too large."""
    return written_safely(record) == line.strip()


def is_mixable(sample: Sample) -> bool:
    """Whether it can be one of two connections: its lines are envelopes and say all, and it begins with a handshake."""
    records = [parsed(line) for line in sample.content.splitlines()]
    if len(records) < 3 or not all(isinstance(each, dict) and set(each) == {"ts", "dir", "msg"} for each in records):
        return False
    words = {str(each["dir"]) for each in records}
    methods = [each["msg"].get("method") for each in records if isinstance(each["msg"], dict)]
    return words == {"c2a", "a2c"} and methods[:1] == ["initialize"] and methods.count("initialize") == 1


def beside(random: Random, one: Sample, other: Sample) -> tuple[list[bytes], list[str]]:
    """Two recordings as connections a and b of one, mixed, and whose each line is."""
    left = {
        "a": [loads(line) for line in reversed(one.content.splitlines())],
        "b": [loads(line) for line in reversed(other.content.splitlines())],
    }
    owners = [name for name, records in left.items() for _ in records]
    random.shuffle(owners)
    records = [{**left[name].pop(), "ts": 1764400000 + at / 100, "conn": name} for at, name in enumerate(owners)]
    return [dumps(record) for record in records], owners


def of_those(found: list[Any], kept: Iterable[int]) -> list[Any]:
    """What is at these lines, of a signature. RL005 is about the recording as a whole."""
    lines = set(kept)
    return [each for each in found if each[0] != "RL005" and each[isinstance(each[0], str)] in lines]


# Running


@dataclass
class Failure:
    """What does not hold, and the smallest input that shows it."""

    key: str
    text: str
    case: Case
    files: dict[str, bytes]
    count: int = 1


@dataclass
class Tally:
    """What came of some inputs."""

    inputs: int = 0
    recognised: int = 0
    windows: int = 0
    levels: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    modes: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int, str] = (0.0, -1, "")
    digest: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count these, too."""
        self.inputs += other.inputs
        self.recognised += other.recognised
        self.windows += other.windows
        self.levels += other.levels
        self.groups += other.groups
        self.modes += other.modes
        self.slowest = max(self.slowest, other.slowest)
        self.digest = (self.digest + other.digest) % 2**64
        for failure in other.failures.values():
            self.fail(failure)

    def fail(self, failure: Failure) -> None:
        """One failure more, of a kind that may be known."""
        known = self.failures.setdefault(failure.key, failure)
        if known is not failure:
            known.count += failure.count
            if len(failure.case.content) < len(known.case.content):
                known.case, known.text, known.files = failure.case, failure.text, failure.files


def failure_of(error: BaseException, case: Case) -> Failure:
    """What went wrong, with a key that is the same for the same fault."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name != hang.__name__]
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(ROOT / "replaylint")]
    where = (ours or frames)[-1]
    key = f"{type(error).__name__} in {where.name} of {Path(where.filename).name}"
    files: dict[str, bytes] = {}
    if isinstance(error, Broken):
        key, files = error.what, error.files
    return Failure(key, "".join(traceback.format_exception(error)), case, files)


def hang(number: int, frame: FrameType | None) -> None:
    """The alarm went off."""
    raise Hang(f"still running after {HANG_S} s")


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Raises Hang in what takes longer than HANG_S, where the system can."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    old = signal.signal(signal.SIGALRM, hang)
    signal.alarm(HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


@contextlib.contextmanager
def nothing_swallowed() -> Iterator[None]:
    """Raises what a destructor or a generator that was given up would only print."""
    swallowed: list[BaseException] = []

    def remember(unraisable: Any) -> None:
        if unraisable.exc_value is not None:
            swallowed.append(unraisable.exc_value)

    old, sys.unraisablehook = sys.unraisablehook, remember
    try:
        yield
    finally:
        sys.unraisablehook = old
    if swallowed:
        raise swallowed[0]


def tried(oracle: Oracle, case: Case) -> Seen | Failure:
    """What comes of this input."""
    try:
        with bounded(), nothing_swallowed():
            return oracle.check(case)
    except (Exception, Hang) as error:  # whatever it is, it is what we look for
        return failure_of(error, case)


def run(oracle: Oracle, indices: Iterable[int]) -> Tally:
    """These inputs, one after the other."""
    tally = Tally()
    for index in indices:
        case = case_of(oracle.seed, index, oracle.stock)
        tally.inputs += 1
        tally.levels.update(case.levels)
        tally.groups[oracle.stock.by_name[case.sample].group] += 1
        tally.modes[case.mode] += 1
        result = tried(oracle, case)
        if isinstance(result, Failure):
            tally.fail(result)
            continue
        tally.recognised += result.recognised
        tally.windows += result.window
        tally.slowest = max(tally.slowest, (result.seconds, index, case.sample))
        tally.digest = (tally.digest + result.digest) % 2**64
    return tally


_ORACLES: Final[list[Oracle]] = []
"""The one of this process."""


def begin(seed: int, folder: str) -> None:
    """Prepare a process: it works in a folder of its own, so that paths in reports are the same in all."""
    own = Path(folder) / str(os.getpid())
    own.mkdir()
    os.chdir(own)
    warnings.simplefilter("error")
    _ORACLES.append(Oracle(Path(), Stock(samples()), seed))


def run_range(bounds: tuple[int, int]) -> Tally:
    """A part of the inputs, in a process that was prepared."""
    return run(_ORACLES[0], range(*bounds))


CHUNK: Final = 500
PATIENCE_S: Final = 600


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder in memory, where the system has one."""
    memory = Path("/dev/shm")  # noqa: S108
    return tempfile.TemporaryDirectory(prefix="replaylint-fuzz-", dir=memory if os.access(memory, os.W_OK) else None)


def fuzz(
    inputs: int, jobs: int, seed: int = 1, first: int = 0, progress: Callable[[Tally], object] = lambda _: None
) -> Tally:
    """So many inputs in so many processes."""
    ranges = [(at, min(at + CHUNK, first + inputs)) for at in range(first, first + inputs, CHUNK)]
    total = Tally()
    spawn = get_context("spawn")
    with scratch() as folder, ProcessPoolExecutor(jobs, spawn, begin, (seed, folder)) as pool:
        answers = [(bounds, pool.submit(run_range, bounds)) for bounds in ranges]
        try:
            for bounds, answer in answers:
                try:
                    total.add(answer.result(PATIENCE_S))
                except (TimeoutError, BrokenProcessPool) as error:
                    raise Lost(f"no answer for the inputs {bounds}, or for some after them") from error
                progress(total)
        except BaseException:
            for process in active_children():
                process.kill()  # else the pool would wait for what does not end
            raise
    return total


def minimised(oracle: Oracle, failure: Failure, seconds: float = 60.0) -> Failure:
    """The same failure with as little input as can be found in that time: lines, then bytes are left out."""
    deadline = time.monotonic() + seconds
    best = failure

    def fails(content: bytes) -> bool:
        nonlocal best
        result = tried(oracle, best.case._replace(content=content, cut=min(best.case.cut, len(content))))
        if isinstance(result, Failure) and result.key == failure.key:
            best = result
            return True
        return False

    if failure.files or isinstance(tried(oracle, failure.case), Seen):
        return failure
    with contextlib.suppress(Exception):
        fails(unpacked(failure.case.content))
    for separator in (b"\n", b",", b""):
        at_content = best.case.content
        parts = list(filter(None, re.split(rb"(?<=%b)" % re.escape(separator), at_content))) if separator else []
        parts = parts or [at_content[at : at + 1] for at in range(len(at_content))]
        size = len(parts) // 2
        while size and time.monotonic() < deadline:
            at = 0
            while at < len(parts) and time.monotonic() < deadline:
                fewer = parts[:at] + parts[at + size :]
                if fewer and fails(b"".join(fewer)):
                    parts = fewer
                else:
                    at += size
            size //= 2
    return best


def main() -> int:
    """Fuzz, and say what came of it."""
    parser = ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000, help="how many")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="in how many processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    folder = Path(tempfile.gettempdir()) / "replaylint-fuzz-failures"
    parser.add_argument("--failures", type=Path, default=folder, help="the folder for inputs that failed")
    options = parser.parse_args()
    started = time.monotonic()
    shown = [started]

    def progress(total: Tally) -> None:
        if time.monotonic() - shown[0] > 30:
            shown[0] = time.monotonic()
            say(f"{total.inputs} inputs, {shown[0] - started:.0f} s, {len(total.failures)} kinds of failures")

    total = fuzz(options.inputs, options.jobs, options.seed, options.first, progress)
    report_on(total, options.jobs, options.seed, time.monotonic() - started)
    if total.failures:
        keep(total, options.seed, options.failures)
    return int(bool(total.failures))


def report_on(total: Tally, jobs: int, seed: int, seconds: float) -> None:
    """Print the figures."""
    say(f"seed {seed}: {total.inputs} inputs in {seconds:.0f} s, {jobs} processes")
    for what, counts in (("mutations", total.levels), ("samples", total.groups), ("modes", total.modes)):
        say(f"{what}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    say(f"recognised: {total.recognised / total.inputs:.1%}, reached a window: {total.windows / total.inputs:.1%}")
    slowest, index, sample = total.slowest
    say(f"slowest: {slowest * 1000:.0f} ms of the processor, input {index}, from {sample}")
    say(f"digest of the reports: {total.digest:016x}")
    say(f"failures: {sum(each.count for each in total.failures.values())} of {len(total.failures)} kinds")


def keep(total: Tally, seed: int, folder: Path) -> None:
    """Write what failed into this folder, made small, and print how to have it again."""
    folder.mkdir(parents=True, exist_ok=True)
    with scratch() as place:
        oracle = Oracle(Path(place), Stock(samples()), seed)
        for number, failure in enumerate(sorted(total.failures.values(), key=lambda each: -each.count), 1):
            small = minimised(oracle, failure)
            case = small.case
            for name, content in (small.files or {"input": case.content}).items():
                path = folder / f"{seed}-{case.number}-{name}.bin"
                path.write_bytes(content)
            say("")
            say(f"{number}. {failure.key}: {failure.count} times")
            say(f"   again: python -m tests.fuzz --seed {seed} --first {case.number} --inputs 1 --jobs 1")
            say(f"   {path}: {len(case.content)} bytes, from {case.sample}, by {', '.join(case.levels)};")
            say(f"   {case.mode}, cut={case.cut}, closed={case.closed}, expect={case.expect},")
            say(f"   input_format={case.form}, max_line={case.max_line}")
            say("   " + small.text.strip().replace("\n", "\n   "))


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
