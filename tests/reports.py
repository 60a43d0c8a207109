"""Reports for tests of output formats, written field by field, and golden files to compare with."""

from __future__ import annotations

import dataclasses
import os
from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from replaylint.report.model import (
    Baseline,
    BaselineEntry,
    BudgetResult,
    Connection,
    Distribution,
    Evidence,
    Exemption,
    Finding,
    Marker,
    Moment,
    PassedOver,
    Peer,
    ReadError,
    Report,
    Response,
    ResponseError,
    Resume,
    Session,
    Summary,
    Timing,
    Tool,
    Trace,
    Updates,
    Worst,
)

GOLDEN = Path(__file__).parent / "render"
UPDATE = "REPLAYLINT_UPDATE_GOLDEN"
"""With this variable set, the golden files are written instead of compared."""

START = 1764400000.0
NAMES = {
    "RL001": "non-json-line",
    "RL005": "no-resume",
    "RL105": "unanswered-request",
    "RL201": "missing-marker",
    "RL301": "live-before-marker",
    "RL305": "child-before-announcement",
}
UNKNOWN = Timing(*[None] * 10)
EVIL = "\x1b[31m::error file=x::y\r\n##[error]\u202e\u2028##vso[x]"


def timing(**figures: float) -> Timing:
    """These figures, and none of the others."""
    replay_end = {"replay_end": "marker"} if "replay_s" in figures else {}
    return dataclasses.replace(UNKNOWN, **figures, **replay_end)  # type: ignore[arg-type]


def session(session_id: str, outcome: str, **facts: Any) -> Session:
    """A session of a resume."""
    defaults: dict[str, Any] = {
        "role": "named",
        "parent": None,
        "announced_line": None,
        "was_active": False,
        "certified_by": None,
        "marker": None,
        "replay_end_line": None,
        "updates": Updates(0, 0, 0, 0, {}),
        "timing": UNKNOWN,
    }
    return Session(session_id=session_id, outcome=outcome, **{**defaults, **facts})  # type: ignore[arg-type]


def resume(trace: str, connection: int, request_id: object, line: int, *sessions: Session, **facts: Any) -> Resume:
    """A request."""
    defaults: dict[str, Any] = {
        "method": "session/resume",
        "session_id": sessions[0].session_id if sessions else None,
        "replaying": True,
        "replay_from": "start",
        "ambiguous": False,
        "request": Moment(line, START + line),
        "response": Response(line + 9, START + line + 9, None),
        "end": "success",
        "unanswered_s": None,
    }
    return Resume(
        trace=trace, connection=connection, request_id=request_id, sessions=list(sessions), **{**defaults, **facts}
    )


def finding(rule: str, severity: str, message: str, trace: str | None, line: int | None, **facts: Any) -> Finding:
    """A finding, as the sentence of its message says."""
    headline, _, advice = message.partition("; ")
    defaults: dict[str, Any] = {
        "name": NAMES[rule],
        "headline": headline,
        "help": advice,
        "party": "agent",
        "last_line": line,
        "count": 1,
        "connection": 1,
        "request_id": None,
        "side": None,
        "session_id": None,
        "evidence": [],
        "method": None,
        "author": None,
        "since_s": None,
        "fingerprint": "f" * 64,
        "known": False,
    }
    return Finding(rule=rule, severity=severity, message=message, trace=trace, line=line, **{**defaults, **facts})  # type: ignore[arg-type]


ONE = "traces/one.ndjson"
HOSTILE = f"traces/{EVIL}.log"


