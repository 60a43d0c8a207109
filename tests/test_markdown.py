"""`markdown`: what it says, that no text of a recording is Markdown, and that nothing that was said gets through."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from orjson import dumps, loads

from replaylint.analysis.lint import lint
from replaylint.render import markdown
from replaylint.render.escape import printable
from replaylint.render.view import View
from replaylint.report.model import SettingsUsed
from replaylint.rules import all_rules
from replaylint.views.quotes import CHANGED, NO_JSON, NO_MESSAGE, SEVERAL, STREAM, Quote, quotes
from replaylint.views.redaction import Redactor
from replaylint.views.rulebook import entries
from tests.conftest import ROOT
from tests.profiles import profile
from tests.recordings import Recording
from tests.reports import EVIL, ONE, assert_golden, finding, findings, rich, session
from tests.reports import resume as resumed
from tests.strategies import json_values
from tests.test_render import PAYLOADS, TEXTS, assert_harmless, poisoned

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from markdown_it.token import Token

    from replaylint.report.model import Finding, Report

GITHUB = MarkdownIt("gfm-like", {"linkify": False, "html": True})
MOST = 60_000
"""Characters. The text of an issue or of a comment has at most 65,536."""


def output(report: Report, **options: Any) -> str:
    return "".join(markdown.render(report, View(**options)))


def of_files(*paths: Path | str) -> str:
    return output(lint(paths), quotes=quotes)


def written(recording: Recording, folder: Path) -> Path:
    path = folder / "trace.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in recording.lines()))
    return path


def broken() -> Recording:
    """A recording with an error: a live update before the marker."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m").update("s", "notice", message="words")
    return recording.marker("s").idle("s").result(1, {})


# What it says


def test_a_rich_recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recording = broken().resume("r-2", "t").update("t", "notice").child("t", "c").message("c", "m", who="user_message")
    recording.update(
        "t", "tool_call_update", toolCallId="tool", status="failed", rawInput={"path": "/home/a"}, title="x"
    )
    recording.marker("t").error("r-2", -32603)
    written(recording, tmp_path)
    assert_golden("recording.markdown", of_files("trace.ndjson", "absent.ndjson"))


def test_a_sample_has_all_that_an_issue_needs() -> None:
    text = of_files(ROOT / "sample_traces" / "live-before-marker.ndjson")
    for part in (
        "1 error",
        "`demo-agent 0.1`",
        "`demo-client 1.0`",
        "v2",
        "complete",
        "400 ms",
        "error RL301 live-before-marker",
        "by the agent",
        "**Promise.** Between the request and the marker",
        "<https://agentclientprotocol.com/rfds/v2/session-replay-complete#only-history-before-the-marker>",
        '"sessionUpdate":"available_commands_update"',
    ):
        assert part in text


def test_known_findings_are_counted() -> None:
    report = rich()
    for each in report.findings:
        each.known = True
    report.baseline = None
    report.exceptions = []
    text = output(report)
    assert "###" not in text
    assert text.endswith("\nNot shown: 7 findings known from the baseline.\n")


def test_what_is_gone_and_left_out_is_told() -> None:
    report = rich()
    for options in ({}, {"quiet": True}):
        assert output(report, **options).endswith(
            """
Not shown: 1 finding known from the baseline.

Of the baseline, 1 entry no longer occurs: RL301 live-before-marker.

Exception for agent `<0.9`: 2 findings of RL201, RL3 left out, until 2026-03-01, which has passed: predates the marker.

Exception for other: 1 finding of RL1 left out: its vendor is told.
"""
        )
    report.exceptions = report.exceptions[:1] * 9
    assert output(report).count("\nException for ") == 5
    assert output(report).endswith("\n4 more exceptions left out findings.\n")


