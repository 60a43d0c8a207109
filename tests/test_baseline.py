"""Baselines: what is known does not fail, what is new or graver does, and what no longer occurs is told."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps

from replaylint import __version__
from replaylint.analysis.lint import lint
from replaylint.errors import UsageError
from replaylint.policies.known import accept, load
from replaylint.render import FORMATS as FORMATS_OF_ALL
from tests.command_line import (
    FORMATS,
    SECONDS,
    TOOL,
    assert_one_line,
    assert_refused,
    environment,
    run,
    saved,
    shell,
)
from tests.profiles import profile
from tests.recordings import Message, Recording
from tests.reports import ONE, finding, rich
from tests.strategies import json_values
from tests.test_schema import check

if TYPE_CHECKING:
    from tests.command_line import Result


def made(*faults: str, agent: str = "agent") -> Recording:
    """A replay for each of these faults."""
    recording = Recording().initialize_v2(agent=agent)
    for number, fault in enumerate(faults, 1):
        session = f"s{number}"
        recording.resume(number, session).message(session, "m1")
        if fault == "live":
            recording.update(session, "notice")
        if fault != "unmarked":
            recording.marker(session)
        recording.idle(session).result(number, {})
    return recording


@pytest.fixture
def unmarked(tmp_path: Path) -> Path:
    """RL201 twice."""
    return saved(tmp_path, "unmarked.ndjson", made("unmarked", "", "unmarked"))


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """RL301 and RL201."""
    return saved(tmp_path, "live.ndjson", made("live", "unmarked"))


@pytest.fixture
def known(unmarked: Path, tmp_path: Path) -> Path:
    """A baseline with RL201."""
    path = tmp_path / "known.json"
    assert run(unmarked, "--write-baseline", path).returncode == 0
    return path


def content(path: Path) -> Message:
    found: Message = json.loads(path.read_text(encoding="utf-8"))
    return found


def rules(path: Path) -> list[tuple[str, int]]:
    return [(each["rule"], each["count"]) for each in content(path)["findings"]]


def report(result: Result) -> Message:
    found: Message = json.loads(result.stdout)
    check(found)
    return found


# The file


def test_the_file(unmarked: Path, known: Path) -> None:
    finding = lint(unmarked).findings[0]
    assert content(known) == {
        "schema_version": 1,
        "tool": {"name": "replaylint", "version": __version__},
        "findings": [
            {
                "fingerprint": finding.fingerprint,
                "rule": "RL201",
                "name": "missing-marker",
                "severity": "error",
                "party": "agent",
                "count": 2,
            }
        ],
    }
    assert known.read_bytes().endswith(b"}\n")


def test_entries_are_sorted_and_one_a_fingerprint(live: Path, unmarked: Path, tmp_path: Path) -> None:
    files = []
    for number, order in enumerate([[live, unmarked], [unmarked, live]]):
        files.append(tmp_path / f"{number}.json")
        assert run(*order, "--write-baseline", files[-1]).returncode == 0
    assert rules(files[0]) == [("RL201", 3), ("RL301", 1)]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("order", [("info", "error", "warning"), ("error", "info", "info"), ("info", "error", "info")])
def test_an_entry_is_as_grave_as_the_gravest(order: tuple[str, ...]) -> None:
    report = rich()
    report.findings = [finding("RL201", severity, "again", ONE, line) for line, severity in enumerate(order, 1)]
    (found,) = json.loads(accept(report, "known.json"))["findings"]
    assert (found["severity"], found["count"]) == ("error", 3)
    assert all(each.known for each in report.findings)


# What is known


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_known_does_not_fail(form: str, unmarked: Path, known: Path) -> None:
    result = run("-f", form, unmarked, "--baseline", known)
    assert (result.returncode, result.stderr) == (0, "")
    assert "RL201" in result.stdout
    assert "known" in result.stdout


def test_what_is_known_is_counted(unmarked: Path, known: Path) -> None:
    found = report(run("-f", "json", unmarked, "--baseline", known, "--group-by", "session"))
    assert [each["known"] for each in found["findings"]] == [True, True]
    assert found["summary"]["findings"] == {"error": 2, "warning": 0, "info": 0}
    assert found["summary"]["known"] == 2
    assert {each["key"]: each["known"] for each in found["summary"]["groups"]} == {"s1": 1, "s2": 0, "s3": 1}
    assert found["baseline"] == {"path": str(known), "known": 2, "gone": []}


def test_without_one_nothing_is_known(unmarked: Path) -> None:
    found = report(run("-f", "json", unmarked))
    assert (found["summary"]["known"], found["baseline"]) == (0, None)


def test_what_is_new_fails(live: Path, known: Path) -> None:
    result = run("-f", "json", live, "--baseline", known)
    assert result.returncode == 1
    assert {each["rule"]: each["known"] for each in report(result)["findings"]} == {"RL201": True, "RL301": False}


def test_what_is_graver_fails(unmarked: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    assert run(unmarked, "--severity", "RL201=info", "--write-baseline", file).returncode == 0
    assert content(file)["findings"][0]["severity"] == "info"
    for severity, status in (("info", 0), ("warning", 1), ("error", 1)):
        result = run(unmarked, "--severity", f"RL201={severity}", "--fail-on", "info", "--baseline", file)
        assert result.returncode == status
        assert ("known from the baseline" in result.stdout) is not bool(status)


def test_what_is_less_grave_is_known(unmarked: Path, known: Path) -> None:
    result = run(unmarked, "--severity", "RL201=info", "--fail-on", "info", "--baseline", known)
    assert result.returncode == 0


def test_it_survives_a_new_recording(known: Path, tmp_path: Path) -> None:
    other = Recording(start=5.0).initialize_v2().idle("x").resume("other", "t").message("t", "m").idle("t")
    path = saved(tmp_path, "other.ndjson", other.result("other", {}))
    assert run(path, "--select", "RL201").returncode == 1
    assert run(path, "--select", "RL201", "--baseline", known).returncode == 0


@pytest.mark.parametrize("form", ["github", "gitlab", "junit", "sarif"])
def test_formats_for_ci_do_not_fail_for_it(form: str, unmarked: Path, known: Path) -> None:
    before, after = run("-f", form, unmarked).stdout, run("-f", form, unmarked, "--baseline", known).stdout
    failure = {"github": "::error", "gitlab": '"critical"', "junit": "<failure", "sarif": '"ruleId"'}[form]
    assert failure in before
    assert failure not in after


# What no longer occurs


def entries(path: Path, *options: str | Path) -> list[str]:
    found = report(run("-f", "json", path, *options))
    return [each["rule"] for each in found["baseline"]["gone"]]


def test_what_no_longer_occurs_is_told(live: Path, unmarked: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    run(live, "--write-baseline", file)
    result = run(unmarked, "--baseline", file)
    assert result.returncode == 0
    assert f"\nbaseline {file}: 2 findings known; 1 entry no longer occurs: RL301 live-before-marker\n" in result.stdout
    assert entries(unmarked, "--baseline", file) == ["RL301"]
    assert entries(live, "--baseline", file) == []
    gone = report(run("-f", "json", unmarked, "--baseline", file))["baseline"]["gone"]
    assert gone == [each for each in content(file)["findings"] if each["rule"] == "RL301"]


def test_nobody_knows_that_of_rules_that_are_not_reported(live: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    clean = saved(tmp_path, "clean.ndjson", made(""))
    run(live, "--write-baseline", file)
    assert entries(clean, "--baseline", file) == ["RL201", "RL301"]
    assert entries(clean, "--baseline", file, "--select", "RL2") == ["RL201"]
    assert entries(clean, "--baseline", file, "--ignore", "RL2") == ["RL301"]


def test_nobody_knows_that_where_a_recording_could_not_be_read(known: Path, tmp_path: Path) -> None:
    clean = saved(tmp_path, "clean.ndjson", made(""))
    assert entries(clean, "--baseline", known) == ["RL201"]
    assert entries(clean, "absent", "--baseline", known) == []


def test_what_an_exception_left_out_occurs(unmarked: Path, known: Path) -> None:
    excused = [{"name": "agent", "ignore": "RL201", "reason": "predates the marker"}]
    found = lint(unmarked, baseline=known, exceptions=excused)
    assert found.baseline is not None
    assert (found.findings, found.baseline.known, found.baseline.gone) == ([], 0, [])


@pytest.mark.parametrize("form", FORMATS_OF_ALL)
@pytest.mark.parametrize("quiet", [False, True])
def test_every_format_or_standard_error_tells_it(
    form: str, quiet: bool, live: Path, unmarked: Path, tmp_path: Path
) -> None:
    run(live, "--write-baseline", "known.json", cwd=tmp_path)
    result = run("-f", form, *(["-q"] if quiet else []), unmarked.name, "--baseline", "known.json", cwd=tmp_path)
    assert result.returncode == 0
    if form in {"json", "markdown"} or (form == "text" and not quiet):
        assert result.stderr == ""
        assert "live-before-marker" in result.stdout
    else:
        assert_one_line(result)
        assert result.stderr == (
            "replaylint: known.json: 1 entry no longer occurs; --write-baseline known.json brings it up to date\n"
        )


def test_of_many_some_are_named(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    clean = saved(tmp_path, "clean.ndjson", made(""))
    file.write_bytes(dumps(baseline(*(entry(fingerprint=str(number), name=f"n{number}") for number in range(16)))))
    names = ", ".join(f"RL201 n{number}" for number in (0, 1, 10, 11, 12))  # by fingerprint
    for form in ("text", "markdown"):
        assert f"16 entries no longer occur: {names} and 11 more" in run("-f", form, clean, "--baseline", file).stdout
    result = run("-q", clean, "--baseline", file)
    assert_one_line(result, f"{file}: 16 entries no longer occur; --write-baseline {file} brings it up to date")


# Writing


def test_what_is_written_is_known(live: Path, tmp_path: Path) -> None:
    result = run("-f", "json", live, "--write-baseline", tmp_path / "known.json", "--fail-on", "info")
    assert (result.returncode, result.stderr) == (0, f"replaylint: {tmp_path}/known.json: written, 2 entries\n")
    found = report(result)
    assert found["summary"]["known"] == len(found["findings"]) == 2
    assert all(each["known"] for each in found["findings"])
    assert found["baseline"] == {"path": str(tmp_path / "known.json"), "known": 2, "gone": []}


def test_both_bring_it_up_to_date(live: Path, unmarked: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    both = ("--baseline", file, "--write-baseline", file)
    assert run(live, *both).returncode == 0
    assert rules(file) == [("RL201", 1), ("RL301", 1)]
    result = run("-f", "json", unmarked, *both)
    found = report(result)
    assert (result.returncode, found["summary"]["known"]) == (0, 2)
    assert [each["rule"] for each in found["baseline"]["gone"]] == ["RL301"]
    assert rules(file) == [("RL201", 2)]
    before = file.read_bytes()
    assert run(unmarked, *both).returncode == 0
    assert file.read_bytes() == before


def test_what_changed_in_it_is_said(live: Path, unmarked: Path, known: Path, tmp_path: Path) -> None:
    other = saved(tmp_path, "other.ndjson", made("live"))
    for recording, said in (
        (live, "2 entries (1 new)"),
        (unmarked, "1 entry (1 gone)"),
        (unmarked, "1 entry (as before)"),
        (other, "1 entry (1 new, 1 gone)"),
    ):
        result = run("-q", recording, "--baseline", known, "--write-baseline", known)
        assert (result.returncode, result.stderr) == (0, f"replaylint: {known}: written, {said}\n")
    result = run("-f", "sarif", unmarked, "--write-baseline", known)
    assert (result.returncode, result.stderr) == (0, f"replaylint: {known}: written, 1 entry\n")


@pytest.mark.parametrize("there", [False, True])
def test_of_two_writers_the_second_is_told(there: bool, live: Path, unmarked: Path, tmp_path: Path) -> None:
    """One waits for its recording while the other writes; then nothing that the other wrote is lost."""
    file, pipe = tmp_path / "known.json", tmp_path / "pipe"
    if there:
        run("-q", "--write-baseline", file, saved(tmp_path, "clean.ndjson", made("")))
    os.mkfifo(pipe)
    both = [f"--baseline={file}", f"--write-baseline={file}"]
    with subprocess.Popen([*TOOL, "-q", *both, pipe], stderr=subprocess.PIPE, env=environment()) as slow:
        with pipe.open("wb") as writer:  # waits for the reader, which has looked at the file by then
            assert run("-q", *both, live).returncode == 0
            written = file.read_bytes()
            writer.write(unmarked.read_bytes())
        _, complaint = slow.communicate(timeout=SECONDS)
    assert slow.returncode == 2
    assert complaint.decode() == (
        f"replaylint: {file}: another run wrote it in the meantime, so it is left as it is: run this again\n"
    )
    assert file.read_bytes() == written
    assert {each.name for each in tmp_path.iterdir()} >= {"known.json", "pipe"}
    assert not [*tmp_path.glob(".replaylint-*")]
    assert run("-q", *both, live, unmarked).returncode == 0


def test_of_many_writers_at_once_each_is_told_or_its_entries_are_there(live: Path, unmarked: Path) -> None:
    file = live.parent / "known.json"
    both = [f"--baseline={file}", f"--write-baseline={file}"]
    command = [*TOOL, "-q", *both, str(live)]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, env=environment()) for _ in range(4)]
    ended = [(each.communicate(timeout=SECONDS)[1], each.returncode) for each in runs]
    assert 0 in [status for _, status in ended]
    for complaint, status in ended:
        assert (status == 0) == (b": written, " in complaint)
        assert (status == 2) == (b"another run wrote it" in complaint)
    assert run("-q", f"--baseline={file}", live).returncode == 0


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there are no paths for open files")
def test_one_from_a_pipe_is_read_once(unmarked: Path, known: Path, tmp_path: Path) -> None:
    result = shell(
        f"tool 3< <(cat {known})", "-q", "--baseline=/dev/fd/3", f"--write-baseline={tmp_path}/new", unmarked
    )
    assert (result.returncode, result.stderr) == (0, f"replaylint: {tmp_path}/new: written, 1 entry (as before)\n")
    assert (tmp_path / "new").read_bytes() == known.read_bytes()


def test_what_was_not_looked_for_stays(live: Path, tmp_path: Path) -> None:
    file, clean = tmp_path / "known.json", saved(tmp_path, "clean.ndjson", made(""))
    both = ("--baseline", file, "--write-baseline", file)
    run(live, "--write-baseline", file)
    before = file.read_bytes()
    assert rules(file) == [("RL201", 1), ("RL301", 1)]
    for options in (["--select", "RL3"], ["--ignore", "RL3"], ["--select", "RL4"]):
        result = run(live, *both, *options)
        assert result.stderr == f"replaylint: {file}: written, 2 entries (as before)\n"
        assert file.read_bytes() == before
    result = run(clean, *both, "--select", "RL3")
    assert result.stderr == f"replaylint: {file}: written, 1 entry (1 gone)\n"
    assert rules(file) == [("RL201", 1)]
    assert run(saved(tmp_path, "again.ndjson", made("live")), *both, "--select", "RL3").returncode == 0
    assert file.read_bytes() == before


def test_what_an_exception_left_out_stays(live: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    run(live, "--write-baseline", file)
    before = file.read_bytes()
    (tmp_path / "replaylint.toml").write_text('agent = [{name = "agent", ignore = "RL201", reason = "r"}]')
    assert run(live, "--baseline", file, "--write-baseline", file, cwd=tmp_path).returncode == 0
    assert file.read_bytes() == before


def test_it_holds_what_the_run_reports(live: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    run(live, "--select", "RL3", "--write-baseline", file)
    assert rules(file) == [("RL301", 1)]


def test_a_part_is_not_written(unmarked: Path, known: Path, tmp_path: Path) -> None:
    before = known.read_bytes()
    for file in (known, tmp_path / "new.json"):
        result = run("-f", "json", unmarked, "absent", "--write-baseline", file)
        assert result.returncode == 2
        assert result.stderr.splitlines() == [
            "replaylint: absent: no such file",
            f"replaylint: {file}: not written, for it would lack what could not be read",
        ]
        assert not any(each["known"] for each in report(result)["findings"])
    assert known.read_bytes() == before
    assert not (tmp_path / "new.json").exists()


def test_a_cut_recording_is_a_part(unmarked: Path, tmp_path: Path) -> None:
    unmarked.write_bytes(gzip.compress(unmarked.read_bytes())[:-4])
    assert run(unmarked, "--write-baseline", tmp_path / "new.json").returncode == 2
    assert not (tmp_path / "new.json").exists()


@pytest.mark.parametrize("option", ["--write-baseline", "--baseline"])
def test_a_recording_is_no_baseline(option: str, unmarked: Path, live: Path) -> None:
    before = live.read_bytes()
    assert_refused(run(unmarked, option, live), str(live), "is not JSON")
    assert live.read_bytes() == before


def test_it_is_written_whole_or_not_at_all(unmarked: Path, tmp_path: Path) -> None:
    result = run(unmarked, "--write-baseline", tmp_path / "absent" / "known.json")
    assert_refused(result, "known.json: cannot be written: No such file or directory")
    assert_refused(run(unmarked, "--write-baseline", tmp_path), str(tmp_path))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["unmarked.ndjson"]


def test_standard_output_is_for_the_report(unmarked: Path) -> None:
    assert_refused(run(unmarked, "--write-baseline", "-"), "name a file")


@pytest.mark.skipif(os.name == "nt", reason="there are no permissions of this kind")
def test_a_new_one_keeps_the_permissions(unmarked: Path, known: Path) -> None:
    known.chmod(0o640)
    assert run(unmarked, "--write-baseline", known).returncode == 0
    assert known.stat().st_mode & 0o777 == 0o640


def test_an_empty_file_becomes_one(unmarked: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.touch()
    assert run(unmarked, "--write-baseline", file).returncode == 0
    assert rules(file) == [("RL201", 2)]


# What is none


def entry(**fields: object) -> Message:
    usual = {"fingerprint": "f", "rule": "RL201", "name": "n", "severity": "error", "party": "agent", "count": 1}
    return {**usual, **fields}


def baseline(*findings: Message, **fields: object) -> Message:
    return {"schema_version": 1, "tool": {"name": "t", "version": "1"}, "findings": findings, **fields}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, ["there is no such baseline", "--write-baseline"]),
        ("", ["is not JSON"]),
        ("{", ["is not JSON"]),
        ("\0\xff", ["is not JSON"]),
        ("[]", ["has to be an object, not an array"]),
        (json.dumps(baseline(schema_version=2)), ["is a baseline of schema_version 2; only 1 can be read"]),
        (json.dumps(baseline(schema_version="\x1b[31m")), ["schema_version", "only 1"]),
        (json.dumps({"tool": {}}), ["schema_version: is missing"]),
        (json.dumps(baseline(findings={})), ["findings: has to be an array, not an object"]),
        (json.dumps(baseline(entry(), entry(severity="fatal"))), ["findings[1].severity: has to be", '"fatal"']),
        (json.dumps(baseline(entry(count="1"))), ["findings[0].count: has to be an integer"]),
        (json.dumps(baseline({})), ["findings[0].fingerprint: is missing"]),
        ("[" * 100_000, ["is not JSON"]),
    ],
)
def test_what_is_none_is_refused_before_anything_is_read(text: str | None, words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    if text is not None:
        file.write_text(text, encoding="latin-1")
    result = run("absent", "--baseline", file)
    assert_refused(result, str(file), *words)
    assert "absent" not in result.stderr
    assert "\x1b" not in result.stderr


def test_a_folder_is_none(tmp_path: Path) -> None:
    assert_refused(run("absent", "--baseline", tmp_path), str(tmp_path), "Is a directory")


def test_one_that_is_broken_is_not_overwritten(unmarked: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_text(json.dumps(baseline(schema_version=2)))
    assert_refused(run(unmarked, "--write-baseline", file), "only a baseline is overwritten")


def test_entries_that_are_there_twice_are_one(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_bytes(dumps(baseline(entry(severity="info"), entry(severity="warning", count=2), entry(rule="RL1"))))
    (found,) = load(str(file), "known.json").entries.values()
    assert (found.severity, found.count) == ("error", 4)


def test_what_it_holds_is_hostile(unmarked: Path, tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    file.write_bytes(dumps(baseline(entry(rule="\x1b[31m", name="::error::x\n\u202e"))))
    result = run(unmarked, "--baseline", file)
    (line,) = (each for each in result.stdout.splitlines() if each.startswith("baseline "))
    assert line.endswith("0 findings known; 1 entry no longer occurs: \\x1b[31m :\\x3aerror:\\x3ax\\x0a\\u202e")


def as_json(value: object) -> bytes:
    return json.dumps(value).encode()


ANY = st.lists(st.dictionaries(st.sampled_from(list(entry())), json_values()))


@profile(200)
@given(st.one_of(st.binary(), st.one_of(json_values(), ANY.map(lambda all_of: baseline(*all_of))).map(as_json)))
def test_whatever_it_holds_one_error_is_raised(data: bytes) -> None:
    with NamedTemporaryFile() as file, suppress(UsageError):
        file.write(data)
        file.flush()
        load(file.name, "known.json")


# From Python


def test_from_python(unmarked: Path, known: Path) -> None:
    for path in (known, str(known)):
        found = lint(unmarked, baseline=path)
        assert found.summary.known == 2
    wrong: Any = 7
    with pytest.raises(TypeError):
        lint(unmarked, baseline=wrong)
    with pytest.raises(UsageError, match="there is no such baseline"):
        lint(unmarked, baseline="absent.json")


def test_a_path_in_the_working_folder_is_relative(unmarked: Path, known: Path, tmp_path: Path) -> None:
    found = report(run("-f", "json", unmarked.name, "--baseline", known, cwd=tmp_path))
    assert found["baseline"]["path"] == "known.json"
    assert_one_line(run(unmarked.name, "--baseline", tmp_path / "none.json", cwd=tmp_path), "replaylint: none.json: ")
