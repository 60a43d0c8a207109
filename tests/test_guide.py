"""`replaylint help`: which topics there are, how they are shown, and that they are true."""

from __future__ import annotations

import re
import subprocess
import sys
from inspect import signature
from typing import TYPE_CHECKING

import pytest

from replaylint import lint
from replaylint.commands import COMMANDS
from replaylint.commands.help import PLAIN, summary
from replaylint.commands.options import table as option_table
from replaylint.commands.show import STATES
from replaylint.render import FORMATS, github, markdown, sarif
from replaylint.replay.timing import FIGURES
from replaylint.rules import all_rules
from replaylint.views import timeline
from tests.command_line import assert_refused, run, unread
from tests.conftest import ROOT
from tests.documents import GUIDE, README, blocks, read, table
from tests.recordings import report_of_file
from tests.test_readme import compared, options_of

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [each.stem for each in GUIDE]


def topic(name: str) -> str:
    return read(ROOT / "replaylint" / "guide" / f"{name}.md")


def words(name: str) -> str:
    """A topic on one line."""
    return " ".join(topic(name).split())


# The command


def test_without_a_topic_all_are_listed() -> None:
    result = run("help")
    heading, *lines = result.stdout.splitlines()
    assert (result.returncode, result.stderr) == (0, "")
    assert heading == "Topics (replaylint help TOPIC prints one):"
    assert [line.split()[0] for line in lines] == NAMES == sorted(NAMES)
    assert all(len(line) <= 80 for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_a_topic_is_printed_as_it_is(name: str) -> None:
    result = run("help", name)
    assert (result.returncode, result.stdout, result.stderr) == (0, topic(name), "")
    assert run("help", name.upper()).stdout == result.stdout


@pytest.mark.parametrize("name", NAMES)
def test_a_topic_begins_with_a_heading_and_a_sentence(name: str) -> None:
    heading, blank, sentence, after, *_ = topic(name).split("\n")
    assert heading.startswith("# ")
    assert blank == after == ""
    assert sentence.endswith(".")
    assert summary(topic(name)) == sentence[:-1]


@pytest.mark.parametrize("variables", [{"LC_ALL": "C", "PYTHONUTF8": "0"}, {"PYTHONIOENCODING": "cp1252"}])
def test_an_output_without_the_signs_gets_ascii(variables: dict[str, str]) -> None:
    for name in NAMES:
        result = run("help", name, variables=variables)
        assert (result.returncode, result.stdout, result.stderr) == (0, topic(name).translate(PLAIN), "")
        assert result.stdout.isascii()


@pytest.mark.parametrize(
    ("name", "pointer"),
    [
        ("check", "check is a command: replaylint check --help shows what it takes.\n"),
        ("formats", "formats is a command: replaylint formats --help shows what it takes.\n"),
        ("RL301", "Rules have a command of their own: replaylint explain RL301\n"),
        ("rl2", "Rules have a command of their own: replaylint explain rl2\n"),
        ("live-before-marker", "Rules have a command of their own: replaylint explain live-before-marker\n"),
    ],
)
def test_commands_and_rules_are_explained_elsewhere(name: str, pointer: str) -> None:
    result = run("help", name)
    assert (result.returncode, result.stdout, result.stderr) == (0, pointer, "")
    assert run(*pointer.split("replaylint ")[1].removesuffix(" shows what it takes.\n").split()).returncode == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("outcome", ["no topic 'outcome'", "did you mean outcomes?"]),
        ("chek", ["no topic 'chek'", "did you mean check?"]),
        ("RL999", ["no rule 'RL999'"]),
        ("", ["no topic ''"]),
        ("\x1b[31m::x", [r"\x1b[31m"]),
        ("../json", ["no topic '../json'"]),
    ],
)
def test_an_unknown_topic_is_2(name: str, words: list[str]) -> None:
    result = run("help", name)
    assert_refused(result, *words)
    assert "\x1b" not in result.stderr


def test_a_reader_that_goes_away_changes_nothing() -> None:
    assert unread("help") == unread("help", "settings") == unread("help", "--help") == (0, "")


def test_every_command_has_a_topic_or_help_of_its_own() -> None:
    assert {name for name in COMMANDS if name not in NAMES} == {"check", "explain", "formats", "help"}


def terminal(name: str, width: int, *options: str) -> str:
    """What a terminal of this width gets: a process's standard output that says it is one."""
    script = (
        "import sys, replaylint.cli as cli\n"
        "sys.argv[0] = 'replaylint'\n"
        "sys.stdout.isatty = lambda: True\n"
        "sys.exit(cli.main())"
    )
    environment = {"COLUMNS": str(width), "PYTHONUTF8": "1", "TERM": "xterm"}
    command = [sys.executable, "-c", script, "help", name, *options]
    result = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment, check=True)
    assert result.stderr == ""
    return result.stdout


def test_a_terminal_gets_it_laid_out() -> None:
    shown = terminal("outcomes", 60, "--color", "never")
    assert max(map(len, shown.splitlines())) <= 60
    assert "\x1b" not in shown
    assert "**" not in shown
    assert "`complete`" not in shown
    assert "complete" in shown
    for name in NAMES:
        assert terminal(name, 80).count("\N{HORIZONTAL ELLIPSIS}") == topic(name).count("\N{HORIZONTAL ELLIPSIS}")
    assert max(map(len, terminal("outcomes", 300, "--color", "never").splitlines())) <= 100


