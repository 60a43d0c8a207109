"""The command line: exit statuses, what goes to which stream, and that nothing makes it fall over."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

import pytest

from replaylint import __version__, commands
from replaylint.commands import COMMANDS
from tests.command_line import (
    FORMATS,
    NARROW,
    SECONDS,
    TOOL,
    assert_hashes_do_not_matter,
    assert_one_line,
    assert_refused,
    environment,
    process,
    run,
    run_bytes,
    saved,
    shell,
    to_a_full_disk,
    unread,
)
from tests.conftest import ROOT
from tests.recordings import Message, Recording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.command_line import Result


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A recording without findings."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s").result(1, {})
    return saved(tmp_path, "clean.ndjson", recording)


@pytest.fixture
def errors(tmp_path: Path) -> Path:
    """RL201 and RL212, both errors, at line 5."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").result(1, {})
    return saved(tmp_path, "errors.ndjson", recording)


@pytest.fixture
def warnings(tmp_path: Path) -> Path:
    """RL209, a warning, at line 5."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").error(1, -32603)
    return saved(tmp_path, "warnings.ndjson", recording)


@pytest.fixture
def infos(tmp_path: Path) -> Path:
    """RL005 at line 1 and RL105 at line 3, both infos."""
    recording = Recording().initialize_v2().client(1, "session/prompt", sessionId="s")
    return saved(tmp_path, "infos.ndjson", recording)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A recording whose report is larger than any pipe's buffer, with an error in each of its resumes."""
    recording = Recording().initialize_v2()
    for ident in range(1, 2001):
        recording.resume(ident, f"session {ident}").result(ident, {})
    return saved(tmp_path, "large.ndjson", recording)


# Exit status


@pytest.mark.parametrize("form", FORMATS)
def test_a_clean_recording_is_0(form: str, clean: Path) -> None:
    result = run("-f", form, clean)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("\n")


@pytest.mark.parametrize("form", FORMATS)
def test_an_error_is_1(form: str, errors: Path) -> None:
    result = run("-f", form, errors)
    assert (result.returncode, result.stderr) == (1, "")
    assert "RL201" in result.stdout


@pytest.mark.parametrize(
    ("name", "failing"),
    [
        ("errors", {"error", "warning", "info"}),
        ("warnings", {"warning", "info"}),
        ("infos", {"info"}),
        ("clean", set()),
    ],
)
@pytest.mark.parametrize("level", ["error", "warning", "info", "never"])
def test_fail_on_says_from_which_severity_on(
    name: str, failing: set[str], level: str, request: pytest.FixtureRequest
) -> None:
    result = run("--fail-on", level, request.getfixturevalue(name))
    assert result.returncode == int(level in failing)
    assert result.stderr == ""


def test_an_error_is_what_fails_by_default(warnings: Path) -> None:
    assert run(warnings).returncode == 0


@pytest.mark.parametrize(
    ("line", "finding", "status"),
    [
        (b"noise\n", "1: warning RL001 non-json-line", 0),
        (b'{"ts":1764400000,"dir":"a2c","text":"noise"}\n', "1: error RL001 non-json-line", 1),
        (b'{"ts":1764400000,"dir":"c2a","msg":"noise"}\n', "1: error RL001 non-json-line", 1),
        (b"7\n", "1: warning RL003 not-jsonrpc", 0),
    ],
)
def test_a_line_that_cannot_be_read_is_a_finding_and_no_complaint(
    line: bytes, finding: str, status: int, clean: Path
) -> None:
    clean.write_bytes(line + clean.read_bytes())
    result = run("-f", "concise", clean)
    assert (result.returncode, result.stderr) == (status, "")
    assert f"{clean.name}:{finding}: " in result.stdout
    assert (
        len(result.stdout.splitlines()) == len(run("-f", "concise", "--ignore", "RL0", clean).stdout.splitlines()) + 1
    )


