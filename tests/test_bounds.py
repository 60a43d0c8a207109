"""What is remembered, and where that is bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from replaylint.protocol.connection import Connection, Skips
from replaylint.protocol.direction import decide
from replaylint.protocol.exchange import Request
from replaylint.recording.clock import Steps
from replaylint.recording.message import CLIENT
from replaylint.replay.window import KINDS_REMEMBERED
from tests.recordings import Recording, found, report_of

if TYPE_CHECKING:
    from pathlib import Path

    from replaylint.recording.message import Message


def test_variants_beyond_the_bound_are_counted_together(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    for number in range(KINDS_REMEMBERED + 4):
        recording.update("s", f"_vendor_{number}")
    recording.message("s", "m2").update("s", "_vendor_0").marker("s").idle("s").result(1, {})
    (resume,) = report_of(recording.lines(), tmp_path)["resumes"]
    updates = resume["sessions"][0]["updates"]
    assert updates["by_kind"] == {
        "agent_message": 2,
        "_vendor_0": 2,
        **{f"_vendor_{number}": 1 for number in range(1, KINDS_REMEMBERED - 1)},
        "(other)": 6,
    }
    assert (updates["history"], updates["live"], updates["other"]) == (2, 0, KINDS_REMEMBERED + 6)


@pytest.mark.parametrize(
    ("bound", "most"),
    [("MAX_SAID_AGAIN", 2), ("MAX_SAID_AGAIN_BYTES", 350)],  # the initialize itself, and one more
)
def test_what_the_client_sends_beyond_the_bound_is_not_said_again(
    bound: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"replaylint.replay.engine.{bound}", most)
    recording = Recording().initialize_v2().client(5, "initialize", protocolVersion=2)
    recording.resume(6, "s").resume(7, "t").result(5, {"protocolVersion": 2, "info": {}})
    report = report_of(recording.lines(), tmp_path)
    assert [(each["connection"], each["request_id"]) for each in report["resumes"]] == [(2, 6)]
    assert found(report) == [("RL105", "warning", 4)]


def test_what_said_the_version_first_is_remembered() -> None:
    connection = Connection(1, {}, Steps(), Skips())
    assert connection.decide(2, 4)
    assert not connection.decide(1, 5)
    request = Request(CLIENT, 0, "initialize", {}, 1, 0.0)
    request.answer_line = 6
    connection.succeeded(request, {"protocolVersion": 2})
    assert (connection.version, connection.version_line) == (2, 4)


def test_messages_without_a_direction_prove_none_wrong() -> None:
    sent: list[Message] = [
        (1, 0.0, None, {"method": "session/prompt", "id": 1}, 10),
        (2, 0.0, None, {"method": "session/update"}, 10),
        (3, 0.0, None, {"id": 0, "result": {"protocolVersion": 2}}, 10),
    ]
    flipped: list[bool] = []
    messages, directions = decide(iter(sent), lambda: flipped.append(True))
    assert (list(messages), directions, flipped) == (sent, "recorded", [])
