"""`--export` and other files that are written: whole, where they were asked for, and over nothing that is read."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

from tests.command_line import (
    TOOL,
    assert_one_line,
    assert_refused,
    run,
    shell,
)
from tests.conftest import ROOT


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
    assert_one_line(result, "loop: is not written through the link loop; --force does")
    result = run("-q", errors, "--export=csv=loop", "--force", cwd=errors.parent)
    assert result.returncode == 2
    assert_one_line(result, "loop: cannot be written: ")
    assert (errors.parent / "loop").is_symlink()


# Links, and files that are read-only

WRITING = ["--export=csv={}", "--write-baseline={}"]


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
@pytest.mark.parametrize("option", WRITING)
@pytest.mark.parametrize(
    ("output", "link"),
    [
        ("link", "link"),
        ("new", "new"),
        ("there/report", "there"),
        ("./there/report", "there"),
        ("there/deeper/report", "there"),
        ("{}/there/report", "there"),
        ("device", "device"),
    ],
)
def test_nothing_is_written_through_a_link(option: str, output: str, link: str, errors: Path, tmp_path: Path) -> None:
    outside, here = tmp_path / "outside", tmp_path / "here"
    (outside / "deeper").mkdir(parents=True)
    here.mkdir()
    (outside / "precious").touch()
    (here / "link").symlink_to(outside / "precious")
    (here / "new").symlink_to(outside / "not there")
    (here / "there").symlink_to(outside)
    (here / "device").symlink_to("/dev/null")
    before = contents(outside)
    given = option.format(output.format(here))
    assert_refused(run("-q", given, errors, cwd=here), f"is not written through the link {link}; --force does")
    assert contents(outside) == before
    result = run("-q", "--fail-on=never", given, errors, "--force", cwd=here)
    assert result.returncode == 0
    assert (here / link).is_symlink()
    assert (contents(outside) != before) == (output != "device")


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
def test_links_above_the_working_folder_are_the_users_own(errors: Path, tmp_path: Path) -> None:
    (tmp_path / "real" / "checkout").mkdir(parents=True)
    (tmp_path / "home").symlink_to("real")
    here = tmp_path / "home" / "checkout"
    for number, output in enumerate(("report0", f"{here}/report1", "../report2", f"{tmp_path}/home/report3")):
        assert run("-q", f"--export=csv={output}", errors, cwd=here).stderr == ""
        assert len([*(tmp_path / "real").rglob(f"report{number}")]) == 1


@pytest.mark.parametrize("option", WRITING)
def test_nothing_is_written_over_what_is_read_only(option: str, errors: Path) -> None:
    """Also where whoever runs this may write everything."""
    output = errors.parent / "output"
    output.touch()
    output.chmod(0o444)
    given = option.format("output")
    assert_refused(run("-q", given, errors, cwd=errors.parent), "output: is read-only; --force overwrites it")
    assert output.read_bytes() == b""
    assert run("-q", "--fail-on=never", given, errors, "--force", cwd=errors.parent).returncode == 0
    assert output.stat().st_size > 0
    assert output.stat().st_mode & 0o777 == 0o444


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
