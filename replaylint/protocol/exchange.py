"""Requests and responses: which answer belongs to which request.

Each side chooses its own ids, so a request is found by its side, its id, and the id's JSON type.
"""

from __future__ import annotations

import re
import sys
from collections import OrderedDict
from itertools import chain
from typing import TYPE_CHECKING, TypeVar, cast

from orjson import OPT_SORT_KEYS, dumps

from replaylint.protocol.limits import NOTHING, forget_oldest
from replaylint.protocol.methods import RESULT_KEYS
from replaylint.recording.message import AGENT, CLIENT, other

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from replaylint.recording.message import Side


_K = TypeVar("_K")
Queue = OrderedDict["Request", None]
"""The oldest first. It is found at once, also behind many that were removed."""

_EXACT_UP_TO = 2**53
_WHOLE_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_MAX_DEPTH = 200
"""Levels of an id that a report can hold."""


class Request:
    """A request that was seen: `id` as recorded (None where it is nested too deep), `key` as ids are compared.

    `odd`: it has an invalid id, came in a batch or lacks `jsonrpc`, so that an error with id null may answer it.
    `answer_line` and `cancel_line` are those of its response and of what cancels it, 0 until they come.
    """

    __slots__ = ("answer_line", "cancel_line", "id", "key", "line", "method", "odd", "session_id", "side", "time")

    def __init__(
        self, side: Side | None, ident: object, method: str, params: Mapping[str, object], line: int, time: float
    ) -> None:
        self.side = side
        self.id = reported(ident)
        self.key = id_key(ident)
        self.method = sys.intern(method)
        session_id = params.get("sessionId")
        self.session_id = session_id if isinstance(session_id, str) else None
        self.line = line
        self.time = time
        self.answer_line = 0
        self.cancel_line = 0
        self.odd = self.invalid

    @property
    def invalid(self) -> bool:
        """Whether its id is none that a request may have."""
        return self.key.__class__ is tuple

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
        return ("other", dumps(ident, option=OPT_SORT_KEYS).decode())  # what dumps returns holds a kilobyte
    except TypeError:  # nested deeper than can be written
        return ("other", "")


def reported(ident: object) -> object:
    """The id as a report can hold it: None where it is nested too deep, its digits where it is beyond 64 bits."""
    if isinstance(ident, int) and not -(2**63) <= ident < 2**64:
        return str(ident)
    return ident if not isinstance(ident, dict | list) or _depth(ident) <= _MAX_DEPTH else None


def _depth(value: object) -> int:
    """How deep lists and objects are nested in this value, as far as it matters."""
    depth, level = 0, [value]
    while level and depth <= _MAX_DEPTH:
        depth += 1
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return depth


def _is_inexact(key: object) -> bool:
    """Whether this id is an integer that a double may not hold."""
    return isinstance(key, int) and abs(key) >= _EXACT_UP_TO


def _in_other_type(key: object) -> object:
    """The same id as the other JSON type, "1" for 1; None where there is none."""
    if isinstance(key, int):
        return str(key)
    if isinstance(key, str) and _WHOLE_NUMBER.fullmatch(key):
        return int(key)
    return None


