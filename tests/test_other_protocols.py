"""Recordings of other protocols are refused by name, and messages with a field of a wrong type harm no other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from orjson import dumps

from tests.recordings import Message, Recording, found, report_of, report_of_file

if TYPE_CHECKING:
    from pathlib import Path


def rpc(method: str, ident: int | None = 1) -> Message:
    return {"jsonrpc": "2.0", "method": method, **({} if ident is None else {"id": ident})}


OTHERS = {
    "Codex": [rpc("initialize"), rpc("thread/resume", 2), {"id": 2, "result": {}}, rpc("turn/started", None)],
    "Language Server": [rpc("initialize"), rpc("textDocument/didOpen", None), rpc("$/progress", None)],
    "Model Context": [rpc("initialize"), rpc("tools/list", 2), rpc("notifications/initialized", None)],
    "Debug Adapter": [
        {"seq": 1, "type": "request", "command": "initialize", "jsonrpc": "2.0"},
        {"seq": 1, "type": "response", "request_seq": 1, "success": True, "command": "initialize"},
    ],
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_protocol_is_named_and_refused(name: str, tmp_path: Path) -> None:
    report = report_of([dumps(message) for message in OTHERS[name]], tmp_path)
    (trace,) = report["traces"]
    assert trace["error"]["code"] == "another-protocol"
    assert name in trace["error"]["message"]
    assert (report["resumes"], report["findings"], trace["connections"]) == ([], [], [])


def test_framed_messages_of_another_protocol_are_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "lsp.bin"
    bodies = [dumps(message) for message in OTHERS["Language Server"]]
    path.write_bytes(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies))
    (trace,) = report_of_file(path)["traces"]
    assert (trace["format"], trace["error"]["code"]) == ("content-length", "another-protocol")


@pytest.mark.parametrize("method", ["session/list", "fs/read_text_file", "_vendor/x", "authenticate"])
def test_one_message_of_ours_is_enough(method: str, tmp_path: Path) -> None:
    """Agents carry messages of MCP servers through."""
    messages = [*OTHERS["Model Context"], rpc(method, 7)]
    (trace,) = report_of([dumps(message) for message in messages], tmp_path)["traces"]
    assert trace["error"] is None


@pytest.mark.parametrize(
    "record",
    [
        {"jsonrpc": "2.0", "command": "initialize", "event": "x"},
        {"jsonrpc": "2.0", "seq": 1, "type": "request"},
        {"jsonrpc": "2.0", "seq": 1, "type": "other", "command": "initialize"},
        {"jsonrpc": "2.0", "type": "event", "event": "output"},
    ],
)
def test_a_record_that_only_looks_like_a_debug_adapters_is_not_refused(record: Message, tmp_path: Path) -> None:
    (trace,) = report_of([dumps(rpc("initialize")), dumps(record)], tmp_path)["traces"]
    assert trace["error"] is None


def test_a_handshake_alone_is_not_refused(tmp_path: Path) -> None:
    (trace,) = report_of([dumps(rpc("initialize"))], tmp_path)["traces"]
    assert trace["error"] is None


WRONG: list[Any] = [
    ("params", None, []),
    ("params", None, "s"),
    ("params", None, 7),
    ("sessionId", "params", 7),
    ("sessionId", "params", None),
    ("sessionId", "params", ["s"]),
    ("sessionId", "params", {"s": 1}),
    ("update", "params", "agent_message"),
    ("update", "params", []),
    ("update", "params", None),
    ("sessionUpdate", "update", 7),
    ("sessionUpdate", "update", ["agent_message"]),
]


@pytest.mark.parametrize(("key", "of", "value"), WRONG)
def test_a_field_of_a_wrong_type_is_counted_and_harms_no_other(
    key: str, of: str | None, value: object, tmp_path: Path
) -> None:
    good = Recording().initialize_v2().resume(1, "s").message("s", "m1").message("s", "m2")
    good.marker("s").idle("s").result(1, {})
    bad = Recording().initialize_v2().resume(1, "s").message("s", "m1").message("s", "m2").message("s", "m3")
    bad.marker("s").idle("s").result(1, {})
    message = bad.records[4]["msg"]
    owner = message if of is None else message["params"] if of == "params" else message["params"]["update"]
    owner[key] = value
    report = report_of(bad.lines(), tmp_path)
    (trace,) = report["traces"]
    assert (trace["malformed"], trace["malformed_line"]) == (1, 5)
    assert found(report) == []
    (session,) = report["resumes"][0]["sessions"]
    assert (session["outcome"], session["updates"]["history"]) == ("complete", 2)
    assert (
        session["updates"]["by_kind"]
        == (report_of(good.lines(), tmp_path)["resumes"][0]["sessions"][0]["updates"]["by_kind"])
    )


@pytest.mark.parametrize("value", [None, 7, [], {}])
def test_a_resume_of_no_session_is_counted(value: object, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, "session/resume", sessionId=value, replayFrom={"type": "start"})
    report = report_of(recording.error(1, -32602).lines(), tmp_path)
    assert (report["traces"][0]["malformed"], report["traces"][0]["malformed_line"]) == (1, 3)
    assert [each["session_id"] for each in report["resumes"]] == [None]


def test_a_resume_of_no_session_outlives_a_change_of_the_version(tmp_path: Path) -> None:
    recording = Recording().client(0, "initialize", protocolVersion=1)
    recording.client(1, "session/resume", sessionId=7, replayFrom={"type": "start"})
    report = report_of(recording.result(0, {"protocolVersion": 1}).error(1, -32602).lines(), tmp_path)
    assert [(each["session_id"], each["replaying"], each["end"]) for each in report["resumes"]] == [
        (None, False, "error")
    ]
