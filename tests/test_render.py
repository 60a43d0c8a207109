"""Output formats: one rich report in each of them, whole, and that nothing dangerous comes out of text."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import unicodedata
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from orjson import dumps

from replaylint.render import FORMATS, renderer
from replaylint.render.escape import printable
from replaylint.render.words import counted, duration, identifier
from replaylint.report.model import (
    Connection,
    Distribution,
    Evidence,
    Finding,
    Marker,
    Moment,
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
)

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = Path(__file__).parent / "render"
UPDATE = "REPLAYLINT_UPDATE_GOLDEN"
"""With this variable set, the golden files are written instead of compared."""

PEOPLE = ("text", "concise")

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
    }
    return Resume(
        trace=trace, connection=connection, request_id=request_id, sessions=list(sessions), **{**defaults, **facts}
    )


def finding(rule: str, severity: str, message: str, trace: str | None, line: int | None, **facts: Any) -> Finding:
    """A finding."""
    defaults: dict[str, Any] = {
        "name": NAMES[rule],
        "party": "agent",
        "last_line": line,
        "count": 1,
        "connection": 1,
        "request_id": None,
        "side": None,
        "session_id": None,
        "evidence": [],
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
            timestamps="monotonic",
            resolution_s=1e-06,
            directions="recorded",
            order="exact",
            lost=2,
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
            timestamps="none",
            resolution_s=None,
            directions="inferred",
            order="exact",
            lost=0,
            error=ReadError("truncated", f"the data ends {EVIL}", 1),
            connections=[Connection(1, 2, True, "open", Peer(EVIL, EVIL), Peer(EVIL, None))],  # noqa: FBT003
        ),
        Trace(
            path="absent.ndjson",
            format=None,
            lines=0,
            messages=0,
            bytes=0,
            timestamps="none",
            resolution_s=None,
            directions="recorded",
            order="exact",
            lost=0,
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
    failed = Response(31, START + 31, ResponseError(-32603, "no history"))
    rejected = Response(51, None, ResponseError(-32602, None))
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
            response=Response(2, None, ResponseError(1, EVIL)),
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
            known=True,
        ),
        finding("RL105", "warning", "session/resume was not answered", ONE, 20, request_id="1", side="client"),
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
            evidence=[Evidence(1, EVIL)],
        ),
        finding("RL005", "info", "no resume", "absent.ndjson", None, party="recording", connection=None),
    ]


def rich() -> Report:
    """The report that the golden files show."""
    nothing = Distribution(0, *[None] * 7)
    return Report(
        schema_version=1,
        tool=Tool("replaylint", "0.1.0"),
        traces=traces(),
        resumes=resumes(),
        findings=findings(),
        summary=Summary(
            resumes=9,
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
            timing={"response_gap_s": Distribution(1, 2.7, 2.7, None, None, None, 2.7, 2.7), "replay_s": nothing},
        ),
    )


def rendered(form: str, report: Report, *, quiet: bool = False) -> str:
    """The output in this format."""
    pieces = renderer(form).render(report, quiet=quiet)
    return "".join(piece.decode() if isinstance(piece, bytes) else piece for piece in pieces)


def assert_golden(name: str, output: str) -> None:
    """The output is what the golden file holds; else the failure shows where it is not."""
    path = GOLDEN / name
    if UPDATE in os.environ:
        path.write_text(output, encoding="utf-8", newline="\n")
    wanted = path.read_bytes().decode()
    if output != wanted:
        diff = unified_diff(wanted.split("\n"), output.split("\n"), f"tests/render/{name}", "output", lineterm="")
        pytest.fail("\n".join([f"{name} differs; if that is right, set {UPDATE}=1", *diff]), pytrace=False)


@pytest.mark.parametrize("form", FORMATS)
def test_a_rich_report(form: str) -> None:
    suffix = {"text": "txt"}.get(form, form)
    assert_golden(f"report.{suffix}", rendered(form, rich()))


@pytest.mark.parametrize("form", PEOPLE)
def test_a_rich_report_quietly(form: str) -> None:
    assert_golden(f"quiet.{'txt' if form == 'text' else form}", rendered(form, rich(), quiet=True))


def test_json_is_the_report_itself() -> None:
    report = rich()
    output = rendered("json", report)
    assert json.loads(output) == json.loads(dumps(report))
    assert output.startswith('{\n  "schema_version": 1,\n')
    assert output.endswith("\n}\n")
    assert rendered("json", report, quiet=True) == output


def test_an_empty_report() -> None:
    report = dataclasses.replace(
        rich(), traces=[], resumes=[], findings=[], summary=Summary(0, {}, {"error": 0, "warning": 0, "info": 0}, {})
    )
    assert rendered("text", report) == "0 resumes; 0 errors, 0 warnings, 0 info\n"
    assert rendered("text", report, quiet=True) == ""
    assert rendered("concise", report) == ""
    assert json.loads(rendered("json", report)) == json.loads(dumps(report))


@pytest.mark.parametrize("form", PEOPLE)
def test_every_finding_and_every_session_is_shown_once(form: str) -> None:
    output = rendered(form, rich())
    for each in findings():
        assert output.count(printable(each.message)) == 1
    for name in ("sess_b", "sess_d", "sess_e", "sess_f", "sess_g", "\N{SNOWMAN}"):
        assert sum(f" {name}" in line and "child of sess_b" not in line for line in output.splitlines()) == 1


def test_a_finding_stands_below_the_request_of_its_side() -> None:
    report = rich()
    message = "the client did not answer"
    report.findings = [finding("RL105", "warning", message, ONE, 12, request_id=1, side="agent", party="client")]
    (line,) = (line for line in rendered("text", report).split("\n") if message in line)
    assert line == f"  warning RL105 unanswered-request, line 12: {message}"


# Hostile text


BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
OTHERS = "\u061c\u200b\u200e\u200f\u2060\ufeff\U000e0041"
"""Marks that reorder, and what nobody sees."""


def is_dangerous(character: str) -> bool:
    """Whether a terminal interprets this character, or shows others than there are."""
    category = unicodedata.category(character)
    return (
        category in {"Cc", "Zl", "Zp", "Cs"}
        or unicodedata.bidirectional(character) in BIDIRECTIONAL
        or character in OTHERS
    )


def assert_harmless(output: str) -> None:
    """Nothing in the output is a control, and no line a command of a CI system."""
    assert [character for character in output.replace("\n", "") if is_dangerous(character)] == []
    for line in output.split("\n"):
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "##vso[" not in line


PAYLOADS = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x9b31m",
    "::error file=a,line=1::b",
    "\n::error::b",
    "\r::error::b",
    "\x85::error::b",
    "\u2028::error::b\u2029::error::c",
    "\x0b::error::b\x0c::error::c",
    "  \t::warning::b",
    ":::error::b",
    "##[error]b",
    "###[error]b",
    "##vso[task.setvariable]b",
    "\n##[group]b",
    "\u202eevil\u202c \u2066evil\u2069",
    "\u200b\u200e\u200f\u061c\u2060\ufeff",
    "\U000e0041\U000e007f",
    "\ud800\udfff",
    "\0\x08\x7f",
    "::",
    "#",
    "##",
    "[error]b",
    "",
]


OURS = {("Tool", "name"), ("Tool", "version"), ("Trace", "format"), ("Resume", "method"), ("Finding", "rule"),
        ("Finding", "name"), ("Finding", "fingerprint")}  # fmt: skip
"""Texts that no recording can choose."""


def walk(value: object) -> Iterator[Any]:
    """The dataclasses in this value, itself included."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield value
        for each in dataclasses.fields(value):
            yield from walk(getattr(value, each.name))
    elif isinstance(value, list):
        for item in value:
            yield from walk(item)


