"""Reading: which format a recording has, and that its lines, times, directions and connections come out right."""

from __future__ import annotations

import gzip
import io
import json
import sys
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from orjson import dumps

from replaylint.analysis.lint import lint
from replaylint.recording.clock import choose
from replaylint.recording.detect import recognise
from replaylint.recording.source import Source
from tests.recordings import DIRECTION_WORDS, Message, Recording, found, report_of, report_of_file

if TYPE_CHECKING:
    from collections.abc import Callable

START_MS = 1764400000000

Spoken = tuple[int, str, Message]
"""Milliseconds since the start, the side that sent it, and the message."""


def conversation() -> list[Spoken]:
    """A complete resume: the request at 20 ms, history at 50 ms, marker at 60 ms, response at 560 ms."""
    made = Recording(0.0).initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s").result(1, {})
    sides = {"c2a": "client", "a2c": "agent"}
    offsets = (0, 10, 20, 50, 60, 70, 560)
    return [(offset, sides[each["dir"]], each["msg"]) for offset, each in zip(offsets, made.records, strict=True)]


FIGURES = {
    "to_first_update_s": 0.03,
    "replay_s": 0.04,
    "marker_lag_s": 0.01,
    "snapshot_gap_s": 0.01,
    "response_gap_s": 0.5,
    "total_s": 0.54,
}


def written(
    *,
    time_key: str | None = "ts",
    time: Callable[[int], object] = lambda ms: (START_MS + ms) / 1000,
    direction_key: str = "dir",
    words: tuple[str, str] = ("c2a", "a2c"),
    body_key: str = "msg",
    body: Callable[[Message], object] = lambda message: message,
) -> list[bytes]:
    """The conversation as an envelope that is spelled so."""
    lines = []
    for offset, side, message in conversation():
        record: Message = {} if time_key is None else {time_key: time(offset)}
        record[direction_key] = words[0] if side == "client" else words[1]
        record[body_key] = body(message)
        lines.append(dumps(record))
    return lines


def two_clocks(wall: Callable[[int], object], key: str = "ts", mono_key: str = "mono_ns") -> list[bytes]:
    """The conversation with a monotonic clock beside this wall clock."""
    return [
        dumps({key: wall(offset), mono_key: (5000 + offset) * 10**6, "dir": side, "msg": message})
        for offset, side, message in conversation()
    ]


def raw() -> list[bytes]:
    """The conversation as bare messages."""
    return [dumps(message) for _, _, message in conversation()]


def only(report: Message) -> Message:
    """The only resume of the report."""
    (resume,) = report["resumes"]
    return dict(resume)


def timing(report: Message) -> Message:
    """The timing of the only session of the only resume."""
    (session,) = only(report)["sessions"]
    return dict(session["timing"])


def figures(report: Message) -> Message:
    """The figures that FIGURES has."""
    return {name: value for name, value in timing(report).items() if name in FIGURES}


def outcomes(report: Message) -> list[tuple[object, str, str]]:
    """Request id, end and the first session's outcome of each resume."""
    return [(each["request_id"], each["end"], each["sessions"][0]["outcome"]) for each in report["resumes"]]


def trace_of(report: Message) -> Message:
    """The only trace of the report."""
    (trace,) = report["traces"]
    return dict(trace)


def assert_complete(
    report: Message, *, timed: bool = True, findings: list[tuple[str, str, str, int]] | None = None
) -> None:
    """The conversation, read without a loss, and these findings: rule, severity, party and line of each."""
    assert trace_of(report)["error"] is None
    assert outcomes(report) == [(1, "success", "complete")]
    assert figures(report) == (FIGURES if timed else dict.fromkeys(FIGURES))
    assert trace_of(report)["connections"] == [
        {
            "connection": 1,
            "protocol_version": 2,
            "partial": False,
            "ended": "open",
            "client": {"name": "ed", "version": "3"},
            "agent": {"name": "agent", "version": "0.9"},
        }
    ]
    assert blamed(report) == (findings or [])


def blamed(report: Message) -> list[tuple[str, str, str, int]]:
    """Rule, severity, party and line of each finding, which concerns one line only."""
    for each in report["findings"]:
        assert (each["count"], each["last_line"]) == (1, each["line"])
    return [(each["rule"], each["severity"], each["party"], each["line"]) for each in report["findings"]]


# Detection


RECORDER_START = {"replaylint": 1, "ts": START_MS, "mono_ns": 1, "conn": 1, "dir": "meta", "event": "start"}


def inline() -> list[bytes]:
    """The conversation with the direction in the message."""
    return [dumps({"direction": side, "t": offset / 1000, **message}) for offset, side, message in conversation()]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("raw", raw()),
        ("envelope", written()),
        ("inline", inline()),
        ("recorder", [dumps(RECORDER_START), *two_clocks(lambda ms: START_MS + ms)]),
    ],
)
def test_each_format_is_recognised(name: str, lines: list[bytes], tmp_path: Path) -> None:
    report = report_of(lines, tmp_path)
    assert trace_of(report)["format"] == name
    assert_complete(report, timed=name != "raw")
    assert report == report_of(lines, tmp_path)


@pytest.mark.parametrize("name", ["a.log", "a.gz", "a", "a.json"])
def test_the_name_of_the_file_does_not_matter(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"\n".join(written()))
    assert trace_of(report_of_file(path))["format"] == "envelope"


PING = {"jsonrpc": "2.0", "method": "_ping"}


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        ([{"dir": "out", **PING}, {"dir": "out", "msg": PING}], "envelope"),
        ([{"dir": "out", "msg": PING}, {"dir": "out", **PING}], "envelope"),
        ([{"dir": "out", **PING}], "inline"),
        ([PING, {"dir": "out", "msg": PING}], "envelope"),
        ([PING, PING, {"dir": "out", "msg": PING}], "raw"),
        ([PING, {"dir": "out", "msg": PING}, {"dir": "out", "msg": PING}], "envelope"),
        ([PING, PING, {"replaylint": 1, "dir": "in", "msg": PING}], "recorder"),
        ([{"method": "_ping"}], "raw"),
        ([{"id": 1, "result": None}], "raw"),
        ([{"id": 1, "error": {}}], "raw"),
    ],
)
def test_most_records_decide_and_ties_have_an_order(lines: list[Message], name: str, tmp_path: Path) -> None:
    report = report_of(map(dumps, lines), tmp_path)
    assert trace_of(report)["format"] == name


@pytest.mark.parametrize(
    "lines",
    [
        [b"# a heading", b"some words"],
        [b"{}", b'{"id":1}', b'{"level":"info","message":"started"}'],
        [b'{"ts":1764400000,"dir":"out","msg":{"event":"started"}}'],
        [b'{"dir":"out","msg":"hello"}'],
        [b"1", b"null", b"[]", b'["x"]'],
    ],
)
def test_what_is_no_recording_is_refused(lines: list[bytes], tmp_path: Path) -> None:
    trace = trace_of(report_of(lines, tmp_path))
    assert (trace["format"], trace["error"]["code"], trace["error"]["line"]) == (None, "not-a-recording", 1)
    assert "envelope, headed, inline, jetbrains" in trace["error"]["message"]
    assert lines[0].decode()[:40] in trace["error"]["message"]


def test_the_first_line_in_an_error_is_cut(tmp_path: Path) -> None:
    trace = trace_of(report_of([b"", b"x" * 1000], tmp_path))
    assert f"begins with '{'x' * 57}...'" in trace["error"]["message"]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\nAWS_SECRET=SECRET\n", "text that is no JSON"),
        (b"\xffSECRET\0SECRET", "bytes that are no text"),
        (b" \r\n<html>SECRET", "markup, such as HTML or XML"),
        (b'{"SECRET', "JSON that is long or unfinished"),
        (b'"SECRET"', "a JSON string"),
        (b'["SECRET"]', "a JSON array"),
        (b"3", "a number"),
        (b"false", "true or false"),
        (b"null", "null"),
        (b"{}", "a JSON object with no key"),
        (b'{"type":"SECRET","token":{"SECRET":1}}', "a JSON object with the keys 'type', 'token'"),
        (
            b'{"a":1,"b":2,"c":3,"d":4,"%b":5,"f":6,"g":7}' % (b"e" * 31),
            f"a JSON object with the keys 'a', 'b', 'c', 'd', '{'e' * 30}...' and 2 more",
        ),
        (b'{"k":"' + b"x" * 1_000_000 + b'"}', "JSON that is long or unfinished"),
    ],
)
def test_what_a_link_leads_to_is_described_not_quoted(content: bytes, what: str, tmp_path: Path) -> None:
    """It may be somebody's secrets."""
    (tmp_path / "secret").write_bytes(content)
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    message = trace_of(report_of_file(tmp_path / "link"))["error"]["message"]
    assert f"it begins with {what}; formats: " in message
    assert "SECRET" not in message


