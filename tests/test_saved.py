"""Saved reports: what is loaded is what was saved, and whatever else a file holds is refused in one line."""

from __future__ import annotations

import copy
import json
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps, loads

from replaylint.analysis.lint import lint
from replaylint.render import comparison as shown
from replaylint.render.json import render
from replaylint.render.view import View
from replaylint.report.saved import MAX_DEPTH, ReportError, is_report, load
from replaylint.views.comparison import compare
from tests.conftest import ROOT
from tests.profiles import profile
from tests.recordings import Recording
from tests.strategies import json_values
from tests.test_several import recording, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.report.model import Report

FOLDERS = [ROOT / "sample_traces", *sorted((ROOT / "tests/rules").iterdir())]


def family() -> Recording:
    """A replay with a child, a request with a structured id, and findings."""
    made = Recording().initialize_v2().resume({"a": [1.5, None]}, "s").message("s", "m1").update("s", "notice")
    made.child("s", "c").message("c", "m2").marker("c").marker("s").idle("s").result({"a": [1.5, None]}, {})
    return made.resume(2, "t").message("t", "m1").error(2, -32603)


def saved(report: Report, path: Path) -> str:
    path.write_bytes(b"".join(render(report, View())))
    return str(path)


def assert_survives(report: Report, path: Path) -> None:
    name = saved(report, path)
    assert is_report(name)
    assert dumps(load(name)) == dumps(report)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_what_is_loaded_is_what_was_saved(folder: Path, tmp_path: Path) -> None:
    """Recordings and whatever else is there, each alone and all together."""
    paths = [path for path in sorted(folder.iterdir()) if path.is_file()]
    assert paths
    for path in paths:
        assert_survives(lint(path, expect="complete"), tmp_path / "report.json")
    assert_survives(lint(paths, closed=True, group_by="file"), tmp_path / "report.json")


@pytest.mark.parametrize("at", range(3, 11))
def test_places_in_other_files_survive(at: int, tmp_path: Path) -> None:
    records = recording().records
    parts = [written(tmp_path / "1", records[:at]), written(tmp_path / "2", records[at:])]
    report = lint(parts, concat=True)
    assert dumps(report).count(b'"trace":') > 1 + len(report.findings)
    assert_survives(report, tmp_path / "report.json")


def test_an_empty_report_survives(tmp_path: Path) -> None:
    assert_survives(lint([]), tmp_path / "report.json")


# Fields


def example(tmp_path: Path) -> Any:
    report = lint(written(tmp_path / "t.ndjson", family().records))
    return loads(dumps(report))


def loaded(content: object, tmp_path: Path) -> Report:
    path = tmp_path / "report.json"
    path.write_bytes(dumps(content))
    return load(str(path))


def at(content: Any, way: str) -> tuple[Any, Any]:
    """What holds the field that this leads to, and its name there."""
    *steps, last = [int(step) if step.isdigit() else step for step in way.split(".")]
    for step in steps:
        content = content[step]
    return content, last


def test_further_fields_are_passed_over(tmp_path: Path) -> None:
    content = example(tmp_path)
    expected = dumps(content)
    for way in ("new", "traces.0.new", "resumes.0.sessions.0.timing.new", "findings.0.evidence.0.new"):
        holder, name = at(content, way)
        holder[name] = {"a": [1]}
    assert dumps(loaded(content, tmp_path)) == expected


@pytest.mark.parametrize(
    ("way", "instead"),
    [
        ("traces", []),
        ("findings.0.evidence", []),
        ("findings.0.request_id", None),
        ("resumes.0.response", None),
        ("resumes.0.sessions.0.timing.total_s", None),
        ("resumes.0.sessions.0.updates.by_kind", {}),
        ("summary.groups", []),
    ],
)
def test_a_missing_field_is_what_its_type_has_for_nothing(way: str, instead: object, tmp_path: Path) -> None:
    content = example(tmp_path)
    holder, name = at(content, way)
    del holder[name]
    result = loads(dumps(loaded(content, tmp_path)))
    holder, name = at(result, way)
    assert holder[name] == instead


