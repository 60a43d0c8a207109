"""The `text` report: whole outputs at several widths, the bar's proportions, folding, and what is chosen."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from replaylint.commands import terminal
from replaylint.render import resumes, text
from replaylint.render.bar import bar
from replaylint.render.layout import JOINT, columns, joined, line
from replaylint.render.view import View
from replaylint.report.model import (
    Connection,
    Distribution,
    Evidence,
    Marker,
    Peer,
    Report,
    Response,
    ResponseError,
    Summary,
    Trace,
    Updates,
)
from tests.reports import ONE, START, UNKNOWN, assert_golden, finding, resume, rich, session, timing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replaylint.report.model import Finding, Resume, Session, Timing

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
NOTHING = Distribution(0, None, None, None, None, None, None, None, [], [])


def shown(report: Report, **options: Any) -> str:
    """The output in this view."""
    return "".join(text.render(report, View(**options)))


def trace(path: str = ONE, **facts: Any) -> Trace:
    """A recording."""
    defaults: dict[str, Any] = {
        "format": "envelope",
        "lines": 25,
        "messages": 25,
        "bytes": 5000,
        "longest_message_bytes": 5000,
        "timestamps": "wall",
        "resolution_s": 0.001,
        "directions": "recorded",
        "order": "exact",
        "lost": 0,
        "left_out": 0,
        "malformed": 0,
        "malformed_line": None,
        "error": None,
        "connections": [Connection(1, 2, False, "open", Peer("editor", "3.1"), Peer("demo-agent", "0.9"))],  # noqa: FBT003
    }
    return Trace(path=path, **{**defaults, **facts})


def report_of(
    traces: list[Trace], resumes: list[Resume], findings: Sequence[Finding] = (), gaps: Distribution = NOTHING
) -> Report:
    """A report; its summary counts what a test needs of it."""
    counts = {each: sum(found.severity == each for found in findings) for each in ("error", "warning", "info")}
    outcomes: Counter[str] = Counter(one.outcome for each in resumes for one in each.sessions)
    timing = {"response_gap_s": gaps}
    summary = Summary(len(resumes), len(resumes), dict(outcomes), counts, 0, timing, None, {}, [], None, None, None, [])
    agreed: dict[str, Any] = {"baseline": None, "exceptions": [], "budgets": []}
    return dataclasses.replace(
        rich(), traces=traces, resumes=resumes, findings=list(findings), summary=summary, **agreed
    )


GAP = timing(
    to_first_update_s=0.1,
    replay_s=0.5,
    marker_lag_s=0.01,
    response_gap_s=2.0,
    snapshot_gap_s=1.5,
    total_s=2.5,
    longest_pause_s=0.03,
    gap_longest_pause_s=1.2,
    gap_waiting_for_client_s=0.25,
)
"""A fifth replay and four fifths response gap, with what filled it."""


def complete(session_id: str = "sess_a", figures: Timing = GAP, **facts: Any) -> Session:
    """A session whose marker came."""
    return session(
        session_id,
        "complete",
        **{
            "certified_by": "marker",
            "marker": Marker("replay_complete", 20, START),
            "updates": Updates(12, 2, 0, 999, {"agent_message": 6, "user_message": 6, "state_update": 2}),
            "timing": figures,
            **facts,
        },
    )


def usual() -> Report:
    """One replay with a child and an error, as most people will see it first."""
    child = complete(
        "sess_b",
        timing(replay_s=0.4, response_gap_s=2.1, total_s=2.5, gap_longest_pause_s=2.1),
        role="child",
        parent="sess_a",
    )
    found = finding(
        "RL301",
        "error",
        "3 live updates (notice, state_update) before the marker at line 20; only replayed history may stand there",
        ONE,
        9,
        last_line=17,
        count=3,
        request_id=7,
        side="client",
        session_id="sess_a",
        evidence=[Evidence(3, "request"), Evidence(20, "marker")],
        method="notice",
        author="agent",
        since_s=0.125,
    )
    resumed = resume(ONE, 1, 7, 3, complete(), child, response=Response(24, START, None))
    return report_of([trace()], [resumed], [found], Distribution(12, 0.4, 1.9, 2.0, None, None, 2.0, 1.5, [], []))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("60", {"width": 60}),
        ("60.ascii", {"width": 60, "unicode": False}),
        ("80", {"width": 80}),
        ("80.colour", {"width": 80, "colour": True}),
        ("160", {"width": 160}),
        ("160.ascii.colour", {"width": 160, "unicode": False, "colour": True}),
        ("piped", {}),
        ("piped.ascii", {"unicode": False}),
        ("piped.colour", {"colour": True}),
    ],
)
def test_the_usual_report(name: str, options: dict[str, Any]) -> None:
    assert_golden(f"usual.{name}.txt", shown(usual(), **options))


@pytest.mark.parametrize("width", [60, 80, 160])
def test_the_rich_report_on_a_terminal(width: int) -> None:
    assert_golden(f"report.{width}.txt", shown(rich(), width=width, everything=True))


@pytest.mark.parametrize("quiet", [False, True])
@pytest.mark.parametrize("width", [None, 30, 60, 80, 160])
@pytest.mark.parametrize("report", [rich, usual])
def test_colour_changes_no_text(report: Any, width: int | None, quiet: bool) -> None:
    plain = shown(report(), width=width, quiet=quiet)
    coloured = shown(report(), width=width, quiet=quiet, colour=True)
    assert "\x1b" not in plain
    assert ESCAPE.sub("", coloured) == plain
    assert (coloured.count("\x1b[0m") >= 1) != quiet
    for each in coloured.split("\n"):
        assert not ESCAPE.findall(each) or ESCAPE.findall(each)[-1] == "\x1b[0m"


@pytest.mark.parametrize("width", [60, 80, 160])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    lines = shown(usual(), width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert max(map(len, lines)) > width / 2


@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_terminal_shows_the_same_words(width: int) -> None:
    def words(report: Report, **options: Any) -> list[str]:
        # A bar is as wide as the terminal, and its first update shows where there is a column for it.
        bars = r"[^ \n]*[\u2588\u2591]{3}[^ \n]*|\u00b7 first\s+update\s+at\s+[\d.]+ ms,|\u2588\s+replay,"
        output = re.sub(bars, "", shown(report, everything=True, **options))
        return sorted(re.sub(r"[():;,]", " ", output).split())

    # Where it is narrower, what is on a line of evidence is cut.
    for report in (usual(), rich()) if width >= 80 else (usual(),):
        assert words(report, width=width) == words(report)


@pytest.mark.parametrize("width", [None, 40, 80])
def test_what_is_ascii_stays_ascii(width: int | None) -> None:
    assert shown(usual(), width=width, unicode=False).isascii()


# A line


@pytest.mark.parametrize(
    ("pieces", "wanted"),
    [
        (["one two three four five six"], "  one two three four\n    five six\n"),
        (["one ", ("bold", "two three"), " four five"], "  one two three four\n    five\n"),
        (["one t", ("bold", "w"), "o three four five"], "  one two three four\n    five\n"),
        ([joined("one two three four five")], "  one two three four five\n"),
        (["one " + "x" * 30 + " two"], f"  one\n    {'x' * 30}\n    two\n"),
        (["one two three"], "  one two three\n"),
        (["\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 8 + " one two"], f"  {'中' * 8} one\n    two\n"),
    ],
)
def test_a_line_is_wrapped_between_words(pieces: list[Any], wanted: str) -> None:
    assert line(View(width=22), 2, *pieces) == wanted


def test_a_line_that_is_piped_is_one_line() -> None:
    assert line(View(), 2, "one " * 100, joined("a b")) == f"  {'one ' * 100}a b\n"


def test_styles_begin_and_end_on_each_row() -> None:
    output = line(View(width=22, colour=True), 0, "one ", ("bold", "two three four five"), " six")
    assert output == "one \x1b[1mtwo three four\x1b[0m\n  \x1b[1mfive\x1b[0m six\n"


@pytest.mark.parametrize(("word", "width"), [("abc", 3), ("中a", 3), ("e\u0301", 1), (f"a{JOINT}b", 3), ("", 0)])
def test_columns(word: str, width: int) -> None:
    assert columns(word) == width


# The bar


def drawn(figures: Timing, cells: int = 20) -> str | None:
    pieces = bar(figures, cells, unicode=False)
    return None if pieces is None else "".join(part for _, part in pieces)


@pytest.mark.parametrize(
    ("figures", "wanted"),
    [
        ({"replay_s": 0.5, "response_gap_s": 0.5, "total_s": 1.0}, "|==========M---------|"),
        ({"replay_s": 0.1, "response_gap_s": 0.9, "total_s": 1.0}, "|==M-----------------|"),
        ({"replay_s": 0.0, "response_gap_s": 1.0, "total_s": 1.0}, "|M-------------------|"),
        ({"replay_s": 1.0, "response_gap_s": 0.0, "total_s": 1.0}, "|===================M|"),
        (
            {"to_first_update_s": 0.25, "replay_s": 0.5, "response_gap_s": 0.5, "snapshot_gap_s": 0.25, "total_s": 1.0},
            "|.....=====M----S----|",
        ),
        # The snapshot gives way to the marker, and stays inside.
        (
            {"replay_s": 0.5, "response_gap_s": 0.5, "snapshot_gap_s": 0.001, "total_s": 1.0},
            "|==========MS--------|",
        ),
        (
            {"replay_s": 1.0, "response_gap_s": 0.0, "snapshot_gap_s": 0.0, "total_s": 1.0},
            "|==================MS|",
        ),
        (
            {"replay_s": 0.0, "response_gap_s": 1.0, "snapshot_gap_s": 1.0, "total_s": 1.0},
            "|M------------------S|",
        ),
        # A clock may go back by its tolerance: nothing leaves the bar.
        (
            {"replay_s": 1.001, "response_gap_s": 0.0, "snapshot_gap_s": 0.5, "total_s": 1.0},
            "|==================MS|",
        ),
        (
            {"to_first_update_s": 0.9, "replay_s": 0.5, "response_gap_s": 0.5, "total_s": 1.0},
            "|..........M---------|",
        ),
    ],
)
def test_a_bar_is_to_scale(figures: dict[str, float], wanted: str) -> None:
    assert drawn(timing(**figures)) == wanted


@pytest.mark.parametrize(
    ("figures", "wanted"),
    [
        ({"replay_s": 0.5, "response_gap_s": 0.5, "total_s": 1.0}, "|===========---------|"),
        ({"replay_s": 0.0, "response_gap_s": 1.0, "total_s": 1.0}, "|=-------------------|"),
        ({"replay_s": 1.0, "response_gap_s": 0.0, "total_s": 1.0}, "|====================|"),
        (
            {"to_first_update_s": 1.0, "replay_s": 1.0, "response_gap_s": 0.0, "total_s": 1.0},
            "|...................=|",
        ),
        (
            {"replay_s": 0.5, "response_gap_s": 0.5, "snapshot_gap_s": 0.5, "total_s": 1.0},
            "|===========--------S|",
        ),
        (
            {"replay_s": 1.0, "response_gap_s": 0.0, "snapshot_gap_s": 0.0, "total_s": 1.0},
            "|===================S|",
        ),
    ],
)
def test_a_bar_without_a_marker(figures: dict[str, float], wanted: str) -> None:
    assert drawn(dataclasses.replace(timing(**figures), replay_end="last_update")) == wanted


@pytest.mark.parametrize(
    "figures",
    [
        UNKNOWN,
        timing(replay_s=0.5),
        timing(total_s=0.5),
        timing(replay_s=0.5, total_s=1.0),
        timing(replay_s=0.0, response_gap_s=0.0, total_s=0.0),
    ],
)
def test_without_figures_there_is_no_bar(figures: Timing) -> None:
    assert drawn(figures) is None


@pytest.mark.parametrize("cells", [10, 20, 48, 80])
@pytest.mark.parametrize("percent", range(101))
def test_a_bar_has_its_width_and_every_sign_in_order(cells: int, percent: int) -> None:
    replay = percent / 100
    figures = timing(replay_s=replay, response_gap_s=1 - replay, snapshot_gap_s=(1 - replay) / 2, total_s=1.0)
    bar_ = drawn(figures, cells)
    assert bar_ is not None
    assert len(bar_) == cells + 2
    assert re.fullmatch(r"\|=*M-*S-*\|", bar_)
    assert abs((bar_.index("M") - 1) / cells - replay) <= 2 / cells + 1e-9


@pytest.mark.parametrize(("width", "cells"), [(None, 48), (60, 52), (80, 72), (160, 80), (12, 10)])
def test_a_bar_fits_the_terminal(width: int | None, cells: int) -> None:
    found, of_child = (each for each in shown(usual(), width=width, unicode=False).splitlines() if "|" in each)
    assert of_child.startswith("        |")
    assert found.startswith("      |")
    assert found.count("") - 1 == 6 + 2 + cells
    assert found.index("M") - 7 == int(0.2 * cells)


def details(resumed: Resume, **facts: Any) -> list[str]:
    """The lines below a resume's first session."""
    lines = shown(report_of([trace(**facts)], [resumed])).split("\n")
    at = next(number for number, each in enumerate(lines) if each.startswith("    session "))
    return [each.strip() for each in lines[at + 1 : lines.index("", at)]]


