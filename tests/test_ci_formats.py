"""Formats for CI systems: what holds for each of them, and where files are in the repository."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from replaylint.commands.terminal import CHECKOUTS
from replaylint.render import FORMATS
from replaylint.render.distinct import distinct
from replaylint.rules import all_rules
from tests.command_line import assert_hashes_do_not_matter, run
from tests.conftest import ROOT as PROJECT
from tests.reports import EVIL, findings, rich, traces
from tests.test_render import PAYLOADS, TEXTS, poisoned, rendered
from tests.unseen import unseen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from replaylint.report.model import Finding, Report

CI = ("github", "gitlab", "junit", "sarif")

MARKUP = [
    EVIL,
    "<b>&amp;</b>",
    "]]><!--x-->",
    "\"'`$(x)`",
    "%0A::error::b%0D",
    "a,line=1:b",
    "[a](https://example.org)",
    "[[a](b)](c)",
    r"[a\](b)",
    "[[ATTACHMENT|a]]",
    "{0} {{",
    "\ufffe\uffff",
    "\x0b\x0c\x1c",
]


def without_findings() -> Report:
    return dataclasses.replace(rich(), traces=traces()[:1], findings=[])


def empty() -> Report:
    return dataclasses.replace(rich(), traces=[], resumes=[], findings=[])


def holding(*found: Finding) -> Report:
    return dataclasses.replace(without_findings(), findings=list(found))


def every_rule() -> Report:
    some = findings()[0]
    return holding(*(dataclasses.replace(some, rule=rule.code, name=rule.name) for rule in all_rules()))


def texts(payload: str) -> list[tuple[str, str]]:
    """The fields that can hold this: a request's id is JSON, which has no lone surrogates."""
    return [field for field in TEXTS if "\ud800" not in payload or field[1] != "request_id"]


def hostile(payload: str) -> Report:
    return poisoned(payload, *texts(payload))


REPORTS: dict[str, Callable[[], Report]] = {
    "rich": rich,
    "empty": empty,
    "clean": without_findings,
    "every rule": every_rule,
    **{f"hostile {payload!a}": partial(hostile, payload) for payload in MARKUP},
}


def commands(output: str) -> list[tuple[str, dict[str, str], str]]:
    """What GitHub's runner makes of each line: the command, its properties and its data."""
    found = []
    for line in output.splitlines():
        matched = re.fullmatch(r"::(error|warning|notice) (.*?)::(.*)", line)
        assert matched is not None
        properties = dict(each.split("=", 1) for each in matched[2].split(","))
        found.append((matched[1], {name: unescaped(text) for name, text in properties.items()}, unescaped(matched[3])))
    return found


def unescaped(text: str) -> str:
    for escape, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escape, character)
    return text


# Every one of them


@pytest.mark.parametrize("form", CI)
def test_quiet_changes_nothing(form: str) -> None:
    assert rendered(form, rich(), quiet=True) == rendered(form, rich())


def test_another_process_prints_the_same_bytes() -> None:
    samples = sorted(f"sample_traces/{path.name}" for path in (PROJECT / "sample_traces").glob("*.ndjson"))
    assert_hashes_do_not_matter(*(["--format", form, *samples, "absent.ndjson"] for form in FORMATS))


@pytest.mark.parametrize("form", CI)
@pytest.mark.parametrize("payload", [*PAYLOADS, *MARKUP], ids=ascii)
def test_nothing_in_a_log_is_interpreted(form: str, payload: str) -> None:
    fields = texts(payload)
    output = rendered(form, poisoned(payload, *fields))
    assert unseen(output.replace("\n", "")) == []
    assert output.count("\n") == rendered(form, poisoned("x", *fields)).count("\n")
    assert "##" not in output
    if form == "github":
        assert len(commands(output)) == output.count("\n")
    else:
        assert not re.search(r"^\s*::", output, re.MULTILINE)
    if form in {"gitlab", "sarif"}:
        assert output.isascii()


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        ([], []),
        (["a", "b"], ["a", "b"]),
        (["a", "b", "a", "a"], ["a", "b", "a:2", "a:3"]),
        (["a", "a", "a:2"], ["a", "a:2", "a:2:2"]),
        (["a:2", "a", "a"], ["a:2", "a", "a:3"]),
        (["", ""], ["", ":2"]),
    ],
)
def test_texts_are_made_distinct(texts: list[str], names: list[str]) -> None:
    assert list(distinct(texts)) == names


# Where files are in the repository


def paths(form: str, output: str) -> set[str]:
    """Those at which a CI system shows what was found."""
    if form == "github":
        return {properties["file"] for _, properties, _ in commands(output)}
    if form == "gitlab":
        return {entry["location"]["path"] for entry in json.loads(output)}
    if form == "junit":
        return {suite.get("file", "-") for suite in ET.fromstring(output)}  # noqa: S314  (it is our own)
    results = json.loads(output)["runs"][0]["results"]
    found = [each["physicalLocation"]["artifactLocation"] for result in results for each in result["locations"]]
    assert all(("uriBaseId" in each) is not each["uri"].startswith("file:") for each in found)
    return {unquote(each["uri"]) for each in found}


