"""The analysis: is fed messages, keeps the connections apart, and tells a judge what became certain.

It reads nothing, prints nothing and takes time from the recording only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from replaylint.protocol import methods
from replaylint.protocol.connection import IDS_REMEMBERED, Connection, Life
from replaylint.protocol.exchange import Request, id_key
from replaylint.protocol.methods import UPDATE
from replaylint.protocol.variants import NEAR_MISS_METHODS
from replaylint.recording.clock import Steps
from replaylint.recording.message import AGENT, CLIENT, ClockStep, Ended, Header, Label, Lost, Unreadable
from replaylint.replay.fold import message
from replaylint.replay.route import Route
from replaylint.replay.window import Error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from replaylint.protocol.connection import Peer
    from replaylint.recording.message import Message, Side
    from replaylint.replay.route import Judge, Nowhere
    from replaylint.replay.window import End, Resume, Window


UNLABELLED = ("unlabelled",)
"""The `conn` value of records before the first that has one."""


class ConnectionFacts(NamedTuple):
    """What is known of a connection that ended."""

    number: int
    version: int | None
    partial: bool
    ended: End
    client: Peer
    agent: Peer


class Engine:
    """The analysis of one recording."""

    def __init__(self, judge: Judge, ended: Callable[[Resume, Steps], None]) -> None:
        self.judge = judge
        self.steps = Steps()
        self.lost = 0
        """Messages that the recorder says it dropped."""
        self.unreadable = 0
        """Lines, or texts of a side, that are no JSON."""
        self.first_unreadable_line = 0
        self.inferred = False
        """Whether a direction was inferred."""
        self.connections: list[ConnectionFacts] = []
        self.connect: Callable[..., Connection] = Connection
        """Makes a connection: who watches the analysis may want one of their own kind."""
        self._ended = ended
        self._started = 0
        # What the connections of one `conn` value, one after another, showed of their sessions.
        self._lived: dict[object, dict[str, Life]] = {}
        # One for each `conn` value; None where none has begun or the last one ended.
        self._routes: dict[object, Route | None] = {}
        self._label: object = UNLABELLED
        self._reinitialize: dict[Request, Mapping[str, object]] = {}

    def run(self, messages: Iterable[Message]) -> None:
        """Take these messages in. The loop is the hot path: what is not a plain update leaves it."""
        targets: Mapping[str, Window | Nowhere] = self._targets()
        for line, time, side, body, size in messages:
            try:
                params = body["params"]  # type: ignore[index]
                update = params["update"]
                variant = update["sessionUpdate"]
                target = targets[params["sessionId"]]
                fold = target.table[variant]
                if body["method"] != UPDATE or side is CLIENT:  # type: ignore[index]
                    fold = None
            except (LookupError, TypeError):
                fold = None
            if fold is message:
                # fold.message, without the call: half of all lines are one.
                window: Any = target
                try:
                    window.counts[variant] += 1
                except KeyError:
                    window.counts[variant] = 1
                window.bytes += size
                pause = time - window.last_time
                if pause > window.longest_pause:
                    window.longest_pause = pause
                window.last_line = line
                window.last_time = time
                try:
                    ident = update["messageId"]
                    if ident not in window.ids:
                        if len(window.ids) >= IDS_REMEMBERED:
                            window.forget()
                        window.ids[ident] = None
                except (KeyError, TypeError):  # none, or one that names nothing
                    pass
            elif fold is None:
                self._slow(line, time, side, body, size)
                targets = self._targets()
            else:
                fold(target, line, time, variant, update, size)

    @property
    def current(self) -> Route | None:
        """The connection of the messages that come now; None where none has begun."""
        return self._routes.get(self._label)

    def finish(self, *, closed: bool) -> None:
        """There is no more. `closed`: the connections ended with the recording."""
        for label, route in self._routes.items():
            if route is not None:
                self._close(route, "closed" if closed or route.connection.ended else "open")
                self._routes[label] = None
        self.connections.sort()

    # Connections

    def _targets(self) -> Mapping[str, Window | Nowhere]:
        route = self._routes.get(self._label)
        return {} if route is None else route.targets

    def _route(self) -> Route:
        label = self._label
        route = self._routes.get(label)
        if route is None:
            route = self._routes[label] = self._start()
        return route

    def _start(self) -> Route:
        self._started += 1
        connection = self.connect(self._started, self._lived.setdefault(self._label, {}))
        return Route(connection, self.judge, lambda resume: self._ended(resume, self.steps))

    def _close(self, route: Route, end: End) -> None:
        route.close(end)
        known = route.connection
        self.connections.append(
            ConnectionFacts(known.number, known.version, known.partial, end, known.client, known.agent)
        )

    def _switch(self, label: object) -> None:
        if self._label == UNLABELLED and UNLABELLED in self._routes:
            # What came before the first label belongs to the connection that it names.
            self._routes[label] = self._routes.pop(UNLABELLED)
            self._lived[label] = self._lived.pop(UNLABELLED, {})
        self._label = label

    def _header(self) -> None:
        label = self._label
        route = self._routes.get(label)
        if route is not None:
            self._close(route, "closed")
            self._routes[label] = None

    def _lost(self, line: int, messages: int) -> None:
        self.lost += messages
        route = self._routes.get(self._label)
        if route is not None:
            route.connection.lost_line = line
            route.lost()

    def _agent_ended(self) -> None:
        # Not an end yet: what the agent wrote before may stand behind its recorder's note.
        route = self._routes.get(self._label)
        if route is not None:
            route.connection.ended = True

    def _split(self, old: Route, request: Request, params: Mapping[str, object]) -> Route:
        """An `initialize` was answered on a connection that was in use: it starts a new one."""
        new = self._start()
        label = self._label
        self._routes[label] = new
        moved = [request, *old.connection.exchange.take(CLIENT, request.line)]
        new.connection.client_message(methods.INITIALIZE, request.line)
        new.connection.introduced(params)
        new.adopt(old, moved)
        self._close(old, "closed")
        return new

    # The slow path

    def _slow(self, line: int, time: float, side: Side | None, body: object, size: int) -> None:
        if isinstance(body, dict):
            self._message(line, time, side, body, size, batch=False)
        elif isinstance(body, list):
            for item in body:
                if isinstance(item, dict):
                    self._message(line, time, side, item, size, batch=True)
                    size = 0
        elif isinstance(body, Label):
            self._switch(id_key(body.conn))
        elif isinstance(body, Header):
            self._header()
        elif isinstance(body, Ended):
            self._agent_ended()
        elif isinstance(body, ClockStep):
            self.steps.add(line)
        elif isinstance(body, Lost):
            self._lost(line, body.messages)
        elif isinstance(body, Unreadable):
            self.unreadable += 1
            self.first_unreadable_line = self.first_unreadable_line or line

    def _message(
        self, line: int, time: float, side: Side | None, body: dict[str, object], size: int, *, batch: bool
    ) -> None:
        method = body.get("method")
        if not isinstance(method, str):
            if "id" in body or "result" in body or "error" in body:
                self._response(line, time, side, body)
            return
        route = self._route()
        connection = route.connection
        if side is None:
            side = methods.sender(method)
            self.inferred = True
        if "jsonrpc" in body:
            connection.speaks_jsonrpc.add(side)
        params = body.get("params")
        if not isinstance(params, dict):
            params = {}
        if method == UPDATE and side is not CLIENT:
            route.update(line, time, params, size)
            return
        if side is CLIENT:
            connection.client_message(method, line)
        if "id" not in body or (body["id"] is None and method in methods.NOTIFICATIONS):
            if method == methods.CANCEL_REQUEST:
                route.cancel(side, params, line)
            elif side is not CLIENT and method.endswith(NEAR_MISS_METHODS):
                route.near_miss(method, line, time, params)
            return
        request = Request(side, body["id"], method, params, line, time)
        request.odd |= batch or ("jsonrpc" not in body and side in connection.speaks_jsonrpc)
        connection.exchange.open(request)
        if side is CLIENT:
            if method == methods.INITIALIZE:
                if connection.first_client_line < line:
                    self._reinitialize[request] = params
                else:
                    connection.introduced(params)
            connection.requested(request)
            route.requested(request)
            if method in methods.RESUMES:
                route.resume(request, params)
        elif side is AGENT:
            route.agent_request(request, params)

    def _response(self, line: int, time: float, side: Side | None, body: dict[str, object]) -> None:
        route = self._route()
        connection = route.connection
        request = connection.exchange.settle(side, body)
        if side is None:
            self.inferred = True
            if request is not None and request.side is AGENT:
                side = CLIENT
        if side is CLIENT:
            connection.client_message(None, line)
        if request is None:
            return
        if request.side is AGENT:
            route.answer(request, time)
            return
        error = _error(body)
        params = self._reinitialize.pop(request, None)
        connection.answered(request, success=error is None)
        if error is None:
            if params is not None:
                route = self._split(route, request, params)
                connection = route.connection
            version = connection.version
            connection.succeeded(request, body.get("result"))
            if connection.version != version:
                route.version_changed()
            if request.method in {methods.CLOSE, methods.DELETE}:
                route.closed(request.session_id, line)
        route.respond(request, line, time, error)


def _error(body: Mapping[str, object]) -> Error | None:
    """The error of a response. `"error": null` is none."""
    error = body.get("error")
    if error is None:
        return None
    facts = error if isinstance(error, dict) else {}
    code, message = facts.get("code"), facts.get("message")
    return Error(
        code if isinstance(code, int) and not isinstance(code, bool) else None,
        message if isinstance(message, str) else None,
    )
