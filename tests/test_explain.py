"""What rules say of themselves: their docstrings, and `explain` and `rules`, which show these."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from orjson import loads

from replaylint.render import rulebook
from replaylint.render.layout import columns
from replaylint.render.view import View
from replaylint.rules import all_rules
from replaylint.rules.explanation import DIRECTIONS, Explanation, explained, parse, recording
from replaylint.rules.registry import ERROR, INFO, WARNING, Rule
from replaylint.views.rulebook import ASKED, Entry, entries, found
from tests.command_line import NARROW, assert_hashes_do_not_matter, assert_refused, run, shell, unread
from tests.conftest import ROOT
from tests.profiles import profile
from tests.recordings import report_of_file
from tests.reports import assert_golden, finding
from tests.test_text import ESCAPE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from markdown_it.token import Token

CODES = [rule.code for rule in all_rules()]
FORMS = ("text", "json", "markdown")
TO_AGENT, TO_CLIENT = DIRECTIONS

DOCSTRING = f"""A live update before the marker.

Every update before `replay_complete`, the marker,
is history; a client takes it for that.

Where the session was active it proves nothing.

Promise: an agent MUST NOT send anything else
there.

It holds it back.

Source: the RFD, "Only history", https://example.org/rfds/replay_complete.

Fix: hold what is not history (`notice`, `state_update`) until the marker is out; the connection is ordered, so a
buffer will do.