def test_a_recording_that_stops_in_a_line_is_no_complaint(clean: Path) -> None:
    clean.write_bytes(clean.read_bytes()[:-9])
    result = run("-f", "concise", clean)
    assert (result.returncode, result.stderr) == (0, "")
    assert f"{clean.name}:7: warning RL002 cut-line: " in result.stdout


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("absent", None, ["no such file"]),
        ("empty", b"", ["is empty"]),
        ("blank", b"\n\n", ["is empty"]),
        ("words.txt", b"once upon a time\n", ["once upon a time", "envelope, inline, jetbrains"]),
        ("list.json", b'{"a": 1}\n{"a": 2}\n', ["formats:"]),
        ("picture.png", b"\x89PNG\r\n\x1a\n\0\0", ["formats:"]),
        ("escapes", b"\x1b]0;title\x07\x1b[31m::error::\n", [r"\x1b]0;title\x07", "formats:"]),
        ("packed.gz", b"\x1f\x8b\xff", ["the compressed data ends too early"]),
    ],
)
def test_what_is_no_recording_is_2(name: str, content: bytes | None, words: list[str], tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    result = run(name, cwd=tmp_path)
    assert result.returncode == 2
    assert_one_line(result, name, *words)
    assert "\x1b" not in result.stderr
    assert f"{name}: not read" in result.stdout


def test_a_folder_is_2(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.returncode == 2
    assert_one_line(result, str(tmp_path), "folder")


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="whoever runs this may read everything")
def test_a_file_that_may_not_be_read_is_2(clean: Path) -> None:
    clean.chmod(0)
    result = run(clean)
    assert result.returncode == 2
    assert_one_line(result, str(clean), "Permission denied")


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("name", ["clean", "errors"])
@pytest.mark.parametrize("form", FORMATS)
def test_of_several_inputs_the_good_ones_are_reported(
    form: str, name: str, order: int, request: pytest.FixtureRequest
) -> None:
    good: Path = request.getfixturevalue(name)
    result = run("-f", form, *["absent", str(good)][::order])
    assert result.returncode == 2
    assert_one_line(result, "absent: no such file")
    assert ("RL201" in result.stdout) is (name == "errors")
    assert str(good) in result.stdout


def test_every_bad_input_has_its_line(tmp_path: Path) -> None:
    result = run("absent", tmp_path, "missing")
    assert result.returncode == 2
    assert [line.split(": ")[1] for line in result.stderr.splitlines()] == ["absent", str(tmp_path), "missing"]


def test_a_recording_that_is_cut_is_2_and_reported_so_far(clean: Path) -> None:
    packed = gzip.compress(clean.read_bytes())
    clean.write_bytes(packed[:-12])
    result = run(clean)
    assert result.returncode == 2
    assert_one_line(result, f"{clean}:", "ends too early")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["TRACE"]),
        (["check"], ["TRACE"]),
        (["--nonsense", "x"], ["--nonsense"]),
        (["x", "--fail-no", "error"], ["--fail-no", "--fail-on"]),
        (["x", "--fail-on", "fatal"], ["--fail-on", "fatal", "warning"]),
        (["x", "-f", "yaml"], ["--format", "yaml", "concise"]),
        (["x", "--eof", "maybe"], ["--eof", "maybe"]),
        (["x", "-f"], ["-f"]),
        (["x", "--select"], ["--select"]),
        (["x", "--select", "RL999"], ["RL999"]),
        (["x", "--ignore", "RL2012"], ["RL2012"]),
        (["x", "--select", "RL201,missing-maker"], ["missing-maker", "did you mean missing-marker?"]),
        (["x", "--ignore", "truncated-reply"], ["truncated-reply", "did you mean truncated-replay?"]),
        (["x", "--select", "\x1b[31m::x"], [r"\x1b[31m"]),
    ],
)
def test_a_call_that_is_wrong_is_2(arguments: list[str], words: list[str]) -> None:
    result = run(*arguments)
    assert_refused(result, *words)
    assert "\x1b" not in result.stderr


def test_a_missing_file_that_resembles_a_command_suggests_it(tmp_path: Path) -> None:
    result = run("chek", cwd=tmp_path)
    assert result.returncode == 2
    assert_one_line(result, "chek: no such file; did you mean the command check?")


# Streams


@pytest.mark.parametrize("name", ["clean", "errors", "large"])
@pytest.mark.parametrize("form", FORMATS)
def test_a_reader_that_is_gone_changes_nothing(form: str, name: str, request: pytest.FixtureRequest) -> None:
    assert unread("-f", form, request.getfixturevalue(name)) == (int(name != "clean"), "")


@pytest.mark.parametrize("arguments", [["--help"], ["--version"]])
def test_help_for_a_reader_that_is_gone(arguments: list[str]) -> None:
    assert unread(*arguments) == (0, "")


@pytest.mark.parametrize("name", ["clean", "errors"])
@pytest.mark.parametrize("form", FORMATS)
def test_standard_output_may_be_closed(form: str, name: str, request: pytest.FixtureRequest) -> None:
    result = run("-f", form, request.getfixturevalue(name), closed=[1])
    assert (result.returncode, result.stdout, result.stderr) == (int(name == "errors"), "", "")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_standard_output_may_be_closed_for_help(arguments: list[str]) -> None:
    result = run(*arguments, closed=[1])
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(("arguments", "status"), [(["absent"], 2), (["--nonsense"], 2), (["-"], 2)])
def test_standard_error_may_be_closed(arguments: list[str], status: int) -> None:
    result = run(*arguments, closed=[2])
    assert (result.returncode, result.stderr) == (status, "")
    assert "Traceback" not in result.stdout


def test_all_streams_may_be_closed(errors: Path) -> None:
    assert run(errors, closed=[0, 1, 2]).returncode == 1


def test_standard_input_may_be_closed(errors: Path) -> None:
    result = run(errors, closed=[0])
    assert (result.returncode, result.stderr) == (1, "")