def test_no_gap_at_all() -> None:
    figures = timing(to_first_update_s=0.0, replay_s=0.5, response_gap_s=0.0, total_s=0.5, gap_longest_pause_s=0.0)
    gap, drawn_, legend, _ = details(resume(ONE, 1, 1, 3, complete(figures=figures)))
    assert gap == "response gap 0 ms: the client had the whole history after 500 ms, and the response with it"
    assert drawn_.endswith("\u2588M\u258f")
    assert legend == "\u2588 replay, M end-of-replay marker at 500 ms, response at 500 ms"


def test_no_times() -> None:
    gap, counts = details(resume(ONE, 1, 1, 3, complete(figures=UNKNOWN)), timestamps="none", resolution_s=None)
    assert gap == "response gap unknown: the recording has no times"
    assert counts.startswith("12 history updates, 2 live, marker replay_complete at line 20 (")


def test_a_clock_that_went_back() -> None:
    gap, _ = details(resume(ONE, 1, 1, 3, complete(figures=UNKNOWN)))
    assert gap == "response gap unknown: a time is missing, or the clock went back"


@pytest.mark.parametrize("marked", [False, True])
def test_inconclusive(marked: bool) -> None:
    facts: dict[str, Any] = {} if marked else {"marker": None}
    figures = timing(to_first_update_s=0.1, replay_s=0.5)
    stopped = dataclasses.replace(complete(figures=figures, **facts), outcome="inconclusive")
    resumed = resume(ONE, 1, 1, 3, stopped, response=None, end="open")
    gap, _ = details(resumed)
    assert gap == "response gap unknown: there is no response"
    output = shown(report_of([trace()], [resumed]))
    after = ", but after the marker: the whole history came" if marked else ""
    assert f"inconclusive: the recording stops before the response{after}\n" in output


