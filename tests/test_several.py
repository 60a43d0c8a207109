"""Recordings that are spread over several files: parts one after another, and each side apart."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest
from orjson import dumps

from replaylint.analysis.lint import lint
from replaylint.errors import UnknownNameError
from replaylint.render.json import render
from replaylint.render.view import View
from tests.command_line import run
from tests.recordings import Message, Recording, found, report_of
from tests.test_schema import check

if TYPE_CHECKING:
    from collections.abc import Callable

    from replaylint.report.model import Finding, Report


RULES: Final = Path(__file__).parent / "rules"


def recording() -> Recording:
    """A replay with a live update before its marker, at line 6, a permission in its gap, and a prompt afterwards."""
    made = Recording().initialize_v2().resume(1, "s").message("s", "m1").message("s", "m2").update("s", "notice")
    made.marker("s", after=0.2).agent("p", "session/request_permission", sessionId="s")
    made.result("p", {"outcome": {"outcome": "cancelled"}}, direction="c2a").idle("s", after=0.5).result(
        1, {}, after=0.1
    )
    return made.client(2, "session/prompt", sessionId="s").message("s", "m3").result(2, {"stopReason": "end_turn"})


def as_json(report: Report) -> Message:
    made: Message = json.loads(b"".join(render(report, View())))
    check(made)
    return made


def written(path: Path, records: list[Any]) -> str:
    path.write_bytes(b"".join(dumps(record) + b"\n" for record in records))
    return str(path)


def substance(report: Message) -> list[Any]:
    """What a report says beside where it stands."""
    return [
        [(each["rule"], each["severity"], each["count"], each["session_id"]) for each in report["findings"]],
        [(each["request_id"], each["end"], each["ambiguous"]) for each in report["resumes"]],
        [session[key] for each in report["resumes"] for session in each["sessions"] for key in ("outcome", "timing")],
        [session["updates"]["by_kind"] for each in report["resumes"] for session in each["sessions"]],
    ]


@pytest.mark.parametrize("at", range(1, 14))
def test_parts_are_what_the_whole_is(at: int, tmp_path: Path) -> None:
    records = recording().records
    whole = report_of(recording().lines(), tmp_path)
    parts = [written(tmp_path / "1", records[:at]), written(tmp_path / "2", records[at:])]
    report = as_json(lint(parts, concat=True))
    assert substance(report) == substance(whole)
    assert found(whole) == [("RL301", "error", 6)]
    (finding,) = report["findings"]
    assert (finding["trace"], finding["line"]) == ((parts[0], 6) if at >= 6 else (parts[1], 6 - at))
    (resume,) = report["resumes"]
    assert (resume["trace"], resume["request"]["line"]) == ((parts[0], 3) if at >= 3 else (parts[1], 3 - at))
    response = resume["response"]
    assert (response.get("trace", resume["trace"]), response["line"]) == (
        (parts[0], 11) if at >= 11 else (parts[1], 11 - at)
    )
    marker = resume["sessions"][0]["marker"]
    assert (marker.get("trace", resume["trace"]), marker["line"]) == ((parts[0], 7) if at >= 7 else (parts[1], 7 - at))
    assert [each["lines"] for each in report["traces"]] == [at, len(records) - at]


def test_evidence_names_the_file_that_it_is_in(tmp_path: Path) -> None:
    records = recording().records
    one, other = written(tmp_path / "1", records[:6]), written(tmp_path / "2", records[6:])
    (finding,) = as_json(lint([one, other], concat=True))["findings"]
    assert finding["evidence"] == [{"line": 3, "what": "request"}, {"line": 1, "what": "marker", "trace": other}]
    assert f"marker at line 1 of {other}" in finding["message"]


@pytest.mark.parametrize("path", sorted(RULES.glob("*/fires.ndjson")), ids=lambda path: path.parent.name)
def test_every_line_in_a_sentence_is_one_of_its_file(path: Path, tmp_path: Path) -> None:
    """Told as lines of the whole, the sentences about two parts are those about the whole."""
    lines = path.read_bytes().splitlines(keepends=True)
    one, other = (tmp_path / name for name in ("one", "other"))
    place = re.compile(rf"\bline (\d+)(?: of ({re.escape(str(one))}|{re.escape(str(other))}))?")
    for at in range(1, len(lines)):
        one.write_bytes(b"".join(lines[:at]))
        other.write_bytes(b"".join(lines[at:]))
        begins = {str(one): 0, str(other): at}

        def in_the_whole(finding: Finding, text: str, begins: dict[str, int] = begins) -> str:
            here = begins[finding.trace or ""]
            return place.sub(lambda m: f"line {int(m[1]) + begins.get(m[2], here)}", text)

        parts = lint([one, other], concat=True)
        if any(trace.error for trace in parts.traces):
            continue  # a part is too short to be recognised
        found = {(each.rule, in_the_whole(each, each.message)) for each in parts.findings if each.line is not None}
        whole = {(each.rule, each.message) for each in lint(path).findings if each.line is not None}
        assert found == whole, at


def test_parts_are_one_recording_for_what_is_expected_of_it(tmp_path: Path) -> None:
    records = recording().records
    parts = [written(tmp_path / "1", records[:2]), written(tmp_path / "2", records[2:])]
    assert found(as_json(lint(parts, concat=True, expect="complete"))) == [("RL301", "error", 4)]
    apart = as_json(lint(parts, expect="complete"))
    assert [each["line"] for each in apart["findings"] if each["rule"] == "RL406"] == [None]


@pytest.mark.parametrize(("start", "back"), [(0.0, []), (1764390000.0, [("RL004", "warning", 1)])])
def test_no_duration_goes_from_one_clock_to_another(start: float, back: list[Any], tmp_path: Path) -> None:
    """The further part has relative times, or its clock is behind: only what lies within it is known."""
    records = recording().records
    later = [{**record, "ts": record["ts"] - 1764400000 + start} for record in records[7:]]
    files = [written(tmp_path / "1", records[:7]), written(tmp_path / "2", later)]
    report = as_json(lint(files, concat=True))
    assert found(report) == [("RL301", "error", 6), *back]
    timing = report["resumes"][0]["sessions"][0]["timing"]
    whole = as_json(lint(written(tmp_path / "whole", records)))["resumes"][0]["sessions"][0]["timing"]
    across = {"response_gap_s", "snapshot_gap_s", "total_s", "gap_longest_pause_s", "gap_waiting_for_client_s"}
    assert timing == {name: None if name in across else value for name, value in whole.items()}


def test_a_part_that_is_missing_is_an_error_of_its_own(tmp_path: Path) -> None:
    records = recording().records
    parts = [written(tmp_path / "1", records[:7]), str(tmp_path / "2"), written(tmp_path / "3", records[7:])]
    report = as_json(lint(parts, concat=True))
    assert [each["error"] and each["error"]["code"] for each in report["traces"]] == [None, "not-found", None]
    assert report["resumes"][0]["response"]["trace"] == parts[2]


# Each side apart


def sides(tmp_path: Path, *, timed: bool) -> tuple[str, str]:
    records = recording().records
    both = []
    for direction in ("c2a", "a2c"):
        own = [record for record in records if record["dir"] == direction]
        both.append(written(tmp_path / direction, own if timed else [record["msg"] for record in own]))
    return both[0], both[1]


def test_with_times_the_sides_are_what_the_whole_is(tmp_path: Path) -> None:
    client, agent = sides(tmp_path, timed=True)
    report = as_json(lint([], client_file=client, agent_file=agent))
    assert substance(report) == substance(report_of(recording().lines(), tmp_path))
    assert [(each["path"], each["format"], each["order"]) for each in report["traces"]] == [
        (client, "two-sided", "exact"),
        (agent, "two-sided", "exact"),
    ]
    (resume,) = report["resumes"]
    assert (resume["trace"], resume["request"]["line"]) == (client, 2)
    assert (resume["response"]["trace"], resume["response"]["line"]) == (agent, 8)
    (finding,) = report["findings"]
    assert (finding["trace"], finding["line"]) == (agent, 4)
    assert finding["evidence"] == [{"line": 2, "what": "request", "trace": client}, {"line": 5, "what": "marker"}]


def test_without_times_the_order_is_that_of_each_side(tmp_path: Path) -> None:
    client, agent = sides(tmp_path, timed=False)
    report = as_json(lint([], client_file=client, agent_file=agent))
    (resume,) = report["resumes"]
    assert (resume["end"], resume["sessions"][0]["outcome"]) == ("success", "complete")
    assert resume["sessions"][0]["timing"]["total_s"] is None
    assert [each["order"] for each in report["traces"]] == ["per_side", "per_side"]
    assert [(each["rule"], each["trace"], each["line"]) for each in report["findings"]] == [("RL301", agent, 4)]


def test_without_times_nothing_is_said_of_the_order_of_both_sides(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").client(2, "session/prompt", sessionId="s")
    made.message("s", "m1").marker("s").error(2, -32603).idle("s").result(1, {})
    assert {rule for rule, _, _ in found(report_of(made.lines(), tmp_path))} == {"RL309", "RL313"}
    files = []
    for direction in ("c2a", "a2c"):
        own = [record["msg"] for record in made.records if record["dir"] == direction]
        files.append(written(tmp_path / direction, own))
    report = as_json(lint([], client_file=files[0], agent_file=files[1]))
    assert found(report) == []
    assert report["resumes"][0]["sessions"][0]["outcome"] == "complete"


def apart(tmp_path: Path, made: Recording, time: Callable[[str, float], object] | None) -> Message:
    """The report of what each side sent; `time` gives the one of a direction's message, from its true one."""
    files = []
    for direction in ("c2a", "a2c"):
        own = [record for record in made.records if record["dir"] == direction]
        stamped = [
            each["msg"] if time is None else {"ts": time(direction, each["ts"]), "msg": each["msg"]} for each in own
        ]
        files.append(written(tmp_path / direction, stamped))
    return as_json(lint([], client_file=files[0], agent_file=files[1]))


