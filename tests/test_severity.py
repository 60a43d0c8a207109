"""`--severity`: other severities than the rules give, for exit statuses, outputs and programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from replaylint import Linter, lint
from replaylint.errors import UnknownNameError, UsageError
from replaylint.testing import assert_replay
from tests.command_line import assert_refused, run, saved
from tests.recordings import Message, Recording, found
from tests.test_schema import check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from replaylint import Report


@pytest.fixture
def errors(tmp_path: Path) -> Path:
    """RL201 and RL212, both errors, at line 5."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").result(1, {})
    return saved(tmp_path, "errors.ndjson", recording)


def severities(report: Message) -> dict[str, str]:
    return {rule: severity for rule, severity, _ in found(report)}


@pytest.mark.parametrize(
    ("options", "missing_marker", "missing_snapshot"),
    [
        ([], "error", "error"),
        (["RL201=warning"], "warning", "error"),
        (["rl201=WARNING"], "warning", "error"),
        (["missing-marker=info"], "info", "error"),
        (["Missing-Marker = info "], "info", "error"),
        (["RL201=warning,RL212=info"], "warning", "info"),
        (["RL201=warning", "RL212=info"], "warning", "info"),
        (["RL2=info"], "info", "info"),
        (["RL=warning"], "warning", "warning"),
        (["RL2=info,RL201=error"], "error", "info"),
        (["RL201=error,RL2=info"], "info", "info"),
        (["RL201=warning", "RL201=info"], "info", "error"),
        (["RL201=info,RL201=warning"], "warning", "error"),
        ([" RL201=info , RL212=info ,"], "info", "info"),
        (["RL3=info"], "error", "error"),
    ],
)
def test_the_last_one_that_names_a_rule_counts(
    options: list[str], missing_marker: str, missing_snapshot: str, errors: Path
) -> None:
    wanted = {"RL201": missing_marker, "RL212": missing_snapshot}
    result = run("-f", "json", errors, *(f"--severity={option}" for option in options))
    report = json.loads(result.stdout)
    check(report)
    assert result.stderr == ""
    assert severities(report) == wanted
    counts = {level: list(wanted.values()).count(level) for level in ("error", "warning", "info")}
    assert report["summary"]["findings"] == counts
    assert result.returncode == int("error" in wanted.values())
    by_program = lint(errors, severity=options)
    assert {each.rule: each.severity for each in by_program.findings} == wanted


@pytest.mark.parametrize(
    ("severity", "failing"),
    [("error", {"error", "warning", "info"}), ("warning", {"warning", "info"}), ("info", {"info"})],
)
@pytest.mark.parametrize("level", ["error", "warning", "info", "never"])
def test_fail_on_takes_it_into_account(severity: str, failing: set[str], level: str, errors: Path) -> None:
    result = run(errors, "--severity", f"RL2={severity}", "--fail-on", level)
    assert (result.returncode, result.stderr) == (int(level in failing), "")


def test_every_format_shows_it(errors: Path) -> None:
    for form, shown in (("text", "[{}]"), ("concise", " {}")):
        output = run("-f", form, errors, "--severity", "RL201=info").stdout
        assert f"info{shown.format('RL201')} missing-marker" in output
        assert f"error{shown.format('RL212')}" in output
    assert "1 error, 0 warnings, 1 info" in run(errors, "--severity", "RL201=info").stdout
    quiet = run("-q", errors, "--severity", "RL201=info", "--select", "RL201").stdout
    assert quiet.startswith(f"{errors}:5: info RL201")


def test_an_outcome_that_is_not_expected_can_be_a_warning(errors: Path) -> None:
    result = run("-f", "json", errors, "--expect", "complete", "--select", "RL4", "--severity", "RL406=warning")
    assert result.returncode == 0
    assert severities(json.loads(result.stdout)) == {"RL406": "warning"}


