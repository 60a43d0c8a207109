"""`import replaylint`: linting files and messages from a program gives what the command line gives."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps

import replaylint
from replaylint import Linter, lint
from replaylint.errors import UnknownNameError
from replaylint.policies.options import LinterOptions, Options
from replaylint.protocol import direction
from replaylint.recording.detect import recognise
from replaylint.recording.directions import flip
from replaylint.recording.message import (
    AGENT,
    ClockStep,
    Ended,
    Header,
    HungUp,
    Label,
    Lost,
    NoMessage,
    Skipped,
    Unreadable,
)
from replaylint.recording.source import Source
from replaylint.render import FORMATS
from replaylint.testing import assert_replay
from tests.conftest import ROOT
from tests.profiles import profile
from tests.recordings import Recording, report_of_file
from tests.strategies import json_values
from tests.test_properties import rendered
from tests.test_schema import check

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from replaylint import Report
    from replaylint.recording.message import Message as Read
    from replaylint.recording.message import Side
    from tests.recordings import Message

HERE = sorted((ROOT / "tests" / "rules").glob("*/*.ndjson"))
SHARED = ROOT.parent / "shared"
CORPUS = sorted(path for path in (SHARED / "corpus").glob("*") if path.suffix in {".ndjson", ".jsonl"})


def as_json(report: Report) -> Message:
    """The report as its JSON has it; it fits the schema and every format can show it."""
    for name in FORMATS:
        rendered(report, name)
    found: Message = json.loads(dumps(report))
    check(found)
    return found


# Feeding


def messages_of(path: Path) -> list[Read]:
    """What is in a recording, as its format yields it."""
    with Source(str(path)) as source:
        recording = recognise(source)
        messages = recording.messages
        if recording.relative:
            messages, _ = direction.decide(messages, lambda: flip(recording.sides))
        return list(messages)


def why_not_fed(path: Path) -> str | None:
    """What this recording has that cannot be fed: a program feeds what a side sent, on one connection, by one clock."""
    if path.parent.name == "RL408":
        return "a limit for messages as they stand in the file"
    messages = messages_of(path)
    with Source(str(path)) as source:
        two_clocks = recognise(source).clock.anchor is not None
    said = [
        at for at, (_, _, _, body, _) in enumerate(messages) if isinstance(body, dict | list | Unreadable | NoMessage)
    ]
    for at, (_, _, side, body, _) in enumerate(messages):
        if isinstance(body, Unreadable | NoMessage) and not body.wire:
            return "a line of the recorder's own that holds no record: nobody sent it"
        if isinstance(body, Skipped):
            return "a line that is not read"
        if isinstance(body, Lost):
            return "a recorder's note that messages were lost"
        if isinstance(body, HungUp):
            return "a recorder's note that the client hung up"
        if isinstance(body, Label | Header) and at > said[0]:
            return "a recorder's note of another connection"
        if isinstance(body, ClockStep) and two_clocks:
            return "a clock that goes back, with another one beside it that does not"
        if isinstance(body, Ended) and at < said[-1]:
            return "a recorder's note of the connection's end that is not at its end"
        if at in said and side is None:
            return "something of a side that it does not say"
    return None


def fed(messages: list[Read], form: Callable[[object], Any], **options: Any) -> Report:
    """The report of the same messages on the same lines: one without a message is fed as a blank."""
    linter = Linter(**options)
    closed, lines = False, 0
    for line, time, side, body, _ in messages:
        closed |= isinstance(body, Ended)
        if isinstance(body, ClockStep | Ended | Label | Header):
            continue
        for _ in range(lines + 1, line):
            linter.feed("client", b"\n")
        lines = line
        assert side is not None
        linter.feed(side, spoken(body, form), None if time != time else time)  # noqa: PLR0124  (NaN)
    return linter.finish(closed=closed)


def spoken(body: object, form: Callable[[object], Any]) -> Any:
    """What this is on the wire."""
    if isinstance(body, Unreadable):
        return body.text
    # Which JSON it is that is no message, the recording's format does not tell; nothing depends on it.
    return "0" if isinstance(body, NoMessage) else form(body)


def substance(report: Message) -> tuple[Any, ...]:
    """What a report says, but for the trace's own facts, its clock's among them, and the sizes of messages."""
    resumes, findings = report["resumes"], report["findings"]
    for each in (*resumes, *findings):
        each["trace"] = ""
    # A recorder's own note may be the last sign of time.
    for finding in findings:
        if finding["rule"] == "RL105":
            for field in ("message", "headline"):
                finding[field] = re.sub(r" after [0-9.]+ m?s,?", "", finding[field])
    for resume in resumes:
        resume["unanswered_s"] = None
        for session in resume["sessions"]:
            session["updates"]["bytes"] = 0
    report["summary"]["resolution_s"] = None
    if report["summary"]["worst"] is not None:
        report["summary"]["worst"]["trace"] = ""
    connections = [connection for trace in report["traces"] for connection in trace["connections"]]
    return resumes, findings, connections, report["summary"]


FORMS: dict[str, Callable[[object], object]] = {
    "parsed": lambda body: body,
    "bytes": dumps,
    "line": lambda body: bytearray(dumps(body) + b"\n"),
    "text": json.dumps,
}


NOT_FED = {path: why_not_fed(path) for path in (*HERE, *CORPUS)}
FED = [path for path, why in NOT_FED.items() if why is None]


@pytest.mark.parametrize("path", FED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_feeding_is_reading(path: Path) -> None:
    messages, expected = messages_of(path), substance(report_of_file(path))
    for form in FORMS.values():
        assert substance(json.loads(dumps(fed(messages, form)))) == expected


@pytest.mark.parametrize("path", FED, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_is_fed_is_as_declared(path: Path) -> None:
    as_json(fed(messages_of(path), FORMS["parsed"]))


def test_nearly_all_recordings_can_be_fed() -> None:
    assert len(FED) > 0.9 * len((*HERE, *CORPUS))


def test_what_is_expected_of_a_file_is_expected_of_messages() -> None:
    path = ROOT / "tests" / "rules" / "RL406" / "fires.ndjson"
    options = {"expect": ["complete"], "select": "RL4"}
    report = as_json(fed(messages_of(path), FORMS["parsed"], **options))
    assert [(each["rule"], each["line"]) for each in report["findings"]] == [("RL406", 6)]
    assert report["findings"] != as_json(lint(path, expect="complete", select=["RL4"]))["findings"]
    assert substance(report) == substance(as_json(lint(path, expect="complete", select=["RL4"])))


def test_a_trace_of_messages() -> None:
    linter = Linter(name="suite \ud800")
    linter.feed("client", {"id": 1, "method": "initialize"}, 1764400000)
    linter.feed("agent", b"\n", 1764400000.5)
    linter.feed("agent", b"no JSON\n")
    (trace,) = as_json(linter.finish())["traces"]
    assert (trace["path"], trace["format"], trace["error"]) == ("suite \\ud800", "fed", None)
    assert (trace["lines"], trace["messages"], trace["bytes"]) == (3, 1, len('{"id":1,"method":"initialize"}') + 1 + 8)
    assert (trace["timestamps"], trace["directions"], trace["order"]) == ("wall", "recorded", "exact")


@pytest.mark.parametrize(
    ("fed", "findings"),
    [
        ([("agent", b"no JSON\n")], [("RL001", "error", "agent", 3)]),
        ([("client", "no JSON")], [("RL001", "error", "client", 3)]),
        ([("agent", b'{"jsonrpc"')], [("RL002", "warning", "recording", 3)]),
        ([("agent", b'{"jsonrpc"\n')], [("RL001", "error", "agent", 3)]),
        (
            [("agent", '{"jsonrpc"'), ("agent", {"jsonrpc": "2.0", "method": "_x"})],
            [("RL001", "error", "agent", 3)],
        ),
        (
            [("agent", '{"jsonrpc"'), ("client", {"jsonrpc": "2.0", "method": "_x"})],
            [("RL002", "warning", "recording", 3)],
        ),
        ([("client", "7"), ("agent", {})], [("RL003", "warning", "client", 3), ("RL003", "warning", "agent", 4)]),
        ([("agent", [])], [("RL107", "warning", "agent", 3)]),
        ([("agent", b"\n"), ("client", "\0")], []),
    ],
    ids=str,
)
def test_what_is_no_message_is_a_finding(
    fed: list[tuple[Side, Any]], findings: list[tuple[str, str, str, int]]
) -> None:
    linter = Linter()
    for record in Recording().initialize_v2().records:
        linter.feed("client" if record["dir"] == "c2a" else "agent", record["msg"])
    for side, message in fed:
        linter.feed(side, message)
    found = [(each.rule, each.severity, each.party, each.line) for each in linter.finish().findings]
    assert found == [("RL005", "info", "recording", 1), *findings]


@pytest.mark.parametrize(
    ("times", "kind"),
    [([None, None], "none"), ([None, 5.25], "relative"), ([0, 1764400000.0], "relative"), ([1e9], "wall")],
)
def test_the_clock(times: list[float | None], kind: str) -> None:
    linter = Linter()
    for time in times:
        linter.feed("client", {}, time)
    (trace,) = as_json(linter.finish())["traces"]
    assert (trace["timestamps"], trace["resolution_s"]) == (kind, None)


def replay(times: Sequence[float | None], **options: Any) -> Report:
    """A complete replay, its messages at these times: handshake, request, message, marker, state, response."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s").result(1, {})
    linter = Linter(**options)
    for record, time in zip(recording.records, times, strict=True):
        linter.feed("client" if record["dir"] == "c2a" else "agent", record["msg"], time)
    return linter.finish(closed=True)


