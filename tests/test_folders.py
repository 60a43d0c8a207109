"""Which files of a folder are linted."""

from __future__ import annotations

import gc
import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from shutil import copy
from types import TracebackType
from typing import TYPE_CHECKING, Literal

import pytest

from replaylint.analysis.folders import recordings_in
from replaylint.analysis.lint import lint
from replaylint.render import FORMATS
from tests.command_line import run
from tests.conftest import ROOT
from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable

links = pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")


def names(folder: Path) -> list[str]:
    return [os.path.relpath(path, folder).replace(os.sep, "/") for path in recordings_in(str(folder))]


def touch(folder: Path, *paths: str) -> None:
    for each in paths:
        (folder / each).parent.mkdir(parents=True, exist_ok=True)
        (folder / each).write_bytes(b"")


def test_every_file_below_it_sorted_by_path(tmp_path: Path) -> None:
    touch(tmp_path, "z.ndjson", "a/b/c.log", "a/b.gz", "B", "a.b/c", "no extension")
    assert names(tmp_path) == sorted(["z.ndjson", "a/b/c.log", "a/b.gz", "B", "a.b/c", "no extension"])


def test_hidden_ones_are_left_out(tmp_path: Path) -> None:
    touch(tmp_path, ".hidden", ".git/objects/aa", "seen/.DS_Store", "seen/one")
    assert names(tmp_path) == ["seen/one"]


def test_a_hidden_folder_that_is_named_is_looked_into(tmp_path: Path) -> None:
    touch(tmp_path, ".traces/one")
    assert names(tmp_path / ".traces") == ["one"]


def test_an_empty_folder_has_none(tmp_path: Path) -> None:
    assert names(tmp_path) == []


def test_the_paths_are_as_the_folder_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    touch(tmp_path, "traces/one")
    monkeypatch.chdir(tmp_path)
    assert recordings_in("traces") == [os.path.join("traces", "one")]  # noqa: PTH118
    assert recordings_in("traces" + os.sep) == [os.path.join("traces", "one")]  # noqa: PTH118


