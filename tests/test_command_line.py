"""The command line: exit statuses, what goes to which stream, and that nothing makes it fall over."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import sys
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
    assert_hashes_do_not_matter,
    assert_one_line,
    assert_refused,
    run,
    run_bytes,
    saved,
    shell,
    to_a_full_disk,
    unread,
)
from tests.recordings import Message, Recording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.command_line import Result


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
        ("words.txt", b"once upon a time\n", ["once upon a time", "envelope, headed, inline"]),
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
    assert result.stdout == "1 recording, 0 resumes\n0 errors, 0 warnings, 0 info; 1 not read\n"


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
    assert text.splitlines()[-3].startswith("3 recordings, 3 resumes, 3 sessions: ")


def test_the_views_of_text_leave_the_rest_as_it_is(large: Path) -> None:
    several, every, one, session = (
        run(*options, large).stdout
        for options in ([], ["--all"], ["--resume", "1234"], ["--session", "session 77", "--color", "never"])
    )
    assert [each.count("\n  resume ") for each in (several, every, one, session)] == [0, 2000, 1, 1]
    assert several.count(f"\n{large}:") == 10
    assert "\n1990 more; --all shows " in several
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
    assert ("\x1b[1;31merror[RL201]\x1b[0m" in output) == coloured
    assert ("\x1b" in output) == coloured
    assert "\x1b" not in run(*options, "-f", "concise", errors, variables=variables).stdout


def test_concise_is_what_editors_jump_to(errors: Path) -> None:
    result = run("-f", "concise", errors.name, cwd=errors.parent)
    lines = result.stdout.splitlines()
    assert [line.split(": ")[0] for line in lines] == ["errors.ndjson:3", "errors.ndjson:5", "errors.ndjson:5"]
    assert lines[0] == "errors.ndjson:3: session/resume 1 s: unmarked, 1 history, replay 10.0 ms, response gap 10.0 ms"


def test_the_same_input_gives_the_same_bytes(errors: Path, large: Path) -> None:
    assert_hashes_do_not_matter(*(("-f", form, errors, large) for form in FORMATS))


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