@pytest.mark.parametrize(
    ("times", "replay_s", "gap_s"),
    [
        ([0, 0, 1, 2, 3, 4, 6], 2.0, 3.0),
        ([0, 0, 1, 2, 3, 4, 3.999], 2.0, 0.999),
        ([0, 0, 1, 2, 3, 2.9985, 6], 2.0, 3.0),
        ([0, 0, 1, 2, 3, 2.997, 6], 2.0, None),
        ([0, 0, 1, 0.5, 3, 4, 6], None, 3.0),
        ([5, 4, 1, 2, 3, 4, 6], 2.0, 3.0),
        ([0, 0, 1, 2, 3, None, 2.9985], 2.0, 0.0),
        ([0, 0, 1, 2, 3, None, 2], 2.0, None),
        ([0, 0, 1, None, 3, None, 6], 2.0, 3.0),
        ([None] * 7, None, None),
    ],
)
def test_a_clock_that_goes_back_voids_the_figures_that_span_it(
    times: list[float | None], replay_s: float | None, gap_s: float | None
) -> None:
    ((session,),) = [resume.sessions for resume in replay(times).resumes]
    assert (session.timing.replay_s, session.timing.response_gap_s) == (replay_s, gap_s)


def test_a_message_is_not_kept() -> None:
    message: Message = {"jsonrpc": "2.0", "id": ["a"], "method": "session/load", "params": {"sessionId": "s"}}
    linter = Linter()
    linter.feed("client", message)
    message["id"].append("b")
    message["params"].clear()
    (resume,) = linter.finish().resumes
    assert (resume.request_id, resume.session_id) == (["a"], "s")


