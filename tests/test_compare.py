"""`compare`: what is new, gone and unchanged, which outcomes changed, and what is slower beyond noise."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from orjson import dumps, loads

from replaylint.analysis.lint import lint
from replaylint.render import comparison as shown
from replaylint.render.view import View
from replaylint.replay.timing import FIGURES
from replaylint.views.comparison import compare
from tests.command_line import run
from tests.recordings import Message, Recording
from tests.reports import EVIL, assert_golden

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from replaylint.views.comparison import Comparison, Fault

GOOD = ("complete",)


def replay(made: Recording, ident: int, session: str, gap: float = 0.1, fault: str = "") -> Recording:
    """A replay whose marker comes after 30 ms, and the response so much later; with a fault, if one is named."""
    made.resume(ident, session).message(session, "m1")
    if fault == "truncated":
        return made.error(ident, -32603, after=gap)
    if fault == "live":
        made.update(session, "notice", after=0)
    if fault != "unmarked":
        made.marker(session, after=0.02)
    if fault == "twice":
        made.marker(session, after=0)
    made.idle(session, after=0)
    return made.result(ident, {}, after=gap)


def recording(*faults: str, agent: str = "agent", prefix: str = "s") -> Recording:
    """A replay for each of these faults, each of a session of its own; none is ""."""
    made = Recording().initialize_v2(agent=agent)
    for number, fault in enumerate(faults, 1):
        replay(made, number, f"{prefix}{number}", fault=fault)
    return made


def timed(gaps: Iterable[float], prefix: str = "s") -> Recording:
    """A replay for each of these response gaps, in seconds."""
    made = Recording().initialize_v2()
    for number, gap in enumerate(gaps, 1):
        replay(made, number, f"{prefix}{number}", round(gap, 6))
    return made


def one_each(folder: Path, gaps: Iterable[float]) -> Path:
    """A folder of recordings: each of one replay, with one of these response gaps in seconds."""
    for number, gap in enumerate(gaps):
        written(folder / f"{number:03}.ndjson", timed([gap]))
    return folder


def written(path: Path, made: Recording) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(each + b"\n" for each in made.lines()))
    return path


def compared(tmp_path: Path, before: Recording, after: Recording, **options: Any) -> Comparison:
    sides = [lint(written(tmp_path / name, made)) for name, made in (("before", before), ("after", after))]
    return compare(*sides, **options)


def moved(tmp_path: Path, before: Iterable[float], after: Iterable[float], **options: Any) -> Comparison:
    """Two folders, with a response gap for each of their recordings."""
    sides = [lint(one_each(tmp_path / name, gaps)) for name, gaps in (("before", before), ("after", after))]
    return compare(*sides, **options)


def rules(faults: Sequence[Fault]) -> list[tuple[str, str, int, int]]:
    return [(each.rule, each.severity, each.before, each.after) for each in faults]


def printed(found: Comparison, **options: Any) -> str:
    return "".join(shown.text(found, View(**options)))


def as_json(*arguments: str | Path, status: int, cwd: Path | None = None, stdin: str = "") -> Message:
    result = run("compare", *arguments, "-f", "json", cwd=cwd, stdin=stdin)
    assert result.returncode == status, result.stderr
    found: Message = json.loads(result.stdout)
    return found


# Findings


def test_new_gone_and_unchanged(tmp_path: Path) -> None:
    before = recording("live", "live", "unmarked", "")
    after = recording("live", "", "twice", "twice")
    found = compared(tmp_path, before, after)
    assert rules(found.new) == [("RL202", "error", 0, 2)]
    assert rules(found.gone) == [("RL201", "error", 1, 0)]
    assert rules(found.unchanged) == [("RL301", "error", 2, 1)]
    assert found.graver == []
    (new,), (gone,) = found.new, found.gone
    assert (new.name, new.party, new.severity_before, new.severity_after) == (
        "duplicate-marker",
        "agent",
        None,
        "error",
    )
    findings = [each for each in lint(tmp_path / "after").findings if each.rule == "RL202"]
    assert (new.trace, new.line, new.message) == (findings[0].trace, findings[0].line, findings[0].message)
    assert findings[0].line is not None
    assert findings[1].line is not None
    assert findings[0].line < findings[1].line
    assert (gone.severity_before, gone.severity_after) == ("error", None)
    assert gone.trace == str(tmp_path / "before")


def test_the_same_twice_has_nothing_new(tmp_path: Path) -> None:
    made = recording("live", "unmarked", "truncated")
    found = compared(tmp_path, made, made)
    assert (found.new, found.graver, found.gone, found.outcomes) == ([], [], [], [])
    assert len(found.unchanged) == 3


def test_a_fault_that_became_graver_is_told_apart(tmp_path: Path) -> None:
    """A live update of a session that was active is info."""
    milder = Recording().initialize_v2().client(9, "session/new").result(9, {"sessionId": "s1"})
    before, after = replay(milder, 1, "s1", fault="live"), recording("live")
    found = compared(tmp_path, before, after)
    assert (found.new, found.gone, found.unchanged) == ([], [], [])
    assert [(each.rule, each.severity_before, each.severity_after) for each in found.graver] == [
        ("RL301", "info", "error")
    ]
    back = compared(tmp_path, after, before)
    assert (back.new, back.graver, back.gone) == ([], [], [])
    assert [(each.severity, each.severity_before) for each in back.unchanged] == [("info", "error")]
    for fail_on, status in (("error", 1), ("never", 0)):
        assert run("compare", tmp_path / "after", tmp_path / "before", "--fail-on", fail_on).returncode == status
        assert run("compare", tmp_path / "before", tmp_path / "after", "--fail-on", fail_on).returncode == 0


def test_the_first_of_the_gravest_is_shown(tmp_path: Path) -> None:
    made = Recording().initialize_v2().client(9, "session/new").result(9, {"sessionId": "s1"})
    replay(replay(made, 1, "s1", fault="live"), 2, "s2", fault="live")
    (new,) = compared(tmp_path, recording(""), made).new
    (grave,) = [each for each in lint(tmp_path / "after").findings if each.severity == "error"]
    assert (new.severity, new.after, new.line, new.message) == ("error", 2, grave.line, grave.message)


# Outcomes


def changes(found: Comparison) -> list[tuple[str, int, str, str, int, str]]:
    return [
        (one.session_id, one.line, one.outcome, other.session_id, other.line, other.outcome)
        for one, other in ((each.before, each.after) for each in found.outcomes)
    ]


def test_outcomes_that_changed(tmp_path: Path) -> None:
    found = compared(tmp_path, recording("", "", "truncated"), recording("", "truncated", ""))
    assert changes(found) == [
        ("s2", 8, "complete", "s2", 8, "truncated"),
        ("s3", 13, "truncated", "s3", 11, "complete"),
    ]
    assert [(each.recording, each.role) for each in found.outcomes] == [(str(tmp_path / "after"), "named")] * 2
    assert (found.resumes.paired, found.resumes.only_before, found.resumes.only_after) == (3, 0, 0)


def test_resumes_are_paired_by_session_and_occurrence_then_in_order(tmp_path: Path) -> None:
    before, after = Recording().initialize_v2(), Recording().initialize_v2()
    for ident, (session, fault) in enumerate([("a", ""), ("a", "truncated"), ("x", ""), ("y", "truncated")], 1):
        replay(before, ident, session, fault=fault)
    for ident, (session, fault) in enumerate([("p", "truncated"), ("a", ""), ("q", "truncated"), ("a", "")], 1):
        replay(after, ident, session, fault=fault)
    replay(after, 9, "z")
    found = compared(tmp_path, before, after)
    assert [(one, outcome, other, becomes) for one, _, outcome, other, _, becomes in changes(found)] == [
        ("a", "truncated", "a", "complete"),
        ("x", "complete", "p", "truncated"),
    ]
    assert (found.resumes.paired, found.resumes.only_before, found.resumes.only_after) == (4, 0, 1)


def test_children_are_paired_by_id_then_in_order(tmp_path: Path) -> None:
    def family(*children: tuple[str, bool]) -> Recording:
        made = Recording().initialize_v2().resume(1, "s")
        for child, marked in children:
            made.child("s", child).message(child, "m1")
            if marked:
                made.marker(child)
        return made.marker("s").idle("s").result(1, {})

    one = family(("a", True), ("b", True), ("c", True))
    other = family(("d", False), ("c", False), ("a", True), ("e", True))
    found = compared(tmp_path, one, other)
    assert [
        (each.role, each.before.session_id, each.after.session_id, each.after.outcome) for each in found.outcomes
    ] == [
        ("child", "c", "c", "unmarked"),
        ("child", "b", "d", "unmarked"),
    ]
    assert (found.children.paired, found.children.only_before, found.children.only_after) == (3, 0, 1)


def test_recordings_are_paired_by_their_place(tmp_path: Path) -> None:
    for name, fault in (("b.ndjson", ""), ("x/a.ndjson", ""), ("x/old.ndjson", "")):
        written(tmp_path / "before" / name, recording(fault))
    for name, fault in (("x/a.ndjson", "unmarked"), ("b.ndjson", "truncated"), ("a.ndjson", "live")):
        written(tmp_path / "after" / name, recording(fault))
    found = as_json("before", "after", status=1, cwd=tmp_path)
    assert found["recordings"] == {"paired": 2, "only_before": 1, "only_after": 1}
    assert found["resumes"] == {"paired": 2, "only_before": 1, "only_after": 1}
    assert [(each["recording"], each["after"]["outcome"]) for each in found["outcomes"]] == [
        ("b.ndjson", "truncated"),
        (os.path.join("x", "a.ndjson"), "unmarked"),  # noqa: PTH118
    ]
    assert [each["before"]["trace"] for each in found["outcomes"]] == [
        os.path.join("before", *parts)  # noqa: PTH118
        for parts in (("b.ndjson",), ("x", "a.ndjson"))
    ]


@pytest.mark.parametrize("turned", [False, True])
def test_a_side_with_a_part_of_the_folders_is_paired_all_the_same(turned: bool, tmp_path: Path) -> None:
    for name in ("x/a", "x/b"):
        written(tmp_path / "one" / name, recording(""))
    for name in ("x/a", "x/b", "y/a"):
        written(tmp_path / "other" / name, recording(""))
    sides = ["other", "one"] if turned else ["one", "other"]
    found = as_json(*sides, status=0, cwd=tmp_path)["recordings"]
    assert found == {"paired": 2, "only_before": int(turned), "only_after": int(not turned)}


def test_one_recording_on_each_side_is_a_pair_whatever_its_name(tmp_path: Path) -> None:
    written(tmp_path / "before/a/one.ndjson", recording(""))
    written(tmp_path / "two.log", recording("", prefix="other"))
    assert as_json("before", "two.log", status=0, cwd=tmp_path)["resumes"]["paired"] == 1


def test_several_without_a_common_name_are_no_pairs(tmp_path: Path) -> None:
    for name in ("before/a", "before/b", "after/c"):
        written(tmp_path / name, recording(""))
    found = as_json("before", "after", status=0, cwd=tmp_path)
    assert found["recordings"] == {"paired": 0, "only_before": 2, "only_after": 1}
    assert found["resumes"] == {"paired": 0, "only_before": 2, "only_after": 1}


# The sides


def test_what_is_said_of_a_side(tmp_path: Path) -> None:
    after = recording("", "truncated", agent="new agent").resume(8, "s8", replay=False).idle("s8").result(8, {})
    found = compared(tmp_path, recording("live"), after, paths=("one", "two"))
    assert loads(dumps(found.before)) == {
        "path": "one",
        "tool": {"name": "replaylint", "version": "0.1.0"},
        "recordings": 1,
        "unread": 0,
        "resumes": 1,
        "replays": 1,
        "outcomes": {"complete": 1},
        "findings": {"error": 1, "warning": 0, "info": 0},
        "agents": [{"name": "agent", "version": "0.9"}],
        "resolution_s": 0.01,
    }
    assert (found.after.path, found.after.resumes, found.after.replays) == ("two", 3, 2)
    assert found.after.outcomes == {"complete": 1, "truncated": 1, "not_requested": 1}
    assert [each.name for each in found.after.agents] == ["new agent"]


def test_the_agents_are_sorted_and_each_is_there_once(tmp_path: Path) -> None:
    for number, agent in enumerate(["c", "a", "b", "a"]):
        written(tmp_path / "before" / str(number), recording("", agent=agent))
    found = as_json("before", "before", status=0, cwd=tmp_path)
    assert found["before"]["agents"] == [{"name": each, "version": "0.9"} for each in "abc"]


# Timings


def test_the_figures_of_a_timing_in_pairs(tmp_path: Path) -> None:
    before = [[0.1, 0.2, 0.3], [0.4, 0.5], [0.6], [0.7], [0.9], [1.0], [2.0]]
    after = [[0.2, 0.2, 0.5], [0.5, 0.6], [0.8], [0.7], [1.2], [1.4], [2.5]]
    for name, recordings in (("before", before), ("after", after)):
        for number, each in enumerate(recordings):
            written(tmp_path / name / f"{number}.ndjson", timed(each))
    found = as_json("before", "after", status=0, cwd=tmp_path)
    assert tuple(found["timing"]) == FIGURES
    # In pairs the recordings became slower by 0.1 (the median of three), 0.1, 0.2, 0, 0.3, 0.4 and 0.5 s. Of the 28
    # means of two of these, the interval leaves out the first 2 (0 and 0.05) and the last 2.
    assert found["timing"]["response_gap_s"] == {
        "role": "primary",
        "before": {"n": 10, "recordings": 7, "min": 0.1, "median": 0.5, "max": 2.0},
        "after": {"n": 10, "recordings": 7, "min": 0.2, "median": 0.6, "max": 2.5},
        "pairs": {"n": 10, "recordings": 7, "slower": 8, "faster": 0},
        "judged_by": "pairs",
        "difference_s": 0.225,
        "relative": 0.45,
        "percent": 95.0,
        "interval_s": [0.05, 0.4],
        "p": 0.03125,
        "seen_from_s": None,
        "verdict": "slower",
    }
    replay = found["timing"]["replay_s"]
    assert (replay["role"], replay["percent"]) == ("adjusted", 98.3)
    assert (replay["difference_s"], replay["interval_s"], replay["p"]) == (0.0, [0.0, 0.0], 1.0)
    assert (replay["verdict"], replay["seen_from_s"]) == ("no_change_seen", 0.01)  # the clock's
    assert {each["role"] for figure, each in found["timing"].items() if not figure.startswith(("re", "to"))} == {
        "exploratory"
    }
    assert (found["seed"], found["schema_version"]) == (1, 2)


def test_without_counterparts_each_recording_counts_by_its_median(tmp_path: Path) -> None:
    for number in range(6):
        written(tmp_path / f"before/b{number}.ndjson", timed([0.1 * number + 0.1, 0.1 * number + 0.3, 5.0]))
        written(tmp_path / f"after/a{number}.ndjson", timed([0.1 * number + 1.0]))
    gap = as_json("before", "after", status=0, cwd=tmp_path)["timing"]["response_gap_s"]
    assert gap["before"] == {"n": 18, "recordings": 6, "min": 0.1, "median": 0.6, "max": 5.0}
    assert gap["pairs"] == {"n": 0, "recordings": 0, "slower": 0, "faster": 0}
    assert (gap["judged_by"], gap["verdict"]) == ("recordings", "slower")
    # 0.3 to 0.8 s before, 1.0 to 1.5 after: 36 differences, of which the interval leaves out 5 at each end.
    assert (gap["difference_s"], gap["interval_s"], gap["p"]) == (0.7, [0.4, 1.0], 0.002165)


@pytest.mark.parametrize(("paired", "judged_by"), [(8, "pairs"), (7, "recordings")])
def test_a_few_pairs_do_not_stand_for_the_others(paired: int, judged_by: str, tmp_path: Path) -> None:
    for side in ("before", "after"):
        for number in range(16):
            name = f"{number}" if number < paired else f"{side}{number}"
            written(tmp_path / side / name, timed([0.1]))
    gap = as_json("before", "after", status=0, cwd=tmp_path)["timing"]["response_gap_s"]
    assert (gap["judged_by"], gap["pairs"]["n"]) == (judged_by, paired)


def test_a_shift_of_all_pairs_is_seen_however_different_they_are(tmp_path: Path) -> None:
    random = Random(3)  # noqa: S311
    before = [round(random.uniform(0.7, 9), 3) for _ in range(30)]
    gap = moved(tmp_path, before, [each + 1.6 for each in before]).timing["response_gap_s"]
    assert (gap.verdict, gap.difference_s, gap.interval_s) == ("slower", 1.6, (1.6, 1.6))
    assert loads(dumps(gap.pairs)) == {"n": 30, "recordings": 30, "slower": 30, "faster": 0}


def test_resumes_of_few_recordings_say_little_however_many_they_are(tmp_path: Path) -> None:
    random = Random(3)  # noqa: S311
    before = [round(random.uniform(0.7, 9), 3) for _ in range(30)]
    for number in range(5):
        written(tmp_path / f"before/{number}", timed(before))
        written(tmp_path / f"after/{number}", timed(each + 1.6 for each in before))
    result = run("compare", "before", "after", cwd=tmp_path)
    assert (
        "response gap: unknown: 150 values from 5 recordings before and 150 values from 5 recordings after, "
        "and it takes 6 recordings on each side, for the resumes of one are not independent of each other; "
        "of 150 pairs of resumes, 150 slower and 0 faster\n"
    ) in result.stdout
    gap = as_json("before", "after", status=0, cwd=tmp_path)["timing"]["response_gap_s"]
    assert (gap["judged_by"], gap["interval_s"], gap["p"], gap["percent"]) == (None, None, None, None)
    assert (gap["verdict"], gap["difference_s"]) == ("unknown", 1.6)


def test_nothing_is_relative_to_nothing(tmp_path: Path) -> None:
    found = moved(tmp_path, [0.0] * 6, [0.5] * 6, max_regression=0.1)
    gap = found.timing["response_gap_s"]
    assert (gap.difference_s, gap.relative, gap.verdict) == (0.5, None, "slower")
    assert {each.figure: each.verdict for each in found.regressions}["response_gap_s"] == "regressed"


def test_only_replays_are_timed(tmp_path: Path) -> None:
    plain = Recording().initialize_v2()
    for ident in range(1, 8):
        plain.resume(ident, f"s{ident}", replay=False).idle(f"s{ident}").result(ident, {})
    found = compared(tmp_path, plain, plain)
    assert {each.before.n for each in found.timing.values()} == {0}
    assert "\nno timings: no replay has times\n" in printed(found)


@pytest.mark.parametrize(
    ("after", "verdict", "seen_from_s"), [(0.2, "slower", None), (0.05, "faster", None), (0.1, "no_change_seen", 0.01)]
)
def test_the_verdicts(after: float, verdict: str, seen_from_s: float | None, tmp_path: Path) -> None:
    gap = moved(tmp_path, [0.1] * 8, [after] * 8).timing["response_gap_s"]
    assert (gap.verdict, gap.seen_from_s) == (verdict, seen_from_s)


def test_what_would_have_been_seen_is_what_the_interval_leaves_out(tmp_path: Path) -> None:
    shifts = [-0.03, -0.02, -0.01, 0.01, 0.02, 0.04, 0.05, 0.06]
    gap = moved(tmp_path, [0.5] * 8, [0.5 + each for each in shifts]).timing["response_gap_s"]
    assert (gap.verdict, gap.interval_s, gap.seen_from_s) == ("no_change_seen", (-0.02, 0.05), 0.05)
    text = printed(compare(lint(tmp_path / "before"), lint(tmp_path / "after")))
    assert "response gap: no change seen; \N{PLUS-MINUS SIGN}50.0 ms would have been (95 % interval -20.0 ms to" in text


def test_what_the_clock_cannot_show_would_not_have_been_seen(tmp_path: Path) -> None:
    sides = [lint(one_each(tmp_path / name, [0.5] * 8)) for name in ("before", "after")]
    sides[1].traces[3].resolution_s = 0.5
    assert compare(*sides).timing["response_gap_s"].seen_from_s == 0.5


# Slow resumes


def test_what_only_some_resumes_have_is_seen_in_their_share(tmp_path: Path) -> None:
    """A mode of 18 s moves no median."""
    before = gaps(1, 40)
    after = [each + (18 if number % 5 == 0 else 0) for number, each in enumerate(gaps(2, 40))]
    found = moved(tmp_path, before, after, max_regression=0.1)
    assert found.timing["response_gap_s"].verdict == "no_change_seen"
    slow = loads(dumps(found.slow))
    assert 0 < slow.pop("p") < 0.02
    assert slow == {
        "role": "adjusted",
        "over_s": 3.0,  # three times the median of all, rounded
        "before": {"n": 40, "over": 0, "share": 0.0},
        "after": {"n": 40, "over": 8, "share": 0.2},
        "judged_by": "pairs",
        "difference": 0.2,
        "percent": 98.3,
        "seen_from": None,
        "verdict": "slower",
    }
    assert {each.figure: each.verdict for each in found.regressions} == {
        "response_gap_s": "passed",
        "replay_s": "passed",
        "total_s": "passed",
        "slow": "regressed",
    }
    assert "\ngaps over 3 s: more, 0 of 40 resumes before and 8 of 40 after\n" in printed(found)


def test_a_share_without_counterparts(tmp_path: Path) -> None:
    for number in range(20):
        written(tmp_path / f"before/b{number}", timed([0.2, 0.2]))
        written(tmp_path / f"after/a{number}", timed([0.2, 4.0 if number % 2 else 0.2]))
    slow = as_json("before", "after", "--slow", "3s", status=0, cwd=tmp_path)["slow"]
    assert (slow["over_s"], slow["judged_by"], slow["difference"]) == (3.0, "recordings", 0.25)
    assert (slow["verdict"], slow["before"]["over"], slow["after"]["over"]) == ("slower", 0, 10)
    slow = as_json("before", "after", "--slow", "5000ms", status=0, cwd=tmp_path)["slow"]
    assert (slow["over_s"], slow["difference"], slow["p"], slow["verdict"]) == (5.0, 0.0, 1.0, "no_change_seen")


def test_a_share_of_few_recordings_is_unknown(tmp_path: Path) -> None:
    """Six pairs can be so rare as 0.03, which is not rare enough for one of three tests."""
    for n, verdict in ((5, "unknown"), (6, "unknown"), (7, "slower")):
        slow = moved(tmp_path / str(n), [0.2] * n, [9.0] * n, slow_s=5).slow
        assert (slow.verdict, slow.difference) == (verdict, 1.0)


def gaps(seed: int, n: int, factor: float = 1.0) -> list[float]:
    random = Random(seed)  # noqa: S311
    return [factor * random.gauss(1.0, 0.08) for _ in range(n)]


def test_a_shift_of_20_percent_fails_and_chance_does_not(tmp_path: Path) -> None:
    before = one_each(tmp_path / "before", gaps(1, 30))
    slower = one_each(tmp_path / "slower", gaps(2, 30, 1.2))
    same = one_each(tmp_path / "same", gaps(3, 30))
    result = run("compare", before, slower, "--max-regression", "10%")
    assert result.returncode == 1
    assert "max regression 10 %: response_gap_s regressed: slower by more than that, and not by chance" in result.stdout
    assert "max regression 10 %: replay_s passed" in result.stdout
    assert run("compare", before, slower).returncode == 0
    assert run("compare", before, slower, "--max-regression", "30").returncode == 0
    assert run("compare", slower, before, "--max-regression", "10%").returncode == 0
    result = run("compare", before, same, "--max-regression", "10%")
    assert (result.returncode, result.stderr) == (0, "")


def test_slower_by_chance_passes_and_says_so(tmp_path: Path) -> None:
    found = moved(tmp_path, [0.1, 0.9] * 4, [0.9, 0.1, 0.9, 0.9] * 2, max_regression=0.1)
    judged = {each.figure: (each.verdict, each.reason) for each in found.regressions}
    assert judged["response_gap_s"] == ("passed", "slower by more than that, but that may be chance")
    assert judged["replay_s"] == ("passed", "not slower by more than that")


def test_exactly_as_much_as_is_allowed_passes(tmp_path: Path) -> None:
    for number, (before, after) in enumerate(((0.1, 0.11), (0.3, 0.33), (0.7, 0.77))):
        found = moved(tmp_path / str(number), [before] * 8, [after] * 8, max_regression=0.1)
        assert {each.verdict for each in found.regressions} == {"passed"}
    found = moved(tmp_path / "more", [0.1] * 8, [0.110001] * 8, max_regression=0.1)
    assert [each.verdict for each in found.regressions] == ["regressed", "passed", "passed", "passed"]


def test_with_few_recordings_nothing_is_judged(tmp_path: Path) -> None:
    before, after = one_each(tmp_path / "before", [0.1] * 5), one_each(tmp_path / "after", [0.9] * 7)
    result = run("compare", before, after, "--max-regression", "10%")
    assert result.returncode == 2
    assert result.stderr == (
        "replaylint: --max-regression could not be judged for response_gap_s, replay_s, total_s, slow: "
        "too few recordings\n"
    )
    assert "max regression 10 %: total_s not judged: there are too few recordings to tell\n" in result.stdout
    assert run("compare", before, after).returncode == 0


def test_what_is_new_is_1_also_where_nothing_is_judged(tmp_path: Path) -> None:
    before, after = written(tmp_path / "before", recording("")), written(tmp_path / "after", recording("live"))
    assert run("compare", before, after, "--max-regression", "10%").returncode == 1
    assert run("compare", before, after, "--max-regression", "10%", "--fail-on", "never").returncode == 2


def test_a_seed_changes_only_how_the_share_is_judged(tmp_path: Path) -> None:
    before = one_each(tmp_path / "before", gaps(1, 20))
    after = one_each(tmp_path / "after", [each + 9 * (number % 3 == 0) for number, each in enumerate(gaps(2, 20))])
    first, same, other = (as_json(before, after, "--seed", seed, status=0) for seed in ("1", "1", "77"))
    assert first == same == as_json(before, after, status=0)
    assert (first.pop("seed"), other.pop("seed")) == (1, 77)
    assert first["slow"].pop("p") != other["slow"].pop("p")
    assert first == other


# What is compared


@pytest.fixture
def folders(tmp_path: Path) -> Path:
    """Folders before and after, of 8 recordings each."""
    for number in range(8):
        before, after = recording("live", "", "truncated"), recording("live", "unmarked", "")
        replay(before, 8, "timed", gaps(1, 8)[number].__round__(3))
        replay(after, 8, "timed", gaps(2, 8)[number].__round__(3))
        written(tmp_path / f"before/{number % 3}/{number}.ndjson", before)
        written(tmp_path / f"after/{number % 3}/{number}.ndjson", after)
    return tmp_path


def but_paths(found: Message) -> Message:
    return {**found, **{side: {**found[side], "path": ""} for side in ("before", "after")}}


def test_a_saved_report_is_as_good_as_its_recordings(folders: Path) -> None:
    wanted = but_paths(as_json("before", "after", status=1, cwd=folders))
    assert wanted["resumes"] == {"paired": 32, "only_before": 0, "only_after": 0}
    assert len(wanted["outcomes"]) == 16
    for side in ("before", "after"):
        files = sorted(path.relative_to(folders) for path in (folders / side).rglob("*.ndjson"))
        (folders / f"{side}.json").write_text(run(*files, "-f", "json", cwd=folders).stdout, encoding="utf-8")
    for sides in (("before.json", "after"), ("before", "after.json"), ("before.json", "after.json")):
        assert but_paths(as_json(*sides, status=1, cwd=folders)) == wanted


def test_the_order_of_files_does_not_matter(folders: Path) -> None:
    wanted = but_paths(as_json("before", "after", status=1, cwd=folders))
    files = sorted((path.relative_to(folders) for path in (folders / "after").rglob("*.ndjson")), reverse=True)
    report = loads(run(*files, "-f", "json", cwd=folders).stdout)
    (folders / "after.json").write_bytes(dumps(report))
    assert but_paths(as_json("before", "after.json", status=1, cwd=folders)) == wanted
    report["traces"].reverse()
    report["resumes"].reverse()
    (folders / "after.json").write_bytes(dumps(report))
    found = as_json("before", "after.json", status=1, cwd=folders)
    assert found["timing"] == wanted["timing"]
    assert found["new"] == wanted["new"]


def test_a_recording_on_standard_input(tmp_path: Path) -> None:
    path = written(tmp_path / "before", recording(""))
    piped = written(tmp_path / "after", recording("live")).read_text()
    found = as_json(path, "-", status=1, stdin=piped)
    assert (found["after"]["path"], found["new"][0]["trace"], found["resumes"]["paired"]) == ("-", "-", 1)
    assert rules_of(as_json("-", path, status=0, stdin=piped)["gone"]) == ["RL301"]
    result = run("compare", "-", "-", stdin=piped)
    assert (result.returncode, result.stdout) == (2, "")
    assert "only one of BEFORE and AFTER can be standard input" in result.stderr


def rules_of(faults: list[Message]) -> list[str]:
    return [each["rule"] for each in faults]


def test_rules_are_chosen_on_both_sides(tmp_path: Path) -> None:
    before = written(tmp_path / "before", recording("live", "truncated"))
    after = written(tmp_path / "after", recording("unmarked", "twice"))
    (tmp_path / "after.json").write_text(run(after, "-f", "json").stdout, encoding="utf-8")
    for other in (after, tmp_path / "after.json"):
        found = as_json(before, other, "--select", "RL2", "--ignore", "RL202", status=1)
        assert (rules_of(found["new"]), rules_of(found["gone"])) == (["RL201"], ["RL209"])
        assert found["after"]["findings"] == {"error": 1, "warning": 0, "info": 0}
    assert as_json(before, after, "--ignore", "duplicate-marker,RL201", status=0)["new"] == []


def test_a_rule_that_is_not_known_here_is_kept_unless_others_are_selected(tmp_path: Path) -> None:
    path = written(tmp_path / "t", recording("live"))
    report = loads(run(path, "-f", "json").stdout)
    report["findings"][0]["rule"] = "RL999"
    report["findings"][0]["fingerprint"] = "0" * 64
    (tmp_path / "after.json").write_bytes(dumps(report))
    assert rules_of(as_json(path, tmp_path / "after.json", "--ignore", "RL2", status=1)["new"]) == ["RL999"]
    assert as_json(path, tmp_path / "after.json", "--select", "RL3", status=0)["new"] == []


def test_what_the_end_of_a_recording_means(tmp_path: Path) -> None:
    before = written(tmp_path / "before", recording(""))
    after = written(tmp_path / "after", Recording().initialize_v2().resume(1, "s1").message("s1", "m1"))
    outcomes = [
        as_json(before, after, "--eof", eof, status=1)["outcomes"][0]["after"]["outcome"] for eof in ("open", "closed")
    ]
    assert outcomes == ["inconclusive", "truncated"]


@pytest.mark.parametrize(
    ("fault", "fail_on", "status"),
    [
        ("live", "error", 1),
        ("truncated", "error", 0),
        ("truncated", "warning", 1),
        ("truncated", "info", 1),
        ("live", "never", 0),
        ("", "info", 0),
    ],
)
def test_new_findings_fail_by_their_severity(fault: str, fail_on: str, status: int, tmp_path: Path) -> None:
    before, after = written(tmp_path / "before", recording("")), written(tmp_path / "after", recording(fault))
    assert run("compare", before, after, "--fail-on", fail_on).returncode == status
    assert run("compare", after, before, "--fail-on", fail_on).returncode == 0


# What cannot be read


def test_what_is_no_recording_is_passed_over(tmp_path: Path) -> None:
    written(tmp_path / "before/a", recording(""))
    for name in ("notes.md", "b/report.json", ".hidden"):
        (tmp_path / "before" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "before" / name).write_text('{"schema_version": 1}')
    written(tmp_path / "after", recording(""))
    result = run("compare", "before", "after", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (
        0,
        "replaylint: passed over 2 files that are no recordings: before/b/report.json, before/notes.md\n",
    )
    (tmp_path / "before/b/report.json").unlink()
    again = run("compare", "before", "after", cwd=tmp_path)
    assert "replaylint: passed over 1 file that is no recording: before/notes.md\n" in again.stderr


def test_a_saved_report_in_a_folder_is_no_recording(tmp_path: Path) -> None:
    path = written(tmp_path / "before/a", recording("live"))
    (tmp_path / "before/report.json").write_text(run(path, "-f", "json").stdout, encoding="utf-8")
    result = run("compare", "before", "before/a", cwd=tmp_path)
    said = "replaylint: passed over 1 file that is no recording: before/report.json\n"
    assert (result.returncode, result.stderr) == (0, said)


def test_the_rest_is_compared_where_one_recording_is_broken(tmp_path: Path) -> None:
    for side in ("before", "after"):
        written(tmp_path / side / "a", recording(""))
    (tmp_path / "after/b.gz").write_bytes(b"\x1f\x8b\x08\x00")
    result = run("compare", "before", "after", "-f", "json", cwd=tmp_path)
    assert result.returncode == 2
    assert re.fullmatch(r"replaylint: after.b\.gz: the compressed data ends too early\n", result.stderr)
    assert json.loads(result.stdout)["resumes"]["paired"] == 1


@pytest.mark.parametrize("make", ["absent", "empty folder", "text", "broken report", "other version", "empty report"])
def test_a_side_that_cannot_be_read_is_2_and_nothing_is_compared(make: str, tmp_path: Path) -> None:
    side = tmp_path / "side"
    if make == "empty folder":
        side.mkdir()
    elif make != "absent":
        contents = {
            "text": "words",
            "broken report": '{"schema_version": 1, "tool": 5}',
            "other version": '{"schema_version": 7}',
            "empty report": dumps(lint([])).decode(),
        }
        side.write_text(contents[make])
    other = written(tmp_path / "other", recording("live"))
    for arguments in ((side, other), (other, side)):
        result = run("compare", *arguments)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.startswith(f"replaylint: {side}:")
        assert result.stderr.count("\n") == 1


def test_both_sides_are_said_to_be_wrong(tmp_path: Path) -> None:
    result = run("compare", "one", "two", cwd=tmp_path)
    assert result.stderr == "replaylint: one: no such file\nreplaylint: two: no such file\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "BEFORE"),
        (["x"], "AFTER"),
        (["x", "y", "z"], "unexpected extra argument"),
        (["x", "y", "--max-regression", "much"], "'much' is not a percentage: write it as in --max-regression 10%"),
        (["x", "y", "--max-regression", "-10%"], "not a percentage"),
        (["x", "y", "--max-regression", "nan"], "not a percentage"),
        (["x", "y", "--max-regression", "%"], "not a percentage"),
        (["x", "y", "--max-regression", "1.0.0"], "not a percentage"),
        (["x", "y", "--max-regression", "9" * 400], "not a percentage"),
        (["x", "y", "--seed", "-1"], "--seed"),
        (["x", "y", "--seed", str(2**64)], "--seed"),
        (["x", "y", "--slow", "much"], "'much' is not a duration"),
        (["x", "y", "--select", "RL9999"], "there is no rule 'RL9999'"),
        (["x", "y", "--fail-on", "fatal"], "--fail-on"),
        (["x", "y", "-f", "html"], "--format"),
    ],
)
def test_a_call_that_is_wrong_is_2(arguments: list[str], words: str, tmp_path: Path) -> None:
    result = run("compare", *arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert words in result.stderr
    assert result.stderr.count("\n") <= 2
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("given", ["10%", "10", "10 %", " 10.0% "])
def test_a_percentage_may_be_written_in_several_ways(given: str, tmp_path: Path) -> None:
    path = one_each(tmp_path / "t", [0.1] * 7)
    assert as_json(path, path, "--max-regression", given, status=0)["max_regression"] == 0.1


def test_help() -> None:
    result = run("compare", "--help")
    assert (result.returncode, result.stderr) == (0, "")
    for word in (
        "Usage: replaylint compare [OPTIONS] ",
        "BEFORE",
        "AFTER",
        "--max-regression P%",
        "--seed N",
        "Exit status: 0",
    ):
        assert word in result.stdout


# What is printed


def shifted(tmp_path: Path) -> Comparison:
    """Something of everything."""
    before, after = recording("live", "", "truncated", "", ""), recording("live", "unmarked", "twice", "", "")
    for side, made, of, factor in (("before", before, gaps(1, 16), 1.0), ("after", after, gaps(2, 16), 1.6)):
        written(tmp_path / side / "faults.ndjson", made)
        for number, gap in enumerate(of):
            slower = timed([gap * factor + (9 if factor > 1 and number > 10 else 0)])
            written(tmp_path / side / f"{number:02}.ndjson", replay(slower, 2, "other", 0.2 + 0.01 * number))
    written(tmp_path / "after" / "more.ndjson", timed([0.7]))
    sides = [lint(side) for side in ("before", "after")]
    for trace in sides[0].traces:
        trace.resolution_s = 1e-6
    sides[1].tool.version = "0.2.0"
    return compare(*sides, paths=("before", "after"), max_regression=0.1)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("piped", {}),
        ("piped.ascii", {"unicode": False}),
        ("160.colour", {"width": 160, "colour": True}),
        ("70", {"width": 70}),
    ],
)
def test_whole_texts(name: str, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """REPLAYLINT_UPDATE_GOLDEN=1 writes them anew."""
    monkeypatch.chdir(tmp_path)
    output = printed(shifted(tmp_path), **options)
    assert_golden(f"compare.{name}.txt", output)
    assert output.isascii() == (not options.get("unicode", True))
    if "width" in options:
        lines = re.sub(r"\x1b\[[0-9;]*m", "", output).split("\n")
        assert max(map(len, lines)) <= options["width"]


def test_the_json_is_what_the_classes_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = shifted(tmp_path)
    content = json.loads(b"".join(shown.as_json(found)))
    assert list(content) == list(found.__slots__)
    assert content["schema_version"] == 2
    assert list(content["timing"]) == list(FIGURES)
    assert content["timing"]["response_gap_s"]["verdict"] == "slower"


def test_hostile_text_is_harmless(tmp_path: Path) -> None:
    path = written(tmp_path / "t", recording("live", "truncated"))
    before = loads(run(path, "-f", "json").stdout)
    after = loads(run(path, "-f", "json").stdout)
    for number, report in enumerate((before, after)):
        report["tool"]["version"] = f"{number}{EVIL}"
        report["traces"][0]["path"] = EVIL
        report["traces"][0]["connections"][0]["agent"] = {"name": EVIL, "version": EVIL}
        for resume in report["resumes"]:
            resume["trace"] = EVIL
            for session in resume["sessions"]:
                session["session_id"] = f"{number}{EVIL}"
        for finding in report["findings"]:
            for name in ("rule", "name", "message", "trace"):
                finding[name] = EVIL
    after["findings"][0]["fingerprint"] = EVIL
    after["resumes"][0]["sessions"][0]["outcome"] = "truncated"
    for name, report in (("before.json", before), ("after.json", after)):
        (tmp_path / name).write_bytes(dumps(report))
    for sides in (("before.json", "after.json"), ("after.json", "before.json")):
        result = run("compare", *sides, cwd=tmp_path)
        assert result.returncode == 1
        assert EVIL not in result.stdout
        for bad in ("\x1b", "\r", "::", "##[", "\u202e", "\u2028"):
            assert bad not in result.stdout + result.stderr


def test_hostile_text_in_errors_is_harmless(tmp_path: Path) -> None:
    path = written(tmp_path / "t", recording("live"))
    report = loads(run(path, "-f", "json").stdout)
    report["resumes"][0]["sessions"][0]["updates"]["by_kind"][EVIL] = EVIL
    (tmp_path / "side.json").write_bytes(dumps(report))
    result = run("compare", "side.json", "t", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1)
    assert result.stderr.startswith("replaylint: side.json: resumes[0].sessions[0].updates.by_kind[")
    assert not {"\x1b", "\r", "\u202e"} & {*result.stderr}


@pytest.mark.parametrize("variables", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "cp1252"}])
def test_outputs_that_cannot_show_it_get_ascii(variables: dict[str, str], tmp_path: Path) -> None:
    before, after = written(tmp_path / "before", recording("")), written(tmp_path / "after", recording("truncated"))
    result = run("compare", before, after, variables=variables)
    assert result.returncode == 1
    assert "complete -> truncated\n" in result.stdout


def test_check_imports_nothing_of_it(tmp_path: Path) -> None:
    path = written(tmp_path / "t", recording(""))
    code = "import sys; sys.argv[1:] = [sys.argv[1]]; from replaylint.cli import main; main(); print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    mine = ("commands.compare", "views.comparison", "report.saved", "render.comparison", "statistics.shift")
    assert {f"replaylint.{each}" for each in mine}.isdisjoint(result.stdout.split())