def test_what_filled_the_gap() -> None:
    figures = timing(replay_s=1.0, response_gap_s=2.0, total_s=3.0, gap_longest_pause_s=2.0)
    gap, *_ = details(resume(ONE, 1, 1, 3, complete(figures=figures)))
    had = "response gap 2.00 s: the client had the whole history after "
    assert gap == f"{had}1.00 s and kept waiting for the response without any update"
    gap, *_ = details(resume(ONE, 1, 1, 3, complete()))
    filled = "longest silence in it 1.20 s; 250 ms of it the agent waited for the client"
    assert gap == f"{had}500 ms and kept waiting for the response; {filled}"


def test_a_gap_without_a_marker() -> None:
    figures = dataclasses.replace(GAP, replay_end="last_update")
    gap, *_ = details(resume(ONE, 1, 1, 3, complete(figures=figures, marker=None)))
    unaware = "the client, which could not know that it was the last, kept waiting for the response"
    came = "response gap 2.00 s: the last history update came after 500 ms"
    assert gap.startswith(f"{came}; {unaware}; longest silence in it 1.20 s; ")
    failed = Response(24, START, ResponseError(-32603, None, None))
    gap, *_ = details(resume(ONE, 1, 1, 3, complete(figures=figures, marker=None), response=failed, end="error"))
    assert gap.startswith(f"{came}; the client kept waiting for the error; longest silence in it 1.20 s; ")


