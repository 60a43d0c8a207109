"""`replaylint.testing`: what it accepts, what it refuses, and what it says then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from replaylint import lint
from replaylint.testing import assert_replay
from tests.command_line import saved
from tests.recordings import Recording

if TYPE_CHECKING:
    from pathlib import Path

    from replaylint import Report


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, so that the traces' paths are short."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def of(folder: Path, recording: Recording, **options: Any) -> Report:
    return lint(saved(folder, "t.ndjson", recording), **options)


def complete(gap: float = 0.5) -> Recording:
    return Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s").result(1, {}, after=gap)


def unmarked() -> Recording:
    return Recording().initialize_v1().load("l", "s").message("s", None).result("l", None)


def truncated() -> Recording:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m1").child("s", "c").message("c", "m2").marker("c")
    return made.error(1, -32603)


def refusal(report: Report, **options: Any) -> list[str]:
    """What it says of this report, line by line."""
    with pytest.raises(AssertionError) as caught:
        assert_replay(report, **options)
    first, *lines = str(caught.value).split("\n")
    assert first == "the replay is not as expected"
    return lines


def test_it_returns_the_report(folder: Path) -> None:
    report = of(folder, complete())
    assert assert_replay(report) is report


def test_several_replays_and_recordings(folder: Path) -> None:
    recording = complete().client(2, "session/close", sessionId="s").result(2, {}).resume(3, "t")
    saved(folder, "two.ndjson", recording.message("t", "m2").marker("t").idle("t").result(3, {}))
    saved(folder, "one.ndjson", complete())
    assert_replay(lint(["one.ndjson", "two.ndjson"]), max_gap_s=0.6)


# Outcomes


def test_without_a_marker_it_is_not_complete(folder: Path) -> None:
    report = of(folder, unmarked())
    assert refusal(report) == [
        't.ndjson:3: session/load "l", success',
        "  session s is unmarked, expected was complete",
    ]
    for outcomes in ("unmarked", "complete,unmarked", ["unmarked", "complete"]):
        assert_replay(report, outcomes=outcomes)


def test_each_session_counts(folder: Path) -> None:
    report = of(folder, truncated())
    assert refusal(report, outcomes=["complete", "unmarked"], fail_on="never") == [
        "t.ndjson:3: session/resume 1, error",
        "  session s is truncated, expected was complete or unmarked",
        "  session c (child of s) is complete_failed, expected was complete or unmarked",
    ]
    assert_replay(report, outcomes="truncated,complete_failed")


def test_a_replay_that_is_none(folder: Path) -> None:
    plain = Recording().initialize_v2().resume(1, "s", replay=False).idle("s").result(1, {})
    assert refusal(of(folder, Recording().initialize_v2())) == ["no history was asked for: there is no resume"]
    assert refusal(of(folder, plain)) == ["no history was asked for: 1 resumed without"]


def test_a_plain_resume_beside_a_replay_does_not_matter(folder: Path) -> None:
    assert_replay(of(folder, complete().resume(2, "t", replay=False).idle("t").result(2, {})))


def test_a_request_that_names_no_session(folder: Path) -> None:
    made = Recording().initialize_v2().client(1, "session/resume", replayFrom={"type": "start"}).error(1, -32602)
    lines = refusal(of(folder, made), fail_on="never", max_gap_s=1)
    assert lines == ["t.ndjson:3: session/resume 1, error", "  no session is named"]


def test_a_recording_that_cannot_be_read(folder: Path) -> None:
    saved(folder, "t.ndjson", complete())
    assert refusal(lint(["absent", "t.ndjson"])) == ["absent: not read: no such file"]


# Findings


def test_errors_fail(folder: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m1").update("s", "notice").marker("s").idle("s")
    report = of(folder, made.result(1, {}))
    (line,) = refusal(report)
    sent = "the agent sent 1 live update (notice) before the marker at line 6"
    assert line.startswith(f"t.ndjson:5: error RL301 live-before-marker: {sent}; ")
    assert_replay(report, fail_on="never")
    assert_replay(report, party="client")
    assert refusal(report, party="agent") == [line]
    assert_replay(of(folder, made, ignore="RL301"))


def test_from_which_severity_on(folder: Path) -> None:
    report = of(folder, complete().client(9, "session/prompt", sessionId="s").client(10, "session/list"))
    assert [finding.severity for finding in report.findings] == ["info", "warning"]
    for fail_on, rules in (("error", 0), ("warning", 1), ("info", 2), ("never", 0)):
        if rules:
            assert len(refusal(report, fail_on=fail_on)) == rules
        else:
            assert_replay(report, fail_on=fail_on)  # type: ignore[arg-type]


# The gap


def test_a_gap_within_the_limit(folder: Path) -> None:
    report = of(folder, complete(0.5))
    for limit in (None, 1, 0.51):
        assert_replay(report, max_gap_s=limit)
    assert refusal(report, max_gap_s=0.5) == [
        "t.ndjson:3: session/resume 1, success",
        "  session s has a response gap of 0.51 s, the limit is 0.5 s",
    ]


def test_a_gap_that_was_not_measured(folder: Path) -> None:
    path = folder / "t.ndjson"
    path.write_text("".join(f"{line}\n" for line in map(bytes.decode, complete().lines())).replace('"ts"', '"no"'))
    assert_replay(lint(path))
    (_, line) = refusal(lint(path), max_gap_s=100)
    assert line == "  session s has an unknown response gap: the recording lacks sound times"


def test_where_nothing_came_there_is_no_gap(folder: Path) -> None:
    report = of(folder, Recording().initialize_v1().load(1, "s").result(1, None, after=9))
    assert_replay(report, outcomes="unmarked", max_gap_s=1)
    report = of(folder, Recording().initialize_v1().load(1, "s").message("s", None))
    assert_replay(report, outcomes="inconclusive", max_gap_s=0)


# Text from recordings, and wrong arguments


def test_what_it_says_is_harmless(folder: Path) -> None:
    session = "\x1b[31m\n::error::\u202e"
    made = Recording().initialize_v2().resume(session, session).update(session, "\x07", after=1).error(session, -1)
    lines = refusal(of(folder, made))
    assert lines[1].startswith("  session \\x1b[31m\\x0a")
    assert not {"\x1b", "\x07", "\r", "\u202e"} & {*"\n".join(lines)}
    assert not any("::" in line for line in lines)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"outcomes": "completed"}, "there is no outcome 'completed'; did you mean complete"),
        ({"outcomes": []}, "no outcome is named"),
        ({"fail_on": "fatal"}, "fail_on has to be 'error', 'warning', 'info' or 'never', not 'fatal'"),
        ({"party": "editor"}, "party has to be 'agent', 'client', 'recording' or None, not 'editor'"),
        ({"max_gap_s": -1}, "max_gap_s has to be a number of seconds, or None, not -1"),
        ({"max_gap_s": float("nan")}, "max_gap_s has to be a number of seconds, or None, not nan"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str, folder: Path) -> None:
    with pytest.raises(ValueError, match=message):
        assert_replay(of(folder, complete()), **options)


def test_a_limit_is_a_number(folder: Path) -> None:
    with pytest.raises(TypeError):
        assert_replay(of(folder, complete()), max_gap_s="1")  # type: ignore[arg-type]
