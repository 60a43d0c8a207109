"""Each rule against its recordings, which `rules/CODE/` holds: every finding, and the wording of the rule's own.

An expectation lists what the semantics say of its recording; of rules that are still to be written, nothing is
compared. Its `expect` holds the outcomes for `--expect`.
"""

from __future__ import annotations

import json
import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from replaylint.rules import all_rules
from tests.recordings import Message, found, report_of_file

if TYPE_CHECKING:
    from replaylint.rules.registry import Rule

FOLDER = Path(__file__).parent / "rules"
RECORDINGS = sorted(FOLDER.glob("*/*.ndjson"))
CODES = [rule.code for rule in all_rules()]


class Said(NamedTuple):
    """What a rule says of the recording on which it fires. `times` is its count."""

    name: str
    party: str
    last_line: int
    times: int
    message: str
    evidence: list[tuple[int, str]]


SAID = {
    "RL105": Said(
        "unanswered-request",
        "agent",
        9,
        1,
        "session/list was not answered before the recording stops; the agent owes a result or an error",
        [(9, "request")],
    ),
    "RL201": Said(
        "missing-marker",
        "agent",
        7,
        1,
        "the replay succeeded without replay_complete for this session; until the response nothing said that "
        "the history was whole",
        [(3, "request"), (7, "response")],
    ),
    "RL202": Said(
        "duplicate-marker",
        "agent",
        7,
        1,
        "1 further end-of-replay marker for a session that had its marker at line 6; there is exactly one "
        "for each session of a request",
        [(3, "request"), (6, "marker")],
    ),
    "RL203": Said(
        "late-marker",
        "agent",
        8,
        1,
        "the end-of-replay marker came after the response at line 7; it belongs between the last replayed "
        "update and the response",
        [(3, "request"), (7, "response")],
    ),
    "RL204": Said(
        "unrequested-marker",
        "agent",
        4,
        1,
        "1 end-of-replay marker for a session of which no replay was asked",
        [],
    ),
    "RL205": Said(
        "marker-for-unannounced-child",
        "agent",
        6,
        1,
        "1 end-of-replay marker for a session that the replay requested at line 3 neither names nor announced",
        [(3, "request")],
    ),
    "RL206": Said(
        "marker-in-v1",
        "agent",
        6,
        1,
        "1 replay_complete update on a v1 connection, whose clients may fail on a variant that v1 does not have",
        [(3, "request")],
    ),
    "RL207": Said(
        "malformed-marker",
        "agent",
        6,
        1,
        "replayComplete is no end-of-replay marker, and clients ignore it; the marker is a session/update with a "
        "sessionId and the variant replay_complete",
        [(3, "request")],
    ),
    "RL208": Said(
        "rejected-after-replay",
        "agent",
        6,
        1,
        "the request was rejected with -32602 after 2 history updates; a rejected cursor replays nothing",
        [(3, "request"), (6, "response")],
    ),
    "RL209": Said(
        "truncated-replay",
        "agent",
        6,
        1,
        "the replay is truncated: 2 history updates arrived, no marker, then an error response; the client "
        "must not take it for the full history",
        [(3, "request"), (6, "response")],
    ),
    "RL210": Said(
        "unrequested-replay",
        "agent",
        5,
        2,
        "2 messages (agent_message, user_message) came between a request that asked for no history and its response",
        [(3, "request"), (7, "response")],
    ),
    "RL211": Said(
        "empty-replay",
        "agent",
        13,
        1,
        "the replay succeeded without any history, though earlier in this recording a prompt on the session was "
        "answered",
        [(10, "request"), (13, "response")],
    ),
    "RL212": Said(
        "missing-state-snapshot",
        "agent",
        7,
        1,
        "the resume succeeded without a state_update for the session between the marker at line 6 and the response",
        [(3, "request"), (6, "marker"), (7, "response")],
    ),
    "RL213": Said(
        "cancel-unanswered",
        "agent",
        6,
        1,
        "the cancelled session/resume was not answered before the connection ended, though the agent answered what "
        "was sent later",
        [(3, "request")],
    ),
    "RL214": Said(
        "vendor-marker-unsolicited",
        "agent",
        6,
        1,
        "1 vendor event at the end of a replay, though the client did not declare loadReplayEnd",
        [(3, "request")],
    ),
    "RL215": Said(
        "vendor-marker-clears-fields",
        "agent",
        6,
        1,
        "the vendor event at the end of the replay has title, which sets or clears what the client knows of the "
        "session",
        [(3, "request")],
    ),
    "RL216": Said(
        "legacy-replay-index",
        "agent",
        4,
        1,
        "replayed updates carry loadSessionReplayIndex, which the vendor replaced by one event at the end of the "
        "replay",
        [(3, "request")],
    ),
    "RL217": Said(
        "marker-for-missing-session",
        "agent",
        4,
        1,
        "the marker certified the history of a session that, by the error -32002 at line 5, is not there",
        [(3, "request"), (5, "response")],
    ),
    "RL218": Said(
        "snapshot-before-failure",
        "agent",
        7,
        1,
        "a state_update after the marker, then the error at line 8; the snapshot is for a resume that succeeds",
        [(3, "request"), (6, "marker"), (8, "response")],
    ),
    "RL301": Said(
        "live-before-marker",
        "agent",
        6,
        1,
        "1 live update (notice) before the marker at line 7; only replayed history may stand there",
        [(3, "request"), (7, "marker")],
    ),
    "RL302": Said(
        "request-before-marker",
        "agent",
        6,
        1,
        "1 request of the agent (session/request_permission) before the marker at line 8; such a request should "
        "wait until the marker is out",
        [(3, "request"), (8, "marker")],
    ),
    "RL303": Said(
        "history-after-marker",
        "agent",
        7,
        1,
        "after the marker at line 6 came 1 update with the look of history (user_message); the marker says that "
        "all of it had been sent",
        [(3, "request"), (6, "marker")],
    ),
    "RL304": Said(
        "history-after-response",
        "agent",
        6,
        2,
        "2 history updates after the response at line 4 that ends the replay; all of it belongs before the response",
        [(3, "request"), (4, "response")],
    ),
    "RL305": Said(
        "child-before-announcement",
        "agent",
        6,
        1,
        "1 message of a child session before its announcement at line 7",
        [(3, "request"), (7, "announcement")],
    ),
    "RL308": Said(
        "overlapping-replay",
        "client",
        4,
        1,
        "a second replay of the session was requested while that of line 3 was pending; their markers and updates "
        "cannot be told apart",
        [(3, "pending"), (4, "request")],
    ),
    "RL312": Said(
        "resumed-after-close",
        "agent",
        9,
        1,
        "the resume succeeded although the session had been closed or deleted at line 6, while it was pending",
        [(3, "request"), (6, "close"), (9, "response")],
    ),
    "RL406": Said(
        "unexpected-outcome",
        "agent",
        6,
        1,
        "the outcome is unmarked; expected was complete",
        [(3, "request"), (6, "response")],
    ),
}

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
}
"""The evidence that stands before the line of a rule's finding, and the evidence that stands after it."""