@pytest.mark.parametrize(("version", "said"), [(1, True), (2, False), (None, False)])
def test_an_unmarked_load_is_no_fault_on_v1(version: int | None, said: bool) -> None:
    connections = [Connection(1, version, False, "open", Peer("a", None), Peer("b", None))]  # noqa: FBT003
    output = shown(report_of([trace(connections=connections)], [resume(ONE, 1, 1, 3, session("s", "unmarked"))]))
    assert ("protocol v1 has none of its own" in output) == said


# What a recording is like


@pytest.mark.parametrize(
    ("facts", "wanted"),
    [
        ({}, "wall-clock times exact to 1 ms; directions recorded, exact order"),
        ({"timestamps": "relative", "resolution_s": 1.0}, "relative times exact to 1 s; "),
        ({"timestamps": "monotonic", "resolution_s": 1e-6}, "monotonic times exact to 1 \N{MICRO SIGN}s; "),
        ({"resolution_s": 0.0001}, "wall-clock times exact to 100 \N{MICRO SIGN}s; "),
        ({"resolution_s": 0.01}, "wall-clock times exact to 10 ms; "),
        ({"timestamps": "none", "resolution_s": None}, "; no times, so nothing can be measured; "),
        ({"directions": "inferred"}, "; directions not recorded, but inferred, exact order"),
        ({"directions": "flipped"}, "; directions recorded from the agent's side, and flipped, exact order"),
        ({"order": "per_side"}, ", order known within each side only"),
        ({"order": "approximate"}, ", approximate order: recorded one hop away from the client"),
        ({"lost": 1}, "; the recorder dropped 1 message"),
        ({"left_out": 2}, "; left out 2 messages of other hops than the client's"),
    ],
)
def test_a_headline(facts: dict[str, Any], wanted: str) -> None:
    report = report_of([trace(**facts)], [])
    head, *_ = shown(report).splitlines()
    assert head.startswith(f"{ONE}: envelope, 25 lines; ")
    assert wanted in head
    assert " ".join(shown(report, width=400).split("\n")[:2]) == head.replace(":", "  ", 1)


