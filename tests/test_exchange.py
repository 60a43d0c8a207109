"""Requests and responses: which answer belongs to which request."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from orjson import dumps

from replaylint.protocol.exchange import Exchange, Request, id_key, reported
from replaylint.recording.message import AGENT, CLIENT
from tests.conversations import ONE_OF_EACH as FORMS
from tests.conversations import example, spoken
from tests.conversations import reported as report_in
from tests.recordings import Message, Recording, found, report_of

if TYPE_CHECKING:
    from pathlib import Path

    from replaylint.recording.message import Side


def replaying(ident: object) -> Recording:
    """A v2 connection, then a resume with this id (line 3), its marker (line 4) and its snapshot (line 5)."""
    return Recording().initialize_v2().resume(ident, "s").marker("s").idle("s")


def response_line(report: Message) -> int | None:
    """The line of the response to the only resume."""
    (resume,) = report["resumes"]
    return resume["response"] and int(resume["response"]["line"])


def unanswered(report: Message) -> list[int]:
    """The lines of the requests that were never answered."""
    return [each["line"] for each in report["findings"] if each["rule"] == "RL105"]


# Ids


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1, True),
        (1, 1.0, True),
        (1, "1", False),
        (1, True, False),
        (0, False, False),
        (1.0, True, False),
        (1.0, "1", False),
        (1.5, 1.5, True),
        (1.5, "1.5", False),
        (True, True, True),
        (True, False, False),
        (True, "true", False),
        (None, None, True),
        (None, "null", False),
        (None, 0, False),
        ("", None, False),
        (-1, -1.0, True),
        (2**53, 2**53 + 1, False),
        (1e300, 1e300, True),
        ([1], [1], True),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ("\N{LATIN SMALL LETTER E WITH ACUTE}", "e\N{COMBINING ACUTE ACCENT}", False),
    ],
)
def test_ids_are_compared_by_value_and_type(one: object, other: object, same: bool) -> None:
    assert (id_key(one) == id_key(other)) is same
    assert hash(id_key(one)) == hash(id_key(one))


@pytest.mark.parametrize("ident", [0, 1, -1, "1", "", "a", 2**63, "\U0001f600", 1.0])
def test_valid_ids_are_not_odd(ident: object) -> None:
    assert not Request(CLIENT, ident, "_x", {}, 1, 0.0).odd


@pytest.mark.parametrize("ident", [None, True, 1.5, [], {}, [1]])
def test_invalid_ids_are_odd(ident: object) -> None:
    assert Request(CLIENT, ident, "_x", {}, 1, 0.0).odd


@pytest.mark.parametrize(("levels", "held"), [(200, True), (201, False)])
def test_an_id_is_reported_unless_it_is_nested_too_deep(levels: int, held: bool) -> None:
    ident: object = []
    for level in range(1, levels):
        ident = [ident] if level % 2 else {"a": ident}
    assert reported(ident) == (ident if held else None)


@pytest.mark.parametrize("ident", [0, -7, "r-1", "", "\N{SNOWMAN}", 2**53 + 1, 1.5, True, None, {"a": [1]}])
def test_the_report_has_the_id_as_it_was_recorded(ident: object, tmp_path: Path) -> None:
    report = report_of(replaying(ident).result(ident, {}).lines(), tmp_path)
    (resume,) = report["resumes"]
    assert (resume["request_id"], type(resume["request_id"])) == (ident, type(ident))
    assert resume["end"] == "success"


@pytest.mark.parametrize(
    ("sent", "answered"),
    [(1, 1.0), (1.0, 1), (1, "1"), ("1", 1), ("1", 1.0), (-5, "-5"), ("0", 0)],
)
def test_an_id_of_another_json_type_still_settles(sent: object, answered: object, tmp_path: Path) -> None:
    report = report_of(replaying(sent).result(answered, {}).lines(), tmp_path)
    assert response_line(report) == 6
    another = isinstance(sent, str) != isinstance(answered, str)
    assert found(report) == ([("RL104", "error", 6)] if another else [])


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (1, True),
        (True, 1),
        (True, "true"),
        (1, 2),
        (1, "01"),
        ("01", 1),
        (1, " 1"),
        (1, "1.0"),
        ("1.0", 1),
        (1, 1.5),
        (1, [1]),
        ("a", "A"),
        (1, None),
        (1, "+1"),
        (1, "\N{FULLWIDTH DIGIT ONE}"),
        ("--5", -5),
    ],
)
def test_another_id_settles_nothing(sent: object, answered: object, tmp_path: Path) -> None:
    report = report_of(replaying(sent).result(answered, {}).lines(), tmp_path)
    assert response_line(report) is None
    assert unanswered(report) == [3]


def test_the_same_type_wins_over_another(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, "_x").client("1", "_y").result("1", {})
    assert unanswered(report_of(recording.lines(), tmp_path)) == [3]
    recording.result("1", {})
    assert unanswered(report_of(recording.lines(), tmp_path)) == []


def test_a_response_without_an_id_settles_nothing(tmp_path: Path) -> None:
    recording = replaying(1).record("a2c", {"jsonrpc": "2.0", "result": {}})
    recording.record("a2c", {"jsonrpc": "2.0", "error": {"code": -32603, "message": "no"}})
    report = report_of(recording.lines(), tmp_path)
    assert response_line(report) is None
    assert unanswered(report) == [3]


# Sides


def test_one_id_can_be_in_flight_both_ways(tmp_path: Path) -> None:
    recording = replaying(1).agent(1, "session/request_permission", sessionId="s")
    recording.result(1, {}, direction="c2a").result(1, {})
    report = report_of(recording.lines(), tmp_path)
    assert response_line(report) == 8
    assert unanswered(report) == []


def test_a_side_does_not_answer_itself(tmp_path: Path) -> None:
    recording = replaying(1).result(1, {}, direction="c2a")
    recording.agent(2, "_x").result(2, {})
    report = report_of(recording.lines(), tmp_path)
    assert response_line(report) is None
    assert unanswered(report) == [3, 7]
    assert [(each["rule"], each["party"], each["line"]) for each in report["findings"]] == [
        ("RL105", "recording", 3),
        ("RL101", "client", 6),
        ("RL105", "recording", 7),
        ("RL101", "agent", 8),
    ]


def test_a_method_of_an_unknown_side_is_answered_by_either(tmp_path: Path) -> None:
    messages: list[Message] = [{"id": 5, "method": "_x"}, {"id": 5, "result": {}}]
    lines = [dumps({"jsonrpc": "2.0", **message}) for message in messages]
    assert unanswered(report_of(lines, tmp_path)) == []
    assert unanswered(report_of(lines[:1], tmp_path)) == [1]


# Order


def test_a_reused_id_settles_the_oldest_first(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1, "_x").resume(1, "s").marker("s").idle("s")
    report = report_of(recording.result(1, {}).lines(), tmp_path)
    assert response_line(report) is None
    assert unanswered(report) == [4]
    report = report_of(recording.result(1, {}).lines(), tmp_path)
    assert response_line(report) == 8
    assert unanswered(report) == []


def test_two_resumes_with_one_id(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").resume(1, "t").marker("s").marker("t").idle("s").idle("t")
    recording.result(1, {}).error(1, -32603)
    report = report_of(recording.lines(), tmp_path)
    assert [(each["session_id"], each["end"]) for each in report["resumes"]] == [("s", "success"), ("t", "error")]


def test_an_id_is_free_again_when_it_was_answered(tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    for _ in range(3):
        recording.resume(1, "s").marker("s").idle("s").result(1, {})
    report = report_of(recording.lines(), tmp_path)
    assert [each["response"]["line"] for each in report["resumes"]] == [6, 10, 14]
    assert unanswered(report) == []


def test_a_second_response_changes_nothing(tmp_path: Path) -> None:
    report = report_of(replaying(1).result(1, {}).error(1, -32603).lines(), tmp_path)
    (resume,) = report["resumes"]
    assert (resume["end"], resume["response"]["line"]) == ("success", 6)


@pytest.mark.parametrize(
    ("body", "end", "error"),
    [
        ({"result": None}, "success", None),
        ({"result": {}, "error": None}, "success", None),
        ({}, "success", None),
        ({"error": {"code": -32603, "message": "m"}}, "error", {"code": -32603, "message": "m", "data": None}),
        ({"error": {"code": -32800, "message": "m"}}, "cancelled", {"code": -32800, "message": "m", "data": None}),
        ({"error": {"code": "x", "message": 1}}, "error", {"code": None, "message": None, "data": None}),
        ({"error": {"code": True}}, "error", {"code": None, "message": None, "data": None}),
        ({"error": "text"}, "error", {"code": None, "message": None, "data": None}),
        ({"error": {}, "result": {}}, "error", {"code": None, "message": None, "data": None}),
    ],
)
def test_what_a_response_says(body: Message, end: str, error: Message | None, tmp_path: Path) -> None:
    report = report_of(replaying(1).record("a2c", {"jsonrpc": "2.0", "id": 1, **body}).lines(), tmp_path)
    (resume,) = report["resumes"]
    assert resume["end"] == end
    assert resume["response"]["error"] == error


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ("null", None),
        ("false", "false"),
        ('"no such file"', '"no such file"'),
        ('{"path": "/w", "tries": [1, 2]}', '{"path":"/w","tries":[1,2]}'),
        (f'"{"x" * 498}"', f'"{"x" * 498}"'),
        (f'"{"x" * 499}"', f'"{"x" * 499}...'),
        ("[" * 300 + "]" * 300, "..."),
    ],
)
def test_the_data_of_an_error_is_kept_as_far_as_it_is_short(data: str, shown: str | None, tmp_path: Path) -> None:
    response = f'{{"jsonrpc":"2.0","id":1,"error":{{"code":-32603,"message":"m","data":{data}}}}}'
    line = f'{{"ts":1764400001,"dir":"a2c","msg":{response}}}'.encode()
    (resume,) = report_of([*replaying(1).lines(), line], tmp_path)["resumes"]
    assert resume["response"]["error"] == {"code": -32603, "message": "m", "data": shown}


# Errors with id null


def null_error(recording: Recording, direction: str = "a2c") -> Recording:
    return recording.error(None, -32600, direction=direction)


@pytest.mark.parametrize("ident", [None, True, 1.5, [1], {"a": 1}])
def test_an_error_with_id_null_settles_a_request_with_an_invalid_id(ident: object, tmp_path: Path) -> None:
    report = report_of(null_error(replaying(ident)).lines(), tmp_path)
    (resume,) = report["resumes"]
    assert (resume["end"], resume["response"]["line"]) == ("error", 6)
    assert unanswered(report) == []


def test_an_error_with_id_null_settles_no_ordinary_request(tmp_path: Path) -> None:
    report = report_of(null_error(replaying(1)).lines(), tmp_path)
    assert response_line(report) is None
    assert unanswered(report) == [3]


def test_an_error_with_id_null_settles_the_oldest_odd_request(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(7, "_x").client(1.5, "_x").client([True], "_x")
    assert unanswered(report_of(null_error(recording).lines(), tmp_path)) == [3, 5]
    assert unanswered(report_of(null_error(recording).lines(), tmp_path)) == [3]
    assert unanswered(report_of(null_error(recording).lines(), tmp_path)) == [3]


def test_an_odd_request_that_was_answered_is_settled(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1.5, "_x").client(2.5, "_x").result(1.5, {})
    assert unanswered(report_of(null_error(recording).lines(), tmp_path)) == []


def test_an_error_with_id_null_answers_the_other_side(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1.5, "_x").agent(1.5, "_x")
    assert unanswered(report_of(null_error(recording, "c2a").lines(), tmp_path)) == [3]
    assert unanswered(report_of(null_error(recording).lines(), tmp_path)) == []


def test_a_result_with_id_null_answers_a_request_with_id_null(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(1.5, "_x").client(None, "_x").result(None, {})
    assert unanswered(report_of(recording.lines(), tmp_path)) == [3]


def test_a_request_without_jsonrpc_can_be_answered_with_id_null(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().record("c2a", {"id": 1, "method": "_x"})
    assert unanswered(report_of(recording.lines(), tmp_path)) == [3]
    assert unanswered(report_of(null_error(recording).lines(), tmp_path)) == []


def test_where_no_message_has_jsonrpc_none_is_odd(tmp_path: Path) -> None:
    recording = null_error(replaying(1))
    for record in recording.records:
        del record["msg"]["jsonrpc"]
    assert unanswered(report_of(recording.lines(), tmp_path)) == [3]


def test_a_notification_with_id_null_is_no_request(tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    for direction, method in (("c2a", "session/cancel"), ("c2a", "$/cancel_request"), ("a2c", "session/update")):
        recording.record(direction, {"jsonrpc": "2.0", "id": None, "method": method, "params": {}})
    assert found(report_of(recording.lines(), tmp_path)) == [("RL005", "info", 1)]


@pytest.mark.parametrize("ident", [None, 1.5, True])
def test_an_odd_request_starts_no_overlap(ident: object, tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").resume(ident, "s").marker("s").idle("s")
    report = report_of(recording.result(1, {}).error(None, -32600).lines(), tmp_path)
    assert [(each["end"], each["ambiguous"]) for each in report["resumes"]] == [("success", False), ("error", False)]
    assert report["resumes"][0]["sessions"][0]["marker"]["line"] == 6


# Batches


def batch(recording: Recording, direction: str, *messages: Message) -> Recording:
    return recording.record(direction, [{"jsonrpc": "2.0", **each} for each in messages])


def test_each_message_of_a_batch_is_analysed(tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    batch(
        recording,
        "c2a",
        {"id": 1, "method": "session/resume", "params": {"sessionId": "s", "replayFrom": {"type": "start"}}},
        {"id": 2, "method": "_x"},
    )
    updates = Recording().message("s", "m1").message("s", "m2").marker("s").idle("s")
    batch(
        recording, "a2c", *(each["msg"] for each in updates.records), {"id": 2, "result": {}}, {"id": 1, "result": {}}
    )
    report = report_of(recording.lines(), tmp_path)
    (resume,) = report["resumes"]
    assert (resume["end"], resume["request"]["line"], resume["response"]["line"]) == ("success", 3, 4)
    (session,) = resume["sessions"]
    assert (session["outcome"], session["marker"]["line"]) == ("complete", 4)
    assert session["updates"]["by_kind"] == {"agent_message": 2, "state_update": 1}
    assert session["timing"]["response_gap_s"] == 0.0
    assert report["traces"][0]["messages"] == 4
    assert unanswered(report) == []
    assert [each for each in found(report) if each[0] == "RL107"] == [("RL107", "warning", 3), ("RL107", "warning", 4)]


def test_a_batch_inside_a_window(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    batch(recording, "a2c", *(each["msg"] for each in Recording().message("s", "m2").message("s", "m3").records))
    report = report_of(recording.marker("s").idle("s").result(1, {}).lines(), tmp_path)
    assert report["resumes"][0]["sessions"][0]["updates"]["history"] == 3
    assert report["resumes"][0]["sessions"][0]["marker"]["line"] == 6


def test_a_request_of_a_batch_can_be_answered_with_id_null(tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    batch(recording, "c2a", {"id": 1, "method": "_x"}, {"id": 2, "method": "_x"})
    assert unanswered(report_of(recording.lines(), tmp_path)) == [3, 3]
    assert unanswered(report_of(null_error(recording).lines(), tmp_path)) == [3]
    assert unanswered(report_of(null_error(recording).lines(), tmp_path)) == []


def test_the_messages_of_a_batch_have_an_order(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    batch(
        recording,
        "a2c",
        *(each["msg"] for each in Recording().marker("s").idle("s").records),
        {"id": 1, "result": {}},
    )
    assert found(report_of(recording.lines(), tmp_path)) == [("RL107", "warning", 5)]
    early = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    batch(
        early,
        "a2c",
        *(each["msg"] for each in Recording().idle("s").marker("s").records),
        {"id": 1, "result": {}},
    )
    assert ("RL301", "error", 5) in found(report_of(early.lines(), tmp_path))


@pytest.mark.parametrize(
    ("content", "rules"),
    [
        ([], ["RL107"]),
        ([1, None, "x", [], [{"method": "_x", "id": 1}]], ["RL003", "RL107"]),
        ([{}], ["RL003", "RL107"]),
    ],
)
def test_a_batch_of_nothing_harms_nothing(content: list[object], rules: list[str], tmp_path: Path) -> None:
    recording = replaying(1).record("a2c", content).result(1, {})
    report = report_of(recording.lines(), tmp_path)
    assert response_line(report) == 7
    assert found(report) == [(rule, "warning", 6) for rule in rules]


# The exchange itself


def opened(*requests: tuple[Side | None, object, str]) -> tuple[Exchange, list[Request]]:
    """An exchange with these requests pending, one a line."""
    exchange = Exchange()
    made = [Request(side, ident, method, {}, line, 0.0) for line, (side, ident, method) in enumerate(requests, 1)]
    for request in made:
        exchange.open(request)
    return exchange, made


def test_pending_requests_are_taken_from_a_line_on() -> None:
    exchange, made = opened((CLIENT, 1, "a"), (CLIENT, 2, "b"), (AGENT, 2, "c"), (CLIENT, None, "d"))
    assert exchange.take(CLIENT, 2) == [made[1], made[3]]
    assert list(exchange.pending()) == [made[0], made[2]]
    assert exchange.match(AGENT, {"id": None, "error": {}}) is None
    assert exchange.match(AGENT, {"id": 2, "result": {}}) is None
    assert exchange.match(CLIENT, {"id": 2, "result": {}}) is made[2]


def test_a_pending_request_is_found_without_being_settled() -> None:
    exchange, made = opened((AGENT, 1, "a"), (CLIENT, 1, "b"), (CLIENT, 1, "c"), (None, 2, "d"))
    assert exchange.find(CLIENT, 1) is made[1]
    assert exchange.find(AGENT, 1.0) is made[0]
    assert exchange.find(None, 1) is made[0]
    assert exchange.find(CLIENT, 2) is made[3]
    assert exchange.find(CLIENT, "1") is None
    assert len(list(exchange.pending())) == 4


@pytest.mark.parametrize("result", [{"stopReason": "end_turn"}, {"messageId": "m"}])
def test_a_prompt_is_answered_as_either_version_does(result: Message) -> None:
    exchange, made = opened((AGENT, 1, "session/request_permission"), (CLIENT, 1, "session/prompt"))
    assert exchange.match(None, {"id": 1, "result": result}) is made[1]


def test_an_unknown_sender_answers_either_side() -> None:
    exchange, made = opened((CLIENT, 1, "session/prompt"), (AGENT, 1, "session/request_permission"))
    assert exchange.match(None, {"id": 1, "result": {"outcome": {}}}) is made[1]
    assert exchange.match(None, {"id": 1, "result": {"outcome": {}}}) is made[0]
    assert exchange.match(None, {"id": 1, "result": {"outcome": {}}}) is None


# Ids beyond 64 bits


LONG = [str(2**64 + 1), str(2**64 + 2), str(-(2**63) - 1), "1" + "0" * 200 + "1", "1" + "0" * 5000 + "1"]
NUMBERED = sorted({*FORMS} - {"zed", "acp-el-traffic", "conductor-trace", "content-length"})
"""What writes ids as they are, and no lengths."""


@pytest.mark.parametrize("form", NUMBERED)
@pytest.mark.parametrize(("one", "other"), list(pairwise(LONG)))
def test_ids_beyond_64_bits_stay_apart(form: str, one: str, other: str, tmp_path: Path) -> None:
    """The second request is answered first."""
    said = Recording(-0.01).initialize_v2().resume("@one", "s").marker("s").idle("s").resume("@two", "t").marker("t")
    said = said.idle("t").result("@two", {}).error("@one", -32603)
    data = example(form, spoken(said)).data.replace(b'\\"@one\\"', one.encode()).replace(b'\\"@two\\"', other.encode())
    report = report_in(data.replace(b'"@one"', one.encode()).replace(b'"@two"', other.encode()), tmp_path)
    ends = [(each["request_id"], each["sessions"][0]["session_id"], each["end"]) for each in report["resumes"]]
    assert sorted(ends, key=str) == sorted([(one, "s", "error"), (other, "t", "success")], key=str)
    assert {each["rule"] for each in report["findings"]} == {"RL218"}
