"""`--statistics` and `--group-by` as people and programs get them: text whole, CSV against the JSON of the same report.

The recordings are synthetic.
"""

from __future__ import annotations

import csv
import io
import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from orjson import dumps

from replaylint.analysis.lint import lint
from replaylint.errors import UnknownNameError
from replaylint.render import renderer
from replaylint.render.escape import printable
from replaylint.render.layout import columns
from replaylint.render.view import View
from replaylint.replay.outcome import OUTCOMES
from replaylint.report.groups import grouping
from replaylint.report.model import Connection, Peer
from replaylint.report.summary import summary as summed
from replaylint.statistics.timers import TIMERS_S
from tests.command_line import assert_hashes_do_not_matter, assert_refused, run, saved
from tests.profiles import profile
from tests.recordings import Message, Recording, report_of_file
from tests.reports import EVIL, ONE, assert_golden, rich
from tests.test_schema import check
from tests.test_text import ESCAPE

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from replaylint.report.model import Report

FIELDS = ("n", "min", "p50", "p90", "p95", "p99", "max", "mean")


def introduced(name: str | None, version: str | None, *, v2: bool = False, client: str = "editor") -> Recording:
    """A connection of this agent. Its times are exact to the millisecond."""
    info = {key: value for key, value in (("name", name), ("version", version)) if value is not None}
    recording = Recording(1764400000.001)
    (recording.initialize_v2 if v2 else recording.initialize_v1)(opted_in=True)
    params = recording.records[0]["msg"]["params"]
    params["info" if v2 else "clientInfo"] = {"name": client, "version": "3.1"}
    recording.records[1]["msg"]["result"]["info" if v2 else "agentInfo"] = info
    return recording


def load(recording: Recording, ident: int, gap: float, *, pause: float = 0.01, marked: bool = False) -> Recording:
    session = f"session {ident % 3}"
    recording.load(ident, session).message(session, None, who="user_message").message(session, None, pause)
    if marked:
        recording.vendor(session, 0.002)
    return recording.result(ident, None, gap)


def resume(recording: Recording, ident: int, gap: float, pause: float) -> Recording:
    session = f"session {ident % 3}"
    recording.resume(ident, session).message(session, "u", who="user_message").message(session, "a", pause)
    return recording.marker(session, 0.001 * ident).idle(session, gap / 2).result(ident, {}, gap / 2)


def everything(folder: Path) -> list[Path]:
    """Six agents, two of them versions of one, and one that is not known; every outcome; one log without times."""
    newer, older = introduced("quick", "0.10", v2=True), introduced("quick", "0.9")
    for ident in range(1, 25):
        resume(newer, ident, 0.04 * ident, 0.005 * ident)
    for ident in range(1, 11):
        load(older, ident, 1 + 0.2 * ident, pause=0.06 if ident == 7 else 0.012, marked=True)
    failing = introduced("failing", "1.0", v2=True, client="other")
    failing.resume(1, "session 1").message("session 1", "u", who="user_message").message("session 1", "a", 3.2)
    failing.error(1, -32603, 0.5)
    failing.resume(2, "session 2").message("session 2", "u", who="user_message").marker("session 2").error(2, -32603)
    failing.resume(3, "session 3").error(3, -32602).resume(4, "session 4").message("session 4", "u").result(4, {}, 0.25)
    failing.resume(5, "session 5").message("session 5", "u", who="user_message")
    silent = load(load(introduced("silent", None), 1, 7.25), 2, 0.0)
    untimed = load(introduced("untimed", "2"), 1, 0.1)
    for record in untimed.records:
        del record["ts"]
    unknown = Recording(1764400000.001).resume(1, "session 1", replay=False).idle("session 1").result(1, {}, 0.5)
    made = {
        "newer": newer,
        "older": older,
        "failing": failing,
        "silent": silent,
        "untimed": untimed,
        "unknown": unknown,
    }
    return [saved(folder, f"{name}.ndjson", recording) for name, recording in made.items()]


@pytest.fixture
def rich_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    monkeypatch.chdir(tmp_path)
    paths = [path.name for path in everything(tmp_path)]
    return lint(paths, group_by="agent", budget="p95(response_gap)<1s,p99(total)<1s")


def shown(report: Report, form: str = "text", **options: Any) -> str:
    pieces = renderer(form).render(report, View(statistics=True, **options))
    return "".join(piece.decode() if isinstance(piece, bytes) else piece for piece in pieces)