def test_connections_that_are_alike_are_one_line() -> None:
    peers = Peer("editor", None), Peer("agent", None)
    connections = [Connection(number, 2, False, "open", *peers) for number in range(1, 40)]  # noqa: FBT003
    connections.append(Connection(40, 1, False, "open", *peers))  # noqa: FBT003
    lines = shown(report_of([trace(connections=connections)], [])).splitlines()
    assert lines[1] == "  connections 1 to 39: protocol v2, agent agent, client editor"
    assert lines[2] == "  connection 40: protocol v1, agent agent, client editor"


def test_a_recording_without_a_resume_says_so() -> None:
    assert "  no session/resume and no session/load\n" in shown(report_of([trace()], []))


# Children


def order(*sessions: Session) -> list[tuple[int, str]]:
    """Indentation and id of each session, in the order of the output."""
    output = shown(report_of([trace()], [resume(ONE, 1, 1, 3, *sessions)]))
    return [(len(indent), name) for indent, name in re.findall(r"^( +)(?:session|child) (\w+)", output, re.MULTILINE)]


def child(session_id: str, parent: str | None) -> Session:
    return session(session_id, "complete", role="child", parent=parent)


def test_children_stand_below_their_parents() -> None:
    sessions = [complete("a"), child("b", "a"), child("c", "a"), child("d", "b"), child("e", "d"), child("f", "c")]
    assert order(*sessions) == [(4, "a"), (6, "b"), (8, "d"), (10, "e"), (6, "c"), (8, "f")]


def test_a_child_of_a_session_that_is_not_there() -> None:
    assert order(complete("a"), child("b", "zzz")) == [(4, "a"), (4, "b")]
    output = shown(report_of([trace()], [resume(ONE, 1, 1, 3, complete("a"), child("b", "zzz"))]))
    assert "    child b of zzz, complete: " in output


def test_parents_in_a_circle_end() -> None:
    sessions = [complete("a"), child("b", "c"), child("c", "b"), child("d", "d")]
    assert order(*sessions) == [(4, "a"), (4, "b"), (6, "c"), (4, "d")]


def test_a_deep_family_stays_on_the_page() -> None:
    sessions = [complete("s0"), *(child(f"s{number}", f"s{number - 1}") for number in range(1, 3000))]
    found = order(*sessions)
    assert len(found) == 3000
    assert max(found)[0] == 4 + 2 * resumes.MAX_INDENTS


# Folding


def many(number: int, *, gaps: dict[int, float] | None = None, findings: list[Finding] | None = None) -> Report:
    """So many resumes, session s1 and so on, with a gap of 1 ms but for these."""
    resumes = [
        resume(
            ONE,
            1,
            each,
            each * 10,
            complete(f"s{each}", dataclasses.replace(GAP, response_gap_s=(gaps or {}).get(each, 0.001))),
        )
        for each in range(1, number + 1)
    ]
    return report_of([trace()], resumes, findings or [])


def numbers(output: str) -> list[int]:
    """The resumes that are shown."""
    return [int(number) for number in re.findall(r"^  resume (\d+):", output, re.MULTILINE)]


