"""Each rule against its recordings, which `rules/CODE/` holds, each with its expectation, NAME.expect.json:

findings   rule, severity and line of every finding, as the semantics say; of rules that are still to be written,
           nothing is compared
details    for each of these, where there are any, what else it says: its sentence, what that rests on, and the
           fingerprint by which baselines know it (REPLAYLINT_UPDATE_GOLDEN=1 writes them anew)
…          an option of `lint` by its name: without them the rules of RL4 are silent
"""

from __future__ import annotations

import gzip
import json
import os
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from replaylint.rules import all_rules
from tests.recordings import Message, Recording, found, report_of, report_of_file
from tests.reports import UPDATE
from tests.test_schema import check

if TYPE_CHECKING:
    from replaylint.rules.registry import Rule

FOLDER = Path(__file__).parent / "rules"
RECORDINGS = sorted(FOLDER.glob("*/*.ndjson"))
CODES = [rule.code for rule in all_rules()]


ORDER: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "RL202": (("request", "marker"), ()),
    "RL203": (("request", "response"), ()),
    "RL205": (("request",), ()),
    "RL208": (("request",), ()),
    "RL210": (("request",), ("response",)),
    "RL211": (("request",), ()),
    "RL213": (("request",), ()),
    "RL215": (("request",), ()),
    "RL217": (("request",), ("response",)),
    "RL218": (("request", "marker"), ("response",)),
    "RL301": (("request",), ("marker",)),
    "RL302": (("request",), ("marker",)),
    "RL303": (("request", "marker"), ()),
    "RL304": (("request", "response"), ()),
    "RL305": (("request",), ("announcement",)),
    "RL312": (("request", "close"), ()),
    "RL401": (("request",), ()),
    "RL402": (("request",), ()),
}
"""The evidence that stands before the line of a rule's finding, and the evidence that stands after it."""


def relative(path: Path) -> str:
    return path.relative_to(FOLDER).with_suffix("").as_posix()


def expectation(path: Path) -> Message:
    expected: Message = json.loads(path.with_suffix(".expect.json").read_text(encoding="utf-8"))
    return expected


def options(expected: Message) -> dict[str, Any]:
    """What the user of this recording asks for, as `lint` takes it."""
    return {name: value for name, value in expected.items() if name not in {"findings", "details"}}


def details(finding: Message) -> Message:
    """What a finding says beyond its rule, severity and line."""
    evidence = [[each["line"], each["what"]] for each in finding["evidence"]]
    facts = {name: finding[name] for name in ("message", "party", "last_line", "count")}
    rule = f"{finding['rule']} {finding['name']}"
    return {"rule": rule, **facts, "evidence": evidence, "fingerprint": finding["fingerprint"]}


def write(path: Path, findings: list[Message]) -> None:
    """Write into an expectation what these say, or that there are none; the rest of it stays as it is."""
    blocks = []
    for each in map(details, findings):
        members = (f"      {json.dumps(name)}: {json.dumps(value)}" for name, value in each.items())
        blocks.append("    {\n" + ",\n".join(members) + "\n    }")
    file = path.with_suffix(".expect.json")
    rest = file.read_text(encoding="utf-8").partition(',\n  "details": ')[0].removesuffix("\n}\n")
    more = ',\n  "details": [\n' + ",\n".join(blocks) + "\n  ]" if blocks else ""
    file.write_text(f"{rest}{more}\n}}\n", encoding="utf-8", newline="\n")


@pytest.mark.parametrize("path", RECORDINGS, ids=relative)
def test_a_recording(path: Path) -> None:
    expected = expectation(path)
    report = report_of_file(path, **options(expected))
    check(report)
    findings = report["findings"]
    assert found(report) == [tuple(each) for each in expected["findings"] if each[0] in CODES]
    if UPDATE in os.environ:
        write(path, findings)
        expected = expectation(path)
    assert list(map(details, findings)) == expected.get("details", [])
    assert any(each["rule"] == path.parent.name for each in findings) != path.stem.endswith("quiet")
    for finding in findings:
        assert_filled_in(finding["message"])
        assert_evidence_stands_where_the_rule_says(finding)


