"""The README says what is: its rule table, its commands, its options."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from replaylint.analysis.lint import lint
from replaylint.recording.formats import every_format
from replaylint.render import formats, rulebook
from replaylint.render.concise import render
from replaylint.render.markdown import MAX_CHARS
from replaylint.render.view import View
from replaylint.replay.outcome import OUTCOMES
from replaylint.rules import all_rules
from replaylint.views.rulebook import entries
from replaylint.views.timeline import MAX_ENTRIES
from tests.conftest import ROOT
from tests.recordings import report_of_file
from tests.reports import UPDATE

if TYPE_CHECKING:
    from pathlib import Path

README = (ROOT / "README.md").read_text(encoding="utf-8")


def printed(*arguments: str, status: int = 0) -> str:
    """What the tool prints, whatever the locale here is."""
    command = [sys.executable, "-m", "replaylint", *arguments]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    run = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, cwd=ROOT, env=environment)
    assert run.returncode == status
    return run.stdout


def test_the_rule_table_is_what_the_rules_say() -> None:
    """REPLAYLINT_UPDATE_GOLDEN=1 writes it anew."""
    before, begin, table, end, after = re.split(r"(<!-- rules -->\n)(.*?)(<!-- end -->)", README, flags=re.DOTALL)
    wanted = "".join(rulebook.table(entries(all_rules())))
    if UPDATE in os.environ:
        (ROOT / "README.md").write_text(before + begin + wanted + end + after, encoding="utf-8", newline="\n")
    else:
        assert table == wanted


def test_the_table_of_formats_is_what_the_formats_say() -> None:
    found = re.search(r"<!-- formats -->\n(.*?)\n<!-- end of formats -->", README, re.DOTALL)
    assert found is not None
    assert found[1] == formats.table([formats.entry(each) for each in every_format()])


def test_every_outcome_is_explained() -> None:
    section = README.split("## Outcomes")[1].split("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(OUTCOMES)


def test_every_option_is_in_the_readme_and_in_the_help() -> None:
    run = subprocess.run([sys.executable, "-m", "replaylint", "--help"], capture_output=True, text=True, check=True)
    in_help = set(re.findall(r"^ +(?:-\w, )?(--[a-z-]+)", run.stdout, re.MULTILINE))
    assert in_help == set(re.findall(r"`(?:-\w`, `)?(--[a-z-]+)", README.split("## Use it")[1].split("\n## ")[0]))


def commands() -> list[str]:
    return [block.strip() for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL)]


def test_the_two_commands_make_an_environment_install_and_run() -> None:
    run, test = commands()
    assert run.split(" && ")[0] == test.split(" && ")[0] == "python3 -m venv .venv"
    assert run.split(" && ")[1] == ".venv/bin/python -m pip install --quiet ."
    assert test.split(" && ")[1] == ".venv/bin/python -m pip install --quiet -e '.[test]'"


def test_what_the_first_command_prints_stands_in_the_readme() -> None:
    program, *arguments = shlex.split(commands()[0].split(" && ")[-1])
    assert program == ".venv/bin/replaylint"
    assert f"```\n{printed(*arguments)}```" in README


def test_the_broken_sample_prints_what_the_readme_shows() -> None:
    path = "sample_traces/live-before-marker.ndjson"
    output = printed(path, status=1)
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    shown = [block for kind, block in blocks if not kind and "RL301" in block]
    assert len(shown) == 1
    assert shown[0] in output


def test_the_line_that_is_shown_looks_as_the_readme_shows() -> None:
    called = re.search(r"`replaylint (show sample_traces/[^`]+)` prints\n\n```\n(.*?)```", README, re.DOTALL)
    assert called is not None
    assert printed(*called[1].split()) == called[2]


def test_the_timeline_is_what_the_readme_shows() -> None:
    called = re.search(r"`replaylint (--timeline [^`]+)` prints\n\n```\n(.*?)```", README, re.DOTALL)
    assert called is not None
    assert printed(*called[1].split()) == called[2]
    assert f"more than {MAX_ENTRIES} lines" in README
    assert f"at most {MAX_CHARS:,} characters" in README


def test_the_extract_is_what_the_readme_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called = re.search(r"Of the (\d+) lines .*?`replaylint (extract [^`]+) -o (\S+)`\s+keeps (\d+)", README, re.DOTALL)
    shown = re.search(r"`replaylint (-f concise [^`]+)` prints[^`]*```\n(.*?)```", README, re.DOTALL)
    assert called is not None
    assert shown is not None
    extract = tmp_path / called[3]
    assert printed(*called[2].split(), "-o", str(extract)) == ""
    assert extract.read_bytes().count(b"\n") == int(called[4])
    assert (ROOT / called[2].split()[1]).read_bytes().count(b"\n") == int(called[1])
    monkeypatch.chdir(tmp_path)
    assert "".join(render(lint([called[3]]), View())) == shown[2]
    assert shown[1].split()[-1] == called[3]


def test_the_statistics_are_those_of_the_real_recordings() -> None:
    """What the README says of them in words, too."""
    called = re.search(r"`replaylint (--statistics \S+)` prints\n\n```\n(.*?)```", README, re.DOTALL)
    assert called is not None
    assert printed(*called[1].split(), status=1) == called[2]
    report = report_of_file(*sorted((ROOT / "sample_traces" / "real").iterdir()))
    replays = [each["sessions"][0]["timing"] for each in report["resumes"] if each["replaying"]]
    gaps = [each["response_gap_s"] for each in replays if each["response_gap_s"] is not None]
    pauses = [each["longest_pause_s"] for each in replays if each["longest_pause_s"] is not None]
    assert (len(pauses), sum(pause >= 0.05 for pause in pauses), max(pauses)) == (41, 1, 0.113038)
    assert (len(gaps), sum(gap < 3 for gap in gaps)) == (42, 38)
    claude = lint(ROOT / "sample_traces" / "real", group_by="agent").summary.groups[0]
    assert (claude.key, claude.timing["response_gap_s"].p50) == (
        "@agentclientprotocol/claude-agent-acp 0.101.0",
        0.289007,
    )
    assert sum(gap > 17 for gap in gaps) == 4


UTF8 = {**os.environ, "LC_ALL": "C.UTF-8", "PYTHONIOENCODING": "utf-8"}

SAMPLES = {
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
    names = {path.stem for path in (ROOT / "sample_traces").iterdir() if path.is_file()}
    assert names == {name.removesuffix(".ndjson") for name in SAMPLES}
    table = README.split("## Samples")[1].split("\n## ")[0]
    assert re.findall(r"^\| `([\w.-]+)` \|", table, re.MULTILINE) == list(SAMPLES)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_shows_its_outcome(name: str) -> None:
    report = report_of_file(ROOT / "sample_traces" / name)
    assert [each["outcome"] for resume in report["resumes"] for each in resume["sessions"]] == SAMPLES[name]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_prints_what_stands_beside_it(name: str) -> None:
    """REPLAYLINT_UPDATE_GOLDEN=1 writes it anew."""
    path = f"sample_traces/{name}"
    run = subprocess.run(
        [sys.executable, "-m", "replaylint", path], capture_output=True, check=False, cwd=ROOT, env=UTF8
    )
    beside = ROOT / path.replace(".ndjson", ".txt")
    if os.environ.get(UPDATE):
        beside.write_bytes(run.stdout)
    assert run.stdout.decode() == beside.read_text(encoding="utf-8")