def test_a_side_is_told_by_its_value() -> None:
    linter = Linter()
    linter.feed(
        cast("Side", "".join(["cli", "ent"])), {"id": 1, "method": "session/load", "params": {"sessionId": "s"}}
    )
    assert len(linter.finish().resumes) == 1


# What a peer may send


def nested(depth: int) -> object:
    value: object = "deep"
    for _ in range(depth):
        value = [value]
    return value


def named(value: object) -> str:
    """A name for a test that is the same in every process."""
    return re.sub(" at 0x[0-9a-f]+", "", ascii(value))[:40]


HOSTILE: list[object] = [
    *({}, [], [[]], [None, 1, "x", {}], {"a": 2**70}, {"id": float("nan")}, {"id": float("inf")}, {"id": "\ud800"}),
    *({"method": "\ud800"}, {1: {2: 3}}, {"method": 1, "id": {}}, {"method": "session/update", "params": []}),
    *("", "\0", "null", "7", '"text"', "\ud800", "{", "\x1b[31m", "[" * 5000, "::error::"),
    *(b"", b"\xff\xfe", b"\xef\xbb\xbf{}", b"{}\n{}\n", bytearray(b"1e999"), memoryview(b"{}")),
]


@pytest.mark.parametrize("side", ["client", "agent"])
@pytest.mark.parametrize("message", HOSTILE, ids=named)
def test_a_hostile_message_does_no_harm(message: Any, side: Side) -> None:
    linter = Linter()
    linter.feed(side, message)
    report = as_json(linter.finish(closed=True))
    assert report["traces"][0]["lines"] == 1


