"""How a request ends for its sessions, what certifies that, and how long it waited for the client."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.recordings import Message, Recording, report_of

if TYPE_CHECKING:
    from pathlib import Path


class Told(NamedTuple):
    """What a report says of one session."""

    outcome: str
    certified_by: str | None


ENDS = ["success", "error", "invalid", "cancelled", "closed", "open"]


def ended(recording: Recording, end: str) -> Recording:
    """The request with id 1 ends so."""
    codes = {"error": -32603, "invalid": -32602, "cancelled": -32800}
    if end in codes:
        return recording.error(1, codes[end])
    return recording.idle("s").result(1, {}) if end == "success" else recording


def told(recording: Recording, end: str, folder: Path) -> dict[str, Told]:
    """What the only resume came to, for each of its sessions."""
    (resume,) = report_of(ended(recording, end).lines(), folder, closed=end == "closed")["resumes"]
    assert resume["end"] == ("error" if end == "invalid" else end)
    return {each["session_id"]: Told(each["outcome"], each["certified_by"]) for each in resume["sessions"]}


UNMARKED = {
    "success": Told("unmarked", "response"),
    "error": Told("truncated", None),
    "invalid": Told("truncated", None),
    "cancelled": Told("truncated", None),
    "closed": Told("truncated", None),
    "open": Told("inconclusive", None),
}
FAILED = Told("complete_failed", "marker")
MARKED = {**dict.fromkeys(ENDS, FAILED), "success": Told("complete", "marker"), "open": Told("inconclusive", "marker")}


@pytest.mark.parametrize("end", ENDS)
def test_a_replay_with_and_without_a_marker(end: str, tmp_path: Path) -> None:
    begun = Recording().initialize_v2().resume(1, "s").message("s", "m1")
    assert told(begun, end, tmp_path) == {"s": UNMARKED[end]}
    begun = Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s")
    assert told(begun, end, tmp_path) == {"s": MARKED[end]}


@pytest.mark.parametrize("end", ENDS)
def test_the_vendor_event_is_a_marker_on_both_versions(end: str, tmp_path: Path) -> None:
    begun = Recording().initialize_v1(opted_in=True).load(1, "s").message("s", None).vendor("s")
    assert told(begun, end, tmp_path) == {"s": MARKED[end]}
    begun = Recording().initialize_v2(opted_in=True).resume(1, "s").message("s", "m1").vendor("s")
    assert told(begun, end, tmp_path) == {"s": MARKED[end]}


@pytest.mark.parametrize("end", ENDS)
def test_each_session_has_its_own_marker(end: str, tmp_path: Path) -> None:
    begun = Recording().initialize_v2().resume(1, "s").child("s", "a").child("s", "b").marker("a").marker("s")
    assert told(begun, end, tmp_path) == {"s": MARKED[end], "a": MARKED[end], "b": UNMARKED[end]}


@pytest.mark.parametrize("end", ENDS)
def test_nothing_came(end: str, tmp_path: Path) -> None:
    begun = Recording().initialize_v2().resume(1, "s")
    rejected = {"invalid": Told("rejected", None)}
    assert told(begun, end, tmp_path) == {"s": (UNMARKED | rejected)[end]}


@pytest.mark.parametrize("end", ENDS)
def test_history_of_any_session_means_that_nothing_was_rejected(end: str, tmp_path: Path) -> None:
    begun = Recording().initialize_v2().resume(1, "s").child("s", "a").message("a", "m1")
    assert told(begun, end, tmp_path) == {"s": UNMARKED[end], "a": UNMARKED[end]}


@pytest.mark.parametrize("end", ENDS)
def test_a_plain_request_certifies_nothing(end: str, tmp_path: Path) -> None:
    begun = Recording().initialize_v2().resume(1, "s", replay=False)
    assert told(begun, end, tmp_path) == {"s": Told("not_requested", None)}


# Requests of the agent that wait for the client, after a marker


def gap(recording: Recording, folder: Path) -> Message:
    """The figures of the gap of the only resume; it is answered 1 s after the last message."""
    (resume,) = report_of(recording.result(1, {}, 1.0).lines(), folder)["resumes"]
    timing = resume["sessions"][0]["timing"]
    return {name: timing[name] for name in ("response_gap_s", "gap_longest_pause_s", "gap_waiting_for_client_s")}


def marked() -> Recording:
    return Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s", 1.0)


def asked(recording: Recording, ident: int, after: float, session: str = "s") -> Recording:
    return recording.agent(ident, "session/request_permission", after, sessionId=session)


def answered(recording: Recording, ident: int, after: float) -> Recording:
    return recording.result(ident, {"outcome": {"outcome": "cancelled"}}, after, direction="c2a")


def test_two_requests_that_wait_at_once_wait_until_the_second_answer(tmp_path: Path) -> None:
    recording = asked(asked(marked(), 7, 1.0), 8, 2.0)
    answered(answered(recording, 8, 4.0), 7, 8.0).idle("s", 16.0)
    assert gap(recording, tmp_path) == {
        "response_gap_s": 32.0,
        "gap_longest_pause_s": 31.0,
        "gap_waiting_for_client_s": 14.0,
    }


def test_two_requests_that_wait_one_after_the_other(tmp_path: Path) -> None:
    recording = answered(asked(marked(), 7, 1.0), 7, 2.0).idle("s", 4.0)
    answered(asked(recording, 8, 8.0), 8, 16.0)
    assert gap(recording, tmp_path) == {
        "response_gap_s": 32.0,
        "gap_longest_pause_s": 25.0,
        "gap_waiting_for_client_s": 18.0,
    }


def test_one_request_that_is_not_answered_waits_until_the_response(tmp_path: Path) -> None:
    recording = answered(asked(asked(marked(), 7, 1.0), 8, 2.0), 7, 4.0)
    assert gap(recording, tmp_path)["gap_waiting_for_client_s"] == 7.0


def test_what_waits_since_before_the_marker_waits_in_the_gap_since_then(tmp_path: Path) -> None:
    recording = asked(Recording().initialize_v2().resume(1, "s").message("s", "m1"), 7, 2.0).marker("s", 4.0)
    answered(recording, 7, 8.0)
    assert gap(recording, tmp_path)["gap_waiting_for_client_s"] == 8.0


def test_what_waits_for_another_session_is_not_in_the_gap(tmp_path: Path) -> None:
    recording = answered(asked(marked(), 7, 1.0, "other"), 7, 2.0)
    assert gap(recording, tmp_path)["gap_waiting_for_client_s"] == 0.0


def test_what_came_for_a_known_session_before_it_was_announced_is_the_childs_too(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().client(5, "session/new").result(5, {"sessionId": "c"})
    recording.message("c", "live").message("c", "live too").resume(1, "s").message("c", "m1").message("c", "m2")
    recording.child("s", "c").message("c", "m3").marker("c").marker("s").idle("s").result(1, {})
    (resume,) = report_of(recording.lines(), tmp_path)["resumes"]
    updates = {each["session_id"]: each["updates"]["by_kind"] for each in resume["sessions"]}
    assert updates == {"s": {"subagent_update": 1, "state_update": 1}, "c": {"agent_message": 3}}