def whole_seconds(direction: str, time: float) -> object:
    """The client's clock counts seconds, the agent's what it is."""
    return int(time) if direction == "c2a" else time


def finely(_direction: str, time: float) -> object:
    return time


def orders(report: Message) -> set[str]:
    return {each["order"] for each in report["traces"]}


def live_update(*, before: bool) -> Recording:
    """A live update just before a replay was requested, or just after."""
    made = Recording(1764400000.001).initialize_v2()
    if before:
        made.update("s", "available_commands_update", after=5.2).resume(1, "s", after=0.1)
    else:
        made.resume(1, "s", after=5.2).update("s", "available_commands_update", after=0.1)
    return made.message("s", "m", after=0.7).marker("s").idle("s").result(1, {})


def test_a_coarse_clock_does_not_say_which_side_came_first(tmp_path: Path) -> None:
    for before in (False, True):
        report = apart(tmp_path, live_update(before=before), whole_seconds)
        assert (found(report), orders(report)) == ([], {"approximate"})
        assert report["resumes"][0]["sessions"][0]["outcome"] == "complete"


def test_fine_clocks_do(tmp_path: Path) -> None:
    report = apart(tmp_path, live_update(before=False), finely)
    assert (found(report), orders(report)) == ([("RL301", "error", 2)], {"exact"})
    report = apart(tmp_path, live_update(before=True), finely)
    assert (found(report), orders(report)) == ([], {"exact"})


