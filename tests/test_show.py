"""`show`: one line, and what is known about it; nothing in it reaches a terminal as anything but text."""

from __future__ import annotations

import gzip
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps, loads

from replaylint.commands.show import show
from replaylint.render.escape import shortened
from replaylint.render.pretty import (
    CUT_STRING_CHARS,
    MAX_DEPTH,
    MAX_ITEMS,
    MAX_LINES,
    MAX_STRING_CHARS,
    pretty,
)
from tests.profiles import profile
from tests.recordings import Message, Recording
from tests.strategies import json_values, line_of, mutated
from tests.test_render import assert_harmless

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

HOSTILE = "\x1b[31m\r\n::error::x ##[group] \u202e\u2028 \xad\u3164\ufe0f\uffff [bold]"


@pytest.fixture
def recording() -> Recording:
    """RL302 at line 6, RL301 at line 7, a child, a duplicate marker at line 16."""
    made = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    made.message("c", "m2").agent("ask", "session/request_permission", sessionId="s", after=0.02)
    made.update("s", "notice", after=0.02, text="x").child("s", "c").marker("c").marker("s")
    made.result("ask", {"outcome": {"outcome": "cancelled"}}, direction="c2a", after=0.3).idle("s").result(1, {})
    made.client(2, "session/prompt", sessionId="s").marker("s").result(2, {"stopReason": "end_turn"}, after=2)
    return made


def shown(folder: Path, recording: Recording | Iterable[bytes], line: int, capsys: pytest.CaptureFixture[str]) -> str:
    """What is shown of this line, without the message itself."""
    return whole(folder, recording, line, capsys).partition("\n\n")[0]