# Text


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("statistics.piped.txt", {}),
        ("statistics.piped.ascii.txt", {"unicode": False}),
        ("statistics.80.txt", {"width": 80}),
        ("statistics.200.colour.txt", {"width": 200, "colour": True}),
    ],
)
def test_a_rich_report(name: str, options: dict[str, Any], rich_report: Report) -> None:
    assert_golden(name, shown(rich_report, **options))


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("width", [None, 40, 80, 120, 200, 1000])
def test_colour_changes_no_word(width: int | None, unicode: bool, rich_report: Report) -> None:
    plain = shown(rich_report, width=width, unicode=unicode)
    assert ESCAPE.sub("", shown(rich_report, width=width, unicode=unicode, colour=True)) == plain
    assert plain.isascii() is not unicode
    assert not set(plain) & {"\x1b", "\x1f", "\t"}
    assert all(line == line.rstrip() for line in plain.split("\n"))


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_line_is_no_wider_than_the_terminal(width: int, rich_report: Report) -> None:
    for line in shown(rich_report, width=width).splitlines():
        assert columns(line) <= width


def test_the_same_figures_in_every_width(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    report = lint([path.name for path in everything(tmp_path)])

    def figures(width: int | None) -> list[str]:
        return re.findall(r"[\d.]+ m?s\b", " ".join(shown(report, width=width).split()))

    assert len(figures(None)) == 101
    assert figures(60) == figures(80) == figures(None) == figures(200)


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200, None])
def test_a_bar_is_as_long_as_there_is_room(width: int | None, rich_report: Report) -> None:
    lines = re.findall(r"\d m?s to +\d+ m?s .*", shown(rich_report, width=width))
    bars = [line.count("\u2588") for line in lines]
    gaps = rich_report.summary.timing["response_gap_s"]
    longest = max(bars)
    assert longest == {20: 10, 40: 16, 60: 36}.get(width or 0, 40)
    assert bars == [-(-count * longest // max(gaps.counts)) for count in gaps.counts]


def counted(text: str, begin: str) -> list[list[str]]:
    """The cells of the rows of the table whose head begins so, without its head."""
    _, _, table = text.partition(f"\n{begin}")
    rows = table.partition("\n\n")[0].splitlines()[1:]
    return [re.split(r" {2,}", row) for row in rows]


def test_the_matrix_of_the_groups(rich_report: Report) -> None:
    """Agent and version, outcomes, and the gap: that with the longest one first, then by name, the unknown last."""
    text = shown(rich_report)
    assert counted(text, "by agent") == [
        [
            *("silent", "2", "-", "-", "-", "2", "-", "-", "-", "-"),
            *("2", "0 ms", "0 ms", "-", "-", "7.25 s", "silent.ndjson:3"),
        ],
        [
            *("quick 0.9", "10", "10", "-", "-", "-", "-", "-", "-", "-"),
            *("10", "1.20 s", "2.00 s", "2.80 s", "-", "3.00 s", "older.ndjson:48"),
        ],
        [
            *("quick 0.10", "24", "24", "-", "-", "-", "-", "-", "-", "-"),
            *("24", "40.0 ms", "480 ms", "880 ms", "920 ms", "960 ms", "newer.ndjson:141"),
        ],
        [
            *("failing 1.0", "5", "-", "1", "1", "1", "1", "1", "-", "2"),
            *("3", "10.0 ms", "250 ms", "-", "-", "500 ms", "failing.ndjson:3"),
        ],
        ["untimed 2", "1", "-", "-", "-", "1", *["-"] * 11],
        ["not known", "1", "-", "-", "-", "-", "-", "-", "1", *["-"] * 8],
    ]


def test_the_timers_of_the_groups(rich_report: Report) -> None:
    assert counted(shown(rich_report), "too early, by timer") == [
        ["silent", "2", "-", "-", "-", "-", "-", "-", "-", "-", "> 10.0 ms"],
        ["quick 0.9", "10", "1", "1", "-", "-", "-", "-", "-", "-", "> 60.0 ms"],
        ["quick 0.10", "24", "20", "15", "5", "-", "-", "-", "-", "-", "> 120 ms"],
        ["failing 1.0", "1", "1", "1", "1", "1", "1", "1", "1", "1", "> 3.20 s"],
    ]


def test_what_could_not_be_measured_is_told(rich_report: Report) -> None:
    text = shown(rich_report)
    assert rich_report.summary.unmeasured == {"no_times": 1, "no_response": 1, "no_history": 1}
    said = "no response gap: the recording has no times (1), there is no response (1), no history came (1)\n"
    assert said in text
    assert "timings of 42 replays, times exact to 1 ms\n" in text


def test_what_n_is_too_small_for_is_told(rich_report: Report) -> None:
    assert "nearest-rank percentiles; values needed: p99 100\n" in shown(rich_report)


@pytest.mark.parametrize(
    ("n", "missing"),
    [
        (1, "p90 10, p95 20, p99 100"),
        (9, "p90 10, p95 20, p99 100"),
        (10, "p95 20, p99 100"),
        (20, "p99 100"),
        (100, None),
    ],
)
def test_which_percentiles_there_are(n: int, missing: str | None, tmp_path: Path) -> None:
    recording = introduced("agent", "1")
    for ident in range(1, n + 1):
        recording.load(ident, "s").message("s", None, who="user_message").message("s", None).vendor("s")
        recording.result(ident, None, 0.001 * ident)
    text = shown(lint(saved(tmp_path, "trace", recording)))
    found = re.search("values needed: (.*)\n", text)
    # Nobody sent a snapshot.
    assert (found and found[1]) == missing
    gaps = lint(tmp_path / "trace").summary.timing["response_gap_s"]
    known = [field for field in ("p90", "p95", "p99") if getattr(gaps, field) is not None]
    assert known == ["p90", "p95", "p99"][: [10, 20, 100].index(n) + 1 if n in {10, 20, 100} else 0]


FIVE = ([0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55], [1, 0, 1, 0, 1, 0, 1, 0, 1])


@pytest.mark.parametrize("n", [0, 1, 2, 4, 5])
def test_few_values(n: int, tmp_path: Path) -> None:
    """No percentile that n is too small for, and no histogram of fewer than five."""
    recording = introduced("agent", "1")
    for ident in range(1, n + 1):
        load(recording, ident, 0.1 * ident)
    report = lint(saved(tmp_path, "trace", recording), group_by="agent")
    gaps = report.summary.timing["response_gap_s"]
    assert (gaps.n, gaps.p90, gaps.p95, gaps.p99) == (n, None, None, None)
    assert (gaps.edges_s, gaps.counts) == (FIVE if n == 5 else ([], []))
    text = shown(report)
    assert ("\nresponse gap, " in text) is (n == 5)
    assert ("\ntimings of " in text) is ("\nquiet timers in " in text) is (n > 0)
    assert "None" not in text
    assert "nan" not in text


def test_no_resume_at_all(tmp_path: Path) -> None:
    report = lint(saved(tmp_path, "trace", introduced("agent", "1")))
    found = "findings         errors  warnings  info  recordings\nRL005 no-resume       -         -     1           1\n"
    assert shown(report) == f"1 recording, 0 resumes\n0 errors, 0 warnings, 1 info\n\n{found}"
    grouped = lint(tmp_path / "trace", group_by="agent")
    assert shown(grouped).startswith(f"{shown(report)}\nby agent")
    assert counted(shown(grouped), "by agent") == [["agent 1", "0", "-", "-", "-"]]


def test_no_input_at_all(tmp_path: Path) -> None:
    for group_by in ("agent", "client", "session"):
        report = lint([], group_by=group_by)
        assert report.summary.groups == []
        assert shown(report).startswith("0 recordings, 0 resumes\n0 errors, 0 warnings, 0 info\n")
    assert list(csv.reader(io.StringIO(shown(report, "csv"))))[1:] == []
    assert len(list(csv.reader(io.StringIO(shown(lint([]), "csv"))))) == 2


def test_replays_without_any_time(tmp_path: Path) -> None:
    untimed = everything(tmp_path)[4]
    totals, counts, unknown, *findings = shown(lint(untimed)).splitlines()
    assert (totals, counts) == ("1 recording, 1 resume, 1 session: 1 unmarked", "0 errors, 0 warnings, 1 info")
    assert unknown == "  no response gap: the recording has no times (1)"
    assert [each.split() for each in findings[2:]] == [["RL201", "missing-marker", "-", "-", "1", "1"]]


# Groups


def named(*peers: tuple[str | None, str | None], group_by: str = "agent") -> list[str | None]:
    """The keys of groups of resumes whose agents, or clients, have these names and versions."""
    report = rich()
    report.traces[0].connections = [
        Connection(number, 2, False, "closed", Peer(*peer), Peer(*peer))  # noqa: FBT003
        for number, peer in enumerate(peers, 1)
    ]
    first = report.resumes[0]
    report.resumes = []
    for number in range(1, len(peers) + 1):
        made = type(first)(**{name: getattr(first, name) for name in first.__slots__})
        made.connection = number
        report.resumes.append(made)
    report.findings = []
    return [each.key for each in summed(report, grouping(group_by)).groups]


@pytest.mark.parametrize("group_by", ["agent", "client"])
def test_versions_are_in_natural_order_and_the_unknown_is_last(group_by: str) -> None:
    versions = ["0.10", "0.9", "0.9.1", "1.0", "10.0", "2.0-rc.10", "2.0-rc.9", "", None]
    peers = [(name, version) for name in ("b", "a", "a-10", "a-9") for version in versions]
    assert named(*peers, (None, "7"), (None, None), group_by=group_by) == [
        *("a", "a ", "a 0.9", "a 0.9.1", "a 0.10", "a 1.0", "a 2.0-rc.9", "a 2.0-rc.10", "a 10.0"),
        *("a-9", "a-9 ", "a-9 0.9", "a-9 0.9.1", "a-9 0.10", "a-9 1.0", "a-9 2.0-rc.9", "a-9 2.0-rc.10", "a-9 10.0"),
        *("a-10", "a-10 ", "a-10 0.9", "a-10 0.9.1", "a-10 0.10", "a-10 1.0"),
        *("a-10 2.0-rc.9", "a-10 2.0-rc.10", "a-10 10.0"),
        *("b", "b ", "b 0.9", "b 0.9.1", "b 0.10", "b 1.0", "b 2.0-rc.9", "b 2.0-rc.10", "b 10.0"),
        None,
    ]


@given(
    st.lists(st.tuples(st.none() | st.text(max_size=4) | st.from_regex(r"[0-9.\u0664]{1,6}"), st.none()), max_size=8)
)
@example([("1", None), ("01", None), ("1" * 30, None), ("\u0664", None), ("\ud800", None)])
@profile(100)
def test_any_names_can_be_groups(peers: list[tuple[str | None, str | None]]) -> None:
    keys = named(*peers)
    assert len(keys) == len(set(keys)) == len({name for name, _ in peers})
    assert keys == named(*peers[::-1])
    assert None not in keys[:-1]


@pytest.mark.parametrize("name", ["AGENT", "Client", "file", "session"])
def test_what_to_group_by(name: str) -> None:
    assert grouping(name) == name.lower()


def test_what_cannot_be_grouped_by(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=r"there is no group 'agents'; did you mean agent\?"):
        lint([], group_by="agents")
    assert_refused(run("--group-by", "agents", tmp_path), "--group-by", "agents")


def test_findings_go_where_their_resume_goes(tmp_path: Path) -> None:
    unmarked = introduced("a", "1", v2=True).resume(1, "s").message("s", "u").idle("s").result(1, {}).resume(2, "t")
    paths = [saved(tmp_path, "a", unmarked), saved(tmp_path, "b", load(introduced("b", "1"), 1, 3.0))]
    options: dict[str, Any] = {"max_gap": "1s", "budget": "max(response_gap)<1s"}
    findings = {
        group_by: {
            each["key"]: tuple(each["findings"].values())
            for each in report_of_file(*paths, group_by=group_by, **options)["summary"]["groups"]
        }
        for group_by in ("agent", "file", "session")
    }
    # Errors, warnings and infos. Of s RL201, of t RL105, of their file RL405; of the other RL401 and, as v1 has no
    # marker of its own, RL201 as info; of the run RL404.
    assert findings["agent"] == {"a 1": (1, 2, 0), "b 1": (1, 0, 1)}
    assert findings["file"] == {str(paths[0]): (1, 2, 0), str(paths[1]): (1, 0, 1)}
    assert findings["session"] == {"s": (1, 0, 0), "session 1": (1, 0, 1), "t": (0, 1, 0), None: (0, 1, 0)}


# CSV


def rows(text: str) -> list[dict[str, str]]:
    """The rows, each cell by its column's name."""
    assert text.endswith("\n")
    head, *found = csv.reader(io.StringIO(text), strict=True)
    assert len(set(head)) == len(head)
    assert all(len(row) == len(head) for row in found)
    return [dict(zip(head, row, strict=True)) for row in found]


def read(cell: str) -> float | None:
    return None if cell == "" else json.loads(cell)


def assert_says(row: dict[str, str], of: Message) -> None:
    """A row has every figure of a summary or a group, as the JSON has it, and no more."""
    cells = {name: read(cell) for name, cell in row.items() if name not in {"group_by", "key"}}
    assert (cells.pop("resumes"), cells.pop("replays")) == (of["resumes"], of["replays"])
    assert cells.pop("resolution_s") == of["resolution_s"]
    assert cells.pop("quiet_timer_needed") == of["quiet_timer_needed_s"]
    for outcome in OUTCOMES:
        assert cells.pop(outcome) == of["outcomes"].get(outcome, 0)
    for severity in ("error", "warning", "info"):
        assert cells.pop(severity) == of["findings"][severity]
    assert cells.pop("known") == of["known"]
    for reason in ("no_times", "no_response", "no_history", "clock"):
        assert cells.pop(f"unmeasured_{reason}") == of["unmeasured"].get(reason, 0)
    for figure, distribution in of["timing"].items():
        for field in FIELDS:
            assert cells.pop(f"{figure.removesuffix('_s')}_{field}") == distribution[field]
    assert cells.pop("quiet_timer_n") == of["quiet_timer"][0]["n"]
    for timer, seconds in zip(of["quiet_timer"], TIMERS_S, strict=True):
        assert cells.pop(f"quiet_timer_{seconds:g}_false_ends") == timer["false_ends"]
        for field in ("n", "p50", "max"):
            assert cells.pop(f"quiet_timer_{seconds:g}_late_{field}") == timer["late_s"][field]
    assert cells == {}


def test_the_csv_says_what_the_json_says(tmp_path: Path) -> None:
    paths = everything(tmp_path)
    whole = run("-f", "csv", "--statistics", "--fail-on", "never", *paths)
    assert (whole.returncode, whole.stderr) == (0, "")
    (row,) = rows(whole.stdout)
    assert (row["group_by"], row["key"]) == ("", "")
    assert_says(row, report_of_file(*paths)["summary"])


@pytest.mark.parametrize("group_by", ["agent", "client", "file", "session"])
def test_the_csv_has_a_row_for_each_group(group_by: str, tmp_path: Path) -> None:
    paths = everything(tmp_path)
    result = run("-f", "csv", "--group-by", group_by, "--fail-on", "never", *paths)
    groups = report_of_file(*paths, group_by=group_by)["summary"]["groups"]
    found = rows(result.stdout)
    assert [(row["group_by"], row["key"]) for row in found] == [(group_by, each["key"] or "") for each in groups]
    for row, group in zip(found, groups, strict=True):
        assert_says(row, group)


def assert_session(row: dict[str, str], resume: Message, session: Message, connection: Message) -> None:
    """A row has every field of a session, as the JSON has it."""
    response, marker, updates = resume["response"], session["marker"], session["updates"]
    error = (response or {}).get("error")
    peers = [connection["agent"], connection["client"]]
    wanted = {
        "trace": resume["trace"],
        "agent": " ".join(filter(None, [peers[0]["name"], peers[0]["version"]])),
        "client": " ".join(filter(None, [peers[1]["name"], peers[1]["version"]])),
        "method": resume["method"],
        "session_id": session["session_id"],
        "role": session["role"],
        "parent": session["parent"] or "",
        "replay_from": resume["replay_from"] or "",
        "end": resume["end"],
        "outcome": session["outcome"],
        "certified_by": session["certified_by"] or "",
        "marker": marker["kind"] if marker else "",
        "replay_end": session["timing"]["replay_end"] or "",
    }
    numbers = {
        "connection": resume["connection"],
        "protocol_version": connection["protocol_version"],
        "request_line": resume["request"]["line"],
        "request_id": resume["request_id"],
        "replaying": resume["replaying"],
        "ambiguous": resume["ambiguous"],
        "error_code": error["code"] if error else None,
        "response_line": response["line"] if response else None,
        "marker_line": marker["line"] if marker else None,
        "unanswered_s": resume["unanswered_s"],
        **{name: updates[name] for name in ("history", "live", "other", "bytes")},
        **{name: value for name, value in session["timing"].items() if name.endswith("_s")},
    }
    assert {name: row[name] for name in wanted} == wanted
    assert {name: read(row[name]) for name in numbers} == numbers
    assert row.keys() == {*wanted, *numbers, "findings"}


def test_without_statistics_a_row_is_a_session(tmp_path: Path) -> None:
    paths = everything(tmp_path)
    result = run("-f", "csv", "--fail-on", "never", *paths)
    assert (result.returncode, result.stderr) == (0, "")
    report = report_of_file(*paths)
    connections = {
        (trace["path"], each["connection"]): each for trace in report["traces"] for each in trace["connections"]
    }
    sessions = [(resume, session) for resume in report["resumes"] for session in resume["sessions"]]
    found = rows(result.stdout)
    assert len(found) == len(sessions) == 43
    for row, (resume, session) in zip(found, sessions, strict=True):
        assert_session(row, resume, session, connections[resume["trace"], resume["connection"]])
    failing = [row["findings"] for row in found if row["trace"].endswith("failing.ndjson")]
    assert failing == ["RL209", "", "", "RL201 RL212", "RL105"]


# What stands in a recording is hostile

FORMULAS = [
    *("=cmd", "+1", "-x", "@x", "\t=1", "\r=1", "\n=1", " =1", "=1+1,2", '="a"', '=HYPERLINK("http://x","y")'),
    *("a;=1", ';"=1', "a; @x;b", ";;-1", "=a;=b", "x;=cmd|' /C calc'!A0;y", "a;b", "a;'=1"),
    *("=1\n=2", '"=1', "'=1", "a,b", 'say "x"', "two\nlines", "\u00a0=1", "\u3000@x", "\ufeff=1", "-1", EVIL),
]


def assert_no_formula(cell: str) -> None:
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))
    assert not re.search(r';[\s"]*[=+\-@]', cell)
    assert not set(cell) & set("\t\r\n\x1b\u2028\u202e\ufeff")


