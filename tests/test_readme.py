"""The documents say what is: every example in them is run, every table compared with what it describes."""

from __future__ import annotations

import os
import re
import shlex
from functools import cache
from typing import TYPE_CHECKING

import pytest

from replaylint.commands import COMMANDS
from replaylint.recording.formats import every_format
from replaylint.render import FORMATS as OUTPUTS
from replaylint.render import formats, rulebook
from replaylint.replay.outcome import OUTCOMES
from replaylint.rules import all_rules
from replaylint.views.rulebook import entries
from tests import documents
from tests.command_line import run
from tests.conftest import ROOT
from tests.documents import CONTRIBUTING, DOCUMENTS, GUIDE, README, SAMPLES, Shell, blocks, read, section, table
from tests.recordings import report_of_file
from tests.reports import UPDATE

if TYPE_CHECKING:
    from pathlib import Path

TEXT = read(README)
GUIDE_OF = {path.stem: path for path in GUIDE}


@cache
def options_of(*command: str) -> set[str]:
    """The long options in a help text."""
    found = re.findall(r"^ +(?:-\w, )?(--[a-z-]+)(?: / (--[a-z-]+))?", run(*command, "--help").stdout, re.MULTILINE)
    return {each for pair in found for each in pair if each}


def mentioned(text: str) -> set[str]:
    """The long options in a text."""
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))


def compared(path: Path, text: str) -> None:
    """The document has this text; REPLAYLINT_UPDATE_GOLDEN=1 writes it."""
    if UPDATE in os.environ:
        path.write_text(text, encoding="utf-8", newline="\n")
    assert read(path) == text, f"{path.relative_to(ROOT)} is out of date; if the new text is right, set {UPDATE}=1"


# All documents

posix = pytest.mark.skipif(os.sep != "/", reason="a shell of POSIX")


@posix
@pytest.mark.parametrize("path", [each for each in DOCUMENTS if "```console" in read(each)], ids=lambda path: path.name)
def test_every_command_prints_what_is_below_it(path: Path, tmp_path: Path) -> None:
    compared(path, documents.run_again(read(path), tmp_path))


