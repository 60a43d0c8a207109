"""Directions: relative words that mean the other way round, and messages without any."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final, Literal

from replaylint.errors import RecordingError
from replaylint.protocol.methods import INITIALIZE, sender
from replaylint.recording.message import AGENT, other
from replaylint.recording.source import failing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from replaylint.recording.message import Message, Side

Directions = Literal["recorded", "flipped", "inferred"]

HELD_MESSAGES: Final = 1000
HELD_BYTES: Final = 1_000_000
CONTRADICTED: Final = 0.9
"""The share of messages with a fixed direction that have to contradict the words before these are flipped."""


def decide(messages: Iterator[Message], flip: Callable[[], None]) -> tuple[Iterator[Message], Directions]:
    """The same messages, the right way round.

    Looks at the first messages, held back, and where their methods prove the recorder's relative words wrong, calls
    `flip`, which turns round what is still to come, and turns round what was held. An `initialize` or its answer
    decides at once.
    """
    held: list[Message] = []
    size = right = wrong = 0
    try:
        for message in messages:
            held.append(message)
            size += message[4]
            proved = _proved(message)
            if proved is not None:
                actual, decisive = proved
                right, wrong = right + (actual == message[2]), wrong + (actual != message[2])
                if decisive:
                    right, wrong = int(actual == message[2]), int(actual != message[2])
                    break
            if len(held) >= HELD_MESSAGES or size >= HELD_BYTES:
                break
    except RecordingError as error:
        messages = failing(error)
    if not wrong or wrong < CONTRADICTED * (right + wrong):
        return chain(held, messages), "recorded"
    flip()
    return chain(map(_turned, held), messages), "flipped"


def _proved(message: Message) -> tuple[Side, bool] | None:
    """The side that must have sent this message, and whether that settles it; None where it can be either."""
    _, _, side, body, _ = message
    if side is None or not isinstance(body, dict):
        return None
    method = body.get("method")
    if isinstance(method, str):
        actual = sender(method)
        return None if actual is None else (actual, method == INITIALIZE)
    result = body.get("result")
    if isinstance(result, dict) and "protocolVersion" in result:
        return AGENT, True
    return None


def _turned(message: Message) -> Message:
    line, time, side, body, size = message
    return line, time, side and other(side), body, size