@pytest.mark.parametrize("content", [b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_said_to_be_empty(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(content)
    error = trace_of(report_of_file(path))["error"]
    assert (error["code"], error["message"]) == ("not-a-recording", "is empty")


def test_banners_before_the_recording_do_not_matter(tmp_path: Path) -> None:
    report = report_of([b"starting", b"", *written()], tmp_path)
    assert trace_of(report)["format"] == "envelope"
    assert only(report)["request"]["line"] == 5
    assert_complete(report, findings=[("RL001", "warning", "recording", 1)])
    # No connection begins with it: the handshake's is the first.
    assert report["findings"][0]["connection"] is None


def test_a_recorder_that_recorded_no_message(tmp_path: Path) -> None:
    report = report_of([dumps(RECORDER_START), b'{"conn":1,"dir":"meta","event":"exit","code":1}'], tmp_path)
    trace = trace_of(report)
    assert (trace["format"], trace["lines"], trace["messages"]) == ("recorder", 2, 0)
    assert (trace["connections"], trace["error"]) == ([], None)
    assert found(report) == [("RL005", "info", 1)]


def test_a_batch_is_recognised_by_its_messages(tmp_path: Path) -> None:
    messages = [message for _, _, message in conversation()]
    report = report_of([dumps(messages[:2]), dumps(messages[2:])], tmp_path)
    assert trace_of(report)["format"] == "raw"
    assert outcomes(report) == [(1, "success", "complete")]
    assert found(report) == [("RL107", "warning", 1)]


def test_records_of_the_acpx_journal_are_silent(tmp_path: Path) -> None:
    journal = [b'{"schema":"acpx.session.journal.v1","type":"segment"}', b'{"schema":"acpx.x","type":"turn_started"}']
    report = report_of([*journal, *raw(), journal[1]], tmp_path)
    assert trace_of(report)["format"] == "raw"
    assert (trace_of(report)["lines"], trace_of(report)["messages"]) == (10, 7)
    assert_complete(report, timed=False)


# Spellings


@pytest.mark.parametrize("key", ["dir", "direction", "_direction", "d", "origin", "source", "side"])
def test_every_direction_key_is_known(key: str, tmp_path: Path) -> None:
    report = report_of(written(direction_key=key), tmp_path)
    assert trace_of(report)["directions"] == "recorded"
    assert_complete(report)


@pytest.mark.parametrize("words", DIRECTION_WORDS)
@pytest.mark.parametrize("spell", [str, str.upper, lambda word: f" {word} "])
def test_every_pair_of_direction_words_is_known(
    words: tuple[str, str], spell: Callable[[str], str], tmp_path: Path
) -> None:
    report = report_of(written(words=(spell(words[0]), spell(words[1]))), tmp_path)
    assert trace_of(report)["format"] == "envelope"
    assert trace_of(report)["directions"] == "recorded"
    assert_complete(report)


@pytest.mark.parametrize("words", DIRECTION_WORDS)
def test_the_direction_words_tell_requests_with_one_id_apart(words: tuple[str, str], tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    recording.agent(1, "_either/way").result(1, {}, direction="c2a").marker("s").idle("s").result(1, {})
    spelled = dict(zip(("c2a", "a2c"), words, strict=True))
    lines = [dumps({**record, "dir": spelled[record["dir"]]}) for record in recording.records]
    report = report_of(lines, tmp_path)
    assert only(report)["response"]["line"] == 9
    assert report["findings"] == []


BODY_KEYS = ["msg", "message", "frame", "rpc", "payload", "parsed", "json", "raw", "line", "data", "object"]


@pytest.mark.parametrize("key", BODY_KEYS)
@pytest.mark.parametrize("body", [lambda message: message, json.dumps])
def test_every_body_key_is_known_as_object_and_as_text(
    key: str, body: Callable[[Message], object], tmp_path: Path
) -> None:
    report = report_of(written(body_key=key, body=body), tmp_path)
    assert trace_of(report)["format"] == "envelope"
    assert_complete(report)


@pytest.mark.parametrize(("first", "second"), list(pairwise(BODY_KEYS)))
def test_the_first_body_that_is_not_null_counts(first: str, second: str, tmp_path: Path) -> None:
    lines = []
    for number, (offset, side, message) in enumerate(conversation()):
        # `first` is the body of every other record, and `second` of the others; the order of the keys is no help.
        bodies: Message = {second: PING, first: message} if number % 2 else {second: message, first: None}
        lines.append(dumps({"ts": (START_MS + offset) / 1000, "dir": side, **bodies}))
    assert_complete(report_of(lines, tmp_path))


def test_a_text_that_is_no_json_is_no_message(tmp_path: Path) -> None:
    lines = written(body=json.dumps)
    lines.insert(4, b'{"ts":1764400000.05,"dir":"a2c","msg":"warming up"}')
    lines.insert(5, b'{"ts":1764400000.05,"dir":"a2c","text":"not json"}')
    report = report_of(lines, tmp_path)
    assert (trace_of(report)["lines"], trace_of(report)["messages"]) == (9, 7)
    (finding,) = report["findings"]
    assert (finding["rule"], finding["severity"], finding["party"]) == ("RL001", "error", "agent")
    assert (finding["line"], finding["last_line"], finding["count"]) == (5, 6, 2)
    assert_complete({**report, "findings": []})


def test_a_text_beside_a_null_body_can_be_a_message(tmp_path: Path) -> None:
    lines = written()
    spoken = conversation()[4]
    lines[4] = dumps({"ts": (START_MS + spoken[0]) / 1000, "dir": "a2c", "msg": None, "text": json.dumps(spoken[2])})
    assert_complete(report_of(lines, tmp_path))


# Time


TIME_KEYS = ["ts", "t", "at", "timestamp", "time", "t_utc"]


def iso(ms: int, zone: str, decimals: int = 3) -> str:
    """The ISO 8601 text of a moment, in UTC."""
    moment = datetime.fromtimestamp((START_MS + ms) / 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond * 1000:09d}"[: 20 + decimals] + zone


UNITS: list[tuple[str, Callable[[int], object], str, float, float]] = [
    ("seconds", lambda ms: (START_MS + ms) / 1000, "wall", 0.01, START_MS / 1000),
    ("seconds with all digits", lambda ms: (START_MS + ms) / 1000 + 1e-6, "wall", 1e-6, START_MS / 1000 + 1e-6),
    ("milliseconds", lambda ms: START_MS + ms, "wall", 0.001, START_MS / 1000),
    ("float milliseconds", lambda ms: START_MS + ms + 0.25, "wall", 1e-5, START_MS / 1000 + 0.00025),
    ("microseconds", lambda ms: (START_MS + ms) * 1000, "wall", 1e-6, START_MS / 1000),
    ("nanoseconds", lambda ms: (START_MS + ms) * 1000000, "wall", 1e-6, START_MS / 1000),
    ("relative seconds", lambda ms: ms / 1000, "relative", 0.01, 0.0),
    ("ISO with Z", lambda ms: iso(ms, "Z"), "wall", 0.001, START_MS / 1000),
    ("ISO without zone", lambda ms: iso(ms, ""), "wall", 0.001, START_MS / 1000),
    ("ISO in nanoseconds", lambda ms: iso(ms, "Z", 9), "wall", 1e-6, START_MS / 1000),
    ("ISO with an offset", lambda ms: iso(ms, "+02:00", 6), "wall", 1e-6, START_MS / 1000 - 7200),
    ("RFC 3339 with a blank", lambda ms: iso(ms, "+00:00").replace("T", " "), "wall", 0.001, START_MS / 1000),
]


@pytest.mark.parametrize("key", TIME_KEYS)
@pytest.mark.parametrize(
    ("time", "timestamps", "resolution", "start"), [each[1:] for each in UNITS], ids=[u[0] for u in UNITS]
)
def test_every_time_key_in_every_unit(
    key: str,
    time: Callable[[int], object],
    timestamps: str,
    resolution: float,
    start: float,
    tmp_path: Path,
) -> None:
    report = report_of(written(time_key=key, time=time), tmp_path)
    trace = trace_of(report)
    assert (trace["timestamps"], trace["resolution_s"]) == (timestamps, pytest.approx(resolution))
    assert only(report)["request"]["time"] == pytest.approx(start + 0.02, abs=2e-6)
    assert figures(report) == pytest.approx(FIGURES, abs=2e-6)
    assert report["findings"] == []


def test_iso_times_with_a_comma(tmp_path: Path) -> None:
    report = report_of(written(time=lambda ms: iso(ms, "Z").replace(".", ",")), tmp_path)
    assert trace_of(report)["resolution_s"] == 0.001
    assert_complete(report)


@pytest.mark.parametrize(
    ("key", "scale", "timestamps", "resolution"),
    [("ts_ms", 1, "relative", 0.001), ("mono_ns", 10**6, "monotonic", 1e-6), ("t_mono_ns", 10**6, "monotonic", 1e-6)],
)
def test_the_ending_of_the_key_is_the_unit(
    key: str, scale: int, timestamps: str, resolution: float, tmp_path: Path
) -> None:
    report = report_of(written(time_key=key, time=lambda ms: (1000 + ms) * scale), tmp_path)
    assert (trace_of(report)["timestamps"], trace_of(report)["resolution_s"]) == (timestamps, resolution)
    assert only(report)["request"]["time"] == 1.02
    assert_complete(report)


@pytest.mark.parametrize(
    ("value", "timestamps", "scale"),
    [
        (0, "relative", 1.0),
        (999_999_999, "relative", 1.0),
        (10**9, "wall", 1.0),
        (10**11 - 1, "wall", 1.0),
        (10**11, "relative", 1e-3),
        (10**12, "wall", 1e-3),
        (10**14 - 1, "wall", 1e-3),
        (10**15, "wall", 1e-6),
        (10**17 - 1, "wall", 1e-6),
        (10**18, "wall", 1e-9),
    ],
)
def test_the_size_of_a_number_is_its_unit(value: int, timestamps: str, scale: float) -> None:
    clock = choose([{"ts": value}])
    assert clock.scale == scale
    if value != 10**11:  # 1973 in milliseconds: not a time of these years, whatever it is called
        assert clock.timestamps == timestamps


def test_without_times_there_are_no_figures(tmp_path: Path) -> None:
    report = report_of(written(time_key=None), tmp_path)
    assert (trace_of(report)["timestamps"], trace_of(report)["resolution_s"]) == ("none", None)
    assert only(report)["request"] == {"line": 3, "time": None}
    assert_complete(report, timed=False)


def test_a_record_without_a_time_keeps_its_place(tmp_path: Path) -> None:
    lines = written()
    record = json.loads(lines[4])
    del record["ts"]
    lines[4] = dumps(record)
    report = report_of(lines, tmp_path)
    assert outcomes(report) == [(1, "success", "complete")]
    assert only(report)["sessions"][0]["marker"] == {"kind": "replay_complete", "line": 5, "time": None}
    assert figures(report) == {
        **FIGURES,
        **dict.fromkeys(("replay_s", "marker_lag_s", "snapshot_gap_s", "response_gap_s")),
    }


@pytest.mark.parametrize("mono_key", ["mono_ns", "t_mono_ns"])
@pytest.mark.parametrize("jump", [-3600_000, 3600_000])
def test_a_monotonic_clock_wins_over_a_wall_clock_that_jumps(mono_key: str, jump: int, tmp_path: Path) -> None:
    lines = two_clocks(lambda ms: START_MS + ms + (jump if ms >= 60 else 0), mono_key=mono_key)
    report = report_of(lines, tmp_path)
    trace = trace_of(report)
    assert (trace["timestamps"], trace["resolution_s"]) == ("monotonic", 1e-6)
    assert only(report)["request"]["time"] == pytest.approx(START_MS / 1000 + 0.02)
    assert only(report)["sessions"][0]["marker"]["time"] == pytest.approx(START_MS / 1000 + 0.06)
    assert only(report)["response"]["time"] == pytest.approx(START_MS / 1000 + 0.56)
    assert_complete(report)


def test_a_monotonic_clock_beside_iso_times(tmp_path: Path) -> None:
    report = report_of(two_clocks(lambda ms: iso(ms // 1000, "Z"), key="t_utc", mono_key="t_mono_ns"), tmp_path)
    assert trace_of(report)["timestamps"] == "monotonic"
    assert only(report)["request"]["time"] == pytest.approx(START_MS / 1000 + 0.02)
    assert_complete(report)


def stepping(at: int, back: int) -> list[bytes]:
    """A longer replay, 100 ms a record, whose clock goes back by so many milliseconds before one of its lines."""
    recording = Recording(0.0).initialize_v2().resume(1, "s").message("s", "m1").message("s", "m2").marker("s")
    recording.idle("s").result(1, {})
    lines = []
    time = START_MS
    for number, record in enumerate(recording.records, 1):
        time += -back if number == at else 100
        lines.append(dumps({**record, "ts": time}))
    return lines


SPANS = {
    "to_first_update_s": (3, 4),
    "replay_s": (3, 6),
    "marker_lag_s": (5, 6),
    "response_gap_s": (6, 8),
    "snapshot_gap_s": (6, 7),
    "total_s": (3, 8),
    "longest_pause_s": (4, 5),
    "gap_longest_pause_s": (6, 8),
    "gap_waiting_for_client_s": (6, 8),
}


@pytest.mark.parametrize("at", range(2, 9))
@pytest.mark.parametrize("back", [3, 60_000])
def test_a_clock_that_goes_back_voids_what_spans_it(at: int, back: int, tmp_path: Path) -> None:
    report = report_of(stepping(at, back), tmp_path)
    assert outcomes(report) == [(1, "success", "complete")]
    known = {name for name, value in timing(report).items() if value is not None and name != "replay_end"}
    assert known == {name for name, (first, last) in SPANS.items() if not first < at <= last}
    assert blamed(report) == [("RL004", "warning", "recording", at)]


@pytest.mark.parametrize(("at", "figure"), [(4, "to_first_update_s"), (6, "marker_lag_s"), (7, "snapshot_gap_s")])
@pytest.mark.parametrize("back", [0, 1, 2])
def test_up_to_two_milliseconds_back_count_as_nothing(at: int, figure: str, back: int, tmp_path: Path) -> None:
    report = report_of(stepping(at, back), tmp_path)
    assert report["findings"] == []
    times = timing(report)
    assert times[figure] == 0.0
    assert times["total_s"] == pytest.approx(0.4 - back / 1000)
    assert None not in times.values()


# Directions


def test_without_directions_they_are_inferred(tmp_path: Path) -> None:
    report = report_of(raw(), tmp_path)
    trace = trace_of(report)
    assert (trace["format"], trace["directions"], trace["timestamps"]) == ("raw", "inferred", "none")
    assert_complete(report, timed=False)


def bare(*messages: Message) -> list[bytes]:
    """A raw recording: a v2 handshake, then these."""
    opening = [message for _, _, message in conversation()[:2]]
    return [dumps(message) for message in [*opening, *({"jsonrpc": "2.0", **each} for each in messages)]]


def request(ident: object, method: str, **params: object) -> Message:
    return {"id": ident, "method": method, "params": params}


RESUME = request(1, "session/resume", sessionId="s", replayFrom={"type": "start"})
MARKER = {
    "method": "session/update",
    "params": {"sessionId": "s", "update": {"sessionUpdate": "replay_complete"}},
}
PERMISSION = request(1, "session/request_permission", sessionId="s")
SELECTED: Message = {"id": 1, "result": {"outcome": {"outcome": "cancelled"}}}
ANSWER: Message = {"id": 1, "result": {"configOptions": []}}
FAILURE: Message = {"id": 1, "error": {"code": -32603, "message": "no"}}


@pytest.mark.parametrize(
    ("messages", "line"),
    [
        pytest.param([RESUME, MARKER, PERMISSION, SELECTED, ANSWER], 7, id="a shape that only the younger can have"),
        pytest.param([RESUME, MARKER, PERMISSION, ANSWER, SELECTED], 6, id="a shape that the younger cannot have"),
        pytest.param([PERMISSION, RESUME, MARKER, SELECTED, ANSWER], 7, id="a shape that only the older can have"),
        pytest.param([PERMISSION, RESUME, MARKER, ANSWER, SELECTED], 6, id="a shape that the older cannot have"),
        pytest.param([RESUME, MARKER, PERMISSION, ANSWER], 6, id="one answer only"),
    ],
)
def test_the_shape_of_a_result_tells_whose_request_it_answers(
    messages: list[Message], line: int, tmp_path: Path
) -> None:
    resume = only(report_of(bare(*messages), tmp_path))
    assert resume["end"] == "success"
    assert resume["response"]["line"] == line


@pytest.mark.parametrize(
    ("messages", "line"),
    [([RESUME, MARKER, PERMISSION, FAILURE, SELECTED], 6), ([PERMISSION, RESUME, MARKER, FAILURE, FAILURE], 7)],
)
def test_without_a_shape_the_older_request_is_answered(messages: list[Message], line: int, tmp_path: Path) -> None:
    resume = only(report_of(bare(*messages), tmp_path))
    assert (resume["end"], resume["response"]["line"]) == ("error", line)


def test_a_response_goes_against_the_pending_request(tmp_path: Path) -> None:
    messages = [RESUME, MARKER, {**PERMISSION, "id": 2}, {**SELECTED, "id": 2}, request(2, "session/list"), ANSWER]
    report = report_of(bare(*messages), tmp_path)
    assert only(report)["response"]["line"] == 8
    assert ("RL105", "warning", 7) in found(report)


@pytest.mark.parametrize(
    "words", [pair for pair in DIRECTION_WORDS if pair[0] in {"out", "outgoing", "sent", "send", ">>>"}]
)
def test_words_from_the_agents_view_are_flipped(words: tuple[str, str], tmp_path: Path) -> None:
    report = report_of(written(words=words[::-1]), tmp_path)
    assert trace_of(report)["directions"] == "flipped"
    assert_complete(report)


def test_inline_words_are_flipped_too(tmp_path: Path) -> None:
    words = {"client": "in", "agent": "out"}
    lines = [dumps({"ts": START_MS + ms, "dir": words[side], **message}) for ms, side, message in conversation()]
    report = report_of(lines, tmp_path)
    assert (trace_of(report)["format"], trace_of(report)["directions"]) == ("inline", "flipped")
    assert_complete(report)


def test_absolute_words_are_never_flipped(tmp_path: Path) -> None:
    report = report_of(written(words=("a2c", "c2a")), tmp_path)
    assert trace_of(report)["directions"] == "recorded"
    assert outcomes(report) == []


def replays(number: int, words: tuple[str, str]) -> list[bytes]:
    """So many resumes without a handshake, each with a permission request that has the resume's id."""
    recording = Recording()
    for ident in range(number):
        session = f"s{ident}"
        recording.resume(ident, session).message(session, "m").marker(session)
        recording.agent(ident, "_ask", sessionId=session).result(ident, {}, direction="c2a")
        recording.idle(session).result(ident, {})
    spelled = dict(zip(("c2a", "a2c"), words, strict=True))
    return [dumps({**record, "dir": spelled[record["dir"]]}) for record in recording.records]


@pytest.mark.parametrize("number", [1, 3, 400])
def test_held_messages_and_later_ones_are_flipped(number: int, tmp_path: Path) -> None:
    report = report_of(replays(number, ("in", "out")), tmp_path)
    assert trace_of(report)["directions"] == "flipped"
    assert [each["response"]["line"] for each in report["resumes"]] == [7 * ident + 7 for ident in range(number)]
    assert {outcome for _, _, outcome in outcomes(report)} == {"complete"}
    assert [each for each in report["findings"] if each["severity"] != "info"] == []


@pytest.mark.parametrize("cut", [0, 1, 3])
def test_a_word_in_another_case_is_flipped_too(cut: int, tmp_path: Path) -> None:
    lines = written(words=("in", "out"))
    later = written(words=("In", " OUT "))
    report = report_of([*lines[:cut], *later[cut:]], tmp_path)
    assert trace_of(report)["directions"] == "flipped"
    assert_complete(report)


def test_a_new_spelling_after_a_late_decision_is_flipped_too(tmp_path: Path) -> None:
    lines = replays(200, ("in", "out")) + replays(1, ("IN", "Out"))
    report = report_of(lines, tmp_path)
    assert trace_of(report)["directions"] == "flipped"
    assert outcomes(report)[-1] == (0, "success", "complete")
    assert report["resumes"][-1]["response"]["line"] == 1407


@pytest.mark.parametrize(("wrong", "directions"), [(8, "recorded"), (9, "flipped"), (10, "flipped")])
def test_nine_in_ten_contradictions_flip(wrong: int, directions: str, tmp_path: Path) -> None:
    update = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {}}}
    other = [{"dir": "in", "msg": {"jsonrpc": "2.0", "method": "_either/way"}}] * 20
    messages = [{"dir": "out", "msg": update}] * wrong + [{"dir": "in", "msg": update}] * (10 - wrong)
    assert trace_of(report_of(map(dumps, other + messages), tmp_path))["directions"] == directions


def test_a_handshake_outweighs_what_came_before(tmp_path: Path) -> None:
    update = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {}}}
    before = [dumps({"ts": START_MS / 1000 - 1, "dir": "out", "msg": update})] * 5
    report = report_of([*before, *written(words=("out", "in"))], tmp_path)
    assert trace_of(report)["directions"] == "recorded"
    assert outcomes(report) == [(1, "success", "complete")]


def test_the_answer_of_initialize_decides_too(tmp_path: Path) -> None:
    update = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": {}}}
    before = [dumps({"ts": START_MS / 1000 - 1, "dir": "in", "msg": update})] * 5
    report = report_of([*before, *written(words=("in", "out"))[1:]], tmp_path)
    assert trace_of(report)["directions"] == "flipped"
    assert outcomes(report) == [(1, "success", "complete")]


# Connections and what the recorder says


def labelled(recording: Recording, conn: object, key: str = "conn") -> list[Message]:
    """The records, each with this `conn`."""
    return [{**record, key: conn} for record in recording.records]


def one(ident: int, session: str) -> Recording:
    return Recording().initialize_v2().resume(ident, session).marker(session).idle(session).result(ident, {})


def connections(report: Message) -> list[tuple[int, bool, str]]:
    """Number, partial and end of each connection."""
    return [(each["connection"], each["partial"], each["ended"]) for each in trace_of(report)["connections"]]


def resumes(report: Message) -> list[tuple[int, object, str, str]]:
    """Connection, request id, first session and its outcome of each resume."""
    return [
        (each["connection"], each["request_id"], each["session_id"], each["sessions"][0]["outcome"])
        for each in report["resumes"]
    ]


@pytest.mark.parametrize("conns", [(1, 2), ("a", "b"), (1, "1"), (0, 1)])
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("key", ["conn", "connection", "connection_id", "connId"])
def test_each_conn_value_is_a_connection(
    conns: tuple[object, object], interleaved: bool, key: str, tmp_path: Path
) -> None:
    first, second = labelled(one(1, "s"), conns[0], key), labelled(one(1, "t"), conns[1], key)
    records = [each for pair in zip(first, second, strict=True) for each in pair] if interleaved else first + second
    report = report_of(map(dumps, records), tmp_path)
    assert connections(report) == [(1, False, "open"), (2, False, "open")]
    assert resumes(report) == [(1, 1, "s", "complete"), (2, 1, "t", "complete")]
    # One after the other, the second begins at the time at which the first began.
    assert blamed(report) == ([] if interleaved else [("RL004", "warning", "recording", 7)])


def test_a_conn_value_that_comes_back_is_the_same_connection(tmp_path: Path) -> None:
    first, second = labelled(one(1, "s"), 1), labelled(one(1, "t"), 2)
    report = report_of(map(dumps, first[:4] + second[:5] + first[4:] + second[5:]), tmp_path)
    assert connections(report) == [(1, False, "open"), (2, False, "open")]
    assert resumes(report) == [(1, 1, "s", "complete"), (2, 1, "t", "complete")]


@pytest.mark.parametrize("absent", [{}, {"conn": None}])
def test_a_record_without_conn_belongs_to_the_one_before(absent: Message, tmp_path: Path) -> None:
    first, second = labelled(one(1, "s"), 1), labelled(one(1, "t"), 2)
    for record in (*first[1:], *second[1:]):
        del record["conn"]
        record.update(absent)
    report = report_of(map(dumps, first + second), tmp_path)
    assert connections(report) == [(1, False, "open"), (2, False, "open")]
    assert resumes(report) == [(1, 1, "s", "complete"), (2, 1, "t", "complete")]


def test_the_first_conn_value_takes_what_came_before(tmp_path: Path) -> None:
    records = labelled(one(1, "s"), 7)
    for record in records[:3]:
        del record["conn"]
    report = report_of(map(dumps, records), tmp_path)
    assert connections(report) == [(1, False, "open")]
    assert resumes(report) == [(1, 1, "s", "complete")]


def test_conn_stands_beside_an_inline_message_too(tmp_path: Path) -> None:
    records = labelled(one(1, "s"), 1) + labelled(one(1, "t"), 2)
    lines = [dumps({"dir": each["dir"], "conn": each["conn"], **each["msg"]}) for each in records]
    report = report_of(lines, tmp_path)
    assert trace_of(report)["format"] == "inline"
    assert resumes(report) == [(1, 1, "s", "complete"), (2, 1, "t", "complete")]


def test_a_start_record_begins_a_connection(tmp_path: Path) -> None:
    recording = Recording().meta("start").initialize_v2().resume(1, "s").marker("s")
    recording.meta("start").initialize_v2().resume(1, "s").marker("s").idle("s").result(1, {})
    report = report_of(recording.lines(), tmp_path)
    assert connections(report) == [(1, False, "closed"), (2, False, "open")]
    assert resumes(report) == [(1, 1, "s", "complete_failed"), (2, 1, "s", "complete")]
    assert [each["end"] for each in report["resumes"]] == ["closed", "success"]


def test_a_start_record_ends_only_the_connection_of_its_conn(tmp_path: Path) -> None:
    first, second = labelled(one(1, "s"), 1), labelled(one(1, "t"), 2)
    start = {"dir": "meta", "event": "start", "conn": 2}
    report = report_of(map(dumps, [*first[:4], start, *second, *first[4:]]), tmp_path)
    assert connections(report) == [(1, False, "open"), (2, False, "open")]
    assert resumes(report) == [(1, 1, "s", "complete"), (2, 1, "t", "complete")]


def test_a_capture_header_begins_a_connection(tmp_path: Path) -> None:
    header = b'{"gc_acp_capture":1,"ts":1764400000.0,"session_name":"worker"}'
    report = report_of([header, *one(1, "s").lines(), header, *one(1, "t").lines()], tmp_path)
    assert trace_of(report)["format"] == "envelope"
    assert connections(report) == [(1, False, "closed"), (2, False, "open")]


@pytest.mark.parametrize(
    ("event", "fields", "ended"),
    [
        ("exit", {"code": 0}, "closed"),
        ("eof", {"side": "agent"}, "closed"),
        ("eof", {"side": "client"}, "open"),
        *((event, {}, "closed") for event in ("close", "closed", "disconnect", "exit", "eof", "end")),
        ("close", {"side": "client"}, "closed"),
        ("closing", {}, "open"),
        ("note", {}, "open"),
    ],
)
def test_what_ends_a_connection(event: str, fields: Message, ended: str, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").meta(event, **fields)
    report = report_of(recording.lines(), tmp_path)
    assert connections(report) == [(1, False, ended)]
    assert only(report)["end"] == ended
    assert only(report)["sessions"][0]["outcome"] == ("truncated" if ended == "closed" else "inconclusive")


def test_messages_behind_the_end_record_still_count(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").meta("exit").marker("s").idle("s").result(1, {})
    report = report_of(recording.lines(), tmp_path)
    assert resumes(report) == [(1, 1, "s", "complete")]
    assert connections(report) == [(1, False, "closed")]


def test_closed_says_that_the_end_is_the_end(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    assert only(report_of(recording.lines(), tmp_path))["end"] == "open"
    assert only(report_of(recording.lines(), tmp_path, closed=True))["end"] == "closed"


@pytest.mark.parametrize(
    ("fields", "lost"),
    [
        ({"event": "dropped", "count": 3}, 3),
        ({"event": "gap", "count": 2}, 2),
        ({"event": "dropped"}, 1),
        ({"dropped": 4}, 4),
        ({"gap": 5}, 5),
        ({"event": "note", "count": 9}, 0),
        ({"event": "note", "dropped": 9}, 9),
        ({"event": "note", "dropped": 0}, 0),
        ({"event": "note", "dropped": "9"}, 0),
        ({"dropped": True}, 1),
    ],
)
def test_messages_that_the_recorder_dropped_are_lost(fields: Message, lost: int, tmp_path: Path) -> None:
    records: list[Message] = [*one(1, "s").records]
    records.insert(4, {"ts": records[3]["ts"], "dir": "meta", **fields})
    report = report_of(map(dumps, records), tmp_path)
    assert trace_of(report)["lost"] == lost
    assert report["findings"] == []
    assert (trace_of(report)["lines"], trace_of(report)["messages"]) == (7, 6)
    assert resumes(report) == [(1, 1, "s", "complete")]


@pytest.mark.parametrize("at", [0, 3, 5])
def test_a_record_says_what_was_dropped_before_it(at: int, tmp_path: Path) -> None:
    records: list[Message] = [{**each, "session": "s", "dropped": 0} for each in one(1, "s").records]
    assert trace_of(report_of(map(dumps, records), tmp_path))["lost"] == 0
    records[at]["dropped"] = 7
    report = report_of(map(dumps, records), tmp_path)
    assert (trace_of(report)["lost"], trace_of(report)["messages"]) == (7, 6)
    assert resumes(report) == [(1, 1, "s", "complete")]


def test_a_header_says_what_was_dropped(tmp_path: Path) -> None:
    header = {"dir": "meta", "event": "start", "dropped": 2}
    report = report_of(map(dumps, [header, *one(1, "s").records]), tmp_path)
    assert (trace_of(report)["lost"], connections(report)) == (2, [(1, False, "open")])


def test_a_bare_message_among_records_is_one(tmp_path: Path) -> None:
    records: list[Message] = one(1, "s").records
    records[3] = records[3]["msg"]
    report = report_of(map(dumps, records), tmp_path)
    assert (trace_of(report)["messages"], trace_of(report)["directions"]) == (6, "inferred")
    assert resumes(report) == [(1, 1, "s", "complete")]


@pytest.mark.parametrize("odd", [True, False])
@pytest.mark.parametrize("at", range(6))
def test_true_is_no_time(odd: bool, at: int, tmp_path: Path) -> None:
    records: list[Message] = [
        {**each, "ts": round(0.01 * number, 3)} for number, each in enumerate(one(1, "s").records)
    ]
    records[at]["ts"] = odd
    report = report_of(map(dumps, records), tmp_path)
    assert (report["findings"], trace_of(report)["timestamps"]) == ([], "relative")
    assert resumes(report) == [(1, 1, "s", "complete")]


def test_a_flag_under_a_key_for_times_is_no_clock(tmp_path: Path) -> None:
    records: list[Message] = [
        {"t": True, "time": each["ts"], "dir": each["dir"], "msg": each["msg"]} for each in one(1, "s").records
    ]
    assert trace_of(report_of(map(dumps, records), tmp_path))["timestamps"] == "wall"


def test_updates_that_one_message_carries_count_on_its_line(tmp_path: Path) -> None:
    plain = (
        Recording()
        .initialize_v2()
        .resume(1, "s")
        .message("s", "m1")
        .message("s", "m2")
        .marker("s")
        .idle("s")
        .result(1, {})
    )
    records: list[Message] = plain.records
    carried = [each["msg"]["params"] for each in records[3:6]]
    batch = {"jsonrpc": "2.0", "method": "_cognition.ai/session_update_batch", "params": {"updates": carried}}
    records[3:6] = [{**records[5], "msg": batch}]
    report = report_of(map(dumps, records), tmp_path)
    (session,) = only(report)["sessions"]
    assert (session["outcome"], session["marker"]["line"]) == ("complete", 4)
    assert session["updates"]["history"] == 2
    assert report["findings"] == []


def test_our_own_recorder(tmp_path: Path) -> None:
    records: list[Message] = [{**RECORDER_START, "command": ["agent", "--acp"], "pid": 4242}]
    words = {"client": "out", "agent": "in"}

    def add(offset: int, direction: str, **fields: object) -> None:
        clocks = {"ts": START_MS + offset, "mono_ns": offset * 10**6 + 1, "conn": 1}
        records.append({**clocks, "dir": direction, **fields})

    for offset, side, message in conversation():
        add(offset, words[side], msg=message)
        if offset == 20:
            add(offset + 1, "stderr", text="warming up")
            add(offset + 2, "in", text="not json")
    add(600, "meta", event="eof", side="agent")
    add(601, "meta", event="exit", code=0)
    report = report_of(map(dumps, records), tmp_path)
    trace = trace_of(report)
    assert (trace["format"], trace["timestamps"], trace["directions"]) == ("recorder", "monotonic", "recorded")
    assert (trace["lines"], trace["messages"], trace["lost"]) == (12, 7, 0)
    assert connections(report) == [(1, False, "closed")]
    assert only(report)["request"] == {"line": 4, "time": pytest.approx(START_MS / 1000 + 0.02, abs=1e-6)}
    assert figures(report) == FIGURES
    assert blamed(report) == [("RL001", "error", "agent", 6)]


# Lines


RL003 = "RL003", "warning", "agent"
BAD_LINES = [
    pytest.param(b"Error: something", id="text"),
    pytest.param(b'{"ts":1764400000.05,"dir":"a2c","msg":{"jsonr', id="cut"),
    pytest.param(b"[1,2", id="cut list"),
    pytest.param(b"\x1b[31mred\x1b[0m", id="escapes"),
    pytest.param(b'{"ts":1764400000.05,"dir":"a2c","msg":{"method":"\xff\xfe"}}', id="invalid UTF-8"),
    pytest.param(b'{"ts":1764400000.05,"dir":"a2c",\0"msg":{"method":"_x"}}', id="NUL"),
    pytest.param(b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", id="nested too deep"),
    pytest.param(b'"a text"', id="JSON text"),
]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"ts":NaN,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"_x"}}', id="NaN as a time"),
        pytest.param(b'{"ts":1e999,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"_x"}}', id="an infinite time"),
        pytest.param(
            b'{"ts":1764400000.05,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"\\ud800"}}', id="lone surrogate"
        ),
        pytest.param(
            b'{"ts":1764400000.05,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"_x","params":-Infinity}}', id="Infinity"
        ),
        pytest.param(
            b'{"ts":1764400000.05,"dir":"a2c","msg":"{\\"jsonrpc\\":\\"2.0\\",\\"method\\":\\"\\\\udc00\\"}"}',
            id="a lone surrogate in a text",
        ),
    ],
)
@pytest.mark.parametrize("at", [0, 2, 4, 7])
def test_what_only_another_parser_takes_is_read(line: bytes, at: int, tmp_path: Path) -> None:
    lines = written()
    report = report_of([*lines[:at], line, *lines[at:]], tmp_path)
    assert (trace_of(report)["lines"], trace_of(report)["messages"]) == (8, 8)
    assert [each["rule"] for each in report["findings"]] in ([], ["RL004"])


@pytest.mark.parametrize("bad", BAD_LINES)
@pytest.mark.parametrize("at", [0, 2, 4, 7])
def test_a_bad_line_harms_no_other(bad: bytes, at: int, tmp_path: Path) -> None:
    lines = written()
    report = report_of([*lines[:at], bad, *lines[at:]], tmp_path)
    assert (trace_of(report)["lines"], trace_of(report)["messages"]) == (8, 7)
    assert only(report)["request"]["line"] == (4 if at <= 2 else 3)
    # The recorder's own lines: it wrapped what the sides said.
    rule = "RL003" if bad == b'"a text"' else "RL001"
    assert_complete(report, findings=[(rule, "warning", "recording", at + 1)])


@pytest.mark.parametrize(
    ("bad", "rule"),
    [
        (b'{"ts":1764400000.5,"dir":"a2c","msg":{"jsonr', "RL002"),
        (b"[1,2", "RL002"),
        (b"Error: something", "RL001"),
        (b'{"ts":1764400000.5,"dir":"a2c",\0"msg":{"method":"_x"}}', "RL001"),
        (b'"a te', "RL001"),
    ],
)
def test_a_last_line_without_a_newline_may_be_cut(bad: bytes, rule: str, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"".join(line + b"\n" for line in written()) + bad)
    assert_complete(report_of_file(path), findings=[(rule, "warning", "recording", 8)])
    path.write_bytes(b"".join(line + b"\n" for line in [*written(), bad]))
    assert_complete(report_of_file(path), findings=[("RL001", "warning", "recording", 8)])


@pytest.mark.parametrize(
    ("bad", "findings"),
    [
        (b"Error: something", [("RL001", "warning", "recording")]),
        (b"[1,2", [("RL001", "warning", "recording")]),
        (b'{"jsonrpc":"2.0","method":"\xff"}', [("RL001", "warning", "recording")]),
        (b"\0\0", []),
        # What people paste around a recording and into it.
        (b"```json", []),
        (b"## Log", []),
        (b"$ agent acp --debug", []),
        (b"dev@host:~$ agent", []),
        (b"PS C:\\work> agent", []),
        (b"...", []),
        (b"[...]", []),
        (b"\xe2\x80\xa6", []),
        (b"[client] connected", []),
        (b"[WARN] no cache", [("RL001", "warning", "recording")]),
        (b"50% done", [("RL001", "warning", "recording")]),
        (b"#done", [("RL001", "warning", "recording")]),
        # What acpx says of itself.
        (b'{"schema":"acpx.x"}', []),
        (b'{"action":"session_ensured","created":true}', []),
        (b'{"source":"agent","sessions":[]}', []),
        (b'{"source":"agent"}', [RL003]),
    ],
)
@pytest.mark.parametrize("at", [0, 2, 4, 7])
def test_a_bad_line_harms_no_raw_message(
    bad: bytes, findings: list[tuple[str, str, str]], at: int, tmp_path: Path
) -> None:
    lines = raw()
    report = report_of([*lines[:at], bad, *lines[at:]], tmp_path)
    assert (trace_of(report)["lines"], trace_of(report)["messages"]) == (8, 7 + (findings[:1] == [RL003]))
    # Nobody says who wrote it.
    assert_complete(report, timed=False, findings=[(*each, at + 1) for each in findings])
    assert [each["connection"] for each in report["findings"]] == [1] * len(findings)


@pytest.mark.parametrize(
    ("bad", "finding"),
    [
        (b'{"jsonrpc":"2.0","method":"session/up', ("RL002", "warning", "recording")),
        (b"[1,2", ("RL002", "warning", "recording")),
        (b"Error: something", ("RL001", "warning", "recording")),
    ],
)
def test_a_raw_recording_may_stop_in_a_message(bad: bytes, finding: tuple[str, str, str], tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"".join(line + b"\n" for line in raw()) + bad)
    assert_complete(report_of_file(path), timed=False, findings=[(*finding, 8)])


@pytest.mark.parametrize(
    ("texts", "wanted"),
    [
        pytest.param([("a2c", '{"jsonrpc":"2.0","id":1,"resu')], [("RL002", "warning", "recording", 8)], id="agent"),
        pytest.param([("c2a", '{"jsonrpc":"2.0",')], [("RL002", "warning", "recording", 8)], id="client"),
        pytest.param([("a2c", '{"jsonrpc"\n')], [("RL001", "error", "agent", 8)], id="a newline ends it"),
        pytest.param([("c2a", "{'a': 1")], [("RL001", "error", "client", 8)], id="no beginning of JSON"),
        pytest.param(
            [("a2c", "{"), ("c2a", "[")],
            [("RL002", "warning", "recording", 8), ("RL002", "warning", "recording", 9)],
            id="both",
        ),
        pytest.param(
            [("a2c", "{"), ("c2a", "{"), ("c2a", "{}\n")],
            [("RL002", "warning", "recording", 8), ("RL001", "error", "client", 9), ("RL003", "warning", "client", 10)],
            id="the client goes on",
        ),
    ],
)
def test_the_last_text_of_a_side_may_be_cut(
    texts: list[tuple[str, str]], wanted: list[tuple[str, str, str, int]], tmp_path: Path
) -> None:
    records = [{"ts": 1764400000.56, "dir": side, "text": text} for side, text in texts]
    assert_complete(report_of([*written(), *map(dumps, records)], tmp_path), findings=wanted)


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (b'INFO {"jsonrpc":"2.0","id":7,"result":{}} sent', ", which holds the response with the id 7 that is lost"),
        (b'> {"method":"session/update","params":{}}', ", which holds a session/update notification that is lost"),
        (b'{"id":"a","method":"_x"} "', ', which holds a _x request with the id "a" that is lost'),
        (b'{"a":{"jsonrpc":"2.0","method":"_x"}', ", which holds a _x notification that is lost"),
        (b'INFO {"id": 7}', "1 line without JSON; the recording does not say from whom"),
    ],
)
def test_a_message_in_a_line_with_something_around_it_is_named(text: bytes, held: str, tmp_path: Path) -> None:
    report = report_of([*raw(), text], tmp_path)
    assert_complete(report, timed=False, findings=[("RL001", "warning", "recording", 8)])
    assert held in report["findings"][0]["message"]


@pytest.mark.parametrize(
    "message",
    [
        {"id": 2**64 + 1, "method": "_x"},
        {"id": -(2**64), "result": {}},
        {"id": "--5", "result": {}},
        {"id": "-", "result": {}},
        {"id": "\N{SUPERSCRIPT TWO}", "result": {}},
        {"id": {"a": [1, {"b": None}]}, "method": "_x"},
        {"id": [], "error": []},
        {"id": None, "error": None, "result": None},
        {"method": "session/update", "params": []},
        {"method": "session/update", "params": {"sessionId": ["s"], "update": {"sessionUpdate": "plan"}}},
        {"method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": {}}}},
        {"method": "session/update", "params": {"sessionId": "s", "update": "replay_complete"}},
        {"method": "session/update", "params": {"sessionId": "s", "update": {"sessionUpdate": "plan", "a": {}}}},
        {"method": ["session/update"]},
        {"method": None, "params": None},
        {},
    ],
    ids=str,
)
def test_a_message_that_makes_no_sense_harms_no_other(message: Message, tmp_path: Path) -> None:
    lines = written()
    record = f'{{"ts":1764400000.05,"dir":"a2c","msg":{json.dumps({"jsonrpc": "2.0", **message})}}}'
    report = report_of([*lines[:4], record.encode(), *lines[4:]], tmp_path)
    assert outcomes(report) == [(1, "success", "complete")]
    assert figures(report) == FIGURES