@pytest.mark.parametrize(
    "text", ["x" * 100_000, "\x1b" * 100_000, "`|" * 50_000, "\U000e0041 " * 50_000, "\U000e0041" * 100_000]
)
def test_what_is_left_out_fits_too(text: str) -> None:
    report = dataclasses.replace(poisoned(text, *TEXTS), findings=many(500, text))
    report.traces = [dataclasses.replace(report.traces[0], path=f"{number}{text}") for number in range(500)]
    report.budgets = report.budgets * 30
    report.settings = SettingsUsed(text, {text: [text] * 9}, 1)
    exemption = dataclasses.replace(report.exceptions[0], name=text, reason=text)
    report.exceptions = [exemption] * 100
    assert report.baseline is not None
    report.baseline.gone = [dataclasses.replace(report.baseline.gone[0], name=text)] * 100
    shown = output(report)
    assert len(shown) <= MOST
    assert re.search(r"\n\d+ more findings \(\d+ errors\) would not fit; other formats list them all\.\n", shown)
    assert "\n110 more budgets would not fit.\n" in shown


def test_quietly_there_are_only_findings() -> None:
    assert "|" not in output(rich(), quiet=True)
    assert output(rich(), quiet=True).count("\n### ") == output(rich()).count("\n### ")


def test_the_gravest_come_first() -> None:
    headings = re.findall("^### ([a-z]+) ", output(rich()), re.MULTILINE)
    assert headings == sorted(headings, key=["error", "warning", "info"].index)


@pytest.mark.parametrize(("paths", "shown"), [([ONE, "two.ndjson"], ONE), (["-"], "-"), ([], "-")])
def test_what_is_in_no_recording_is_at_the_first(paths: list[str], shown: str) -> None:
    report = dataclasses.replace(rich(), findings=[finding("RL105", "error", "text", None, None)])
    report.traces = [dataclasses.replace(report.traces[0], path=path) for path in paths]
    assert f"\n**Error** at `{shown}`: text. To be fixed by the agent.\n" in output(report)


# Its size


def many(number: int, message: str) -> list[Finding]:
    return [
        dataclasses.replace(each, message=message, line=line, last_line=line)
        for line in range(1, number + 1)
        for each in findings()[:1]
    ]


@pytest.mark.parametrize("message", ["short", "x" * 100_000, "`" * 100_000, "\x1b|" * 50_000])
def test_it_fits_into_an_issue_and_says_what_does_not(message: str) -> None:
    report = dataclasses.replace(rich(), findings=many(500, message), baseline=None, exceptions=[])
    text = output(report)
    assert len(text) <= MOST
    shown = text.count("**Error** at")
    left = 500 - shown
    assert shown > 5
    assert text.endswith(f"\n{left} more findings ({left} errors) would not fit; other formats list them all.\n")


@pytest.mark.parametrize("text", ["a", "x" * 100_000, "\x1b" * 100_000, "`|" * 50_000])
def test_tables_fit_too(text: str) -> None:
    report = poisoned(text, *TEXTS)
    report.traces = [
        dataclasses.replace(each, path=f"{number}{text}") for number in range(100) for each in report.traces
    ]
    report.resumes = [
        resumed(f"{number}{text}", 1, number, 5, session(f"{number}{text}", "truncated")) for number in range(1000)
    ]
    report.findings = [finding("RL105", "error", text, each.path, 5, request_id=1) for each in report.traces]
    assert len(output(report)) <= MOST


