"""What settings may take away is said in every report that a person or CI reads."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest

from replaylint.render import FORMATS, renderer
from replaylint.render.escape import printable
from replaylint.render.suppressions import TELL_SETTINGS
from replaylint.render.view import View
from replaylint.report.model import SettingsUsed
from tests.command_line import run, saved
from tests.recordings import Recording
from tests.reports import EVIL, rich

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """\
ignore = ["RL201"]
fail-on = "never"
max-gap = "5s"

[[agent]]
name = "another"
ignore = "RL2"
reason = "is not here"
"""
TOLD = "ignore RL201; fail-on never; 1 exception"
LINE = f"settings of replaylint.toml: {TOLD}"

BESIDE = {"csv"}
"""Formats without a place for it: standard error says it."""


@pytest.fixture
def settled(tmp_path: Path) -> Path:
    """A folder with settings that hide RL201, and a recording `errors.ndjson` of it and of RL212."""
    saved(tmp_path, "errors.ndjson", Recording().initialize_v2().resume(1, "s").message("s", "m1").result(1, {}))
    (tmp_path / "replaylint.toml").write_text(TEXT)
    return tmp_path


def told(form: str, output: str) -> list[str]:
    """Where a format says it, what it says."""
    if form == "json":
        return [json.dumps(json.loads(output)["settings"])]
    if form == "ndjson":
        return [json.dumps(json.loads(output.splitlines()[-1])["settings"])]
    if form == "gitlab":
        return [each["description"] for each in json.loads(output) if each["check_name"] == "settings"]
    if form == "sarif":
        notified: list[Any] = json.loads(output)["runs"][0]["invocations"][0]["toolConfigurationNotifications"]
        return [each["message"]["text"] for each in notified]
    if form == "junit":
        properties = ET.fromstring(output).iter("property")  # noqa: S314  (it is our own)
        return [str(each.get("value")) for each in properties if each.get("name") == "settings"]
    return [line for line in output.splitlines() if "settings" in line.lower()]


FIELD = {"path": "replaylint.toml", "options": {"ignore": ["RL201"], "fail-on": ["never"]}, "exceptions": 1}
WHERE = {
    "text": [LINE],
    "concise": [f"replaylint.toml: settings: {TOLD}"],
    "json": [json.dumps(FIELD)],
    "ndjson": [json.dumps(FIELD)],
    "markdown": ["Settings of replaylint.toml: ignore RL201; fail-on never; 1 exception."],
    "github": [f"::notice file=replaylint.toml,title=replaylint settings::{LINE}"],
    "gitlab": [LINE],
    "junit": [LINE.removeprefix("settings ")],
    "sarif": [LINE],
    "csv": [],
}


def test_every_format_is_among_them() -> None:
    assert WHERE.keys() == set(FORMATS)
    assert WHERE.keys() - BESIDE - {"text", "concise"} == TELL_SETTINGS


@pytest.mark.parametrize("form", FORMATS)
def test_it_is_said(form: str, settled: Path) -> None:
    result = run("-f", form, "errors.ndjson", cwd=settled)
    assert result.returncode == 0
    assert told(form, result.stdout) == WHERE[form]
    assert result.stderr == (f"replaylint: {LINE}\n" if form in BESIDE else "")


@pytest.mark.parametrize("form", ["text", "concise", "markdown"])
def test_it_is_said_to_who_reads_findings_only(form: str, settled: Path) -> None:
    result = run("-q", "-f", form, "errors.ndjson", cwd=settled)
    if form == "markdown":
        assert (told(form, result.stdout), result.stderr) == (WHERE[form], "")
    else:
        assert (told(form, result.stdout), result.stderr) == ([], f"replaylint: {LINE}\n")


def test_it_is_said_with_statistics(settled: Path) -> None:
    assert told("text", run("--statistics", "errors.ndjson", cwd=settled).stdout) == [LINE]


def test_an_export_says_it_too(settled: Path) -> None:
    assert run("-q", "--export", "sarif=report.sarif", "errors.ndjson", cwd=settled).returncode == 0
    assert told("sarif", (settled / "report.sarif").read_text()) == [LINE]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--no-settings"], None),
        (["--ignore", "RL212", "--fail-on", "error"], "settings of replaylint.toml: 1 exception"),
        (["--fail-on", "info"], "settings of replaylint.toml: ignore RL201; 1 exception"),
    ],
)
def test_what_the_command_line_says_is_no_setting(arguments: list[str], line: str | None, settled: Path) -> None:
    result = run(*arguments, "errors.ndjson", cwd=settled)
    assert told("text", result.stdout) == ([] if line is None else [line])


@pytest.mark.parametrize("text", ["", 'fail-on = "error"\nselect = []', 'max-gap = "1s"\nexpect = "complete"'])
def test_what_takes_nothing_away_is_not_told(text: str, settled: Path) -> None:
    (settled / "replaylint.toml").write_text(text)
    result = run("-f", "json", "errors.ndjson", cwd=settled)
    assert json.loads(result.stdout)["settings"] is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('select = "RL4"', "select RL4"),
        ('severity = {RL2 = "info", RL201 = "warning"}', "severity RL2=info, RL201=warning"),
        ('fail-on = "warning"', "fail-on warning"),
        ('input-format = "envelope"', "input-format envelope"),
        ('max-line = "1MiB"', "max-line 1MiB"),
        ('ignore = ["RL1", "RL2", "RL3", "RL4", "RL5", "RL201", "RL6"]', None),
        (
            'ignore = ["RL1", "RL2", "RL3", "RL4", "RL301", "RL302", "RL201"]',
            "ignore RL1, RL2, RL3, RL4, RL301 and 2 more",
        ),
        (f'select = "{"RL1," * 100}RL2"', f"select {'RL1,' * 50}..."),
    ],
)
def test_each_that_may_take_away_is_told(text: str, line: str | None, settled: Path) -> None:
    (settled / "replaylint.toml").write_text(text)
    result = run("errors.ndjson", cwd=settled)
    assert told("text", result.stdout) == ([] if line is None else [f"settings of replaylint.toml: {line}"])


def test_a_baseline_of_settings_is_told(settled: Path) -> None:
    (settled / "replaylint.toml").write_text('baseline = "known.json"')
    run("--no-settings", "-q", "--write-baseline", "known.json", "errors.ndjson", cwd=settled)
    result = run("-f", "github", "errors.ndjson", cwd=settled)
    assert result.stdout == (
        "::notice file=replaylint.toml,title=replaylint settings::settings of replaylint.toml: baseline known.json\n"
    )


@pytest.mark.parametrize("form", sorted(TELL_SETTINGS - {"json", "ndjson", "markdown"} | {"text", "concise"}))
def test_what_it_holds_is_hostile(form: str) -> None:
    report = rich()
    report.settings = SettingsUsed(f"d/{EVIL}.toml", {"ignore": [EVIL]}, 0)
    output = "".join(
        piece if isinstance(piece, str) else piece.decode() for piece in renderer(form).render(report, View())
    )
    assert EVIL not in output
    (line, *_) = told(form, output) or [output]
    assert printable(EVIL).replace(r"#\x23", "##").split("##")[0] in line