@pytest.mark.parametrize("key", ["id", "params", "result", "method"])
@pytest.mark.parametrize("depth", [100, 250, 500, 2000, 100_000])
def test_a_message_may_be_nested_deeply(depth: int, key: str) -> None:
    linter = Linter()
    linter.feed("client", {"jsonrpc": "2.0", "id": 1, "method": "session/load", key: nested(depth)})
    assert linter.finish().traces[0].lines == 1


@given(messages=st.lists(st.tuples(st.sampled_from(["client", "agent"]), json_values())))
@profile(200)
def test_no_json_does_harm(messages: list[tuple[Side, Any]]) -> None:
    linter = Linter()
    for side, message in messages:
        linter.feed(side, message if isinstance(message, dict | list) else json.dumps(message))
    as_json(linter.finish(closed=True))


# Wrong arguments


@pytest.mark.parametrize("side", ["Client", ""])
def test_a_side_is_client_or_agent(side: Any) -> None:
    with pytest.raises(ValueError, match="side has to be 'client' or 'agent', not "):
        Linter().feed(side, {})


@pytest.mark.parametrize("side", [None, 1, ["client"], b"client"], ids=repr)
def test_a_side_is_a_text(side: Any) -> None:
    with pytest.raises(TypeError, match="side has to be a str, not "):
        Linter().feed(side, {})


@pytest.mark.parametrize("message", [None, 1, object(), ("a",), {"a"}, Path("x")], ids=named)
def test_a_message_is_json_or_its_text(message: Any) -> None:
    with pytest.raises(TypeError, match="message has to be a dict, a list, bytes or a str, not "):
        Linter().feed(AGENT, message)


@pytest.mark.parametrize("message", [{"a": b"x"}, {"a": {1}}, {(1,): 2}, [object()]], ids=named)
def test_a_message_holds_nothing_but_json(message: Any) -> None:
    with pytest.raises(TypeError, match="message is not JSON: "):
        Linter().feed(AGENT, message)


@pytest.mark.parametrize("time", ["1", True, [1], 1j], ids=repr)
def test_a_time_is_a_number(time: Any) -> None:
    with pytest.raises(TypeError, match="time has to be seconds as a float, or None, not "):
        Linter().feed(AGENT, {}, time)


@pytest.mark.parametrize("time", [float("nan"), float("inf"), -float("inf"), 10**400], ids=lambda time: f"{time}"[:5])
def test_a_time_is_finite(time: float) -> None:
    with pytest.raises(ValueError, match="time has to be a finite number of seconds, or None, not "):
        Linter().feed(AGENT, {}, time)


def test_what_was_refused_was_not_fed() -> None:
    linter = Linter()
    refused: list[tuple[Any, Any, Any]] = [("nobody", {}, 1.0), ("agent", None, 1.0), ("agent", {}, "now")]
    for side, message, time in refused:
        with pytest.raises((TypeError, ValueError)):
            linter.feed(side, message, time)
    (trace,) = linter.finish().traces
    assert (trace.lines, trace.bytes, trace.timestamps) == (0, 0, "none")


def test_what_is_finished_takes_nothing_more() -> None:
    linter = Linter()
    linter.finish()
    with pytest.raises(ValueError, match="this linter has finished"):
        linter.feed("client", {})
    with pytest.raises(ValueError, match="this linter has finished"):
        linter.finish()


@pytest.mark.parametrize("option", ["select", "ignore", "expect"])
def test_names_are_checked_at_once(option: str) -> None:
    wrong: dict[str, Any] = {option: ["complete,truncate"] if option == "expect" else "RL301,live-before-markers"}
    meant = "truncated" if option == "expect" else "live-before-marker"
    for call in (lambda: Linter(**wrong), lambda: lint("absent", **wrong)):
        with pytest.raises(UnknownNameError, match=f"there is no .*; did you mean {meant}\\?"):
            call()
    for value in (7, [7], b"RL301"):
        for call in (lambda value=value: Linter(**{option: value}), lambda value=value: lint("x", **{option: value})):
            with pytest.raises(TypeError):
                call()


def test_a_name_is_text() -> None:
    with pytest.raises(TypeError, match="name has to be a str, not int"):
        Linter(name=cast("str", 1))


# Files


SAMPLE = ROOT / "sample_traces" / "live-before-marker.ndjson"


def test_a_recording_or_several() -> None:
    expected = as_json(lint([str(SAMPLE)]))
    assert [each["rule"] for each in expected["findings"]] == ["RL301"]
    for paths in (str(SAMPLE), SAMPLE, (SAMPLE,), iter([SAMPLE])):
        assert as_json(lint(paths)) == expected


