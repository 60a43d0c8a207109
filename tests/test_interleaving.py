"""The messages of two one-way recordings, in an order that they can have had, and where that is a guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.sides import interleaved
from replaylint.recording.message import Unordered

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replaylint.recording import message
    from tests.recordings import Message

REQUEST: Message = {"id": 1, "method": "session/resume"}
CANCEL: Message = {"method": "$/cancel_request", "params": {"requestId": 1}}
ANSWER: Message = {"id": 1, "result": {}}
ASKED: Message = {"id": 1, "method": "session/request_permission"}
UPDATE: Message = {"method": "session/update"}


def sent(bodies: Sequence[object]) -> Iterator[message.Message]:
    return ((line, 0.0, None, body, 10) for line, body in enumerate(bodies, 1))


def order(client: Sequence[object], agent: Sequence[object]) -> list[tuple[int, object]]:
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


def test_a_batch_of_answers_comes_after_what_it_answers() -> None:
    assert order([REQUEST], [[ANSWER]]) == [(0, REQUEST), (1, [ANSWER])]


def test_a_replay_comes_after_its_request_while_another_one_waits() -> None:
    prompt: Message = {"id": 7, "method": "session/prompt", "params": {"sessionId": "a"}}
    resume: Message = {"id": 8, "method": "session/resume", "params": {"sessionId": "b"}}
    of_a, of_b = ({"method": "session/update", "params": {"sessionId": each}} for each in "ab")
    assert order([prompt, resume], [of_a, of_b]) == [(0, prompt), (1, of_a), (0, resume), (1, of_b)]
    assert order([resume, {**resume, "id": 9}], [of_b, of_a])[1] == (1, of_b)


# What is a guess


def guessed(
    client: list[tuple[float, Message]], agent: list[tuple[float, Message]], resolution_s: float | None
) -> tuple[list[float], list[float]]:
    """The times of the client's and the agent's messages whose place is a guess."""

    def timed(messages: list[tuple[float, Message]]) -> Iterator[message.Message]:
        return ((line, time, None, body, 10) for line, (time, body) in enumerate(messages, 1))

    times: tuple[list[float], list[float]] = [], []
    for side, (_, time, _, body, _) in interleaved(timed(client), timed(agent), resolution_s):
        if isinstance(body, Unordered):
            times[side].append(time)
    return times


def test_what_differs_by_the_resolution_is_in_order() -> None:
    assert guessed([(7.0, REQUEST)], [(8.0, UPDATE)], 1.0) == ([], [])
    assert guessed([(7.0, REQUEST)], [(7.999, UPDATE)], 1.0) == ([7.0], [7.999])
    assert guessed([(1764400000.01, REQUEST)], [(1764400000.02, UPDATE)], 0.01) == ([], [])


def test_an_answer_is_in_order_and_so_is_what_its_side_sends_next() -> None:
    answered = [(7.1, ANSWER), (7.2, UPDATE)]
    assert guessed([(7.0, REQUEST)], answered, 1.0) == ([], [])
    assert guessed([(7.0, REQUEST)], answered, None) == ([], [])
    # What the client says next may have come before that answer.
    assert guessed([(7.0, REQUEST), (7.0, CANCEL)], answered, 1.0) == ([7.0], [7.1, 7.2])


def test_an_answer_does_not_say_what_else_came_before() -> None:
    other = {**REQUEST, "id": 2}
    assert guessed([(7.0, REQUEST), (7.0, other)], [(7.5, ANSWER)], 1.0) == ([7.0], [7.5])
    assert guessed([(7.0, CANCEL), (7.0, REQUEST)], [(7.5, ANSWER)], 1.0) == ([7.0], [])


def test_without_a_time_a_place_is_a_guess() -> None:
    nan = float("nan")
    assert guessed([(7.0, REQUEST), (nan, CANCEL)], [(9.0, UPDATE)], 1.0)[1] == [9.0]
    assert guessed([(7.0, REQUEST)], [(9.0, UPDATE)], None) == ([7.0], [9.0])


def test_a_side_alone_is_in_order() -> None:
    assert guessed([], [(7.0, UPDATE), (7.0, UPDATE)], None) == ([], [])