NESTED = "[" * 1000 + "]" * 1000


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(f'{{"dir":"c2a","msg":{{"jsonrpc":"2.0","method":"_x","params":{NESTED}}}}}', id="params"),
        pytest.param(f'{{"dir":"c2a","msg":{{"jsonrpc":"2.0","method":"_x","id":{NESTED}}}}}', id="request id"),
        pytest.param(f'{{"dir":"a2c","msg":{{"jsonrpc":"2.0","result":1,"id":{NESTED}}}}}', id="response id"),
        pytest.param(f'{{"dir":"c2a","conn":{NESTED},"msg":{{"jsonrpc":"2.0","method":"_x"}}}}', id="conn"),
        pytest.param(f'{{"dir":{NESTED},"msg":{{"jsonrpc":"2.0","method":"_x"}}}}', id="direction"),
        pytest.param(f'{{"dir":"c2a","ts":{NESTED},"msg":{{"jsonrpc":"2.0","method":"_x"}}}}', id="time"),
    ],
)
def test_nesting_a_thousand_deep_harms_nothing(line: str, tmp_path: Path) -> None:
    report = report_of([*written(), line.encode()], tmp_path)
    assert outcomes(report) == [(1, "success", "complete")]
    assert trace_of(report)["lines"] == 8


def test_of_repeated_keys_the_last_wins(tmp_path: Path) -> None:
    lines = [line.replace(b'"dir":', b'"dir":"meta","dir":').replace(b'"id":', b'"id":77,"id":') for line in written()]
    assert_complete(report_of(lines, tmp_path))