def test_quotes_fit_too(tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    wide: dict[str, Any] = {f"k{number}": ["x"] * 9 for number in range(99)}
    for number in range(300):
        recording.resume(number + 1, f"s{number}").update(f"s{number}", "notice", **wide)
        recording.marker(f"s{number}").idle(f"s{number}").result(number + 1, {})
    text = of_files(written(recording, tmp_path))
    assert MOST / 2 < len(text) <= MOST
    assert re.search(r"\n\d+ more findings \(\d+ errors\) would not fit; other formats list them all\.\n\Z", text)


# Hostile text


MARKDOWN = [
    EVIL,
    "# a",
    "- a",
    "1. a",
    "> a",
    "    a",
    "---",
    "===",
    "```",
    "`a`",
    "``` `",
    "`",
    " ` ",
    "~~~",
    "*a* _b_ **c** ~~d~~",
    "[a](https://example.org) ![b](https://example.org/c.png)",
    "[a]: https://example.org",
    "[^1]",
    "<b>a</b> <!-- c --> <script>d</script> <?e?>",
    "<https://example.org>",
    "https://example.org www.example.org ftp://example.org",
    "a@example.org mailto:a@example.org",
    "@name @org/team",
    "#1 GH-1 org/repo#1 JIRA-12 !1 &1 $1 ~a %b",
    "0123456789abcdef0123456789abcdef01234567 0123abc",
    ":smile: a:b",
    "$x$ $$y$$ $`z`$",
    "|a|b|",
    r"\|",
    "a|b\\",
    "&amp; &#64;name &lt;b&gt;",
    "\\",
    "\\`a\\`",
    "a  b",
    " a ",
    "(@name)",
    '"#1"',
    "\u3000- a",
    "\xa0",
    "{{a}} {% b %}",
    "[ ] a",
    "[!NOTE] a",
    "",
    " ",
]

OURS = {
    *("paragraph_open", "paragraph_close", "heading_open", "heading_close", "inline", "fence"),
    *(f"{part}_{end}" for part in ("table", "thead", "tbody", "tr", "th", "td") for end in ("open", "close")),
}
INLINE = {"text", "code_inline", "strong_open", "strong_close", "link_open", "link_close"}


def leaves(text: str) -> Iterator[Token]:
    """What stands in the blocks of this Markdown."""
    for block in GITHUB.parse(text):
        assert block.type in OURS, block
        yield from block.children or ([block] if block.type == "fence" else [])


def outline(text: str) -> list[str]:
    return [token.type for token in GITHUB.parse(text)]


def plain(text: str) -> str:
    """The texts that are no code, in which GitHub looks for mentions, references and addresses."""
    return "\n".join(token.content for token in leaves(text) if token.type == "text")


SOURCES = {
    address for entry in entries(all_rules()) for address in re.findall(r"https://[^\s,;)]+", entry.explanation.source)
}
ACTED_ON = re.compile(
    r"(?i)@|#\d|\bGH-\d|https?:|www\.|ftp:|\b[a-z]+-\d|\b[0-9a-f]{7,40}\b|:[a-z_+-]+:|\$[^ ]|!\d|[<>{}\[\]|*_~`\\&]"
)
"""What GitHub or GitLab would make something of."""


def unread(_: Report, __: Redactor, places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], Quote]:
    return dict.fromkeys(places, Quote(why_not=NO_JSON))


@pytest.mark.parametrize("payload", [*MARKDOWN, *PAYLOADS], ids=ascii)
def test_no_text_is_markdown(payload: str) -> None:
    fields = [field for field in TEXTS if "\ud800" not in payload or field[1] != "request_id"]
    text = output(poisoned(payload, *fields), quotes=unread)
    assert_harmless(text)
    assert outline(text) == outline(output(poisoned("x", *fields), quotes=unread))
    for token in leaves(text):
        assert token.type in INLINE or token.type == "fence", token
        assert token.type != "link_open" or str(token.attrs["href"]) in SOURCES
    findings = [part.split("To be fixed")[0] for part in text.split("**Error**")[1:]]
    for part in findings:
        assert not ACTED_ON.search(plain(part))