def test_what_is_named_twice_is_linted_once(tmp_path: Path) -> None:
    expected = as_json(lint(SAMPLE))
    assert as_json(lint([SAMPLE, str(SAMPLE), f"{SAMPLE.parent}/./{SAMPLE.name}"])) == expected
    for name in ("one", "two"):
        copy(SAMPLE, tmp_path / name)
    whole = as_json(lint(tmp_path))
    assert len(whole["traces"]) == 2
    assert as_json(lint([tmp_path, tmp_path / "two", tmp_path])) == whole
    assert [each["path"][-3:] for each in as_json(lint([tmp_path / "two", tmp_path]))["traces"]] == ["two", "one"]


def test_no_recording() -> None:
    report = lint([])
    assert (report.traces, report.resumes, report.findings) == ([], [], [])


@pytest.mark.parametrize("paths", [None, 1, [1], [None]], ids=repr)
def test_a_path_is_a_path(paths: Any) -> None:
    with pytest.raises(TypeError):
        lint(paths)


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ({}, ["RL301"]),
        ({"select": "RL2"}, []),
        ({"select": []}, []),
        ({"select": ["RL2", "live-before-marker"]}, ["RL301"]),
        ({"select": "RL2, live-before-marker"}, ["RL301"]),
        ({"ignore": "RL301"}, []),
        ({"ignore": []}, ["RL301"]),
        ({"select": "RL3", "ignore": ("RL2", "RL30")}, []),
        ({"expect": "truncated"}, ["RL301", "RL406"]),
        ({"expect": "truncated", "ignore": "RL3"}, ["RL406"]),
        ({"expect": ["complete"]}, ["RL301"]),
    ],
)
def test_what_is_reported(options: dict[str, Any], rules: list[str]) -> None:
    report = lint(SAMPLE, **options)
    assert [finding.rule for finding in report.findings] == rules
    assert report.summary.findings["error"] == len(rules)


def test_what_the_end_of_a_recording_means(tmp_path: Path) -> None:
    path = tmp_path / "cut.ndjson"
    path.write_bytes(b"\n".join(Recording().initialize_v2().resume(1, "s").message("s", "m1").lines()))
    for closed, outcome in ((False, "inconclusive"), (True, "truncated")):
        ((session,),) = [resume.sessions for resume in lint(path, closed=closed).resumes]
        assert session.outcome == outcome


def test_an_input_that_cannot_be_read_is_a_trace(tmp_path: Path) -> None:
    report = lint([tmp_path / "absent", SAMPLE, tmp_path])
    check(as_json(report))
    assert [trace.error and trace.error.code for trace in report.traces] == ["not-found", None, "directory"]
    assert len(report.resumes) == 1


def test_a_line_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    path = tmp_path / "noise.ndjson"
    path.write_bytes(b"noise\n" + SAMPLE.read_bytes())
    report = lint(path, select="RL001")
    assert [(each.severity, each.party, each.line, each.count) for each in report.findings] == [
        ("warning", "recording", 1, 1)
    ]


# The package