def test_raw_line_separators_end_no_line(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s\u2028\u2029\x85\U0001f600")
    report = report_of(recording.lines(), tmp_path)
    assert trace_of(report)["lines"] == 3
    assert only(report)["session_id"] == "s\u2028\u2029\x85\U0001f600"


def endings(lines: list[bytes]) -> dict[str, tuple[bytes, int, int]]:
    """The same lines in other forms: the bytes, how many lines they are, and the line of the request."""
    return {
        "no last newline": (b"\n".join(lines), 7, 3),
        "CRLF": (b"".join(line + b"\r\n" for line in lines), 7, 3),
        "BOM": (b"\xef\xbb\xbf" + b"\n".join(lines), 7, 3),
        "blank lines": (b"\n" + b"\n\n".join(lines) + b"\n\n \t\n", 16, 6),
        "blank lines and CRLF": (b"\xef\xbb\xbf\r\n" + b"\r\n\r\n".join(lines) + b"\r\n\r\n", 15, 6),
        "blanks around": (b"".join(b"  " + line + b" \t\n" for line in lines), 7, 3),
    }


@pytest.mark.parametrize("form", endings([]))
@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["raw", "envelope"])
def test_line_endings_and_blank_lines(form: str, packed: bool, name: str, tmp_path: Path) -> None:
    content, number, line = endings(raw() if name == "raw" else written())[form]
    path = tmp_path / "trace"
    path.write_bytes(gzip.compress(content) if packed else content)
    report = report_of_file(path)
    trace = trace_of(report)
    assert (trace["format"], trace["messages"], trace["lines"]) == (name, 7, number)
    assert only(report)["request"]["line"] == line
    assert_complete(report, timed=name != "raw")