Example:

    {TO_AGENT}{{"id":1,"method":"session/resume","params":{{"sessionId":"s","replayFrom":{{"type":"start"}}}}}}
    {TO_CLIENT}{{"method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"notice","x":", "}}}}}}
    {TO_CLIENT}{{"method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"replay_complete"}}}}}}
    {{"dir":"meta","event":"end"}}
"""
MESSAGE = "1 live update (notice) before the marker at line 3; only replayed history may stand there"
EXPLANATION = parse(DOCSTRING)
RULE = Rule(
    "RL301",
    "live-before-marker",
    party="agent",
    severities=(ERROR, WARNING, INFO),
    headline="",
    help="",
    suppressed_by={"RL308": INFO, "RL209": WARNING, "RL208": ERROR, "RL999": WARNING},
    needs_beginning=True,
)
ENTRY = Entry(RULE, EXPLANATION, [finding("RL301", "error", MESSAGE, "example", 2)])
OTHER = Entry(
    Rule("RL105", "unanswered-request", party=None, headline="", help=""),
    parse("A request was never answered.\n\nIt is owed one.\n\nExample:\n    no JSON,   but\n    a literal\n"),
    [finding("RL105", "warning", "2 requests", "example", None)],
)


# Docstrings


def test_the_parts_of_a_docstring() -> None:
    assert EXPLANATION._replace(example="") == Explanation(
        summary="A live update before the marker.",
        meaning="Every update before `replay_complete`, the marker, is history; a client takes it for that.\n\n"
        "Where the session was active it proves nothing.",
        promise="an agent MUST NOT send anything else there.\n\nIt holds it back.",
        source='the RFD, "Only history", https://example.org/rfds/replay_complete.',
        fix="hold what is not history (`notice`, `state_update`) until the marker is out; the connection is ordered, "
        "so a buffer will do.",
        example="",
    )
    lines = EXPLANATION.example.split("\n")
    assert [line[:2] for line in lines] == [TO_AGENT, TO_CLIENT, TO_CLIENT, '{"']


@pytest.mark.parametrize(
    ("docstring", "parts"),
    [
        ("", {}),
        ("Only this.", {"summary": "Only this."}),
        ("Two\nlines.\n\n\n\nAnd  this.\n", {"summary": "Two lines.", "meaning": "And this."}),
        ("S.\n\nFix: a.\n\nSource: b.\n\nSource: c.", {"summary": "S.", "fix": "a.", "source": "b.\n\nc."}),
        ("S.\n\nPromise:\nfolded.", {"summary": "S.", "promise": "folded."}),
        (
            "S.\n\nFixed: no label.\n\nfix: nor this.",
            {"summary": "S.", "meaning": "Fixed: no label.\n\nfix: nor this."},
        ),
        ("S.\n\nExample:\n    one\n      two\n", {"summary": "S.", "example": "one\n  two"}),
        ("S.\n\nExample:\n\n    one\n\n    three", {"summary": "S.", "example": "one\n\nthree"}),
        (
            f"S.\n\nExample:\n    {TO_AGENT}{{\n      1:\n         2}}\n    {TO_CLIENT}3\n     4\n    five\n      six",
            {"summary": "S.", "example": f"{TO_AGENT}{{1:2}}\n{TO_CLIENT}34\nfive\n  six"},
        ),
    ],
)
def test_what_is_not_there_is_empty(docstring: str, parts: dict[str, str]) -> None:
    assert parse(docstring) == Explanation(*[""] * 6)._replace(**parts)


def test_an_example_is_a_recording_line_for_line() -> None:
    example = "\n".join(
        [
            TO_AGENT + '{"id": 1, "method": "initialize"}',
            TO_CLIENT + '{"id": 1}',
            TO_CLIENT + '[{"id": 2}, 3]',
            '{"dir": "meta"}',
            TO_AGENT.strip(),
            "",
            "cut off",
        ]
    )
    first, second, third, *rest = recording(example).split(b"\n")
    assert loads(first) == {"dir": "c2a", "msg": {"jsonrpc": "2.0", "id": 1, "method": "initialize"}}
    assert loads(second) == {"dir": "a2c", "msg": {"jsonrpc": "2.0", "id": 1}}
    assert loads(third) == {"dir": "a2c", "msg": [{"jsonrpc": "2.0", "id": 2}, 3]}
    assert rest == [b'{"dir": "meta"}', TO_AGENT.strip().encode(), b"", b"cut off"]


def test_messages_stand_as_they_are_where_one_says_jsonrpc() -> None:
    first, second = recording(f'{TO_AGENT}{{"jsonrpc": "1.0", "id": 1}}\n{TO_CLIENT}[{{"id": 2}}]').split(b"\n")
    assert loads(first) == {"dir": "c2a", "msg": {"jsonrpc": "1.0", "id": 1}}
    assert loads(second) == {"dir": "a2c", "msg": [{"id": 2}]}


def test_an_arrow_points_at_a_message() -> None:
    with pytest.raises(ValueError, match="unexpected"):
        recording(f"{TO_AGENT}words")


# The rules


@pytest.mark.parametrize("rule", all_rules(), ids=CODES)
def test_every_rule_is_explained(rule: Rule) -> None:
    explanation = explained(rule)
    assert [name for name, text in explanation._asdict().items() if not text] == []
    assert rule.severities
    assert len(set(rule.severities)) == len(rule.severities)
    assert explanation.summary.endswith(".")
    assert explanation.summary.count(". ") == 0
    for text in explanation[1:5]:
        assert text.endswith(".")


def implied(code: str) -> set[str]:
    """The rules that fire with this one on its own recording, and what is said of one without a resume."""
    text = (ROOT / "tests" / "rules" / code / "fires.expect.json").read_text(encoding="utf-8")
    return {"RL005", *(rule for rule, *_ in json.loads(text)["findings"])}


@pytest.mark.parametrize("rule", all_rules(), ids=CODES)
def test_every_example_breaks_its_rule_and_no_other(rule: Rule, tmp_path: Path) -> None:
    path = tmp_path / "example"
    path.write_bytes(recording(explained(rule).example))
    report = report_of_file(path, **ASKED.get(rule.code, {}))
    assert [trace["error"] for trace in report["traces"]] == [None]
    severities = {each["severity"] for each in report["findings"] if each["rule"] == rule.code}
    assert severities
    assert severities <= {severity.name.lower() for severity in rule.severities}
    assert {each["rule"] for each in report["findings"]} <= implied(rule.code)


@pytest.mark.parametrize("rule", all_rules(), ids=CODES)
def test_what_a_rule_finds_in_its_example_is_shown(rule: Rule) -> None:
    findings = found(rule, explained(rule).example)
    assert {each.rule for each in findings} == {rule.code}
    page = "".join(rulebook.pages(View(), entries([rule], linted=True)))
    assert all(each.message in page for each in findings)
    assert page.count("   <-- here\n") == len({each.line for each in findings if each.line is not None})


# Pages


def page(shown: Sequence[Entry] = (ENTRY, OTHER), **options: Any) -> str:
    return "".join(rulebook.pages(View(**options), shown))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("explain.piped.txt", {}),
        ("explain.60.txt", {"width": 60}),
        ("explain.100.colour.txt", {"width": 200, "colour": True}),
        ("explain.piped.ascii.txt", {"unicode": False}),
    ],
)
def test_a_page(name: str, options: dict[str, Any]) -> None:
    assert_golden(name, page(**options))


@pytest.mark.parametrize("unicode", [True, False])
@pytest.mark.parametrize("width", [None, 20, 40, 80, 1000])
def test_a_page_says_the_same_in_every_width_and_colour(width: int | None, unicode: bool) -> None:
    plain = page(width=width, unicode=unicode)
    assert ESCAPE.sub("", page(width=width, colour=True, unicode=unicode)) == plain
    assert plain.split() == page(unicode=unicode).split()
    assert plain.isascii() is not unicode
    assert not set(plain) & {"\x1b", "\x1f", "\t"}
    assert all(line == line.rstrip() for line in plain.split("\n"))
    assert plain.endswith("\n")
    assert not plain.endswith("\n\n")


def test_a_page_is_no_wider_than_a_terminal_and_not_very_wide() -> None:
    for width in (80, 100, 300):
        lines = page(entries(all_rules()), width=width).splitlines()
        assert max(map(columns, (each for each in lines if " " in each.strip()))) <= min(width, 100)


def test_only_what_there_is_has_a_heading() -> None:
    bare = Entry(Rule("RL301", "live-before-marker", party="client", headline="", help=""), parse("A summary."), [])
    assert page([bare]) == "RL301 live-before-marker: to be fixed by the client\nA summary.\n"
    assert page([]) == ""


# Markdown

MARKDOWN = MarkdownIt("commonmark").enable("table")


def tokens(text: str) -> list[Token]:
    """All tokens of a document, those inside paragraphs too."""
    return [each for token in MARKDOWN.parse(text) for each in (token, *(token.children or ()))]


def contents(text: str, kinds: Iterable[str]) -> list[str]:
    return [token.content for token in tokens(text) if token.type in kinds]


def test_a_document() -> None:
    assert_golden("rules.md", "".join(rulebook.document([OTHER, ENTRY])))


@pytest.mark.parametrize("shown", [[OTHER, ENTRY], entries(all_rules(), linted=True)], ids=["two", "all"])
def test_every_line_of_the_table_leads_to_a_section(shown: list[Entry]) -> None:
    document = "".join(rulebook.document(shown))
    found = tokens(document)
    links = [str(token.attrGet("href")) for token in found if token.type == "link_open"]
    headings = [
        found[index + 1].content for index, token in enumerate(found) if token.tag == "h2" and token.nesting > 0
    ]
    assert headings == [f"{each.rule.code} {each.rule.name}" for each in shown]
    assert [link for link in links if link.startswith("#")] == [
        "#" + heading.lower().replace(" ", "-") for heading in headings
    ]
    assert all(link.startswith(("#", "https://")) for link in links)
    assert {len(row.split("</td>")) for row in MARKDOWN.render(document).split("<tr>")[2:]} == {5}
    assert contents(document, ["fence"]) == [
        each.explanation.example + "\n" for each in shown if each.explanation.example
    ]


SIGNS = "ab1. \\`*_{}[]()<>#+-!|~&$:/\"'=%@^"


@given(text=st.text(SIGNS, min_size=1), example=st.text(SIGNS + "\n"))
@example(text="``<b>`", example="```\n~~~")
@example(text="12. `|` --- a|b", example="")
@profile(300)
def test_nothing_in_markdown_is_markup_that_was_none(text: str, example: str) -> None:
    text, example = " ".join(text.split()), example.strip()
    entry = Entry(RULE, Explanation(text, text, text, text, text, example), [])
    document = "".join(rulebook.document([entry]))
    kinds = {token.type for token in tokens(document.partition("\n## ")[2])}
    assert not kinds & {"html_inline", "html_block", "image", "em_open", "hr", "bullet_list_open", "blockquote_open"}
    assert not kinds & {"ordered_list_open", "code_block"}
    assert contents(document, ["fence"]) == ([example + "\n"] if example else [])
    if "`" not in text and "://" not in text:
        # The table leaves a full stop out, and a label stands before all but the first of them.
        said = [each for each in contents(document, ["text"]) if text and each.lower().endswith(text.lower())]
        assert len(said) >= 4 * bool(text)
    assert {len(row.split("</td>")) for row in MARKDOWN.render(document).split("<tr>")[2:]} == {5}


# JSON

TYPES: dict[str, type | tuple[type, ...]] = {
    "code": str,
    "name": str,
    "severities": list,
    "party": (str, type(None)),
    "summary": str,
    "meaning": str,
    "promise": str,
    "source": str,
    "fix": str,
    "example": str,
    "needs_beginning": bool,
    "needs_order": bool,
    "yields_to": dict,
}


def test_the_json_is_what_the_rules_declare() -> None:
    objects = json.loads(run("rules", "-f", "json").stdout)
    assert [each["code"] for each in objects] == sorted(CODES)
    for each, rule in zip(objects, all_rules(), strict=True):
        assert list(each) == list(TYPES)
        assert all(isinstance(each[name], kind) for name, kind in TYPES.items())
        assert (each["code"], each["name"], each["party"]) == (rule.code, rule.name, rule.party)
        assert each["severities"] == [severity.name.lower() for severity in rule.severities]
        assert each["yields_to"] == {code: least.name.lower() for code, least in rule.suppressed_by.items()}
        assert each["needs_beginning"] is rule.needs_beginning
        assert each["needs_order"] is rule.needs_order
        assert Explanation(*(each[part] for part in Explanation._fields)) == explained(rule)


def test_the_json_of_a_rule_with_everything() -> None:
    (each,) = json.loads(b"".join(rulebook.as_json([ENTRY])))
    assert (each["severities"], each["party"], each["needs_beginning"]) == (["error", "warning", "info"], "agent", True)
    assert each["yields_to"] == {"RL208": "error", "RL209": "warning", "RL308": "info", "RL999": "warning"}
    assert list(each["yields_to"]) == sorted(each["yields_to"])
    assert each["example"] == EXPLANATION.example
    (other,) = json.loads(b"".join(rulebook.as_json([OTHER])))
    assert (other["severities"], other["party"], other["needs_beginning"], other["yields_to"]) == ([], None, False, {})


def test_both_commands_print_the_same_objects() -> None:
    every = json.loads(run("rules", "--format", "json").stdout)
    some = json.loads(run("explain", "RL3", "--format", "json").stdout)
    assert some == [each for each in every if each["code"].startswith("RL3")]


# The command `explain`


def titles(text: str) -> list[str]:
    """The codes of the rules that have a page, in its order."""
    return re.findall(r"^(?:## )?(RL\d{3}) [a-z0-9-]+(?::|$)", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        (["RL301"], ["RL301"]),
        (["rl301"], ["RL301"]),
        (["live-before-marker"], ["RL301"]),
        (["Live-Before-MARKER"], ["RL301"]),
        (["RL301", "missing-marker"], ["RL301", "RL201"]),
        (["RL301,RL201", "RL301"], ["RL301", "RL201"]),
        (["RL30"], [code for code in CODES if code.startswith("RL30")]),
        (["RL308", "RL30"], ["RL308", *[code for code in CODES if code.startswith("RL30") and code != "RL308"]]),
    ],
)
def test_rules_are_explained_in_the_order_in_which_they_are_named(names: list[str], codes: list[str]) -> None:
    for form in ("text", "markdown"):
        result = run("explain", *names, "-f", form)
        assert (result.returncode, result.stderr) == (0, "")
        assert titles(result.stdout) == codes
    assert [each["code"] for each in json.loads(run("explain", *names, "-f", "json").stdout)] == codes


@pytest.mark.parametrize("command", [["explain"], ["rules", "--select"], ["rules", "--ignore"]])
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("RL999", ["no rule 'RL999'"]),
        ("RL301,RL2012", ["no rule 'RL2012'", "did you mean RL2"]),
        ("live-before-markers", ["did you mean live-before-marker?"]),
        ("LIVE_BEFORE_MARKER", ["did you mean live-before-marker?"]),
        ("", ["no rule ''"]),
        ("\x1b[31m::x", [r"\x1b[31m"]),
    ],
)
def test_an_unknown_rule_is_2(command: list[str], name: str, words: list[str]) -> None:
    result = run(*command, name)
    assert_refused(result, *words)
    assert "\x1b" not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["explain"], ["RULE", "(replaylint explain --help shows"]),
        (["explain", "RL301", "-f", "html"], ["html", "markdown"]),
        (["rules", "RL301"], ["RL301", "(replaylint rules --help shows"]),
        (["rules", "-f", "html"], ["html", "markdown"]),
    ],
)
def test_a_wrong_call_is_2(arguments: list[str], words: list[str]) -> None:
    assert_refused(run(*arguments), *words)


EVERYTHING = [["explain", "RL"], ["rules"]]


def test_the_same_bytes_every_time() -> None:
    assert_hashes_do_not_matter(*([*arguments, "-f", form] for arguments in EVERYTHING for form in FORMS))


@pytest.mark.parametrize("arguments", EVERYTHING, ids=" ".join)
def test_a_reader_that_reads_one_line_changes_nothing(arguments: list[str]) -> None:
    result = shell("tool | head -n 1; exit ${PIPESTATUS[0]}", *arguments)
    assert (result.returncode, result.stderr, result.stdout.count("\n")) == (0, "", 1)


@pytest.mark.parametrize("arguments", EVERYTHING, ids=" ".join)
@pytest.mark.parametrize("form", FORMS)
def test_a_reader_that_goes_away_changes_nothing(form: str, arguments: list[str]) -> None:
    assert unread(*arguments, "-f", form) == (0, "")
    closed = run(*arguments, "-f", form, closed=[1])
    assert (closed.returncode, closed.stdout, closed.stderr) == (0, "", "")


@pytest.mark.parametrize("arguments", EVERYTHING, ids=" ".join)
@pytest.mark.parametrize("variables", [*NARROW[:4], {"LC_ALL": "C"}], ids=str)
def test_a_narrow_encoding_gets_ascii(variables: dict[str, str], arguments: list[str]) -> None:
    result = run(*arguments, variables=variables)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.isascii()
    assert "\\" not in re.sub(r"^ +\d+  .*", "", result.stdout, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("options", "variables", "coloured"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour(options: list[str], variables: dict[str, str], coloured: bool) -> None:
    for arguments in (["explain", "RL301"], ["rules"]):
        output = run(*arguments, *options, variables=variables).stdout
        assert ("\x1b[1mRL301 live-before-marker\x1b[0m: " in output) is coloured
        assert ("\x1b" in output) is coloured
        for form in ("json", "markdown"):
            assert "\x1b" not in run(*arguments, *options, "-f", form, variables=variables).stdout


# The command `rules`


def test_rules_are_listed_a_line_each() -> None:
    result = run("rules")
    lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "")
    assert [line.partition(" ")[0] for line in lines] == CODES
    for line, rule in zip(lines, all_rules(), strict=True):
        assert line.startswith(f"{rule.code} {rule.name}: {explained(rule).summary.removesuffix('.')} (")


def test_a_list() -> None:
    assert "".join(rulebook.listing(View(), [OTHER, ENTRY])) == (
        "RL105 unanswered-request: A request was never answered (agent or client)\n"
        "RL301 live-before-marker: A live update before the marker (error, warning or info; agent)\n"
    )
    assert "".join(rulebook.listing(View(width=60), [OTHER, ENTRY])) == (
        "RL105 unanswered-request  A request was never answered\n"
        "                            (agent or client)\n"
        "RL301 live-before-marker  A live update before the marker\n"
        "                            (error, warning or info; agent)\n"
    )
    assert "".join(rulebook.listing(View(width=60), [])) == ""


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (["--select", "RL301"], ["RL301"]),
        (["--select", "live-before-marker,rl201"], ["RL201", "RL301"]),
        (["--ignore", "RL2"], [code for code in CODES if not code.startswith("RL2")]),
        (["--select", "RL30", "--ignore", "RL301"], [code for code in CODES if re.fullmatch("RL30[^1]", code)]),
        (["--ignore", "RL"], []),
    ],
)
def test_some_rules(options: list[str], codes: list[str]) -> None:
    assert [line.partition(" ")[0] for line in run("rules", *options).stdout.splitlines()] == codes
    assert [each["code"] for each in json.loads(run("rules", *options, "-f", "json").stdout)] == codes
    document = run("rules", *options, "-f", "markdown").stdout
    assert titles(document) == codes
    assert re.findall(r"^\| \[`(RL\d+)`", document, re.MULTILINE) == codes


@pytest.mark.parametrize("command", ["explain", "rules"])
def test_help(command: str) -> None:
    result = run(command, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    for word in (f"Usage: replaylint {command} [OPTIONS]", "--format", "--color", "Exit status: 0"):
        assert word in result.stdout
    assert "--fail-on" not in result.stdout
    assert unread(command, "--help") == (0, "")


def test_whoever_lints_pays_nothing_for_it() -> None:
    script = (
        "import sys; sys.argv[1:] = ['-q', 'sample_traces/complete.ndjson']; from replaylint.cli import main; main()\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT)
    assert not {each for each in loaded.stdout.split() if "rulebook" in each or each.endswith(".explanation")}
