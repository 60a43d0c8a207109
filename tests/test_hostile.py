"""Hostile text in every place that somebody else can write to, and everything that prints it."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections import Counter
from contextlib import chdir
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest
from orjson import loads

from replaylint.commands.output import MAX_COMPLAINT_CHARS
from replaylint.render import FORMATS
from replaylint.report.saved import load
from replaylint.rules import all_rules
from tests.command_line import run
from tests.hostile import HARMLESS, PLACE, Material, Payload, changed, holds_text, source
from tests.test_ci_formats import MARKUP, commands
from tests.test_markdown import ACTED_ON, INLINE, MARKDOWN, SOURCES, leaves, outline
from tests.test_render import OURS, PAYLOADS, assert_harmless
from tests.test_schema import CLASSES

LEADS: Final = [
    *("", "::error::", "##[error]", "\x1b[31m", "\n::error::b\n", "\r", "\t=", "\r=", "\u202e", "\x9b31m"),
    *("=1+", "+", "-", "@", "\uff1d", "\uff0b", '"=', "'", " =", "\u3000@"),
    *(";=", ';"=', "; @", ';" "-', ";\u3000\uff0b", '";=', ";;+"),
    *("# ", "- ", "> ", "1. ", "    ", "`", "```", "|", "\\", "<b>", "<!--", "]]>", "&amp;", "[", "![", "~~~"),
    *("%0A", ",line=1", "{", "[bold]", "$(x)", " ", "--"),
]
CELLS: Final = [";=1+1", ';"=1', "; @x", ";\t-1", ';""\uff1d1', '";=1;"', '";"', ";"]
TAILS: Final = ["".join([*PAYLOADS, *CELLS, *MARKUP, *MARKDOWN, *CELLS][number::7]) for number in range(7)]
TURNS: Final = 8
HOSTILE: Final = [Payload(turn * len(LEADS) // TURNS, LEADS, TAILS) for turn in range(TURNS)]

LONG: Final = Payload(0, [""], ["x" * 4_000])
MAX_LINE_CHARS: Final = 2_000
"""Of what people read, also where every name in it is cut."""
WHOLE: Final = re.compile(r"((streamed )?nd)?json\b|csv|sarif|settings$|compare\b|.*: complaints$")
"""What shows all of a text: to programs, in settings, in paths of a saved report. And complaints, which are bounded."""

OF_THE_TOOL: Final = OURS | {
    *(
        ("ReadError", "code"),
        ("Evidence", "what"),
        ("Finding", "help"),
        ("Exemption", "version"),
        ("Exemption", "ignore"),
        ("Exemption", "until"),
        ("BudgetResult", "budget"),  # an option of the user's own
        ("SettingsUsed", "path"),  # test_settings_told.py makes these hostile
        ("SettingsUsed", "options"),
    ),
    *((name, field) for name in ("Summary", "Group") for field in ("outcomes", "findings", "timing", "unmeasured")),
}
"""Texts of a report that nobody else chooses, or that have a grammar of their own."""

LIMITED: Final = ("github", "markdown")
"""Formats that print no more than their readers show. They are asked for some rules at a time."""
LEFT_OUT: Final = re.compile(r" more; GitHub shows | would not fit")
"""What they say then; which part they print depends on the places."""
GROUPS: Final = ("agent", "client", "file", "session")
FORMULA: Final = re.compile("\\s*[=+\\-@\uff1d\uff0b\uff0d\uff20]")
NUMBER: Final = re.compile(r"-?[0-9.]+(e-?[0-9]+)?")
COLOUR: Final = re.compile("\x1b\\[[0-9;]*m")


def printed(material: Material, payload: Payload) -> dict[str, str]:
    """What is printed in the working folder, furnished with this payload: by what prints it."""
    inputs = material.furnish(payload)
    outputs: dict[str, str] = {}

    def note(what: str, *arguments: str) -> None:
        result = run(*arguments)
        outputs[what], outputs[f"{what}: complaints"] = result.stdout, result.stderr

    files = ("--", *inputs.recordings)
    note("streamed ndjson", "-f", "ndjson", *files, *inputs.unreadable)
    for number in (1, 5, 9, 30):
        note(f"show {number}", "show", "--context", "9", "--", f"{inputs.recordings[-1]}:{number}")
    note("show no such line", "show", "--", f"{inputs.recordings[-1]}:1{'0' * 9}")
    note("extract", "extract", "--resume", "3", "-o", "extracted", "--", inputs.recordings[-1])
    note("extract no such resume", "extract", "--resume", "99", "-o", "extracted", "--", inputs.recordings[-1])
    note("explain", "explain", "--", inputs.unknown)
    note("unknown format", f"--input-format={inputs.unknown}", *files)
    note("compare", "compare", "--", inputs.report, inputs.recordings[-1])
    note("compare as json", "compare", "-f", "json", "--", inputs.report, inputs.recordings[0])
    material.write_wrong_settings(payload)
    note("wrong settings", *files)
    material.write_settings(payload)
    note("settings", "--show-settings")
    exports = [f"--export={form}={form}.out" for form in FORMATS]
    note("text", "--all", *exports, *files, *inputs.unreadable)
    outputs |= {form: Path(f"{form}.out").read_text("utf-8") for form in FORMATS if form != "text"}
    for form in FORMATS:
        note(f"{form} and a baseline", "-f", form, f"--baseline={inputs.baseline}", "--", inputs.recordings[-1])
    for code in ("RL0", "RL1", "RL20", "RL21", "RL30", "RL31", "RL32", "RL4"):
        for form in LIMITED:
            note(f"{form} of {code}", "-f", form, "--select", code, *files)
    note("quiet text", "-q", *files)
    note("text in colour", "--all", "--color", "always", *files)
    note("timelines", "--all", "--timeline", *files)
    for group in GROUPS:
        note(f"statistics by {group}", "--group-by", group, *files)
        for form in ("csv", "json"):
            note(f"{form} by {group}", "-f", form, "--group-by", group, *files)
    return outputs


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return Material(tmp_path_factory.mktemp("scratch"))


@pytest.fixture(scope="module")
def plain(material: Material, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is printed where the places are only words."""
    with chdir(tmp_path_factory.mktemp("plain")):
        return printed(material, HARMLESS)


