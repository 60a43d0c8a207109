"""A second `initialize` puts in doubt what was said of the client since: that may belong to another connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.recordings import Recording, report_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Fault = Callable[[Recording], object]

CONNECTIONS = {"pending": 1, "refused": 1, "answered": 2}


def said(
    fault: Fault, tmp_path: Path, *, first: bool, then: str, closed: bool = False
) -> list[tuple[str, str, int, int]]:
    """Rule, party, connection and line of the findings about the fault: before a second `initialize`, or after it."""
    recording = Recording().initialize_v2().resume(1, "s").child("s", "c")
    if first:
        fault(recording)
    recording.client(90, "initialize", protocolVersion=2, info={"name": "ed", "version": "3"})
    if not first:
        fault(recording)
    if then == "answered":
        recording.result(90, {"protocolVersion": 2, "capabilities": {}, "info": {"name": "agent", "version": "1"}})
    elif then == "refused":
        recording.error(90, -32600)
    report = report_of(recording.lines(), tmp_path, closed=closed)
    assert len(report["traces"][0]["connections"]) == CONNECTIONS[then]
    found = [(each["rule"], each["party"], each["connection"], each["line"]) for each in report["findings"]]
    return [each for each in found if each[0] not in {"RL105", "RL209"}]


def overlap(recording: Recording) -> None:
    recording.resume(2, "s")


def early_prompt(recording: Recording) -> None:
    recording.client(2, "session/prompt", sessionId="s", prompt=[])


def child_prompted(recording: Recording) -> None:
    recording.client(2, "session/prompt", sessionId="c", prompt=[])


def reused_id(recording: Recording) -> None:
    recording.client(1, "session/list")


STATEFUL: dict[str, Fault] = {
    "RL308": overlap,
    "RL309": early_prompt,
    "RL311": child_prompted,
    "RL103": reused_id,
}
"""Faults of the client that are faults on one connection and none on a fresh one."""


@pytest.mark.parametrize("rule", STATEFUL)
@pytest.mark.parametrize("then", ["pending", "refused", "answered"])
def test_a_fault_before_it_is_one_whatever_follows(rule: str, then: str, tmp_path: Path) -> None:
    assert said(STATEFUL[rule], tmp_path, first=True, then=then) == [(rule, "client", 1, 5)]


@pytest.mark.parametrize("rule", STATEFUL)
def test_a_fault_after_it_is_none_on_a_fresh_connection(rule: str, tmp_path: Path) -> None:
    assert said(STATEFUL[rule], tmp_path, first=False, then="answered") == []


@pytest.mark.parametrize("rule", STATEFUL)
def test_a_fault_after_it_is_one_where_it_was_refused(rule: str, tmp_path: Path) -> None:
    assert said(STATEFUL[rule], tmp_path, first=False, then="refused") == [(rule, "client", 1, 6)]


@pytest.mark.parametrize("rule", STATEFUL)
def test_a_fault_after_it_is_in_doubt_while_it_is_pending(rule: str, tmp_path: Path) -> None:
    assert said(STATEFUL[rule], tmp_path, first=False, then="pending") == []


@pytest.mark.parametrize("rule", STATEFUL)
def test_a_fault_after_it_is_one_where_no_answer_can_come(rule: str, tmp_path: Path) -> None:
    assert said(STATEFUL[rule], tmp_path, first=False, then="pending", closed=True) == [(rule, "client", 1, 6)]


def noise(recording: Recording) -> None:
    recording.records.append({"ts": recording.time, "dir": "c2a", "text": "noise"})


def batch(recording: Recording) -> None:
    recording.record("c2a", [{"jsonrpc": "2.0", "method": "_x"}])


def unmatched_response(recording: Recording) -> None:
    recording.result(77, {}, direction="c2a")


def agents_unmatched_response(recording: Recording) -> None:
    recording.result(78, {})


def agents_noise(recording: Recording) -> None:
    recording.records.append({"ts": recording.time, "dir": "a2c", "text": "noise"})


CLIENTS: dict[str, Fault] = {"RL001": noise, "RL107": batch}
"""Faults of the client on any connection."""
ANSWERS: dict[str, tuple[str, Fault]] = {
    "client": ("RL101", unmatched_response),
    "agent": ("RL101", agents_unmatched_response),
}


@pytest.mark.parametrize("rule", CLIENTS)
@pytest.mark.parametrize("then", ["pending", "refused", "answered"])
def test_what_is_a_fault_anywhere_is_said_once(rule: str, then: str, tmp_path: Path) -> None:
    assert said(CLIENTS[rule], tmp_path, first=False, then=then) == [(rule, "client", CONNECTIONS[then], 6)]
    assert said(CLIENTS[rule], tmp_path, first=True, then=then) == [(rule, "client", 1, 5)]


@pytest.mark.parametrize("side", ANSWERS)
@pytest.mark.parametrize("then", ["pending", "refused", "answered"])
def test_an_answer_belongs_to_the_connection_that_it_came_on(side: str, then: str, tmp_path: Path) -> None:
    rule, fault = ANSWERS[side]
    assert said(fault, tmp_path, first=False, then=then) == [(rule, side, 1, 6)]


@pytest.mark.parametrize("then", ["pending", "refused", "answered"])
def test_what_the_agent_wrote_before_the_answer_belongs_to_the_connection_before(then: str, tmp_path: Path) -> None:
    assert said(agents_noise, tmp_path, first=False, then=then) == [("RL001", "agent", 1, 6)]