def test_without_times_a_live_update_may_have_come_before_the_request(tmp_path: Path) -> None:
    for before in (False, True):
        report = apart(tmp_path, live_update(before=before), None)
        assert (found(report), orders(report)) == ([], {"per_side"})


@pytest.mark.parametrize("time", [whole_seconds, None])
def test_a_live_update_behind_history_is_certain(time: Callable[[str, float], object] | None, tmp_path: Path) -> None:
    made = Recording(1764400000.001).initialize_v2().resume(1, "s", after=5.2).message("s", "m").update("s", "notice")
    made.agent("p", "session/request_permission", sessionId="s").marker("s").idle("s")
    made.result("p", {"outcome": {"outcome": "cancelled"}}, direction="c2a").result(1, {})
    report = apart(tmp_path, made, time)
    assert found(report) == [("RL301", "error", 3), ("RL302", "warning", 4)]


PROMPT: Final[Message] = {"sessionId": "s", "prompt": []}


def crossing(kind: str) -> Recording:
    """Two messages that cross, so that the order of both sides decides whether there is a fault."""
    made = Recording(1764400000.001).initialize_v2()
    if kind == "RL103":
        return made.client(2, "session/list", after=5.2).client(2, "session/list").result(2, {}).result(2, {})
    if kind == "RL309":
        made.resume(1, "s", after=5.2).marker("s").idle("s").client(2, "session/prompt", **PROMPT)
        return made.result(1, {}).result(2, {"stopReason": "end_turn"}, after=3)
    made.resume(1, "s", after=5.2).marker("s").idle("s").result(1, {})
    if kind == "RL308":
        made.resume(2, "s", after=0.1)
        return made.marker("s").idle("s").result(2, {})
    if kind == "RL314":
        return made.client(2, "session/prompt", **PROMPT).error(2, -32603, after=3)
    assert kind == "RL204"
    made.resume(2, "s", replay=False, after=0.1)
    return made.marker("s").idle("s").result(2, {})