def assert_filled_in(message: str) -> None:
    assert not set("{}") & set(message)
    assert message == " ".join(message.split())
    assert "None" not in message


def assert_evidence_stands_where_the_rule_says(finding: Message) -> None:
    lines = {each["what"]: each["line"] for each in finding["evidence"]}
    before, after = ORDER.get(finding["rule"], ((), ()))
    assert all(lines[what] < finding["line"] for what in before)
    assert all(lines[what] > finding["line"] for what in after)


def test_every_rule_has_a_folder_and_every_folder_a_rule() -> None:
    assert sorted(each.name for each in FOLDER.iterdir()) == CODES


@pytest.mark.parametrize("code", CODES)
def test_a_rule_fires_once_and_is_quiet(code: str) -> None:
    fires, quiet = (expectation(FOLDER / code / f"{name}.ndjson")["findings"] for name in ("fires", "quiet"))
    assert [rule for rule, *_ in fires].count(code) == 1
    assert quiet == []


def test_every_recording_has_an_expectation_and_every_expectation_a_recording() -> None:
    files = {relative(path) for path in FOLDER.glob("*/*") if not path.name.endswith(".expect.json")}
    expectations = {relative(path).removesuffix(".expect") for path in FOLDER.glob("*/*.expect.json")}
    assert files == expectations == {relative(path) for path in RECORDINGS}


def test_no_name_fills_a_sentence(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").marker("s").idle("s").result(1, {}).client(2, "x" * 10_000)
    (finding,) = report_of(made.lines(), tmp_path)["findings"]
    (detail,) = expectation(FOLDER / "RL105" / "fires.ndjson")["details"]
    assert (finding["rule"], finding["message"]) == (
        "RL105",
        detail["message"].replace("session/list", "x" * 200 + "..."),
    )


@pytest.mark.parametrize("rule", all_rules(), ids=CODES)
def test_what_a_rule_declares(rule: Rule) -> None:
    module = import_module(f"replaylint.rules.{rule.code.lower()}_{rule.name.replace('-', '_')}")
    assert module.RULE is rule
    paragraphs = [part.split()[0] for part in (module.__doc__ or "").strip().split("\n\n")]
    assert paragraphs[-4:] == ["Promise:", "Source:", "Fix:", "Example:"]
    assert 2 <= len(paragraphs[:-4]) <= 4
    assert re.fullmatch(r"RL\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name)
    assert set(rule.suppressed_by) <= {f"RL{number}" for number in range(1, 1000)} - {rule.code}


@pytest.mark.parametrize("rule", all_rules(), ids=CODES)
def test_the_severities_of_a_rule_are_those_of_its_recordings(rule: Rule) -> None:
    findings = [each for path in (FOLDER / rule.code).glob("*.ndjson") for each in expectation(path)["findings"]]
    severities = {severity for code, severity, _ in findings if code == rule.code}
    assert severities == {severity.name.lower() for severity in rule.severities}


def test_names_are_unique() -> None:
    assert len({rule.name for rule in all_rules()}) == len(CODES) == len(set(CODES))


@pytest.mark.parametrize("unread", ["nothing", "a line", "the end"])
def test_what_was_not_read_may_hold_a_resume(unread: str, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, "session/new", cwd="/w", mcpServers=[], more="x" * 2000)
    content = b"\n".join(recording.result(1, {"sessionId": "s"}).lines()) + b"\n"
    path = tmp_path / "trace.ndjson.gz"
    path.write_bytes(gzip.compress(content)[: -8 if unread == "the end" else None])
    report = report_of_file(path, max_line=1000 if unread == "a line" else None)
    assert (report["traces"][0]["error"] is not None) == (unread == "the end")
    assert ("RL005" in {each["rule"] for each in report["findings"]}) == (unread == "nothing")
