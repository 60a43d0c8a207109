"""Exceptions for an agent: whose findings they leave out, that these are counted, and what follows their date."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylint.analysis.lint import lint
from replaylint.errors import UnknownNameError, UsageError
from replaylint.policies.exceptions import exception
from replaylint.render import FORMATS
from replaylint.report.model import Peer
from tests.command_line import run, saved
from tests.profiles import profile
from tests.recordings import Message, Recording, found, report_of_file
from tests.test_schema import check

if TYPE_CHECKING:
    from pathlib import Path

EXCUSED: dict[str, Any] = {"name": "agent", "ignore": ["RL201"], "reason": "predates the marker"}


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two connections, of agents named agent and other: RL201 and RL212 on each."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").result(1, {})
    recording.initialize_v2(agent="other").resume(1, "t").message("t", "m1").result(1, {})
    return saved(tmp_path, "two.ndjson", recording)


def linted(path: Path, *exceptions: dict[str, Any], **options: Any) -> Message:
    report = report_of_file(path, exceptions=exceptions, **options)
    check(report)
    return report


def of(report: Message) -> list[tuple[str, int | None]]:
    return [(each["rule"], each["connection"]) for each in report["findings"]]


def counts(report: Message) -> list[int]:
    return [each["findings"] for each in report["exceptions"]]


# What they leave out


def test_they_leave_out_the_findings_of_one_agent(two: Path) -> None:
    every = [("RL201", 1), ("RL212", 1), ("RL201", 2), ("RL212", 2)]
    assert of(linted(two)) == every
    report = linted(two, EXCUSED)
    assert of(report) == every[1:]
    assert report["exceptions"] == [
        {
            "name": "agent",
            "version": None,
            "ignore": ["RL201"],
            "reason": "predates the marker",
            "until": None,
            "findings": 1,
            "expired": False,
        }
    ]
    assert report["summary"]["findings"]["error"] == 3


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        ("RL201", ["RL212"]),
        ("missing-marker", ["RL212"]),
        ("RL2", []),
        (["RL201", "RL212"], []),
        ("RL212, RL3", ["RL201"]),
        ("RL3", ["RL201", "RL212"]),
    ],
)
def test_rules_are_named_as_for_ignore(ignore: Any, left: list[str], two: Path) -> None:
    report = linted(two, {**EXCUSED, "ignore": ignore})
    assert [rule for rule, connection in of(report) if connection == 1] == left
    assert counts(report) == [2 - len(left)]


def test_what_is_not_reported_is_not_left_out(two: Path) -> None:
    assert counts(linted(two, EXCUSED, select="RL212")) == [0]
    assert counts(linted(two, EXCUSED, ignore="RL201")) == [0]
    assert counts(linted(two, {**EXCUSED, "ignore": "RL4"}, expect="complete")) == [1]


def test_a_finding_without_a_connection_is_that_of_the_only_agent(tmp_path: Path) -> None:
    path = saved(tmp_path, "none.ndjson", Recording().initialize_v2())
    assert found(linted(path)) == [("RL005", "info", 1)]
    assert found(linted(path, {**EXCUSED, "ignore": "RL005"})) == []


def test_a_finding_that_is_nobodys_stays(two: Path) -> None:
    everything = {**EXCUSED, "ignore": "RL"}
    report = linted(two, everything, {**everything, "name": "other"}, budget="max(total)<1ms")
    assert of(report) == [("RL404", None)]


def test_of_several_the_first_that_has_not_expired_counts(two: Path) -> None:
    old, valid, later = ({**EXCUSED, "until": until} for until in ("2026-01-01", "2026-03-01", "2027-01-01"))
    report = linted(two, old, valid, later, today="2026-02-01")
    assert counts(report) == [0, 1, 0]
    assert "RL407" not in [rule for rule, _ in of(report)]


@pytest.mark.parametrize("name", ["Agent", "agent ", "agen", "a.*", "agent 0.9"])
def test_a_name_is_exact(name: str, two: Path) -> None:
    assert counts(linted(two, {**EXCUSED, "name": name})) == [0]


def test_an_agent_without_a_name_has_none(tmp_path: Path) -> None:
    path = saved(tmp_path, "partial.ndjson", Recording().resume(1, "s").message("s", "m1").result(1, {}))
    assert counts(linted(path, {**EXCUSED, "ignore": "RL", "name": "None"})) == [0]


# Versions


@pytest.mark.parametrize(
    ("bounds", "inside", "outside"),
    [
        ("<0.120", ["0.99", "0.119.9", "0.0.1"], ["0.120", "0.120.0", "0.120.1", "1"]),
        ("<=0.120", ["0.120", "v0.120.0", "0.9"], ["0.120.1", "0.121"]),
        (">1", ["1.0.1", "2", "10.0"], ["1", "1.0.0", "0.9"]),
        (">= v1.2", ["1.2", "1.2.0", "1.10"], ["1.1.9", "0.99"]),
        ("==1.2", ["1.2", "1.2.0", "01.02", "v1.2"], ["1.2.1", "1.20", "1"]),
        ("!=1.2", ["1.2.1", "1"], ["1.2", "1.2.0"]),
        (">=0.9, <0.120, !=0.100", ["0.9", "0.119", "0.100.1"], ["0.8", "0.100", "0.120"]),
        ("<0.120", ["0.119.0-beta.3", "0.119 (nightly)"], ["0.120.0-beta.1", "0.120+build"]),
        ("<99999999999999999999999", ["99999999999999999999998", "9" * 22], ["9" * 10_000, "1" + "0" * 23]),
        (">=0", ["0", "7"], ["", "nightly", "-1", "\u0663", " 1", None]),
        ("!=1", ["2"], ["", "nightly", None]),
    ],
)
def test_versions_compare_number_by_number(bounds: str, inside: list[str], outside: list[str | None]) -> None:
    excused = exception({**EXCUSED, "version": bounds})
    assert [version for version in inside if not excused.covers(Peer("agent", version))] == []
    assert [version for version in outside if excused.covers(Peer("agent", version))] == []


def test_without_bounds_any_version_will_do() -> None:
    for version in ("1", "nightly", "", None):
        assert exception(EXCUSED).covers(Peer("agent", version))


@profile(100)
@given(st.lists(st.integers(0, 20), min_size=1, max_size=4), st.lists(st.integers(0, 20), min_size=1, max_size=4))
def test_versions_compare_as_lists_of_numbers(one: list[int], other: list[int]) -> None:
    padded = [each + [0] * (4 - len(each)) for each in (one, other)]
    texts = [".".join(map(str, each)) for each in (one, other)]
    for sign, wanted in (("<", padded[0] < padded[1]), ("==", padded[0] == padded[1]), (">=", padded[0] >= padded[1])):
        assert exception({**EXCUSED, "version": f"{sign}{texts[1]}"}).covers(Peer("agent", texts[0])) is wanted


# Dates


@pytest.mark.parametrize(
    ("until", "today", "expired"),
    [
        ("2026-03-01", "2026-02-28", False),
        ("2026-03-01", "2026-03-01", False),
        ("2026-03-01", "2026-03-02", True),
        (date(2026, 3, 1), date(2027, 1, 1), True),
        (date(2026, 3, 1), None, False),
        (None, "9999-12-31", False),
    ],
)
def test_after_its_date_it_holds_but_there_is_a_warning(until: Any, today: Any, expired: bool, two: Path) -> None:
    report = linted(two, {**EXCUSED, "until": until}, today=today, ignore="RL212")
    assert counts(report) == [1]
    assert report["exceptions"][0]["expired"] is expired
    assert report["exceptions"][0]["until"] == (None if until is None else str(until))
    warnings = [each for each in report["findings"] if each["rule"] == "RL407"]
    assert len(warnings) == expired
    for each in warnings:
        assert (each["trace"], each["line"], each["connection"], each["count"]) == (None, None, None, 1)
        assert (each["severity"], each["party"], each["evidence"]) == ("warning", "recording", [])


def test_one_that_leaves_nothing_out_is_no_matter(two: Path) -> None:
    report = linted(two, {**EXCUSED, "name": "third", "until": "2020-01-01"}, today="2026-01-01")
    assert [each["expired"] for each in report["exceptions"]] == [True]
    assert "RL407" not in [rule for rule, _ in of(report)]


def test_each_exception_has_a_fingerprint_of_its_own(two: Path) -> None:
    old = {**EXCUSED, "until": "2020-01-01"}
    given = [old, {**old, "ignore": "RL212"}, {**old, "name": "other"}]
    found = [each for each in linted(two, *given, today="2026-01-01")["findings"] if each["rule"] == "RL407"]
    assert len({each["fingerprint"] for each in found}) == len(found) == 3
    # A new date or reason is no new fault.
    other = linted(two, {**old, "until": "2021-01-01", "reason": "x"}, today="2026-01-01")["findings"]
    assert {each["fingerprint"] for each in other} & {each["fingerprint"] for each in found}


def test_it_is_a_rule_like_others(two: Path) -> None:
    old = {**EXCUSED, "until": "2020-01-01"}
    assert "RL407" not in [rule for rule, _ in of(linted(two, old, today="2026-01-01", ignore="RL407"))]
    report = linted(two, old, today="2026-01-01", severity="RL407=error")
    assert [each["severity"] for each in report["findings"] if each["rule"] == "RL407"] == ["error"]


# As a process


def test_the_settings_say_so(two: Path, tmp_path: Path) -> None:
    (tmp_path / "replaylint.toml").write_text(
        """\