def test_closed_standard_input_cannot_be_read() -> None:
    result = run("-", closed=[0])
    assert result.returncode == 2
    assert_one_line(result, "-: standard input is closed")


def test_standard_input_is_a_recording(errors: Path) -> None:
    result = run("-f", "json", "-", stdin=errors.read_text())
    report = json.loads(result.stdout)
    assert (result.returncode, result.stderr) == (1, "")
    assert [each["path"] for each in report["traces"]] == ["-"]
    assert report["traces"][0]["bytes"] == errors.stat().st_size
    assert [(each["trace"], each["line"]) for each in report["findings"]] == [("-", 5), ("-", 5)]


def test_standard_input_may_be_compressed(errors: Path) -> None:
    result = shell(f"gzip -c {shlex.quote(str(errors))} | tool", "-f", "concise", "-")
    assert (result.returncode, result.stderr) == (1, "")
    assert "-:5: error RL201 missing-marker: " in result.stdout


def test_empty_standard_input_is_2() -> None:
    result = run("-")
    assert result.returncode == 2
    assert_one_line(result, "-", "is empty")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", ["clean", "errors", "large"])
def test_a_full_disk_is_2(form: str, name: str, request: pytest.FixtureRequest) -> None:
    result = to_a_full_disk("-f", form, request.getfixturevalue(name))
    assert result.returncode == 2
    assert_one_line(result, "cannot be written", "No space left")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_a_full_disk_is_2_for_help(arguments: list[str]) -> None:
    result = to_a_full_disk(*arguments)
    assert result.returncode == 2
    assert_one_line(result, "cannot be written", "No space left")


