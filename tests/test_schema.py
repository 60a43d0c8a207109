from __future__ import annotations

import gzip
import json
from dataclasses import fields, is_dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints

import pytest
from jsonschema import Draft202012Validator

from replaylint.report import model
from tests.conftest import ROOT
from tests.recordings import Recording, report_of, report_of_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SCHEMA: dict[str, Any] = json.loads((files("replaylint.report") / "schema.json").read_text("utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
OBJECTS: dict[str, dict[str, Any]] = {
    name: schema for name, schema in {"Report": SCHEMA, **SCHEMA["$defs"]}.items() if "properties" in schema
}

CLASSES = {
    name: value
    for name, value in vars(model).items()
    if is_dataclass(value) and value.__module__ == model.__name__ and value is not model.Statistics
}
"""Without what is only the common part of others."""
OPTIONAL = {("Evidence", "trace"), ("Response", "trace"), ("Marker", "trace")}
"""Fields that only things in another file have."""
ADDED = {
    *(
        ("Report", field)
        for field in ("passed_over", "passed_over_files", "baseline", "exceptions", "settings", "budgets")
    ),
    ("Trace", "left_out"),
    ("Trace", "longest_message_bytes"),
    ("Trace", "malformed"),
    ("Trace", "malformed_line"),
    ("Resume", "unanswered_s"),
    ("ResponseError", "data"),
    ("Session", "replay_end_line"),
    *(("Finding", field) for field in ("headline", "help", "method", "author", "since_s")),
    *(("Distribution", field) for field in ("edges_s", "counts")),
    ("Lateness", "n"),
    *(("Summary", field) for field in ("replays", "known", "resolution_s", "unmeasured", "worst", "group_by")),
    *(("Group", field) for field in ("resumes", "replays", "known", "resolution_s", "unmeasured", "worst")),
    ("Group", "quiet_timer_needed_s"),
}
"""Fields that the contract's example does not have."""
SCHEMA_ONLY = {"FindingCounts", "Timings"}
"""Objects that are plain dictionaries in the model."""
NARROWER = {
    ("Connection", "ended"),
    ("Report", "schema_version"),
    ("Resume", "method"),
    ("Group", "findings"),
    ("Group", "timing"),
    ("Summary", "findings"),
    ("Summary", "timing"),
}
"""Fields of which the schema says more than the model's type."""

Shape = frozenset[object]


# The schema itself


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def test_its_id_names_no_host() -> None:
    assert SCHEMA["$id"].startswith("urn:")


def test_it_is_of_this_version() -> None:
    assert SCHEMA["properties"]["schema_version"]["const"] == model.SCHEMA_VERSION
    assert SCHEMA["$id"].endswith(f":{model.SCHEMA_VERSION}")


@pytest.mark.parametrize("name", OBJECTS)
def test_every_field_is_required_and_others_are_welcome(name: str) -> None:
    schema = OBJECTS[name]
    optional = {field for owner, field in OPTIONAL | ADDED if owner == name}
    assert schema["type"] == "object"
    assert set(schema["required"]) == schema["properties"].keys() - optional
    assert "additionalProperties" not in schema


@pytest.mark.parametrize("name", OBJECTS)
def test_everything_is_described(name: str) -> None:
    for field, schema in {"": OBJECTS[name], **OBJECTS[name]["properties"]}.items():
        assert (schema if "description" in schema else target(schema))["description"].endswith("."), field


def test_every_definition_is_used() -> None:
    text = json.dumps(SCHEMA)
    assert [name for name in SCHEMA["$defs"] if f'"#/$defs/{name}"' not in text] == []


# The schema and the model


def test_both_have_the_same_objects() -> None:
    assert OBJECTS.keys() == CLASSES.keys() | SCHEMA_ONLY


@pytest.mark.parametrize("name", CLASSES)
def test_both_have_the_same_fields_in_the_same_order(name: str) -> None:
    declared = [field for field in OBJECTS[name]["properties"] if (name, field) not in OPTIONAL]
    assert declared == [field.name for field in fields(CLASSES[name])]


@pytest.mark.parametrize("name", CLASSES)
def test_both_have_the_same_types(name: str) -> None:
    hints = get_type_hints(CLASSES[name])
    for field, hint in hints.items():
        if (name, field) not in NARROWER:
            assert shape_of(OBJECTS[name]["properties"][field]) == shape_of_hint(hint), field


def test_the_exceptions_exist() -> None:
    assert all(field in OBJECTS[name]["properties"] for name, field in NARROWER | OPTIONAL)


def target(schema: dict[str, Any]) -> dict[str, Any]:
    """What this schema refers to, or itself."""
    if "$ref" not in schema:
        return schema
    found: dict[str, Any] = SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return found


def shape_of(schema: dict[str, Any]) -> Shape:
    """The alternatives that a schema allows: names of types, enumerated values, objects, lists and maps."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return frozenset({("object", name)}) if name in OBJECTS else shape_of(target(schema))
    if "anyOf" in schema:
        return frozenset().union(*map(shape_of, schema["anyOf"]))
    if "enum" in schema:
        return frozenset("null" if value is None else ("value", value) for value in schema["enum"])
    if schema.get("type") == "array":
        return frozenset({("list", shape_of(schema["items"]))})
    if schema.get("type") == "object":
        return frozenset({("map", shape_of(schema["additionalProperties"]))})
    kinds = schema.get("type", "anything")
    return frozenset({kinds} if isinstance(kinds, str) else kinds)


def shape_of_hint(hint: Any) -> Shape:
    """The same, of a type of the model."""
    simple = {
        str: "string",
        int: "integer",
        float: "number",
        bool: "boolean",
        type(None): "null",
        object: "anything",
    }
    if hint in simple:
        return frozenset({simple[hint]})
    if is_dataclass(hint):
        return frozenset({("object", getattr(hint, "__name__", ""))})
    arguments = get_args(hint)
    if get_origin(hint) is Literal:
        return frozenset(("value", value) for value in arguments)
    if get_origin(hint) is list:
        return frozenset({("list", shape_of_hint(arguments[0]))})
    if get_origin(hint) is dict:
        return frozenset({("map", shape_of_hint(arguments[1]))})
    return frozenset().union(*map(shape_of_hint, arguments))


# Reports


def check(report: dict[str, Any]) -> None:
    """The schema holds, and it declares every key."""
    assert [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(report)] == []
    assert list(undeclared(report, SCHEMA, "$")) == []


def undeclared(value: Any, schema: dict[str, Any], path: str) -> Iterator[str]:
    """The keys in this value that its schema does not declare."""
    schema = target(schema)
    if "anyOf" in schema:
        schema = target(schema["anyOf"][0])
    if isinstance(value, list) and "items" in schema:
        for item in value:
            yield from undeclared(item, schema["items"], f"{path}[]")
    if isinstance(value, dict) and "properties" in schema:
        for key, inner in value.items():
            if key in schema["properties"]:
                yield from undeclared(inner, schema["properties"][key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"


def complete() -> Recording:
    """A v2 replay with a finding: a live update before the marker."""
    made = Recording().initialize_v2().resume(3, "s").message("s", "m1").idle("s").marker("s").idle("s")
    return made.result(3, {}, after=2.7)


def children() -> Recording:
    made = Recording().initialize_v2().resume(1, "s").message("c", "m0").child("s", "c").message("c", "m1")
    return made.marker("c").child("c", "d").marker("s").idle("s").marker("stranger").result(1, {}).marker("d")


def vendor() -> Recording:
    made = Recording().initialize_v1(opted_in=True).load(1, "s").message("s", None).vendor("s").vendor("s")
    return made.result(1, None).load("2", "t").message("t", None).result("2", {}).vendor("elsewhere")


def waiting() -> Recording:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    made.agent(1, "session/request_permission", sessionId="s").marker("s")
    return made.result(1, {}, direction="c2a").agent("later", "fs/read_text_file", sessionId="s").idle("s")


def failing() -> Recording:
    made = Recording().initialize_v2()
    for ident, code in enumerate((-32602, -32800, -32002, 7), start=1):
        made.resume(ident, f"s{ident}").message(f"s{ident}", "m1").error(ident, code)
    made.resume(8, "odd").record("a2c", {"jsonrpc": "2.0", "id": 8, "error": {"code": "x", "message": 1}})
    return made.resume(9, "odder").record("a2c", {"jsonrpc": "2.0", "id": 9, "error": "failed"})


def connections() -> Recording:
    made = Recording().meta("start").initialize_v1().load(1, "s").meta("dropped", count=2).meta("exit", code=0)
    made.meta("start").initialize_v2().resume(1, "s").meta("eof", side="agent")
    return made.record("c2a", {"jsonrpc": "2.0", "id": 5, "method": "session/resume", "params": {"cwd": "/w"}})


def overlapping() -> Recording:
    made = Recording().resume(1, "s").resume(2, "s").message("s", "m1").marker("s").message("s", "m2")
    made.update("s", "session_info_update").update("s", "_private").update("s", "unheard_of")
    return made.result(1, {}).result(2, {})


def clock_back() -> Recording:
    return Recording().initialize_v2().resume(1, "s").message("s", "m1", after=-5).marker("s").result(1, {}, after=-1)


RECORDINGS: dict[str, Callable[[], Recording]] = {
    "complete": complete,
    "children": children,
    "vendor": vendor,
    "waiting": waiting,
    "failing": failing,
    "connections": connections,
    "overlapping": overlapping,
    "clock-back": clock_back,
    "plain": lambda: Recording().initialize_v2().resume(1, "s", replay=False).idle("s").result(1, {}),
    "unanswered": lambda: Recording().initialize_v2().resume(1, "s").message("s", "m1"),
    "other-cursor": lambda: Recording().client(1, "session/resume", sessionId="s", replayFrom={"type": "message"}),
    "no-cursor-type": lambda: Recording().client(1, "session/resume", sessionId="s", replayFrom=7),
    "no-resume": lambda: Recording().initialize_v2(),
    "no-handshake": lambda: Recording().load(1, "s").message("s", None).result(1, {}),
}


@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
@pytest.mark.parametrize("name", RECORDINGS)
def test_reports_are_as_declared(name: str, closed: bool, tmp_path: Path) -> None:
    check(report_of(RECORDINGS[name]().lines(), tmp_path, closed=closed))


@pytest.mark.parametrize("name", RECORDINGS)
def test_reports_without_times_and_directions_are_as_declared(name: str, tmp_path: Path) -> None:
    lines = [json.dumps(record["msg"]).encode() for record in RECORDINGS[name]().records if "msg" in record]
    report = report_of(lines, tmp_path)
    check(report)
    assert report["traces"][0]["timestamps"] == "none"
    assert report["traces"][0]["directions"] == "inferred"


@pytest.mark.parametrize(
    "ident",
    [None, 1.5, 1e300, True, False, "3", "", "\u2028\N{GRINNING FACE}", [1, None], {"a": [1]}, -1, 2**63],
    ids=repr,
)
def test_request_ids_are_of_any_type(ident: object, tmp_path: Path) -> None:
    answered = Recording().initialize_v2().resume(ident, "s").message("s", "m1").result(ident, {})
    report = report_of(answered.lines(), tmp_path)
    check(report)
    found = report["resumes"][0]["request_id"]
    assert (found, type(found)) == (ident, type(ident))
    finding = next(each for each in report["findings"] if each["session_id"] == "s")
    assert (finding["request_id"], type(finding["request_id"])) == (ident, type(ident))
    check(report_of(Recording().initialize_v2().resume(ident, "s").lines(), tmp_path))


def test_inputs_that_cannot_be_read_are_as_declared(tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(line + b"\n" for line in complete().lines()))
    contents = {
        "empty": b"",
        "blank": b"\n\n",
        "text": b"no recording\n",
        "json": b'{"a": 1}\n[]\n7\n',
        "binary": bytes(range(256)),
        "cut.gz": whole[:-20],
        "damaged.gz": whole[:40] + b"\0" * 40 + whole[80:],
    }
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    report = report_of_file(*(tmp_path / name for name in contents), tmp_path / "missing", tmp_path)
    check(report)
    assert all(each["error"] is not None for each in report["traces"])


def test_several_inputs_are_as_declared(tmp_path: Path) -> None:
    (tmp_path / "some").mkdir()
    (tmp_path / "other").mkdir()
    report_of(complete().lines(), tmp_path / "some")
    report_of(children().lines(), tmp_path / "other")
    report = report_of_file(*sorted(tmp_path.glob("*/trace.ndjson")))
    check(report)
    assert len(report["traces"]) == 2


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.relative_to(ROOT).as_posix())
        for path in sorted((ROOT / "sample_traces").rglob("*"))
        if path.is_file() and path.suffix in {".ndjson", ".jsonl", ".gz", ".log", ".jsons"}
    ],
)
def test_reports_of_the_samples_are_as_declared(path: Path) -> None:
    check(report_of_file(path))


@pytest.mark.parametrize("folder", ["corpus", "traces/real", "traces/formats", "traces/public"])
def test_reports_of_the_shared_recordings_are_as_declared(folder: str, shared: Path) -> None:
    paths = [path for path in sorted((shared / folder).iterdir()) if path.is_file() and path.suffix != ".md"]
    for path in paths:
        if not path.name.endswith((".expect.json", "expected.json")):
            report = report_of_file(path)
            try:
                check(report)
            except AssertionError as error:
                error.add_note(str(path))
                raise


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema_version", 2),
        ("traces.0.timestamps", "sundial"),
        ("traces.0.lines", -1),
        ("traces.0.connections.0.ended", "success"),
        ("resumes.0.method", "session/prompt"),
        ("resumes.0.request.line", 0),
        ("resumes.0.request.time", "noon"),
        ("resumes.0.sessions.0.outcome", "perfect"),
        ("resumes.0.sessions.0.marker.kind", "marker"),
        ("resumes.0.sessions.0.updates.by_kind", {"agent_message": "one"}),
        ("resumes.0.sessions.0.timing.total_s", -1),
        ("findings.0.rule", "RL1"),
        ("findings.0.severity", "fatal"),
        ("findings.0.party", "editor"),
        ("findings.0.side", "recording"),
        ("findings.0.fingerprint", "0" * 63),
        ("findings.0.known", None),
        ("summary.outcomes", {"perfect": 1}),
        ("summary.timing.total_s.n", None),
    ],
)
def test_what_is_wrong_is_refused(path: str, value: object, tmp_path: Path) -> None:
    report = report_of(complete().lines(), tmp_path)
    check(report)
    *way, last = path.split(".")
    at: Any = report
    for step in way:
        at = at[int(step) if step.isdigit() else step]
    assert last in at
    at[last] = value
    assert not VALIDATOR.is_valid(report)


# The contract's example


def test_the_contracts_example_has_the_same_keys(shared: Path, tmp_path: Path) -> None:
    example = example_of(shared)
    assert list(undeclared(example, SCHEMA, "$")) == []
    theirs, ours = set(keys(example)), set(keys(report_of(complete().lines(), tmp_path)))
    # The example is shortened in the timings.
    added = {name for _, name in ADDED}
    more = [key for key in sorted(ours - theirs) if not key.startswith("$.summary.timing.")]
    assert [key for key in more if added.isdisjoint(key.replace("[]", "").split("."))] == []
    assert theirs - ours == set()


def test_the_contracts_example_is_as_declared(shared: Path) -> None:
    example = example_of(shared)
    example["findings"][0]["fingerprint"] = "0" * 64
    timing = example["summary"]["timing"]
    example["summary"]["timing"] = dict.fromkeys(OBJECTS["Timings"]["properties"], timing["response_gap_s"])
    check(example)


def example_of(shared: Path) -> dict[str, Any]:
    """The example in the contract."""
    _, _, rest = (shared / "REPORT.md").read_text("utf-8").partition("```json\n")
    example: dict[str, Any] = json.loads(rest.partition("```")[0])
    return example


def keys(value: Any, path: str = "$") -> Iterator[str]:
    """Every key in this value, with the way to it; maps of variants and outcomes have no keys of their own."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item, f"{path}[]")
    elif isinstance(value, dict) and not path.endswith((".by_kind", ".outcomes")):
        for key, inner in value.items():
            yield f"{path}.{key}"
            yield from keys(inner, f"{path}.{key}")