select = ["RL201", "RL407"]
fail-on = "warning"
[[agent]]
name = "agent"
version = "<1"
ignore = ["RL201"]
reason = "predates the marker"
until = 2020-01-01
[[agent]]
name = "other"
ignore = ["RL2"]
reason = "is told: ::error::\\u001b[31m"
until = 9999-12-31
[[agent]]
name = "third"
ignore = ["RL2"]
reason = "never seen"
"""
    )
    result = run(two.name, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (1, "")
    warning = (
        "warning[RL407] expired-exception (recording): the exception for agent <1 ended on 2020-01-01, and still "
        "leaves out 1 finding of RL201 (predates the marker)\n"
        "  help: look whether the agent can be updated, and delete the exception or give it a new date "
        "(replaylint explain RL407)\n"
    )
    totals = (
        "\n1 recording, 2 resumes, 2 sessions: 2 unmarked\n0 errors, 1 warning, 0 info\n"
        "response gap over 2 replays: median 10.0 ms, longest 10.0 ms"
    )
    settled = (
        "\nsettings of replaylint.toml: select RL201, RL407; fail-on warning; 3 exceptions\n"
        "exception for agent <1: 1 finding of RL201 left out, until 2020-01-01, which has passed: predates the marker\n"
        "exception for other: 1 finding of RL2 left out, until 9999-12-31: is told: :\\x3aerror:\\x3a\\x1b[31m\n"
    )
    assert warning in result.stdout
    assert totals in result.stdout
    assert settled in result.stdout
    assert "third" not in result.stdout
    report = json.loads(run("-f", "json", two.name, cwd=tmp_path).stdout)
    check(report)
    assert counts(report) == [1, 1, 0]
    assert run("--fail-on", "error", two.name, cwd=tmp_path).returncode == 0
    assert "exception" not in run("-q", "--ignore", "RL407", two.name, cwd=tmp_path).stdout


def test_every_format_or_standard_error_tells_it(two: Path, tmp_path: Path) -> None:
    (tmp_path / "replaylint.toml").write_text(
        """\
