"""`--timeline`: what came when in each session of a resume, what is folded, and that looking on changes nothing."""

from __future__ import annotations

import gc
import weakref
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from, tuples
from orjson import dumps

from replaylint.analysis.lint import lint
from replaylint.render import text
from replaylint.render.view import View
from replaylint.replay.events import UpdateReceived
from replaylint.views.extract import NEAR_S
from replaylint.views.timeline import MAX_ENTRIES, Timelines
from tests.command_line import assert_refused, run
from tests.conftest import ROOT
from tests.profiles import profile
from tests.recordings import VENDOR_EVENT, Recording
from tests.reports import EVIL, assert_golden
from tests.strategies import Mix, connections, mutated
from tests.test_properties import folder
from tests.test_render import PAYLOADS, assert_harmless

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from replaylint.replay.events import Stream
    from replaylint.report.model import Report
    from replaylint.report.source_map import SourceMap
    from replaylint.views.timeline import Timeline, TimelineEntry

__all__ = ["folder"]

SAMPLES = sorted((ROOT / "sample_traces").glob("*.ndjson"))


def told(*paths: Path | str, **options: Any) -> tuple[Report, Mapping[int, Timeline]]:
    """The report of these recordings, and the timelines of its resumes."""
    timelines = Timelines()
    report = lint(paths, watch=timelines.begin, **options)
    return report, timelines.of(report)


def written(recording: Recording, folder: Path) -> Path:
    path = folder / "trace.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in recording.lines()))
    return path


def events(recording: Recording, folder: Path, session_id: str = "s", number: int = 1) -> list[TimelineEntry]:
    """The events of a session of a resume, the named one of the first unless told otherwise."""
    return told(written(recording, folder))[1][number][session_id]


def vendor_event(session_id: str) -> dict[str, Any]:
    params = {"sessionId": session_id, "update": VENDOR_EVENT}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def brief(found: list[TimelineEntry]) -> list[tuple[str, str, int]]:
    return [(each.kind, each.what, each.messages) for each in found]


def shown(path: Path, **options: Any) -> str:
    report, timelines = told(path)
    return "".join(text.render(report, View(**options, timelines=timelines)))


# Looking on


def check(path: Path) -> None:
    """The report is the same as without timelines, and these are in order and bounded."""
    report, timelines = told(path)
    assert dumps(report) == dumps(lint(path))
    assert list(timelines) == list(range(1, len(report.resumes) + 1))
    for number, resume in enumerate(report.resumes, 1):
        assert list(timelines[number]) == [each.session_id for each in resume.sessions]
        for session in resume.sessions:
            found = timelines[number][session.session_id]
            assert 0 < len(found) <= MAX_ENTRIES
            if session.role == "named":
                assert (found[0].kind, found[0].line, found[0].at_s) in {
                    ("request", resume.request.line, at) for at in (0.0, None)
                }
            ends = [(each.kind, each.what, each.line) for each in found if each.kind in {"response", "end"}]
            if resume.response is not None:
                assert ends == [("response", resume.method, resume.response.line)]
            else:
                assert ends == [("end", resume.end, None)] == [(*found[-1][:1], found[-1].what, found[-1].line)]
            if session.marker is not None:
                marker = ("marker", session.marker.kind, session.marker.line)
                assert marker in [(each.kind, each.what, each.line) for each in found]
            marked = [each for each in found if each.longest]
            assert len(marked) <= 1
            if marked:
                assert found.index(marked[0]) <= [each.kind for each in found].index(ends[0][0])
            lines = [line for each in found for line in (each.line, each.last_line or each.line) if line is not None]
            assert lines == sorted(lines)
    assert "".join(text.render(report, View(timelines=timelines)))


@pytest.mark.parametrize("path", [*SAMPLES, ROOT / "sample_traces" / "real"], ids=lambda path: path.name)
def test_looking_on_changes_nothing(path: Path) -> None:
    check(path)


@profile(60)
@given(lines=mutated())
def test_looking_on_never_fails(folder: Path, lines: list[bytes]) -> None:
    path = folder / "trace.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    check(path)