def found_on(request_id: int, severity: str, **facts: Any) -> Finding:
    return finding(
        "RL301",
        severity,
        f"{severity} on {request_id}",
        ONE,
        request_id * 10 + 1,
        **{"request_id": request_id, "side": "client", "session_id": f"s{request_id}", **facts},
        evidence=[Evidence(request_id * 10, "request")],
    )


def places(output: str) -> list[int]:
    """The lines of the requests in the table."""
    return [int(number) for number in re.findall(rf"^{ONE}:(\d+)  ", output, re.MULTILINE)]


def test_three_resumes_are_shown_each() -> None:
    assert (numbers(shown(many(3))), places(shown(many(3)))) == ([1, 2, 3], [])
    assert (numbers(shown(many(4))), places(shown(many(4)))) == ([], [10, 20, 30, 40])


def test_of_many_the_failed_and_the_slowest_are_shown() -> None:
    report = many(20, gaps={5: 2.0, 9: 3.0, 11: 1.0, 12: 0.5})
    report.resumes[15].sessions[0].outcome = "truncated"
    report.resumes[16].sessions[0].outcome = "truncated"
    report.resumes[16].sessions[0].updates.history = 0
    output = shown(report)
    assert places(output) == [160, 90, 50, 110, 120, 10, 20, 30, 40, 60]
    assert "\n10 more; --all shows each, --resume N the N-th, --session ID those of a session\n" in output
    assert numbers(shown(report, everything=True)) == list(range(1, 21))


def test_one_more_than_fits_is_shown() -> None:
    assert len(places(shown(many(11)))) == 11
    assert len(places(shown(many(12)))) == 10


def test_a_row_names_the_rules_that_fail() -> None:
    findings = [
        found_on(2, "warning"),
        dataclasses.replace(found_on(2, "error"), rule="RL305"),
        found_on(3, "info"),
        dataclasses.replace(found_on(4, "error"), known=True),
    ]
    rows = [each for each in shown(many(4, findings=findings)).splitlines() if each.startswith(ONE)]
    assert [each.split("  ")[-1].strip() for each in rows] == ["-", "RL305 RL301", "-", "-"]


@pytest.mark.parametrize(
    ("width", "columns_"),
    [
        (None, ["resume", "agent", "outcome", "history", "replay", "gap", "total", "findings"]),
        (200, ["resume", "agent", "outcome", "history", "replay", "gap", "total", "findings"]),
        (80, ["resume", "outcome", "history", "replay", "gap", "total", "findings"]),
        (64, ["resume", "outcome", "replay", "gap", "findings"]),
        (45, ["resume", "outcome", "gap"]),
    ],
)
def test_columns_go_where_there_is_no_room(width: int | None, columns_: list[str]) -> None:
    lines = shown(many(4), width=width).splitlines()
    (head,) = (each for each in lines if each.startswith("resume "))
    assert head.split() == columns_


def test_quiet_leaves_no_finding_out() -> None:
    findings = [found_on(number, "info") for number in range(1, 21)]
    assert len(shown(many(20, findings=findings), quiet=True).splitlines()) == 20


# Findings


def test_findings_of_one_rule_are_one_block() -> None:
    findings = [found_on(number, "error") for number in range(1, 15)]
    for number, each in enumerate(findings, 1):
        each.headline, each.help = f"the agent sent {number} updates", "hold them"
    output = shown(many(14, findings=findings))
    head, *rest = output.split("\n\n")[0].splitlines()
    assert head == "error[RL301] live-before-marker (agent), 14 times: the agent sent ..."
    assert rest == [
        *(f"  {ONE}:{number}1, resume {number}: {number} updates" for number in range(1, 11)),
        "  4 more; --all shows them",
        "  help: hold them (replaylint explain RL301)",
    ]
    every = shown(many(14, findings=findings), everything=True).split("\n\n")[0].splitlines()
    assert len(every) == 16


def test_blocks_begin_with_the_gravest() -> None:
    def of(rule: str, severity: str, **facts: Any) -> Finding:
        return finding(rule, severity, f"{rule}; do it", ONE, 4, **facts)

    findings = [of("RL105", "info"), of("RL305", "warning"), of("RL301", "error", known=True), of("RL201", "error")]
    output = shown(report_of([trace()], [], findings))
    assert re.findall(r"^(\w+\[RL\d+\]).*\((.*)\)", output, re.MULTILINE) == [
        ("error[RL201]", "agent"),
        ("warning[RL305]", "agent"),
        ("info[RL105]", "agent"),
        ("error[RL301]", "agent, known from the baseline"),
    ]


