"""Ids are remembered up to a bound: what cannot be decided any more is not said ("Memory" of RULES.md, section 2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from replaylint.protocol.limits import forget_oldest
from tests.recordings import Recording, found, report_of

if TYPE_CHECKING:
    from pathlib import Path

MEMORY = 10
FEW, MANY = MEMORY, MEMORY + 1
"""Nothing has to be forgotten, and one has to be; what the test itself brings counts, too."""


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of everything, so many are remembered, and the oldest one is forgotten for the next."""

    def forget(ids: dict[Any, Any], most: int = MEMORY) -> bool:
        return forget_oldest(ids, min(most, MEMORY))

    for module in ("protocol.connection", "protocol.exchange", "replay.window", "replay.fold"):
        monkeypatch.setattr(f"replaylint.{module}.forget_oldest", forget)
    monkeypatch.setattr("replaylint.replay.fold.IDS_REMEMBERED", MEMORY)


def count(rule: str, recording: Recording, folder: Path) -> int:
    return [each for each, *_ in found(report_of(recording.lines(), folder))].count(rule)


@pytest.mark.parametrize(("requests", "fires"), [(FEW, 1), (MANY, 0)])
def test_a_response_to_a_request_that_may_be_forgotten(requests: int, fires: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    for ident in range(1, requests):
        recording.client(ident, "session/list").result(ident, {"sessions": []})
    recording.result("unknown", {})
    assert count("RL101", recording, tmp_path) == fires


@pytest.mark.parametrize(("requests", "fires"), [(FEW - 1, 1), (MANY - 1, 0)])
def test_what_is_forgotten_is_so_on_the_connection_that_follows(requests: int, fires: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    for ident in range(1, requests):
        recording.client(ident, "session/list").result(ident, {"sessions": []})
    recording.client(0, "initialize", protocolVersion=2).result(0, {"protocolVersion": 2, "info": {}})
    recording.result("unknown", {})
    assert count("RL101", recording, tmp_path) == fires


@pytest.mark.parametrize(("calls", "fires"), [(FEW, 1), (MANY, 0)])
def test_an_update_of_a_tool_call_that_may_be_forgotten(calls: int, fires: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v1().client(1, "session/new").result(1, {"sessionId": "s"})
    for number in range(calls):
        recording.update("s", "tool_call", toolCallId=f"t{number}", status="completed")
    recording.update("s", "tool_call_update", toolCallId="unknown", status="completed")
    assert count("RL323", recording, tmp_path) == fires


@pytest.mark.parametrize(("messages", "fires"), [(FEW, 1), (MANY, 0)])
def test_a_message_after_the_marker_that_may_have_come_before(messages: int, fires: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(messages):
        recording.message("s", f"m{number}")
    recording.marker("s").message("s", "new").idle("s").result(1, {})
    assert count("RL303", recording, tmp_path) == fires


@pytest.mark.parametrize(("calls", "fires"), [(FEW, 1), (MANY, 0)])
def test_a_tool_call_after_the_marker_that_may_have_come_before(calls: int, fires: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(calls):
        recording.update("s", "tool_call_update", toolCallId=f"t{number}", status="completed")
    recording.marker("s").update("s", "tool_call_update", toolCallId="new", status="completed")
    assert count("RL303", recording.idle("s").result(1, {}), tmp_path) == fires


@pytest.mark.parametrize(("messages", "fires"), [(FEW, 1), (MANY, 0)])
def test_a_message_that_may_be_a_repeat(messages: int, fires: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(messages):
        recording.message("s", f"m{number}")
    recording.message("s", "m0").marker("s").idle("s").result(1, {})
    assert count("RL322", recording, tmp_path) == fires


@pytest.mark.parametrize(("calls", "fires"), [(FEW, 1), (MANY, 0)])
def test_a_tool_call_that_may_be_a_repeat(calls: int, fires: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v1().load(1, "s")
    for number in range(calls):
        recording.update("s", "tool_call", toolCallId=f"t{number}", status="completed")
    recording.update("s", "tool_call", toolCallId="t0", status="completed").result(1, {})
    assert count("RL322", recording, tmp_path) == fires


@pytest.mark.parametrize(("calls", "left"), [(FEW, FEW), (MANY, MEMORY)])
def test_tool_calls_that_are_left_open(calls: int, left: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(calls):
        recording.update("s", "tool_call_update", toolCallId=f"t{number}", status="in_progress")
    recording.marker("s").idle("s").result(1, {})
    (finding,) = (each for each in report_of(recording.lines(), tmp_path)["findings"] if each["rule"] == "RL324")
    assert finding["count"] == left


@pytest.mark.parametrize(("sessions", "fires"), [(FEW - 1, 1), (MANY - 1, 0)])
def test_a_session_that_may_be_forgotten(sessions: int, fires: int, tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    for number in range(sessions):
        recording.client(number + 1, "session/new").result(number + 1, {"sessionId": f"s{number}"})
    recording.message("unknown", "m1")
    assert count("RL307", recording, tmp_path) == fires


@pytest.mark.parametrize(("sessions", "active"), [(FEW - 1, False), (MANY - 1, None)])
def test_whether_a_session_that_may_be_forgotten_is_active(sessions: int, active: bool | None, tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    for number in range(sessions):
        recording.client(number + 1, "session/new").result(number + 1, {"sessionId": f"s{number}"})
    recording.resume(99, "other").marker("other").idle("other").result(99, {})
    (resume,) = report_of(recording.lines(), tmp_path)["resumes"]
    assert resume["sessions"][0]["was_active"] is active