def python(script: str) -> str:
    """What this script prints, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT, timeout=60
    ).stdout


def test_importing_it_imports_nothing() -> None:
    loaded = python(
        "import sys; before = {*sys.modules}; import replaylint; replaylint.__version__, dir(replaylint)\n"
        "print(*sorted({*sys.modules} - before))"
    ).split()
    assert [name for name in loaded if name.startswith("replaylint")] == ["replaylint", "replaylint.version"]
    assert not {"orjson", "typer", "rich", "dataclasses", "json"} & {*loaded}


def test_the_library_needs_no_command_line() -> None:
    script = "import sys; from replaylint import *; lint([]); Linter().finish(); print(*sys.modules)"
    assert not {"typer", "rich", "pytest", "replaylint.cli"} & {*python(script).split()}
    assert not {"typer", "rich", "pytest"} & {*python("import sys, replaylint.testing; print(*sys.modules)").split()}


def test_the_command_line_imports_no_more_than_it_needs() -> None:
    script = (
        "import sys; sys.argv[1:] = ['-q', 'sample_traces/complete.ndjson']; from replaylint.cli import main; main()\n"
        "print(*sys.modules)"
    )
    late = (
        "analysis.parse",
        "commands.settings",
        "commands.export",
        "commands.baseline",
        "views.timeline",
        "views.quotes",
    )
    unwanted = {f"replaylint.{each}" for each in ("analysis.linter", "policies.expectations", "testing", *late)}
    assert not (unwanted | {"fractions", "tempfile", "tomllib"}) & {*python(script).split()}


def test_every_name_is_there() -> None:
    assert replaylint.__all__ == sorted(replaylint.__all__)
    for name in replaylint.__all__:
        assert getattr(replaylint, name) is not None
        assert name in dir(replaylint)
    with pytest.raises(AttributeError, match="module 'replaylint' has no attribute 'Lintr'"):
        replaylint.Lintr  # type: ignore[attr-defined]  # noqa: B018


def test_a_report_is_plain_data() -> None:
    [resume] = lint("sample_traces/complete.ndjson").resumes
    assert resume == lint("sample_traces/complete.ndjson").resumes[0]
    assert resume != lint("sample_traces/truncated-closed.ndjson").resumes[0]
    assert repr(resume.request) == f"Moment(line={resume.request.line}, time={resume.request.time})"
    match resume.sessions[0]:
        case replaylint.Session(outcome="complete", timing=replaylint.Timing(replay_end="marker")):
            pass
        case session:
            pytest.fail(f"{session} is another")


# Types


KINDS: dict[str, object] = {
    "int": 7,
    "float": 1.5,
    "true": True,
    "false": False,
    "bytes": b"RL2",
    "object": object(),
    "ints": [7],
    "nones": [None],
    "dict": {1: 2},
    "path": Path("x"),
    "str": "complete",
}
ACCEPTED: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("select", "ignore", "severity", "expect", "budget", "input_format", "group_by"), frozenset({"str"})
    ),
    **dict.fromkeys(("max_gap", "max_replay", "max_total"), frozenset({"str", "int", "float"})),
    **dict.fromkeys(("max_message", "max_line"), frozenset({"str", "int"})),
    **dict.fromkeys(("client_file", "agent_file", "baseline"), frozenset({"str", "path", "bytes"})),
    **dict.fromkeys(("concat", "pass_over", "closed"), frozenset({"true", "false"})),
    "today": frozenset({"str"}),
    "exceptions": frozenset(),
    "watch": frozenset(),
    "sink": frozenset(),
}
"""The kinds that an option takes."""


def test_there_are_types_for_every_option() -> None:
    assert ACCEPTED.keys() == {"closed", "watch", "sink", *Options.__annotations__}


@pytest.mark.parametrize("option", ACCEPTED)
def test_another_type_is_a_type_error(option: str) -> None:
    for kind in KINDS.keys() - ACCEPTED[option]:
        wrong: dict[str, Any] = {option: KINDS[kind]}
        with pytest.raises(TypeError):
            lint([], **wrong)
        if option in LinterOptions.__annotations__:
            with pytest.raises(TypeError):
                Linter(**wrong)


def test_the_error_names_option_and_types() -> None:
    with pytest.raises(TypeError, match=r"^max_line cannot be a float: it has to be a str or an int$"):
        lint([], max_line=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^concat cannot be a str: it has to be a bool$"):
        lint([], concat="no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^agent_file cannot be a int: it has to be a str or a path$"):
        lint([], agent_file=7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "table", [{"name": 3}, {"ignore": 3}, {"ignore": [3]}, {"reason": None}, {"until": 3}], ids=str
)
def test_the_values_of_an_exception_have_types(table: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=next(iter(table))):
        lint([], exceptions=[{"name": "a", "ignore": "RL2", "reason": "r", **table}])


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"true", "false"}))
def test_what_says_that_it_is_closed_is_a_bool(kind: str) -> None:
    with pytest.raises(TypeError, match="closed has to be a bool"):
        Linter().finish(closed=cast("bool", KINDS[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_assertions_have_types(kind: str) -> None:
    report = Linter().finish()
    for name, accepted in (("fail_on", {"str"}), ("party", {"str"}), ("max_gap_s", {"int", "float"})):
        if kind not in accepted:
            wrong: dict[str, Any] = {name: KINDS[kind]}
            with pytest.raises(TypeError, match=name):
                assert_replay(report, **wrong)
    with pytest.raises(TypeError, match="report has to be a Report"):
        assert_replay(cast("Report", KINDS[kind]))
