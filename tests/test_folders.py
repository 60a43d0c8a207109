"""Which files of a folder are linted."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from shutil import copy

import pytest

from replaylint.analysis.folders import recordings_in
from replaylint.analysis.lint import lint
from replaylint.render import FORMATS
from tests.command_line import run
from tests.conftest import ROOT
from tests.recordings import Recording

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
    assert json.loads(again.stdout) == json.loads(once.stdout) | {"passed_over": len(FORMATS)}
    assert (once.returncode, again.returncode) == (1, 1)
    named = run("traces/report.ndjson", cwd=tmp_path)
    assert named.stderr == "replaylint: traces/report.ndjson:1: is what replaylint wrote, no recording\n"
    assert named.returncode == 2