@links
def test_links(tmp_path: Path) -> None:
    touch(tmp_path, "here/one", "elsewhere/two")
    here = tmp_path / "here"
    (here / "up").symlink_to(tmp_path)
    (here / "itself").symlink_to("itself")
    (here / "nowhere").symlink_to("absent")
    (here / "two").symlink_to(tmp_path / "elsewhere/two")
    assert names(here) == ["one", "two"]
    (tmp_path / "link").symlink_to(here)
    assert names(tmp_path / "link") == ["one", "two"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_what_is_no_regular_file_is_left_out(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert names(tmp_path) == []


@pytest.mark.skipif(sys.platform != "linux", reason="other systems allow no such tree")
def test_a_tree_deeper_than_functions_may_call_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    depth = sys.getrecursionlimit() + 50
    monkeypatch.chdir(tmp_path)
    for _ in range(depth):
        os.mkdir("d")  # noqa: PTH102
        os.chdir("d")
    touch(Path(), "one")
    (found,) = names(tmp_path)
    os.unlink("one")  # noqa: PTH108
    for _ in range(depth):
        os.chdir("..")
        os.rmdir("d")  # noqa: PTH106
    assert found == "d/" * depth + "one"


def test_a_folder_that_cannot_be_looked_into_stands_for_itself(tmp_path: Path) -> None:
    absent = str(tmp_path / "absent")
    assert recordings_in(absent) == [absent]
    (trace,) = lint(recordings_in(absent)).traces
    assert trace.error is not None
    assert trace.error.code == "not-found"


def test_what_is_no_recording_is_passed_over(tmp_path: Path) -> None:
    lines = Recording().initialize_v2().resume(1, "s").lines()
    (tmp_path / "one.ndjson").write_bytes(b"\n".join(lines) + b"\n")
    contents = {
        "notes.md": b"# Notes\n",
        "data.json": b'{"a": 1}',
        "array.json": b"[1, 2]",
        "binary": bytes(range(256)),
        "empty": b"",
        "cut.ndjson.gz": b"\x1f\x8b\x08\x00",
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    report = lint(tmp_path)
    assert report.passed_over == 5
    named = [os.path.relpath(each.path, tmp_path) for each in report.passed_over_files]
    assert named == ["array.json", "binary", "data.json", "empty", "notes.md"]
    assert {each.error.code for each in report.passed_over_files} == {"not-a-recording"}
    assert [(os.path.basename(each.path), each.error and each.error.code) for each in report.traces] == [  # noqa: PTH119
        ("cut.ndjson.gz", "truncated"),
        ("one.ndjson", None),
    ]


def test_reports_in_a_folder_are_passed_over(tmp_path: Path) -> None:
    """They quote messages and name methods as recordings do."""
    traces = tmp_path / "traces"
    traces.mkdir()
    for name in ("live-before-marker", "complete"):
        copy(ROOT / "sample_traces" / f"{name}.ndjson", traces)
    exports = [f"--export={form}=traces/report.{form}" for form in FORMATS]
    once, again = (run("-f", "json", *exports, "traces", cwd=tmp_path) for _ in range(2))
    before, after = json.loads(once.stdout), json.loads(again.stdout)
    files = after["passed_over_files"]
    assert sorted(each["path"] for each in files) == sorted(f"traces/report.{form}" for form in FORMATS)
    assert after == before | {"passed_over": len(FORMATS), "passed_over_files": files}
    assert (once.returncode, again.returncode) == (1, 1)
    named = run("traces/report.ndjson", cwd=tmp_path)
    assert named.stderr == "replaylint: traces/report.ndjson:1: is what replaylint wrote, no recording\n"
    assert named.returncode == 2


def with_a_recording(folder: Path) -> None:
    lines = Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s").result(1, {}).lines()
    (folder / "one.ndjson").write_bytes(b"\n".join(lines) + b"\n")


@pytest.mark.parametrize("name", ["b.ndjson", "b.jsonl", "B.NDJSON", "b.ndjson.gz", "b.jsonl.zst"])
@pytest.mark.parametrize(
    ("content", "said"), [(b"", "is empty"), (b"notes\n", "is no recording that replaylint knows")]
)
def test_a_name_that_promises_a_recording_is_believed(name: str, content: bytes, said: str, tmp_path: Path) -> None:
    with_a_recording(tmp_path)
    (tmp_path / name).write_bytes(content)
    result = run("-f", "concise", tmp_path)
    assert result.returncode == 2
    assert f"{name}: {said}" in result.stderr.replace(f"{name}:1:", f"{name}:")
    assert "complete" in result.stdout


def test_what_was_passed_over_is_named(tmp_path: Path) -> None:
    with_a_recording(tmp_path)
    touch(tmp_path, *(f"n{number}.txt" for number in range(7)))
    result = run(".", "-q", cwd=tmp_path)
    first = ", ".join(f"n{number}.txt" for number in range(5))
    said = f"replaylint: passed over 7 files that are no recordings: {first} and 2 more (-v names all)\n"
    assert (result.returncode, result.stderr) == (0, said)
    every = ", ".join(f"n{number}.txt" for number in range(7))
    for given in ("-v", "--verbose"):
        result = run(".", "-q", given, cwd=tmp_path)
        assert result.stderr == f"replaylint: passed over 7 files that are no recordings: {every}\n"


def test_a_recording_of_another_protocol_is_passed_over(tmp_path: Path) -> None:
    with_a_recording(tmp_path)
    other = b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}\n'
    (tmp_path / "other.ndjson").write_bytes(other)
    result = run(".", "-q", cwd=tmp_path)
    said = "passed over other.ndjson: is a recording of the Language Server Protocol, not of the Agent Client Protocol"
    assert (result.returncode, result.stderr) == (0, f"replaylint: {said}\n")
    assert run("other.ndjson", cwd=tmp_path).returncode == 2
    for number in range(6):
        (tmp_path / f"more{number}.ndjson").write_bytes(other)
    lines = run(".", "-q", cwd=tmp_path).stderr.splitlines()
    assert len(lines) == 6
    assert lines[-1] == "replaylint: passed over 2 more of other protocols (-v names all)"
    assert len(run(".", "-q", "-v", cwd=tmp_path).stderr.splitlines()) == 7


NAMED = [
    ("training.jsonl", b'{"prompt": "a"}\n', True),
    ("notes.txt", b"notes\n", True),
    ("other.ndjson", b'{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}\n', True),
    ("b.ndjson", b'{"prompt": "a"}\n', False),
    ("b.ndjson.gz", b"", False),
    ("empty.ndjson", b"", False),
]


@pytest.mark.parametrize(("name", "content", "passed_over"), NAMED, ids=[name for name, *_ in NAMED])
@pytest.mark.parametrize("form", ["json", "ndjson", "concise"])
def test_what_is_named_is_passed_over_if_asked(
    form: str, name: str, content: bytes, passed_over: bool, tmp_path: Path
) -> None:
    with_a_recording(tmp_path)
    (tmp_path / name).write_bytes(content)
    assert run("-f", form, "one.ndjson", name, cwd=tmp_path).returncode == 2
    result = run("-f", form, "--pass-over", "one.ndjson", name, cwd=tmp_path)
    assert result.returncode == (0 if passed_over else 2)
    assert result.stderr.startswith("replaylint: passed over ") == passed_over
    assert name in result.stderr
    alone = run("-f", form, "one.ndjson", cwd=tmp_path).stdout
    if passed_over and form == "concise":
        assert result.stdout == alone
    if form == "json":
        assert [each["path"] for each in json.loads(result.stdout)["traces"]] == (
            ["one.ndjson"] if passed_over else ["one.ndjson", name]
        )


def test_nothing_but_what_is_passed_over_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "training.jsonl").write_bytes(b"{}\n")
    result = run("-q", "--pass-over", "training.jsonl", cwd=tmp_path)
    said = "replaylint: passed over 1 file that is no recording: training.jsonl\n"
    assert (result.returncode, result.stdout, result.stderr) == (0, "", said)


# Archives


def tarred(
    files: dict[str, bytes], form: Literal["w", "w:gz", "w:bz2", "w:xz"] = "w", kind: int = tarfile.GNU_FORMAT
) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=form, format=kind) as archive:
        for name, content in files.items():
            facts = tarfile.TarInfo(name)
            facts.size = len(content)
            facts.type = tarfile.DIRTYPE if name.endswith("/") else tarfile.REGTYPE
            archive.addfile(facts, io.BytesIO(content))
    return data.getvalue()


