"""Watching an analysis: what the engine makes of each message, seen from outside, just before and just after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from replaylint.protocol import methods
from replaylint.protocol.connection import Connection
from replaylint.protocol.exchange import Exchange
from replaylint.recording.message import other

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replaylint.protocol.exchange import Request
    from replaylint.recording.message import Message, Side
    from replaylint.replay.engine import Engine
    from replaylint.replay.route import Route

    Body = Mapping[str, object]
    Kind = Literal["request", "response", "notification", "other"]


class Spoken:
    """One message of a side. `inferred`: the recording does not say whose; `request`: the one that it is or answers."""

    __slots__ = ("body", "inferred", "kind", "line", "request", "route", "session_id", "side", "time", "variant")

    def __init__(self, message: Message, body: Body, request: Request | None, route: Route | None) -> None:
        self.line, self.time, self.side, _, _ = message
        self.inferred = self.side is None
        self.body = body
        self.request = request
        self.route = route
        """Of the connection that it belongs to; None where none has begun."""
        self.kind = _kind(body, request)
        self.variant: str | None = None
        self.session_id: str | None = None
        """The session whose id it bears, or of an answer the session that was asked about."""
        if self.side is None:
            self.side = self._likely_side()
        params = body.get("params")
        if isinstance(params, dict):
            update = params.get("update")
            self.variant = _text(update.get("sessionUpdate")) if isinstance(update, dict) else None
            self.session_id = _text(params.get("sessionId"))
        elif self.kind == "response":
            result = body.get("result")
            named = _text(result.get("sessionId")) if isinstance(result, dict) else None
            self.session_id = request.session_id if request is not None and request.session_id is not None else named

    @property
    def method(self) -> str:
        """The method, of an answer that of its request; empty where there is none."""
        if self.kind == "response":
            return self.request.method if self.request is not None else ""
        return _text(self.body.get("method")) or ""

    def _likely_side(self) -> Side | None:
        if self.request is not None:
            side = self.request.side
            return other(side) if side is not None and self.kind == "response" else side
        return methods.sender(self.method) if self.kind == "notification" else None


def _kind(body: Body, request: Request | None) -> Kind:
    if isinstance(body.get("method"), str):
        return "notification" if request is None else "request"
    return "response" if not body.keys().isdisjoint({"id", "result", "error"}) else "other"


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


class Watcher:
    """Give `watch` to `lint.watched`; `before` and `after` are called for each message, and for each note."""

    engine: Engine

    def __init__(self) -> None:
        self.opened: list[Request] = []
        """The requests that the message in hand turned out to be."""
        self.settled: list[tuple[Body, Request]] = []
        """The responses that it turned out to be, and what they answer."""

    def watch(self, engine: Engine, messages: Iterator[Message]) -> Iterator[Message]:
        """The same messages. The engine takes one in between two steps of this generator."""
        self.engine = engine
        engine.connect = self._connect
        for message in messages:
            self.opened, self.settled = [], []
            route = engine.current
            self.before(route, message)
            yield message
            self.after(route, engine.current, message)

    def before(self, route: Route | None, message: Message) -> None:
        """The engine has not seen this message yet; the route is that of the messages before it."""

    def after(self, old: Route | None, route: Route | None, message: Message) -> None:
        """The engine has taken this message in. Where it started a new connection, `old` is the one before it."""

    def spoken(self, route: Route | None, message: Message) -> list[Spoken]:
        """What was said in the message in hand, which the engine has taken in: a batch says several things."""
        opened = [request for request in self.opened if request.line == message[0]]
        said = []
        for body in bodies(message):
            request = next((each for answer, each in self.settled if answer is body), None)
            if isinstance(body.get("method"), str):
                request = next((each for each in opened if "id" in body and each.answers_to(body["id"])), None)
                if request is not None:
                    opened.remove(request)
            said.append(Spoken(message, body, request, route))
        return said

    def _connect(self, *arguments: Any) -> Connection:
        connection = Connection(*arguments)
        connection.exchange = _Exchange(self)
        return connection


class _Exchange(Exchange):
    """Tells a watcher which requests were opened and settled."""

    def __init__(self, watcher: Watcher) -> None:
        super().__init__()
        self._watcher = watcher

    def open(self, request: Request) -> Request | None:
        self._watcher.opened.append(request)
        return super().open(request)

    def settle(self, sender: Side | None, body: Body) -> Request | None:
        request = super().settle(sender, body)
        if request is not None:
            self._watcher.settled.append((body, request))
        return request


def bodies(message: Message) -> list[dict[str, object]]:
    """The JSON-RPC messages in a message: none in a note, several in a batch."""
    body = message[3]
    if isinstance(body, dict):
        return [body]
    return [each for each in body if isinstance(each, dict)] if isinstance(body, list) else []


def splits(old: Route | None, route: Route | None, message: Message) -> bool:
    """Whether this message started a new connection where another one was."""
    return old is not None and route is not None and route is not old and isinstance(message[3], dict | list)