def relative(path: Path) -> str:
    return path.relative_to(FOLDER).with_suffix("").as_posix()


@cache
def report(path: Path) -> Message:
    return report_of_file(path, expect=expectation(path).get("expect"))


def expectation(path: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads(path.with_suffix(".expect.json").read_text(encoding="utf-8"))
    return expected


def of_rule(path: Path) -> list[dict[str, Any]]:
    """The findings in a recording of the rule whose folder it is in."""
    return [finding for finding in report(path)["findings"] if finding["rule"] == path.parent.name]


@pytest.mark.parametrize("path", RECORDINGS, ids=relative)
def test_a_recording_has_exactly_its_findings(path: Path) -> None:
    expected = expectation(path)["findings"]
    assert found(report(path)) == [tuple(each) for each in expected if each[0] in CODES]


def test_every_rule_has_a_folder_and_every_folder_a_rule() -> None:
    assert sorted(each.name for each in FOLDER.iterdir()) == CODES


@pytest.mark.parametrize("code", CODES)
def test_a_rule_fires_and_is_quiet(code: str) -> None:
    assert of_rule(FOLDER / code / "fires.ndjson") != []
    assert found(report(FOLDER / code / "quiet.ndjson")) == []


@pytest.mark.parametrize("path", RECORDINGS, ids=relative)
def test_quiet_in_its_name_means_that_the_rule_is_silent(path: Path) -> None:
    assert bool(of_rule(path)) != path.stem.endswith("quiet")


def test_every_recording_has_an_expectation_and_every_expectation_a_recording() -> None:
    files = {relative(path) for path in FOLDER.glob("*/*") if not path.name.endswith(".expect.json")}
    expectations = {relative(path).removesuffix(".expect") for path in FOLDER.glob("*/*.expect.json")}
    assert files == expectations == {relative(path) for path in RECORDINGS}


@pytest.mark.parametrize("code", CODES)
def test_what_a_rule_says(code: str) -> None:
    (finding,) = of_rule(FOLDER / code / "fires.ndjson")
    evidence = [(each["line"], each["what"]) for each in finding["evidence"]]
    name, party, last_line = finding["name"], finding["party"], finding["last_line"]
    assert Said(name, party, last_line, finding["count"], finding["message"], evidence) == SAID[code]


@pytest.mark.parametrize("path", RECORDINGS, ids=relative)
def test_a_sentence_is_filled_in(path: Path) -> None:
    for finding in report(path)["findings"]:
        message = finding["message"]
        assert not set("{}") & set(message)
        assert message == " ".join(message.split())
        assert "None" not in message


@pytest.mark.parametrize("rule", all_rules(), ids=CODES)
def test_what_a_rule_declares(rule: Rule) -> None:
    module = import_module(f"replaylint.rules.{rule.code.lower()}_{rule.name.replace('-', '_')}")
    assert module.RULE is rule
    parts = [part.partition(" ")[0] for part in (module.__doc__ or "").strip().split("\n\n")]
    assert parts[-2:] == ["Source:", "Fix:"]
    assert len(parts) >= 4
    assert re.fullmatch(r"RL\d{3}", rule.code)
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", rule.name)
    assert set(rule.yields_to) <= {f"RL{number}" for number in range(1, 1000)} - {rule.code}


@pytest.mark.parametrize("path", RECORDINGS, ids=relative)
def test_evidence_stands_where_the_rule_says(path: Path) -> None:
    for finding in report(path)["findings"]:
        lines = {each["what"]: each["line"] for each in finding["evidence"]}
        before, after = ORDER.get(finding["rule"], ((), ()))
        assert all(lines[what] < finding["line"] for what in before)
        assert all(lines[what] > finding["line"] for what in after)


def test_names_are_unique() -> None:
    assert len({rule.name for rule in all_rules()}) == len(CODES) == len(set(CODES))


def test_the_literal_table_names_every_rule() -> None:
    assert sorted(SAID) == CODES