def test_infos_are_counted_where_there_is_much() -> None:
    findings = [found_on(2, "error"), found_on(4, "info"), found_on(6, "info")]
    output = shown(many(20, findings=findings))
    assert "info on 4" not in output
    assert "\n2 findings of severity info; --all shows them\n" in output
    assert "info on 4" in shown(many(20, findings=findings), everything=True)


def test_different_advice_is_given_each() -> None:
    findings = [found_on(number, "error") for number in (1, 2, 3)]
    for each, advice in zip(findings, ("one", "two", "one"), strict=True):
        each.headline, each.help = "the same words here", advice
    block = shown(many(4, findings=findings)).split("\n\n")[0].splitlines()
    assert block[0] == "error[RL301] live-before-marker (agent), 3 times: the same words here"
    assert block[1:] == [
        *(f"  {ONE}:{number}1, resume {number}" for number in (1, 2, 3)),
        "  help: one",
        "  help: two (replaylint explain RL301)",
    ]


def test_evidence_stands_in_the_order_of_the_recording() -> None:
    each = found_on(1, "error", method="notice", author="agent", since_s=0.25, count=2, last_line=13)
    each.evidence = [Evidence(10, "request"), Evidence(20, "marker"), Evidence(12, "close"), Evidence(24, "response")]
    report = many(1, findings=[each])
    assert shown(report).split("\n")[2:8] == [
        "       10 \u2192 session/resume 1     0 ms",
        "  >    11 \u2190 notice            +250 ms",
        "       12   close",
        "  >    13 \u2190 the last of 2",
        "       20 \u2190 replay_complete   +500 ms",
        "       24 \u2190 response",
    ]
    assert "  >    11 <- notice            +250 ms\n" in shown(report, unicode=False)


# --session and --resume


def family() -> Report:
    """Three resumes: of a with its child b, of c, of a again; with findings on each and on none."""
    resumes = [
        resume(ONE, 1, 1, 10, complete("a"), child("b", "a")),
        resume(ONE, 1, 2, 20, complete("c")),
        resume("two.ndjson", 1, 1, 10, complete("a")),
    ]
    findings = [
        found_on(1, "error", session_id="b"),
        found_on(2, "error", session_id="c"),
        finding("RL305", "warning", "outside, on c", ONE, 40, session_id="c"),
        finding("RL105", "info", "outside, on nothing", ONE, 50),
    ]
    return report_of([trace(), trace("two.ndjson")], resumes, findings)


@pytest.mark.parametrize(
    ("options", "resumes", "messages"),
    [
        ({"session": "a"}, [1, 3], ["error on 1"]),
        ({"session": "b"}, [1], ["error on 1"]),
        ({"session": "c"}, [2], ["error on 2", "outside, on c"]),
        ({"resume": 2}, [2], ["error on 2"]),
        ({"resume": 3}, [3], []),
        ({"session": "a", "resume": 3}, [3], []),
        ({"session": "c", "resume": 3}, [], []),
        ({"session": "zzz"}, [], []),
        ({"resume": 4}, [], []),
    ],
)
@pytest.mark.parametrize("quiet", [False, True])
def test_only_what_was_chosen(options: dict[str, Any], resumes: list[int], messages: list[str], quiet: bool) -> None:
    output = shown(family(), quiet=quiet, everything=True, **options)
    every = [each.message for each in family().findings]
    assert [each for each in every if each in output] == messages
    assert ("no such resume" in output) == (not resumes)
    if not quiet:
        assert numbers(output) == resumes
        paths = {1: ONE, 2: ONE, 3: "two.ndjson"}
        assert {path for path in (ONE, "two.ndjson") if f"{path}: " in output} == {paths[each] for each in resumes}
        assert (
            "\nin all 2 recordings, 3 resumes, 4 sessions: 4 complete\n2 errors, 1 warning, 1 info\n" in f"\n{output}"
        )