def anchors(text: str) -> set[str]:
    """What links into a document can name, as GitHub makes it of headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)\s]+)\)", read(path)):
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.is_relative_to(ROOT)
        assert file.exists(), target
        assert not anchor or anchor in anchors(read(file)), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_option_and_command_exists(path: Path) -> None:
    """Those that are named in code, such as `replaylint show --context`."""
    known = set().union(*(options_of(*command) for command in [(), *((name,) for name in COMMANDS)]))
    code = "\n".join(re.findall(r"`([^`\n]+)`", read(path)))
    others = {"--anything", "--metamorphic"} if path == CONTRIBUTING else set()
    assert mentioned(code) <= known | others
    topics = {each.stem for each in GUIDE}
    assert set(re.findall(r"replaylint\s+help\s+([a-z]+)", read(path))) <= topics


def test_the_readme_has_at_most_200_lines() -> None:
    assert len(TEXT.splitlines()) <= 200


# The README


def test_the_two_commands_make_an_environment_install_and_run() -> None:
    first, record, last = blocks(TEXT, "sh")
    assert first.split(" && ")[:2] == ["python3 -m venv .venv", ".venv/bin/python -m pip install --quiet ."]
    assert last.strip().split(" && ") == [
        "python3 -m venv .venv",
        ".venv/bin/python -m pip install --quiet -e '.[test]'",
        ".venv/bin/python -m pytest",
    ]
    assert "my-agent" in record


def test_the_first_command_prints_what_the_readme_shows() -> None:
    program, *arguments = shlex.split(blocks(TEXT, "sh")[0].split(" && ")[-1])
    assert program == ".venv/bin/replaylint"
    result = run(*arguments, cwd=ROOT)
    shown = blocks(section(TEXT, "Run it"), "")[0]
    assert (result.returncode, result.stdout, result.stderr) == (1, shown, "")


INITIALIZE = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}'
INITIALIZED = '{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}'
LOAD = '{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s"}}'
LOADED = '{"jsonrpc":"2.0","id":1,"result":null}'
AGENT = f"read -r line; echo '{INITIALIZED}'; read -r line; echo '{LOADED}'"
"""It answers at once: the recorded times have to put each answer after its request all the same."""


@posix
@pytest.mark.parametrize("document", [README, GUIDE_OF["recording"]], ids=lambda path: path.name)
def test_the_script_in_place_of_an_agent_records_it(document: Path, tmp_path: Path) -> None:
    (script,) = [each for each in blocks(read(document), "sh") if "my-agent" in each]
    shell = Shell(tmp_path)
    shell.program(tmp_path / ".programs" / "my-agent", AGENT)
    shell.program(tmp_path / "record", script)
    answers = shell.run(f"printf '%s\\n' {shlex.quote(INITIALIZE)} {shlex.quote(LOAD)} | ./record")
    assert answers.splitlines() == [INITIALIZED, LOADED]
    (lint,) = re.findall(r"`(replaylint --client-file[^`]+)`", read(document))
    assert "session s, unmarked" in shell.run(lint)
    assert shell.status == 0
    report = report_of_file(client_file=tmp_path / "client.log", agent_file=tmp_path / "agent.log")
    assert (report["traces"][0]["timestamps"], report["traces"][0]["order"]) == ("wall", "exact")


@pytest.mark.parametrize("path", [README, GUIDE_OF["outcomes"]], ids=lambda path: path.name)
def test_every_outcome_is_explained(path: Path) -> None:
    assert [row[0] for row in table(read(path), "outcome")] == [f"`{outcome}`" for outcome in OUTCOMES]


@posix
def test_every_task_has_a_command_that_works(tmp_path: Path) -> None:
    tasks = {what: command.strip("`") for what, command in table(TEXT, "task")}
    assert len(tasks) == 6
    shell = Shell(tmp_path)
    statuses = []
    for command in tasks.values():
        assert "internal error" not in shell.run(command)
        statuses.append(shell.status)
    # The real recordings have findings, and so has the second side of the comparison.
    assert statuses == [0, 0, 0, 1, 1, 0]


def test_the_options_of_the_readme_are_options() -> None:
    rows = section(TEXT, "Options")
    assert len(mentioned(rows)) >= 15
    assert mentioned(rows) <= options_of()
    assert set(re.findall(r"`(\w+)`", table(TEXT, "option")[0][1])) == set(OUTPUTS)


def test_the_readme_names_every_topic_of_the_guide() -> None:
    assert re.findall(r"\]\(replaylint/guide/(\w+)\.md\)", TEXT) == [each.stem for each in GUIDE]


# Generated tables


def generated(path: Path, name: str, made: str) -> None:
    """The part of the document between its marks is this; REPLAYLINT_UPDATE_GOLDEN=1 writes it."""
    begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
    before, rest = read(path).split(begin)
    compared(path, before + begin + made + end + rest.split(end)[1])


def test_the_table_of_rules_is_what_the_rules_say() -> None:
    generated(documents.RULES, "rules", "".join(rulebook.table(entries(all_rules()))))


def test_the_table_of_formats_is_what_the_formats_say() -> None:
    generated(documents.FORMATS, "formats", formats.table([formats.entry(each) for each in every_format()]) + "\n")


# Samples

STORY = {
    "complete.ndjson": ["complete"],
    "complete-failed.ndjson": ["complete_failed"],
    "truncated-error.ndjson": ["truncated"],
    "truncated-closed.ndjson": ["truncated"],
    "cancelled.ndjson": ["truncated"],
    "unmarked.ndjson": ["unmarked"],
    "live-before-marker.ndjson": ["complete"],
    "vendor-event.ndjson": ["complete"],
    "children.ndjson": ["complete", "complete", "complete"],
    "child-without-marker.ndjson": ["complete", "unmarked"],
    "overlapping-replays.ndjson": ["complete", "complete"],
    "v1-load.ndjson": ["unmarked"],
    "claude-v1-load.ndjson": ["complete"],
}


def test_every_sample_is_listed_in_the_order_of_the_story() -> None:
    assert {path.name for path in (ROOT / "sample_traces").glob("*.ndjson")} == set(STORY)
    assert {path.stem for path in (ROOT / "sample_traces").glob("*.txt")} == {each[: -len(".ndjson")] for each in STORY}
    assert [row[0].strip("`") for row in table(read(SAMPLES), "recording")] == list(STORY)


@pytest.mark.parametrize("name", STORY)
def test_a_sample_shows_its_outcome(name: str) -> None:
    report = report_of_file(ROOT / "sample_traces" / name)
    assert [each["outcome"] for resume in report["resumes"] for each in resume["sessions"]] == STORY[name]


@pytest.mark.parametrize("name", STORY)
def test_a_sample_prints_what_is_beside_it(name: str) -> None:
    compared((ROOT / "sample_traces" / name).with_suffix(".txt"), run(f"sample_traces/{name}", cwd=ROOT).stdout)


def test_the_readme_is_right_about_the_real_agents() -> None:
    (gap,) = re.findall(r"`(\S+)` its history was complete after (\S+ ms), and its response came (\S+ s) later", TEXT)
    assert f"replay {gap[1]}, response gap {gap[2]}\n" in run("-f", "concise", gap[0], cwd=ROOT).stdout
    report = report_of_file(*sorted((ROOT / "sample_traces" / "real").iterdir()))
    markers = {each["marker"]["kind"] for resume in report["resumes"] for each in resume["sessions"] if each["marker"]}
    assert markers == {"air_load_replay_end"}