@pytest.mark.parametrize("text", FORMULAS)
def test_no_text_of_a_recording_is_a_formula(text: str, tmp_path: Path) -> None:
    recording = introduced(text, None, client=text)
    recording.load(text, text).message(text, None).child(text, f"{text}c").result(text, None, 0.5)
    path = saved(tmp_path, "trace", recording)
    shown_so = re.sub(r';(?=[\s"]*[=+\-@])', r"\\x3b", printable(text))
    cell = f"'{shown_so}" if shown_so.lstrip().startswith(("=", "+", "-", "@")) else shown_so
    for group_by in ("agent", "session"):
        report = lint(path, group_by=group_by)
        (row,) = rows(shown(report, "csv"))
        assert row["key"] == cell
        assert_no_formula(row["key"])
        assert_says(row, json.loads(dumps(report.summary.groups[0])))
    named, child = rows("".join(renderer("csv").render(lint(path), View())))  # type: ignore[arg-type]
    assert named["agent"] == named["session_id"] == child["parent"] == cell
    for row in (named, child):
        for name in ("agent", "client", "session_id", "parent", "request_id", "trace"):
            assert_no_formula(row[name])


def test_no_text_is_a_formula_between_semicolons(tmp_path: Path) -> None:
    text = "x;=cmd|' /C calc'!A0;y"
    recording = introduced(text, None, client="a; b").load(text, text).message(text, None).result(text, None, 0.5)
    output = "".join(renderer("csv").render(lint(saved(tmp_path, "trace", recording)), View()))  # type: ignore[arg-type]
    (row,) = rows(output)
    assert row["agent"] == row["session_id"] == r"x\x3b=cmd|' /C calc'!A0;y"
    assert row["client"] == "a; b 3.1"
    for cells in csv.reader(io.StringIO(output), delimiter=";"):
        assert [cell for cell in cells if cell.startswith("=")] == []


