"""The recording formats: each is recognised, and one conversation says the same in all of them, line by line."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
import time
from itertools import cycle
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from orjson import dumps

from replaylint.analysis.lint import lint
from replaylint.recording.detect import recognise
from replaylint.recording.formats import every_format
from replaylint.recording.source import Source
from tests.command_line import run
from tests.conftest import ROOT
from tests.conversations import (
    CASES,
    CONVERSATIONS,
    DIRECTED,
    LEFT,
    ONE_OF_EACH,
    RIGHT,
    STAMPS,
    START_MS,
    TOLERANCE_S,
    WRITERS,
    Expected,
    Said,
    Spoken,
    Written,
    array,
    assert_said,
    devtools,
    envelope,
    example,
    facts,
    laid_out,
    prefixed,
    reported,
    spoken,
    tck,
    timings,
    transcript,
    zed,
)
from tests.recordings import Message, Recording, found, report_of_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from replaylint.recording.formats import Format

TRACES = ROOT.parent / "shared" / "traces"
SUFFIX = ".expect.json"


# Recordings of other tools


def samples(*folders: str) -> list[tuple[str, str]]:
    """The samples in these folders; one that is not there where there are no folders, so that a test says so."""
    listed = [(folder, TRACES / folder / "expected.json") for folder in folders]
    return [
        (folder, name) for folder, path in listed if path.is_file() for name in sorted(json.loads(path.read_bytes()))
    ] or [("none", "none")]


@pytest.mark.parametrize(("folder", "name"), samples("formats", "public"))
def test_a_recording_of_another_tool_is_recognised(folder: str, name: str, shared: Path) -> None:
    where = shared / "traces" / folder
    expected = json.loads((where / "expected.json").read_bytes())[name]
    report = report_of_file(where / name)
    (trace,) = report["traces"]
    assert len(report["resumes"]) == expected["resumes"]
    if expected["format"] == "refused":
        assert trace["error"]["code"] == "another-protocol"
    else:
        assert (trace["format"], trace["error"]) == (expected["format"], None)


def same() -> list[str]:
    """The recordings of which there is one in each format."""
    return sorted(path.name.removesuffix(SUFFIX) for path in TRACES.glob(f"formats/same/*{SUFFIX}")) or ["none"]


@pytest.mark.parametrize("name", same())
def test_a_recording_says_the_same_in_each_format(name: str, shared: Path) -> None:
    where = shared / "traces" / "formats" / "same"
    expected = json.loads((where / (name + SUFFIX)).read_bytes())
    report = report_of_file(where / name)
    assert [each["error"] for each in report["traces"]] == [None]
    assert [each["end"] for each in report["resumes"]] == [each["end"] for each in expected["resumes"]]
    for resume, wanted in zip(report["resumes"], expected["resumes"], strict=True):
        sessions = {each["session_id"]: each for each in resume["sessions"]}
        assert sessions.keys() == wanted["sessions"].keys()
        for session, known in wanted["sessions"].items():
            assert sessions[session]["outcome"] == known["outcome"]
            if known.get("response_gap_s", 0) is None:
                assert sessions[session]["timing"]["response_gap_s"] is None
            elif "response_gap_s" in known:
                assert sessions[session]["timing"]["response_gap_s"] == pytest.approx(
                    known["response_gap_s"], abs=0.002
                )
    assert sorted({each["rule"] for each in report["findings"] if each["severity"] != "info"}) == expected["must_rules"]


@pytest.mark.parametrize("version", CONVERSATIONS)
@pytest.mark.parametrize(("write", "expected"), [each[1:] for each in CASES], ids=[each[0] for each in CASES])
def test_a_conversation_in_every_format(
    version: str, write: Callable[[list[Spoken]], Written], expected: Expected, tmp_path: Path
) -> None:
    said = CONVERSATIONS[version]
    assert_said(write(said), said, expected, tmp_path)


def test_every_format_is_tried() -> None:
    assert {form.NAME for form in every_format()} == {*ONE_OF_EACH, "recorder"}


@pytest.mark.parametrize("form", every_format(), ids=lambda form: str(form.NAME))
def test_an_example_is_a_short_line(form: Format) -> None:
    assert 0 < len(form.EXAMPLE) < 120
    assert form.EXAMPLE.isprintable()
    assert form.EXAMPLE.strip() == form.EXAMPLE
    assert (form.__doc__ or "").startswith(f"`{form.NAME}`: ")


# Times and directions


def request_time(report: Message) -> float:
    return float(report["resumes"][0]["request"]["time"])


@pytest.mark.parametrize(
    ("name", "time"),
    [
        ("jetbrains", START_MS / 1000 + 0.02),
        ("jetbrains, restarted", START_MS / 1000 + 0.02),
        ("lsp-trace ", START_MS / 1000 + 0.02),
        ("acp-devtools ('raw',) 4", START_MS / 1000 + 0.02),
        ("prefix ts %.s", START_MS / 1000 + 0.02),
        ("prefix milliseconds", START_MS / 1000 + 0.02),
        ("prefix ISO with a comma", START_MS / 1000 + 0.02),
        ("prefix ISO with an offset", START_MS / 1000 + 0.02 + 5 * 3600),
        ("prefix time of day", 36_000.02),
        ("prefix ts", (31 + 2) * 86_400 + 2),
        ("conductor", 0.02),
        ("conductor-debug", 0.02),
        ("tck-report 2", 100.02),
    ],
)
def test_times_are_what_the_recording_says(name: str, time: float, tmp_path: Path) -> None:
    report = reported(WRITERS[name](CONVERSATIONS["v2"]).data, tmp_path)
    assert request_time(report) == pytest.approx(time, abs=TOLERANCE_S)


def test_a_clock_that_goes_back_is_reported_where_it_does(tmp_path: Path) -> None:
    said = CONVERSATIONS["v2"]
    moved = [each if at < 5 else each._replace(ms=each.ms - 30) for at, each in enumerate(said)]
    for form in ("conductor-trace", "conductor-debug", "lsp-trace", "prefix", "acp-devtools", "tck-report"):
        written = example(form, moved)
        report = reported(written.data, tmp_path)
        assert [(each["rule"], each["line"]) for each in report["findings"]] == [("RL004", written.lines[5])]
        assert facts(report) == facts(reported(example(form).data, tmp_path))


def test_inversions_of_a_logger_are_no_steps(tmp_path: Path) -> None:
    said = [each._replace(ms=each.ms * 10 - 2 * (at % 2)) for at, each in enumerate(CONVERSATIONS["v2"][:2] * 3)]
    assert reported(example("conductor-debug", said[:2]).data, tmp_path)["findings"][0]["rule"] == "RL005"


@pytest.mark.parametrize("form", ["envelope", "inline", "jetbrains", "lsp-trace", "prefix", "zed", "tck-report"])
@pytest.mark.parametrize("version", CONVERSATIONS)
def test_what_the_agent_recorded_is_turned_round(form: str, version: str, tmp_path: Path) -> None:
    said = CONVERSATIONS[version]
    name = "envelope out" if form == "envelope" else ONE_OF_EACH[form]
    turned = [each._replace(side="agent" if each.side == "client" else "client") for each in said]
    written = WRITERS[name](turned)
    trace = reported(written.data, tmp_path)["traces"][0]
    (expected,) = (each for other, _, each in CASES if other == name)
    assert trace["directions"] == "flipped"
    assert_said(written, said, expected._replace(directions="flipped"), tmp_path)


@pytest.mark.parametrize("form", ["conductor-trace", "conductor-debug", "acp-devtools"])
def test_what_is_absolute_stays(form: str, tmp_path: Path) -> None:
    turned = [each._replace(side="agent" if each.side == "client" else "client") for each in CONVERSATIONS["v2"]]
    report = reported(example(form, turned).data, tmp_path)
    assert (report["traces"][0]["directions"], report["resumes"]) == ("recorded", [])


# What is no message


def blamed(report: Message) -> list[tuple[str, str, str, int]]:
    """Rule, severity, party and line of each finding, which concerns one line only."""
    for each in report["findings"]:
        assert (each["count"], each["last_line"]) == (1, each["line"])
    return [(each["rule"], each["severity"], each["party"], each["line"]) for each in report["findings"]]


AGENTS = ("RL001", "error", "agent")
CLIENTS = ("RL001", "error", "client")
RECORDERS = ("RL001", "warning", "recording")
LOGGED = "2025-11-29 07:06:40,030 [     60]   FINE - AcpTransport - "


@pytest.mark.parametrize(
    ("name", "line", "finding"),
    [
        ("conductor", b"not json", RECORDERS),
        ("conductor", b'{"type":"request","ts":NaN,"from":"Client"}', None),
        ("conductor", b"[1]", ("RL003", "warning", "recording")),
        ("conductor", b'{"type":"new","from":"Client","to":"Agent","id":1}', None),
        ("conductor", b"\0\0", None),
        ("conductor-debug", f"C {LEFT} +30ms warming up".encode(), AGENTS),
        ("conductor-debug", f"C {RIGHT} +30ms warming up".encode(), CLIENTS),
        ("conductor-debug", f"C {LEFT} +30ms ".encode(), None),
        ("conductor-debug", f"0 {LEFT} +30ms warming up".encode(), None),
        ("conductor-debug", b"C ! +30ms warming up", None),
        ("conductor-debug", b"panicked at main.rs", None),
        ("jetbrains", f"{LOGGED}IN: warming up".encode(), AGENTS),
        ("jetbrains", f"{LOGGED}OUT: [1,".encode(), CLIENTS),
        ("jetbrains", f'{LOGGED}IN: {{"jsonrpc":"2.0","method":NaN}}'.encode(), ("RL003", "warning", "agent")),
        ("jetbrains", f"{LOGGED}IN: 1".encode(), ("RL003", "warning", "agent")),
        ("jetbrains", b"2025-11-29 07:06:40,030 [     30]   FINE - Acp - started", None),
        (
            "lsp-trace ",
            b'{"isLSPMessage":true,"type":"send-x","message":{"a":NaN}}',
            ("RL003", "warning", "client"),
        ),
        ("lsp-trace [Trace - 10:00:00 AM] ", b'[Trace] {"isLSPMessage":true,"message":nothing}', RECORDERS),
        ("lsp-trace [Trace - 10:00:00 AM] ", b'[Trace] {"isLSPMessage":true,"type":"receive-x","message":"x"}', AGENTS),
        ("lsp-trace [Trace - 10:00:00 AM] ", b'[Trace - 10:00:01 AM] {"jsonrpc":"2.0","method":"x"}', None),
        ("prefix [SEND]", b"[RECV] warming up", AGENTS),
        ("prefix [SEND]", b"[SEND] warming up", CLIENTS),
        ("prefix [SEND]", b'[RECV] {"jsonrpc":"2.0","method":"x","params":NaN}', None),
        ("prefix [SEND]", b'[RECV] {"jsonrpc":"2.0","method":"\\ud800"}', None),
        ("prefix [SEND]", b'[RECV] {"a":' + b"[" * 2000 + b"]" * 2000 + b"}", RECORDERS),
        ("prefix [SEND]", b'[RECV] {"jsonrpc":"2.0","method":"\xff"}', AGENTS),
        ("prefix [SEND]", b"[RECV]", None),
        ("prefix [SEND]", b"[INFO] warming up", None),
        ("prefix [SEND]", b"the word [RECV] means", None),
        ("prefix [SEND]", b'[INFO] {"jsonrpc":"2.0","method":"x"}', None),
        ("prefix SEND:", b"RECV: warming up", AGENTS),
        ("prefix SEND:", b"recv: lower case", None),
        ("prefix time [SEND]", b"0.030000 [RECV] warming up", AGENTS),
        ("prefix time [SEND]", b"[RECV] warming up", None),
        ("prefix time [SEND]", b"0.030000 warming up", None),
        ("prefix [main] TRACE c.a.s.StdioAcpClientTransport -- SEND:", b"[x] TRACE c.a.S -- RECV: warming up", AGENTS),
        ('prefix time C2A "request" ::', b'0.030000 A2C "result" :: warming up', AGENTS),
        ("prefix ts %.s", b"1764400000.030000 warming up", RECORDERS),
        ("prefix ts %.s", b'1764400000.030000 INFO {"jsonrpc":"2.0","method":"x"}', None),
        ("prefix ts %.s", b"warming up", None),
        ("prefix ts %.s", b"1764400000.030000", None),
        ("prefix ts %.s INFO", b"1764400000.030000 warming up", None),
        ("prefix ts %.s INFO", b'1764400000.030000 INFO {"level":"info"}', None),
        ("prefix ts %.s INFO", b"1764400000.030000 INFO span{a=1} sent", None),
    ],
)
def test_what_stands_between_messages(
    name: str, line: bytes, finding: tuple[str, str, str] | None, tmp_path: Path
) -> None:
    written = WRITERS[name](CONVERSATIONS["v2"])
    lines = written.data.split(b"\n")
    reference = reported(written.data, tmp_path)
    at = written.lines[2]  # behind the request
    report = reported(b"\n".join([*lines[:at], line, *lines[at:]]), tmp_path)
    assert blamed(report) == ([] if finding is None else [(*finding, at + 1)])
    assert facts(report) == facts(reference, [each + (each > at) for each in range(1, len(lines))])
    assert timings(report) == timings(reference)


@pytest.mark.parametrize("form", ["conductor-trace", "conductor-debug", "jetbrains", "lsp-trace", "prefix"])
def test_the_last_line_may_be_cut(form: str, tmp_path: Path) -> None:
    written = example(form)
    end = written.data.index(b"state_update")
    report = reported(written.data[:end], tmp_path)
    assert {each[::2] for each in found(report)} == {("RL105", written.lines[2]), ("RL002", written.lines[-2])}
    assert report["resumes"][0]["end"] == "open"


@pytest.mark.parametrize("form", [form for form in ONE_OF_EACH if form not in {"content-length", "array"}])
def test_a_mark_before_it_and_other_newlines_change_nothing(form: str, tmp_path: Path) -> None:
    written = example(form)
    reference = reported(written.data, tmp_path)
    for data in (
        b"\xef\xbb\xbf" + written.data,
        written.data.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + written.data.replace(b"\n", b"\r\n").rstrip(),
        written.data.rstrip() + b"\n\n \t\n",
        written.data + b"\0\0\0\0",
    ):
        report = reported(data, tmp_path)
        assert (facts(report), timings(report)) == (facts(reference), timings(reference))
        assert report["traces"][0]["error"] is None
        assert report["findings"] == []


@pytest.mark.parametrize("form", ["headed", "sequence", "acp-el", "acp-el-traffic", "tracing", "prefix", "jetbrains"])
def test_a_recording_may_stop_anywhere(form: str, tmp_path: Path) -> None:
    data = example(form).data
    whole = trace_of(reported(data, tmp_path))["messages"]
    before = 0
    for end in range(len(data) // 3, len(data), 61):
        report = reported(data[:end], tmp_path)
        trace = trace_of(report)
        assert trace["format"] == form
        assert trace["error"] is None or (form, trace["error"]["code"]) == ("acp-el-traffic", "truncated")
        assert before <= trace["messages"] <= whole
        assert {each["rule"] for each in report["findings"]} <= {"RL001", "RL002", "RL105"}
        assert {each["party"] for each in report["findings"] if each["rule"] == "RL001"} <= {"recording"}
        before = trace["messages"]
    assert before >= whole - 1


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("conductor", 0),
        ("conductor, proxies", 24),
        ("conductor, TypeScript with a proxy", 12),
        ("conductor-debug, many lanes", 144),
        ("conductor, another protocol", 51),
        ("prefix [SEND]", 0),
    ],
)
def test_what_is_of_other_hops_is_counted(name: str, left_out: int, tmp_path: Path) -> None:
    report = reported(WRITERS[name](CONVERSATIONS["v2"]).data, tmp_path)
    assert (trace_of(report)["messages"], trace_of(report)["left_out"]) == (12, left_out)


@pytest.mark.parametrize(
    ("marks", "directions"),
    [
        (("[SEND]", "[ANSWER]"), "inferred"),
        (("[ASK]", "[RECV]"), "inferred"),
        (("ask >", "answer <"), "inferred"),
        (("", "agent:"), "inferred"),
        (("Client -> Agent:", "Agent -> Client:"), "recorded"),
        (("CLIENT -> AGENT", "AGENT -> CLIENT"), "recorded"),
        (("Sending JSON-RPC message:", "Received JSON-RPC message:"), "recorded"),
        (("Received from client", "Sending to client"), "recorded"),
        (("Received a message:", "Sending a message:"), "flipped"),
    ],
)
def test_of_words_that_are_known_for_one_side_only_no_message_is_lost(
    marks: tuple[str, str], directions: str, tmp_path: Path
) -> None:
    said = CONVERSATIONS["v2"]
    time = STAMPS[0][1]
    for stamp, expected in ((None, DIRECTED), (time, STAMPS[0][2])):
        written = prefixed(stamp, marks)(said)
        assert_said(written, said, expected._replace(directions=directions), tmp_path)


def test_text_of_acp_el_comes_in_pieces(tmp_path: Path) -> None:
    """A message goes on in the next text of its direction, or several stand in one."""
    said = CONVERSATIONS["v2"]
    pieces = [b"INCOMING TEXT >\n\n"]
    for each in said:
        body = dumps(each.message)
        if each.side == "client":
            pieces += [b"OUTGOING TEXT >\n\n", body, b"\n\n\nINCOMING TEXT >\n\n"]
        else:
            pieces += [body[:40], b"\n\nINCOMING TEXT >\n\n", body[40:], b"\n"]
    report = reported(b"".join(pieces), tmp_path)
    assert (trace_of(report)["messages"], report["findings"]) == (12, [])
    assert [each["end"] for each in report["resumes"]] == ["success"]


def test_a_value_that_does_not_end_harms_no_other(tmp_path: Path) -> None:
    for form in ("sequence", "headed"):
        data = example(form).data
        at = data.index(b"  }\n", data.index(b"replay_complete"))
        report = reported(data[:at] + b"\n" + data[at:].replace(b"}\n}\n", b"}\n", 1), tmp_path)
        assert trace_of(report)["messages"] >= 10
        assert {each["rule"] for each in report["findings"]} >= {"RL001"}


def test_a_message_without_a_time_keeps_its_place(tmp_path: Path) -> None:
    lines = example("prefix").data.split(b"\n")
    for at in (3, 7):
        _, _, lines[at] = lines[at].partition(b" ")
    report = reported(b"\n".join(lines), tmp_path)
    assert trace_of(report)["messages"] == 12
    assert report["resumes"][0]["sessions"][0]["marker"] == {"kind": "replay_complete", "line": 8, "time": None}


def test_a_skipped_line_is_reported(tmp_path: Path) -> None:
    for form in ("conductor-trace", "conductor-debug", "jetbrains", "lsp-trace", "prefix"):
        written = example(form)
        lines = written.data.split(b"\n")
        long = lines[written.lines[3] - 1]
        lines[written.lines[3] - 1] = long.replace(b"words", b"words" * 1000)
        path = tmp_path / "recording"
        path.write_bytes(b"\n".join(lines))
        report = json.loads(dumps(lint([path], max_line=2000)))
        assert [each["line"] for each in report["findings"]] == [written.lines[3]]
        assert [each["end"] for each in report["resumes"]] == ["success"]


# zed: what is request and what is response


def zed_entry(way: str, kind: str, ident: object, method: str | None, params: object) -> Message:
    return {"_direction": way, "_type": kind, "id": ident, "method": method, "params": params}


def in_zed(*entries: Message, said: int = 3) -> bytes:
    """An export that begins with so many messages of the conversation."""
    return dumps([*zed(CONVERSATIONS["v2"])[:said], *entries])


@pytest.mark.parametrize("kind", ["response", "asdf", "request"])
@pytest.mark.parametrize(
    ("outcome", "end"),
    [
        ({}, "success"),
        (None, "success"),
        ({"code": "x", "message": "y"}, "success"),
        ({"code": -32603}, "success"),
        ({"code": -32603, "message": "no"}, "error"),
        ({"code": -32800, "message": "cancelled", "data": {}}, "cancelled"),
    ],
)
def test_a_response_of_zed_has_its_outcome_in_params(kind: str, outcome: object, end: str, tmp_path: Path) -> None:
    report = reported(in_zed(zed_entry("incoming", kind, 1, "session/resume", outcome)), tmp_path)
    assert [each["end"] for each in report["resumes"]] == [end]


@pytest.mark.parametrize("method", [None, "[unrecognized response]", "session/list"])
def test_a_response_of_zed_to_a_request_before_the_export(method: str | None, tmp_path: Path) -> None:
    entries = [zed_entry("incoming", "response", 7, method, {}), zed_entry("incoming", "response", 1, None, {})]
    report = reported(in_zed(*entries), tmp_path)
    assert [each["end"] for each in report["resumes"]] == ["success"]
    assert ("RL101", "error", 1) in found(report)


def test_a_response_of_zed_without_an_id_is_no_notification(tmp_path: Path) -> None:
    failure = {"code": -32700, "message": "what?"}
    path = tmp_path / "recording"
    path.write_bytes(in_zed(zed_entry("outgoing", "response", None, "[unrecognized response]", failure)))
    with Source(str(path)) as source:
        bodies = [body for *_, body, _ in recognise(source).messages]
    assert bodies[-1] == {"jsonrpc": "2.0", "id": None, "error": failure}


@pytest.mark.parametrize("kinds", [("request", "response"), ("asdf", "asdf"), ("notification", "request")])
def test_both_sides_may_use_one_id_at_once(kinds: tuple[str, str], tmp_path: Path) -> None:
    asked, answered = kinds
    entries = [
        zed_entry("incoming", asked, 1, "_vendor/ask", {"a": 1}),
        zed_entry("incoming", asked, "1", "_vendor/ask", {"a": 1}),
        zed_entry("outgoing", answered, "1", "_vendor/ask", {"code": 1, "message": "no"}),
        zed_entry("outgoing", asked, 2, "session/list", {}),
        zed_entry("incoming", asked, 2, "_vendor/ask", None),
        zed_entry("outgoing", answered, 2, "_vendor/ask", None),
        zed_entry("incoming", answered, 2, "session/list", {"sessions": []}),
        zed_entry("outgoing", answered, 1, "_vendor/ask", {}),
    ]
    rest = zed(CONVERSATIONS["v2"])[3:]
    report = reported(dumps([*zed(CONVERSATIONS["v2"])[:3], *entries, *rest]), tmp_path)
    assert [(each["end"], each["sessions"][0]["outcome"]) for each in report["resumes"]] == [("success", "complete")]
    assert report["findings"] == []


# tck-report: connections and losses


def test_each_test_of_a_report_is_a_connection(tmp_path: Path) -> None:
    tests = [transcript(CONVERSATIONS["v2"], start=start) for start in (500.0, 100.0, 0.0)]
    written = laid_out(*tck(tests[0], transcript(CONVERSATIONS["v1"], indent=1, start=300.0), *tests[1:]))
    report = reported(written.data, tmp_path)
    (trace,) = report["traces"]
    assert [each["connection"] for each in trace["connections"]] == [1, 2, 3, 4]
    assert [each["protocol_version"] for each in trace["connections"]] == [2, 1, 2, 2]
    assert [each["sessions"][0]["outcome"] for each in report["resumes"]] == ["complete"] * 4
    begins = [0, len(tests[0]) // 2, len(tests[0]) // 2 + 9, len(tests[0]) + 9]
    assert [each["request"]["line"] for each in report["resumes"]] == [written.lines[at + 2] for at in begins]
    assert report["findings"] == []  # also where each has a clock of its own


def test_a_test_that_stands_under_several_requirements_ran_once(tmp_path: Path) -> None:
    test = b'{"nodeid": "t", "transcript": ' + b"".join(transcript(CONVERSATIONS["v2"])) + b"}"
    again = test.replace(b'"t"', b'"u"', 1)
    requirements = [b'{"id": "R", "tests": [%b]}' % each for each in (test, test, again, test + b", " + again)]
    report = reported(b'{"requirements": [%b]}' % b", ".join(requirements), tmp_path)
    assert [each["connection"] for each in report["resumes"]] == [1, 2]


@pytest.mark.parametrize(
    ("entry", "lost"),
    [
        ({"dir": "gap", "t": 0.0, "raw": "...[12 entry(ies) omitted]..."}, 12),
        ({"dir": "gap"}, 1),
        ({"gap": 3}, 3),
        ({"type": "gap", "count": 2}, 2),
        ({"dir": "received", "t": 100.06, "raw": '{"jsonrpc":"2.0","me...[truncated 70 byte(s)]...'}, 1),
        ({"dir": "received", "t": 100.06, "raw": '{"jsonrpc":"2.0","method":"session/upd\N{HORIZONTAL ELLIPSIS}'}, 1),
        ({"dir": "received", "t": 100.06}, 0),
        ({"dir": "received", "t": 100.06, "raw": None}, 0),
        ({"note": "x"}, 0),
    ],
)
def test_what_a_report_left_out_is_lost(entry: Message, lost: int, tmp_path: Path) -> None:
    pieces = transcript(CONVERSATIONS["v2"])
    at = 2 * 6 + 1  # behind the sixth message
    written = laid_out(*tck([*pieces[:at], dumps(entry), b",", *pieces[at:]]))
    report = reported(written.data, tmp_path)
    assert (report["traces"][0]["lost"], report["traces"][0]["messages"]) == (lost, 12)
    assert [each["end"] for each in report["resumes"]] == ["success"]
    assert report["findings"] == []


@pytest.mark.parametrize(
    ("raw", "word", "finding"),
    [
        ("loading plugins...", "received", AGENTS),
        ("<undecodable: UnicodeDecodeError('utf-8')>", "received", AGENTS),
        ('{"jsonrpc":', "sent", CLIENTS),
        ("5", "sent", ("RL003", "warning", "client")),
    ],
)
def test_what_a_side_wrote_into_a_transcript(
    raw: str, word: str, finding: tuple[str, str, str], tmp_path: Path
) -> None:
    pieces = transcript(CONVERSATIONS["v2"], indent=1)
    entry = dumps({"dir": word, "t": 100.06, "raw": raw})
    at = 2 * 6 + 1  # behind the sixth message and its comma
    written = laid_out(*tck([*pieces[:at], Said(entry), b",\n", *pieces[at:]]))
    report = reported(written.data, tmp_path)
    assert blamed(report) == [(*finding, written.lines[6])]
    assert [each["end"] for each in report["resumes"]] == ["success"]


# Documents that are damaged


DOCUMENTS = ("zed", "acp-devtools", "array", "tck-report")
STYLED = {
    "zed": ("zed pretty", "zed in one line"),
    "acp-devtools": ("acp-devtools ('raw', 'payload') 4", "acp-devtools ('raw', 'payload') None"),
    "array": ("array of envelopes pretty", "array of envelopes in one line"),
    "tck-report": ("tck-report 2", "tck-report None"),
}


def known(report: Message) -> int:
    """How many messages were read of the conversation, which has one resume; the report hangs together."""
    (trace,) = report["traces"]
    assert len(report["resumes"]) == (trace["messages"] > 2)
    return int(trace["messages"])


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("style", [0, 1])
def test_a_document_may_stop_anywhere(form: str, style: int, tmp_path: Path) -> None:
    written = WRITERS[STYLED[form][style]](CONVERSATIONS["v2"])
    data = written.data.rstrip()
    before = 0
    for end in range(200, len(data), 97):
        report = reported(data[:end], tmp_path)
        (trace,) = report["traces"]
        if trace["format"] is None:  # it stops so early that nobody knows it
            assert trace["error"]["code"] in {"not-a-recording", "truncated"}
            assert before == 0
            continue
        assert (trace["format"], trace["error"]["code"]) == (form, "truncated")
        assert trace["error"]["line"] == data[:end].rstrip().count(b"\n") + 1
        assert before <= known(report) <= data[:end].count(b"jsonrpc" if form != "zed" else b"_direction")
        before = known(report)
        if report["resumes"] and end < written.data.rindex(b"result" if form != "zed" else b"session/resume"):
            assert report["resumes"][0]["end"] == "open"
    assert before > 10


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"},\n", b"}\n", id="a comma is missing"),
        pytest.param(b"},\n", b"},,\n", id="a comma too many"),
        pytest.param(b"},\n", b"}, oops\n", id="words"),
        pytest.param(b"},\n", b"}]\n", id="it is closed"),
        pytest.param(b"},\n", b'},\n"\n', id="a quote"),
        pytest.param(b"},\n", b"},\n}\n", id="a bracket"),
    ],
)
def test_a_document_that_is_damaged_is_read_up_to_there(form: str, old: bytes, new: bytes, tmp_path: Path) -> None:
    frame, indent = ("[\n", ",\n", "\n]"), None
    said = CONVERSATIONS["v2"]
    if form == "zed":
        written = laid_out(*array(map(json.dumps, zed(said)), *frame))
    elif form == "array":
        written = laid_out(*array(map(envelope(), said), *frame))
    elif form == "tck-report":
        written = laid_out(*tck(transcript(said, indent=indent)))
        written = Written(written.data.replace(b"},{", b"},\n{"), [])
    else:
        written = devtools(("payload",), indent=indent)(said)
        written = Written(written.data.replace(b'},{"seq"', b'},\n{"seq"'), [])
    at = -1
    for _ in range(6):
        at = written.data.index(old, at + 1)
    report = reported(written.data[:at] + new + written.data[at + len(old) :], tmp_path)
    (trace,) = report["traces"]
    assert (trace["format"], trace["error"]["code"]) == (form, "damaged")
    line = written.data.count(b"\n", 0, at) + 1
    assert trace["error"]["line"] in {line, line + 1}
    assert known(report) == 6
    assert report["resumes"][0]["end"] == "open"


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize("more", [b"[]", b"{}", b"\nwords", b'"', b"]", b"\n\n}"])
def test_what_stands_behind_a_document_is_an_error(form: str, more: bytes, tmp_path: Path) -> None:
    data = example(form).data.rstrip()
    reference = reported(data, tmp_path)
    report = reported(data + more, tmp_path)
    assert report["traces"][0]["error"]["line"] == data.count(b"\n") + more.count(b"\n") + 1
    assert facts(report) == facts(reference)


def long(updates: int, size: int) -> list[Spoken]:
    """A replay with so many updates, each with a text that compresses badly."""
    random = Random(1)  # noqa: S311
    made = Recording(-0.01).initialize_v2().resume(1, "s")
    for _ in range(updates):
        words = {"type": "text", "text": random.randbytes(size // 2).hex()}
        made.update("s", "agent_message_chunk", messageId="m", content=words)
    return spoken(made.marker("s").idle("s").result(1, {}))


@pytest.mark.parametrize("form", DOCUMENTS)
def test_of_a_packed_document_what_can_be_read_is_reported(form: str, tmp_path: Path) -> None:
    packed = gzip.compress(example(form, long(400, 500)).data)
    report = reported(packed[: len(packed) * 2 // 3], tmp_path)
    (trace,) = report["traces"]
    assert (trace["format"], trace["error"]["code"], trace["error"]["line"]) == (form, "truncated", trace["lines"])
    assert "compressed" in trace["error"]["message"]
    assert 100 < known(report) < 300


def test_the_exit_status_of_a_document_that_stops(tmp_path: Path) -> None:
    path = tmp_path / "recording"
    path.write_bytes(example("zed").data[:-5])
    result = run(path, "-f", "json")
    assert result.returncode == 2
    assert len(json.loads(result.stdout)["resumes"]) == 1
    assert "ends too early" in result.stderr


@pytest.mark.parametrize("form", DOCUMENTS)
@pytest.mark.parametrize(
    ("part", "rule"),
    [
        (b'{"jsonrpc": "2.0", "method": "x", "params": NaN}', None),
        (b'{"jsonrpc": "2.0", "method": "\\ud800"}', None),
        (b'{"jsonrpc": "2.0", "method": "\xff"}', "RL001"),
        (b'{"jsonrpc": "2.0"; "method": "x"}', "RL001"),
        (b'{"jsonrpc": "2.0", "method": "a\0b"}', "RL001"),
        (b'{"params": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "RL001"),
        (b'{"params": ' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}", "RL001"),
        (b"nothing", "RL001"),
        (b"1", "RL003"),
        (b'"text"', "RL003"),
        (b"null", "RL003"),
        (b"[1, [2], []]", None),
    ],
    ids=lambda each: each[:30].decode(errors="replace") if isinstance(each, bytes) else str(each),
)
def test_a_part_that_is_damaged_harms_no_other(form: str, part: bytes, rule: str | None, tmp_path: Path) -> None:
    written = example(form)
    begins = written.data.index(
        b"{", sum(map(len, written.data.split(b"\n")[: written.lines[6] - 1])) + written.lines[6] - 1
    )
    report = reported(written.data[:begins] + part + b",\n" + written.data[begins:], tmp_path)
    reference = reported(written.data, tmp_path)
    (trace,) = report["traces"]
    assert (trace["error"], trace["lost"]) == (None, 0)
    if rule is not None:
        assert [(each["rule"], each["line"]) for each in report["findings"]] == [(rule, written.lines[6])]
        assert report["findings"][0]["party"] == ("agent" if (form, rule) == ("array", "RL003") else "recording")
    assert facts(report) == facts(reference, [each + (each >= written.lines[6]) for each in range(1, 2000)])
    assert timings(report) == timings(reference)


# Frames that are damaged


def framed_with(at: int, piece: bytes, body: bytes | None = None) -> Written:
    """The frames of the conversation with these bytes before one of them, or with this in place of its body."""
    pieces: list[bytes] = []
    for number, each in enumerate(CONVERSATIONS["v2"]):
        text_ = dumps(each.message) if body is None or number != at else body
        pieces += [piece] * (number == at) + [b"Content-Length: %d\r\n\r\n" % len(dumps(each.message)), Said(text_)]
    return laid_out(*pieces)


@pytest.mark.parametrize(
    ("noise", "finding"),
    [
        (b"INFO started\n", RECORDERS),
        (b"INFO started ", RECORDERS),
        (b'{"jsonrpc":"2.0","method":"_x"}\n', RECORDERS),
        (b"Content-Length: -5\r\n", None),
        (b"Content-Length: many\r\n\r\n", None),
        (b"Content-Length: 0\r\n\r\n", None),
        (b"Content-Length: 5\r\n\r\nwords", RECORDERS),
        (b"content-LENGTH:1\n\n1", ("RL003", "warning", "agent")),
        (b"Content-Length: 31\n" + b'{"jsonrpc":"2.0","method":"_x"}', None),
        (b"\r\n\r\n\0\0\r\n", None),
        (b"\xff\xfe\n", RECORDERS),
    ],
)
def test_noise_between_frames(noise: bytes, finding: tuple[str, str, str] | None, tmp_path: Path) -> None:
    written = framed_with(5, noise)
    report = reported(written.data, tmp_path)
    assert [(each["rule"], each["severity"], each["party"]) for each in report["findings"]] == [finding] * bool(finding)
    line = written.lines[4] + (b"\n\n" in noise or b"\r\n\r\nwords" in noise) * 2
    assert {each["line"] for each in report["findings"]} <= {line}
    reference = reported(framed_with(0, b"").data, tmp_path)
    more = noise.count(b"\n")
    assert facts(report) == facts(reference, [each + (each > written.lines[4]) * more for each in range(1, 99)])


@pytest.mark.parametrize("more", [-7, 4, 30])
def test_a_wrong_length_harms_its_neighbours_only(more: int, tmp_path: Path) -> None:
    body = dumps(CONVERSATIONS["v2"][4].message)
    written = framed_with(4, b"", body + b" " * -more if more < 0 else body[:-more])
    report = reported(written.data, tmp_path)
    assert [(each["end"], each["response"]["line"]) for each in report["resumes"]] == [("success", written.lines[-1])]
    assert {each["rule"] for each in report["findings"] if each["severity"] == "error"} <= {"RL001", "RL205"}


@pytest.mark.parametrize("cut", [1, 20, 33, 34, 36, 37, 38, 39, 52, 54, 55])
def test_frames_may_stop_anywhere(cut: int, tmp_path: Path) -> None:
    written = framed_with(0, b"")
    header = written.data.rindex(b"Content-Length")
    assert len(written.data) - header == 58
    report = reported(written.data[:-cut], tmp_path)
    (trace,) = report["traces"]
    line = written.lines[-1] - (0 if cut < 36 else 1 if cut <= 37 else 2)
    assert trace["error"] is None
    assert {each[::2] for each in found(report)} == {("RL105", written.lines[2]), ("RL002", line)}
    assert report["resumes"][0]["end"] == "open"
    assert trace["lines"] == written.data[:-cut].count(b"\n") + (not written.data[:-cut].endswith(b"\n"))


def test_behind_a_length_that_is_far_too_large_the_next_header_counts(tmp_path: Path) -> None:
    written = framed_with(0, b"")
    said = CONVERSATIONS["v2"]
    data = written.data.replace(b"Content-Length: 36", b"Content-Length: 999999999999")
    assert_said(written._replace(data=data), said, Expected("content-length", directions="inferred"), tmp_path)


# Detection


def trace_of(report: Message) -> Message:
    (trace,) = report["traces"]
    return dict(trace)


class Dribble(io.RawIOBase):
    """Standard input that gives a few bytes at a time."""

    def __init__(self, data: bytes, sizes: Iterable[int]) -> None:
        super().__init__()
        self._data = data
        self._sizes = cycle(sizes)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        size = min(next(self._sizes), len(buffer), len(self._data))
        buffer[:size], self._data = self._data[:size], self._data[size:]
        return size


@pytest.mark.parametrize("form", ONE_OF_EACH)
def test_the_same_bytes_give_the_same_answer(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = example(form).data
    reference = reported(data, tmp_path)
    assert dumps(reported(data, tmp_path)) == dumps(reference)
    for sizes in ([1], [7, 1, 4000], [100_000]):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Dribble(data, sizes)))
        report = json.loads(dumps(lint(["-"])))
        assert (facts(report), timings(report)) == (facts(reference), timings(reference))
        assert {**trace_of(report), "path": ""} == {**trace_of(reference), "path": ""}


PING = b'{"jsonrpc":"2.0","method":"_ping"}'
INITIALIZE = b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
ZED = b'{"_direction":"outgoing","_type":"notification","id":null,"method":"_ping","params":null}'
DEVTOOLS = b'{"version":1,"tool":{},"session":{},"messages":['
TCK = b'{"requirements":[{"tests":[{"transcript":['
HOP = b'{"type":"notification","ts":0,"protocol":"acp","from":"Client","to":"Agent","method":"_ping","params":{}}'
LSP = b'{"isLSPMessage":true,"type":"send-notification","message":{"jsonrpc":"2.0","method":"_ping"},"timestamp":1}'


@pytest.mark.parametrize(
    ("data", "name"),
    [
        # A document is known by its beginning, also if most of it is elsewhere.
        (b"[" + ZED + b"]", "zed"),
        (b"\n[\n" + ZED + b",\n" + PING + b"," + PING + b"]", "zed"),
        (DEVTOOLS + b"]}", "acp-devtools"),
        (DEVTOOLS.replace(b":{}", b':{"x":[1,{"messages":[]}]}') + b'{"raw":"{}"}]}', "acp-devtools"),
        (b'{\n"session" : {},\n"tool":\n{},"version":1,\n"messages" :{}}', "acp-devtools"),
        (TCK + b"]}]}]}", "tck-report"),
        (b'{"a":[{}],\n"requirements":[{"id":1,"tests":[{"transcript":null}]}]}', "tck-report"),
        (b"Content-Length: 34\r\n\r\n" + PING, "content-length"),
        (b"starting\n\nContent-Length: 34\n\n" + PING + b"\n" + PING + b"\n" + PING, "content-length"),
        (b"[" + PING + b"]", "array"),
        (b"[\n" + PING + b"\n]", "array"),
        (b"[\n" + PING + b",\n" + PING + b"\n]", "array"),
        (b"[\n\t" + PING + b"\n,\n" + PING + b"\n,{}]", "array"),
        (b'[{"a":1},' + PING + b"]", "array"),
        # What only looks like one of them is not.
        (b"[" + PING + b"]\n" + PING, "raw"),
        (b"[null," + PING + b"]", "raw"),
        (b"[" + PING + b",\n" + PING + b"]", "array"),
        (PING + b"\nContent-Length: 34\n\n" + PING, "raw"),
        (PING + b"\nlog: [" + ZED + b"]\n" + PING, "raw"),
        (b'{"jsonrpc":"2.0","method":"_x","params":{"version":1,"tool":1,"session":1,"messages":[]}}\nx', "raw"),
        (b'x\n{"jsonrpc":"2.0","method":"_x","params":{"requirements":1,"tests":1,"transcript":[]}}', "raw"),
        (b'[{"_direction":"outgoing","jsonrpc":"2.0","method":"_ping"}]', "array"),
        # Of lines, most decide.
        (HOP, "conductor-trace"),
        (HOP + b"\n" + HOP + b"\n" + PING, "conductor-trace"),
        (HOP + b"\n" + PING + b"\n" + PING + b"\n" + PING, "raw"),
        (LSP, "lsp-trace"),
        (LSP + b"\n" + LSP + b"\n" + b'{"ts":1,"dir":"out","msg":' + PING + b"}", "lsp-trace"),
        (b"[Trace] " + LSP + b"\n" + PING, "lsp-trace"),
        (f"C {RIGHT} +1ms ".encode() + PING, "conductor-debug"),
        (f"C {RIGHT} ".encode() + PING, "conductor-debug"),
        (f"{RIGHT} ".encode() + PING, "prefix"),
        (b"2026-11-14 19:57:12,975 [     34]   FINE - AcpTransport - OUT: " + PING, "jetbrains"),
        (b"2026-11-14 19:57:12,975 [34] FINE - OUT: " + PING, "jetbrains"),
        (b"2026-11-14 19:57:12.975 [     34]   FINE - AcpTransport - OUT: " + PING, "prefix"),
        (b"[SEND] " + PING + b"\n[SEND] " + PING + b"\n" + PING, "prefix"),
        (b"[SEND] " + PING + b"\n" + PING + b"\n" + PING, "raw"),
        (b"[SEND] [" + PING + b"," + PING + b"]", "prefix"),
        (b"a log line\n" * 900 + b"12:00:00 " + PING, "prefix"),
        (b'[client] {"id":1,"method":"initialize","params":{}}', "prefix"),
        (b'12:00:00 {"id":1,"result":null}', "prefix"),
        # Whatever stands before a message.
        (b"Received " + PING, "prefix"),
        (b"error: " + PING, "prefix"),
        (b"+" + PING, "prefix"),
        (b"> " + PING, "prefix"),
        (b"trace.log:12:" + PING, "prefix"),
        (b"  12  " + PING, "prefix"),
        (b"[INFO] " + PING, "prefix"),
        (b"span{a=1} main: " + PING, "prefix"),
        (b"x" * 300 + b" [SEND] " + PING, "prefix"),
    ],
)
def test_a_format_is_known_by_its_beginning(data: bytes, name: str, tmp_path: Path) -> None:
    trace = trace_of(reported(data, tmp_path))
    assert (trace["format"], trace["error"]) == (name, None)


@pytest.mark.parametrize(
    "line",
    [
        # Logs that hold JSON, but no messages.
        b'2026-01-01 10:00:00 INFO {"level":"info","message":"started"}',
        b'2026-01-01T10:00:00Z {"method":"GET","path":"/","status":200}',
        b'10:00:00 {"id":1,"result":"ok","duration":3}',
        b'[client] {"error":"none"}',
        b'10:00:00 {"method":"poll"}',
        b'127.0.0.1 - - [01/Jan/2026:10:00:00] "POST /" {"method":"POST","id":1,"bytes":5}',
        b'Params: {"protocolVersion":1}',
        b'10:00:00 [{"id":1},{"id":2}]',
        b"x" * 2000 + b" [SEND] " + PING,
        # JSON in the middle of a text, or in code.
        b"10:00:00 " + PING + b" was sent",
        b"    out: " + PING + b",",
        b'send("' + PING + b'")',
        # Arrays and objects of something else.
        b"[]",
        b"[1,2,3]",
        b'["x"]',
        b"[{}]",
        b'[{"level":"info","message":"x"}]',
        b"[[1]]",
        b'{"messages":[' + PING + b"]}",
        b'{"version":1,"tool":1,"messages":[]}',
        b'{"requirements":[]}',
        b"Content-Length: 34",
    ][:-1],
)
@pytest.mark.parametrize("number", [1, 5])
def test_what_only_resembles_a_recording_is_refused(line: bytes, number: int, tmp_path: Path) -> None:
    if number > 1 and line.startswith((b"[", b"{")):
        line = line.replace(b"\n", b"")
    trace = trace_of(reported(b"\n".join([line] * number), tmp_path))
    assert trace["error"]["code"] == "not-a-recording"


@pytest.mark.parametrize(
    "line",
    [
        b'2026-01-01T10:00:00.000Z [fs] [info] Message from client: {"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        b'10:00:00 SEND: {"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}',
    ],
)
def test_a_log_of_another_protocol_is_named(line: bytes, tmp_path: Path) -> None:
    assert trace_of(reported(line, tmp_path))["error"]["code"] == "another-protocol"


# Hostile


DEEP = [b"[" * 1000 + b"]" * 1000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000]


def replaced(form: str, old: bytes, new: bytes) -> bytes:
    """The conversation in this format, with one piece of it replaced."""
    data = example(form).data
    assert old in data
    return data.replace(old, new, 1)


@pytest.mark.parametrize("deep", DEEP, ids=["1,000 arrays", "100,000 arrays", "100,000 objects"])
@pytest.mark.parametrize("form", ONE_OF_EACH)
def test_nesting_brings_nothing_down(form: str, deep: bytes, tmp_path: Path) -> None:
    said = [*CONVERSATIONS["v2"]]
    data = example(
        form, [*said, said[-1]._replace(message={"jsonrpc": "2.0", "method": "_deep", "params": "DEEP"})]
    ).data
    in_a_text = form in {"tck-report", "tracing"}
    before, quote, after = data.partition(b'\\"DEEP\\"' if in_a_text else b'"DEEP"')
    assert quote
    if in_a_text:
        deep = deep.replace(b'"', b'\\"')
    elif form == "acp-devtools":
        before = before.replace(b'\\"DEEP\\"', b"1")
    if form == "content-length":
        header = before.rindex(b"Content-Length")
        body = before[before.index(b"{", header) :]
        before = before[:header] + b"Content-Length: %d\r\n\r\n" % len(body + deep + after) + body
    began = time.process_time()
    report = reported(before + deep + after, tmp_path)
    assert time.process_time() - began < 10
    assert trace_of(report)["error"] is None
    assert [each["end"] for each in report["resumes"]] == ["success"]
    assert {each["rule"] for each in report["findings"]} <= {"RL001"}


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b'{"requirements":' + DEEP[1] + b',"tests":1,"transcript":1}', None),
        (b'{"requirements":[{"tests":' + DEEP[1] + b',"transcript":1}]}', None),
        (b'{"requirements":[{"tests":[{"transcript":' + DEEP[1] + b"}]}]}", None),
        (b'{"requirements":[{"tests":[{"transcript":{"a":[{}]}}]}]}', None),
        (DEVTOOLS[:-1] + b"{}}", None),
        (DEVTOOLS[:-1] + b'"x"}', None),
        (DEVTOOLS[:-1] + b'null,"messages":[]}', None),
        (DEVTOOLS + b'1,null,"x",[],' + DEEP[1] + b"]}", None),
        (DEVTOOLS[:-1] + DEEP[1] + b"}", None),
        (DEVTOOLS[:-1] + DEEP[2] + b"}", None),
        (DEVTOOLS[:-1] + DEEP[1][:-5], "truncated"),
        (DEVTOOLS[:-1] + b'"' + b"\\" * 1_000_001 + b'"}', "truncated"),
        (DEVTOOLS + b"}", "damaged"),
        (DEVTOOLS + b"]]", "damaged"),
        (DEVTOOLS[:-1] + b":1}", "damaged"),
        (DEVTOOLS[:-1] + b'1 "a"}', "damaged"),
        (DEVTOOLS[:-1] + b'1,"a"}', "damaged"),
        (DEVTOOLS[:-1] + b"1,}", None),  # what else it can be is clear
        (DEVTOOLS[:-1] + b"1,{}:1}", None),
        (b"[" + ZED + b"," + b"1," * 100_000 + b"1]", None),
        (
            b"["
            + ZED
            + b',{"_direction":[],"id":{}},{"_direction":"incoming"},{"_direction":"incoming","id":{"a":[]}}]',
            None,
        ),
        (b"[" + ZED + b',{"_direction":"incoming","id":1,"method":{"a":1},"params":{"code":1,"message":1}}]', None),
        (b"[" + ZED * 2 + b"]", "damaged"),
        (b"[" + ZED, "truncated"),
        (b"[" + ZED + b",", "truncated"),
        (b"[" + ZED + b",]", None),
        (b"[" + ZED + b',"', "truncated"),
        (b"[" + ZED + b',"a\nb"]', "damaged"),
    ],
    ids=lambda each: repr(each)[:60],
)
def test_documents_of_nonsense(data: bytes, code: str | None, tmp_path: Path) -> None:
    trace = trace_of(reported(data, tmp_path))
    assert trace["format"] is not None
    assert (trace["error"] and trace["error"]["code"]) == code


ODD = [b"null", b"[]", b"{}", b'"x"', b"true", b"-1", b"0", b"1e400", b"1" * 30, b"NaN", b'"\\ud800"', b'""', b"[[1]]"]


@pytest.mark.parametrize("odd", ODD, ids=bytes.decode)
@pytest.mark.parametrize(
    ("form", "field"),
    [
        *(("conductor-trace", field) for field in ("type", "ts", "protocol", "from", "to", "id", "method", "is_error")),
        *(("lsp-trace", field) for field in ("isLSPMessage", "type", "message", "timestamp")),
        *(("zed", field) for field in ("_direction", "_type", "id", "method", "params")),
        *(("acp-devtools", field) for field in ("timestamp", "direction", "raw", "payload", "messages", "session")),
        *(("tck-report", field) for field in ("dir", "t", "raw", "transcript", "tests", "nodeid")),
    ],
)
def test_a_field_may_hold_anything(form: str, field: str, odd: bytes, tmp_path: Path) -> None:
    data = example(form).data
    pattern = re.compile(rb'("%b": ?)("(?:[^"\\]|\\.)*"|[\w.+-]+)' % field.encode())
    places = [match.span(2) for match in pattern.finditer(data)]
    for first, last in (places[0], places[len(places) // 2], places[-1]) if places else []:
        report = reported(data[:first] + odd + data[last:], tmp_path)
        assert trace_of(report)["format"] in {form, None, "envelope", "raw", "array"}
    report = reported(pattern.sub(lambda match: match[1] + odd, data), tmp_path)
    assert (trace_of(report)["error"] or {"code": "not-a-recording"})["code"] in {"not-a-recording", "damaged"}


@pytest.mark.parametrize("form", ONE_OF_EACH)
def test_of_repeated_keys_the_last_wins(form: str, tmp_path: Path) -> None:
    data = example(form).data
    if form in {"content-length", "acp-devtools", "tck-report"}:
        return
    again = data.replace(b'"method":', b'"method":"x","method":').replace(b'"id":', b'"id":[77],"id":')
    report, reference = reported(again, tmp_path), reported(data, tmp_path)
    assert (facts(report), timings(report)) == (facts(reference), timings(reference))


@pytest.mark.parametrize("form", ONE_OF_EACH)
def test_large_integers_are_read(form: str, tmp_path: Path) -> None:
    said = CONVERSATIONS["v2"]
    more = Spoken(said[-2].ms, "agent", {"jsonrpc": "2.0", "method": "_x", "params": {"n": 2**70, "m": -(2**64) - 1}})
    report = reported(example(form, [*said[:-1], more, said[-1]]).data, tmp_path)
    assert trace_of(report)["messages"] == 13
    assert report["findings"] == []


# Size


PEAK = """
import gc, re, sys
from replaylint.analysis.lint import lint
gc.disable()
report = lint(sys.argv[1])
with open("/proc/self/status") as status:
    print(re.search("VmHWM:\\s*([0-9]+)", status.read())[1], report.traces[0].format, report.resumes[0].end)