TEXTS = sorted(
    {
        (type(each).__name__, field.name)
        for each in walk(rich())
        for field in dataclasses.fields(each)
        if field.type in {"str", "str | None", "object"}
    }
    - OURS
)
"""The fields of the report whose text a recording or a file name can choose, by class and name."""


def poisoned(payload: str, *fields: tuple[str, str]) -> Report:
    """The rich report with this text in these fields, wherever they are."""
    report = rich()
    for each in walk(report):
        for field in dataclasses.fields(each):
            if (type(each).__name__, field.name) in fields:
                setattr(each, field.name, payload)
    return report


def test_the_fields_that_hold_text() -> None:
    assert {
        ("Trace", "path"),
        ("Peer", "name"),
        ("Peer", "version"),
        ("ReadError", "message"),
        ("Resume", "trace"),
        ("Resume", "request_id"),
        ("Resume", "session_id"),
        ("ResponseError", "message"),
        ("Session", "session_id"),
        ("Session", "parent"),
        ("Finding", "trace"),
        ("Finding", "message"),
        ("Finding", "request_id"),
        ("Evidence", "what"),
    } <= set(TEXTS)


@pytest.mark.parametrize(
    "fields", [*([each] for each in TEXTS), TEXTS], ids=lambda each: ".".join(each[0]) if len(each) == 1 else "all"
)
@pytest.mark.parametrize("form", PEOPLE)
def test_nothing_dangerous_comes_out(form: str, fields: list[tuple[str, str]]) -> None:
    for quiet in (False, True):
        lines = rendered(form, poisoned("x", *fields), quiet=quiet).count("\n")
        for payload in PAYLOADS:
            if "\ud800" in payload and any(name == "request_id" for _, name in fields):
                continue  # JSON has none, and an id is written as JSON
            output = rendered(form, poisoned(payload, *fields), quiet=quiet)
            assert_harmless(output)
            assert output.count("\n") == lines