@pytest.fixture
def checked_out(tmp_path: Path) -> Path:
    """A checkout with recordings in it, in which the same is wrong, and one beside it."""
    root = tmp_path / "checkout"
    sample = (PROJECT / "sample_traces" / "live-before-marker.ndjson").read_bytes()
    for name in ("checkout/sub/in.ndjson", "checkout/traces/a b.ndjson", "beside/out.ndjson"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(sample)
    return root


PLACES = ("github", "gitlab", "junit", "sarif")


@pytest.mark.parametrize("variable", CHECKOUTS)
@pytest.mark.parametrize("form", PLACES)
def test_paths_are_those_of_the_repository(form: str, variable: str, checked_out: Path) -> None:
    variables = {**dict.fromkeys(CHECKOUTS, ""), variable: f"{checked_out}/sub/../"}
    given = ["in.ndjson", "../traces/a b.ndjson", "../../beside/out.ndjson"]
    result = run("-f", form, *given, cwd=checked_out / "sub", variables=variables)
    assert paths(form, result.stdout) == {"sub/in.ndjson", "traces/a b.ndjson", "../../beside/out.ndjson"}
    exported = run(f"--export={form}=out", *given, cwd=checked_out / "sub", variables=variables)
    assert (exported.returncode, (checked_out / "sub/out").read_text("utf-8")) == (1, result.stdout)


@pytest.mark.parametrize("form", PLACES)
def test_an_absolute_path_is_one_of_the_repository_too(form: str, checked_out: Path) -> None:
    variables = dict.fromkeys(CHECKOUTS, str(checked_out))
    given = [checked_out / "traces/a b.ndjson", checked_out.parent / "beside/out.ndjson"]
    outside = str(given[1]) if form != "sarif" else given[1].as_uri()
    for folder in (checked_out / "sub", checked_out.parent / "beside"):
        result = run("-f", form, given[0], cwd=folder, variables=variables)
        assert paths(form, result.stdout) == {"traces/a b.ndjson"}
    result = run("-f", form, given[1], cwd=checked_out, variables=variables)
    assert paths(form, result.stdout) == {outside}


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
@pytest.mark.parametrize("form", PLACES)
def test_a_checkout_may_be_behind_a_link(form: str, checked_out: Path) -> None:
    link = checked_out.parent / "link"
    link.symlink_to(checked_out)
    for variables in (
        dict.fromkeys(CHECKOUTS, str(link)),
        {CHECKOUTS[0]: "/elsewhere", CHECKOUTS[1]: str(checked_out)},
    ):
        result = run("-f", form, "in.ndjson", cwd=checked_out / "sub", variables=variables)
        assert paths(form, result.stdout) == {"sub/in.ndjson"}


@pytest.mark.parametrize("root", ["", ".", "sub", "../..", "/elsewhere"])
@pytest.mark.parametrize("form", PLACES)
def test_paths_are_as_given_where_no_checkout_is_known(form: str, root: str, checked_out: Path) -> None:
    result = run("-f", form, "sub/in.ndjson", cwd=checked_out, variables=dict.fromkeys(CHECKOUTS, root))
    assert paths(form, result.stdout) == {"sub/in.ndjson"}


@pytest.mark.parametrize("form", PLACES)
def test_standard_input_is_in_no_repository(form: str, checked_out: Path) -> None:
    sample = (checked_out / "sub/in.ndjson").read_text("utf-8")
    outputs = {
        run("-f", form, "-", cwd=checked_out / "sub", stdin=sample, variables=dict.fromkeys(CHECKOUTS, root)).stdout
        for root in ("", str(checked_out))
    }
    (output,) = outputs
    if form in {"github", "junit"}:
        assert "file=" not in output
    else:
        assert paths(form, output) == {"-"}


@pytest.mark.skipif(os.sep != "/", reason="a folder that is in use cannot be removed")
def test_a_working_folder_that_is_gone_is_in_no_checkout(checked_out: Path) -> None:
    sample = checked_out / "sub/in.ndjson"
    script = f'cd "$1" && rmdir "$1" && exec {sys.executable} -m replaylint -f github - < "$2"'
    (checked_out / "gone").mkdir()
    result = subprocess.run(
        ["sh", "-c", script, "sh", checked_out / "gone", sample],
        capture_output=True,
        check=False,
        env={**os.environ, **dict.fromkeys(CHECKOUTS, str(checked_out)), "PYTHONPATH": str(PROJECT)},
    )
    assert (result.returncode, result.stderr) == (1, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
@pytest.mark.parametrize("form", PLACES)
def test_bytes_that_are_no_text_are_shown(form: str, checked_out: Path) -> None:
    root = checked_out / os.fsdecode(b"\xfe")
    folder = root / os.fsdecode(b"\xff")
    folder.mkdir(parents=True)
    (folder / "x").write_bytes((checked_out / "sub/in.ndjson").read_bytes())
    result = run("-f", form, "x", cwd=folder, variables=dict.fromkeys(CHECKOUTS, str(root)))
    assert paths(form, result.stdout) == {r"\xff/x"}


@pytest.mark.parametrize("form", FORMATS)
def test_no_other_format_asks_where_the_checkout_is(form: str, checked_out: Path) -> None:
    outputs = {
        run("-f", form, "in.ndjson", cwd=checked_out / "sub", variables=dict.fromkeys(CHECKOUTS, root)).stdout
        for root in ("", str(checked_out))
    }
    assert len(outputs) == (2 if form in PLACES else 1)


def test_a_fingerprint_does_not_depend_on_the_folder(checked_out: Path) -> None:
    variables = dict.fromkeys(CHECKOUTS, str(checked_out))
    given = {"in.ndjson": checked_out / "sub", "sub/in.ndjson": checked_out}
    outputs = {run("-f", "gitlab", path, cwd=cwd, variables=variables).stdout for path, cwd in given.items()}
    assert len(outputs) == 1
