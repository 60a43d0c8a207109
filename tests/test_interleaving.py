"""The messages of two one-way recordings without times, in an order that they can have had."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.sides import interleaved
from replaylint.recording.message import Unordered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.recording import message
    from tests.recordings import Message

REQUEST: Message = {"id": 1, "method": "session/resume"}
CANCEL: Message = {"method": "$/cancel_request", "params": {"requestId": 1}}
ANSWER: Message = {"id": 1, "result": {}}
ASKED: Message = {"id": 1, "method": "session/request_permission"}
UPDATE: Message = {"method": "session/update"}


def sent(bodies: list[Message]) -> Iterator[message.Message]:
    return ((line, 0.0, None, body, 10) for line, body in enumerate(bodies, 1))


def order(client: list[Message], agent: list[Message]) -> list[tuple[int, object]]:
    """The messages, each with 0 for the client's or 1 for the agent's."""
    mixed = ((side, body) for side, (_, _, _, body, _) in interleaved(sent(client), sent(agent), None))
    return [(side, body) for side, body in mixed if not isinstance(body, Unordered)]


def test_an_answer_comes_after_what_cancels_its_request() -> None:
    assert order([REQUEST, CANCEL], [UPDATE, ANSWER]) == [(0, REQUEST), (1, UPDATE), (0, CANCEL), (1, ANSWER)]


def test_a_request_with_the_id_of_the_cancelled_one_is_no_answer() -> None:
    assert order([REQUEST, CANCEL], [ASKED, ANSWER]) == [(0, REQUEST), (1, ASKED), (0, CANCEL), (1, ANSWER)]


def test_what_cancels_another_request_comes_after_the_answer() -> None:
    other: Message = {"method": "$/cancel_request", "params": {"requestId": 2}}
    assert order([REQUEST, other], [ANSWER]) == [(0, REQUEST), (1, ANSWER), (0, other)]
    no_id: Message = {"method": "$/cancel_request", "params": {}}
    assert order([REQUEST, no_id], [ANSWER]) == [(0, REQUEST), (1, ANSWER), (0, no_id)]


def test_an_answer_of_the_client_comes_after_the_agents_request() -> None:
    assert order([ANSWER], [UPDATE, ASKED]) == [(1, UPDATE), (1, ASKED), (0, ANSWER)]


def test_the_client_speaks_while_nothing_waits() -> None:
    assert order([REQUEST, UPDATE], [ANSWER, UPDATE]) == [(0, REQUEST), (1, ANSWER), (0, UPDATE), (1, UPDATE)]
