"""Connections: where one ends and the next begins, its version and names, and which sessions are active on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from orjson import dumps

from replaylint.protocol.connection import Connection, Skips
from replaylint.protocol.exchange import Request
from replaylint.recording.clock import Steps
from replaylint.recording.message import CLIENT, NO_TIME
from tests.recordings import Message, Recording, found, report_of

if TYPE_CHECKING:
    from pathlib import Path


def connections(report: Message) -> list[Message]:
    """The connections of the only recording."""
    (trace,) = report["traces"]
    return list(trace["connections"])


def states(report: Message) -> list[tuple[int, int | None, bool, str]]:
    """Number, version, partial and end of each connection."""
    names = ("connection", "protocol_version", "partial", "ended")
    return [tuple(each[name] for name in names) for each in connections(report)]


def resumes(report: Message) -> list[tuple[int, object, str, str]]:
    """Connection, request id, end and first outcome of each resume."""
    return [
        (each["connection"], each["request_id"], each["end"], each["sessions"][0]["outcome"])
        for each in report["resumes"]
    ]


def was_active(report: Message) -> list[bool | None]:
    """Whether the session was active before each resume."""
    return [each["sessions"][0]["was_active"] for each in report["resumes"]]


# What is remembered


def test_a_session_that_is_used_is_no_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 20
    monkeypatch.setattr("replaylint.protocol.connection.SESSIONS_REMEMBERED", most)
    connection = Connection(1, {}, Steps(), Skips())
    for line in range(1, 3 * most):
        connection.session(f"other {line}")
        connection.requested(Request(CLIENT, line, "session/prompt", {"sessionId": "used"}, line, NO_TIME))
    assert connection.sessions["used"].prompts == 3 * most - 1
    assert most - most // 10 <= len(connection.sessions) <= most
    assert "other 1" not in connection.sessions
    assert connection.session("other 1").active is None


# A second initialize


def initialize(recording: Recording, ident: object, version: int = 2) -> Recording:
    return recording.client(ident, "initialize", protocolVersion=version, info={"name": "second", "version": "1"})


def initialized(recording: Recording, ident: object, version: int = 2) -> Recording:
    return recording.result(ident, {"protocolVersion": version, "info": {"name": "other"}})


def complete(recording: Recording, ident: object, session: str) -> Recording:
    return recording.resume(ident, session).marker(session).idle(session).result(ident, {})


def test_an_initialize_answered_with_a_result_starts_a_connection(tmp_path: Path) -> None:
    recording = complete(Recording().initialize_v2(), 1, "s")
    complete(initialized(initialize(recording, 2), 2), 1, "s")
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, False, "closed"), (2, 2, False, "open")]
    assert resumes(report) == [(1, 1, "success", "complete"), (2, 1, "success", "complete")]
    assert [each["client"]["name"] for each in connections(report)] == ["ed", "second"]
    assert [each["agent"]["name"] for each in connections(report)] == ["agent", "other"]
    assert found(report) == []


def test_an_initialize_answered_with_an_error_changes_nothing(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").marker("s")
    initialize(recording, 2).error(2, -32600).idle("s").result(1, {})
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, False, "open")]
    assert connections(report)[0]["client"] == {"name": "ed", "version": "3"}
    assert resumes(report) == [(1, 1, "success", "complete")]
    assert found(report) == []


def test_an_initialize_that_is_not_answered_changes_nothing(tmp_path: Path) -> None:
    recording = initialize(complete(Recording().initialize_v2(), 1, "s"), 2)
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, False, "open")]
    assert found(report) == [("RL105", "warning", 7)]


def test_what_is_pending_at_the_new_connection_was_not_answered(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    complete(initialized(initialize(recording, 2), 2), 3, "s")
    report = report_of(recording.lines(), tmp_path)
    assert resumes(report) == [(1, 1, "closed", "truncated"), (2, 3, "success", "complete")]
    assert found(report) == [("RL209", "warning", 3), ("RL211", "warning", 10)]


def test_requests_after_the_initialize_move_to_the_new_connection(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "old")
    initialize(recording, 2).resume(3, "t").client(4, "session/list")
    initialized(recording, 2).message("t", "m1").marker("t").idle("t").result(3, {}).result(4, {"sessions": []})
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, False, "closed"), (2, 2, False, "open")]
    assert resumes(report) == [(1, 1, "closed", "truncated"), (2, 3, "success", "complete")]
    assert report["resumes"][1]["sessions"][0]["updates"]["history"] == 1
    assert found(report) == [("RL209", "warning", 3)]


def test_a_resume_that_moves_keeps_what_it_has_got(tmp_path: Path) -> None:
    recording = complete(Recording().initialize_v2(), 1, "s")
    initialize(recording, 2).resume(3, "s").message("s", "m1").child("s", "c").marker("s")
    initialized(recording, 2).marker("c").idle("s").result(3, {})
    report = report_of(recording.lines(), tmp_path)
    resume = report["resumes"][1]
    assert (resume["connection"], resume["end"]) == (2, "success")
    assert {each["session_id"]: each["outcome"] for each in resume["sessions"]} == {"s": "complete", "c": "complete"}
    assert resume["sessions"][0]["updates"]["history"] == 2
    assert was_active(report) == [False, False]


def test_a_request_after_the_initialize_that_was_answered_before_it_stays(tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    complete(initialize(recording, 2), 3, "s")
    initialized(recording, 2)
    report = report_of(recording.lines(), tmp_path)
    assert resumes(report) == [(1, 3, "success", "complete")]
    assert states(report) == [(1, 2, False, "closed"), (2, 2, False, "open")]


def test_ids_start_anew_on_each_connection(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, "session/list")
    complete(initialized(initialize(recording, 0), 0), 1, "s")
    report = report_of(recording.lines(), tmp_path)
    assert resumes(report) == [(2, 1, "success", "complete")]
    assert found(report) == [("RL105", "warning", 3)]


def test_three_connections(tmp_path: Path) -> None:
    recording = complete(Recording().initialize_v2(), 1, "s")
    for ident in (2, 3):
        complete(initialized(initialize(recording, ident), ident), 1, "s")
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, False, "closed"), (2, 2, False, "closed"), (3, 2, False, "open")]
    assert [each["connection"] for each in report["resumes"]] == [1, 2, 3]
    assert was_active(report) == [False, False, False]


def test_a_second_initialize_on_one_conn_leaves_the_others_alone(tmp_path: Path) -> None:
    first = complete(initialized(initialize(complete(Recording().initialize_v2(), 1, "s"), 2), 2), 3, "s")
    second = Recording().initialize_v2().resume(1, "t").message("t", "m1")
    records = [{**each, "conn": 1} for each in first.records]
    others = [{**each, "conn": 2} for each in second.records]
    report = report_of(map(dumps, records[:5] + others + records[5:]), tmp_path)
    assert states(report) == [(1, 2, False, "closed"), (2, 2, False, "open"), (3, 2, False, "open")]
    assert [(number, end) for number, _, end, _ in resumes(report)] == [(1, "success"), (2, "open"), (3, "success")]


# Beginnings


def test_messages_of_the_agent_before_the_initialize_belong_to_its_connection(tmp_path: Path) -> None:
    recording = Recording().record("a2c", {"jsonrpc": "2.0", "method": "_auth/status_update"}).message("s", "m0")
    complete(recording.agent(1, "_x").initialize_v2().result(1, {}, direction="c2a"), 2, "s")
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, False, "open")]
    assert was_active(report) == [False]


@pytest.mark.parametrize(
    "first",
    [
        {"id": 9, "method": "session/list"},
        {"method": "session/cancel", "params": {"sessionId": "s"}},
        {"id": 9, "result": {}},
        {"id": 9, "error": {"code": 1, "message": "no"}},
        {"method": "_x"},
    ],
)
def test_a_connection_that_does_not_begin_with_initialize_is_partial(first: Message, tmp_path: Path) -> None:
    recording = complete(Recording().record("c2a", {"jsonrpc": "2.0", **first}), 1, "s")
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, True, "open")]
    assert was_active(report) == [None]


def test_an_initialize_after_something_else_starts_a_whole_connection(tmp_path: Path) -> None:
    recording = complete(Recording(), 1, "s")
    complete(initialized(initialize(recording, 2), 2), 3, "s")
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, True, "closed"), (2, 2, False, "open")]
    assert was_active(report) == [None, False]


def test_a_raw_recording_that_begins_in_the_middle(tmp_path: Path) -> None:
    lines = [dumps(each["msg"]) for each in complete(Recording(), 1, "s").records]
    report = report_of(lines, tmp_path)
    assert states(report) == [(1, 2, True, "open")]
    assert resumes(report) == [(1, 1, "success", "complete")]


# Versions


@pytest.mark.parametrize(
    ("result", "version"),
    [
        ({"protocolVersion": 1}, 1),
        ({"protocolVersion": 2}, 2),
        ({"protocolVersion": 2, "agentCapabilities": {"loadSession": True}, "agentInfo": {"name": "a"}}, 2),
        ({"protocolVersion": 1, "capabilities": {}, "info": {"name": "a"}}, 1),
        ({"protocolVersion": 3}, None),
        ({"protocolVersion": "2"}, None),
        ({"protocolVersion": True}, None),
        ({}, None),
        (None, None),
    ],
)
def test_the_result_of_initialize_says_the_version(result: Any, version: int | None, tmp_path: Path) -> None:
    recording = Recording().client(0, "initialize", protocolVersion=2).result(0, result)
    assert states(report_of(recording.lines(), tmp_path)) == [(1, version, False, "open")]


def test_what_the_client_asks_for_is_no_version(tmp_path: Path) -> None:
    report = report_of(initialize(Recording(), 0).lines(), tmp_path)
    assert states(report) == [(1, None, False, "open")]


SIGNS: list[tuple[str, int]] = [
    ("state_update", 2),
    ("user_message", 2),
    ("agent_message", 2),
    ("tool_call", 1),
]
NO_SIGNS = [
    *("user_message_chunk", "agent_message_chunk", "agent_thought", "tool_call_update", "plan", "usage_update"),
    *("session_info_update", "available_commands_update", "replay_complete", "_own"),
]


@pytest.mark.parametrize(("variant", "version"), SIGNS)
@pytest.mark.parametrize("known", [False, True])
def test_updates_that_give_the_version_away(variant: str, version: int, known: bool, tmp_path: Path) -> None:
    recording = Recording().client(9, "session/list")
    if known:
        recording.update("s", "usage_update")
    recording.update("s", variant, messageId="m", state="idle", toolCallId="t")
    assert states(report_of(recording.lines(), tmp_path)) == [(1, version, True, "open")]


@pytest.mark.parametrize("variant", NO_SIGNS)
def test_updates_that_say_nothing_about_the_version(variant: str, tmp_path: Path) -> None:
    recording = Recording().client(9, "session/list").update("s", variant)
    assert states(report_of(recording.lines(), tmp_path)) == [(1, None, True, "open")]


@pytest.mark.parametrize(
    ("method", "params", "version"),
    [
        ("session/load", {}, 1),
        ("session/resume", {"replayFrom": {"type": "start"}}, 2),
        ("session/resume", {"replayFrom": None}, 2),
        ("session/resume", {}, None),
        ("session/new", {}, None),
        ("session/prompt", {}, None),
    ],
)
def test_requests_that_give_the_version_away(method: str, params: Message, version: int | None, tmp_path: Path) -> None:
    recording = Recording().client(9, method, sessionId="s", **params)
    assert states(report_of(recording.lines(), tmp_path)) == [(1, version, True, "open")]


@pytest.mark.parametrize(("first", "version"), SIGNS)
@pytest.mark.parametrize("second", ["tool_call", "state_update"])
def test_the_first_sign_decides(first: str, version: int, second: str, tmp_path: Path) -> None:
    recording = Recording().client(9, "session/list").update("s", first).update("s", second)
    assert states(report_of(recording.lines(), tmp_path)) == [(1, version, True, "open")]


def test_signs_do_not_change_what_initialize_said(tmp_path: Path) -> None:
    recording = Recording().initialize_v1().idle("s").resume(1, "s").message("s", "m1")
    report = report_of(recording.result(1, {}).lines(), tmp_path)
    assert states(report) == [(1, 1, False, "open")]
    assert resumes(report) == [(1, 1, "success", "not_requested")]


def test_initialize_changes_what_a_sign_said(tmp_path: Path) -> None:
    recording = Recording().client(0, "initialize", protocolVersion=2).resume(1, "s")
    recording.result(0, {"protocolVersion": 1}).message("s", None).result(1, {})
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 1, False, "open")]
    assert resumes(report) == [(1, 1, "success", "not_requested")]
    assert report["resumes"][0]["replaying"] is False
    assert found(report) == [("RL210", "warning", 4)]


@pytest.mark.parametrize("answered", [True, False])
def test_a_pipelined_resume_replays_on_version_2(answered: bool, tmp_path: Path) -> None:
    recording = Recording().client(0, "initialize", protocolVersion=2).resume(1, "s")
    if answered:
        recording.result(0, {"protocolVersion": 2})
    report = report_of(recording.message("s", "m1").marker("s").idle("s").result(1, {}).lines(), tmp_path)
    assert states(report) == [(1, 2, False, "open")]
    assert resumes(report) == [(1, 1, "success", "complete")]
    assert report["resumes"][0]["sessions"][0]["updates"]["history"] == 1


def test_a_pipelined_load_replays_on_version_1(tmp_path: Path) -> None:
    recording = Recording().client(0, "initialize", protocolVersion=1).load(1, "s")
    recording.result(0, {"protocolVersion": 1}).message("s", None).result(1, {})
    report = report_of(recording.lines(), tmp_path)
    assert resumes(report) == [(1, 1, "success", "unmarked")]


def test_a_pipelined_load_is_no_resume_on_version_2(tmp_path: Path) -> None:
    recording = Recording().client(0, "initialize", protocolVersion=2).load(1, "s")
    recording.result(0, {"protocolVersion": 2}).error(1, -32601)
    report = report_of(recording.lines(), tmp_path)
    assert states(report) == [(1, 2, False, "open")]
    assert report["resumes"] == []
    assert found(report) == [("RL005", "info", 1)]


def test_what_follows_an_initialize_is_judged_by_the_version_that_it_brings(tmp_path: Path) -> None:
    older = Recording().initialize_v1().client(5, "initialize", protocolVersion=2).resume(1, "s")
    older.result(5, {"protocolVersion": 2, "info": {}}).message("s", "m1").marker("s").idle("s").result(1, {})
    report = report_of(older.lines(), tmp_path)
    assert states(report) == [(1, 1, False, "closed"), (2, 2, False, "open")]
    assert resumes(report) == [(2, 1, "success", "complete")]
    assert found(report) == []
    newer = Recording().initialize_v2().client(5, "initialize", protocolVersion=1).load(1, "s")
    newer.result(5, {"protocolVersion": 1, "agentInfo": {}}).message("s", None).result(1, {})
    report = report_of(newer.lines(), tmp_path)
    assert states(report) == [(1, 2, False, "closed"), (2, 1, False, "open")]
    assert resumes(report) == [(2, 1, "success", "unmarked")]
    assert found(report) == []


@pytest.mark.parametrize(
    ("method", "ident", "session"),
    [
        pytest.param("session/prompt", 6, "s", id="a prompt, beside a resume that is pending (RL309)"),
        pytest.param("session/prompt", 6, "c", id="a prompt on a child (RL311)"),
        pytest.param("session/resume", 6, "s", id="a replay, beside another (RL308)"),
        pytest.param("session/list", 1, "", id="an id that is in use (RL103)"),
    ],
)
def test_what_follows_an_initialize_has_nothing_to_do_with_what_was_before(
    method: str, ident: int, session: str, tmp_path: Path
) -> None:
    recording = Recording().initialize_v2().resume(1, "s").child("s", "c").client(5, "initialize", protocolVersion=2)
    params: Message = {"cwd": "/w", "replayFrom": {"type": "start"}} if "resume" in method else {}
    recording.client(ident, method, sessionId=session, **params).result(5, {"protocolVersion": 2, "info": {}})
    recording.error(ident, -32002)
    report = report_of(recording.lines(), tmp_path)
    # The first replay was cut off, and so was the second one where it is one.
    assert {each["rule"] for each in report["findings"]} == {"RL105", "RL209"}


def test_what_follows_an_initialize_belongs_to_its_connection(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(5, "initialize", protocolVersion=2)
    recording.records.append({"ts": recording.time, "dir": "c2a", "text": "noise"})
    recording.client(1.5, "session/list").result(5, {"protocolVersion": 2, "info": {}}).error(1.5, -32600)
    findings = report_of(recording.lines(), tmp_path)["findings"]
    assert [(each["rule"], each["connection"], each["line"]) for each in findings] == [
        ("RL005", None, 1),
        ("RL001", 2, 4),
        ("RL108", 2, 5),
    ]


def test_a_text_after_an_initialize_is_not_the_last_of_the_connection_before(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(5, "initialize", protocolVersion=2)
    recording.records.append({"ts": recording.time, "dir": "c2a", "text": '{"jsonrpc"'})
    recording.result(5, {"protocolVersion": 2, "info": {}}).client(6, "session/list").result(6, {"sessions": []})
    assert found(report_of(recording.lines(), tmp_path), least="warning") == [("RL001", "error", 4)]


def test_a_load_on_version_2_is_no_resume_but_a_request(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().load(1, "s").message("s", "m1")
    report = report_of(recording.lines(), tmp_path)
    assert report["resumes"] == []
    assert found(report) == [("RL005", "info", 1), ("RL105", "warning", 3)]


def test_a_resume_on_version_1_never_replays(tmp_path: Path) -> None:
    recording = Recording().initialize_v1().resume(1, "s").result(1, {}).resume(2, "s", replay=False).result(2, {})
    report = report_of(recording.lines(), tmp_path)
    assert resumes(report) == [(1, 1, "success", "not_requested"), (1, 2, "success", "not_requested")]
    assert [each["replaying"] for each in report["resumes"]] == [False, False]


@pytest.mark.parametrize(
    ("cursor", "replaying", "replay_from"),
    [
        ({"type": "start"}, True, "start"),
        ({"type": "message", "messageId": "m"}, True, "message"),
        ({"type": 1}, True, None),
        ({}, True, None),
        ("start", True, None),
        (False, True, None),
        (None, False, None),
    ],
)
def test_a_cursor_that_is_not_null_asks_for_history(
    cursor: object, replaying: bool, replay_from: str | None, tmp_path: Path
) -> None:
    recording = Recording().initialize_v2().client(1, "session/resume", sessionId="s", replayFrom=cursor)
    (resume,) = report_of(recording.lines(), tmp_path)["resumes"]
    assert (resume["replaying"], resume["replay_from"]) == (replaying, replay_from)
    assert resume["sessions"][0]["outcome"] == ("inconclusive" if replaying else "not_requested")


# Names


@pytest.mark.parametrize(
    ("key", "info", "peer"),
    [
        ("info", {"name": "a", "version": "1"}, {"name": "a", "version": "1"}),
        ("clientInfo", {"name": "a", "version": "1"}, {"name": "a", "version": "1"}),
        ("info", {"name": "a"}, {"name": "a", "version": None}),
        ("info", {"name": 1, "version": ["1"]}, {"name": None, "version": None}),
        ("info", "a", {"name": None, "version": None}),
        ("info", None, {"name": None, "version": None}),
        ("name", "a", {"name": None, "version": None}),
    ],
)
def test_the_name_of_the_client(key: str, info: object, peer: Message, tmp_path: Path) -> None:
    params: Message = {"protocolVersion": 2, key: info}
    recording = Recording().client(0, "initialize", **params)
    assert connections(report_of(recording.lines(), tmp_path))[0]["client"] == peer


@pytest.mark.parametrize(
    ("result", "peer"),
    [
        ({"info": {"name": "a", "version": "1"}}, {"name": "a", "version": "1"}),
        ({"agentInfo": {"name": "a", "version": "1"}}, {"name": "a", "version": "1"}),
        ({"agentInfo": {"name": "a", "title": "A"}}, {"name": "a", "version": None}),
        ({"info": None, "agentInfo": {"name": "a", "version": "1"}}, {"name": "a", "version": "1"}),
        ({}, {"name": None, "version": None}),
        ([], {"name": None, "version": None}),
    ],
)
def test_the_name_of_the_agent(result: object, peer: Message, tmp_path: Path) -> None:
    recording = Recording().client(0, "initialize", protocolVersion=2).result(0, result)
    assert connections(report_of(recording.lines(), tmp_path))[0]["agent"] == peer


# Active sessions


def test_a_session_is_active_after_a_resume_of_it(tmp_path: Path) -> None:
    recording = complete(complete(Recording().initialize_v2(), 1, "s"), 2, "s")
    complete(recording, 3, "t")
    assert was_active(report_of(recording.lines(), tmp_path)) == [False, True, False]


def test_a_session_is_active_after_a_plain_resume_of_it(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s", replay=False).idle("s").result(1, {})
    assert was_active(report_of(complete(recording, 2, "s").lines(), tmp_path)) == [False, True]


def test_a_session_is_active_after_a_load_of_it(tmp_path: Path) -> None:
    recording = Recording().initialize_v1().load(1, "s").result(1, None).load(2, "s").result(2, None)
    assert was_active(report_of(recording.lines(), tmp_path)) == [False, True]


@pytest.mark.parametrize("method", ["session/new", "session/fork"])
def test_a_new_session_is_active(method: str, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, method, sessionId="old").result(1, {"sessionId": "s"})
    complete(complete(recording, 2, "s"), 3, "old")
    assert was_active(report_of(recording.lines(), tmp_path)) == [True, False]


@pytest.mark.parametrize("method", ["session/new", "session/fork"])
@pytest.mark.parametrize("result", [{}, {"sessionId": 1}, None])
def test_a_result_that_names_no_session_activates_none(method: str, result: object, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, method, sessionId="s").result(1, result)
    assert was_active(report_of(complete(recording, 2, "s").lines(), tmp_path)) == [False]


@pytest.mark.parametrize("method", ["session/new", "session/fork", "session/resume", "session/prompt", "session/list"])
def test_an_error_activates_nothing(method: str, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, method, sessionId="s").error(1, -32603)
    assert was_active(report_of(complete(recording, 2, "s").lines(), tmp_path))[-1] is False


def test_a_listed_session_is_not_active(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, "session/list").result(1, {"sessions": [{"sessionId": "s"}, 1]})
    assert was_active(report_of(complete(recording, 2, "s").lines(), tmp_path)) == [False]


@pytest.mark.parametrize("method", ["session/close", "session/delete"])
@pytest.mark.parametrize("succeeds", [True, False])
def test_a_session_is_active_until_it_is_closed(method: str, succeeds: bool, tmp_path: Path) -> None:
    recording = complete(Recording().initialize_v2(), 1, "s").client(2, method, sessionId="s")
    if succeeds:
        recording.result(2, {})
    else:
        recording.error(2, -32603)
    assert was_active(report_of(complete(recording, 3, "s").lines(), tmp_path)) == [False, not succeeds]


def test_what_counts_is_what_was_so_before_the_request(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, "session/new").resume(2, "s").result(1, {"sessionId": "s"})
    recording.marker("s").idle("s").result(2, {})
    assert was_active(report_of(recording.lines(), tmp_path)) == [False]


def test_each_connection_has_its_own_active_sessions(tmp_path: Path) -> None:
    records = [
        {**each, "conn": conn} for conn in (1, 2) for each in complete(Recording().initialize_v2(), 1, "s").records
    ]
    report = report_of(map(dumps, records), tmp_path)
    assert was_active(report) == [False, False]


def test_children_have_what_the_named_session_has(tmp_path: Path) -> None:
    recording = complete(Recording().initialize_v2(), 1, "s").resume(2, "s").child("s", "c").marker("c").marker("s")
    report = report_of(recording.idle("s").result(2, {}).lines(), tmp_path)
    assert [each["was_active"] for each in report["resumes"][1]["sessions"]] == [True, True]


def test_on_a_partial_connection_nobody_knows(tmp_path: Path) -> None:
    recording = complete(Recording().client(9, "session/list"), 1, "s")
    complete(complete(recording, 2, "s"), 3, "t")
    assert was_active(report_of(recording.lines(), tmp_path)) == [None, True, None]


@pytest.mark.parametrize(
    ("method", "result", "active"),
    [
        ("session/close", {}, False),
        ("session/delete", None, False),
        ("session/new", {"sessionId": "s"}, True),
        ("session/fork", {"sessionId": "s"}, True),
        ("session/list", {"sessions": [{"sessionId": "s"}]}, None),
        ("session/prompt", {"stopReason": "end_turn"}, None),
    ],
)
def test_until_the_recording_shows_it(method: str, result: object, active: bool | None, tmp_path: Path) -> None:
    recording = complete(Recording().client(9, method, sessionId="s").result(9, result), 1, "s")
    assert was_active(report_of(recording.lines(), tmp_path)) == [active]


def test_more_pending_replays_than_are_looked_through_are_told_apart(tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    numbers = range(1, 151)
    for number in numbers:
        recording.resume(number, f"s{number}")
    for number in numbers:
        recording.message(f"s{number}", "m").marker(f"s{number}").idle(f"s{number}")
    for number in numbers:
        recording.result(number, {})
    report = report_of(recording.lines(), tmp_path)
    assert resumes(report) == [(1, number, "success", "complete") for number in numbers]
    assert {session["updates"]["history"] for resume in report["resumes"] for session in resume["sessions"]} == {1}
    assert not any(resume["ambiguous"] for resume in report["resumes"])
    assert found(report) == []