@pytest.mark.parametrize("way", ["tool", "tool.version", "resumes.1.request.line", "findings.0.known", "summary"])
def test_a_field_that_has_to_be_there(way: str, tmp_path: Path) -> None:
    content = example(tmp_path)
    holder, name = at(content, way)
    del holder[name]
    where = way.replace(".0.", "[0].").replace(".1.", "[1].")
    with pytest.raises(ReportError, match=rf"report\.json: {where.replace('[', '.').replace(']', '.')}: is missing$"):
        loaded(content, tmp_path)


@pytest.mark.parametrize(
    ("way", "value", "error"),
    [
        ("resumes.1.request.line", "5", 'resumes[1].request.line: has to be an integer, not "5"'),
        ("resumes.1.request.line", 5.0, "resumes[1].request.line: has to be an integer, not 5.0"),
        ("resumes.1.request.line", True, "resumes[1].request.line: has to be an integer, not true"),
        ("resumes.0.request.time", "noon", 'resumes[0].request.time: has to be a number, not "noon"'),
        ("resumes.0.request", [], "resumes[0].request: has to be an object, not an array"),
        ("resumes.0.replaying", 1, "resumes[0].replaying: has to be true or false, not 1"),
        ("resumes.0.sessions.1.marker.kind", "x", "resumes[0].sessions[1].marker.kind: has to be "),
        ("resumes.0.sessions.0.outcome", None, 'resumes[0].sessions[0].outcome: has to be "complete" or "complete_'),
        ("resumes.0.sessions.0.updates.by_kind.a\n.b", 1.5, 'by_kind["a\\n"]: has to be an integer, not an object'),
        ("findings.0.severity", "fatal", 'findings[0].severity: has to be "error" or "warning" or "info", not "fatal"'),
        ("findings.0.party", {"a": 1}, "findings[0].party: has to be "),
        ("findings.0.evidence.0.line", None, "findings[0].evidence[0].line: has to be an integer, not null"),
        ("findings.0.evidence.0.trace", 1, "findings[0].evidence[0].trace: has to be a string, not 1"),
        ("findings", {}, "findings: has to be an array, not an object"),
        ("schema_version", 2, "is a report of schema_version 2; only 1 can be read"),
        ("schema_version", "1", 'is a report of schema_version "1"; only 1 can be read'),
        ("schema_version", True, "schema_version: has to be an integer, not true"),
    ],
)
def test_a_field_of_a_wrong_type_is_named(way: str, value: object, error: str, tmp_path: Path) -> None:
    content = example(tmp_path)
    if way.endswith(".b"):
        way, value = way.removesuffix(".b"), {"b": value}
    holder, name = at(content, way)
    holder[name] = value
    with pytest.raises(ReportError) as raised:
        loaded(content, tmp_path)
    assert error in str(raised.value)
    assert str(raised.value).startswith(str(tmp_path / "report.json: "))


def test_an_integer_does_for_a_number(tmp_path: Path) -> None:
    content = example(tmp_path)
    content["resumes"][0]["sessions"][0]["timing"]["total_s"] = 3
    assert loaded(content, tmp_path).resumes[0].sessions[0].timing.total_s == 3


def nested(depth: int) -> object:
    value: object = 1
    for level in range(depth):
        value = [value] if level % 2 else {"a": value}
    return value


def test_an_id_may_be_nested_but_not_without_end(tmp_path: Path) -> None:
    content = example(tmp_path)
    content["resumes"][0]["request_id"] = nested(MAX_DEPTH)
    dumps(loaded(content, tmp_path))
    content["resumes"][0]["request_id"] = nested(MAX_DEPTH + 1)
    with pytest.raises(ReportError, match=r"resumes\[0\].request_id: is nested too deeply"):
        loaded(content, tmp_path)