def test_a_terminal_gets_colour_unless_told_otherwise() -> None:
    assert "\x1b[1m" in terminal("outcomes", 80)


# What it says


def test_the_table_of_options_is_what_they_declare() -> None:
    before, begin, _, end, after = re.split(
        "(<!-- options -->\n)(.*?)(<!-- /options -->)", topic("settings"), flags=re.DOTALL
    )
    compared(ROOT / "replaylint" / "guide" / "settings.md", before + begin + "".join(option_table()) + end + after)


def test_every_option_of_check_is_in_the_table() -> None:
    rows = table(topic("settings").split("<!-- options -->\n")[1].split("<!-- /options -->")[0], "option")
    listed = [option for row in rows for option in re.findall(r"--[a-z-]+", row[0])]
    assert set(listed) == options_of()
    assert len(listed) == len(set(listed))


def test_the_keys_in_the_table_are_those_of_a_settings_file() -> None:
    settable = {line.split()[1 if line.startswith("#") else 0] for line in run("--show-settings").stdout.splitlines()}
    rows = table(topic("settings"), "option")
    assert {row[1].strip("`") for row in rows if row[1]} == settable


def test_every_option_of_compare_is_in_its_topic() -> None:
    rows = table(topic("compare"), "option")
    assert {option for row in rows for option in re.findall(r"--[a-z-]+", row[0])} == options_of("compare")


def test_every_timing_is_explained() -> None:
    assert [row[0].strip("`") for row in table(topic("gap"), "timing")] == sorted(
        FIGURES, key=[row[0].strip("`") for row in table(topic("gap"), "timing")].index
    )
    assert set(re.findall(r"`(\w+)`", topic("budgets").split("The timing is one of")[1].split("(")[0])) == {
        figure.removesuffix("_s") for figure in FIGURES
    }


def test_every_family_of_rules_is_in_the_topic() -> None:
    families = sorted({rule.code[:3] for rule in all_rules()})
    assert [row[0].strip("`") for row in table(topic("rules"), "rules")] == families


def test_every_output_format_is_described() -> None:
    described = {row[0].strip("`") for row in table(topic("ci"), "`--format`")}
    described.update(re.findall(r"\*\*`--format (\w+)`\*\*", topic("json")))
    assert set(FORMATS) - described == {"text"}


def test_the_states_of_a_window_are_those_of_show() -> None:
    assert [row[0].strip("`") for row in table(topic("show"), "state of a window")] == list(STATES)


def test_the_limits_are_those_of_the_code() -> None:
    assert f"more than {timeline.MAX_ENTRIES} lines" in words("timeline")
    assert f"at most {markdown.MAX_CHARS:,} characters" in words("ci")
    assert f"at most {github.MAX_MESSAGE_UNITS:,} characters" in words("ci")
    assert f"{sarif.MAX_RESULTS:,} results" in words("ci")


def test_the_json_has_what_the_topic_says() -> None:
    report = report_of_file(ROOT / "sample_traces" / "live-before-marker.ndjson")
    keys = {key for row in table(topic("json"), "key") for key in re.findall(r"`(\w+)`", row[0])}
    assert keys == set(report) - {"schema_version", "tool", "passed_over", "passed_over_files"}
    assert f"`schema_version` is {report['schema_version']}" in topic("json")


def test_the_study_of_timers_is_that_of_the_real_recordings() -> None:
    """What the topic says of them in words."""
    report = report_of_file(*sorted((ROOT / "sample_traces" / "real").iterdir()), group_by="agent")
    replays = [each["sessions"][0]["timing"] for each in report["resumes"] if each["replaying"]]
    gaps = [each["response_gap_s"] for each in replays if each["response_gap_s"] is not None]
    pauses = [each["longest_pause_s"] for each in replays if each["longest_pause_s"] is not None]
    assert (len(pauses), sum(pause >= 0.05 for pause in pauses), max(pauses)) == (41, 1, 0.113038)
    assert (len(gaps), sum(gap < 3 for gap in gaps), sum(gap > 17 for gap in gaps)) == (42, 38, 4)
    claude = report["summary"]["groups"][0]
    assert claude["key"] == "@agentclientprotocol/claude-agent-acp 0.101.0"
    assert claude["timing"]["response_gap_s"]["p50"] == 0.289007


def test_every_argument_of_lint_is_named() -> None:
    names = re.findall(r"`(\w+)(?:=True)?`", topic("python").split("keyword arguments:")[1].split("A recording")[0])
    others = {"paths", "watch", "sink"}  # for the command line's own use
    assert set(names) == set(signature(lint).parameters) - others


@pytest.mark.parametrize("path", [README, ROOT / "replaylint" / "guide" / "python.md"], ids=lambda path: path.name)
def test_what_python_prints(path: Path) -> None:
    examples = re.findall(r"```python\n(.*?)```\n+(?:It prints\n+```\n(.*?)```)?", read(path), re.DOTALL)
    assert [code for code, _ in examples] == blocks(read(path), "python")
    for code, printed in examples:
        command = [sys.executable, "-c", code]
        assert subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout == printed
