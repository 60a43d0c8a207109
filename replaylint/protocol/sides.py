"""Two one-way recordings of one connection, the client's messages and the agent's, interleaved.

Where both have times, these decide, up to their resolution. Else, and between equal times, a message comes no earlier
than what it answers, and an answer no earlier than what cancels its request; the agent speaks while a request of the
client waits for it, and the client otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.exchange import id_key
from replaylint.protocol.methods import CANCEL_REQUEST
from replaylint.recording.message import AGENT, CLIENT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.recording.message import Message, Side

SIDES: Final[tuple[Side, Side]] = (CLIENT, AGENT)


class _Stream:
    """The messages of one side; `head` is the next one, None at the end."""

    def __init__(self, number: int, messages: Iterator[Message]) -> None:
        self.number = number
        self.side = SIDES[number]
        self.pending: set[object] = set()
        """Ids of its requests that are unanswered."""
        self.sent: set[object] = set()
        self._messages = messages
        self.head: Message | None = None
        self.advance()

    def advance(self) -> None:
        """The next message."""
        self.head = next(self._messages, None)


def interleaved(
    client: Iterator[Message], agent: Iterator[Message], resolution_s: float | None
) -> Iterator[tuple[int, Message]]:
    """The messages of both, each with 0 for the client's or 1 for the agent's recording.

    `resolution_s`: times that differ by more say which came first; None: they cannot be compared.
    """
    one, other = _Stream(0, client), _Stream(1, agent)
    while one.head is not None or other.head is not None:
        stream = _next(one, other, resolution_s)
        message = stream.head
        if message is None:
            return
        line, time, _, body, size = message
        yield stream.number, (line, time, stream.side, body, size)
        _note(body, stream, other if stream is one else one)
        stream.advance()


def _next(client: _Stream, agent: _Stream, resolution_s: float | None) -> _Stream:
    if client.head is None or agent.head is None:
        return agent if client.head is None else client
    if resolution_s is not None:
        apart = client.head[1] - agent.head[1]
        if abs(apart) > resolution_s:
            return agent if apart > 0 else client
    if not _can_be(client.head[3], agent):
        return agent
    if not _can_be(agent.head[3], client) or _cancels(client.head[3], agent.head[3]):
        return client
    return agent if client.pending else client


def _can_be(body: object, asker: _Stream) -> bool:
    """Whether what this message answers was sent."""
    if not isinstance(body, dict) or isinstance(body.get("method"), str) or body.get("id") is None:
        return True
    return id_key(body["id"]) in asker.sent


def _cancels(body: object, answer: object) -> bool:
    """Whether this message cancels the request that the other one answers."""
    if not isinstance(body, dict) or body.get("method") != CANCEL_REQUEST or not isinstance(answer, dict):
        return False
    params = body.get("params")
    cancelled = params.get("requestId") if isinstance(params, dict) else None
    return "method" not in answer and cancelled is not None and id_key(cancelled) == id_key(answer.get("id"))


def _note(body: object, sender: _Stream, receiver: _Stream) -> None:
    for each in body if isinstance(body, list) else (body,):
        if not isinstance(each, dict) or "id" not in each:
            continue
        key = id_key(each["id"])
        if isinstance(each.get("method"), str):
            sender.sent.add(key)
            sender.pending.add(key)
        else:
            receiver.pending.discard(key)
