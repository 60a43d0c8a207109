"""Each rule against its recordings, which `rules/CODE/` holds: every finding, and the wording of the rule's own.

An expectation lists what the semantics say of its recording; of rules that are still to be written, nothing is
compared. What else it holds are options of `lint`, by their names: without them the rules of RL4 are silent.
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
from tests.recordings import Message, Recording, found, report_of, report_of_file

if TYPE_CHECKING:
    from replaylint.rules.registry import Rule

FOLDER = Path(__file__).parent / "rules"
RECORDINGS = sorted(FOLDER.glob("*/*.ndjson"))
CODES = [rule.code for rule in all_rules()]


class Said(NamedTuple):
    """What a rule says of the recording on which it fires. `times` is its count."""

    name: str
    party: str
    last_line: int | None
    times: int
    message: str
    evidence: list[tuple[int, str]]


SAID = {
    "RL001": Said(
        "non-json-line",
        "agent",
        5,
        1,
        "1 line without JSON from the agent; the wire carries JSON-RPC messages only, one a line: logs go to "
        "standard error",
        [],
    ),
    "RL002": Said(
        "cut-line",
        "recording",
        9,
        1,
        "the last line of the recording stops in the middle of a JSON text; the message in it is lost, and what it "
        "answered counts as unanswered: record until both sides have ended",
        [],
    ),
    "RL003": Said(
        "not-jsonrpc",
        "agent",
        4,
        1,
        '1 message from the agent of JSON that is no JSON-RPC: neither "method" nor "id", "result" or "error"; '
        "receivers drop it",
        [],
    ),
    "RL004": Said(
        "clock-went-back",
        "recording",
        6,
        1,
        "the clock went back 1 time, the first time by 3.00 ms; durations across such a step are left out: record "
        "a monotonic clock, too",
        [],
    ),
    "RL005": Said(
        "no-resume",
        "recording",
        1,
        1,
        "the recording holds no session/resume and no session/load: there is no replay to judge",
        [],
    ),
    "RL006": Said(
        "replay-not-recorded",
        "recording",
        3,
        1,
        "acpx up to 0.19 leaves replayed updates out of its recordings, so nothing is said about this replay; "
        "record between client and agent",
        [(3, "request")],
    ),
    "RL101": Said(
        "unmatched-response",
        "agent",
        9,
        1,
        "1 response from the agent with the id 99, which no request of the client had; a response has the id of "
        "the request that it answers",
        [],
    ),
    "RL102": Said(
        "duplicate-response",
        "agent",
        11,
        1,
        "1 further response to session/list with the id 2, which was answered at line 10; a request has exactly "
        "one response",
        [(9, "request"), (10, "response")],
    ),
    "RL103": Said(
        "id-reused",
        "client",
        10,
        1,
        "session/list has the id 2 of session/list at line 9, which is unanswered; a response could be to either: "
        "give each request an id of its own",
        [(9, "pending"), (10, "request")],
    ),
    "RL104": Said(
        "id-type-mismatch",
        "agent",
        10,
        1,
        'the response to session/list has the id "2" and the request 2; an id comes back as the JSON type that it '
        "had, or the client cannot match it",
        [(9, "request")],
    ),
    "RL105": Said(
        "unanswered-request",
        "agent",
        9,
        1,
        "session/list got no response before the recording stops; every request is answered: the agent owes a result "
        "or an error, also when it fails or shuts down",
        [(9, "request")],
    ),
    "RL106": Said(
        "malformed-response",
        "agent",
        10,
        1,
        "the response to session/list has both a result and an error; a response has an id and either a result or "
        "an error, an error an integer code and a string message",
        [(9, "request")],
    ),
    "RL107": Said(
        "batch",
        "client",
        9,
        1,
        "1 array of messages from the client, the first of 1 message; receivers no longer take batches: write one "
        "message a line",
        [],
    ),
    "RL108": Said(
        "invalid-id",
        "client",
        9,
        1,
        "session/list has null for an id; an id is a string or an integer, and only that can be matched with a "
        "response",
        [(9, "request")],
    ),
    "RL109": Said(
        "version-contradicted",
        "agent",
        2,
        1,
        "the initialize result says protocolVersion 2 but has agentCapabilities and agentInfo and no info; clients "
        "go by the version, so the agent has to answer with the one that it speaks",
        [(1, "request")],
    ),
    "RL201": Said(
        "missing-marker",
        "agent",
        7,
        1,
        "the agent answered with success but sent no replay_complete for this session; it is due right after the last "
        "replayed update, and without it only the response, 20.0 ms later, told the client that it has everything",
        [(3, "request"), (7, "response")],
    ),
    "RL202": Said(
        "duplicate-marker",
        "agent",
        7,
        1,
        "the agent sent 1 further end-of-replay marker for a session that had its marker at line 6; each session of a "
        "request gets exactly one: send it where the replay of the session ends, and nowhere else",
        [(3, "request"), (6, "marker")],
    ),
    "RL203": Said(
        "late-marker",
        "agent",
        8,
        1,
        "the agent sent 1 end-of-replay marker only after the response at line 7 (10.0 ms later at line 8); a marker "
        "belongs between the last replayed update and the response: send it where the replay ends",
        [(3, "request"), (7, "response")],
    ),
    "RL204": Said(
        "unrequested-marker",
        "agent",
        4,
        1,
        "the agent sent 1 end-of-replay marker, but no request had asked for a replay of the session; a marker only "
        "ends a replay that was asked for: send it from there, not after every resume or new session",
        [],
    ),
    "RL205": Said(
        "marker-for-unannounced-child",
        "agent",
        6,
        1,
        "the agent sent 1 end-of-replay marker for a session that the replay requested at line 3 neither names nor "
        "announced; a child is announced on its parent's stream before its marker, or gets none",
        [(3, "request")],
    ),
    "RL206": Said(
        "marker-in-v1",
        "agent",
        6,
        1,
        "the agent sent 1 replay_complete update on a v1 connection; v1 has no such update, and its clients may fail "
        "on one that they do not know: send it on v2 connections only",
        [(3, "request")],
    ),
    "RL207": Said(
        "malformed-marker",
        "agent",
        6,
        1,
        "the agent sent replayComplete, which no client takes for the end-of-replay marker; the marker is a "
        "session/update with a string sessionId and the variant replay_complete",
        [(3, "request")],
    ),
    "RL208": Said(
        "rejected-after-replay",
        "agent",
        6,
        1,
        "the agent sent 2 history updates and then rejected the request with -32602; a request whose params are "
        "invalid replays nothing: check them before the first update",
        [(3, "request"), (6, "response")],
    ),
    "RL209": Said(
        "truncated-replay",
        "agent",
        6,
        1,
        "the replay is truncated: 2 history updates came in 10.0 ms and no marker, then error -32603 at line 6; no "
        "client may take that for the full history: the agent has to finish a replay, or to refuse it at once",
        [(3, "request"), (6, "response")],
    ),
    "RL210": Said(
        "unrequested-replay",
        "agent",
        5,
        2,
        "the agent sent 2 messages (agent_message, user_message) in 10.0 ms between a session/resume that asked for "
        "no history and its response; such a request replays nothing: send history only for a replayFrom cursor",
        [(3, "request"), (7, "response")],
    ),
    "RL211": Said(
        "empty-replay",
        "agent",
        13,
        1,
        "the agent answered the replay with success but sent no history, though earlier in this recording a prompt on "
        "the session was answered; a replay brings all that the session holds, the turns of this connection included",
        [(10, "request"), (13, "response")],
    ),
    "RL212": Said(
        "missing-state-snapshot",
        "agent",
        7,
        1,
        "the agent answered with success but sent no state_update between the marker at line 6 and the response; a "
        "resume reports the current state of its session there: send it before the response",
        [(3, "request"), (6, "marker"), (7, "response")],
    ),
    "RL213": Said(
        "cancel-unanswered",
        "agent",
        6,
        1,
        "the session/resume of line 3, cancelled here, got no response before the connection ended, though the agent "
        "answered what was sent later; a cancelled request is answered all the same: with its result, or with error "
        "-32800",
        [(3, "request")],
    ),
    "RL214": Said(
        "vendor-marker-unsolicited",
        "agent",
        6,
        1,
        "the agent sent 1 loadReplayEnd event to a client that did not declare this capability; the event is only for "
        "clients that do: look for it in the client's capabilities before sending the event",
        [(3, "request")],
    ),
    "RL215": Said(
        "vendor-marker-clears-fields",
        "agent",
        6,
        1,
        "the agent sent a loadReplayEnd event with title, so that the client changes or clears what it knows of the "
        "session; the event has neither title nor updatedAt: leave the keys out",
        [(3, "request")],
    ),
    "RL216": Said(
        "legacy-replay-index",
        "agent",
        4,
        1,
        "the agent marks replayed updates with loadSessionReplayIndex; the vendor replaced that design by one "
        "loadReplayEnd event after the last update: update the adapter, and have clients wait for the event",
        [(3, "request")],
    ),
    "RL217": Said(
        "marker-for-missing-session",
        "agent",
        4,
        1,
        "the agent marked 0 history updates as the whole history of a session and then, with error -32002 at line 5, "
        "said that there is no such session; look the session up before its replay",
        [(3, "request"), (5, "response")],
    ),
    "RL218": Said(
        "snapshot-before-failure",
        "agent",
        7,
        1,
        "the agent sent a state_update after the marker at line 6, then error -32603 at line 8; the current state is "
        "for a resume that succeeds: send it when nothing can fail any more",
        [(3, "request"), (6, "marker"), (8, "response")],
    ),
    "RL301": Said(
        "live-before-marker",
        "agent",
        6,
        1,
        "the agent sent 1 live update (notice) before the marker at line 7; between request and marker only replayed "
        "history may come: hold the rest until the marker is out",
        [(3, "request"), (7, "marker")],
    ),
    "RL302": Said(
        "request-before-marker",
        "agent",
        6,
        1,
        "the agent sent 1 request (session/request_permission) before the marker at line 8; replayed updates may "
        "overwrite what such a request shows: hold it until the marker is out",
        [(3, "request"), (8, "marker")],
    ),
    "RL303": Said(
        "history-after-marker",
        "agent",
        7,
        1,
        "the agent sent 1 update with the look of history (user_message) 10.0 ms after the marker at line 6; the "
        "marker comes when all history is out: send it after the last replayed update (no fault if another client's "
        "turn runs)",
        [(3, "request"), (6, "marker")],
    ),
    "RL304": Said(
        "history-after-response",
        "agent",
        6,
        2,
        "the agent sent 2 history updates after the response at line 4 (10.0 ms later at line 5), which ended an "
        "empty replay; all history belongs before the response: answer when the last replayed update is out",
        [(3, "request"), (4, "response")],
    ),
    "RL305": Said(
        "child-before-announcement",
        "agent",
        6,
        1,
        "the agent sent 1 message of a child session before its announcement at line 7; a client cannot place an id "
        "that it does not know: announce the child on its parent's stream first",
        [(3, "request"), (7, "announcement")],
    ),
    "RL306": Said(
        "update-before-session-known",
        "agent",
        6,
        1,
        "1 update (available_commands_update) for a session whose id the client learned only afterwards, from the "
        "response to the session/new of line 5; send that response first",
        [(5, "request")],
    ),
    "RL307": Said(
        "update-for-unknown-session",
        "agent",
        5,
        1,
        "1 update (usage_update) for a session that no request, result or announcement on the connection names; "
        "use an id that the client knows, or announce the child first",
        [],
    ),
    "RL308": Said(
        "overlapping-replay",
        "client",
        4,
        1,
        "the client requested a second replay of the session while that of line 3 was pending; their updates and "
        "markers cannot be told apart: wait for the first response",
        [(3, "pending"), (4, "request")],
    ),
    "RL309": Said(
        "prompt-before-active",
        "client",
        7,
        1,
        "1 prompt while the session/resume of line 3 was pending and the session not active; prompts have to wait "
        "for its success response",
        [(3, "request")],
    ),
    "RL310": Said(
        "early-prompt-accepted",
        "agent",
        8,
        1,
        "the prompt of line 7 succeeded while the session/resume of line 3 was pending; until that has succeeded "
        "the session is not active, and a prompt has to fail with -32002",
        [(3, "request"), (7, "prompt")],
    ),
    "RL311": Said(
        "child-resumed-directly",
        "client",
        10,
        1,
        "session/prompt for a child session, announced at line 5; only its parent is resumed and prompted",
        [(5, "announcement")],
    ),
    "RL312": Said(
        "resumed-after-close",
        "agent",
        9,
        1,
        "the agent answered the resume with success after it had confirmed at line 6 that the session was closed or "
        "deleted; let a close cancel the pending resume, and answer that with an error",
        [(3, "request"), (6, "close"), (9, "response")],
    ),
    "RL313": Said(
        "early-prompt-wrong-error",
        "agent",
        8,
        1,
        "the prompt of line 7, sent while the session/resume of line 3 was pending, failed with -32603; -32002 is "
        "what says that the session is not active yet",
        [(3, "request"), (7, "prompt")],
    ),
    "RL321": Said(
        "missing-message-id",
        "agent",
        4,
        1,
        "1 update without a messageId, the first a user_message; v2 requires a string, and without it a client can "
        "neither join the chunks of a message nor know it again",
        [(3, "request")],
    ),
    "RL322": Said(
        "repeated-history",
        "agent",
        5,
        1,
        "1 update in this replay repeated what had come, the first a user_message with the id and the content of "
        "an earlier one; a client that appends shows it twice: replay each entry once",
        [(3, "request")],
    ),
    "RL323": Said(
        "orphan-tool-update",
        "agent",
        5,
        1,
        "1 tool_call_update for tool calls that neither a tool_call nor a permission request started; clients drop "
        "them: send the tool_call first",
        [(3, "request")],
    ),
    "RL324": Said(
        "tool-left-open",
        "agent",
        5,
        1,
        "1 replayed tool call still pending or in progress at the response at line 7, though the session is idle; "
        "clients show it as running for ever: replay how it ended",
        [(3, "request"), (7, "response")],
    ),
    "RL401": Said(
        "gap-over-budget",
        "agent",
        8,
        1,
        "the response came 3.01 s after the replay had ended, where at most 2.00 s is allowed; do what is slow before "
        "the replay or beside it, and answer once the history is out",
        [(3, "request"), (6, "marker"), (8, "response")],
    ),
    "RL402": Said(
        "replay-over-budget",
        "agent",
        6,
        1,
        "the replay of 2 history updates took 1.51 s from the request on, where at most 1.00 s is allowed; begin it at "
        "once, and send it without pauses",
        [(3, "request"), (6, "marker"), (8, "response")],
    ),
    "RL403": Said(
        "resume-over-budget",
        "agent",
        8,
        1,
        "the response came 3.03 s after the request, where at most 2.00 s is allowed; see in the report how much of it "
        "was the replay and how much came after it",
        [(3, "request"), (8, "response")],
    ),
    "RL404": Said(
        "budget-exceeded",
        "agent",
        None,
        1,
        "max(response_gap) is 400 ms over 1 replay, and the budget is max(response_gap)<300ms; --statistics shows the "
        "distribution, --group-by whose it is",
        [],
    ),
    "RL405": Said(
        "budget-not-judged",
        "recording",
        None,
        3,
        "whether the response gap is at most 2.00 s cannot be judged for 3 of 3 replays: the recording has no times",
        [],
    ),
    "RL406": Said(
        "unexpected-outcome",
        "agent",
        6,
        1,
        "the outcome is unmarked, where complete was expected; see the other findings on this request, or expect "
        "unmarked too",
        [(3, "request"), (6, "response")],
    ),
    "RL407": Said(
        "expired-exception",
        "recording",
        None,
        1,
        "the exception for agent ended on 2026-03-01, and still leaves out 1 finding of RL201 (predates the marker); "
        "look whether the agent can be updated, and delete the exception or give it a new date",
        [],
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
    "RL401": (("request",), ()),
    "RL402": (("request",), ()),
}
"""The evidence that stands before the line of a rule's finding, and the evidence that stands after it."""


def relative(path: Path) -> str:
    return path.relative_to(FOLDER).with_suffix("").as_posix()


@cache
def report(path: Path) -> Message:
    return report_of_file(path, **options(path))


def options(path: Path) -> dict[str, Any]:
    """What the user of this recording asks for, as `lint` takes it."""
    return {name: value for name, value in expectation(path).items() if name != "findings"}


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


def test_no_name_fills_a_sentence(tmp_path: Path) -> None:
    made = Recording().initialize_v2().client(1, "x" * 10_000).resume(2, "s")
    made.marker("s").idle("s").result(2, {})
    messages = {each["rule"]: each["message"] for each in report_of(made.lines(), tmp_path)["findings"]}
    assert messages == {"RL105": SAID["RL105"].message.replace("session/list", "x" * 200 + "...")}


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
    paths = sorted((FOLDER / rule.code).glob("*.ndjson"))
    severities = {finding["severity"] for path in paths for finding in of_rule(path)}
    assert severities == {severity.name.lower() for severity in rule.severities}


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