def test_a_path_is_no_formula(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    saved(tmp_path, "=cmd,x", load(introduced("agent", "1"), 1, 0.5))
    (row,) = rows(run("-f", "csv", "--group-by", "file", "=cmd,x", cwd=tmp_path).stdout)
    assert row["key"] == "'=cmd,x"


def test_a_negative_number_stays_one(tmp_path: Path) -> None:
    """A timer that fires before the marker is early: no text, no apostrophe."""
    recording = introduced("agent", "1").load(-7, "s").message("s", None).message("s", None).vendor("s", 0.2)
    path = saved(tmp_path, "trace", recording.result(-7, None))
    (row,) = rows(shown(lint(path), "csv"))
    assert row["quiet_timer_0.025_late_p50"] == row["quiet_timer_0.025_late_max"] == "-0.175"
    (row,) = rows("".join(renderer("csv").render(lint(path), View())))  # type: ignore[arg-type]
    assert row["request_id"] == "-7"
    assert re.search(r"^  25 ms +0 of 1 +0 % +1 +-175 ms +-175 ms$", shown(lint(path)), re.MULTILINE)


@given(st.text())
@example(EVIL)
@example("=\ud800")
@profile(100)
def test_any_name_of_an_agent_can_be_shown(name: str) -> None:
    report = rich()
    report.resumes = [each for each in report.resumes if each.trace == ONE]
    report.findings = []
    lines = shown_with(report, "x").count("\n")
    text = shown_with(report, name)
    assert printable(name) in text
    assert text.count("\n") == lines
    for row in rows(shown(report, "csv")):
        assert_no_formula(row["key"])


def shown_with(report: Report, name: str) -> str:
    report.traces[0].connections[0].agent = Peer(name, None)
    report.summary = summed(report, "agent")
    return shown(report)


# The command line


@pytest.mark.parametrize("option", [["--statistics"], ["--group-by", "agent"]])
@pytest.mark.parametrize("form", ["concise", "github", "gitlab", "junit", "sarif"])
def test_statistics_are_refused_where_nobody_could_see_them(form: str, option: list[str], tmp_path: Path) -> None:
    path = saved(tmp_path, "trace", load(introduced("agent", "1"), 1, 0.5))
    assert_refused(run("-f", form, *option, path), f"statistics are for --format text, json and csv, not {form}")


@pytest.mark.parametrize("option", [["--statistics"], ["--group-by", "file"]])
@pytest.mark.parametrize("filter_", [["--session", "session 1"], ["--resume", "1"]])
@pytest.mark.parametrize("form", ["text", "json", "csv"])
def test_statistics_are_of_all_resumes(form: str, filter_: list[str], option: list[str], tmp_path: Path) -> None:
    path = saved(tmp_path, "trace", load(introduced("agent", "1"), 1, 0.5))
    assert_refused(run("-f", form, *option, *filter_, path), "they go without --session and --resume")


def test_quietly_there_are_findings_only(tmp_path: Path) -> None:
    path = everything(tmp_path)[2]
    quiet = run("-q", "--statistics", path)
    assert quiet.returncode == 1
    assert quiet.stdout == run("-q", path).stdout
    assert re.findall(r"RL\d{3}", quiet.stdout) == ["RL209", "RL201", "RL212", "RL105"]


def test_groups_imply_statistics(tmp_path: Path) -> None:
    paths = everything(tmp_path)
    grouped = run("--group-by", "agent", *paths)
    assert grouped.stdout == run("--group-by", "agent", "--statistics", *paths).stdout
    assert grouped.stdout.startswith(run("--statistics", *paths).stdout)


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    paths = everything(tmp_path)
    views = (["--statistics"], ["--group-by", "agent"])
    assert_hashes_do_not_matter(
        *(["-f", form, *options, *paths] for form in ("text", "csv", "json") for options in views)
    )


def test_the_report_with_groups_is_as_declared(tmp_path: Path) -> None:
    for group_by in ("agent", "client", "file", "session"):
        report = report_of_file(*everything(tmp_path), group_by=group_by)
        check(report)
        assert len(report["summary"]["groups"]) > 1


def edges(groups: Iterable[Message]) -> list[tuple[list[float], list[int]]]:
    return [(each["edges_s"], each["counts"]) for group in groups for each in group["timing"].values()]


def test_histograms_are_small_and_whole(tmp_path: Path) -> None:
    summary = report_of_file(*everything(tmp_path), group_by="agent")["summary"]
    for group in (summary, *summary["groups"]):
        for name, each in group["timing"].items():
            assert sum(each["counts"]) in {0, each["n"]}, name
            assert len(each["counts"]) == max(0, len(each["edges_s"]) - 1)
            assert all(low < high for low, high in pairwise(each["edges_s"]))