"""


def peak(written: Written, folder: Path, form: str) -> int:
    """Bytes of memory that it takes to lint this."""
    path = folder / "recording"
    path.write_bytes(written.data)
    result = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)], capture_output=True, text=True, check=True, cwd=ROOT
    )
    size, *facts = result.stdout.split()
    assert facts == [form, "success"]
    return int(size) * 1024


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux tells the largest size of a process")
@pytest.mark.parametrize("form", [*DOCUMENTS, "content-length"])
def test_whole_file_formats_take_six_times_the_file(form: str, tmp_path: Path) -> None:
    write = WRITERS[STYLED[form][1] if form in STYLED else ONE_OF_EACH[form]]
    least = peak(write(CONVERSATIONS["v2"]), tmp_path, form)
    for said in (long(20_000, 50), long(8, 2_000_000)):
        written = write(said)
        assert peak(written, tmp_path, form) - least < 6 * len(written.data)


@pytest.mark.parametrize(
    "name", ["zed in one line", "array in one line", "acp-devtools ('raw',) None", "tck-report None"]
)
@pytest.mark.parametrize(("updates", "size"), [(20_000, 100), (1, 5_000_000)])
def test_five_megabytes_in_one_line(name: str, updates: int, size: int, tmp_path: Path) -> None:
    written = WRITERS[name](long(updates, size))
    assert max(map(len, written.data.split(b"\n"))) > 5_000_000
    began = time.process_time()
    report = reported(written.data, tmp_path)
    assert time.process_time() - began < 20
    assert [each["end"] for each in report["resumes"]] == ["success"]
