"""The engine: is fed messages, keeps the connections apart, and emits what happened.

It reads nothing, prints nothing and takes time from the recording only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from replaylint.protocol import methods, other_protocols
from replaylint.protocol.connection import Connection, History, Skips
from replaylint.protocol.exchange import Request, id_key
from replaylint.protocol.methods import UPDATE
from replaylint.protocol.sides import Lines
from replaylint.protocol.vendor import legacy_keys
from replaylint.recording.clock import Steps
from replaylint.recording.fragments import is_cut
from replaylint.recording.message import (
    AGENT,
    CLIENT,
    ClockStep,
    DropsReplays,
    Header,
    HungUp,
    Label,
    Lost,
    NoMessage,
    Skipped,
    Unordered,
    Unreadable,
    other,
)
from replaylint.replay.events import Batch, Noted, Oversized, RecordingEnded, Restarted, Unversioned
from replaylint.replay.fold import REFUSED, Author
from replaylint.replay.traffic import Traffic
from replaylint.replay.window import NOWHERE, Point

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from replaylint.recording.message import Message, Note, Side
    from replaylint.replay.events import Stream
    from replaylint.replay.ownership import Nowhere
    from replaylint.replay.window import End, Window


JSONRPC: Final = "2.0"
MAX_SAID_AGAIN: Final = 10_000
"""Messages of the client that are said again on a connection that an `initialize` started."""
MAX_SAID_AGAIN_BYTES: Final = 4_000_000
"""Of these; parsed they take a few times as much."""
UNLABELLED: Final = ("unlabelled",)
"""The `conn` value of records before the first that has one."""


class _Since:
    """What the client has said since a second `initialize`, by its lines, and how many bytes that was."""

    __slots__ = ("bytes", "said")

    def __init__(self) -> None:
        self.said: list[tuple[int, Callable[[], None]]] = []
        self.bytes = 0


class Engine:
    """The analysis of one recording."""

    def __init__(self, stream: Stream, max_message: int | None = None) -> None:
        self._stream = stream
        self._max_message = max_message
        self.longest = 0
        """Bytes of the longest message until now."""
        self._notable = -1
        """A message of more bytes than these is the longest one, or longer than messages may be."""
        self._steps = Steps()
        self.unordered = Lines()
        """Messages whose place among those of the other side is a guess."""
        self._resumes = 0
        """Those of connections that have ended."""
        self._lost = 0
        self._skips = Skips()
        """Whether a line was not read."""
        self._speaks_acp = False
        """Whether a message is one of this protocol for certain."""
        self._other_protocol: str | None = None
        self._malformed = 0
        self._malformed_line = 0
        self._inferred = False
        self._next_drops_replays = False
        """Whether the client that the next message introduces leaves replayed updates out of this recording."""
        self._drops_replays: set[int] = set()
        """The lines of `initialize` requests of such clients."""
        self._latest: tuple[int, float] = NOWHERE
        """The last message with a time, of those that leave the loop and where it ends."""
        self._started = 0
        self._has_history: dict[str, History] = {}
        # One for each `conn` value; None where none has begun or the last one ended.
        self._traffic: dict[object, Traffic | None] = {}
        self._headers: dict[object, int] = {}
        """The header of a connection that has not begun yet, by the `conn` value."""
        self._label: object = UNLABELLED
        self._since: dict[object, _Since] = {}
        """What the client sent since an `initialize` that may start a connection, by the label of the one in use."""
        self._again: dict[tuple[int, object], Request] | None = None
        """The pending requests among it, while that is done."""

    def run(self, messages: Iterable[Message]) -> None:
        """Take these messages in. The loop is the hot path: what is not a plain update leaves it."""
        targets, version_key, version, unsaid = self._expected()
        line, time = NOWHERE
        notable = self._notable
        for line, time, side, body, size in messages:
            if size > notable:
                notable = self._measure(line, time, side, body, size)
            try:
                params = body["params"]  # type: ignore[index]
                update = params["update"]
                variant = update["sessionUpdate"]
                target = targets[params["sessionId"]]
                fold = target.table[variant]
                if body["method"] != UPDATE or body[version_key] != version:  # type: ignore[index]
                    fold = None
                elif side is not AGENT and side is not unsaid:
                    fold = None
            except (LookupError, TypeError):
                fold = None
            if fold.__class__ is Author:
                # Author.__call__, without the call: half of all lines are one.
                window: Any = target
                try:
                    ident = update["messageId"]
                    known = window.ids.get(ident)
                    if known is not fold:
                        if known is not None or ident.__class__ is not str or legacy_keys(params):
                            raise TypeError
                        window.begin(ident, fold, variant, line, time)
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
                except (KeyError, TypeError):  # no id, or that of another author's message
                    pass
            elif (
                fold is not None
                and not (("_meta" in params or "_meta" in update) and legacy_keys(params))
                and fold(target, line, time, variant, update, size) is not REFUSED
            ):
                continue
            self._slow(line, time, side, body, size)
            targets, version_key, version, unsaid = self._expected()
        if time == time:  # noqa: PLR0124  (NaN: it has none)
            self._latest = line, time

    @property
    def other_protocol(self) -> str | None:
        """The other protocol that this is a recording of; None where a message is one of ours, or of no other."""
        return None if self._speaks_acp else self._other_protocol

    def finish(self, *, closed: bool, whole: bool = True) -> None:
        """There is no more. `closed`: the connections ended with the recording; `whole`: it was read to its end."""
        for label, traffic in self._traffic.items():
            if traffic is not None:
                connection = traffic.connection
                if connection.reinitialize and not closed:
                    first = min(request.line for request in connection.reinitialize)
                    self._stream.emit(Restarted(connection, first, certain=False))
                self._close(traffic, "closed" if closed or connection.ended_at else "open")
                self._traffic[label] = None
        self._since.clear()  # it would say it to this engine: a circle
        self._stream.emit(
            RecordingEnded(
                resumes=self._resumes,
                lost=self._lost,
                whole=whole and not self._lost and not self._skips.line,
                inferred=self._inferred,
                malformed=self._malformed,
                malformed_line=self._malformed_line,
            )
        )

    def measured(self) -> int:
        """Bytes of the longest message since this was asked before."""
        longest, self.longest, self._notable = self.longest, 0, -1
        return longest

    def _measure(self, line: int, time: float, side: Side | None, body: object, size: int) -> int:
        """This may be the longest message, or over the limit. Returns the bytes up to which one is neither."""
        if isinstance(body, dict | list):
            self.longest = max(self.longest, size)
            self._notable = self.longest
            if self._max_message is not None:
                self._notable = min(self.longest, self._max_message)
                if size > self._max_message:
                    self._oversized(line, time, side or self._sender(body), Oversized(size, self._max_message))
        return self._notable

    def _oversized(self, line: int, time: float, side: Side | None, note: Oversized) -> None:
        self._note_since(line, side, 0, lambda: self._oversized(line, time, side, note))
        self._stream.emit(Noted(self._begun().connection, line, time, side, note))

    def _sender(self, body: dict[str, Any] | list[Any]) -> Side | None:
        """Who sent this message, where the recording does not say."""
        first = next((each for each in ([body] if isinstance(body, dict) else body) if isinstance(each, dict)), {})
        method = first.get("method")
        if isinstance(method, str):
            return methods.sender(method)
        connection = self._current
        request = None if connection is None else connection.exchange.find(None, first.get("id"))
        return None if request is None or request.side is None else other(request.side)

    # Connections

    def _expected(self) -> tuple[Mapping[str, Window | Nowhere], str, str, Side | None]:
        """Where the agent's updates go, by their session, a key and its value, and a side. What differs is slow.

        The key is `jsonrpc`; where the agent leaves that out, one that is there anyway. The side is None where one that
        the recording does not say was inferred before: the first such message has to be noted.
        """
        traffic = self._traffic.get(self._label)
        if traffic is None or self._stream.everything or traffic.connection.cut or traffic.connection.reinitialize_line:
            return {}, "method", UPDATE, AGENT
        unsaid: Side | None = None if self._inferred else AGENT
        if AGENT in traffic.connection.speaks_jsonrpc:
            return traffic.ownership.targets, "jsonrpc", JSONRPC, unsaid
        return traffic.ownership.targets, "method", UPDATE, unsaid

    @property
    def _current(self) -> Connection | None:
        """The connection of the messages that come now; None where none has begun."""
        traffic = self._traffic.get(self._label)
        return None if traffic is None else traffic.connection

    def _begun(self) -> Traffic:
        """The traffic of the messages that come now; the first of them begins it."""
        traffic = self._traffic.get(self._label)
        if traffic is None:
            traffic = self._traffic[self._label] = self._start(self._headers.pop(self._label, 0))
        return traffic

    def _start(self, header_line: int = 0) -> Traffic:
        self._started += 1
        connection = Connection(self._started, self._has_history, self._steps, self._skips, header_line, self.unordered)
        return Traffic(connection, self._stream)

    def _close(self, traffic: Traffic, end: End, said_at: tuple[int, ...] = ()) -> None:
        connection = traffic.connection
        for side, (line, time, note) in connection.cut.items():
            self._stream.emit(Noted(connection, line, time, side, note, cut=True))
        traffic.close(end, Point(*(connection.ended_at or self._latest)), said_at)
        self._resumes += traffic.resumes

    def _switch(self, label: object) -> None:
        if self._label == UNLABELLED:
            # What came before the first label belongs to the connection that it names.
            if UNLABELLED in self._traffic:
                self._traffic[label] = self._traffic.pop(UNLABELLED)
            if UNLABELLED in self._headers:
                self._headers.setdefault(label, self._headers.pop(UNLABELLED))
        self._label = label

    def _restart(self, old: Traffic, request: Request, line: int) -> None:
        """An `initialize` was answered on a connection that was in use: it starts a new one.

        What the client has sent since belongs to that, unless it was answered before: it is said again.
        """
        first, before = request.line, old.connection
        again = [request, *before.exchange.take(CLIENT, first)]
        moved = old.leave(again)
        self._stream.emit(Restarted(before, first, certain=True))
        if CLIENT in before.cut and before.cut[CLIENT][0] >= first:
            del before.cut[CLIENT]
        self._close(old, "closed", (first, line))
        new = self._traffic[self._label] = self._start()
        new.connection.exchange.follow(before.exchange)
        new.moved = moved
        self._again = {(each.line, each.key): each for each in again}
        since = self._since.pop(self._label, None)
        for said_line, say in since.said if since is not None else ():
            if said_line >= first:
                say()
        self._again = None

    def _may_restart(self, connection: Connection, side: Side | None, body: Mapping[str, object]) -> bool:
        """Whether this is an `initialize` on a connection that is in use: its answer may start a new one."""
        asked = body.get("method") == methods.INITIALIZE and "id" in body and side is CLIENT
        return asked and connection.first_client_line > 0 and self._again is None

    def _note_since(self, line: int, side: Side | None, size: int, say: Callable[[], None]) -> None:
        """The client said something that may have to be said again."""
        since = self._since.get(self._label)
        if since is not None and side is CLIENT and len(since.said) < MAX_SAID_AGAIN:
            since.bytes += size
            if since.bytes <= MAX_SAID_AGAIN_BYTES:
                since.said.append((line, say))

    # Notes

    def _note(self, line: int, time: float, side: Side | None, note: Note) -> None:
        if isinstance(note, Label):
            self._switch(id_key(note.conn))
        elif isinstance(note, Unreadable):
            self._unreadable(line, time, side, note)
        elif isinstance(note, NoMessage):
            self._no_message(line, time, side, note)
        elif isinstance(note, DropsReplays):
            self._next_drops_replays = True
        elif isinstance(note, Unordered):
            self.unordered.add(line)
        else:
            if isinstance(note, Header):
                self._header(line)
            elif isinstance(note, ClockStep):
                self._steps.add(line)
            elif isinstance(note, Lost):
                self._lose(line, note.messages)
            elif isinstance(note, Skipped):
                self._skip(line)
            elif isinstance(note, HungUp):
                self._hang_up(line)
            elif self._current is not None:
                # The agent ended. Not the connection yet: what the agent wrote before may stand behind this note.
                self._current.ended_at = self._latest
            connection = None if isinstance(note, ClockStep) else self._current
            self._stream.emit(Noted(connection, line, time, None, note))

    def _header(self, line: int) -> None:
        traffic = self._traffic.get(self._label)
        if traffic is not None:
            self._close(traffic, "closed", (line,))
            self._traffic[self._label] = None
        self._headers[self._label] = line

    def _hang_up(self, line: int) -> None:
        connection = self._current
        if connection is not None and connection.ended_at is None:
            connection.hung_up_line = connection.hung_up_line or line

    def _lose(self, line: int, messages: int) -> None:
        self._lost += messages
        traffic = self._traffic.get(self._label)
        if traffic is not None:
            traffic.connection.dropped_line = line

    def _skip(self, line: int) -> None:
        """Nobody knows what stood there, nor on which connection: any may have lost a message."""
        self._skips.line = line

    def _unreadable(self, line: int, time: float, side: Side | None, note: Unreadable) -> None:
        # A recorder's own line begins no connection.
        self._note_since(line, side, len(note.text), lambda: self._unreadable(line, time, side, note))
        connection = self._begun().connection if note.wire else self._current
        if connection is not None:
            self._goes_on(connection, side)
        cut = not note.ended and is_cut(note.text)
        if cut and connection is not None:
            connection.cut = connection.cut or {}
            connection.cut[side] = line, time, note
            return
        self._stream.emit(Noted(connection, line, time, side, note, cut=cut))

    def _no_message(self, line: int, time: float, side: Side | None, note: NoMessage, size: int = 0) -> None:
        self._note_since(line, side, size, lambda: self._no_message(line, time, side, note, size))
        connection = self._begun().connection if note.wire else self._current
        if connection is not None:
            self._goes_on(connection, side)
        self._stream.emit(Noted(connection, line, time, side, note))

    def _goes_on(self, connection: Connection, side: Side | None) -> None:
        """This side goes on: its text that seemed to be cut off was not the last one."""
        if side in connection.cut:
            line, time, _ = connection.cut.pop(side)
            self._stream.emit(Noted(connection, line, time, side, Unreadable("", wire=True, ended=True)))

    # Messages

    def _slow(self, line: int, time: float, side: Side | None, body: object, size: int) -> None:
        if time == time:  # noqa: PLR0124  (NaN: it has none)
            self._latest = line, time
        if isinstance(body, dict):
            self._message(line, time, side, body, size, batch=False)
        elif isinstance(body, list):
            self._batch(line, time, side, body, size)
            for item in body:
                if isinstance(item, dict):
                    self._message(line, time, side, item, size, batch=True)
                    size = 0
                else:
                    self._no_message(line, time, side, NoMessage(wire=True))
        else:
            self._note(line, time, side, cast("Note", body))

    def _batch(self, line: int, time: float, side: Side | None, items: list[object], size: int) -> None:
        methods_ = (item.get("method") for item in items if isinstance(item, dict))
        known = (methods.sender(method) for method in methods_ if isinstance(method, str))
        sender = side or next(filter(None, known), None)
        connection = self._begun().connection
        if any(isinstance(item, dict) and self._may_restart(connection, sender, item) for item in items):
            self._since.setdefault(self._label, _Since())
        self._note_since(line, sender, size, lambda: self._batch(line, time, side, items, size))
        self._goes_on(connection, sender)
        self._stream.emit(Noted(connection, line, time, sender, Batch(items)))

    def _whose(self, method: str) -> None:
        """A method may say which protocol this is a recording of."""
        if other_protocols.is_acp(method):
            self._speaks_acp = True
        elif self._other_protocol is None:
            self._other_protocol = other_protocols.protocol_of(method)

    def _heard(
        self, connection: Connection, line: int, time: float, side: Side | None, body: Mapping[str, object]
    ) -> None:
        self._goes_on(connection, side)
        if body.get("jsonrpc") == JSONRPC:
            if side not in connection.speaks_jsonrpc:
                connection.speaks_jsonrpc += (side,)
        elif side in connection.speaks_jsonrpc:
            self._stream.emit(Noted(connection, line, time, side, Unversioned(body)))

    def _message(
        self, line: int, time: float, side: Side | None, body: dict[str, object], size: int, *, batch: bool
    ) -> None:
        method = body.get("method")
        if method == methods.UPDATES and (carried := methods.carried(body)):
            for params in carried:
                self._message(line, time, side, {**body, "method": UPDATE, "params": params}, size, batch=batch)
                size = 0
            return
        if not isinstance(method, str):
            if "result" in body or "error" in body or ("id" in body and "method" not in body):
                self._response(line, time, side, body)
            else:
                self._other_protocol = self._other_protocol or other_protocols.protocol_of_body(body)
                self._no_message(line, time, side, NoMessage(wire=True, body=body), size)
            return
        if not self._speaks_acp:
            self._whose(method)
        traffic = self._begun()
        connection = traffic.connection
        inferred = side is None
        if side is None:
            side = methods.sender(method)
            self._inferred = True
        rotated = connection.answers_unseen and not connection.first_client_line
        if rotated and side is CLIENT and method == methods.INITIALIZE:
            self._close(traffic, "closed", (line,))
            self._traffic[self._label] = None
            traffic = self._begun()
            connection = traffic.connection
        self._heard(connection, line, time, side, body)
        params = body.get("params")
        if method in methods.NAMES_A_SESSION and not methods.names_one(method, params):
            self._malformed += 1
            self._malformed_line = self._malformed_line or line
        if not isinstance(params, dict):
            params = {}
        if method == UPDATE and side is not CLIENT:
            traffic.update(line, time, side, params, body, size, inferred=inferred)
            return
        if side is CLIENT:
            if self._next_drops_replays:
                self._next_drops_replays = False
                self._drops_replays.add(line)
            if self._may_restart(connection, side, body):
                self._since.setdefault(self._label, _Since())
            self._note_since(line, side, size, lambda: self._message(line, time, side, body, 0, batch=batch))
            connection.client_message(method, line)
        if "id" not in body or (body["id"] is None and method in methods.NOTIFICATIONS):
            again = self._again is not None
            traffic.notification(line, time, side, method, params, body, inferred=inferred, again=again)
            return
        request = Request(side, body["id"], method, params, line, time)
        if self._again is not None:
            known = self._again.pop((line, request.key), None)
            if known is None:
                return  # it was answered on the connection before
            request = known
        request.odd |= batch or ("jsonrpc" not in body and side in connection.speaks_jsonrpc)
        reuses = connection.exchange.open(request)
        if side is CLIENT and method == methods.INITIALIZE:
            if connection.first_client_line < line:
                connection.reinitialize = connection.reinitialize or {}
                connection.reinitialize[request] = None
                connection.reinitialize_line = connection.reinitialize_line or line
            else:
                connection.introduced(params)
                connection.drops_replays = line in self._drops_replays
        traffic.request(request, reuses, body, params, inferred=inferred, again=self._again is not None)

    def _response(
        self, line: int, time: float, side: Side | None, body: dict[str, object], *, inferred: bool = False
    ) -> None:
        traffic = self._begun()
        connection = traffic.connection
        request = connection.exchange.match(side, body)
        inferred |= side is None
        if side is None:
            self._inferred = True
            if request is not None and request.side is AGENT:
                side = CLIENT
            elif request is not None and request.side is CLIENT:
                side = AGENT
        if side is CLIENT:
            connection.client_message(None, line)
        self._heard(connection, line, time, side, body)
        if request is not None and connection.reinitialize and request in connection.reinitialize:
            del connection.reinitialize[request]
            if body.get("error") is None:
                self._restart(traffic, request, line)
                self._response(line, time, side, body, inferred=inferred)
                return
            if not connection.reinitialize:
                self._since.pop(self._label, None)
                connection.reinitialize_line = 0
        traffic.response(line, time, side, body, request, inferred=inferred)
