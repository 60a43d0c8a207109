"""Output formats: one rich report in each of them, whole, and that nothing dangerous comes out of text."""

from __future__ import annotations

import dataclasses
import json
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

import pytest
from orjson import dumps

from replaylint.render import FORMATS, renderer
from replaylint.render.escape import MAX_NAME_CHARS, printable, shortened
from replaylint.render.phrases import counted, identifier
from replaylint.render.view import View
from replaylint.report.model import Summary
from replaylint.rules.words import duration
from tests.reports import EVIL, ONE, assert_golden, finding, findings, rich
from tests.unseen import is_unseen, unseen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.report.model import Report

PEOPLE = ("text", "concise")


def rendered(form: str, report: Report, *, quiet: bool = False) -> str:
    """The output in this format, to a pipe, with every resume."""
    pieces = renderer(form).render(report, View(quiet=quiet, everything=True))
    return "".join(piece.decode() if isinstance(piece, bytes) else piece for piece in pieces)


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
    nothing = Summary(0, 0, {}, {"error": 0, "warning": 0, "info": 0}, 0, {}, None, {}, [], None, None, None, [])
    report = dataclasses.replace(
        rich(), traces=[], resumes=[], findings=[], summary=nothing, baseline=None, exceptions=[], budgets=[]
    )
    assert rendered("text", report) == "0 recordings, 0 resumes\n0 errors, 0 warnings, 0 info\n"
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


def test_a_finding_is_of_the_request_of_its_side() -> None:
    report = rich()
    message = "the client did not answer"
    report.findings = [finding("RL105", "warning", message, ONE, 12, request_id=1, side="agent", party="client")]
    head, place, *_ = rendered("text", report).split("\n")
    assert head == f"warning[RL105] unanswered-request (client): {message}"
    assert place == f"  {ONE}:12"


# Hostile text


def assert_harmless(output: str) -> None:
    """All in the output is seen and no control, and no line is a command of a CI system."""
    assert unseen(output.replace("\n", "")) == []
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
    "\xad\u034f\u115f\u1160\u3164\uffa0",
    "\u17b4\u17b5\u180b\u180f\u1d173",
    "\ufe00\ufe0f\U000e0100\U000e01ef",
    "\ufdd0\ufffe\uffff\U0001fffe\U0010ffff",
    "\u2065\ufff0\U000e0fff\U0001d17a",
    "\xa0\u1680\u2003\u3000\u2800",
    "\ue000\U00100000\u0378",
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
        if field.type in {str, str | None, object}
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
@pytest.mark.parametrize("quiet", [False, True])
def test_a_colon_of_ours_does_not_complete_a_command(form: str, fields: list[tuple[str, str]], quiet: bool) -> None:
    for payload in (":", " :", "\u3000:"):
        assert_harmless(rendered(form, poisoned(payload, *fields), quiet=quiet))


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
    elif form in PEOPLE:
        assert_harmless(output)
        assert f" {identifier(request_id)} " in output


def test_json_holds_hostile_text_as_escapes() -> None:
    output = rendered("json", rich())
    assert not any(unicodedata.category(character) == "Cc" for character in output.replace("\n", ""))
    assert json.loads(output)["resumes"][-1]["session_id"] == EVIL


# Words


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("x" * MAX_NAME_CHARS, "x" * MAX_NAME_CHARS),
        ("x" * (MAX_NAME_CHARS + 1), "x" * MAX_NAME_CHARS + "... (201 characters)"),
        ("\x1b" * 10**6, r"\x1b" * MAX_NAME_CHARS + "... (1000000 characters)"),
    ],
    ids=lambda each: ascii(each)[:40],
)
def test_a_long_name_is_cut_and_its_length_is_told(text: str, shown: str) -> None:
    assert shortened(text) == shown


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
        (9_999_999.4, "9999999 s"),
        (9_999_999.5, "1.00e+07 s"),
        (1.234e7, "1.23e+07 s"),
        (1e12, "1.00e+12 s"),
        (3.2e300, "3.20e+300 s"),
        (sys.float_info.max, "1.80e+308 s"),
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
        ("\u2764\ufe0f", '"\u2764\\ufe0f"'),
        (1e300, dumps(1e300).decode()),
        (2**64, "18446744073709551616"),
        ("\ud83d", r'"\ud83d"'),
        ("x" * 198, f'"{"x" * 198}"'),
        ("x" * 199, f'"{"x" * 199}... (201 characters)'),
        ("x" * 10**6, f'"{"x" * 199}... (1000002 characters)'),
        (10**1000, f"1{'0' * 199}... (1001 characters)"),
        pytest.param(10**5000, "...", id="5001 digits"),
    ],
    ids=lambda each: ascii(each)[:40],
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
        ("\xa0\xad", r"\xa0\xad"),
        ("\u034f\u115f\u1160\u3164\uffa0", r"\u034f\u115f\u1160\u3164\uffa0"),
        ("\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f", r"\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f"),
        ("\ufdd0\ufdef\ufffe\uffff\U0010ffff", r"\ufdd0\ufdef\ufffe\uffff\U0010ffff"),
        ("\u2065\ufff0\ufff8\U000e0000\U000e0fff", r"\u2065\ufff0\ufff8\U000e0000\U000e0fff"),
        ("\U0001d159\U0001d173\U0001d17a", r"\U0001d159\U0001d173\U0001d17a"),
        ("\u1680\u2003\u202f\u205f\u2800\u3000", r"\u1680\u2003\u202f\u205f\u2800\u3000"),
        ("\ue000\U00100000\u0378", r"\ue000\U00100000\u0378"),
        ("\u2764\ufe0f\ufe0e", "\u2764\\ufe0f\\ufe0e"),
        ("\u845b\U000e0100\U000e01ef", "\u845b\\U000e0100\\U000e01ef"),
        ("\U0001f469\u200d\U0001f4bb", "\U0001f469\\u200d\U0001f4bb"),
        ("::error::", r":\x3aerror:\x3a"),
        (":::", r":\x3a\x3a"),
        ("##[x]", r"#\x23[x]"),
        ("###[x]", r"#\x23\x23[x]"),
    ],
)
def test_what_is_dangerous_is_written_as_an_escape(text: str, escaped: str) -> None:
    assert printable(text) == escaped
    assert printable(escaped) == escaped


def escape_of(character: str) -> str:
    """The character as Python writes it in a text."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@pytest.mark.parametrize("around", ["", "\N{SNOWMAN}", "a"])
def test_a_character_is_written_as_an_escape_exactly_if_nobody_sees_it(around: str) -> None:
    wrong = [
        f"U+{ord(each):04X}"
        for each in map(chr, range(sys.maxunicode + 1))
        if printable(around + each + around)
        != around + (escape_of(each) if is_unseen(each) or (each == ":" and not around) else each) + around
    ]
    assert wrong == []
