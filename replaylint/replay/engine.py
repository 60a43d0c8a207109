"""The analysis: is fed messages, keeps the connections apart, and tells a judge what became certain.

It reads nothing, prints nothing and takes time from the recording only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from replaylint.protocol import foreign, methods
from replaylint.protocol.connection import Connection, Life
from replaylint.protocol.exchange import Request, id_key
from replaylint.protocol.limits import IDS_REMEMBERED
from replaylint.protocol.methods import UPDATE
from replaylint.protocol.variants import NEAR_MISS_METHODS
from replaylint.recording.clock import Steps
from replaylint.recording.message import (
    AGENT,
    CLIENT,
    ClockStep,
    Ended,
    Header,
    Label,
    Lost,
    NoMessage,
    Skipped,
    Unreadable,
)
from replaylint.replay.facts import Frame, Wire
from replaylint.replay.fold import REFUSED, message
from replaylint.replay.route import Route
from replaylint.replay.window import NOWHERE, Error, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from replaylint.protocol.connection import Peer
    from replaylint.recording.message import Message, Side
    from replaylint.replay.facts import Judge
    from replaylint.replay.route import Nowhere
    from replaylint.replay.window import End, Resume, Window


JSONRPC: Final = "2.0"
SINCE_REMEMBERED: Final = 10_000
"""Messages that are said again, a connection."""
UNLABELLED: Final = ("unlabelled",)
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
        self.resumes = 0
        """Resumes that have ended."""
        self.lost = 0
        """Messages that the recorder says it dropped."""
        self.skipped = False
        """Whether a line was not read."""
        self.speaks_acp = False
        """Whether a message is one of this protocol for certain."""
        self._other_protocol: str | None = None
        self.malformed = 0
        """Messages that are passed over because a field has another type than it has to have."""
        self.first_malformed_line = 0
        self.inferred = False
        """Whether a direction was inferred."""
        self.connections: list[ConnectionFacts] = []
        self.drops_replays: Callable[[str | None, str | None], bool] = lambda _name, _version: False
        """Whether a client of this name and version leaves replayed updates out of its recordings of this format."""
        self.connect: Callable[..., Connection] = Connection
        """Makes a connection: who watches the analysis may want one of their own kind."""
        self._latest: tuple[int, float] = NOWHERE
        """The last message with a time, of those that leave the loop and where it ends."""
        self._ended = ended
        self._started = 0
        # What the connections of one `conn` value, one after another, showed of their sessions.
        self._lived: dict[object, dict[str, Life]] = {}
        # One for each `conn` value; None where none has begun or the last one ended.
        self._routes: dict[object, Route | None] = {}
        self._label: object = UNLABELLED
        self._reinitialize: set[Request] = set()
        """Requests to `initialize` on connections that were in use, and are not answered yet."""
        self._since: dict[object, list[tuple[int, Callable[[], None]]]] = {}
        """What the client sent since the first of them, by line, to be said again where that starts a connection."""
        self._again: dict[tuple[int, object], Request] | None = None
        """The pending requests among it, while that is done."""

    def run(self, messages: Iterable[Message]) -> None:
        """Take these messages in. The loop is the hot path: what is not a plain update leaves it."""
        targets, version_key, version = self._expected()
        line, time = NOWHERE
        for line, time, side, body, size in messages:
            try:
                params = body["params"]  # type: ignore[index]
                update = params["update"]
                variant = update["sessionUpdate"]
                target = targets[params["sessionId"]]
                fold = target.table[variant]
                if body["method"] != UPDATE or body[version_key] != version or side is CLIENT:  # type: ignore[index]
                    fold = None
            except (LookupError, TypeError):
                fold = None
            if fold is message:
                # fold.message, without the call: half of all lines are one.
                window: Any = target
                try:
                    ident = update["messageId"]
                    if ident not in window.ids:
                        if ident.__class__ is not str:
                            raise TypeError
                        if len(window.ids) >= IDS_REMEMBERED:
                            window.forget()
                        window.ids[ident] = None
                    try:
                        window.counts[variant] += 1
                    except KeyError:
                        window.counts[variant] = 1
                    window.bytes += size
                    pause = time - window.last_time
                    if not pause <= window.longest_pause and window.longest_pause == window.longest_pause:
                        window.longest_pause = pause
                    window.last_line = line
                    window.last_time = time
                    continue
                except (KeyError, TypeError):  # no id
                    pass
            elif fold is not None and fold(target, line, time, variant, update, size) is not REFUSED:
                continue
            self._slow(line, time, side, body, size)
            targets, version_key, version = self._expected()
        if time == time:  # noqa: PLR0124  (NaN: it has none)
            self._latest = line, time

    @property
    def foreign(self) -> str | None:
        """The other protocol that this is a recording of; None where a message is one of ours, or of no other."""
        return None if self.speaks_acp else self._other_protocol

    @property
    def current(self) -> Route | None:
        """The connection of the messages that come now; None where none has begun."""
        return self._routes.get(self._label)

    def finish(self, *, closed: bool) -> None:
        """There is no more. `closed`: the connections ended with the recording."""
        for label, route in self._routes.items():
            if route is not None:
                lines = [request.line for request in self._reinitialize if request in route.connection.exchange]
                if lines and not closed:
                    self.judge.doubt(route.connection, min(lines))
                self._close(route, "closed" if closed or route.connection.ended_at else "open")
                self._routes[label] = None
        self.connections.sort()

    # Connections

    def _expected(self) -> tuple[Mapping[str, Window | Nowhere], str, str]:
        """Where the agent's updates go, by their session, and a key and the value that they have. What differs is slow.

        The key is `jsonrpc`; where the agent leaves that out, one that is there anyway.
        """
        route = self._routes.get(self._label)
        if route is None or route.connection.cut:
            return {}, "method", UPDATE
        if AGENT in route.connection.speaks_jsonrpc:
            return route.targets, "jsonrpc", JSONRPC
        return route.targets, "method", UPDATE

    def _route(self) -> Route:
        label = self._label
        route = self._routes.get(label)
        if route is None:
            route = self._routes[label] = self._start()
        return route

    def _start(self) -> Route:
        self._started += 1
        connection = self.connect(self._started, self._lived.setdefault(self._label, {}), self.steps)
        return Route(connection, self.judge, self._resume_ended)

    def _resume_ended(self, resume: Resume) -> None:
        self.resumes += 1
        self._ended(resume, self.steps)

    def _close(self, route: Route, end: End) -> None:
        for side, line in route.connection.cut.items():
            self.judge.wire(Wire.CUT, route.connection, Frame(line, side))
        route.close(end, Point(*(route.connection.ended_at or self._latest)))
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

    def _skipped(self, line: int) -> None:
        """Nobody knows what stood there, nor on which connection: any may have lost a message."""
        self.skipped = True
        for route in self._routes.values():
            if route is not None:
                route.connection.lost_line = line
                route.lost()
        current = self.current
        self.judge.wire(Wire.SKIPPED, None if current is None else current.connection, Frame(line, None))

    def _agent_ended(self) -> None:
        # Not an end yet: what the agent wrote before may stand behind its recorder's note.
        route = self._routes.get(self._label)
        if route is not None:
            route.connection.ended_at = self._latest

    def _restart(self, old: Route, request: Request) -> None:
        """An `initialize` was answered on a connection that was in use: it starts a new one.

        What the client has sent since belongs to that, unless it was answered before: it is said again.
        """
        first, before = request.line, old.connection
        again = [request, *before.exchange.take(CLIENT, first)]
        moved = old.leave(again)
        self.judge.restart(before, first)
        if before.cut.get(CLIENT, 0) >= first:
            del before.cut[CLIENT]
        self._close(old, "closed")
        new = self._routes[self._label] = self._start()
        new.connection.exchange.follow(before.exchange)
        new.moved = moved
        self._again = {(each.line, each.key): each for each in again}
        for line, say in self._since.pop(self._label, ()):
            if line >= first:
                say()
        self._again = None

    def _note_since(self, line: int, side: Side | None, say: Callable[[], None]) -> None:
        """The client said something that may have to be said again."""
        since = self._since.get(self._label)
        if since is not None and side is CLIENT and len(since) < SINCE_REMEMBERED:
            since.append((line, say))

    def _introduced(self, connection: Connection, params: Mapping[str, object]) -> None:
        connection.introduced(params)
        connection.drops_replays = self.drops_replays(connection.client.name, connection.client.version)

    # The slow path

    def _slow(self, line: int, time: float, side: Side | None, body: object, size: int) -> None:
        if time == time:  # noqa: PLR0124  (NaN: it has none)
            self._latest = line, time
        if isinstance(body, dict):
            self._message(line, time, side, body, size, batch=False)
        elif isinstance(body, list):
            self._batch(line, side, body)
            for item in body:
                if isinstance(item, dict):
                    self._message(line, time, side, item, size, batch=True)
                    size = 0
                else:
                    self._no_message(line, side)
        elif isinstance(body, Label):
            self._switch(id_key(body.conn))
        elif isinstance(body, Header):
            self._header()
        elif isinstance(body, Ended):
            self._agent_ended()
        elif isinstance(body, ClockStep):
            self.steps.add(line)
            if body.seconds is not None:
                self.judge.wire(Wire.CLOCK_STEP, None, Frame(line, None, body.seconds))
        elif isinstance(body, Lost):
            self._lost(line, body.messages)
        elif isinstance(body, Skipped):
            self._skipped(line)
        elif isinstance(body, Unreadable):
            self._unreadable(line, side, body)
        elif isinstance(body, NoMessage):
            self._no_message(line, side, wire=body.wire)

    def _whose(self, method: str) -> None:
        """A method may say which protocol this is a recording of."""
        if foreign.is_acp(method):
            self.speaks_acp = True
        elif self._other_protocol is None:
            self._other_protocol = foreign.protocol_of(method)

    def _batch(self, line: int, side: Side | None, items: list[object]) -> None:
        methods_ = (item.get("method") for item in items if isinstance(item, dict))
        known = (methods.sender(method) for method in methods_ if isinstance(method, str))
        sender = side or next(filter(None, known), None)
        self._note_since(line, sender, lambda: self._batch(line, side, items))
        connection = self._route().connection
        self._speaks(connection, sender)
        self.judge.wire(Wire.BATCH, connection, Frame(line, sender, items))

    def _unreadable(self, line: int, side: Side | None, body: Unreadable) -> None:
        from replaylint.recording.fragments import embedded, is_cut  # noqa: PLC0415

        # A recorder's own line begins no connection.
        self._note_since(line, side, lambda: self._unreadable(line, side, body))
        route = self._route() if body.wire else self.current
        connection = None if route is None else route.connection
        if connection is not None:
            self._speaks(connection, side)
        if not body.ended and is_cut(body.text):
            if connection is not None:
                connection.cut[side] = line
            else:
                self.judge.wire(Wire.CUT, None, Frame(line, side))
            return
        frame = Frame(line, side or (AGENT if body.wire else None), embedded(body.text))
        self.judge.wire(Wire.UNREADABLE, connection, frame)

    def _no_message(self, line: int, side: Side | None, *, wire: bool = True) -> None:
        self._note_since(line, side, lambda: self._no_message(line, side, wire=wire))
        route = self._route() if wire else self.current
        connection = None if route is None else route.connection
        if connection is not None:
            self._speaks(connection, side)
        self.judge.wire(Wire.NO_MESSAGE, connection, Frame(line, side or (AGENT if wire else None)))

    def _speaks(self, connection: Connection, side: Side | None) -> None:
        """This side goes on: its text that seemed to be cut off was not the last one."""
        line = connection.cut.pop(side, 0)
        if line:
            self.judge.wire(Wire.UNREADABLE, connection, Frame(line, side or AGENT))

    def _heard(self, connection: Connection, line: int, side: Side | None, body: Mapping[str, object]) -> None:
        self._speaks(connection, side)
        if body.get("jsonrpc") == JSONRPC:
            connection.speaks_jsonrpc.add(side)
        elif side in connection.speaks_jsonrpc:
            self.judge.wire(Wire.NO_VERSION, connection, Frame(line, side, body))

    def _message(
        self, line: int, time: float, side: Side | None, body: dict[str, object], size: int, *, batch: bool
    ) -> None:
        method = body.get("method")
        if not isinstance(method, str):
            if "result" in body or "error" in body or ("id" in body and "method" not in body):
                self._response(line, time, side, body)
            else:
                self._other_protocol = self._other_protocol or foreign.protocol_of_body(body)
                self._no_message(line, side)
            return
        if not self.speaks_acp:
            self._whose(method)
        route = self._route()
        connection = route.connection
        if side is None:
            side = methods.sender(method)
            self.inferred = True
        self._heard(connection, line, side, body)
        params = body.get("params")
        if method in methods.NAMES_A_SESSION and not methods.names_one(method, params):
            self.malformed += 1
            self.first_malformed_line = self.first_malformed_line or line
        if not isinstance(params, dict):
            params = {}
        if method == UPDATE and side is not CLIENT:
            route.update(line, time, params, size)
            return
        if side is CLIENT:
            if method == methods.INITIALIZE and connection.first_client_line and "id" in body and self._again is None:
                self._since.setdefault(self._label, [])
            self._note_since(line, side, lambda: self._message(line, time, side, body, 0, batch=batch))
            connection.client_message(method, line)
        if "id" not in body or (body["id"] is None and method in methods.NOTIFICATIONS):
            if method == methods.CANCEL_REQUEST:
                route.cancel(side, params, line)
            elif method == methods.CANCEL_TURN:
                route.cancel_turn(params, line)
            elif side is not CLIENT and method.endswith(NEAR_MISS_METHODS):
                route.near_miss(method, line, time, params)
            return
        request = Request(side, body["id"], method, params, line, time)
        if self._again is not None:
            known = self._again.pop((line, request.key), None)
            if known is None:
                return  # it was answered on the connection before
            request = known
        request.odd |= batch or ("jsonrpc" not in body and side in connection.speaks_jsonrpc)
        reused = connection.exchange.open(request)
        if reused is not None:
            self.judge.wire(Wire.ID_REUSED, connection, Frame(line, side, body, request, reused))
        if request.invalid:
            self.judge.wire(Wire.INVALID_ID, connection, Frame(line, side, body, request))
        if side is CLIENT:
            if method == methods.INITIALIZE:
                if connection.first_client_line < line:
                    self._reinitialize.add(request)
                else:
                    self._introduced(connection, params)
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
            elif request is not None and request.side is CLIENT:
                side = AGENT
        if side is CLIENT:
            connection.client_message(None, line)
        self._heard(connection, line, side, body)
        if request in self._reinitialize:
            self._reinitialize.discard(request)
            if body.get("error") is None:
                self._restart(route, request)
                self._response(line, time, side, body)
                return
            self._since.pop(self._label, None)
        if request is None:
            answered = connection.exchange.earlier(side, body.get("id"))
            self.judge.wire(Wire.UNMATCHED, connection, Frame(line, side, body, answered))
            return
        connection.exchange.answered(request, line)
        error = _error(body)
        self._answer(connection, Frame(line, side, body, request, error=error), request, body)
        if request.side is AGENT:
            route.answer(request, time)
            return
        connection.answered(request, success=error is None)
        if error is None:
            version = connection.version
            route.started(request, body.get("result"))
            connection.succeeded(request, body.get("result"))
            if connection.version != version:
                route.version_changed()
            if request.method in {methods.CLOSE, methods.DELETE}:
                route.closed(request.session_id, line)
        route.respond(request, line, time, error)

    def _answer(self, connection: Connection, frame: Frame, request: Request, body: Mapping[str, object]) -> None:
        """What there may be to say of a response beside what it answers."""
        ident = body.get("id")
        # An error with id null is the answer to what could not be read.
        if ident != request.id and ident is not None and not request.answers_to(ident):
            self.judge.wire(Wire.OTHER_TYPE, connection, frame)
        if "result" not in body or len(body) > len(("jsonrpc", "id", "result")) or "id" not in body:
            self.judge.wire(Wire.RESPONSE, connection, frame)
        if request.method == methods.INITIALIZE:
            self.judge.wire(Wire.INITIALIZED, connection, frame)


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
