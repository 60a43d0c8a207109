"""The SARIF format: valid, within the limits of GitHub, and no text in it is a link."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from replaylint.render.escape import printable
from replaylint.render.sarif import FINGERPRINT, LEVELS, MAX_RESULTS, ROOT
from replaylint.report.model import Evidence
from replaylint.report.source_map import EvidenceElsewhere
from replaylint.rules import all_rules
from tests.reports import EVIL, ONE, finding, findings, rich
from tests.test_ci_formats import MARKUP, REPORTS, empty, every_rule, holding, hostile, without_findings
from tests.test_render import rendered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from replaylint.report.model import Finding, Report
    from tests.conftest import Packaged


def run_of(report: Report) -> dict[str, Any]:
    log = json.loads(rendered("sarif", report))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def result_of(found: Finding) -> dict[str, Any]:
    (result,) = run_of(holding(found))["results"]
    assert isinstance(result, dict)
    return result


def test_sarif_is_valid(packaged: Packaged) -> None:
    schema = packaged("npm", "@microsoft/jest-sarif@1.0.0-beta.0", "sarif-2.1.0-rtm.5.json")
    validator = jsonschema.Draft4Validator(json.loads(schema))
    for report in REPORTS.values():
        validator.validate(json.loads(rendered("sarif", report())))


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_results_point_at_their_rules(report: Callable[[], Report]) -> None:
    run = run_of(report())
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({result["ruleId"] for result in run["results"]})
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    fingerprints = [result["partialFingerprints"][FINGERPRINT] for result in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints)


def test_every_rule_is_described_as_github_takes_it() -> None:
    described = run_of(every_rule())["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in described] == [rule.code for rule in all_rules()]
    for rule in described:
        assert len(rule["name"]) <= 255
        for part in ("shortDescription", "fullDescription"):
            assert 0 < len(rule[part]["text"]) <= 1024
        assert rule["help"]["text"]
        assert rule["help"]["markdown"].startswith(f"## {rule['id']} {rule['name']}\n")
        assert rule["defaultConfiguration"]["level"] in LEVELS.values()
        assert re.fullmatch(r"https?://\S+[^\s.,)]", rule.get("helpUri", "https://example.org"))
    assert any("helpUri" in rule for rule in described)


def test_a_rule_of_another_version_needs_no_description() -> None:
    run = run_of(holding(dataclasses.replace(findings()[0], rule="RL999", name="to-come")))
    assert run["tool"]["driver"]["rules"] == []
    assert "ruleIndex" not in run["results"][0]
    assert run["results"][0]["ruleId"] == "RL999"


def test_a_result_says_what_was_found_where() -> None:
    some = findings()[0]
    some.evidence = [*some.evidence, EvidenceElsewhere(3, "response", "traces/two.ndjson")]
    result = result_of(some)
    assert result["level"] == "error"
    links = "[line 5](1) request, [line 10](2) marker, [line 3](3) of traces/two.ndjson response"
    assert result["message"] == {"text": f"{some.message} (evidence: {links})"}
    assert result["locations"] == [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": ONE, "uriBaseId": ROOT},
                "region": {"startLine": 6, "endLine": 9},
            }
        }
    ]
    assert [
        (
            each["id"],
            each["message"]["text"],
            each["physicalLocation"]["artifactLocation"]["uri"],
            each["physicalLocation"]["region"]["startLine"],
        )
        for each in result["relatedLocations"]
    ] == [(1, "request", ONE, 5), (2, "marker", ONE, 10), (3, "response", "traces/two.ndjson", 3)]
    assert result["properties"] == {
        "party": "agent",
        "count": 2,
        "connection": 1,
        "request_id": 1,
        "session_id": "sess_a",
    }
    assert "suppressions" not in result


def test_known_findings_are_suppressed() -> None:
    run = run_of(rich())
    assert [bool(result.get("suppressions")) for result in run["results"]] == [each.known for each in findings()]
    assert {each["kind"] for result in run["results"] for each in result.get("suppressions", ())} == {"external"}


def at(uri: str, line: int) -> list[Any]:
    region = {"startLine": line, "endLine": line}
    return [{"physicalLocation": {"artifactLocation": {"uri": uri, "uriBaseId": ROOT}, "region": region}}]


def test_a_result_has_a_file_and_a_line_in_any_case() -> None:
    assert result_of(finding("RL005", "info", "text", "two.ndjson", None))["locations"] == at("two.ndjson", 1)
    assert result_of(finding("RL301", "error", "text", None, None))["locations"] == at(ONE, 1)


def test_a_result_of_no_recording_at_all_has_no_place() -> None:
    report = dataclasses.replace(empty(), findings=[finding("RL301", "warning", "text", None, None)])
    (result,) = run_of(report)["results"]
    assert result["locations"] == []


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_github_can_show_every_result(report: Callable[[], Report]) -> None:
    for result in run_of(report())["results"]:
        (location,) = result["locations"]
        assert location["physicalLocation"]["region"]["startLine"] >= 1
        numbers = [str(each["id"]) for each in result["relatedLocations"]]
        assert numbers == [target for _, target in links(result["message"]["text"])]


def test_no_more_results_than_github_takes() -> None:
    found = [
        finding("RL301" if severity == "error" else "RL105", severity, f"{severity} {number}", ONE, number)
        for number in range(1, MAX_RESULTS // 3 + 2)
        for severity in ("info", "warning", "error")
    ]
    run = run_of(holding(*found[: MAX_RESULTS + 1]))
    results = [result["message"]["text"] for result in run["results"]]
    wanted = sorted(found[: MAX_RESULTS + 1], key=lambda each: ["error", "warning", "info"].index(each.severity))[
        :MAX_RESULTS
    ]
    assert results == [each.message for each in wanted]
    (invocation,) = run["invocations"]
    (said,) = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is True
    assert (said["level"], said["message"]["text"][:15]) == ("warning", "1 finding more;")
    numbers = {each["message"]["text"]: each["partialFingerprints"] for each in run["results"]}
    for each in found:
        each.known = each is not found[0]
    assert found[0].message in {result["message"]["text"] for result in run_of(holding(*found))["results"]}
    run = run_of(holding(*found[:MAX_RESULTS]))
    assert [result["message"]["text"] for result in run["results"]] == [each.message for each in found[:MAX_RESULTS]]
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    for result in run["results"][:100]:
        assert result["partialFingerprints"] == numbers[result["message"]["text"]]


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/c%d#e?f.ndjson", "a%20b/c%25d%23e%3Ff.ndjson"),
        ("./a//b", "a/b"),
        ("../a", "../a"),
        ("a:b", "a%3Ab"),
        ("-", "-"),
        ("\N{SNOWMAN}", "%E2%98%83"),
        (r"\xff", "%5Cxff"),
    ],
)
@pytest.mark.skipif(os.sep != "/", reason="paths of POSIX")
def test_a_relative_path_is_escaped(path: str, uri: str) -> None:
    (location,) = result_of(finding("RL301", "error", "text", path, 1))["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": uri, "uriBaseId": ROOT}


def test_an_absolute_path_is_a_uri_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a b"
    (location,) = result_of(finding("RL301", "error", "text", str(path), 1))["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {"uri": path.as_uri()}
    assert path.as_uri().startswith("file:///")


def test_what_could_not_be_read_is_a_notification() -> None:
    (invocation,) = run_of(rich())["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [
        (each["descriptor"]["id"], each["level"], each["message"]["text"])
        for each in invocation["toolExecutionNotifications"]
    ] == [("truncated", "error", printable(f"the data ends {EVIL}")), ("not-found", "error", "no such file")]
    (invocation,) = run_of(without_findings())["invocations"]
    assert invocation == {"executionSuccessful": True, "toolExecutionNotifications": []}


LINK = re.compile(r"\[([^\]]*)\]\(([^)]+)\)")
"""Broader than what SARIF has for a link, and what viewers look for:
https://github.com/microsoft/sarif-vscode-extension/blob/main/src/panel/widgets.tsx"""


