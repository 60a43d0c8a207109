"""`ndjson`: what is streamed is what the whole report has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from orjson import loads

from replaylint.render.escape import harmless
from tests.command_line import run
from tests.conftest import ROOT
from tests.recordings import Recording, report_of_file

if TYPE_CHECKING:
    from pathlib import Path

RECORDINGS = sorted((ROOT / "sample_traces").glob("*.ndjson")) + sorted(
    (ROOT / "tests" / "rules").glob("*/fires.ndjson")
)


def lines_of(*arguments: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in run(*arguments).stdout.splitlines()]


def of_type(lines: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    found = [{key: line[key] for key in line if key != "type"} for line in lines if line["type"] == kind]
    return sorted(found, key=lambda each: json.dumps(each, sort_keys=True))


def test_a_stream_holds_what_the_report_holds() -> None:
    paths = [str(path) for path in RECORDINGS]
    lines = lines_of("-f", "ndjson", *paths)
    report = report_of_file(*RECORDINGS)
    for kind, name in (("resume", "resumes"), ("finding", "findings"), ("trace", "traces")):
        wanted = sorted(report[name], key=lambda each: json.dumps(each, sort_keys=True))
        assert of_type(lines, kind) == wanted
    (summary,) = of_type(lines, "summary")
    for name in ("resumes", "outcomes", "findings"):
        assert summary[name] == report["summary"][name]


def test_a_baseline_is_written_too(tmp_path: Path) -> None:
    path, baseline = str(ROOT / "sample_traces" / "live-before-marker.ndjson"), tmp_path / "baseline.json"
    assert run("-f", "ndjson", "--write-baseline", str(baseline), path).returncode == 0
    assert [each["rule"] for each in json.loads(baseline.read_bytes())["findings"]] == ["RL301"]
    (finding,) = of_type(lines_of("-f", "ndjson", "--baseline", str(baseline), path), "finding")
    assert finding["known"] is True


def test_a_wrong_option_is_refused_as_in_every_format() -> None:
    result = run("-f", "ndjson", "--max-gap", "", str(ROOT / "sample_traces" / "complete.ndjson"))
    assert (result.returncode, result.stdout) == (2, "")


@pytest.mark.parametrize("option", [["--max-gap", "1s"], ["--expect", "complete"], ["--budget", "max(total)<1s"]])
def test_what_needs_the_whole_report_is_in_it_too(option: list[str]) -> None:
    path = str(ROOT / "sample_traces" / "complete.ndjson")
    whole = json.loads(run("-f", "json", *option, path).stdout)
    lines = lines_of("-f", "ndjson", *option, path)
    assert of_type(lines, "finding") == sorted(whole["findings"], key=lambda each: json.dumps(each, sort_keys=True))


def test_rules_and_severities_are_those_that_are_wanted() -> None:
    path = str(ROOT / "sample_traces" / "live-before-marker.ndjson")
    assert of_type(lines_of("-f", "ndjson", "--ignore", "RL301", path), "finding") == []
    (finding,) = of_type(lines_of("-f", "ndjson", "--severity", "RL301=info", path), "finding")
    assert finding["severity"] == "info"
    assert run("-f", "ndjson", "--severity", "RL301=info", path).returncode == 0
    assert run("-f", "ndjson", path).returncode == 1


def test_a_finding_that_can_change_no_more_is_told_before_the_connection_ends(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").idle("s").message("s", "m").marker("s").idle("s").result(1, {})
    made.resume(2, "t").message("t", "m").marker("t").idle("t").result(2, {})
    path = tmp_path / "trace"
    path.write_bytes(b"\n".join(made.lines()) + b"\n")
    assert [each["type"] for each in lines_of("-f", "ndjson", str(path))] == [
        *("finding", "resume", "resume", "trace", "summary"),
    ]


def test_an_input_that_cannot_be_read_is_2() -> None:
    result = run("-f", "ndjson", "absent.ndjson")
    assert (result.returncode, result.stderr) == (2, "replaylint: absent.ndjson: no such file\n")
    assert [json.loads(line)["type"] for line in result.stdout.splitlines()] == ["trace", "summary"]


@pytest.mark.parametrize(
    "text", ["plain", "##[error]", "####", "\x7f\x9b31m", "\u202e\u2028", "\N{GRINNING FACE}", "é"]
)
def test_json_is_printable_ascii_with_the_same_value(text: str) -> None:
    written = harmless(json.dumps(text, ensure_ascii=False).encode())
    assert loads(written) == text
    assert all(0x20 <= byte < 0x7F for byte in written)
    assert b"##" not in written