agent = [
  {name = "agent", ignore = "RL2", reason = "@all [x](y) ::error::", until = 2020-01-01},
  {name = "other", version = "<1", ignore = "RL201", reason = "its vendor is told"},
  {name = "third", ignore = "RL2", reason = "never seen"},
]
ignore = ["RL407"]
"""
    )
    for form in FORMATS:
        for quiet in ([], ["-q"]):
            result = run("-f", form, *quiet, two.name, cwd=tmp_path)
            assert result.returncode == 1
            settings = "replaylint: settings of replaylint.toml: ignore RL407; 3 exceptions\n"
            left_out = "replaylint: left out by exceptions: 2 findings of agent, 1 finding of other <1\n"
            if form in {"json", "markdown"} or (form == "text" and not quiet):
                assert result.stderr == ""
                assert "its vendor is told" in result.stdout
            elif form == "concise" and quiet:
                assert result.stderr == settings + left_out
            else:
                assert result.stderr == (settings + left_out if form in {"csv", "text"} else left_out)
    assert run("-f", "markdown", two.name, cwd=tmp_path).stdout.endswith(
        "\nException for agent: 2 findings of RL2 left out, until 2020-01-01, which has passed: `@all` `[x](y)` "
        r"`:\x3aerror:\x3a`."
        "\n\nException for other `<1`: 1 finding of RL201 left out: its vendor is told.\n"
    )


# What is wrong


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": None}, "name has to be a text"),
        ({"name": " "}, "name has to be a text"),
        ({"name": 3}, "name has to be a text"),
        ({"reason": ""}, "reason has to be a text"),
        ({"ignore": []}, "ignore has to name rules"),
        ({"ignore": ""}, "ignore has to name rules"),
        ({"ignore": [3]}, "ignore has to name rules"),
        ({"ignore": "RL999"}, "there is no rule 'RL999'"),
        ({"ignore": "missing-maker"}, "did you mean missing-marker?"),
        ({"version": 1.2}, "version has to be a text"),
        ({"version": ""}, "version has to be a text"),
        ({"version": "1.2"}, "version: '1.2' is not a bound"),
        ({"version": "<1,"}, "version: '' is not a bound"),
        ({"version": "~=1.2"}, "version: '~=1.2' is not a bound"),
        ({"version": "<1.x"}, "version: '<1.x' is not a bound"),
        ({"version": "<1.2-beta"}, "version: '<1.2-beta' is not a bound"),
        ({"version": "<\u0663"}, "is not a bound"),
        ({"until": "soon"}, "until has to be a date, such as 2027-03-01"),
        ({"until": "20270301"}, "until has to be a date"),
        ({"until": "2027-W01-1"}, "until has to be a date"),
        ({"until": datetime(2027, 3, 1)}, "until has to be a date"),
        ({"until": 2027}, "until has to be a date"),
        ({"vesion": "<1"}, "there is no key 'vesion'; did you mean version?"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], words: str) -> None:
    with pytest.raises((UsageError, TypeError)) as error:
        lint("absent", exceptions=[{**EXCUSED, **change}])
    assert words in str(error.value)
    assert isinstance(error.value, UnknownNameError) is str(error.value).startswith("there is no ")


@pytest.mark.parametrize("key", ["name", "ignore", "reason"])
def test_what_is_missing_is_said(key: str) -> None:
    with pytest.raises(UsageError, match=f"{key} is missing"):
        exception({name: value for name, value in EXCUSED.items() if name != key})


def test_today_is_a_date() -> None:
    with pytest.raises(UsageError, match="today has to be a date"):
        lint("absent", exceptions=[EXCUSED], today="tomorrow")
    wrong: Any = ["RL201"]
    with pytest.raises(TypeError, match="has to be a table"):
        lint("absent", exceptions=wrong)