def links(message: str) -> list[tuple[str, str]]:
    """The text and the target of each."""
    return LINK.findall(message)


BRACKETS = ["[", "]", "[a", "a]", "[[b]", "](", "[x](1", "(1)", "](9)", "[](", "\\", "\\]", "[a\\", r"\[a\](9)"]


@pytest.mark.parametrize("text", [*MARKUP, *BRACKETS], ids=ascii)
def test_the_only_links_in_a_message_are_ours(text: str) -> None:
    evidence = [Evidence(3, text), EvidenceElsewhere(10, text, text), Evidence(11, "marker")]
    alone = result_of(finding("RL301", "error", text, ONE, 1))["message"]["text"]
    assert links(alone) == []
    assert alone.replace(r"]\x28", "](").replace(r"\x5b", "[") == printable(text)
    message = result_of(finding("RL301", "error", text, ONE, 1, evidence=evidence))["message"]["text"]
    assert links(message) == [("line 3", "1"), ("line 10", "2"), ("line 11", "3")]
    assert message == (f"{alone} (evidence: [line 3](1) {alone}, [line 10](2) of {alone} {alone}, [line 11](3) marker)")


@pytest.mark.parametrize("payload", MARKUP, ids=ascii)
def test_ids_and_paths_come_as_they_are(payload: str) -> None:
    result = run_of(hostile(payload))["results"][0]
    assert result["properties"]["session_id"] == payload
    assert result["properties"]["request_id"] == payload
