"""Two one-way recordings of one connection, the client's messages and the agent's, interleaved.

Where both have times, these decide, up to their resolution. Within that, or without times, only causes do: an answer
comes after its request. The rest is a guess, and a note says so: a message comes no earlier than what it answers, and
an answer no earlier than what cancels its request; a resume is sent before what may be its replay; else the agent
speaks while a request of the client waits for it, and the client otherwise.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from replaylint.protocol.exchange import id_key
from replaylint.protocol.methods import CANCEL_REQUEST, RESUMES
from replaylint.recording.message import AGENT, CLIENT, Unordered

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.recording.message import Message, Side

SIDES: Final[tuple[Side, Side]] = (CLIENT, AGENT)


class Lines:
    """Lines in ascending order, 8 bytes each."""

    def __init__(self) -> None:
        self._lines = array("q")

    def add(self, line: int) -> None:
        """One that is no earlier than those before."""
        self._lines.append(line)

    def __contains__(self, line: int) -> bool:
        """Whether this is one of them."""
        lines = self._lines
        at = bisect_left(lines, line)
        return at < len(lines) and lines[at] == line

    def __len__(self) -> int:
        """How many there are."""
        return len(self._lines)


class _Stream:
    """The messages of one side; `head` is the next one, `latest` the one before, None where there is none."""

    def __init__(self, number: int, messages: Iterator[Message]) -> None:
        self.number = number
        self.side = SIDES[number]
        self.pending: dict[object, object] = {}
        """Its requests that are unanswered: their ids, and the sessions that they name."""
        self.sessions: Counter[object] = Counter()
        """How many of them name a session."""
        self.sent: set[object] = set()
        self.latest: Message | None = None
        self.followed = True
        """Whether it is certain that what the other side sends now comes after `latest`."""
        self._messages = messages
        self.head = next(messages, None)

    def advance(self) -> None:
        """The next message."""
        if self.head is not None and _is_message(self.head):
            self.latest, self.followed = self.head, False
        self.head = next(self._messages, None)

    def asked(self, body: object) -> None:
        """It sends these requests, if they are any."""
        for item in _requests(body):
            key, session = id_key(item["id"]), _session(item)
            self.answered(key)
            self.sent.add(key)
            self.pending[key] = session
            self.sessions[session] += 1

    def answered(self, key: object) -> None:
        """The other side answers its request with this id."""
        session = self.pending.pop(key, _NONE)
        if session is not _NONE:
            self.sessions[session] -= 1
            if not self.sessions[session]:
                del self.sessions[session]


_NONE: Final = object()


def interleaved(
    client: Iterator[Message], agent: Iterator[Message], resolution_s: float | None
) -> Iterator[tuple[int, Message]]:
    """The messages of both, each with 0 for the client's or 1 for the agent's recording.

    `resolution_s`: times that differ by as much say which came first; None: they cannot be compared. `Unordered` stands
    before a message whose place among those of the other side is a guess.
    """
    one, other = _Stream(0, client), _Stream(1, agent)
    while one.head is not None or other.head is not None:
        stream = _next(one, other, resolution_s)
        message = stream.head
        if message is None:
            return
        opposite = other if stream is one else one
        line, time, _, body, size = message
        if _is_message(message):
            opposite.followed = opposite.followed or _is_before(opposite.latest, message, resolution_s)
            if not opposite.followed or not _is_before(message, opposite.head, resolution_s):
                yield stream.number, (line, time, None, Unordered(), 0)
        yield stream.number, (line, time, stream.side, body, size)
        for key in _answers(body):
            opposite.answered(key)
        stream.asked(body)
        stream.advance()


def _next(client: _Stream, agent: _Stream, resolution_s: float | None) -> _Stream:
    if client.head is None or agent.head is None:
        return agent if client.head is None else client
    if _is_later(client.head, agent.head, resolution_s):
        return agent
    if _is_later(agent.head, client.head, resolution_s):
        return client
    said, heard = client.head[3], agent.head[3]
    if not agent.sent.issuperset(_answers(said)):
        return agent
    if not client.sent.issuperset(_answers(heard)) or _cancels(said, heard):
        return client
    resumed = _resumed(said)
    # Without times, what the agent says of other sessions may be from long before.
    near = resolution_s is not None or resumed in map(_session, _items(heard))
    if resumed is not None and resumed not in client.sessions and near:
        return client
    return agent if client.pending else client


def _is_before(first: Message | None, second: Message | None, resolution_s: float | None) -> bool:
    """Whether it is certain that the first came before the second, which the other side sent, if both exist."""
    if first is None or second is None or _is_later(second, first, resolution_s):
        return True
    answers = set(_answers(second[3]))
    return any(id_key(request["id"]) in answers for request in _requests(first[3]))


def _is_later(one: Message, other: Message, resolution_s: float | None) -> bool:
    """Whether the times say so."""
    return resolution_s is not None and round(one[1] - other[1], 6) >= resolution_s


def _is_message(message: Message) -> bool:
    return isinstance(message[3], dict | list)


def _items(body: object) -> list[dict[str, Any]]:
    """The message, or those of a batch."""
    return [item for item in (body if isinstance(body, list) else [body]) if isinstance(item, dict)]


def _requests(body: object) -> list[dict[str, Any]]:
    return [item for item in _items(body) if isinstance(item.get("method"), str) and item.get("id") is not None]


def _answers(body: object) -> list[object]:
    """The ids of what it answers."""
    items = (item for item in _items(body) if not isinstance(item.get("method"), str))
    return [id_key(item["id"]) for item in items if item.get("id") is not None]


def _session(body: dict[str, Any]) -> str | None:
    params = body.get("params")
    session_id = params.get("sessionId") if isinstance(params, dict) else None
    return session_id if isinstance(session_id, str) else None


def _cancels(body: object, answer: object) -> bool:
    """Whether this message cancels the request that the other one answers."""
    if not isinstance(body, dict) or body.get("method") != CANCEL_REQUEST or not isinstance(answer, dict):
        return False
    params = body.get("params")
    cancelled = params.get("requestId") if isinstance(params, dict) else None
    return "method" not in answer and cancelled is not None and id_key(cancelled) == id_key(answer.get("id"))


def _resumed(body: object) -> str | None:
    """The session that it resumes."""
    return next((_session(request) for request in _requests(body) if request["method"] in RESUMES), None)