def test_a_session_is_found_as_it_is_shown() -> None:
    report = report_of([trace()], [resume(ONE, 1, 1, 3, complete("a\x1b::"))])
    assert numbers(shown(report, session="a\x1b::")) == [1]
    assert numbers(shown(report, session=r"a\x1b:\x3a")) == [1]
    report = report_of([trace()], [resume(ONE, 1, 1, 3, complete("s" * 5000))])
    assert numbers(shown(report, session="s" * 5000)) == [1]
    assert numbers(shown(report, session=f"{'s' * 200}... (5000 characters)")) == [1]


def test_many_that_were_chosen_are_a_table_too() -> None:
    report = many(20)
    for each in report.resumes:
        each.session_id = "same"
    assert len(places(shown(report, session="same"))) == 10
    assert len(numbers(shown(report, session="same", everything=True))) == 20


def test_a_finding_is_of_the_request_that_was_there_when_an_id_was_used_twice() -> None:
    resumes = [resume(ONE, 1, 1, 10, complete("a")), resume(ONE, 1, 1, 30, complete("a"))]
    findings = [
        finding(
            "RL301",
            "error",
            message,
            ONE,
            line_,
            request_id=1,
            side="client",
            evidence=[Evidence(request_line, "request")],
        )
        for message, line_, request_line in (("one", 12, 10), ("two", 9, 30), ("three", None, 30), ("four", 40, 10))
    ]
    output = shown(report_of([trace()], resumes, findings))
    assert re.findall(r", (resume \d): (\w+)", output) == [
        ("resume 1", "one"),
        ("resume 1", "four"),
        ("resume 2", "two"),
        ("resume 2", "three"),
    ]


# The end


def test_a_finding_of_no_recording_is_shown() -> None:
    report = report_of([trace()], [], [finding("RL305", "error", "over the budget", None, None, connection=None)])
    block = "error[RL305] child-before-announcement (agent): over the budget\n  help: (replaylint explain RL305)\n"
    assert block in shown(report)


@pytest.mark.parametrize(
    ("gaps", "wanted"),
    [
        (NOTHING, None),
        (Distribution(1, 2.7, 2.7, None, None, None, 2.7, 2.7, [], []), "response gap over 1 replay: 2.70 s"),
        (
            Distribution(3, 0.1, 0.2, None, None, None, 0.3, 0.2, [], []),
            "response gap over 3 replays: median 200 ms, longest 300 ms",
        ),
        (
            Distribution(20, 0.1, 0.2, 0.25, 0.25, None, 0.3, 0.2, [], []),
            "response gap over 20 replays: median 200 ms, p95 250 ms, longest 300 ms",
        ),
    ],
)
def test_the_distribution_of_response_gaps(gaps: Distribution, wanted: str | None) -> None:
    last = shown(report_of([trace()], [], gaps=gaps)).splitlines()[-1]
    if wanted is None:
        assert last == "0 errors, 0 warnings, 0 info"
    else:
        assert last == f"{wanted} (how long the client waited for the response after the replay had ended)"


# What standard output can show


@pytest.mark.parametrize(
    ("when", "variables", "coloured"),
    [
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
        ("auto", {}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "0"}, False),
        ("auto", {"FORCE_COLOR": ""}, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
def test_colour_without_a_terminal(when: terminal.When, variables: dict[str, str], coloured: bool) -> None:
    assert terminal.shows_colour(when, variables) == coloured


@pytest.mark.parametrize(
    ("variables", "coloured"),
    [({"TERM": "xterm", "WT_SESSION": "1"}, True), ({"TERM": "dumb"}, False), ({"NO_COLOR": "1"}, False)],
)
def test_colour_on_a_terminal(variables: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert terminal.shows_colour("auto", variables) == coloured


class Encoded:
    """A standard output with this encoding."""

    def __init__(self, encoding: str | None) -> None:
        self.encoding = encoding


@pytest.mark.parametrize(
    ("encoding", "variables", "shows"),
    [
        ("utf-8", {}, True),
        ("utf-8", {"LC_ALL": "en_GB.UTF-8"}, True),
        ("utf-8", {"LC_ALL": "C"}, False),
        ("utf-8", {"LC_ALL": "C", "PYTHONIOENCODING": "utf-8"}, True),
        ("cp1252", {}, False),
        ("ascii", {}, False),
        ("latin-1", {}, False),
        ("no such encoding", {}, False),
        (None, {}, False),
    ],
)
def test_signs_beyond_ascii(
    encoding: str | None, variables: dict[str, str], shows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout", Encoded(encoding))
    assert terminal.shows_unicode(variables) == shows