# Encodings


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A recording whose ids no narrow encoding has, with RL201 and RL212, in a file whose name it has not either."""
    session = "s-\N{SNOWMAN}-\U0001f600-\N{LATIN SMALL LETTER E WITH ACUTE}"
    recording = Recording().initialize_v2(agent="\N{CJK UNIFIED IDEOGRAPH-4E2D}").resume("\N{SNOWMAN}", session)
    recording.child(session, "\N{GREEK SMALL LETTER ALPHA}").result("\N{SNOWMAN}", {})
    return saved(tmp_path, "\N{SNOWMAN}.ndjson", recording)


@pytest.mark.parametrize("variables", NARROW, ids=str)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("quiet", [False, True])
def test_no_encoding_is_too_narrow(form: str, quiet: bool, variables: dict[str, str], foreign: Path) -> None:
    status, output, complaint = run_bytes("-f", form, *(["-q"] if quiet else []), foreign, variables=variables)
    assert (status, complaint) == (1, b"")
    assert b"RL201" in output.replace(b"\0", b"")


@pytest.mark.parametrize("variables", [*NARROW[:4], {"LC_ALL": "C"}], ids=str)
def test_a_narrow_encoding_gets_ascii(variables: dict[str, str], clean: Path) -> None:
    output = run(clean.name, cwd=clean.parent, variables=variables).stdout
    assert output.isascii()
    assert re.search(r"^ +\|\.*=*M-+S-*\|$", output, re.MULTILINE)
    assert "\\x" not in output
    assert "\u2591" in run(clean.name, cwd=clean.parent).stdout


def test_in_an_encoding_that_has_them_characters_stand_as_they_are(foreign: Path) -> None:
    for form in ("text", "concise"):
        result = run("-f", form, foreign)
        assert "\N{SNOWMAN}-\U0001f600-\N{LATIN SMALL LETTER E WITH ACUTE}" in result.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
@pytest.mark.parametrize("form", FORMATS)
def test_a_file_name_may_be_any_bytes(form: str, errors: Path) -> None:
    path = os.fsdecode(os.fsencode(errors.parent) + b"/\xff\x1b.ndjson")
    errors.rename(path)
    status, output, complaint = run_bytes("-f", form, path)
    assert (status, complaint) == (1, b"")
    assert b"RL201" in output
    assert b"\x1b" not in output
    assert b"\xff" not in output


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {}])
def test_a_pipe_gets_no_colours(variables: dict[str, str], errors: Path) -> None:
    for arguments in ([str(errors)], ["-f", "concise", str(errors)], ["--help"], ["--nonsense"]):
        result = run(*arguments, variables=variables)
        assert "\x1b" not in result.stdout + result.stderr


def test_no_colour_changes_no_byte_on_a_pipe(errors: Path) -> None:
    assert run(errors, variables={"NO_COLOR": "1"}).stdout == run(errors).stdout


# Options


def test_the_version() -> None:
    result = run("--version")
    assert (result.returncode, result.stdout, result.stderr) == (0, f"replaylint {__version__}\n", "")


@pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"]])
def test_help_shows_what_check_takes(arguments: list[str]) -> None:
    result = run(*arguments)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.endswith("\n")
    for word in ("TRACE", "--format", "--select", "--ignore", "--fail-on", "--eof", "--quiet", "--version"):
        assert word in result.stdout
    assert "Exit status: 0 clean, 1 findings" in " ".join(result.stdout.split())


def test_check_is_what_happens_without_a_command(errors: Path) -> None:
    named, bare = run("check", errors), run(errors)
    assert (named.returncode, named.stdout, named.stderr) == (bare.returncode, bare.stdout, bare.stderr)
    assert named.returncode == 1


def test_options_may_stand_anywhere(errors: Path) -> None:
    wanted = run("--format", "concise", "--fail-on", "never", errors)
    assert wanted.returncode == 0
    assert run(errors, "--fail-on=never", "-fconcise").stdout == wanted.stdout


def test_an_input_that_looks_like_an_option(errors: Path) -> None:
    errors.rename(errors.parent / "-q")
    result = run("-f", "concise", "--", "-q", cwd=errors.parent)
    assert result.returncode == 1
    assert result.stdout.startswith("-q:3: ")


@pytest.mark.parametrize("command", [[], ["check"]])
def test_a_file_that_is_called_like_a_command(command: list[str], errors: Path) -> None:
    errors.rename(errors.parent / "check")
    result = run(*command, "./check", cwd=errors.parent)
    assert result.returncode == 1


def rules_of(result: Result) -> list[str]:
    """The rules of the findings of a report in JSON."""
    return [each["rule"] for each in json.loads(result.stdout)["findings"]]


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ([], ["RL201", "RL212"]),
        (["--select", "RL201"], ["RL201"]),
        (["--select", "rl201"], ["RL201"]),
        (["--select", "missing-marker"], ["RL201"]),
        (["--select", "Missing-Marker"], ["RL201"]),
        (["--select", "RL2"], ["RL201", "RL212"]),
        (["--select", "RL"], ["RL201", "RL212"]),
        (["--select", "RL21"], ["RL212"]),
        (["--select", "RL201,RL212"], ["RL201", "RL212"]),
        (["--select", " RL201 , missing-state-snapshot,"], ["RL201", "RL212"]),
        (["--select", "RL201", "--select", "RL212"], ["RL201", "RL212"]),
        (["--select", "RL3"], []),
        (["--ignore", "RL201"], ["RL212"]),
        (["--ignore", "missing-marker"], ["RL212"]),
        (["--ignore", "RL2"], []),
        (["--ignore", "RL201,RL212"], []),
        (["--ignore", "RL201", "--ignore", "RL212"], []),
        (["--ignore", "RL3"], ["RL201", "RL212"]),
        (["--select", "RL2", "--ignore", "RL201"], ["RL212"]),
        (["--ignore", "RL2", "--select", "RL201"], []),
    ],
)
def test_select_and_ignore(options: list[str], rules: list[str], errors: Path) -> None:
    result = run(errors, "-f", "json", *options)
    assert result.stderr == ""
    assert rules_of(result) == rules
    assert json.loads(result.stdout)["summary"]["findings"]["error"] == len(rules)
    assert result.returncode == int(bool(rules))


def test_what_the_end_of_a_recording_means(tmp_path: Path) -> None:
    path = saved(tmp_path, "cut.ndjson", Recording().initialize_v2().resume(1, "s").message("s", "m1"))
    for options, end, outcome, rules in (
        ([], "open", "inconclusive", ["RL105"]),
        (["--eof", "open"], "open", "inconclusive", ["RL105"]),
        (["--eof", "closed"], "closed", "truncated", ["RL209"]),
    ):
        result = run(path, "-f", "json", *options)
        (resume,) = json.loads(result.stdout)["resumes"]
        assert (resume["end"], resume["sessions"][0]["outcome"], rules_of(result)) == (end, outcome, rules)


def finding_lines(text: str, rules: Iterable[str] = ("RL201", "RL212")) -> list[str]:
    """The lines that hold one of these rules."""
    return [line for line in text.splitlines() if any(f"error {rule} " in line for rule in rules)]


@pytest.mark.parametrize("form", ["text", "concise"])
@pytest.mark.parametrize("option", ["-q", "--quiet"])
def test_quiet_prints_findings_only(form: str, option: str, errors: Path, clean: Path) -> None:
    result = run(option, "-f", form, errors, clean)
    assert result.returncode == 1
    lines = result.stdout.splitlines()
    assert len(lines) == 2
    assert finding_lines(result.stdout) == lines
    assert all(line.startswith(f"{errors}:") for line in lines)
    nothing = run(option, "-f", form, clean)
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "")


def test_quiet_changes_nothing_for_programs(errors: Path) -> None:
    assert run("-q", "-f", "json", errors).stdout == run("-f", "json", errors).stdout


def test_quiet_still_complains_of_inputs() -> None:
    assert_refused(run("-q", "absent"), "absent: no such file")


def test_several_inputs_are_reported_together(errors: Path, clean: Path, warnings: Path) -> None:
    result = run("-f", "json", errors, clean, warnings)
    report: Message = json.loads(result.stdout)
    assert result.returncode == 1
    assert [each["path"] for each in report["traces"]] == [str(errors), str(clean), str(warnings)]
    assert [each["trace"] for each in report["resumes"]] == [str(errors), str(clean), str(warnings)]
    assert [each["rule"] for each in report["findings"]] == ["RL201", "RL212", "RL209"]
    assert report["summary"]["outcomes"] == {"complete": 1, "truncated": 1, "unmarked": 1}
    text = run(errors, clean, warnings).stdout
    assert [text.count(f"{path}: envelope") for path in (errors, clean, warnings)] == [1, 1, 1]
    assert text.splitlines()[-2].startswith("3 resumes (")


def test_the_views_of_text_leave_the_rest_as_it_is(large: Path) -> None:
    folded, every, one, session = (
        run(*options, large).stdout
        for options in ([], ["--all"], ["--resume", "1234"], ["--session", "session 77", "--color", "never"])
    )
    assert [each.count("\n  resume ") for each in (folded, every, one, session)] == [2000, 2000, 1, 1]
    assert "\n  resume 1234: session/resume with id 1234 " in one
    assert "\n    session session 77, unmarked: " in session
    whole = run("-f", "json", large)
    assert run("-f", "json", "--resume", "1", "--session", "zzz", large).stdout == whole.stdout
    assert [run(*each, large).returncode for each in ([], ["--resume", "1"], ["--session", "zzz"])] == [1, 1, 1]
    assert_refused(run("--resume", "0", large), "--resume")


@pytest.mark.parametrize(
    ("options", "variables", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour(options: list[str], variables: dict[str, str], coloured: bool, errors: Path) -> None:
    output = run(*options, errors, variables=variables).stdout
    assert ("\x1b[1;31merror RL201\x1b[0m" in output) == coloured
    assert ("\x1b" in output) == coloured
    assert "\x1b" not in run(*options, "-f", "concise", errors, variables=variables).stdout


def test_concise_is_what_editors_jump_to(errors: Path) -> None:
    result = run("-f", "concise", errors.name, cwd=errors.parent)
    lines = result.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["errors.ndjson:3", "errors.ndjson:5", "errors.ndjson:5"]
    assert lines[0] == "errors.ndjson:3: session/resume 1 s: unmarked, 1 history, replay 10.0 ms, response gap 10.0 ms"


def test_the_same_input_gives_the_same_bytes(errors: Path, large: Path) -> None:
    assert_hashes_do_not_matter(*(("-f", form, errors, large) for form in FORMATS))


# Exports


def test_what_is_exported_is_what_is_printed(errors: Path) -> None:
    result = run("-f", "concise", "--export", "json=report.json", "--export", "SARIF=x", errors.name, cwd=errors.parent)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout == run("-f", "concise", errors.name, cwd=errors.parent).stdout
    exported = (errors.parent / "report.json").read_text()
    assert exported == run("-f", "json", errors.name, cwd=errors.parent).stdout
    assert '"2.1.0"' in (errors.parent / "x").read_text()


READ = "is read and would be lost: name another file"


@pytest.fixture
def read(errors: Path) -> Path:
    """A folder with a recording, other names for it, and a settings file."""
    folder = errors.parent / "d"
    folder.mkdir()
    recording = errors.rename(folder / "a.ndjson")
    (errors.parent / "link.ndjson").symlink_to(recording)
    (errors.parent / "hard.ndjson").hardlink_to(recording)
    (errors.parent / "replaylint.toml").touch()
    return errors.parent


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in this folder and those in it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("output", "inputs"),
    [
        ("d/a.ndjson", ["d/a.ndjson"]),
        ("./d/../d/a.ndjson", ["d/a.ndjson"]),
        ("link.ndjson", ["d/a.ndjson"]),
        ("hard.ndjson", ["d/a.ndjson"]),
        ("d/a.ndjson", ["d"]),
        ("link.ndjson", ["d"]),
        ("d/a.ndjson", ["."]),
        ("d/a.ndjson", ["-"]),
        ("d/a.ndjson", ["/dev/stdin"]),
        ("d/a.ndjson", ["--client-file", "link.ndjson", "--agent-file", "-"]),
        ("replaylint.toml", ["d"]),
    ],
)
@pytest.mark.parametrize("option", ["--export=json=", "--write-baseline="])
def test_what_is_read_is_not_overwritten(option: str, output: str, inputs: list[str], read: Path) -> None:
    before = contents(read)
    with (read / "d" / "a.ndjson").open("rb") as stdin:
        result = run("-q", f"{option}{output}", *inputs, cwd=read, stdin=stdin.fileno())
    assert_refused(result, f"'{output}' {READ}")
    assert contents(read) == before


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab", "junit", "csv", "text", "concise", "github"])
def test_an_earlier_report_among_recordings_is_overwritten(form: str, read: Path) -> None:
    for _ in range(2):
        result = run("-f", "concise", "--export", f"{form}=d/report", "d", cwd=read)
        assert result.returncode == 1
    assert (read / "d" / "report").read_text() == run("-f", form, "d", cwd=read).stdout


def test_an_earlier_baseline_among_recordings_is_overwritten(read: Path) -> None:
    for _ in range(2):
        assert run("--write-baseline", "d/known.json", "d", cwd=read).returncode == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["--export", "json=x", "--export", "csv=./x"],
        ["--export", "json=x", "--write-baseline", "x"],
        ["--export", "json=known.json", "--baseline", "known.json"],
    ],
)
def test_two_outputs_are_two_files(arguments: list[str], errors: Path) -> None:
    assert run("--write-baseline", "known.json", errors, cwd=errors.parent).returncode == 0
    before = contents(errors.parent)
    assert_refused(run(*arguments, errors, cwd=errors.parent), "is read or written already: name another file")
    assert contents(errors.parent) == before


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there are no devices")
def test_a_device_may_be_written_to_twice(errors: Path) -> None:
    result = run("-f", "concise", errors, *["--export=json=/dev/null", "--export=csv=/dev/null"])
    assert (result.returncode, result.stderr) == (1, "")
    assert Path("/dev/null").is_char_device()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="there are no paths for open files")
def test_an_open_file_is_written_to(errors: Path) -> None:
    folder = shlex.quote(str(errors.parent))
    exported, printed = (run("-f", form, errors, cwd=errors.parent).stdout for form in ("csv", "concise"))
    for path, redirected in (
        ("/dev/stdout", ">out"),
        ("/dev/fd/1", ">out"),
        ("/dev/stdout", "| cat >out"),
    ):
        result = shell(f"cd {folder}; tool {redirected}", "-f", "concise", errors, "--export", f"csv={path}")
        assert result.stderr == ""
        assert (errors.parent / "out").read_bytes().decode() == exported + printed
    result = shell("tool", "-f", "concise", errors, "absent", "--export", "csv=/dev/stderr")
    assert result.stderr == "replaylint: absent: no such file\n" + run("-f", "csv", errors, "absent").stdout
    result = shell(f"cd {folder}; echo before >other; tool 3>>other; cat other", "-q", errors, "--export=csv=/dev/fd/3")
    assert result.stdout.endswith(f"before\n{exported}")


def test_where_other_output_goes_nothing_is_exported(errors: Path) -> None:
    folder = shlex.quote(str(errors.parent))
    for option in ("--export=csv=out", "--write-baseline=out"):
        result = shell(f"cd {folder}; tool >out", "-f", "concise", errors, option)
        assert result.returncode == 2
        assert_one_line(result, "out: is where other output goes; name another file")


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_a_loop_of_links_is_not_written_to(errors: Path) -> None:
    (errors.parent / "loop").symlink_to("loop")
    result = run("-q", errors, "--export=csv=loop", cwd=errors.parent)
    assert result.returncode == 2
    assert_one_line(result, "loop: cannot be written: ")
    assert (errors.parent / "loop").is_symlink()


def test_a_pipe_is_written_to(errors: Path) -> None:
    command = " ".join(map(shlex.quote, [*TOOL, "-f", "concise", str(errors), "--export"]))
    result = shell(f"{{ {command} json=>(cat >&3) >/dev/null; }} 3>&1 | cat")
    assert (result.stdout, result.stderr) == (run("-f", "json", errors).stdout, "")


def test_exports_are_written_whatever_becomes_of_the_results(errors: Path) -> None:
    result = shell("tool >/dev/full", errors, "--export", f"json={errors.parent}/report.json")
    assert result.returncode == 2
    assert_one_line(result, "the results cannot be written")
    assert (errors.parent / "report.json").read_text() == run("-f", "json", errors).stdout


@pytest.mark.skipif(os.name == "nt", reason="there are no limits")
def test_what_cannot_be_written_whole_leaves_nothing_behind(errors: Path, tmp_path: Path) -> None:
    full = "export PYTHONDONTWRITEBYTECODE=1; ulimit -f 1; tool"  # no file can be larger than 1 KiB
    (tmp_path / "report").write_text("before")
    before = contents(tmp_path)
    result = shell(f"{full} | cat; exit ${{PIPESTATUS[0]}}", errors, "--export", f"json={tmp_path}/report")
    assert result.returncode == 2
    assert_one_line(result, "report: cannot be written: File too large")
    assert result.stdout == run(errors).stdout
    sample = ROOT / "sample_traces" / "claude-v1-load.ndjson"
    result = shell(full, "extract", sample, "--resume", "1", "-o", f"{tmp_path}/new")
    assert_refused(result, "new: cannot be written: File too large")
    assert contents(tmp_path) == before


# Settings on the command line


def test_what_the_file_switches_on_can_be_switched_off(errors: Path) -> None:
    loud = run(errors.name, cwd=errors.parent).stdout
    (errors.parent / "replaylint.toml").write_text("quiet = true\nall = true\n")
    assert len(run(errors.name, cwd=errors.parent).stdout.splitlines()) == 2
    for options in (["--no-quiet"], ["-q", "--no-quiet"], ["--no-settings"]):
        assert run(*options, "--no-all", errors.name, cwd=errors.parent).stdout == loud


def test_a_timeline_is_more_than_findings(errors: Path) -> None:
    assert_refused(run("-q", "--timeline", errors), "--timeline", "without --quiet")
    shown = run("--timeline", errors.name, cwd=errors.parent)
    (errors.parent / "replaylint.toml").write_text("quiet = true\n")
    assert run("--timeline", errors.name, cwd=errors.parent).stdout == shown.stdout


# Commands


def test_bare_help_lists_the_commands() -> None:
    listed = run("--help").stdout.split("\nCommands ")[1].splitlines()[1:]
    assert [line.split()[0] for line in listed] == list(COMMANDS)
    assert run("check", "--help").stdout == run("--help").stdout


def test_every_command_is_a_module_with_a_function() -> None:
    modules = {module.name for module in iter_modules(commands.__path__)}
    assert set(COMMANDS) <= modules
    for name in COMMANDS:
        assert callable(getattr(import_module(f"replaylint.commands.{name}"), name))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("show", ["Usage: replaylint show [OPTIONS]", "TRACE:LINE", "--context N", "Exit status: 0 shown"]),
        ("extract", ["Usage: replaylint extract [OPTIONS]", "TRACE", "--resume N", "-o, --output FILE", "0 written"]),
    ],
)
def test_help_of_a_command(command: str, words: list[str]) -> None:
    result = run(command, "--help")
    assert (result.returncode, result.stderr) == (0, "")
    for word in words:
        assert word in result.stdout
    assert "--fail-on" not in result.stdout
    assert unread(command, "--help") == (0, "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["show"], ["TRACE:LINE", "(replaylint show --help shows"]),
        (["show", "x:1", "--context"], ["--context"]),
        (["show", "x:1", "--context", "-1"], ["--context"]),
        (["show", "x:1", "-f", "json"], ["-f"]),
        (["show", "x"], ["x: name a recording and a line"]),
        (["extract", "x", "-o", "y"], ["--resume", "(replaylint extract --help shows"]),
        (["extract", "x", "--resume", "1"], ["--output"]),
        (["extract", "x", "--resume", "0", "-o", "y"], ["--resume"]),
        (["extract", "x", "--resume", "1", "-o", "y"], ["x: no such file"]),
    ],
)
def test_a_call_of_a_command_that_is_wrong_is_2(arguments: list[str], words: list[str], tmp_path: Path) -> None:
    assert_refused(run(*arguments, cwd=tmp_path), *words)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["show", "extract"])
def test_a_command_that_is_not_the_first_word_is_a_file(name: str, tmp_path: Path) -> None:
    result = run("-q", name, cwd=tmp_path)
    assert result.returncode == 2
    assert_one_line(result, f"{name}: no such file; did you mean the command {name}?")
    assert_one_line(run(f"{name[:-1]}x", cwd=tmp_path), f"did you mean the command {name}?")


def test_a_file_called_like_another_command_can_be_linted(errors: Path) -> None:
    errors.rename(errors.parent / "show")
    for arguments in (["./show"], ["check", "show"], ["-q", "show"], ["--", "show"]):
        assert run(*arguments, cwd=errors.parent).returncode == 1


def test_show(errors: Path) -> None:
    result = run("show", f"{errors.name}:5", "--context", "1", cwd=errors.parent)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("errors.ndjson:5: response session/resume 1, agent to client\n")
    assert "  finding: error RL201 missing-marker, line 5: " in result.stdout
    missing = run("show", f"{errors.name}:6", cwd=errors.parent)
    assert_refused(missing, "errors.ndjson: has 5 lines; there is no line 6")
    assert shell("cat " + shlex.quote(str(errors)) + " | tool", "show", "--", "-:5").stdout.startswith("-:5: response")
    assert unread("show", f"{errors}:5") == (0, "")


def test_extract(errors: Path) -> None:
    small = errors.parent / "small"
    result = run("extract", errors, "--resume", "1", "-o", small)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert small.read_bytes() == errors.read_bytes()
    piped = run("extract", "-", "--resume", "1", "-o", "-", stdin=errors.read_text())
    assert (piped.returncode, piped.stdout, piped.stderr) == (0, errors.read_text(), "")
    assert unread("extract", errors, "--resume", "1", "-o", "-") == (0, "")
    assert sorted(path.name for path in errors.parent.iterdir()) == ["errors.ndjson", "small"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_disk_is_2_for_commands(errors: Path) -> None:
    for arguments in (["show", f"{errors}:5"], ["extract", errors, "--resume", "1", "-o", "-"]):
        result = to_a_full_disk(*arguments)
        assert result.returncode == 2
        assert_one_line(result, "cannot be written", "No space left")


# What only a process of its own shows


@pytest.mark.parametrize("variables", [{}, {"LC_ALL": "C"}, {"COLUMNS": "40", "FORCE_COLOR": "1"}, *NARROW], ids=str)
def test_a_process_prints_what_this_one_prints(variables: dict[str, str], foreign: Path, clean: Path) -> None:
    """Where a text is encoded as the variables say. Everything else here is run in this process."""
    foreign.rename(foreign.parent / "foreign")
    for arguments in (["foreign", clean.name, "-"], ["--help"], ["--nonsense"]):
        results = [
            each(*arguments, cwd=clean.parent, stdin=clean.read_bytes(), variables=variables)
            for each in (process, run_bytes)
        ]
        assert results[0] == results[1]


def test_a_process_whose_results_are_not_read(large: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [*TOOL, str(large)],
            stdout=writing,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=SECONDS,
            check=False,
        )
    finally:
        os.close(writing)
    assert (result.returncode, result.stderr) == (1, b"")


@pytest.mark.skipif(os.name == "nt", reason="closes no streams so")
@pytest.mark.parametrize(("redirections", "status"), [(">&-", 1), ("<&-", 1), ("<&- >&- 2>&-", 1), (">/dev/full", 2)])
def test_a_process_whose_streams_are_closed_or_full(redirections: str, status: int, errors: Path) -> None:
    result = shell(f"tool {redirections}", errors)
    assert result.returncode == status
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("form", FORMATS)
def test_a_reader_that_reads_one_line_changes_nothing(form: str, large: Path) -> None:
    result = shell("tool | head -n 1; exit ${PIPESTATUS[0]}", "-f", form, large)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.count("\n") == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_an_interrupt_is_130(clean: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with (
        subprocess.Popen(
            [*TOOL, str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        ) as process,
        fifo.open("wb") as writer,  # waits for the reader
    ):
        writer.write(clean.read_bytes())
        writer.flush()
        process.send_signal(signal.SIGINT)
        output, complaint = process.communicate(timeout=SECONDS)
    assert (process.returncode, output, complaint) == (130, b"", b"")


@pytest.mark.parametrize("variables", NARROW, ids=str)
def test_no_encoding_is_too_narrow_for_errors(variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "\N{SNOWMAN}").write_text("\N{SNOWMAN}\n", encoding="utf-8")
    result = subprocess.run(
        [*TOOL, "\N{SNOWMAN}", "\U0001f600"],
        capture_output=True,
        cwd=tmp_path,
        env=environment(**variables),
        timeout=SECONDS,
        check=False,
    )
    complaint = result.stderr.replace(b"\0", b"")
    assert result.returncode == 2
    assert complaint.count(b"replaylint: ") == 2
    assert b"Traceback" not in complaint


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
@pytest.mark.parametrize("columns", [60, 100])
def test_a_terminal_is_filled_and_not_overrun(columns: int, errors: Path) -> None:
    import fcntl  # noqa: PLC0415
    import pty  # noqa: PLC0415
    import struct  # noqa: PLC0415
    import termios  # noqa: PLC0415

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = environment(TERM="xterm")
    child = subprocess.Popen([*TOOL, errors.name], cwd=errors.parent, stdout=theirs, env=variables)
    os.close(theirs)
    output = b""
    with suppress(OSError):  # the end of a terminal
        while data := os.read(ours, 4096):
            output += data
    os.close(ours)
    assert child.wait(SECONDS) == 1
    assert b"\x1b[1;31merror RL201\x1b[0m" in output
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output.decode()).split("\r\n")
    assert columns * 3 / 4 < max(map(len, lines)) <= columns


# Start-up


def imported(*arguments: str) -> set[str]:
    """The modules that a run with these arguments has imported."""
    code = (
        "import sys, replaylint.cli as cli\n"
        "sys.argv[0] = 'replaylint'\n"
        "status = cli.main()\n"
        "sys.stderr.write('\\n'.join(sys.modules))\n"
        "sys.exit(status)"
    )
    command = [sys.executable, "-c", code, *arguments]
    result = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment(), timeout=SECONDS, check=True
    )
    return set(result.stderr.split("\n"))


TEXT = ("words", "layout", "bar", "selection")
"""What the text report is made with."""


@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_a_plain_run_imports_little(form: str, clean: Path) -> None:
    modules = imported("-f", form, str(clean))
    assert "replaylint.recording.formats.envelope" in modules
    assert modules.isdisjoint({f"replaylint.commands.{each}" for each in COMMANDS if each != "check"})
    assert modules.isdisjoint({f"replaylint.report.{each}" for each in ("watch", "line", "extract")})
    assert modules.isdisjoint({"rich", "gzip", "hashlib", "jsonschema", "pydantic", "asyncio", "hypothesis"})
    assert {each for each in modules if each.startswith("replaylint.render.")} == {
        f"replaylint.render.{each}" for each in {"json": (), "concise": ("words", "lines")}.get(form, TEXT)
    } | {f"replaylint.render.{each}" for each in ("escape", "view", form)}
