"""Requests and responses: which answer belongs to which request.

Each side chooses its own ids, so a request is found by its side, its id, and the id's JSON type.
"""

from __future__ import annotations

import re
import sys
from itertools import chain
from typing import TYPE_CHECKING

from orjson import OPT_SORT_KEYS, dumps

from replaylint.protocol.methods import RESULT_KEYS
from replaylint.recording.message import AGENT, CLIENT, other

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from replaylint.recording.message import Side


_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DEEPEST = 200
"""Levels of an id that a report can hold."""


class Request:
    """A request that was seen: `id` as recorded (None where it is nested too deep), `key` as ids are compared.

    `odd`: it has an invalid id, came in a batch or lacks `jsonrpc`, so that an error with id null may answer it.
    """

    __slots__ = ("id", "key", "line", "method", "odd", "session_id", "side", "time")

    def __init__(
        self, side: Side | None, ident: object, method: str, params: Mapping[str, object], line: int, time: float
    ) -> None:
        self.side = side
        self.id = ident if not isinstance(ident, dict | list) or _depth(ident) <= _DEEPEST else None
        self.key = id_key(ident)
        self.method = sys.intern(method)
        session_id = params.get("sessionId")
        self.session_id = session_id if isinstance(session_id, str) else None
        self.line = line
        self.time = time
        self.odd = self.key.__class__ is tuple

    def answers_to(self, ident: object) -> bool:
        """Whether this is the id of the request."""
        return id_key(ident) == self.key


def id_key(ident: object) -> object:
    """What an id is compared by: 1 and 1.0 are one id; "1" is another. A tuple stands for an invalid id."""
    if isinstance(ident, bool):
        return ("boolean", ident)
    if isinstance(ident, int | str):
        return ident
    if isinstance(ident, float):
        return int(ident) if ident.is_integer() else ("fraction", ident)
    try:
        return ("other", dumps(ident, option=OPT_SORT_KEYS))
    except TypeError:  # nested deeper than can be written
        return ("other", b"")


def _depth(value: object) -> int:
    """How deep lists and objects are nested in this value, as far as it matters."""
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return depth


def _in_other_type(key: object) -> object:
    """The same id as the other JSON type, "1" for 1; None where there is none."""
    if isinstance(key, int):
        return str(key)
    if isinstance(key, str) and _WHOLE_NUMBER.fullmatch(key):
        return int(key)
    return None


class Exchange:
    """The pending requests of one connection."""

    def __init__(self) -> None:
        # A list for each id: a side may reuse one that is in flight, and the oldest is answered first.
        self._pending: dict[Side | None, dict[object, list[Request]]] = {CLIENT: {}, AGENT: {}, None: {}}
        self._odd: list[Request] = []

    def open(self, request: Request) -> None:
        """A request was sent."""
        self._pending[request.side].setdefault(request.key, []).append(request)
        if request.odd:
            self._odd.append(request)

    def settle(self, sender: Side | None, body: Mapping[str, object]) -> Request | None:
        """The request that this response answers, which is pending no longer; None where there is none.

        `sender` None: the recording does not say who sent the response.
        """
        ident = body.get("id")
        if ident is None and "error" in body:
            return self._settle_odd(sender)
        key = id_key(ident)
        request = self._answered(sender, key, body)
        if request is None and (alike := _in_other_type(key)) is not None:
            request = self._answered(sender, alike, body)
        if request is not None:
            self._close(request)
        return request

    def _answered(self, sender: Side | None, key: object, body: Mapping[str, object]) -> Request | None:
        sides: Iterable[Side | None] = (CLIENT, AGENT, None) if sender is None else (other(sender), None)
        found = [queue[0] for side in sides if (queue := self._pending[side].get(key))]
        if len(found) > 1:
            return _likeliest(found, body)
        return found[0] if found else None

    def _settle_odd(self, sender: Side | None) -> Request | None:
        for request in self._odd:
            if sender is None or request.side != sender:
                self._close(request)
                return request
        return None

    def _close(self, request: Request) -> None:
        pending = self._pending[request.side]
        queue = pending[request.key]
        queue.remove(request)
        if not queue:
            del pending[request.key]
        if request.odd:
            self._odd.remove(request)

    def pending(self) -> Iterator[Request]:
        """The unanswered requests of both sides."""
        return chain.from_iterable(queue for side in self._pending.values() for queue in side.values())

    def find(self, side: Side | None, ident: object) -> Request | None:
        """The oldest pending request of this side with this id; of either side where `side` is None."""
        sides: tuple[Side | None, ...] = (CLIENT, AGENT, None) if side is None else (side, None)
        found = [self._pending[each].get(id_key(ident), [None])[0] for each in sides]
        return min(filter(None, found), key=lambda request: request.line, default=None)

    def take(self, side: Side, line: int) -> list[Request]:
        """The pending requests of this side from this line on, which are pending here no longer."""
        taken = [request for request in self.pending() if request.side == side and request.line >= line]
        for request in taken:
            self._close(request)
        return taken


def _likeliest(requests: list[Request], body: Mapping[str, object]) -> Request:
    """Which of several requests this response answers: by the result's shape, else the oldest."""
    if body.get("error") is None:
        result = body.get("result")
        keys = result if isinstance(result, dict) else ()
        fitting = [request for request in requests if RESULT_KEYS.get(request.method) in keys]
        # Without a result that fits: those that would need another one cannot be meant.
        possible = [request for request in requests if request.method not in RESULT_KEYS]
        requests = fitting or possible or requests
    return min(requests, key=lambda request: request.line)