@pytest.mark.parametrize("form", PEOPLE)
@pytest.mark.parametrize("fields", [[("Session", "session_id")], [("Trace", "path"), ("Resume", "trace")], TEXTS])
def test_a_colon_of_ours_does_not_complete_a_command(form: str, fields: list[tuple[str, str]]) -> None:
    assert_harmless(rendered(form, poisoned(":", *fields)))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "request_id", [EVIL, {EVIL: [EVIL]}, [EVIL], "", 0, -1, 1.5, True, None, 2**63, "\N{SNOWMAN}"], ids=repr
)
def test_any_request_id_can_be_rendered(form: str, request_id: object) -> None:
    report = rich()
    for resumed in report.resumes:
        resumed.request_id = request_id
    for found in report.findings:
        found.request_id = request_id
    output = rendered(form, report)
    if form == "json":
        assert json.loads(output)["resumes"][0]["request_id"] == request_id
    else:
        assert_harmless(output)
        assert f" {identifier(request_id)} " in output


def test_json_holds_hostile_text_as_escapes() -> None:
    output = rendered("json", rich())
    assert not any(unicodedata.category(character) == "Cc" for character in output.replace("\n", ""))
    assert json.loads(output)["resumes"][-1]["session_id"] == EVIL


# Words


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 ms"),
        (0.00001, "0.01 ms"),
        (0.00025, "0.25 ms"),
        (0.001, "1.00 ms"),
        (0.0094, "9.40 ms"),
        (0.0125, "12.5 ms"),
        (0.02, "20.0 ms"),
        (0.0999, "99.9 ms"),
        (0.14, "140 ms"),
        (0.999, "999 ms"),
        (0.99949, "999 ms"),
        (0.9995, "1.00 s"),
        (0.9999, "1.00 s"),
        (1.0, "1.00 s"),
        (2.7, "2.70 s"),
        (9.99, "9.99 s"),
        (9.996, "10.0 s"),
        (12.34, "12.3 s"),
        (99.94, "99.9 s"),
        (99.96, "100 s"),
        (1234.5, "1234 s"),
        (86400.0, "86400 s"),
    ],
)
def test_a_duration_has_three_digits(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 updates"), (1, "1 update"), (2, "2 updates"), (1000, "1000 updates")]
)
def test_a_number_and_its_noun(number: int, text: str) -> None:
    assert counted(number, "update") == text


@pytest.mark.parametrize(
    ("request_id", "text"),
    [
        (1, "1"),
        ("1", '"1"'),
        (1.0, "1.0"),
        (True, "true"),
        (None, "null"),
        ([1, "a"], '[1,"a"]'),
        ({"a": None}, '{"a":null}'),
        ("a\nb", r'"a\nb"'),
        ("\x1b", r'"\u001b"'),
        ("\u202e", r'"\u202e"'),
        ("::", r'":\x3a"'),
        ("\N{SNOWMAN}", '"\N{SNOWMAN}"'),
    ],
)
def test_an_id_is_written_as_json(request_id: object, text: str) -> None:
    assert identifier(request_id) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain words, 100 %",
        "a:b http://x #1 [x]",
        "caf\N{LATIN SMALL LETTER E WITH ACUTE} \N{SNOWMAN} \U0001f600 \N{CJK UNIFIED IDEOGRAPH-4E2D}",
        "\N{HEBREW LETTER ALEF}\N{ARABIC LETTER ALEF}",
        "e\N{COMBINING ACUTE ACCENT}",
        "\\x1b \\n",
        "<b>&amp;[bold]",
    ],
)
def test_what_is_harmless_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("\x1b[31m", r"\x1b[31m"),
        ("a\nb\r\tc", r"a\x0ab\x0d\x09c"),
        ("\0\x7f\x9b", r"\x00\x7f\x9b"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\u202ea\u2066", r"\u202ea\u2066"),
        ("\ufeff\u200b", r"\ufeff\u200b"),
        ("\U000e0041", r"\U000e0041"),
        ("\ud800", r"\ud800"),
        ("::error::", r":\x3aerror:\x3a"),
        (":::", r":\x3a\x3a"),
        ("##[x]", r"#\x23[x]"),
        ("###[x]", r"#\x23\x23[x]"),
    ],
)
def test_what_is_dangerous_is_written_as_an_escape(text: str, escaped: str) -> None:
    assert printable(text) == escaped
    assert printable(escaped) == escaped


def test_no_dangerous_character_is_printable() -> None:
    missed = [f"U+{code:04X}" for code in range(sys.maxunicode + 1) if is_dangerous(printable(chr(code))[0])]
    assert missed == []