@profile(60)
@given(mix=connections())
def test_looking_on_at_connections_that_mix(folder: Path, mix: Mix) -> None:
    path = folder / "trace.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in mix.lines()))
    check(path)


def test_an_analysis_is_let_go_without_the_collector() -> None:
    timelines = Timelines()
    streams: list[weakref.ref[Stream]] = []

    def begin(stream: Stream, locate: SourceMap) -> None:
        streams.append(weakref.ref(stream))
        timelines.begin(stream, locate)

    gc.disable()
    try:
        report = lint(SAMPLES, watch=begin)
        assert [each for each in streams if each() is not None] == []
    finally:
        gc.enable()
    assert len(timelines.of(report)) == len(report.resumes) >= len(SAMPLES)


# Events


def test_the_messages_of_a_resume_in_their_order(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    recording.message("s", "m1", 0.02).message("s", "m2").message("s", "m3", who="user_message")
    recording.agent(7, "session/request_permission", 0.1, sessionId="s").result(7, {}, 0.3, "c2a")
    recording.client(2, "session/prompt", sessionId="s").error(2, -32002)
    recording.record("c2a", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}})
    recording.record("c2a", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}})
    recording.update("other", "notice").marker("s").idle("s", 0.25).result(1, {}, 0.05)
    found = events(recording, tmp_path)
    assert brief(found) == [
        ("request", "session/resume", 1),
        ("updates", "agent_message", 2),
        ("updates", "user_message", 1),
        ("asks", "session/request_permission", 1),
        ("answers", "session/request_permission", 1),
        ("asks", "session/prompt", 1),
        ("answers", "session/prompt", 1),
        ("cancels", "$/cancel_request", 1),
        ("notification", "session/cancel", 1),
        ("marker", "replay_complete", 1),
        ("state", "idle", 1),
        ("response", "session/resume", 1),
    ]
    assert [each.side for each in found[:6]] == ["client", "agent", "agent", "agent", "client", "client"]
    assert [(each.line, each.last_line) for each in found[:3]] == [(3, 3), (4, 5), (6, 6)]
    run = found[1]
    assert (run.at_s, run.lasted_s, run.pause_s, run.inner_pause_s) == (0.02, 0.01, 0.02, 0.01)
    assert [(each.kind, each.longest) for each in found if each.longest] == [("answers", "before")]


@pytest.mark.parametrize("way", ["replaying", "plain"])
def test_a_request_owns_what_comes_while_it_is_pending(tmp_path: Path, way: str) -> None:
    recording = Recording().initialize_v2().resume(1, "s", replay=way == "replaying").update("s", "notice").idle("s")
    recording.agent(3, "fs/read_text_file", sessionId="s").result(3, {}, direction="c2a").result(1, {})
    recording.update("s", "notice")
    found = events(recording, tmp_path)
    assert [each.kind for each in found] == ["request", "updates", "state", "asks", "answers", "response"]