def traces() -> list[Trace]:
    """One with three connections, a hostile one that is cut, and one that is not there."""
    return [
        Trace(
            path=ONE,
            format="envelope",
            lines=120,
            messages=118,
            bytes=51234,
            longest_message_bytes=4096,
            timestamps="monotonic",
            resolution_s=1e-06,
            directions="recorded",
            order="exact",
            lost=2,
            left_out=3,
            malformed=2,
            malformed_line=7,
            error=None,
            connections=[
                Connection(1, 2, False, "closed", Peer("editor", "3.1"), Peer("agent", "0.9")),  # noqa: FBT003
                Connection(2, 1, False, "closed", Peer("editor", None), Peer(None, "7")),  # noqa: FBT003
                Connection(3, None, True, "open", Peer(None, None), Peer(None, None)),  # noqa: FBT003
            ],
        ),
        Trace(
            path=HOSTILE,
            format="raw",
            lines=1,
            messages=1,
            bytes=99,
            longest_message_bytes=99,
            timestamps="none",
            resolution_s=None,
            directions="inferred",
            order="exact",
            lost=0,
            left_out=0,
            malformed=0,
            malformed_line=None,
            error=ReadError("truncated", f"the data ends {EVIL}", 1),
            connections=[Connection(1, 2, True, "open", Peer(EVIL, EVIL), Peer(EVIL, None))],  # noqa: FBT003
        ),
        Trace(
            path="absent.ndjson",
            format=None,
            lines=0,
            messages=0,
            bytes=0,
            longest_message_bytes=0,
            timestamps="none",
            resolution_s=None,
            directions="recorded",
            order="exact",
            lost=0,
            left_out=0,
            malformed=0,
            malformed_line=None,
            error=ReadError("not-found", "no such file", None),
            connections=[],
        ),
    ]


def resumes() -> list[Resume]:
    """Every outcome, children, an overlap, ids of every type, and hostile text wherever a recording can put it."""
    family = [
        session(
            "sess_a",
            "complete",
            certified_by="marker",
            marker=Marker("replay_complete", 10, START + 10),
            updates=Updates(94, 4, 1, 40211, {"agent_message_chunk": 94, "state_update": 4, "usage_update": 1}),
            timing=timing(
                to_first_update_s=0.05,
                replay_s=0.8,
                marker_lag_s=0.01,
                response_gap_s=2.7,
                snapshot_gap_s=2.69,
                total_s=3.5,
                longest_pause_s=0.12,
                gap_longest_pause_s=2.69,
                gap_waiting_for_client_s=1.25,
            ),
        ),
        session(
            "sess_b",
            "complete",
            role="child",
            parent="sess_a",
            announced_line=7,
            certified_by="marker",
            marker=Marker("replay_complete", 9, START + 9),
            updates=Updates(1, 0, 0, 512, {"user_message": 1}),
            timing=timing(replay_s=0.00025, response_gap_s=0.0, total_s=3.5),
        ),
        session("sess_c", "unmarked", role="child", parent="sess_b", announced_line=8, certified_by="response"),
    ]
    failed = Response(31, START + 31, ResponseError(-32603, "no history", '{"path":"/w","retry":false}'))
    rejected = Response(51, None, ResponseError(-32602, None, None))
    return [
        resume(ONE, 1, 1, 5, *family),
        resume(
            ONE,
            1,
            "1",
            20,
            session("sess_a", "not_requested", was_active=True, timing=timing(total_s=0.14)),
            replaying=False,
            replay_from=None,
        ),
        resume(
            ONE,
            1,
            2.5,
            30,
            session("sess_d", "complete_failed", marker=Marker("air_load_replay_end", 25, None)),
            response=failed,
            end="error",
        ),
        resume(
            ONE,
            1,
            None,
            40,
            session("sess_e", "truncated", updates=Updates(1200, 0, 0, 9, {"plan": 1200})),
            response=None,
            end="closed",
            ambiguous=True,
        ),
        resume(
            ONE,
            2,
            {"a": [1]},
            50,
            session("sess_f", "rejected"),
            response=rejected,
            end="error",
            request=Moment(50, None),
        ),
        resume(
            ONE,
            2,
            3,
            60,
            session("\N{SNOWMAN}", "unmarked", certified_by="response"),
            method="session/load",
            replay_from=None,
        ),
        resume(ONE, 3, -1, 70, session("sess_g", "inconclusive", was_active=None), response=None, end="open"),
        resume(ONE, 3, "r-8", 80, session_id=None, replaying=False, replay_from=None, response=None, end="open"),
        resume(
            HOSTILE,
            1,
            EVIL,
            1,
            session(EVIL, "truncated", role="child", parent=EVIL, updates=Updates(1, 0, 0, 9, {EVIL: 1})),
            response=Response(2, None, ResponseError(1, EVIL, EVIL)),
            end="error",
            session_id=EVIL,
            replay_from=EVIL,
        ),
    ]


