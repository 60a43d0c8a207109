"""`--expect`: what a replay has to end with, as exit statuses and as findings."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from replaylint.policies.expectations import outcomes
from replaylint.replay.outcome import OUTCOMES
from tests.command_line import FORMATS, assert_one_line, assert_refused, run, saved
from tests.recordings import Message, Recording, found, report_of_file
from tests.test_schema import check

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def complete(tmp_path: Path) -> Path:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s").result(1, {})
    return saved(tmp_path, "complete.ndjson", recording)


@pytest.fixture
def unmarked(tmp_path: Path) -> Path:
    recording = Recording().initialize_v1().load(1, "s").message("s", None).result(1, None)
    return saved(tmp_path, "unmarked.ndjson", recording)


@pytest.fixture
def nothing(tmp_path: Path) -> Path:
    return saved(tmp_path, "nothing.ndjson", Recording().initialize_v2())


@pytest.mark.parametrize(
    ("name", "options", "status"),
    [
        ("complete", ["--expect", "complete"], 0),
        ("complete", ["--expect", "truncated"], 1),
        ("unmarked", [], 0),
        ("unmarked", ["--expect", "complete"], 1),
        ("unmarked", ["--expect", "complete,unmarked"], 0),
        ("unmarked", ["--expect", " UNMARKED , complete,"], 0),
        ("unmarked", ["--expect", "complete", "--expect", "unmarked"], 0),
        ("unmarked", ["--expect", "complete", "--ignore", "RL406"], 0),
        ("unmarked", ["--expect", "complete", "--select", "RL2,RL3"], 0),
        ("unmarked", ["--expect", "complete", "--select", "unexpected-outcome"], 1),
        ("nothing", [], 0),
        ("nothing", ["--expect", "complete"], 1),
        ("nothing", ["--expect", ",".join(OUTCOMES)], 1),
        ("nothing", ["--expect", "complete", "--ignore", "RL4"], 0),
    ],
)
@pytest.mark.parametrize("form", FORMATS)
def test_exit_statuses(form: str, name: str, options: list[str], status: int, request: pytest.FixtureRequest) -> None:
    result = run("-f", form, request.getfixturevalue(name), *options)
    assert (result.returncode, result.stderr) == (status, "")
    assert ("RL406" in result.stdout) is bool(status)


def test_it_fails_as_other_errors_do(unmarked: Path) -> None:
    result = run("--expect", "complete", "--fail-on", "never", unmarked)
    assert result.returncode == 0
    assert "error[RL406]" in result.stdout


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ("completed", ["'completed'", "did you mean complete?"]),
        ("complete,truncate", ["'truncate'", "did you mean truncated?"]),
        ("nonsense", ["no outcome 'nonsense'"]),
        ("", ["no outcome ''"]),
        ("complete,,unmarked", ["no outcome ''"]),
        ("\x1b[31m::x", [r"\x1b[31m"]),
    ],
)
def test_an_unknown_outcome_is_2(names: str, words: list[str], complete: Path) -> None:
    result = run(complete, "--expect", names)
    assert_refused(result, *words)
    assert "\x1b" not in result.stderr


def test_an_outcome_has_to_be_named(complete: Path) -> None:
    assert_refused(run(complete, "--expect"), "--expect")


def test_each_input_needs_a_resume(complete: Path, nothing: Path) -> None:
    result = run("-f", "json", "--expect", "complete", complete, nothing)
    report: Message = json.loads(result.stdout)
    check(report)
    (finding,) = [each for each in report["findings"] if each["rule"] == "RL406"]
    assert result.returncode == 1
    assert (finding["trace"], finding["line"], finding["last_line"]) == (str(nothing), None, None)
    assert (finding["party"], finding["side"], finding["connection"]) == ("recording", None, None)
    assert finding["message"] == (
        "the recording holds no resume, where complete was expected; record a session/resume or session/load, or leave "
        "this recording out"
    )
    assert report["findings"][-1] == finding


def test_a_session_and_its_request_are_named(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume("r", "s").message("s", "m1").child("s", "c").message("c", "m2")
    path = saved(tmp_path, "children.ndjson", recording.error("r", -32603))
    report = report_of_file(path, expect=["complete"])
    check(report)
    first, second = [each for each in report["findings"] if each["rule"] == "RL406"]
    for finding, session in ((first, "c"), (second, "s")):
        assert (finding["session_id"], finding["request_id"], finding["side"]) == (session, "r", "client")
        assert (finding["line"], finding["connection"], finding["party"]) == (7, 1, "agent")
    # The role makes them two faults, and nothing that changes from recording to recording does.
    assert first["fingerprint"] != second["fingerprint"]
    other = Recording().initialize_v2().idle("x").resume(1, "t").message("t", "m1").error(1, -32000)
    others = report_of_file(saved(tmp_path, "other.ndjson", other), expect=["unmarked"])["findings"]
    (same,) = [each for each in others if each["rule"] == "RL406"]
    assert same["fingerprint"] == second["fingerprint"]


def test_each_outcome_is_a_fault_of_its_own(tmp_path: Path) -> None:
    """Who knows that a replay is unmarked does not know that it is truncated."""
    before, after = (Recording().initialize_v2().resume(1, "s").message("s", "m1") for _ in range(2))
    unmarked = saved(tmp_path, "before.ndjson", before.idle("s").result(1, {}))
    truncated = saved(tmp_path, "after.ndjson", after.error(1, -32603))
    known = tmp_path / "known.json"
    options = ("--expect", "complete", "--select", "RL406")
    assert run(*options, unmarked, "--write-baseline", known).returncode == 0
    assert run(*options, unmarked, "--baseline", known).returncode == 0
    result = run("-f", "concise", *options, truncated, "--baseline", known)
    assert result.returncode == 1
    assert "error RL406 unexpected-outcome: the outcome is truncated, where complete was expected" in result.stdout


def test_nobody_knows_what_an_unread_recording_holds(complete: Path, nothing: Path) -> None:
    nothing.write_bytes(gzip.compress(nothing.read_bytes())[:-4])
    result = run("-f", "json", "--expect", "complete", complete, nothing, "absent")
    report = json.loads(result.stdout)
    assert result.returncode == 2
    assert [each["rule"] for each in report["findings"] if each["rule"] == "RL406"] == []


def test_a_cut_recording_is_judged_as_far_as_it_was_read(unmarked: Path) -> None:
    unmarked.write_bytes(gzip.compress(unmarked.read_bytes())[:-4])
    result = run("-f", "concise", "--expect", "complete", unmarked)
    assert result.returncode == 2
    assert_one_line(result, "ends too early")
    assert ":5: error RL406 unexpected-outcome: the outcome is unmarked, where complete was expected; " in result.stdout


def test_a_resume_that_asks_for_no_history_is_no_replay(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s", replay=False).idle("s").result(1, {})
    report = report_of_file(saved(tmp_path, "plain.ndjson", recording), expect="complete")
    assert found(report, least="error") == []


def test_outcomes_are_put_in_their_order() -> None:
    assert outcomes(["unmarked", "complete,truncated"]) == ("complete", "truncated", "unmarked")
    with pytest.raises(ValueError, match="no outcome is named"):
        outcomes([])