class Exchange:
    """The requests of one connection: the pending ones, and those that were answered."""

    __slots__ = ("_answered", "_inexact", "_odd", "_pending", "_reusing", "answered_line", "forgot")

    def __init__(self) -> None:
        self._pending: dict[tuple[Side | None, object], Request] = {}
        """The oldest of each id, by its side and that: it is answered first."""
        self._reusing: dict[tuple[Side | None, object], Queue] = NOTHING
        """The others, by their side and id: a side may reuse one that is in flight."""
        self._odd: dict[Side | None, Queue] = NOTHING
        """Those that an error with id null may answer."""
        self._inexact: dict[tuple[Side | None, float], Queue] = NOTHING
        """Those whose ids a double cannot hold for certain, by their side and the double."""
        # The last answered request of each id.
        self._answered: dict[tuple[Side | None, object], Request] = {}
        self.answered_line = 0
        """The last response that answers a request."""
        self.forgot = False
        """Whether answered requests were forgotten, so that an id that seems unknown may be an old one."""

    def open(self, request: Request) -> Request | None:
        """A request was sent. Returns the oldest pending one that has its id already."""
        place = request.side, request.key
        oldest = self._pending.setdefault(place, request)
        if oldest is not request:
            self._reusing = _queued(self._reusing, place, request)
        if request.odd:
            self._odd = _queued(self._odd, request.side, request)
        if _is_inexact(request.key):
            self._inexact = _queued(self._inexact, _double(request), request)
        return oldest if oldest is not request else None

    def match(self, sender: Side | None, body: Mapping[str, object]) -> Request | None:
        """The request that this response answers, which is pending no longer; None where there is none.

        `sender` None: the recording does not say who sent the response.
        """
        ident = body.get("id")
        if ident is None and "error" in body:
            return self._match_odd(sender)
        key = id_key(ident)
        request = self._oldest(sender, key, body)
        if request is None and _is_inexact(key):
            request = self._rounded(_askers(sender), key)
        if request is None and (alike := _in_other_type(key)) is not None:
            request = self._oldest(sender, alike, body)
        if request is not None:
            self._close(request)
        return request

    def answered(self, request: Request, line: int) -> None:
        """A request that was answered: the response stands at this line."""
        request.answer_line = self.answered_line = line
        self.forgot |= forget_oldest(self._answered)
        self._answered[request.side, request.key] = request

    def earlier(self, sender: Side | None, ident: object) -> Request | None:
        """The last answered request that another response with this id belongs to, or None.

        `sender` None: the recording does not say who sent the response.
        """
        key = id_key(ident)
        for each in (key, _in_other_type(key)):
            found = [self._answered.get((side, each)) for side in _askers(sender)]
            last = max(filter(None, found), key=lambda request: request.answer_line, default=None)
            if last is not None:
                return last
        return None

    def follow(self, before: Exchange) -> None:
        """This connection goes on where that one was: what still comes may answer a request of before."""
        self.forgot = before.forgot
        self._answered = before._answered
        for request in before.pending():
            self._answered.setdefault((request.side, request.key), request)

    def _oldest(self, sender: Side | None, key: object, body: Mapping[str, object]) -> Request | None:
        found = [request for side in _askers(sender) if (request := self._pending.get((side, key)))]
        if len(found) > 1:
            return _likeliest(found, body)
        return found[0] if found else None

    def _rounded(self, sides: Iterable[Side | None], key: object) -> Request | None:
        """The oldest request whose id, as a double, is this one: some peers hold numbers as nothing else."""
        double = float(cast("int", key))
        return _oldest(self._inexact.get((side, double)) for side in sides)

    def _match_odd(self, sender: Side | None) -> Request | None:
        request = _oldest(map(self._odd.get, _askers(sender)))
        if request is not None:
            self._close(request)
        return request

    def _close(self, request: Request) -> None:
        place = request.side, request.key
        if self._pending[place] is not request:
            _discard(self._reusing, place, request)
        elif place in self._reusing:
            self._pending[place] = following = next(iter(self._reusing[place]))
            _discard(self._reusing, place, following)
        else:
            del self._pending[place]
        if request.odd:
            _discard(self._odd, request.side, request)
        if _is_inexact(request.key):
            _discard(self._inexact, _double(request), request)

    def __contains__(self, request: Request) -> bool:
        """Whether this request is unanswered."""
        place = request.side, request.key
        return self._pending.get(place) is request or request in self._reusing.get(place, ())

    def pending(self) -> Iterator[Request]:
        """The unanswered requests of both sides."""
        return chain(self._pending.values(), chain.from_iterable(self._reusing.values()))

    def find(self, side: Side | None, ident: object) -> Request | None:
        """The oldest pending request of this side with this id; of either side where `side` is None."""
        sides: tuple[Side | None, ...] = (CLIENT, AGENT, None) if side is None else (side, None)
        key = id_key(ident)
        found = [request for each in sides if (request := self._pending.get((each, key)))]
        if not found and _is_inexact(key):
            return self._rounded(sides, key)
        return min(found, key=lambda request: request.line, default=None)

    def take(self, side: Side, line: int) -> list[Request]:
        """The pending requests of this side from this line on, which are pending here no longer."""
        taken = [request for request in self.pending() if request.side == side and request.line >= line]
        for request in taken:
            self._close(request)
        return taken


def _double(request: Request) -> tuple[Side | None, float]:
    """The side of a request, and its id as a double."""
    return request.side, float(cast("int", request.key))


def _oldest(queues: Iterable[Queue | None]) -> Request | None:
    """The oldest request that is the first of a queue."""
    firsts = (next(iter(queue)) for queue in queues if queue)
    return min(firsts, key=lambda request: request.line, default=None)


def _queued(queues: dict[_K, Queue], key: _K, request: Request) -> dict[_K, Queue]:
    """The same, or where there were none new ones, with this request."""
    queues = queues or {}
    queues.setdefault(key, OrderedDict())[request] = None
    return queues


def _discard(queues: dict[_K, Queue], key: _K, request: Request) -> None:
    queue = queues[key]
    del queue[request]
    if not queue:
        del queues[key]


def _askers(sender: Side | None) -> tuple[Side | None, ...]:
    """Whose requests this side's responses can answer."""
    return (CLIENT, AGENT, None) if sender is None else (other(sender), None)


def _likeliest(requests: list[Request], body: Mapping[str, object]) -> Request:
    """Which of several requests this response answers: by the result's shape, else the oldest."""
    if body.get("error") is None:
        result = body.get("result")
        found = result if isinstance(result, dict) else {}
        fitting = [request for request in requests if any(key in found for key in RESULT_KEYS.get(request.method, ()))]
        # Without a result that fits: those that would need another one cannot be meant.
        possible = [request for request in requests if request.method not in RESULT_KEYS]
        requests = fitting or possible or requests
    return min(requests, key=lambda request: request.line)
