"""The shared scenarios hold, and what they show does not depend on ids or on the name of the file."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from replaylint.rules import all_rules
from tests.conftest import ROOT
from tests.recordings import Message, found, report_of_file

if TYPE_CHECKING:
    from pathlib import Path

SHARED = ROOT.parent / "shared"
SUFFIX = ".expect.json"
CODES = {rule.code for rule in all_rules()}
GAP_TOLERANCE_S = 0.002
RENAMED = 1000


def scenarios(*folders: str) -> list[str]:
    """The scenarios in these folders; one that is not there where there are no folders, so that a test says so."""
    paths = (path for folder in folders for path in (SHARED / folder).glob(f"*{SUFFIX}"))
    return sorted(path.relative_to(SHARED).as_posix().removesuffix(SUFFIX) for path in paths) or ["none"]


CORPUS = scenarios("corpus")


def recording_of(shared: Path, scenario: str) -> Path:
    folder, _, name = scenario.rpartition("/")
    if (shared / scenario).is_file():  # the name of the file, with its ending
        return shared / scenario
    return next(path for path in sorted((shared / folder).glob(f"{name}.*")) if not path.name.endswith(SUFFIX))


def expected_rules(expected: Message) -> set[str]:
    rules = {rule for rule, *_ in (*(expected["findings"] or ()), *expected.get("must", ()))}
    return rules | set(expected.get("must_rules", ()))


def compare_session(facts: Message | None, wanted: Message) -> None:
    assert facts is not None
    assert facts["outcome"] == wanted["outcome"]
    if "marker_line" in wanted:
        assert (facts["marker"] or {"line": None})["line"] == wanted["marker_line"]
    if "response_gap_s" in wanted:
        gap = wanted["response_gap_s"]
        near = None if gap is None else pytest.approx(gap, abs=GAP_TOLERANCE_S, rel=0)
        assert facts["timing"]["response_gap_s"] == near


def compare_resumes(resumes: list[Message], wanted: list[Message]) -> None:
    assert [each["request_id"] for each in resumes] == [each["request_id"] for each in wanted]
    assert [each["end"] for each in resumes] == [each["end"] for each in wanted]
    for resume, expected in zip(resumes, wanted, strict=True):
        sessions = {each["session_id"]: each for each in resume["sessions"]}
        named = {name: facts for name, facts in expected["sessions"].items() if name != "*"}
        for name, facts in named.items():
            compare_session(sessions.get(name), facts)
        assert "*" in expected["sessions"] or sessions.keys() == named.keys()


def compare_findings(report: Message, expected: Message) -> None:
    grave = found(report, least="warning")
    if expected["findings"] is not None:
        assert Counter(grave) == Counter(map(tuple, expected["findings"]))
    if "must_rules" in expected:
        assert sorted({rule for rule, *_ in grave}) == expected["must_rules"]
    places = {(rule, line) for rule, _, line in found(report)}
    assert {tuple(each) for each in expected.get("must", ())} <= places
    assert not {rule for rule, *_ in grave} & set(expected.get("must_not", ()))


@pytest.mark.parametrize("scenario", scenarios("corpus", "traces/real", "traces/formats/more"))
def test_a_scenario_holds(shared: Path, scenario: str) -> None:
    expected = json.loads((shared / f"{scenario}{SUFFIX}").read_text(encoding="utf-8"))
    assert "options" not in expected
    report = report_of_file(recording_of(shared, scenario))
    assert [each["error"] for each in report["traces"]] == [None]
    if expected["resumes"] is not None:
        compare_resumes(report["resumes"], expected["resumes"])
    if expected_rules(expected) <= CODES:
        compare_findings(report, expected)


def substance(report: Message) -> tuple[list[Any], list[Any]]:
    """What a report says, without ids, names and words."""
    findings = [(line, rule, severity) for rule, severity, line in found(report)]
    resumes = [
        (
            resume["request"],
            resume["response"] and resume["response"]["line"],
            resume["end"],
            resume["ambiguous"],
            [
                [each[key] for key in ("role", "announced_line", "was_active", "outcome", "certified_by", "marker")]
                + [each["updates"]["by_kind"], each["timing"]]
                for each in resume["sessions"]
            ],
        )
        for resume in report["resumes"]
    ]
    return sorted(findings), resumes


ID_KEYS = {"id", "requestId", "sessionId", "subagentSessionId", "messageId", "toolCallId"}


def other(ident: object) -> object:
    """Another id of the same JSON type, and the number for a number that is written as a text."""
    if isinstance(ident, str):
        return str(int(ident) + RENAMED) if ident.isdecimal() else f"other {ident}"
    return ident + RENAMED if type(ident) in {int, float} else ident  # type: ignore[operator]


def renamed(value: object) -> object:
    """The same message with every session, request, message and tool call named otherwise."""
    if isinstance(value, list):
        return [renamed(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: other(each) if key in ID_KEYS else renamed(each) for key, each in value.items()}


def renamed_line(line: bytes) -> bytes:
    """The line with its ids renamed; one that is no JSON, or is cut, as it is."""
    try:
        record = json.loads(line)
    except ValueError:
        return line
    return json.dumps(renamed(record), ensure_ascii=False).encode()


@pytest.mark.parametrize("scenario", CORPUS)
def test_ids_do_not_matter(shared: Path, scenario: str, tmp_path: Path) -> None:
    path = recording_of(shared, scenario)
    lines = path.read_bytes().split(b"\n")
    others = [renamed_line(line) for line in lines]
    assert others != lines
    copy = tmp_path / "others.ndjson"
    copy.write_bytes(b"\n".join(others))
    before, after = report_of_file(path), report_of_file(copy)
    assert substance(after) == substance(before)
    old = [resume["request_id"] for resume in before["resumes"]]
    assert [resume["request_id"] for resume in after["resumes"]] == [other(each) for each in old]


@pytest.mark.parametrize("scenario", CORPUS)
def test_the_name_of_the_file_does_not_matter(shared: Path, scenario: str, tmp_path: Path) -> None:
    path = recording_of(shared, scenario)
    copy = tmp_path / "другое имя.txt"
    copy.write_bytes(path.read_bytes())
    before, after = report_of_file(path), report_of_file(copy)
    assert {each["trace"] for each in (*after["resumes"], *after["findings"])} <= {after["traces"][0]["path"]}
    assert without_path(after) == without_path(before)


def without_path(value: object) -> object:
    """The same report without the name of the file."""
    if isinstance(value, list):
        return [without_path(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: without_path(each) for key, each in value.items() if key not in {"path", "trace"}}