@pytest.mark.parametrize("payload", [*MARKDOWN, *PAYLOADS], ids=ascii)
def test_a_sentence_comes_out_as_it_was(payload: str) -> None:
    sentence = f"the agent sent {payload} before line 3"
    report = dataclasses.replace(rich(), findings=[finding("RL105", "error", sentence, ONE, 3)])
    found = [
        "".join(each.content for each in token.children or ())
        for token in GITHUB.parse(output(report, quiet=True))
        if token.type == "inline" and token.content.startswith("**Error**")
    ]
    wanted = " ".join(re.findall("[^ ]+", printable(sentence)))
    assert found == [f"Error at {ONE}:3: {wanted}. To be fixed by the agent."]


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("max(response_gap) is 7.30 s", "`max(response_gap)` is 7.30 s"),
        ("(p95(response_gap)<2s), 'max(a_b)'.", "(`p95(response_gap)<2s`), '`max(a_b)`'."),
        ("(a_b) a_b) ()", "(`a_b`) `a_b`) `()`"),
    ],
)
def test_code_has_the_brackets_that_are_its_own(sentence: str, shown: str) -> None:
    report = dataclasses.replace(rich(), findings=[finding("RL105", "error", sentence, ONE, 3)])
    assert f": {shown}. To be fixed" in output(report, quiet=True)


@given(text=st.text())
@profile(300)
def test_any_text_comes_out_as_it_was(text: str) -> None:
    test_a_sentence_comes_out_as_it_was(text)
    shown = printable(text)
    (block,) = [token for token in GITHUB.parse(f"a {markdown._code(text)}") if token.type == "inline"]  # noqa: SLF001
    code = [token.content for token in block.children or () if token.type == "code_inline"]
    assert code == ([shown] if shown.strip(" ") else [])
    cell = f"| a |\n|---|\n| {markdown._cell(text[:50])} |\n"  # noqa: SLF001
    assert outline(cell) == outline("| a |\n|---|\n| `x` |\n")


def test_what_the_rules_promise_is_as_harmless() -> None:
    some = findings()[0]
    every = [dataclasses.replace(some, rule=each.code, name=each.name, message="x") for each in all_rules()]
    report = dataclasses.replace(rich(), findings=every)
    for start in range(0, len(every), 10):
        report.findings = every[start : start + 10]
        text = output(report, quiet=True)
        assert {token.type for token in leaves(text)} <= INLINE
        assert not re.search(
            r"@\w|#\d", "".join(t.content for t in leaves(text) if t.type == "text" and "://" not in t.content)
        )


# Quotes


CANARY = "Canary 7 /home/alice"
WORD = "canaryword"


def spoiled(value: Any, canary: str, kept: frozenset[str], key: str = "") -> Any:
    """The value with this text in place of every string, but of those under such keys."""
    if isinstance(value, str):
        return value if key in kept else canary
    if isinstance(value, list):
        return [spoiled(each, canary, kept, key) for each in value]
    return (
        {name: spoiled(each, canary, kept, name) for name, each in value.items()} if isinstance(value, dict) else value
    )


VOCABULARY = frozenset({"jsonrpc", "method", "sessionUpdate", "type", "status", "kind", "role", "state", "stopReason"})


