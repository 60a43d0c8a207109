"""The GitLab format: a code quality report, and whose fingerprints stay."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from replaylint.render.escape import printable
from tests.reports import EVIL, HOSTILE, ONE, finding, findings, rich, traces
from tests.test_ci_formats import REPORTS, holding
from tests.test_render import rendered

if TYPE_CHECKING:
    from collections.abc import Callable

    from replaylint.report.model import Report


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
    of_others = [sha256(f"{path}\0{'f' * 64}") for path in ("two.ndjson", "-")]  # that of all has none
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
    ("path", "shown"), [(None, ONE), ("-", "-"), ("./a//b.ndjson", "a/b.ndjson"), ("../a", "../a"), ("/a b", "/a b")]
)
def test_gitlab_gets_a_path_and_a_line_in_any_case(path: str | None, shown: str) -> None:
    (entry,) = json.loads(rendered("gitlab", holding(finding("RL301", "error", "text", path, None))))
    assert entry["location"] == {"path": shown, "lines": {"begin": 1}}