@pytest.mark.parametrize("severity", [None, "RL209=info", "RL209=error", "RL105=error", "RL105=error,RL209=info"])
def test_what_is_silenced_stays_silenced(severity: str | None, tmp_path: Path) -> None:
    """RL105 is silent where RL209 warns of the same request."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").meta("end")
    report = lint(saved(tmp_path, "cut.ndjson", recording), severity=severity, closed=True)
    assert [each.rule for each in report.findings] == ["RL209"]


def test_what_is_not_silenced_does_not_become_so(tmp_path: Path) -> None:
    """RL209 is only info, and no reason for RL105 to be silent, whatever it is called."""
    recording = Recording().initialize_v2().resume(1, "s")
    path = saved(tmp_path, "cut.ndjson", recording)
    plain = {each.rule: each.severity for each in lint(path, closed=True).findings}
    assert plain == {"RL105": "warning", "RL209": "info"}
    raised = {each.rule: each.severity for each in lint(path, closed=True, severity="RL209=error").findings}
    assert raised == {"RL105": "warning", "RL209": "error"}


WRONG: list[tuple[Any, str]] = [
    ("RL999=info", "there is no rule 'RL999'"),
    ("missing-maker=info", "there is no rule 'missing-maker'; did you mean missing-marker?"),
    ("RL201=info,RL2012=error", "there is no rule 'RL2012'; did you mean RL2"),
    ("RL201=warn", "there is no severity 'warn'; did you mean warning?"),
    ("RL201=fatal", "there is no severity 'fatal'"),
    ("RL201=", "there is no severity ''"),
    ("=info", "there is no rule ''"),
    ("RL201", "'RL201' says no severity: it has to be RULE=LEVEL, such as RL301=info"),
    ("RL201:info", "'RL201:info' says no severity"),
    ("", "'' says no severity"),
    ("RL201=info,,RL212=info", "'' says no severity"),
    ("RL201=info=error", "there is no severity 'info=error'"),
]


@pytest.mark.parametrize(("severity", "words"), WRONG)
def test_a_wrong_one_is_2(severity: str, words: str, errors: Path) -> None:
    assert_refused(run(errors, "--severity", severity), words)


def test_it_has_to_say_something(errors: Path) -> None:
    assert_refused(run(errors, "--severity"), "--severity")
    assert "\x1b" not in run(errors, "--severity", "\x1b[31m::x=info").stderr


# Programs


def fed(path: Path, **options: Any) -> Report:
    linter = Linter(**options)
    for line in path.read_bytes().splitlines():
        record = json.loads(line)
        linter.feed("client" if record["dir"] == "c2a" else "agent", record["msg"])
    return linter.finish()


PROGRAMS: list[Callable[..., Report]] = [lint, fed]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize(
    "severity",
    [
        "RL201=warning,RL212=info",
        ["RL201=warning", "RL212=info"],
        ("RL2=info,RL201=warning",),
        {"RL201": "warning", "missing-state-snapshot": "INFO"},
        {"RL2": "info", "RL201": " warning "},
        {"RL201,RL212": "info", "rl201": "warning"},
    ],
    ids=str,
)
def test_texts_and_mappings(severity: Any, program: Callable[..., Report], errors: Path) -> None:
    report = program(errors, severity=severity)
    assert [(each.rule, each.severity) for each in report.findings] == [("RL201", "warning"), ("RL212", "info")]
    assert report.summary.findings == {"error": 0, "warning": 1, "info": 1}


@pytest.mark.parametrize("severity", [None, [], {}, "RL3=info"], ids=str)
def test_nothing_to_change(severity: Any, errors: Path) -> None:
    assert {each.severity for each in lint(errors, severity=severity).findings} == {"error"}


@pytest.mark.parametrize(("severity", "words"), WRONG)
def test_a_wrong_one_is_told_before_anything_is_read(severity: str, words: str) -> None:
    for call in (lambda: lint("absent", severity=severity), lambda: Linter(severity=severity)):
        with pytest.raises(UsageError) as raised:
            call()
        assert words in str(raised.value)
    with pytest.raises(UnknownNameError, match="did you mean warning"):
        lint("absent", severity={"RL201": "warnin"})
    with pytest.raises(UnknownNameError, match="no rule 'RL999'"):
        Linter(severity={"RL999": "info"})


@pytest.mark.parametrize("severity", [7, [7], b"RL201=info", {"RL201": 1}, {"RL201": None}, {7: "info"}], ids=str)
def test_a_severity_is_text(severity: Any) -> None:
    for call in (lambda: lint("absent", severity=severity), lambda: Linter(severity=severity)):
        with pytest.raises(TypeError):
            call()


def test_an_assertion_counts_it(errors: Path) -> None:
    outcomes = "unmarked"
    with pytest.raises(AssertionError, match="RL212"):
        assert_replay(lint(errors, severity="RL201=info"), outcomes=outcomes)
    assert_replay(lint(errors, severity="RL2=warning"), outcomes=outcomes)


def test_the_fingerprint_stays(errors: Path) -> None:
    plain, changed = (lint(errors, severity=severity).findings for severity in (None, "RL=info"))
    assert [each.fingerprint for each in plain] == [each.fingerprint for each in changed]