def findings() -> list[Finding]:
    """Of every severity: of a request, of none, over several lines, known, without a line, without an input."""
    evidence = [Evidence(5, "request"), Evidence(10, "marker")]
    return [
        finding(
            "RL301",
            "error",
            "2 live updates (notice, state_update) before the marker at line 10",
            ONE,
            6,
            last_line=9,
            count=2,
            request_id=1,
            side="client",
            session_id="sess_a",
            evidence=evidence,
        ),
        finding(
            "RL201",
            "error",
            "the replay succeeded without replay_complete",
            ONE,
            14,
            request_id=1,
            side="client",
            session_id="sess_c",
            evidence=[Evidence(5, "request")],
            known=True,
        ),
        finding(
            "RL105",
            "warning",
            "session/resume was not answered",
            ONE,
            20,
            request_id="1",
            side="client",
            evidence=[Evidence(20, "request")],
        ),
        finding("RL105", "info", "session/prompt was not answered", ONE, 90, connection=3, request_id=77),
        finding("RL305", "warning", "a message of no request", ONE, 95, connection=3, session_id="sess_z"),
        finding(
            "RL001",
            "warning",
            f"no JSON: {EVIL}",
            HOSTILE,
            1,
            request_id=EVIL,
            side="client",
            session_id=EVIL,
            evidence=[Evidence(1, "request"), Evidence(1, EVIL)],
        ),
        finding("RL005", "info", "no resume", "absent.ndjson", None, party="recording", connection=None),
    ]


def rich() -> Report:
    """The report that the golden files show."""
    nothing = Distribution(0, None, None, None, None, None, None, None, [], [])
    return Report(
        schema_version=1,
        tool=Tool("replaylint", "0.1.0"),
        traces=traces(),
        resumes=resumes(),
        findings=findings(),
        summary=Summary(
            resumes=9,
            replays=7,
            outcomes={
                "complete": 2,
                "complete_failed": 1,
                "truncated": 2,
                "unmarked": 2,
                "rejected": 1,
                "inconclusive": 1,
                "not_requested": 1,
            },
            findings={"error": 2, "warning": 3, "info": 2},
            known=1,
            timing={
                "response_gap_s": Distribution(1, 2.7, 2.7, None, None, None, 2.7, 2.7, [], []),
                "replay_s": nothing,
            },
            resolution_s=1e-06,
            unmeasured={"no_response": 2, "clock": 4},
            quiet_timer=[],
            quiet_timer_needed_s=None,
            worst=Worst(HOSTILE, 3, EVIL, 2.7),
            group_by=None,
            groups=[],
        ),
        passed_over=1,
        passed_over_files=[PassedOver("traces/notes.md", ReadError("not-a-recording", f"is {EVIL}", 1))],
        baseline=Baseline(
            "baseline.json", 1, [BaselineEntry("e" * 64, "RL301", "live-before-marker", "error", "agent", 2)]
        ),
        exceptions=[
            Exemption("agent", "<0.9", ["RL201", "RL3"], "predates the marker", "2026-03-01", 2, expired=True),
            Exemption("other", None, ["RL1"], "its vendor is told", None, 1, expired=False),
            Exemption("third", None, ["RL1"], "left nothing out", None, 0, expired=False),
        ],
        settings=None,
        budgets=[
            BudgetResult("p95(response_gap)<2s", "exceeded", 2.7, 70, 1.9, 3.1, 59),
            BudgetResult("p99(replay)<=5s", "kept", 0.25, 120, 0.2, None, 299),
            BudgetResult("max(total)<90s", "not_judged", 12.5, 7, None, None, None),
            BudgetResult("p90(total)<90s", "not_judged", None, 7, None, None, 29),
        ],
    )


def assert_golden(name: str, output: str) -> None:
    """The output is what the golden file holds; else the failure shows where it is not."""
    path = GOLDEN / name
    if UPDATE in os.environ:
        path.write_text(output, encoding="utf-8", newline="\n")
    wanted = path.read_bytes().decode()
    if output != wanted:
        diff = unified_diff(wanted.split("\n"), output.split("\n"), f"tests/render/{name}", "output", lineterm="")
        pytest.fail("\n".join([f"{name} differs; if that is right, set {UPDATE}=1", *diff]), pytrace=False)