def zipped(files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", compression) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


ARCHIVES: dict[str, Callable[[dict[str, bytes]], bytes]] = {
    "a.tar": tarred,
    "a.tar.gz": lambda files: tarred(files, "w:gz"),
    "a.tar.bz2": lambda files: tarred(files, "w:bz2"),
    "a.txz": lambda files: tarred(files, "w:xz"),
    "pax.tar": lambda files: tarred(files, kind=tarfile.PAX_FORMAT),
    "ustar.tar": lambda files: tarred(files, kind=tarfile.USTAR_FORMAT),
    "a.zip": zipped,
    "stored": lambda files: zipped(files, zipfile.ZIP_STORED),
}


def some_files() -> dict[str, bytes]:
    lines = Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s").result(1, {}).lines()
    data = b"\n".join(lines) + b"\n"
    long = "/".join(["folder"] * 13)
    return {
        "folder/": b"",
        "folder/one.ndjson": data,
        "notes.md": b"# Notes\n" * 1000,
        f"{long}/é.ndjson.gz": gzip.compress(data),
        "folder/.hidden": b"",
        "last.ndjson": data * 300,
    }


@pytest.mark.parametrize("name", ARCHIVES)
def test_an_archive_is_a_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files = some_files()
    Path(name).write_bytes(ARCHIVES[name](files))
    report = lint(name)
    wanted = [each for each in files if "ndjson" in each]
    assert [(each.path, each.error) for each in report.traces] == [(f"{name}/{each}", None) for each in wanted]
    assert [each.path for each in report.passed_over_files] == [f"{name}/notes.md"]
    assert {each.sessions[0].outcome for each in report.resumes} == {"complete"}
    assert [each.lines for each in report.traces] == [7, 7, 2100]
    # A recording in it can be named, too.
    for each in wanted:
        (trace,) = lint(f"{name}/{each}").traces
        assert (trace.path, trace.error) == (f"{name}/{each}", None)
    (trace,) = lint(f"{name}/absent").traces
    assert trace.error is not None
    assert run("show", f"{name}/last.ndjson:3").returncode == 0


def test_a_tar_may_be_a_stream_and_a_zip_not(tmp_path: Path) -> None:
    (tmp_path / "tar").write_bytes(tarred(some_files(), "w:gz"))
    (tmp_path / "zip").write_bytes(zipped(some_files()))
    with subprocess.Popen(["cat", tmp_path / "tar"], stdout=subprocess.PIPE) as pipe:
        assert pipe.stdout is not None
        assert len(json.loads(run("-f", "json", "-", stdin=pipe.stdout.fileno()).stdout)["traces"]) == 3
    with subprocess.Popen(["cat", tmp_path / "zip"], stdout=subprocess.PIPE) as pipe:
        assert pipe.stdout is not None
        result = run("-", stdin=pipe.stdout.fileno())
    assert result.returncode == 2
    assert "as files, not as streams" in result.stderr


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.zip"])
def test_of_an_archive_that_is_cut_or_damaged_the_rest_is_read(name: str, tmp_path: Path) -> None:
    data = ARCHIVES[name](some_files())
    for end in range(600, len(data) - 1024, max(1, len(data) // 20)):
        (tmp_path / name).write_bytes(data[:end])
        report = lint(tmp_path / name)
        errors = [each.error for each in report.traces if each.error is not None]
        assert errors
        assert {each.code for each in errors} <= {"truncated", "damaged", "directory"}
    for at in range(0, len(data), max(1, len(data) // 20)):
        (tmp_path / name).write_bytes(data[:at] + bytes([data[at] ^ 0x55]) + data[at + 1 :])
        lint(tmp_path / name)


def test_an_archive_without_a_recording_is_an_error(tmp_path: Path) -> None:
    for name, make in ARCHIVES.items():
        (tmp_path / name).write_bytes(make({"notes.md": b"# Notes\n"}))
        (trace,) = lint(tmp_path / name).traces
        assert trace.error is not None
        assert trace.error.message == "is an archive without a recording in it"


def test_an_archive_in_a_folder_is_looked_into(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped(some_files()))
    assert len(lint(tmp_path).traces) == 3


def test_an_archive_in_an_archive_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zipped({**some_files(), "b.zip": zipped(some_files())}))
    report = lint(tmp_path)
    assert len(report.traces) == 3
    assert len(report.passed_over_files) == 2


def test_errors_hold_no_frames(tmp_path: Path) -> None:
    """The command line runs without the collector, and a folder may hold many broken files."""
    for number in range(20):
        (tmp_path / f"{number}.ndjson.gz").write_bytes(gzip.compress(b'{"jsonrpc":"2.0"}\n' * 99)[:-9])
        (tmp_path / f"{number}.tar").write_bytes(tarred(some_files())[:700])

    def frames() -> int:
        return sum(isinstance(each, TracebackType) for each in gc.get_objects())

    lint(tmp_path)
    gc.collect()
    gc.disable()
    try:
        before = frames()
        report = lint(tmp_path)
        assert frames() <= before
    finally:
        gc.enable()
    assert sum(each.error is not None for each in report.traces) >= 40
