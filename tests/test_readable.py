"""Which files are read: regular ones, pipes and standard input; whatever links there are."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replaylint.recording.readable import is_pipe
from replaylint.report.saved import is_report
from tests.command_line import assert_one_line, assert_refused, run, saved
from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="there are no such files")

KERNEL = ["/proc/self/environ", "/proc/kmsg", "/proc/self/root/proc/self/environ", "/sys/kernel/notes"]
DEVICES = ["/dev/zero", "/dev/random", "/dev/tty"]
NOT_READ = {
    **dict.fromkeys(KERNEL, "is made up by the kernel, no file on a disk: it is not read"),
    **dict.fromkeys(DEVICES, "is a device or a socket: only files and pipes are read"),
}


@pytest.fixture(params=[each for each in NOT_READ if Path(each).exists()])
def odd(request: pytest.FixtureRequest) -> str:
    """Something to read that never ends, holds secrets, or is no file."""
    return str(request.param)


def direct(path: str, _: Path) -> str:
    return path


def linked(path: str, folder: Path) -> str:
    (folder / "link.ndjson").symlink_to(path)
    return "link.ndjson"


@pytest.mark.parametrize("way", [direct, linked])
def test_it_is_no_recording(way: Callable[[str, Path], str], odd: str, tmp_path: Path) -> None:
    path = way(odd, tmp_path)
    result = run("-q", path, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"replaylint: {path}: {NOT_READ[odd]}\n"
    for arguments in (["show", f"{path}:1"], ["extract", path, "--resume", "1", "-o", "out"]):
        assert_one_line(run(*arguments, cwd=tmp_path), NOT_READ[odd])
    assert not is_report(str(tmp_path / path))
    for option in ("--client-file", "--agent-file"):
        other = "--agent-file" if option == "--client-file" else "--client-file"
        assert run("-q", option, path, other, path, cwd=tmp_path).returncode == 2


def test_it_is_passed_over_in_a_folder(odd: str, tmp_path: Path, clean: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "link").symlink_to(odd)
    clean.rename(folder / "clean.ndjson")
    result = run("-q", "folder", cwd=tmp_path)
    link = Path("folder", "link")
    passed = f"replaylint: passed over 1 file that is no recording: {link}\n" if odd in KERNEL else ""
    assert (result.returncode, result.stdout, result.stderr) == (0, "", passed)


@pytest.mark.parametrize("way", [direct, linked])
def test_it_is_no_baseline(way: Callable[[str, Path], str], odd: str, tmp_path: Path, clean: Path) -> None:
    assert_refused(run("--baseline", way(odd, tmp_path), clean, cwd=tmp_path), NOT_READ[odd])


def test_the_environment_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "a.ndjson").symlink_to("/proc/self/environ")
    for arguments in (["a.ndjson"], ["-f", "json", "a.ndjson"], ["-f", "github", "."], ["--baseline", "a.ndjson", "x"]):
        result = run(*arguments, cwd=tmp_path, variables={"SECRET": "s3cret"})
        assert "s3cret" not in result.stdout + result.stderr
        assert "PATH=" not in result.stdout + result.stderr


@pytest.mark.parametrize("path", ["link", "folder/secret", "folder/../folder/secret"])
def test_what_is_behind_a_link_is_not_shown(path: str, tmp_path: Path) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "secret").write_text("s3cret\n")
    (tmp_path / "link").symlink_to("secrets/secret")
    (tmp_path / "folder").symlink_to("secrets")
    for arguments in ([path], ["-f", "json", path], ["show", f"{path}:1"]):
        result = run(*arguments, cwd=tmp_path)
        assert result.returncode == 2
        assert "it begins with text that is no JSON; formats: " in result.stdout + result.stderr
        assert "s3cret" not in result.stdout + result.stderr


def test_a_file_that_says_it_is_empty_is(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert_one_line(run("-q", "empty", cwd=tmp_path), "empty: is empty")


def test_a_file_that_is_open_or_reached_by_a_process_is_a_file(clean: Path) -> None:
    with clean.open("rb") as file:
        for path in (f"/proc/self/fd/{file.fileno()}", f"/dev/fd/{file.fileno()}", f"/proc/self/root{clean}"):
            assert run("-q", path).returncode == 0


def test_standard_input_is_read_by_any_name(clean: Path) -> None:
    for name in ("-", "/dev/stdin", "/proc/self/fd/0"):
        assert run("-q", name, stdin=clean.read_text()).returncode == 0
    null = os.open("/dev/null", os.O_RDONLY)
    try:
        assert_one_line(run("-q", "-", stdin=null), "-: is empty")
    finally:
        os.close(null)


def test_a_pipe_is_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = saved(tmp_path, "x", Recording().initialize_v2()).read_bytes()
    writer = threading.Thread(target=pipe.write_bytes, args=(data,))
    writer.start()
    assert run("-q", pipe).returncode == 0
    writer.join()
    assert [is_pipe(str(each)) for each in (pipe, tmp_path, tmp_path / "x", tmp_path / "absent")] == [
        True,
        *[False] * 3,
    ]