def talkative() -> list[Any]:
    """Messages with a string wherever the protocol has one."""
    recording = Recording().initialize_v2(opted_in=True).resume("r", "s")
    recording.update(
        "s", "user_message", messageId="m", content=[{"type": "text", "text": "t"}], _meta={"a": {"type": "t"}}
    )
    recording.update(
        "s",
        "tool_call_update",
        toolCallId="t",
        title="t",
        kind="edit",
        status="completed",
        locations=[{"path": "p", "line": 3}],
        content=[{"type": "diff", "path": "p", "oldText": "a", "newText": "b"}],
        rawInput={"type": "x", "kind": "y", "command": "c"},
        rawOutput={"state": "z"},
    )
    recording.update("s", "subagent_update", sessionId="c", title="t", state={"state": "idle"}, cwd="/w")
    recording.update("s", "available_commands_update", availableCommands=[{"name": "n", "description": "d"}])
    recording.agent(
        "q", "session/request_permission", sessionId="s", options=[{"optionId": "o", "name": "n", "kind": "k"}]
    )
    recording.result("q", {"outcome": {"outcome": "selected", "optionId": "o"}}, direction="c2a")
    recording.error("r", -32603)
    recording.record("c2a", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": "r"}})
    return [each["msg"] for each in recording.records]


@pytest.mark.parametrize("canary", [CANARY, f"/{WORD}/", "CANARY!", "Ca nary", "\u0441anary"])
@pytest.mark.parametrize("keys", [False, True])
def test_no_text_gets_through(canary: str, keys: bool) -> None:
    redactor = Redactor(rich())
    for body in talkative():
        spoilt = spoiled(body, canary, frozenset())
        if keys:
            spoilt = {**spoilt, canary: {canary: canary}, "params": {**(spoilt.get("params") or {}), canary: canary}}
        text = redactor.redacted(spoilt)
        assert "anary" not in text.lower()
        assert loads(text).keys() >= body.keys()
        assert text.isascii()
        assert text.isprintable()


def test_a_word_gets_through_only_where_the_protocol_has_one() -> None:
    redactor = Redactor(rich())
    for body in talkative():
        assert WORD not in redactor.redacted(spoiled(body, WORD, VOCABULARY))
    free = {"params": {"update": {"_meta": {"type": WORD, "status": WORD}, "rawInput": {"type": WORD}, "method": WORD}}}
    assert WORD not in redactor.redacted({**free, "error": {"code": 1, "message": WORD, "data": {"type": WORD}}})


def test_what_stays() -> None:
    redactor = Redactor(rich())
    assert [loads(redactor.redacted(each)) for each in talkative()[2:6]] == [
        {
            "jsonrpc": "2.0",
            "id": "<request 1>",
            "method": "session/resume",
            "params": {"sessionId": "<session 10>", "cwd": "<2 characters>", "replayFrom": {"type": "start"}},
        },
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": "<session 10>",
                "update": {
                    "sessionUpdate": "user_message",
                    "messageId": "<message 1>",
                    "content": [{"type": "text", "text": "<1 character>"}],
                    "_meta": {"a": {"type": "<1 character>"}},
                },
            },
        },
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": "<session 10>",
                "update": {
                    "sessionUpdate": "tool_call_update",
                    "toolCallId": "<tool call 1>",
                    "title": "<1 character>",
                    "kind": "edit",
                    "status": "completed",
                    "locations": [{"path": "<1 character>", "line": 3}],
                    "content": [
                        {
                            "type": "diff",
                            "path": "<1 character>",
                            "oldText": "<1 character>",
                            "newText": "<1 character>",
                        }
                    ],
                    "rawInput": "<3 members>",
                    "rawOutput": "<1 member>",
                },
            },
        },
        {
            "jsonrpc": "2.0",
            "method": "session/update",
            "params": {
                "sessionId": "<session 10>",
                "update": {
                    "sessionUpdate": "subagent_update",
                    "sessionId": "<session 11>",
                    "title": "<1 character>",
                    "state": {"state": "idle"},
                    "cwd": "<2 characters>",
                },
            },
        },
    ]


@given(value=json_values())
@profile(200)
def test_any_message_can_be_redacted(value: Any) -> None:
    text = Redactor(rich()).redacted({"jsonrpc": "2.0", "method": "m", "params": value})
    assert loads(text)["method"] == "m"
    assert text.isascii()
    assert len(text) < 20_000
    assert Redactor(rich()).redacted([value, value])


def test_what_is_long_or_deep_is_told_by_its_size() -> None:
    deep: Any = "x"
    for _ in range(50):
        deep = {"a": [deep]}
    redactor = Redactor(rich())
    assert "<1 item>" in redactor.redacted({"params": deep}) or "<1 member>" in redactor.redacted({"params": deep})
    wide = {f"k{number}": ["x" * 9] * 9 for number in range(99)}
    shown = loads(redactor.redacted({"params": wide}))["params"]
    assert shown["k0"] == ["<9 characters>"] * 3 + ["<6 more>"]
    assert shown["<more>"] == "<87 members>"
    assert len(redactor.redacted({f"k{number}": wide for number in range(99)})) < 10_000


# Where there is no quote


def quoted(report: Report, *places: tuple[str, int]) -> list[str | None]:
    found = quotes(report, Redactor(report), places)
    return [found[place].why_not for place in places]