@pytest.mark.parametrize("lines", [raw(), written(), inline()])
@pytest.mark.parametrize("blank", [b"", b"\r", b" \t"])
def test_blank_lines_are_silent(lines: list[bytes], blank: bytes, tmp_path: Path) -> None:
    path = tmp_path / "trace"
    path.write_bytes(b"".join(line + b"\n" + blank + b"\n" for line in lines))
    with Source(str(path)) as source:
        assert [message[0] for message in recognise(source).messages] == [1, 3, 5, 7, 9, 11, 13]


def test_lines_that_are_longer_than_any_buffer(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(5):
        recording.update(
            "s", "agent_message", messageId=f"m{number}", content=[{"type": "text", "text": "x" * 300_000}]
        )
    recording.marker("s").idle("s").result(1, {})
    report = report_of(recording.lines(), tmp_path)
    (session,) = only(report)["sessions"]
    sizes = [len(line) for line in recording.lines()]
    assert trace_of(report)["bytes"] == sum(sizes) + len(sizes)
    assert session["updates"]["history"] == 5


# Where the bytes come from


def noisy() -> list[bytes]:
    """A resume with much history that compresses badly: it stays in several pieces when it is compressed."""
    random = Random(1)  # noqa: S311
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(400):
        text = random.randbytes(500).hex()
        recording.update("s", "agent_message", messageId=f"m{number}", content=[{"type": "text", "text": text}])
    return recording.marker("s").idle("s").result(1, {}).lines()


@pytest.mark.parametrize("name", ["trace.gz", "trace.ndjson", "trace.zst", "trace"])
def test_gzip_is_known_by_its_first_bytes(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    content = b"\n".join(written())
    path.write_bytes(gzip.compress(content))
    report = report_of_file(path)
    assert trace_of(report)["bytes"] == len(content)
    assert_complete(report)


def test_several_gzip_members_are_one_recording(tmp_path: Path) -> None:
    path = tmp_path / "trace.gz"
    path.write_bytes(b"".join(gzip.compress(line + b"\n") for line in written()))
    assert_complete(report_of_file(path))


def test_of_truncated_gzip_what_can_be_read_is_reported(tmp_path: Path) -> None:
    lines = noisy()
    content = gzip.compress(b"\n".join(lines))
    path = tmp_path / "trace.gz"
    path.write_bytes(content[: len(content) // 2])
    report = report_of_file(path)
    trace = trace_of(report)
    assert trace["error"] == {
        "code": "truncated",
        "message": "the compressed data ends too early",
        "line": trace["lines"],
    }
    assert 100 < trace["lines"] < 300
    assert trace["format"] == "envelope"
    resume = only(report)
    assert (resume["end"], resume["sessions"][0]["outcome"]) == ("open", "inconclusive")
    assert resume["sessions"][0]["updates"]["history"] == trace["lines"] - 3


@pytest.mark.parametrize("place", [0.5, 0.999])
def test_of_damaged_gzip_what_can_be_read_is_reported(place: float, tmp_path: Path) -> None:
    content = bytearray(gzip.compress(b"\n".join(noisy())))
    at = int(len(content) * place)
    content[at : at + 20] = bytes(byte ^ 0xFF for byte in content[at : at + 20])
    path = tmp_path / "trace.gz"
    path.write_bytes(content)
    trace = trace_of(report_of_file(path))
    assert trace["error"]["code"] == "damaged"
    assert trace["error"]["message"].startswith("damaged gzip data: ")
    assert trace["error"]["line"] == trace["lines"] > 100


def test_gzip_that_is_damaged_from_the_start(tmp_path: Path) -> None:
    path = tmp_path / "trace.gz"
    path.write_bytes(b"\x1f\x8b\xff" + b"x" * 100)
    trace = trace_of(report_of_file(path))
    assert (trace["format"], trace["error"]["code"], trace["error"]["line"]) == (None, "damaged", None)


def test_gzip_of_nothing_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "trace.gz"
    path.write_bytes(gzip.compress(b""))
    assert trace_of(report_of_file(path))["error"]["message"] == "is empty"


@pytest.mark.parametrize("packed", [False, True])
def test_standard_input(packed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"\n".join(written())
    stream = io.TextIOWrapper(io.BytesIO(gzip.compress(content) if packed else content))
    monkeypatch.setattr(sys, "stdin", stream)
    report: Message = json.loads(dumps(lint(["-"])))
    assert trace_of(report)["path"] == only(report)["trace"] == "-"
    assert_complete(report)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (Path.exists, "not-found"),
        (Path.mkdir, "directory"),
        (lambda path: path.symlink_to(path), "unreadable"),
    ],
)
def test_what_cannot_be_opened_is_a_trace_with_an_error(
    make: Callable[[Path], object], code: str, tmp_path: Path
) -> None:
    path = tmp_path / "trace"
    make(path)
    trace = trace_of(report_of_file(path))
    assert (trace["format"], trace["error"]["code"], trace["error"]["line"]) == (None, code, None)
    assert (trace["lines"], trace["messages"], trace["bytes"], trace["connections"]) == (0, 0, 0, [])


def test_a_path_below_the_working_folder_is_shown_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    path = tmp_path / "a" / "trace"
    path.write_bytes(b"\n".join(written()))
    monkeypatch.chdir(tmp_path)
    assert trace_of(report_of_file(path))["path"] == "a/trace"
    monkeypatch.chdir(tmp_path / "a")
    assert trace_of(report_of_file(tmp_path / "b"))["path"] == str(tmp_path / "b")


# Recordings that are not ours


READABLE = ("raw", "envelope", "inline", "recorder")
SCENARIOS = ("children-each-marked", "permission-before-marker", "vendor-v1-complete")
FORMS = {
    "raw.ndjson": ("raw", "none", "inferred"),
    "recorder.ndjson": ("recorder", "monotonic", "recorded"),
    "inline.jsonl": ("inline", "relative", "recorded"),
    "envelope-flipped.jsonl": ("envelope", "wall", "flipped"),
    "envelope-frame-us.jsonl": ("envelope", "wall", "recorded"),
    "envelope-iso-arrows.jsonl": ("envelope", "wall", "recorded"),
    "envelope-mono.jsonl": ("envelope", "monotonic", "recorded"),
    "envelope-ms-out-in.ndjson": ("envelope", "wall", "recorded"),
    "envelope-string-body.jsonl": ("envelope", "wall", "recorded"),
    "bom-crlf-blank.ndjson": ("envelope", "wall", "recorded"),
    "gzip.bin": ("envelope", "wall", "recorded"),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("form", FORMS)
def test_one_recording_in_every_format_says_the_same(scenario: str, form: str, shared: Path) -> None:
    path = shared / "traces" / "formats" / "same" / f"{scenario}--{form}"
    expect = json.loads(path.with_name(f"{path.name}.expect.json").read_bytes())
    report = report_of_file(path)
    trace = trace_of(report)
    assert (trace["format"], trace["timestamps"], trace["directions"]) == FORMS[form]
    assert len(report["resumes"]) == len(expect["resumes"])
    for resume, wanted in zip(report["resumes"], expect["resumes"], strict=True):
        assert resume["end"] == wanted["end"]
        sessions = {each["session_id"]: each for each in resume["sessions"]}
        assert sessions.keys() == wanted["sessions"].keys()
        for name, facts in wanted["sessions"].items():
            assert sessions[name]["outcome"] == facts["outcome"]
            if "response_gap_s" in facts:
                assert sessions[name]["timing"]["response_gap_s"] == pytest.approx(facts["response_gap_s"], abs=0.002)
    grave = {each["rule"] for each in report["findings"] if each["severity"] != "info"}
    assert grave == set(expect["must_rules"])


@pytest.mark.parametrize("folder", ["formats", "public"])
def test_recordings_of_other_tools_are_recognised(folder: str, shared: Path) -> None:
    where = shared / "traces" / folder
    expected = json.loads((where / "expected.json").read_bytes())
    wanted = {
        name: (facts["format"], facts["resumes"]) for name, facts in expected.items() if facts["format"] in READABLE
    }
    found = {}
    for name in wanted:
        report = report_of_file(where / name)
        found[name] = trace_of(report)["format"], len(report["resumes"])
    assert wanted
    assert found == wanted


@pytest.mark.parametrize("event", ["exit", "close", "closed", "disconnect", "end"])
def test_a_recorder_says_in_many_words_that_a_connection_ended(event: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.ndjson"
    path.write_bytes(b"\n".join(Recording().initialize_v2().resume(1, "s").meta(event).lines()))
    report = report_of_file(path)
    assert [each["end"] for each in report["resumes"]] == ["closed"]
    assert [each["outcome"] for each in report["resumes"][0]["sessions"]] == ["truncated"]


def test_what_acpx_prints_beside_the_messages_accuses_nobody(tmp_path: Path) -> None:
    own = [{"action": "session_ensured", "created": True}, {"source": "agent", "sessions": []}, {"schema": "acpx.turn"}]
    messages = [each["msg"] for each in Recording().initialize_v1().load(1, "s").result(1, {}).records]
    path = tmp_path / "trace.ndjson"
    path.write_text("\n".join(map(json.dumps, [own[0], *messages, *own[1:]])), encoding="utf-8")
    report = report_of_file(path)
    assert report["traces"][0]["format"] == "raw"
    assert [each["rule"] for each in report["findings"]] == ["RL211"]
