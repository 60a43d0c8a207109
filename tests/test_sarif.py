"""The SARIF format: valid, within the limits of GitHub, and no text in it is a link."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from replaylint import lint
from replaylint.render.escape import printable
from replaylint.render.sarif import FINGERPRINT, GITHUB_FINGERPRINT, LEVELS, MAX_RESULTS, ROOT
from replaylint.report.model import Evidence
from replaylint.report.source_map import EvidenceElsewhere
from replaylint.rules import all_rules
from tests.recordings import Recording
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
    assert [rule["id"] for rule in rules] == [rule.code for rule in all_rules()]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    for kind in (FINGERPRINT, GITHUB_FINGERPRINT):
        fingerprints = [result["partialFingerprints"][kind] for result in run["results"]]
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
        properties = rule["properties"]
        assert properties["tags"][0] == "agent-client-protocol"
        level = rule["defaultConfiguration"]["level"]
        assert (properties["precision"], properties["problem.severity"]) == {
            "error": ("very-high", "error"),
            "warning": ("high", "warning"),
            "note": ("medium", "recommendation"),
        }[level]
    assert any("helpUri" in rule for rule in described)


def test_a_rule_of_another_version_needs_no_description() -> None:
    run = run_of(holding(dataclasses.replace(findings()[0], rule="RL999", name="to-come")))
    assert len(run["tool"]["driver"]["rules"]) == len(all_rules())
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


def test_a_run_says_what_it_is() -> None:
    run = run_of(rich())
    driver = run["tool"]["driver"]
    assert {name: driver[name] for name in ("name", "fullName", "version", "informationUri")} == {
        "name": "replaylint",
        "fullName": "replaylint 0.1.0",
        "version": "0.1.0",
        "informationUri": "https://agentclientprotocol.com/",
    }
    assert run["automationDetails"] == {"id": "replaylint/"}  # its inputs share no path
    assert set(run["originalUriBaseIds"]) == {ROOT}
    assert set(run["originalUriBaseIds"][ROOT]) == {"description"}  # no path of a machine


def test_known_findings_are_left_out_and_counted() -> None:
    run = run_of(rich())
    shown = [each.message for each in findings() if not each.known]
    assert [printable(each) for each in shown] == [
        re.sub(r" \(evidence: \[.*", "", result["message"]["text"]) for result in run["results"]
    ]
    (invocation,) = run["invocations"]
    assert invocation["toolExecutionNotifications"][-1] == {
        "descriptor": {"id": "known-findings"},
        "level": "note",
        "message": {"text": "not shown: 1 finding known from the baseline"},
    }


# What GitHub makes of fingerprints


def uploaded(report: Report) -> list[str]:
    """What GitHub knows each result by: its action keeps a hash that is there, and makes no other.

    https://github.com/github/codeql-action/blob/main/src/fingerprints.ts (`addFingerprints`) says so: it hashes the
    text at a result's first line only where the result has no `primaryLocationLineHash`.
    """
    return [result["partialFingerprints"]["primaryLocationLineHash"] for result in run_of(report)["results"]]


def test_github_knows_a_result_again_in_a_new_recording() -> None:
    def recorded(shift: int, ident: int, session_id: str) -> Report:
        facts = {"request_id": ident, "session_id": session_id}
        faults = (("RL301", 3, "a"), ("RL305", 3, "b"), ("RL301", 9, "a"))
        return holding(
            *(
                finding(rule, "error", f"{rule} of {ident}", ONE, line + shift, fingerprint=fault * 64, **facts)
                for rule, line, fault in faults
            )
        )

    first, second, third = uploaded(recorded(0, 1, "s"))
    assert uploaded(recorded(40, 7, "another")) == [first, second, third]
    assert len({first, second, third}) == 3
    assert (first.partition(":")[2], third) == ("1", first.removesuffix("1") + "2")
    assert all(re.fullmatch(r"[0-9a-f]{16}:[1-9][0-9]*", each) for each in (first, second, third))


def test_a_further_recording_and_a_baseline_change_no_fingerprint() -> None:
    found = [finding("RL301", "error", "text", path, 1) for path in (ONE, "two.ndjson", ONE, None)]
    whole = uploaded(holding(*found))
    assert len(set(whole)) == 4
    assert uploaded(holding(found[0], *found[2:])) == [whole[0], *whole[2:]]
    found[0].known = True
    assert uploaded(holding(*found)) == whole[1:]


def test_a_real_recording_made_again_has_its_fingerprints(tmp_path: Path) -> None:
    def made(start: float, ident: int, session_id: str) -> list[str]:
        recording = Recording(start).initialize_v2().resume(ident, session_id).message(session_id, "m")
        recording.update(session_id, "notice").idle(session_id).result(ident, {})
        path = tmp_path / "trace.ndjson"
        path.write_bytes(b"\n".join(recording.lines()) + b"\n")
        report = lint(path)
        assert len(report.findings) >= 1
        return uploaded(report)

    assert made(1764400000.0, 1, "s") == made(1764500000.5, 9, "another")


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
    ][:-1] == [("truncated", "error", printable(f"the data ends {EVIL}")), ("not-found", "error", "no such file")]
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