def test_lines_that_cannot_be_quoted(tmp_path: Path) -> None:
    path = tmp_path / "trace.ndjson"
    lines = [*broken().lines(), b"no JSON", b"42", b"", dumps({"type": "end"})]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    report = lint(path)
    at = report.traces[0].path
    places = [(at, line) for line in (1, len(lines) - 3, len(lines) - 2, len(lines) - 1, 999)]
    assert quoted(report, *places) == [None, NO_JSON, NO_MESSAGE, NO_MESSAGE, NO_MESSAGE]


def test_several_messages_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(dumps(broken().records))
    report = lint(path)
    assert {each.line for each in report.findings} == {1}
    assert quoted(report, (report.traces[0].path, 1)) == [SEVERAL]


def test_streams_and_files_that_changed(tmp_path: Path) -> None:
    path = written(broken(), tmp_path)
    report = lint(path)
    at = report.traces[0].path
    assert quoted(report, ("-", 1), ("/dev/null", 1)) == [STREAM, STREAM]
    path.write_bytes(path.read_bytes() + b"\n")
    assert quoted(report, (at, 1)) == [CHANGED]
    path.unlink()
    assert quoted(report, (at, 1)) == [CHANGED]


def test_a_recording_that_could_not_be_read_to_its_end_is_quoted(tmp_path: Path) -> None:
    import gzip  # noqa: PLC0415

    path = tmp_path / "trace.ndjson.gz"
    path.write_bytes(gzip.compress(written(broken(), tmp_path).read_bytes() * 50)[:-20])
    report = lint(path)
    assert report.traces[0].error is not None
    assert quoted(report, (report.traces[0].path, 3)) == [None]


def test_every_format_can_be_quoted(tmp_path: Path) -> None:
    """Whose lines they are is told as in the report, also where the recorder sat on the other side."""
    recording = broken()
    path = tmp_path / "trace.ndjson"
    for record in recording.records:
        record["dir"] = {"a2c": "out", "c2a": "in"}[record["dir"]]
    path = written(recording, tmp_path)
    report = lint(path)
    assert report.traces[0].directions == "flipped"
    found = quotes(report, Redactor(report), [(report.traces[0].path, line) for line in (3, 4)])
    assert [each.side for each in found.values()] == ["client", "agent"]


def test_parts_and_sides_are_quoted_each_from_its_own_file(tmp_path: Path) -> None:
    lines = broken().lines()
    parts = [tmp_path / "1.ndjson", tmp_path / "2.ndjson"]
    for path, part in zip(parts, (lines[:4], lines[4:]), strict=True):
        path.write_bytes(b"".join(line + b"\n" for line in part))
    report = lint(parts, concat=True)
    text = output(report, quotes=quotes)
    assert '"sessionUpdate":"notice"' in text
    assert "(request): → " in text
    assert f"line 3 of {report.traces[0].path} (request)" in text


@pytest.mark.parametrize("canary", [CANARY, f"/{WORD}/{WORD}", "CANARY words"])
def test_nothing_that_was_said_is_in_the_document(tmp_path: Path, canary: str) -> None:
    recording = broken()
    recording.records += Recording().load("r", "t").records
    begin, *rest = [each for each in recording.records if "id" not in each["msg"] or each["msg"]["id"] != 0]
    for record in (begin, *rest):
        record["msg"] = spoiled(record["msg"], canary, VOCABULARY)
    path = written(recording, tmp_path)
    path.write_bytes(path.read_bytes() + f"{canary}\n".encode())
    report = lint(path)
    assert {"RL001", "RL301"} <= {each.rule for each in report.findings}
    text = output(report, quotes=quotes)
    assert "anary" not in text.lower()
    assert NO_JSON in text
    path.write_bytes(f"{canary}\n".encode() * 9)
    report = lint(path)
    assert report.traces[0].error is not None
    assert "anary" not in output(report, quotes=quotes).lower()
