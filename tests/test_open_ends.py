"""What is said where no response came: the sentence names what came in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.recordings import Recording, report_of

if TYPE_CHECKING:
    from pathlib import Path


def test_history_that_nobody_asked_for_up_to_the_end_of_the_connection(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s", replay=False).message("s", "m1").idle("s")
    report = report_of(recording.lines(), tmp_path, closed=True)
    (finding,) = (each for each in report["findings"] if each["rule"] == "RL210")
    assert finding["message"].partition(";")[0] == (
        "the agent sent 1 message (agent_message) between a session/resume that asked for no history "
        "and the end of the connection"
    )
    assert [(each["line"], each["what"]) for each in finding["evidence"]] == [(3, "request")]