@pytest.mark.parametrize("kind", ["RL103", "RL204", "RL308", "RL309", "RL314"])
@pytest.mark.parametrize("time", [whole_seconds, None])
def test_what_needs_the_order_is_silent_where_messages_cross(
    kind: str, time: Callable[[str, float], object] | None, tmp_path: Path
) -> None:
    """With fine clocks it is what one file gives."""
    made = crossing(kind)
    exact = apart(tmp_path, made, finely)
    whole = report_of(made.lines(), tmp_path)
    assert sorted(rule for rule, *_ in found(exact)) == sorted(rule for rule, *_ in found(whole))
    assert substance(exact)[1:] == substance(whole)[1:]
    assert orders(exact) == {"exact"}
    guessed = apart(tmp_path, made, time)
    assert not {each["rule"] for each in guessed["findings"]} & {kind, "RL310", "RL313"}
    if kind != "RL308":
        assert kind in {each["rule"] for each in exact["findings"]}


def test_the_ids_of_an_agent_that_was_started_again_are_no_repetition(tmp_path: Path) -> None:
    """The first one has died without an answer."""
    made = Recording().initialize_v2().resume(1, "s").message("s", "m").initialize_v2().resume(1, "s")
    made.message("s", "m").marker("s").idle("s").result(1, {})
    for time in (finely, None):
        assert "RL102" not in {rule for rule, *_ in found(apart(tmp_path, made, time))}


def test_a_late_marker_is_certain_where_nothing_else_asks_for_it(tmp_path: Path) -> None:
    made = Recording(1764400000.001).initialize_v2().resume(1, "s", after=5.2).message("s", "m").idle("s").result(1, {})
    made.marker("s").client(2, "session/prompt", after=0.1, **PROMPT).result(2, {"stopReason": "end_turn"}, after=3)
    for time in (whole_seconds, None):
        assert {rule for rule, *_ in found(apart(tmp_path, made, time))} == {"RL201", "RL203"}
    made.resume(3, "s", after=3).marker("s").idle("s").result(3, {})
    assert "RL203" in {rule for rule, *_ in found(apart(tmp_path, made, finely))}
    assert "RL203" not in {rule for rule, *_ in found(apart(tmp_path, made, None))}


def test_the_text_says_why_the_order_is_a_guess(tmp_path: Path) -> None:
    report = apart(tmp_path, live_update(before=True), whole_seconds)
    paths = [each["path"] for each in report["traces"]]
    output = run("--client-file", paths[0], "--agent-file", paths[1], "--timeline").stdout
    assert "; wall-clock times; directions recorded, approximate order: the times do not always tell which " in output
    assert "timeline of session s: what of one side came before what of the other is not always known" in output


def test_a_clock_is_as_exact_as_the_one_that_gives_it_its_offset(tmp_path: Path) -> None:
    """Each side has a clock of its own since its start, beside the time of day in whole seconds."""
    made = live_update(before=False)
    files = []
    for direction, start in (("c2a", 1764400000.0), ("a2c", 1764399000.5)):
        own = [record for record in made.records if record["dir"] == direction]
        stamped = [
            {"mono_ns": int((each["ts"] - start) * 1e9), "ts": int(each["ts"]), "msg": each["msg"]} for each in own
        ]
        files.append(written(tmp_path / direction, stamped))
    report = as_json(lint([], client_file=files[0], agent_file=files[1]))
    assert (found(report), orders(report)) == ([], {"approximate"})


def test_a_side_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    client, _ = sides(tmp_path, timed=True)
    report = as_json(lint([], client_file=client, agent_file=str(tmp_path / "absent")))
    assert [each["error"] and each["error"]["code"] for each in report["traces"]] == [None, "not-found"]
    with pytest.raises(ValueError, match="belong together"):
        lint([], client_file=client)