def test_what_comes_too_late_stands_below_the_response(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").idle("s").result(1, {})
    recording.message("s", "m", 3.0, who="user_message").update("s", "notice").marker("s")
    recording.client(2, "session/prompt", sessionId="s").message("s", "n").result(2, {"stopReason": "end_turn"})
    found = events(recording, tmp_path)
    assert brief(found)[2:] == [
        ("response", "session/resume", 1),
        ("updates", "user_message", 1),
        ("marker", "replay_complete", 1),
    ]
    assert [each.longest for each in found] == [None, "before", None, None, None]


def test_each_of_two_replays_tells_of_what_is_its_own(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").resume(2, "s")
    recording.message("s", "a").marker("s").message("s", "b").marker("s").idle("s").result(2, {}).result(1, {})
    kinds = [[each.kind for each in events(recording, tmp_path, number=number)] for number in (1, 2)]
    assert kinds == [
        ["request", "asks", "updates", "marker", "answers", "response"],
        ["request", "updates", "marker", "state", "response"],
    ]


def test_a_child_has_events_of_its_own_also_those_before_its_announcement(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("c", "early").message("x", "never announced")
    recording.child("s", "c").child("c", "d").message("d", "m").marker("d").marker("c").child("s", "c").marker("s")
    recording.idle("s").result(1, {})
    _, timelines = told(written(recording, tmp_path))
    assert {each: brief(found) for each, found in timelines[1].items()} == {
        "s": [
            ("request", "session/resume", 1),
            ("child", "c", 1),
            ("updates", "subagent_update", 1),
            ("marker", "replay_complete", 1),
            ("state", "idle", 1),
            ("response", "session/resume", 1),
        ],
        "c": [
            ("updates", "agent_message", 1),
            ("announced", "s", 1),
            ("child", "d", 1),
            ("marker", "replay_complete", 1),
            ("response", "session/resume", 1),
        ],
        "d": [
            ("announced", "c", 1),
            ("updates", "agent_message", 1),
            ("marker", "replay_complete", 1),
            ("response", "session/resume", 1),
        ],
    }


def test_the_longest_pause_of_a_child_may_be_the_last() -> None:
    _, timelines = told(ROOT / "sample_traces" / "child-without-marker.ndjson")
    assert [(each.kind, each.pause_s) for each in timelines[1]["sC"] if each.longest] == [("response", 0.21)]


SILENT = {"response", "updates", "child", "announced", "state", "request", "end"}
"""Events before which the report's silences end, or begin."""


@pytest.mark.parametrize("path", [*SAMPLES, ROOT / "sample_traces" / "real"], ids=lambda path: path.name)
def test_the_longest_pause_is_no_shorter_than_the_silences_of_the_report(path: Path) -> None:
    report, timelines = told(path)
    for number, resume in enumerate(report.resumes, 1):
        for session in resume.sessions:
            found = timelines[number][session.session_id]
            marked = [max(each.pause_s or 0.0, each.inner_pause_s or 0.0) for each in found if each.longest] or [0.0]
            assert marked[0] >= (session.timing.longest_pause_s or 0.0) - NEAR_S
            if all(each.kind in SILENT or each.line == session.replay_end_line for each in found):
                assert marked[0] >= (session.timing.gap_longest_pause_s or 0.0) - NEAR_S


@pytest.mark.parametrize(("closed", "end"), [(True, "closed"), (False, "open")])
def test_without_a_response_the_end_is_told(tmp_path: Path, *, closed: bool, end: str) -> None:
    recording = (
        Recording().initialize_v2().resume(1, "s").child("s", "c").message("s", "m").update("other", "notice", 3)
    )
    for session_id in ("s", "c"):
        last = told(written(recording, tmp_path), closed=closed)[1][1][session_id][-1]
        assert (last.kind, last.what, last.line, last.at_s, last.longest) == ("end", end, None, 3.02, "before")
    assert last.pause_s == 3.01


def test_an_end_without_a_time(tmp_path: Path) -> None:
    path = tmp_path / "trace.ndjson"
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m")
    path.write_bytes(b"".join(dumps({"dir": each["dir"], "msg": each["msg"]}) + b"\n" for each in recording.records))
    last = told(path)[1][1]["s"][-1]
    assert (last.kind, last.what, last.at_s, last.pause_s, last.longest) == ("end", "open", None, None, None)


def test_a_cancellation_may_come_too_late(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").result(1, {}).client(2, "session/list").resume(3, "s")
    for ident in (1, 2, 3, 4):
        recording.record("c2a", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": ident}})
    _, timelines = told(written(recording.error(3, -32800), tmp_path))
    cancelled = [[each.line for each in timelines[number]["s"] if each.kind == "cancels"] for number in (1, 2)]
    assert cancelled == [[7], [9]]


def test_the_vendors_marker_is_one_for_all_sessions(tmp_path: Path) -> None:
    recording = Recording().initialize_v1(opted_in=True).load(1, "s")
    recording.update("e", "usage_update")
    for child in ("c", "d", "e"):
        recording.update("s", "subagent_spawned", subagentSessionId=child, name="n", task="t", capabilities={})
        if child == "c":
            recording.vendor("s")
    recording.result(1, None)
    for session_id in ("s", "c", "d", "e"):
        found = events(recording, tmp_path, session_id)
        assert [(each.what, each.line) for each in found if each.kind == "marker"] == [("air_load_replay_end", 6)]


def test_a_marker_may_come_in_one_batch_with_the_response(tmp_path: Path) -> None:
    whole = Recording().initialize_v2().resume(1, "s").message("s", "m").marker("s").result(1, {})
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m")
    recording.record("a2c", [each["msg"] for each in whole.records[-2:]])
    assert brief(events(recording, tmp_path)) == brief(events(whole, tmp_path))


def test_what_v1_has_no_marker_for_is_an_update(tmp_path: Path) -> None:
    recording = Recording().initialize_v1().load(1, "s").marker("s").update("s", "session_info_update").result(1, None)
    assert brief(events(recording, tmp_path))[1:3] == [
        ("updates", "replay_complete", 1),
        ("updates", "session_info_update", 1),
    ]
    assert VENDOR_EVENT["sessionUpdate"] == "session_info_update"


# Folding


def stream(*pauses: float, who: str = "agent_message") -> Recording:
    """A resume with a message after each of these pauses; all else comes at once."""
    recording = Recording().initialize_v2().resume(1, "s")
    for number, pause in enumerate(pauses):
        recording.message("s", f"m{number}", pause, who=who)
    return recording.marker("s", 0).idle("s", 0).result(1, {}, 0)


def runs(recording: Recording, folder: Path) -> list[tuple[int, float | None, float | None]]:
    """Of each event of updates: how many, in what time, and the pause before it."""
    found = [each for each in events(recording, folder) if each.kind == "updates"]
    return [(each.messages, each.lasted_s, each.pause_s) for each in found]


def test_like_updates_are_one_event(tmp_path: Path) -> None:
    """Of a stream that is nearly steady the longest pause may be in the middle, and stays there."""
    found = events(stream(*(0.012 if number == 200 else 0.01 for number in range(800))), tmp_path)
    (run,) = [each for each in found if each.kind == "updates"]
    assert (run.messages, run.line, run.last_line, run.kinds) == (800, 4, 803, {"agent_message": 800})
    assert (run.lasted_s, run.inner_pause_s, run.longest) == (7.992, 0.012, "inside")


@pytest.mark.parametrize(
    ("pauses", "expected"),
    [
        ([0, *[0.001] * 399, 10.0, *[0.001] * 399], [(400, 0.399, 0.0), (400, 0.399, 10.0)]),
        ([0, *[0.001] * 99, 3.0, *[0.001] * 99, 2.0], [(100, 0.099, 0.0), (100, 0.099, 3.0), (1, 0.0, 2.0)]),
        ([0, 1.0, 1.0, 1.0, *[0.001] * 800], [(1, 0.0, 0.0), (1, 0.0, 1.0), (1, 0.0, 1.0), (801, 0.8, 1.0)]),
        ([0, 5.0], [(1, 0.0, 0.0), (1, 0.0, 5.0)]),
        ([20.0, *[0.01] * 100, 1.0, *[0.01] * 100], [(101, 1.0, 20.0), (101, 1.0, 1.0)]),
        ([20.0, *[0.01] * 800, 1.0, *[0.01] * 100], [(902, 10.0, 20.0)]),
        ([20.0, 0.01, 5.0], [(3, 5.01, 20.0)]),
    ],
    ids=["middle", "two", "slow, then fast", "two messages", "not the longest", "little of much", "too few to say"],
)
def test_a_run_is_split_where_a_pause_stands_out(
    tmp_path: Path, pauses: list[float], expected: list[tuple[int, float, float]]
) -> None:
    assert runs(stream(*pauses), tmp_path) == expected


def test_a_run_is_split_also_where_there_is_no_room_at_first(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(40):
        recording.message("s", f"u{number}", 0.02, who=("agent_message", "user_message")[number % 2])
    for number in range(400):
        recording.message("s", f"m{number}", 3.0 if number == 200 else 0.001, who="agent_thought")
    found = events(recording.marker("s").idle("s").result(1, {}), tmp_path)
    assert len(found) == MAX_ENTRIES
    assert [(each.messages, each.what, each.pause_s) for each in found if each.longest] == [(200, "agent_thought", 3.0)]


@profile(150)
@given(
    told_of=lists(
        tuples(
            sampled_from(["agent", "user", "user", "marker", "vendor", "state", "ask", "child", "cancel"]),
            sampled_from([0.0, 0.001, 0.001, 0.01, 0.02, 0.3, 2.0]),
        ),
        max_size=90,
    ),
    late=lists(sampled_from([0.001, 0.1, 30.0]), max_size=30),
)
def test_what_matters_is_never_folded(folder: Path, told_of: list[tuple[str, float]], late: list[float]) -> None:
    recording = Recording().initialize_v2(opted_in=True).resume(1, "s")
    for number, (what, after) in enumerate(told_of):
        match what:
            case "marker":
                recording.marker("s", after)
            case "vendor":
                recording.record("a2c", vendor_event("s"), after)
            case "state":
                recording.update("s", "state_update", after, state=f"state {number}")
            case "ask":
                recording.agent(f"a{number}", "session/request_permission", after, sessionId="s")
            case "child":
                recording.child("s", f"c{number}", after)
            case "cancel":
                cancel = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}}
                recording.record("c2a", cancel, after)
            case _:
                recording.message("s", f"m{number}", after, who=f"{what}_message")
    told_lines = [line for line, record in enumerate(recording.records, 1) if line > 2]
    first_cancel = next((line for line, (what, _) in enumerate(told_of, 4) if what == "cancel"), 0)
    told_lines = [line for line in told_lines if line <= 3 or told_of[line - 4][0] != "cancel" or line == first_cancel]
    recording.result(1, {})
    response = len(recording.records)
    for after in late:
        recording.marker("s", after)
    found = events(recording, folder)
    assert len(found) <= MAX_ENTRIES
    assert sum(each.messages for each in found) == len(told_lines) + 1 + len(late)
    rows = {(each.kind, each.what): each for each in reversed(found) if each.messages == 1}
    assert rows["request", "session/resume"] is found[0]
    assert rows["response", "session/resume"].line == response
    for kind, what in (("marker", "replay_complete"), ("vendor", "air_load_replay_end")):
        first = next((line for line, (each, _) in enumerate(told_of, 4) if each == kind), 0)
        first = first or (response + 1 if kind == "marker" and late else 0)
        assert not first or rows["marker", what].line == first
    assert not first_cancel or rows["cancels", "$/cancel_request"].line == first_cancel
    times = [recording.records[line - 1]["ts"] for line in (*told_lines, response)]
    longest = max(round(other - one, 6) for one, other in pairwise(times))
    marked = [each for each in found if each.longest]
    assert [each.pause_s if each.longest == "before" else each.inner_pause_s for each in marked] == [longest]
    assert (marked[0].line or 0) <= response


def test_however_the_pauses_grow_what_is_kept_is_bounded(tmp_path: Path) -> None:
    timelines = Timelines()
    sizes: list[int] = []

    def begin(stream: Stream, locate: SourceMap) -> None:
        timelines.begin(stream, locate)
        stream.subscribe(UpdateReceived, measure)

    def measure(event: UpdateReceived) -> None:
        if event.line % 50 == 0:
            sizes.append(sum(type(each).__name__ == "_Row" for each in gc.get_objects()))

    pauses = [0.001 * number for number in range(200)]
    lint([written(stream(*pauses, *reversed(pauses)), tmp_path)], watch=begin)
    assert len(sizes) == 8
    assert max(sizes) == MAX_ENTRIES


def test_of_many_runs_the_longest_silences_survive(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    pauses = [0.001 * (number * 7919 % 1009) for number in range(500)]
    for number, pause in enumerate(pauses):
        recording.message("s", f"m{number}", pause, who=("agent_message", "user_message")[number % 2])
    found = events(recording.marker("s").idle("s").result(1, {}), tmp_path)
    assert len(found) == MAX_ENTRIES
    runs = found[1:-3]
    assert sum(each.messages for each in runs) == 500
    assert sum(sum(each.kinds.values()) for each in runs) == 500
    kept = sorted((each.pause_s or 0.0 for each in runs[1:]), reverse=True)
    assert kept == pytest.approx(sorted(pauses[1:], reverse=True)[: len(kept)])


def test_of_what_cannot_be_folded_the_middle_is_counted(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(1000):
        recording.update("s", "state_update", state=f"state {number}")
    found = events(recording.result(1, {}), tmp_path)
    assert len(found) == MAX_ENTRIES
    assert [each.kind for each in found if each.kind != "state"] == ["request", "omitted", "response"]
    assert sum(each.messages for each in found) == 1002
    assert found[-2].what == "state 999"


def test_without_times_runs_are_folded_evenly(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s")
    for number in range(400):
        recording.message("s", f"m{number}", who=("agent_message", "user_message")[number % 2])
    recording.marker("s").idle("s").result(1, {})
    path = tmp_path / "trace.ndjson"
    path.write_bytes(b"".join(dumps({"dir": each["dir"], "msg": each["msg"]}) + b"\n" for each in recording.records))
    found = told(path)[1][1]["s"]
    assert all(each.at_s is None and each.longest is None for each in found)
    counts = [each.messages for each in found if each.kind == "updates"]
    assert sum(counts) == 400
    assert max(counts) < 400 / 4


def test_a_clock_that_went_back_leaves_times_unknown(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m").marker("s", -5.0).idle("s").result(1, {})
    found = events(recording, tmp_path)
    assert [each.at_s for each in found] == [0.0, 0.01, None, None, None]
    assert [each.pause_s for each in found] == [None, 0.01, None, 0.01, 0.01]


# Inputs


def test_parts_of_one_recording(tmp_path: Path) -> None:
    lines = Recording().initialize_v2().resume(1, "s").message("s", "m").marker("s").idle("s").result(1, {}).lines()
    parts = [tmp_path / "1.ndjson", tmp_path / "2.ndjson"]
    for path, part in zip(parts, (lines[:4], lines[4:]), strict=True):
        path.write_bytes(b"".join(line + b"\n" for line in part))
    report, timelines = told(*parts, concat=True)
    other = report.traces[1].path
    assert [(each.trace, each.line) for each in timelines[1]["s"]] == [
        (None, 3),
        (None, 4),
        (other, 1),
        (other, 2),
        (other, 3),
    ]


def test_sides_that_were_recorded_apart(tmp_path: Path) -> None:
    records = Recording().initialize_v2().resume(1, "s").message("s", "m").marker("s").idle("s").result(1, {}).records
    for name, direction in (("client", "c2a"), ("agent", "a2c")):
        own = [dumps({"ts": each["ts"], "msg": each["msg"]}) for each in records if each["dir"] == direction]
        (tmp_path / name).write_bytes(b"".join(line + b"\n" for line in own))
    report, timelines = told(client_file=tmp_path / "client", agent_file=tmp_path / "agent")
    agent = report.traces[1].path
    assert [(each.trace, each.line) for each in timelines[1]["s"]] == [
        (None, 2),
        *((agent, line) for line in (2, 3, 4, 5)),
    ]
    assert all(each.ordered for each in timelines[1]["s"])


def test_sides_that_nothing_puts_in_order(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m")
    recording.record("c2a", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}})
    recording.error(1, -32800)
    paths = []
    for name, direction in (("client", "c2a"), ("agent", "a2c")):
        paths.append(tmp_path / name)
        own = [dumps(each["msg"]) + b"\n" for each in recording.records if each["dir"] == direction]
        paths[-1].write_bytes(b"".join(own))
    report, timelines = told(client_file=paths[0], agent_file=paths[1])
    assert [each.kind for each in timelines[1]["s"]] == ["request", "updates", "cancels", "response"]
    assert not any(each.ordered for each in timelines[1]["s"])
    output = "".join(text.render(report, View(timelines=timelines)))
    assert "timeline of session s: what of one side came before what of the other is not known\n" in output


def test_messages_on_one_line(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m").marker("s").idle("s").result(1, {})
    path = tmp_path / "trace.json"
    path.write_bytes(dumps(recording.records))
    check(path)
    assert [each.kind for each in told(path)[1][1]["s"]] == ["request", "updates", "marker", "state", "response"]


def test_the_same_recording_twice() -> None:
    path = ROOT / "sample_traces" / "overlapping-replays.ndjson"
    report, timelines = told(path, path, concat=True)
    assert len(report.resumes) == len(timelines) == 4
    assert timelines[1] == timelines[3] != timelines[2] == timelines[4]


# As text


def rich() -> Recording:
    """Everything that an event can be."""
    recording = Recording().initialize_v2().resume(1, "sess_a")
    for number in range(60):
        for who in ("user_message", "agent_message", "agent_thought"):
            recording.message("sess_a", f"{who}{number}", 0.2 if number == 40 else 0.002, who=who)
    recording.child("sess_a", "sess_b").message("sess_b", "m").message("sess_b", "n", 0.4).marker("sess_b")
    recording.agent(7, "session/request_permission", sessionId="sess_a").result(7, {}, 1.25, "c2a")
    recording.marker("sess_a").idle("sess_a", 0.4).error(1, -32603, 0.1).marker("sess_a")
    return recording


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("piped", {}),
        ("piped.ascii", {"unicode": False}),
        ("60", {"width": 60}),
        ("80.colour", {"width": 80, "colour": True}),
    ],
)
def test_a_rich_timeline(name: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert_golden(f"timeline.{name}.txt", shown(written(rich(), tmp_path), **options))


def test_a_timeline_without_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recording = rich()
    path = written(recording, tmp_path)
    path.write_bytes(b"".join(dumps({"dir": each["dir"], "msg": each["msg"]}) + b"\n" for each in recording.records))
    assert_golden("timeline.untimed.txt", shown(path))


def test_only_the_resumes_that_are_shown(tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    for number in range(1, 4):
        recording.resume(number, f"s{number}").marker(f"s{number}").idle(f"s{number}").result(number, {})
    path = written(recording, tmp_path)
    assert shown(path).count("timeline of") == 3
    assert shown(path, session="s2").count("timeline of session s2") == shown(path, resume=2).count("timeline of") == 1


@pytest.mark.parametrize("payload", [*PAYLOADS, EVIL], ids=ascii)
def test_nothing_in_a_timeline_is_interpreted(payload: str, tmp_path: Path) -> None:
    payload = payload.encode(errors="replace").decode()
    recording = Recording().initialize_v2().resume(1, payload).update(payload, payload or "x")
    recording.update(payload, "state_update", state=payload).child(payload, payload + "c").marker(payload + "c")
    recording.agent(3, payload, sessionId=payload)
    recording.record("a2c", {"jsonrpc": "2.0", "method": f"{payload}m", "params": {"sessionId": payload}})
    output = shown(written(recording.marker(payload).result(1, {}), tmp_path))
    assert_harmless(output)
    assert output.count("\n    timeline of ") == 2


# The command


@pytest.mark.parametrize(
    "options", [["--format", "json"], ["--format", "markdown"], ["--statistics"], ["--group-by", "agent"]]
)
def test_a_timeline_is_text(options: list[str]) -> None:
    refused = run("--timeline", *options, ROOT / "sample_traces" / "complete.ndjson")
    assert_refused(refused, "replaylint: Invalid value: --timeline ")


def test_standard_input_has_a_timeline_too() -> None:
    path = ROOT / "sample_traces" / "live-before-marker.ndjson"
    piped, read = run("--timeline", "-", stdin=path.read_text("utf-8")), run("--timeline", path.name, cwd=path.parent)
    assert piped.returncode == read.returncode == 1
    assert "timeline of session sA\n" in read.stdout
    assert piped.stdout.replace("\n-: ", f"\n{path.name}: ").replace("  -:", f"  {path.name}:") == read.stdout