@pytest.fixture(scope="module", params=range(TURNS))
def hostile(
    request: pytest.FixtureRequest, material: Material, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """What is printed where they are hostile."""
    with chdir(tmp_path_factory.mktemp("hostile")):
        return printed(material, HOSTILE[request.param])


def places(text: str) -> set[str]:
    return set(PLACE.findall(text))


# What the places reach


def test_every_text_of_the_report_is_a_place(plain: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    reached = set()

    def note(field: tuple[str, str], text: str) -> str:
        if places(text):
            reached.add(field)
        return text

    for what in ("json", "json and a baseline", "json by session"):
        path.write_text(plain[what], "utf-8")
        changed(load(str(path)), note)
    texts = {(name, each.name) for name, of in CLASSES.items() for each in fields(of) if holds_text(each.type)}
    assert texts - reached <= OF_THE_TOOL


def test_every_rule_is_among_them(plain: dict[str, str]) -> None:
    assert {each["rule"] for each in loads(plain["json"])["findings"]} == {rule.code for rule in all_rules()}


def test_what_is_printed_is_a_place_or_our_own(plain: dict[str, str]) -> None:
    """A text of anybody else's that is no place would be a word that the package does not know."""
    ours = {word.lower() for text in source() for word in re.findall("[A-Za-z]+", text)}
    for what, output in plain.items():
        own = re.sub(
            r"▕.*▏|\b([0-9a-f]{64}|[0-9a-f]{16})\b|\b[0-9.]+(e-?[0-9]+)?(s|ms|kB|MB)?\b",
            " ",
            PLACE.sub(" ", COLOUR.sub("", output).replace(r"\n", " ")),
        )
        assert {word for word in re.findall("[A-Za-z]+", own) if word.lower() not in ours} == set(), what


def test_most_outputs_are_whole(plain: dict[str, str], hostile: dict[str, str]) -> None:
    partial = {what for runs in (plain, hostile) for what, output in runs.items() if LEFT_OUT.search(output)}
    of_groups = {f"{form} of {group}" for form in ("github", "markdown") for group in ("RL1", "RL20", "RL4")}
    assert partial <= {*LIMITED, *of_groups}


# What comes out where they are hostile


def test_nothing_is_lost(plain: dict[str, str], hostile: dict[str, str]) -> None:
    """Each place comes out where it did, but for those that are in quotes of messages: these show plain words only."""
    assert hostile.keys() == plain.keys()
    for what, output in plain.items():
        if not what.startswith("markdown") and not LEFT_OUT.search(output + hostile[what]):
            assert places(hostile[what]) == places(output), what
    found, wanted = (
        Counter(
            (each["rule"], each["severity"], each["line"], each["count"]) for each in loads(runs["json"])["findings"]
        )
        for runs in (hostile, plain)
    )
    assert found == wanted


def test_nothing_is_interpreted(plain: dict[str, str], hostile: dict[str, str]) -> None:
    for what, output in hostile.items():
        text = COLOUR.sub("", output) if what == "text in colour" else output
        if what.startswith("github") and "complaints" not in what:
            assert len(commands(text)) == text.count("\n")
            text = text.replace("\n::", "\n").removeprefix("::")
        assert_harmless(text)
        assert "##" not in text or what.startswith("markdown"), what
    assert COLOUR.findall(hostile["text in colour"]) == COLOUR.findall(plain["text in colour"])


def test_nothing_changes_the_form(plain: dict[str, str], hostile: dict[str, str]) -> None:
    for what, output in plain.items():
        if not LEFT_OUT.search(output + hostile[what]):
            assert form_of(what, hostile[what]) == form_of(what, output), what


def form_of(what: str, output: str) -> object:
    """What its readers make of an output, without its texts."""
    first = what.split(" ", 1)[0]
    if what.endswith(": complaints"):
        return output.count("\n")
    if "ndjson" in what:
        return sorted(repr(shape(loads(line))) for line in output.splitlines())
    if first in {"json", "gitlab", "sarif"} or what.endswith("as json"):
        return shape(loads(output))
    if first == "csv":
        for delimiter in ";\t":
            for row in csv.reader(io.StringIO(output, newline=""), delimiter=delimiter):
                assert not any(map(FORMULA.match, row)), what
        return sorted([cell_form(cell) for cell in row] for row in csv.reader(io.StringIO(output, newline="")))
    if first == "junit":
        return sorted((each.tag, sorted(each.attrib)) for each in ET.fromstring(output).iter())  # noqa: S314
    if first == "markdown":
        return sorted(outline(output))
    if first == "github":
        return sorted((command, sorted(properties)) for command, properties, _ in commands(output))
    return output.count("\n")


def shape(value: Any) -> Any:
    """The value without its texts, and whatever its names are."""
    if isinstance(value, dict):
        return sorted(repr(("a place" if places(key) else key, shape(each))) for key, each in value.items())
    if isinstance(value, list):
        return sorted(repr(shape(each)) for each in value)
    return type(value).__name__


def cell_form(cell: str) -> bool:
    assert NUMBER.fullmatch(cell) or not FORMULA.match(cell)
    return not cell


def test_no_line_for_people_is_long(material: Material, plain: dict[str, str], tmp_path: Path) -> None:
    with chdir(tmp_path):
        long = printed(material, LONG)
    longest = {what: max(map(len, output.split("\n"))) for what, output in long.items()}
    assert {what: length for what, length in longest.items() if not WHOLE.match(what) and length > MAX_LINE_CHARS} == {}
    assert max(longest[what] for what in longest if what.endswith(": complaints")) <= MAX_COMPLAINT_CHARS + 100
    for what, output in plain.items():
        assert LEFT_OUT.search(output + long[what]) or long[what].count("\n") == output.count("\n"), what


def test_markdown_is_only_ours(plain: dict[str, str], hostile: dict[str, str]) -> None:
    for what, output in hostile.items():
        if not what.startswith("markdown") or "complaints" in what:
            continue
        for token in leaves(output):
            assert token.type in INLINE or token.type == "fence", token
            assert token.type != "link_open" or str(token.attrs["href"]) in SOURCES
        for part in re.split(r"\*\*(?:Error|Warning|Info)\*\*", output)[1:]:
            said = part.split("To be fixed")[0]
            assert not ACTED_ON.search("\n".join(each.content for each in leaves(said) if each.type == "text")), said