# Files


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b'{"schema_version": 1, "a": NaN}', "is not JSON"),
        (b'{"schema_version": 1, "a": 1e999}', "is not JSON"),
        (b'{"schema_version": 1, "a": "\xff"}', "is not JSON"),
        (b'{"schema_version": 1, "a": ' + b"[" * 100_000, "is not JSON"),
        (b'{"schema_version": 1, "a": ' + b"[" * 2000 + b"]" * 2000 + b"}", "is not JSON"),
        (b"[]", "has to be an object, not an array"),
        (b"null", "has to be an object, not null"),
        (b"{}", "schema_version: is missing"),
        (b'{"schema_version": 99999999999999999999999}', "is a report of schema_version 1e+23"),
        (b'{"schema_version": ' + b"[" * 500 + b"]" * 500 + b"}", "is a report of schema_version ..."),
        (b'{"schema_version": 1}', "tool: is missing"),
    ],
)
def test_what_is_no_report_is_refused(content: bytes, error: str, tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(ReportError) as raised:
        load(str(path))
    assert str(raised.value).startswith(f"{path}: {error}")


def test_what_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ReportError, match="No such file"):
        load(str(tmp_path / "absent"))
    with pytest.raises(ReportError, match=r"Is a directory|Permission denied"):
        load(str(tmp_path))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'{"schema_version":1}', True),
        (b'\xef\xbb\xbf \n{\n  "schema_version": 1,', True),
        (b'{"tool": "x", "schema_version": 2', True),
        (b'{"tool": {"name": "x"}, "schema_version": 1', False),
        (b'{"jsonrpc": "2.0", "params": {"schema_version": 1}}', False),
        (b'[{"schema_version": 1}]', False),
        (b'"schema_version"', False),
        (b"", False),
        (b"{" + b" " * 5000 + b'"schema_version": 1}', False),
    ],
)
def test_a_report_is_told_by_its_beginning(content: bytes, expected: bool, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    assert is_report(str(path)) is expected


def test_only_a_file_is_a_report(tmp_path: Path) -> None:
    for name in (tmp_path, tmp_path / "absent", "nul\0", "/dev/null", ""):
        assert not is_report(str(name))


@pytest.mark.parametrize("path", sorted((ROOT / "sample_traces").iterdir()), ids=lambda path: path.name)
def test_a_recording_is_no_report(path: Path) -> None:
    assert not is_report(str(path))


# Damage


def places(content: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value."""
    yield way
    for key, value in content.items() if isinstance(content, dict) else enumerate(content):
        if isinstance(value, dict | list):
            yield from places(value, (*way, key))
        else:
            yield (*way, key)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("saved")


def assert_harmless(path: Path, whole: Report) -> None:
    """It is refused in one line, or it can be compared with the whole."""
    try:
        report = load(str(path))
    except ReportError as error:
        assert str(error).startswith(f"{path}: ")  # noqa: PT017
        return
    dumps(report)
    for sides in ((report, whole), (whole, report)):
        found = compare(*sides, max_regression=0.1)
        json.loads(b"".join(shown.as_json(found)))
        "".join(shown.text(found, View(width=60, colour=True)))


@profile(200)
@given(data=st.data())
def test_a_value_that_is_exchanged_harms_nothing(data: st.DataObject, folder: Path) -> None:
    with chdir(folder):  # what is exchanged in the report is not to depend on where that is
        whole = lint(written(Path("t.ndjson"), family().records))
    content = copy.deepcopy(loads(dumps(whole)))
    for _ in range(data.draw(st.integers(1, 3))):
        *steps, last = data.draw(st.sampled_from([way for way in places(content) if way]))
        holder = content
        for step in steps:
            holder = holder[step]
        action = data.draw(st.sampled_from(["value", "delete", "number", "copy"]))
        if action == "delete":
            del holder[last]
        elif action == "copy" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[last]))
        elif action == "number":
            holder[last] = data.draw(st.sampled_from([0, -1, 1e308, -1e308, 5e-324, 2**63, 2**64 - 1, 0.5]))
        else:
            holder[last] = data.draw(json_values())
    path = folder / "report.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert_harmless(path, whole)


@profile(100)
@given(data=st.data())
def test_bytes_that_are_exchanged_harm_nothing(data: st.DataObject, folder: Path) -> None:
    with chdir(folder):  # what is exchanged in the report is not to depend on where that is
        whole = lint(written(Path("t.ndjson"), family().records))
    content = bytearray(dumps(whole))
    for _ in range(data.draw(st.integers(1, 4))):
        where = data.draw(st.integers(0, len(content) - 1))
        content[where : where + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
    path = folder / "report.json"
    path.write_bytes(content[: data.draw(st.integers(len(content) // 2, len(content)))])
    assert_harmless(path, whole)