def whole(
    folder: Path,
    recording: Recording | Iterable[bytes],
    line: int,
    capsys: pytest.CaptureFixture[str],
    context: int = 0,
) -> str:
    """What is shown of this line."""
    lines = recording.lines() if isinstance(recording, Recording) else recording
    path = folder / "t.ndjson"
    path.write_bytes(b"".join(each + b"\n" for each in lines))
    assert show(f"{path}:{line}", context) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out.replace(str(folder), "")


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        (1, ["request initialize 0, client to agent", "connection: 1", "answered: at line 2, after 10.0 ms"]),
        (
            2,
            ["response initialize 0, agent to client", "answers: initialize 0 at line 1, after 10.0 ms, with a result"],
        ),
        (3, ["request session/resume 1,", "session: s", "resume: 1, which this requests", "window: s: replaying"]),
        (4, ["notification session/update agent_message, agent to client", "10.0 ms after its request"]),
        (5, ["session: c", "window: c, child of s announced at line 8: unannounced", "finding: error RL305"]),
        (6, ['request session/request_permission "ask", agent to client', "finding: warning RL302", "line 11, after"]),
        (7, ["update notice", "window: s: replaying (before any marker)", "finding: error RL301"]),
        (9, ["window: c, child of s announced at line 8: replaying (before any marker), then marked"]),
        (10, ["replaying (before any marker), then marked", "the marker of a finding: error RL301"]),
        (11, ["response session/request_permission", "client to agent", "window: s: marked (after the marker)"]),
        (13, ["answers: session/resume 1 at line 3", "window: s: marked (after the marker), then after"]),
        (14, ["request session/prompt 2", "answered: at line 16, after 2.01 s"]),
        (15, ["window: s: after (the request had ended)", "resume: 1 (session/resume 1 at line 3)", "RL202"]),
    ],
)
def test_what_is_known_of_a_line(
    line: int, facts: list[str], recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = shown(tmp_path, recording, line, capsys)
    for fact in facts:
        assert fact in text


def test_a_message_outside_any_resume_names_none(
    recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for line in (1, 14, 16):
        assert "resume:" not in shown(tmp_path, recording, line, capsys)


def test_an_answer_with_an_error_and_a_request_without_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = Recording().initialize_v2().resume("r", "s").error("r", -32602).resume(2, "s").result(9, {})
    assert "with error -32602" in shown(tmp_path, made, 4, capsys)
    assert "answered: never" in shown(tmp_path, made, 5, capsys)
    assert "answers: no request that was pending" in shown(tmp_path, made, 6, capsys)


def test_a_plain_resume_has_no_window(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = Recording().initialize_v2().resume(1, "s", replay=False).idle("s").result(1, {})
    text = shown(tmp_path, made, 4, capsys)
    assert "resume: 1 (session/resume 1 at line 3), 10.0 ms after its request" in text
    assert "window" not in text


def test_of_overlapping_replays_the_one_that_owns_the_message_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Recording().initialize_v2().resume(1, "s").resume(2, "s").message("s", "m").marker("s").message("s", "n")
    assert "resume: 1 " in shown(tmp_path, made, 5, capsys)
    assert "resume: 2 " in shown(tmp_path, made, 7, capsys)


def test_what_came_after_a_new_initialize_belongs_to_the_new_connection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = Recording().initialize_v2().resume(1, "s").client(5, "initialize", protocolVersion=2).resume(2, "s")
    made.result(5, {"protocolVersion": 2}).marker("s").idle("s").result(2, {})
    for line, connection in ((3, 1), (4, 2), (5, 2), (6, 2), (7, 2)):
        assert f"connection: {connection}\n" in shown(tmp_path, made, line, capsys)
    assert "answered: at line 6" in shown(tmp_path, made, 4, capsys)
    assert "answered: at line 9" in shown(tmp_path, made, 5, capsys)
    assert "answered: never" in shown(tmp_path, made, 3, capsys)


def test_a_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message: Message = {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": {"sessionId": "s"}}
    made = Recording().initialize_v2().record("c2a", [message, {**message, "id": 2}]).result(2, {})
    text = shown(tmp_path, made, 3, capsys)
    assert "a batch of 2 messages" in text
    assert text.count("request session/prompt") == 2
    assert text.index("answered: never") < text.index("answered: at line 4")


def test_the_message_is_indented_json(recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = whole(tmp_path, recording, 10, capsys).partition("\n\n")[2]
    assert body == "\n".join(
        [
            "{",
            '  "jsonrpc": "2.0",',
            '  "method": "session/update",',
            '  "params": {',
            '    "sessionId": "s",',
            '    "update": {',
            '      "sessionUpdate": "replay_complete"',
            "    }",
            "  }",
            "}\n",
        ]
    )


# Around it


def test_the_context_is_a_line_each(recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    block = whole(tmp_path, recording, 10, capsys, 2).split("\n\n")[1].splitlines()
    assert [line.split()[:3] for line in block[:2]] == [["8", "-20.0", "ms"], ["9", "-10.0", "ms"]]
    assert re.split(r" {2,}", block[2]) == ["> 10", "0 ms", "agent", "notification session/update replay_complete", "s"]
    assert re.split(r" {2,}", block[3]) == [
        *("", "11", "+300 ms", "client", 'response session/request_permission "ask"', "s"),
    ]
    assert len(block) == 5


@pytest.mark.parametrize(("line", "count"), [(1, 4), (16, 4), (8, 7)])
def test_the_context_ends_where_the_recording_does(
    line: int, count: int, recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(whole(tmp_path, recording, line, capsys, 3).split("\n\n")[1].splitlines()) == count


def test_the_context_of_a_line_without_a_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = Recording().initialize_v2().lines()
    text = whole(tmp_path, [lines[0], b"", lines[1]], 2, capsys, 1)
    assert text.startswith("/t.ndjson:2: a blank line\n\n  1")
    assert "\n> 2\n" in text


# What is no message


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"", "a blank line"),
        (b" \0\t", "a blank line"),
        (b'{"dir":"meta","event":"start","conn":1}', "no message: the recorder says that a connection begins"),
        (b'{"dir":"meta","event":"exit"}', "no message: the recorder says that the agent, or its output, ended"),
        (
            b'{"dir":"meta","event":"eof","side":"client"}',
            "no message: the recorder says that the client closed its end",
        ),
        (b'{"dir":"meta","event":"dropped","count":3}', "no message: the recorder says that it dropped 3 messages"),
        (b'{"ts":1764400000.5,"dir":"stderr","text":"x"}', "no message: a record of something else"),
        (b"npm warn", "no message: no JSON"),
        (b'{"ts":1764400000.5,"dir":"a2c","text":"npm warn"}', "no message: no JSON, though a side wrote it"),
        (b'{"ts":1764400000.5,"dir":"a2c","msg":{"a":1}}', "JSON, but no JSON-RPC message, agent to client"),
    ],
)
def test_a_line_without_a_message_is_shown_as_what_it_is(
    line: bytes, what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = whole(tmp_path, [*Recording().initialize_v2().lines(), line], 3, capsys)
    assert text.startswith(f"/t.ndjson:3: {what}\n")


# Formats


def test_raw_recordings_have_no_times_and_inferred_sides(
    recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [dumps(each["msg"]) for each in recording.records]
    text = shown(tmp_path, lines, 13, capsys)
    assert text.startswith("/t.ndjson:13: response session/resume 1, agent to client (inferred)\n")
    assert "time:" not in text
    assert " ms" not in text
    assert "client to agent (inferred)" in shown(tmp_path, lines, 11, capsys)


def test_inline_recordings(recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [dumps({"ts": each["ts"], "dir": each["dir"], **each["msg"]}) for each in recording.records]
    assert "window: s: replaying" in shown(tmp_path, lines, 7, capsys)


def test_words_that_mean_the_other_way_round_are_turned(
    recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"c2a": "in", "a2c": "out"}
    lines = [dumps({**each, "dir": words[each["dir"]]}) for each in recording.records]
    assert "session/resume 1, client to agent" in shown(tmp_path, lines, 3, capsys)


def test_compressed_recordings(recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"\n".join(recording.lines())))
    assert show(f"{path}:7") == 0
    assert "window: s: replaying" in capsys.readouterr().out


def test_a_path_may_hold_colons(recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a:3"
    path.write_bytes(b"\n".join(recording.lines()))
    assert show(f"{path}:7") == 0
    assert "RL301" in capsys.readouterr().out


# Errors


@pytest.mark.parametrize("name", ["t.ndjson", "t.ndjson:", ":3", "t.ndjson:x", "t.ndjson:-1", "t.ndjson:٣", "t:1" * 99])
def test_a_line_has_to_be_named(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(name) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(r"replaylint: [^\n]+\n", captured.err)


@pytest.mark.parametrize("line", ["0", "17", "999999999999999999"])
def test_a_line_that_is_not_there(
    line: str, recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.ndjson"
    path.write_bytes(b"\n".join(recording.lines()))
    assert show(f"{path}:{line}") == 2
    assert capsys.readouterr() == ("", f"replaylint: {path}: has 16 lines; there is no line {int(line)}\n")


def test_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(f"{tmp_path}/absent:3") == 2
    assert capsys.readouterr() == ("", f"replaylint: {tmp_path}/absent: no such file\n")


def test_a_recording_that_is_cut_shows_what_was_read(
    recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"\n".join(recording.lines()))[:-12])
    assert show(f"{path}:7") == 2
    captured = capsys.readouterr()
    assert "notice" in captured.out
    assert "ends too early" in captured.err


# Hostile text


def test_nothing_is_interpreted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = Recording().initialize_v2().client(HOSTILE, HOSTILE, sessionId=HOSTILE, more={HOSTILE: [HOSTILE]})
    made.update(HOSTILE, HOSTILE).error(HOSTILE, -1)
    for line in range(1, 6):
        assert_harmless(whole(tmp_path, made, line, capsys, 5))
    for each in (HOSTILE, HOSTILE * 1000, ":", "::", "##["):
        assert_harmless(whole(tmp_path, [*made.lines(), each.encode()], 6, capsys))
        assert_harmless(shortened(each))


@profile(100)
@given(json_values())
def test_no_value_is_interpreted(value: object) -> None:
    try:
        text = "\n".join(pretty(loads(line_of(value))))
    except ValueError:  # no JSON that is ever parsed
        return
    assert_harmless(text)
    assert len(text.splitlines()) <= MAX_LINES + 2 * (MAX_DEPTH + 1)


@profile(60)
@given(lines=mutated(), at=st.integers(1, 30))
def test_every_line_can_be_shown(
    lines: list[bytes], at: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.ndjson"
    path.write_bytes(b"".join(each + b"\n" for each in lines))
    status = show(f"{path}:{at}", 3)
    captured = capsys.readouterr()
    assert_harmless(captured.out)
    assert status == 0 or captured.err


# Long and large


def test_an_id_beyond_64_bits_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.replace(b'"ID"', b"%d" % (2**64 + 1)) for line in Recording().resume("ID", "s").lines()]
    text = whole(tmp_path, lines, 1, capsys)
    assert '  "id": 18446744073709551617,\n' in text
    assert "request session/resume 18446744073709551617" in text


def test_long_strings_are_cut_and_their_length_is_told() -> None:
    assert list(pretty("x" * MAX_STRING_CHARS)) == ['"' + "x" * MAX_STRING_CHARS + '"']
    assert list(pretty(["x" * 5000, 1])) == ["[", f'  "{"x" * CUT_STRING_CHARS}...", (5000 characters)', "  1", "]"]


def test_what_is_deep_is_left_out_with_its_count() -> None:
    value: object = [1, 2, 3]
    for _ in range(900):
        value = {"a": value}
    lines = list(pretty(value))
    assert lines[MAX_DEPTH] == "  " * MAX_DEPTH + '"a": {... 1 member}'
    assert len(lines) == 2 * MAX_DEPTH + 1


def test_what_is_large_is_left_out_with_its_count() -> None:
    lines = list(pretty(list(range(1000))))
    assert len(lines) == MAX_ITEMS + 3
    assert lines[-2:] == [f"  ... {1000 - MAX_ITEMS} more", "]"]
    wide = [[[list(range(50))] * 50] * 50] * 50
    assert len(list(pretty(wide))) < MAX_LINES + 20


def test_the_shared_recordings_can_be_shown(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in sorted((shared / "corpus").glob("*.ndjson")):
        lines = path.read_bytes().count(b"\n")
        assert show(f"{path}:{lines}", 2) == 0
    assert_harmless(capsys.readouterr().out)


def test_a_notification_after_the_request_has_ended(
    recording: Recording, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    note = {"jsonrpc": "2.0", "method": "_x/note", "params": {"sessionId": "c"}}
    made = shown(tmp_path, recording.record("a2c", note), len(recording.records), capsys)
    assert "  resume: 1 (session/resume 1 at line 3)" in made
    assert "  window: c, child of s announced at line 8: after (the request had ended)" in made
