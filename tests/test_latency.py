"""Figures over many resumes: of the real recordings against a second calculation, of synthetic ones against what they
were made of.

What is generated here is synthetic: it shows that the figures are right, and nothing about any agent.
"""

from __future__ import annotations

import ast
import json
from itertools import groupby, pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from orjson import dumps

from tests import independent
from tests.command_line import run
from tests.conftest import ROOT
from tests.recordings import Message, Recording, report_of_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

TOLERANCE_S = 1e-6
"""Reports round to microseconds."""


# The real recordings


REAL = sorted((ROOT / "sample_traces" / "real").iterdir())
FURTHER = sorted(filter(independent.reads, (ROOT.parent / "shared" / "traces" / "real").glob("*.ndjson*")))
"""Those beside the project, if there are any, that the second calculation reads."""


def near(wanted: Any) -> Any:
    """The same, but for what lies below the resolution of a report."""
    if isinstance(wanted, dict):
        return {key: near(each) for key, each in wanted.items()}
    if isinstance(wanted, list):
        return [near(each) for each in wanted]
    return pytest.approx(wanted, abs=TOLERANCE_S, rel=0) if isinstance(wanted, float) else wanted


def test_the_second_calculation_is_one_of_its_own() -> None:
    tree = ast.parse(Path(independent.__file__).read_bytes())
    imported = {
        name
        for node in ast.walk(tree)
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported == {"__future__", "collections.abc", "gzip", "itertools", "json", "pathlib", "typing"}


@pytest.fixture(scope="module")
def measured() -> Message:
    """What the command line reports of all real recordings."""
    result = run("-f", "json", "--group-by", "agent", "--fail-on", "never", *REAL)
    assert (result.returncode, result.stderr) == (0, "")
    report: Message = json.loads(result.stdout)
    return report


@pytest.mark.parametrize("path", [*REAL, *FURTHER], ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_every_resume_of_a_real_recording(path: Path) -> None:
    _, wanted = independent.resumes(path)
    reported = report_of_file(path)["resumes"]
    assert [each["request"]["line"] for each in reported] == [each["line"] for each in wanted]
    for resume, other in zip(reported, wanted, strict=True):
        named = resume["sessions"][0]
        facts = {
            "line": resume["request"]["line"],
            "id": resume["request_id"],
            "session": named["session_id"],
            "replaying": resume["replaying"],
            "outcome": named["outcome"],
            "marked": named["marker"] is not None,
            "figures": {name: named["timing"][name] for name in independent.FIGURES},
        }
        assert facts == near(other)


def comparable(summary: Message) -> Message:
    """What the second calculation has, too."""
    chosen = ("resumes", "replays", "quiet_timer", "quiet_timer_needed_s")
    timing = {
        name: {field: each[field] for field in each if field not in {"edges_s", "counts"}}
        for name, each in summary["timing"].items()
    }
    return {**{name: summary[name] for name in chosen}, "timing": timing}


def test_the_summary_of_the_real_recordings(measured: Message) -> None:
    every = [independent.resumes(path) for path in REAL]
    wanted = independent.summary([each for _, found in every for each in found])
    # So that nobody compares nothing with nothing.
    assert (wanted["resumes"], wanted["timing"]["response_gap_s"]["n"]) == (75, 42)
    assert comparable(measured["summary"]) == near(wanted)


def test_the_real_recordings_by_agent(measured: Message) -> None:
    wanted = independent.by_agent([independent.resumes(path) for path in REAL])
    groups = {each["key"]: each for each in measured["summary"]["groups"]}
    assert len(wanted) == 7
    assert {key: comparable(each) for key, each in groups.items() if each["resumes"]} == near(wanted)


def test_the_histograms_of_the_real_recordings(measured: Message) -> None:
    figures = [each["sessions"][0]["timing"] for each in measured["resumes"] if each["replaying"]]
    for name, distribution in measured["summary"]["timing"].items():
        values = [each[name] for each in figures if each[name] is not None]
        counts = [sum(low <= value < high for value in values) for low, high in pairwise(distribution["edges_s"])]
        assert distribution["counts"] == counts
        assert sum(counts) == (len(values) if len(set(values)) > 1 else 0)


# Synthetic recordings

N = 240
FIRST_MS = 5
REJECTED_S = 88.0
START = 1764400000.123457
"""To the microsecond, so that every recording made of these replays has that resolution from its first line on."""

VERSIONS = (2, 1, 2, 1, 2, 1)
"""What each of six agents speaks. The first four send a marker."""
MARKED = 4
SESSIONS = 5


class Replay(NamedTuple):
    """A replay by this agent: its longest pause, its marker's lag (None: it has no marker) and its gap, in ms."""

    agent: int
    session: str
    pause: int
    lag: int | None
    gap: int

    @property
    def figures(self) -> dict[str, float | None]:
        """Every figure of it, in seconds."""
        replay = FIRST_MS + 1.5 * self.pause + (self.lag or 0)
        snapshot = self.gap / 4 if VERSIONS[self.agent] == 2 else None
        found = {
            "to_first_update_s": FIRST_MS,
            "replay_s": replay,
            "marker_lag_s": self.lag,
            "response_gap_s": self.gap,
            "snapshot_gap_s": snapshot,
            "total_s": replay + self.gap,
            "longest_pause_s": self.pause,
            "gap_longest_pause_s": self.gap - 2 * (snapshot or 0),
            "gap_waiting_for_client_s": snapshot or 0,
        }
        return {name: None if each is None else round(each / 1000, 6) for name, each in found.items()}


def replays() -> list[Replay]:
    """Gaps of 10 to 2400 ms, pauses of 1 to 240 ms, lags of 0 to 159 ms, each value once; 40 replays an agent."""
    random = Random(6)  # noqa: S311
    gaps, pauses, lags = list(range(10, 2410, 10)), list(range(1, N + 1)), list(range(160))
    for values in (gaps, pauses, lags):
        random.shuffle(values)
    made = []
    for number, (gap, pause) in enumerate(zip(gaps, pauses, strict=True)):
        agent, turn = number % len(VERSIONS), number // len(VERSIONS)
        lag = lags.pop() if agent < MARKED else None
        made.append(Replay(agent, f"agent {agent} session {turn % SESSIONS}", pause, lag, gap))
    return made


REPLAYS = replays()


def agent_name(agent: int) -> str:
    """Two agents have one name, in versions of which the second is the later one."""
    return f"synthetic-{agent // 2} 0.{9 + agent % 2}"


def client_name(agent: int) -> str:
    return f"client {agent % 3}"


def connection(these: Sequence[Replay], start: float = START) -> Recording:
    """A connection on which one agent replays these, one after another."""
    agent = these[0].agent
    recording = Recording(start)
    info, client = (
        dict(zip(("name", "version"), name.split(), strict=True)) for name in (agent_name(agent), client_name(agent))
    )
    if VERSIONS[agent] == 2:
        recording.client(0, "initialize", protocolVersion=2, capabilities={}, info=client)
        return described(
            recording.result(0, {"protocolVersion": 2, "capabilities": {"session": {}}, "info": info}), these
        )
    recording.initialize_v1(opted_in=True)
    recording.records[0]["msg"]["params"]["clientInfo"] = client
    recording.records[1]["msg"]["result"]["agentInfo"] = info
    return described(recording, these)


def described(recording: Recording, these: Sequence[Replay]) -> Recording:
    for ident, replay in enumerate(these, 1):
        if VERSIONS[replay.agent] == 2:
            replayed_v2(recording, ident, replay)
        else:
            replayed_v1(recording, ident, replay)
    return recording


def replayed_v1(recording: Recording, ident: int, replay: Replay) -> None:
    session = replay.session
    recording.load(ident, session).message(session, None, FIRST_MS / 1000, "user_message")
    recording.message(session, None, replay.pause / 2000, "agent_thought").message(session, None, replay.pause / 1000)
    if replay.lag is not None:
        recording.vendor(session, replay.lag / 1000)
    recording.result(ident, None, replay.gap / 1000)


def replayed_v2(recording: Recording, ident: int, replay: Replay) -> None:
    """With a child, whose figures are others. The agent waits for an answer, then sends the state, later again."""
    session = replay.session
    recording.resume(ident, session).message(session, "u", FIRST_MS / 1000, "user_message")
    recording.child(session, f"{session} child", 0).message(f"{session} child", "c", 0)
    if replay.lag is not None:
        recording.marker(f"{session} child", 0)
    recording.message(session, "t", replay.pause / 2000, "agent_thought").message(session, "a", replay.pause / 1000)
    if replay.lag is not None:
        recording.marker(session, replay.lag / 1000)
    recording.agent(ident, "session/request_permission", 0, sessionId=session, toolCall={}, options=[])
    recording.result(ident, {"outcome": {"outcome": "cancelled"}}, replay.gap / 4000, "c2a").idle(session, 0)
    recording.idle(session, replay.gap / 4000).result(ident, {}, replay.gap / 2000)


def other_requests(agent: int) -> Recording:
    """A connection whose requests no gap and no pause is measured of: plain, rejected, without a response."""
    recording = connection(of_agent(agent)[:1])
    del recording.records[2:]
    request = recording.resume if VERSIONS[agent] == 2 else recording.load
    recording.resume(1, "plain", replay=False, after=7.0).result(1, {}, 77.0)
    request(2, "nowhere")
    recording.error(2, -32602, REJECTED_S)
    request(3, "forgotten")
    return recording


def saved(folder: Path, name: str, recordings: Sequence[Recording]) -> Path:
    """One file; of several connections the records are interleaved by their times."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    records = [{**record, "conn": number} for number, each in enumerate(recordings) for record in each.records]
    records.sort(key=lambda record: float(record["ts"]))
    path.write_bytes(b"".join(dumps(record) + b"\n" for record in records))
    return path


def of_agent(agent: int, every: Iterable[Replay] = REPLAYS) -> list[Replay]:
    return [each for each in every if each.agent == agent]


AGENTS = range(len(VERSIONS))


def file_an_agent(folder: Path) -> list[Path]:
    """The replays, and in a later connection the other requests."""
    return [
        saved(folder, f"agent {agent}.ndjson", [connection(of_agent(agent)), other_requests(agent)]) for agent in AGENTS
    ]


def one_file(folder: Path) -> list[Path]:
    """Everything interleaved."""
    every = [recording for agent in AGENTS for recording in (connection(of_agent(agent)), other_requests(agent))]
    return [saved(folder, "all.ndjson", every)]


def file_a_session(folder: Path) -> list[Path]:
    paths = []
    for session, these in groupby(sorted(REPLAYS, key=lambda each: each.session), lambda each: each.session):
        paths.append(saved(folder, f"{session}.ndjson", [connection(list(these))]))
    return paths + [saved(folder, f"others of {agent}.ndjson", [other_requests(agent)]) for agent in AGENTS]


def shuffled_files(folder: Path) -> list[Path]:
    """In any order, on three connections an agent, which two files hold interleaved."""
    random = Random(60)  # noqa: S311
    every = list(REPLAYS)
    random.shuffle(every)
    recordings = [other_requests(agent) for agent in AGENTS]
    for agent in AGENTS:
        these = of_agent(agent, every)
        recordings += [connection(these[at::3], START + 100 * at) for at in range(3)]
    random.shuffle(recordings)
    paths = [saved(folder, f"{number}.ndjson", recordings[number::5]) for number in range(5)]
    random.shuffle(paths)
    return paths


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("synthetic")


@pytest.fixture(scope="module")
def paths(folder: Path) -> list[Path]:
    return file_an_agent(folder / "agents")


@pytest.fixture(scope="module")
def whole(paths: list[Path]) -> Message:
    """The summary that the command line reports of the folder."""
    result = run("-f", "json", "--statistics", "--fail-on", "never", *paths)
    assert (result.returncode, result.stderr) == (0, "")
    summary: Message = json.loads(result.stdout)["summary"]
    return summary


def test_the_synthetic_folder(whole: Message) -> None:
    assert (whole["resumes"], whole["replays"]) == (N + 3 * 6, N + 2 * 6)
    # A child beside each replay on v2; two thirds of the replays are marked, and with them their children.
    assert whole["outcomes"] == {
        "complete": 160 + 80,
        "unmarked": 80 + 40,
        "rejected": 6,
        "inconclusive": 6,
        "not_requested": 6,
    }
    assert whole["unmeasured"] == {"no_response": 6, "no_history": 6}
    assert whole["resolution_s"] == 1e-6
    assert (whole["group_by"], whole["groups"]) == (None, [])


def test_the_distribution_of_the_gaps(whole: Message) -> None:
    """240 gaps, 10 ms to 2.4 s in steps of 10 ms: the k-th is k times 10 ms."""
    assert whole["timing"]["response_gap_s"] == {
        "n": 240,
        "min": 0.01,
        "p50": 1.2,  # the 120th
        "p90": 2.16,  # the 216th
        "p95": 2.28,  # the 228th
        "p99": 2.38,  # the 238th: 237.6 of them are 99 %
        "max": 2.4,
        "mean": 1.205,
        "edges_s": [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0],
        "counts": [1, 3, 5, 10, 30, 50, 100, 41],
    }


def test_the_distribution_of_the_pauses(whole: Message) -> None:
    assert whole["timing"]["longest_pause_s"] == {
        "n": 240,
        "min": 0.001,
        "p50": 0.12,
        "p90": 0.216,
        "p95": 0.228,
        "p99": 0.238,
        "max": 0.24,
        "mean": 0.1205,
        "edges_s": [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5],
        "counts": [1, 3, 5, 10, 30, 50, 100, 41],
    }


def test_the_distribution_of_the_lags(whole: Message) -> None:
    """160 lags, 0 to 159 ms: the k-th is k - 1 ms. What is 0 has a bucket of its own."""
    assert whole["timing"]["marker_lag_s"] == {
        "n": 160,
        "min": 0.0,
        "p50": 0.079,
        "p90": 0.143,
        "p95": 0.151,
        "p99": 0.158,
        "max": 0.159,
        "mean": 0.0795,
        "edges_s": [0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2],
        "counts": [1, 1, 3, 5, 10, 30, 50, 60],
    }


def test_what_is_always_the_same_has_no_histogram(whole: Message) -> None:
    alike = dict.fromkeys(("min", "p50", "p90", "p95", "p99", "max", "mean"), 0.005)
    assert whole["timing"]["to_first_update_s"] == {"n": 240, **alike, "edges_s": [], "counts": []}


@pytest.mark.parametrize("name", independent.FIGURES)
def test_every_distribution(name: str, whole: Message) -> None:
    values = [each.figures[name] for each in REPLAYS]
    if name == "total_s":
        values += [REJECTED_S] * 6
    wanted = independent.distribution(values)
    assert {field: whole["timing"][name][field] for field in wanted} == near(wanted)


@pytest.mark.parametrize(
    ("timer", "false_ends"), [(0.025, 216), (0.05, 191), (0.1, 141), (0.25, 0), (0.5, 0), (1.0, 0), (2.0, 0), (3.0, 0)]
)
def test_what_a_quiet_timer_would_have_done(timer: float, false_ends: int, whole: Message) -> None:
    """Pauses of 1 to 240 ms: all from the timer's on end too early."""
    late = sorted(
        round(timer - each.lag / 1000, 6) for each in REPLAYS if each.lag is not None and each.pause / 1000 < timer
    )
    (found,) = (each for each in whole["quiet_timer"] if each["timer_s"] == timer)
    assert found == {
        "timer_s": timer,
        "false_ends": false_ends,
        "n": 240,
        "late_s": {"n": len(late), "p50": late[(len(late) + 1) // 2 - 1], "max": late[-1]},
    }


def test_the_timer_that_would_have_been_right(whole: Message) -> None:
    assert whole["quiet_timer_needed_s"] == 0.24
    # Of 160 marked replays the 80th: 0.25 s less the 80th of the lags of 0 to 159 ms from the largest on.
    assert whole["quiet_timer"][3]["late_s"] == {"n": 160, "p50": 0.17, "max": 0.25}


@pytest.mark.parametrize("layout", [file_an_agent, one_file, file_a_session, shuffled_files])
def test_order_and_files_and_interleaving_change_nothing(layout: Any, whole: Message, folder: Path) -> None:
    files = layout(folder / layout.__name__)
    for paths in (files, files[::-1]):
        assert anywhere(report_of_file(*paths)["summary"]) == anywhere(whole)


def anywhere(summary: Message) -> Message:
    """The summary without the place of the longest gap."""
    return {**summary, "worst": {name: summary["worst"][name] for name in ("session_id", "response_gap_s")}}


GROUPS = ("agent", "client", "file", "session")


@pytest.mark.parametrize("layout", [file_an_agent, one_file, file_a_session, shuffled_files])
@pytest.mark.parametrize("group_by", GROUPS)
def test_the_groups_add_up(group_by: str, layout: Any, whole: Message, folder: Path) -> None:
    summary = report_of_file(*layout(folder / layout.__name__), group_by=group_by)["summary"]
    groups = summary["groups"]
    assert anywhere({**summary, "group_by": None, "groups": []}) == anywhere(whole)
    assert summary["group_by"] == group_by
    for field in ("resumes", "replays"):
        assert sum(each[field] for each in groups) == whole[field]
    for field in ("outcomes", "findings", "unmeasured"):
        assert totals(each[field] for each in groups) == totals([whole[field]])
    for name, distribution in whole["timing"].items():
        assert sum(each["timing"][name]["n"] for each in groups) == distribution["n"]
    for at, timer in enumerate(whole["quiet_timer"]):
        for field in ("n", "false_ends"):
            assert sum(each["quiet_timer"][at][field] for each in groups) == timer[field]
    needed = [each["quiet_timer_needed_s"] for each in groups if each["quiet_timer_needed_s"] is not None]
    assert max(needed) == whole["quiet_timer_needed_s"]
    longest = [each["worst"]["response_gap_s"] for each in groups if each["worst"] is not None]
    assert longest == sorted(longest, reverse=True)
    assert groups[0]["worst"] == summary["worst"]
    assert all(each["worst"] is None for each in groups[len(longest) :])


def totals(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    """What they add up to, without zeros."""
    found: dict[str, int] = {}
    for each in counts:
        for name, count in each.items():
            if count:
                found[name] = found.get(name, 0) + count
    return found


@pytest.mark.parametrize("group_by", ["agent", "client", "session"])
def test_order_and_files_change_no_group(group_by: str, paths: list[Path], folder: Path) -> None:
    first, *others = (
        [
            [each[name] for name in ("key", "timing", "quiet_timer", "outcomes", "findings")]
            for each in report_of_file(*files, group_by=group_by)["summary"]["groups"]
        ]
        for files in (paths, paths[::-1], one_file(folder / "one_file"), shuffled_files(folder / "shuffled_files"))
    )
    assert all(timing.keys() == set(independent.FIGURES) for _, timing, *_ in first)
    assert all(each == first for each in others)


def test_the_names_of_the_groups(paths: list[Path], folder: Path) -> None:
    def keys(files: list[Path], group_by: str) -> list[str]:
        return [each["key"] for each in report_of_file(*files, group_by=group_by)["summary"]["groups"]]

    def by_longest_gap(key: Callable[[Replay], str]) -> list[str]:
        return list(dict.fromkeys(key(each) for each in sorted(REPLAYS, key=lambda each: -each.gap)))

    assert keys(paths[::-1], "agent") == by_longest_gap(lambda each: agent_name(each.agent))
    assert keys(paths[::-1], "client") == by_longest_gap(lambda each: client_name(each.agent))
    assert keys(paths[::-1], "file") == by_longest_gap(lambda each: str(paths[each.agent]))
    named = by_longest_gap(lambda each: each.session)
    assert len(named) == len(AGENTS) * SESSIONS
    assert keys(paths[::-1], "session") == [*named, "forgotten", "nowhere", "plain"]


def alone(group: Message) -> Message:
    """The group as the summary of a run of its own."""
    return {**{name: each for name, each in group.items() if name != "key"}, "group_by": None, "groups": []}


@pytest.mark.parametrize(
    ("group_by", "layout", "of_group"),
    [
        ("agent", file_an_agent, lambda key: [AGENTS[[agent_name(agent) for agent in AGENTS].index(key)]]),
        ("client", file_an_agent, lambda key: [agent for agent in AGENTS if client_name(agent) == key]),
    ],
)
def test_a_group_is_what_its_recordings_are_alone(group_by: str, layout: Any, of_group: Any, folder: Path) -> None:
    files = layout(folder / layout.__name__)
    groups = report_of_file(*files, group_by=group_by)["summary"]["groups"]
    for group in groups:
        own = [files[agent] for agent in of_group(group["key"])]
        assert alone(group) == report_of_file(*own)["summary"]


@pytest.mark.parametrize("layout", [file_an_agent, file_a_session, shuffled_files])
def test_the_group_of_a_file_is_what_that_is_alone(layout: Any, folder: Path) -> None:
    groups = report_of_file(*layout(folder / layout.__name__), group_by="file")["summary"]["groups"]
    for group in groups:
        assert alone(group) == report_of_file(Path(group["key"]))["summary"]


def test_the_group_of_a_session_is_what_its_file_is_alone(folder: Path) -> None:
    files = file_a_session(folder / "file_a_session")
    groups = {each["key"]: each for each in report_of_file(*files, group_by="session")["summary"]["groups"]}
    for path in files[: len(VERSIONS) * SESSIONS]:
        assert alone(groups[path.stem]) == report_of_file(path)["summary"]