# What each finding is about


def as_parts(folder: Path, records: list[Any]) -> list[str]:
    """Arguments for two files, in which request and response have the same line number."""
    at = len(records) - 3
    return ["--concat", written(folder / "1", records[:at]), written(folder / "2", records[at:])]


def as_sides(folder: Path, records: list[Any]) -> list[str]:
    client = [record for record in records if record["dir"] == "c2a"]
    agent = [record for record in records if record["dir"] != "c2a"]
    return ["--client-file", written(folder / "1", client), "--agent-file", written(folder / "2", agent)]


@pytest.mark.parametrize("spread", [as_parts, as_sides])
def test_a_finding_is_of_its_resume_in_whatever_file_it_stands(
    spread: Callable[[Path, list[Any]], list[str]], tmp_path: Path
) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m").update("s", "notice").result(1, {})
    arguments = [*spread(tmp_path, made.records), "--max-gap", "1ms", "--expect", "complete"]
    rules = {"RL201", "RL212", "RL401", "RL406"}
    report = json.loads(run("-f", "json", *arguments).stdout)
    check(report)
    here, there = (str(tmp_path / name) for name in "12")
    (request,) = {each["request"]["line"] for each in report["resumes"]}
    for each in report["findings"]:
        evidence = [
            (one.get("trace", each["trace"]), one["line"]) for one in each["evidence"] if one["what"] == "request"
        ]
        assert (each["trace"], evidence) == (there, [(here, request)])
    assert {each["rule"] for each in report["findings"]} == rules
    (row,) = csv.DictReader(run("-f", "csv", *arguments).stdout.splitlines())
    assert set(row["findings"].split()) == rules
    suites = ET.fromstring(run("-f", "junit", *arguments).stdout)  # noqa: S314
    assert [each.get("name") for each in suites.iter("testcase") if each.find("failure") is not None] == [
        "session/resume 1"
    ]
    output = run(*arguments).stdout
    assert set(re.findall(r"^error\[(RL\d+)\]", output, re.MULTILINE)) == rules
    requests = re.findall(r"^ +\d+ \S session/resume 1 +0 ms  (.*)$", output, re.MULTILINE)
    assert requests == [here] * len(rules)
    _, rest = output.split(f"\n{there}: ")
    assert rest.splitlines()[1] == f"  a part of the same recording as {here}"


def test_each_finding_is_of_its_own_resume_where_a_part_comes_twice(tmp_path: Path) -> None:
    part = written(tmp_path / "1", recording().records)
    rows = csv.DictReader(run("-f", "csv", "--concat", part, part).stdout.splitlines())
    assert [row["findings"] for row in rows] == ["RL301", "RL301"]


def test_a_budget_is_exceeded_where_the_replay_ended(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m").marker("s", after=1).idle("s").result(1, {})
    arguments = as_parts(tmp_path, made.records)
    findings = json.loads(run("-f", "json", "--max-replay", "1ms", "--max-gap", "1ms", *arguments).stdout)["findings"]
    here, there = (str(tmp_path / name) for name in "12")
    rests = [(here, 3, "request"), (there, 1, "marker"), (there, 3, "response")]
    assert {
        each["rule"]: (
            each["trace"],
            each["line"],
            [(e.get("trace", each["trace"]), e["line"], e["what"]) for e in each["evidence"]],
        )
        for each in findings
    } == {"RL402": (there, 1, rests), "RL401": (there, 3, rests)}


def test_without_times_a_cancellation_comes_before_the_answer(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m")
    made.record("c2a", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}).error(1, -32800)
    untimed = [{key: record[key] for key in ("dir", "msg")} for record in made.records]
    files = [
        written(tmp_path / side, [record["msg"] for record in untimed if record["dir"] == side])
        for side in ("c2a", "a2c")
    ]
    report = as_json(lint([], client_file=files[0], agent_file=files[1]))
    assert [(each["rule"], each["severity"]) for each in report["findings"]] == [("RL209", "info")]


# The format


def test_a_format_can_be_forced(tmp_path: Path) -> None:
    path = written(tmp_path / "1", recording().records)
    report = as_json(lint(path, input_format="RAW"))
    assert report["traces"][0]["format"] == "raw"
    assert report["resumes"] == []
    with pytest.raises(UnknownNameError, match="did you mean envelope"):
        lint(path, input_format="envelop")
