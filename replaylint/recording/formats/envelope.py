"""`envelope`: a JSON object a line, with a time, a direction and the message; its relatives use other names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording import clock as clocks
from replaylint.recording import directions
from replaylint.recording.ids import restore
from replaylint.recording.message import (
    AGENT,
    CLIENT,
    NO_TIME,
    ClockStep,
    Ended,
    Header,
    HungUp,
    Label,
    Lost,
    NoMessage,
    is_jsonrpc,
)
from replaylint.recording.parsing import parse
from replaylint.recording.reading import MIN_BYTES, Reading, said, unparsed
from replaylint.recording.weight import MAX_UNWEIGHED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.clock import Clock
    from replaylint.recording.formats import Head
    from replaylint.recording.message import Message, Note, Side
    from replaylint.recording.reading import Progress

NAME: Final = "envelope"
EXAMPLE: Final = '{"ts":1764400000.012,"dir":"out","msg":{"jsonrpc":"2.0",…}}'

BODY_KEYS: Final = ("msg", "message", "frame", "rpc", "payload", "parsed", "json", "raw", "line", "data", "object")
HEADER_KEYS: Final = ("gc_acp_capture",)
"""Keys of a recorder's own first record, beside `{"dir": "meta", "event": "start"}`."""
CLOSES: Final = ("exit", "close", "closed", "disconnect", "end")
"""What recorders call the end of a connection, beside the end of one side's output."""

MAX_SPELLINGS: Final = 200
"""Spellings of direction words that are remembered: `OUT` beside `out`."""

DROPPED: Final = "dropped"
"""The key of how many messages were lost before a record, and the event of it."""

MAX_LOST_MESSAGES: Final = 1_000_000_000
"""A larger number of dropped messages is not believed."""

_ABSENT: Final = object()


def find_body(record: dict[str, object]) -> object:
    """The first body that is not null, or `_ABSENT`."""
    for key in BODY_KEYS:
        if (body := record.get(key)) is not None:
            return body
    return _ABSENT


def has_body(record: dict[str, object]) -> bool:
    """Whether this record holds a message, or a text that may be one."""
    body = find_body(record)
    if isinstance(body, dict):
        return is_jsonrpc(body)
    return isinstance(body, list) or (isinstance(body, str) and body.lstrip().startswith(("{", "[")))


def sniff(head: Head) -> int:
    """How many records hold a message beside a direction or a time."""
    records = head.records
    key = directions.find_key(records)
    clock = clocks.choose(records)
    return sum(has_body(record) and (key in record or clock.key in record) for record in records)


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
    """One record a line."""
    bodies = [key for record in head.records for key in BODY_KEYS if record.get(key) is not None]
    return read_records(lines, head, progress, body_key=max(bodies, key=bodies.count, default=BODY_KEYS[0]))


def read_records(lines: Iterable[bytes], head: Head, progress: Progress, body_key: str | None) -> Reading:
    """The records of an envelope, or with `body_key` None of messages that are their own envelope."""
    records = head.records
    clock = clocks.choose(records)
    key = directions.find_key(records)
    sides: dict[object, Side] = {}
    if key is not None:
        sides.update(directions.SIDES.items())
    reader = _Reader(clock, key, body_key, sides, progress)
    reader.offset = next((clock.offset(record) for record in records if clock.key in record), 0.0)
    reader.conn_key = next(
        (key for key in directions.CONNECTION_KEYS if any(key in record for record in records)), "conn"
    )
    relative = key is not None and any(directions.is_relative(record.get(key)) for record in records)
    return Reading(reader.messages(lines), clock, sides, relative)


class _Reader:
    """Reads records: what is regular in `messages`, everything else in `_irregular`."""

    def __init__(
        self, clock: Clock, side_key: str | None, body_key: str | None, sides: dict[object, Side], progress: Progress
    ) -> None:
        self.clock = clock
        self.side_key = side_key
        self.body_key = body_key
        self.sides = sides
        self.progress = progress
        self.conn_key = directions.CONNECTION_KEYS[0]
        self.conn: object = None
        self.latest = NO_TIME
        self.offset = 0.0
        self.others = 0

    def messages(self, lines: Iterable[bytes]) -> Iterator[Message]:
        """The messages and notes in these lines."""
        sides, clock = self.sides, self.clock
        time_key, side_key, body_key, conn_key = clock.key, self.side_key, self.body_key, self.conn_key
        parse, scale = clock.parse, clock.scale
        # Of several bodies the first that is not null counts.
        earlier = frozenset(BODY_KEYS[: BODY_KEYS.index(body_key)]) if body_key not in {None, BODY_KEYS[0]} else None
        in_seconds = scale == 1.0 and clock.anchor is None
        latest, conn, offset = self.latest, self.conn, self.offset
        number = 0
        try:
            for number, line in enumerate(lines, 1):
                size = len(line)
                if size < MIN_BYTES and line.isspace():
                    self.others += 1
                    continue
                try:
                    if size > MAX_UNWEIGHED:
                        raise ValueError
                    record = loads(line)
                    reading = record[time_key]
                    if parse is not None:
                        reading = parse(reading)
                    side = sides[record[side_key]]
                    body = record if body_key is None else record[body_key]
                    if earlier is not None and not earlier.isdisjoint(record):
                        raise LookupError
                    if type(body) is not dict:
                        body = loads(body)
                        if type(body) is not dict:
                            raise LookupError
                    # The three keys are there: without a fourth there is no other connection, and nothing was lost.
                    if not (
                        reading < latest
                        or reading is True
                        or (
                            len(record) > 3 and (DROPPED in record or (conn_key in record and record[conn_key] != conn))
                        )
                    ):
                        time = reading if in_seconds else reading * scale + offset
                        latest = reading
                        if "id" in body and body["id"].__class__ is float:
                            restore(body, line)
                        yield number, time, side, body, size
                        continue
                except (LookupError, TypeError, ValueError):
                    pass
                self.latest = latest
                record = body = None  # do not hold a long line twice
                yield from self._irregular(number, line)
                latest, conn, offset = self.latest, self.conn, self.offset
        finally:
            self.progress.lines = number
            self.progress.messages = number - self.others

    def _irregular(self, number: int, line: bytes) -> Iterator[Message]:
        """The message or notes of an irregular line."""
        size = len(line)
        try:
            record = parse(line)
        except ValueError as error:
            self.others += 1
            if (note := unparsed(line, error, wire=False, unsaid=True)) is not None:
                yield number, NO_TIME, None, note, size
            return
        if not isinstance(record, dict):
            self.others += 1
            yield number, NO_TIME, None, NoMessage(wire=False), size
            return
        if (conn := record.get(self.conn_key)) is not None and conn != self.conn:
            self.conn = conn
            yield number, NO_TIME, None, Label(conn), 0
        back, time = self._time(record)
        if clocks.went_back(back):
            yield number, time, None, ClockStep(back), 0
        word = record.get(self.side_key) if self.side_key is not None else None
        body = self._body(record, word)
        if not isinstance(body, Lost) and (lost := _dropped(record)) is not None:
            yield number, time, None, lost, 0
        if isinstance(body, dict | list):
            restore(body, line)
        else:
            self.others += 1
        if body is not None:
            yield number, time, self._side(word), body, size

    def _time(self, record: dict[str, object]) -> tuple[float, float]:
        """How far the clock went back here, and the time of this record, both in seconds."""
        clock = self.clock
        reading = clock.reading(record)
        if reading != reading:  # noqa: PLR0124  (NaN: this record has no time; the one before stays the latest)
            return 0.0, NO_TIME
        back = (self.latest - reading) * clock.scale
        if clocks.went_back(back):
            self.offset = clock.offset(record)
        self.latest = reading
        return back, reading * clock.scale + self.offset

    def _side(self, word: object) -> Side | None:
        if not isinstance(word, str):
            return None
        # The usual spelling is in `sides` from the start, so that a flipped word stays flipped.
        side = self.sides.get(word.strip().lower())
        if side is not None and len(self.sides) < MAX_SPELLINGS:
            self.sides[word] = side
        return side

    def _body(self, record: dict[str, object], word: object) -> dict[str, object] | list[object] | Note | None:
        """The message in this record, or a note for what it is instead; None for nothing."""
        if word == "meta" or any(key in record for key in HEADER_KEYS):
            return _note(record)
        if word == "stderr":
            return None
        if self.body_key is None:
            return record if word is not None or is_jsonrpc(record) else None
        body = find_body(record)
        if isinstance(body, str):
            return said(body)
        if isinstance(body, dict | list):
            return body
        text = record.get("text")
        if isinstance(text, str):
            return said(text)
        if body is _ABSENT:
            return record if "jsonrpc" in record else None
        return NoMessage(wire=True)


def _note(record: dict[str, object]) -> Note | None:
    event = record.get("event")
    if event in CLOSES or (event == "eof" and directions.side_of(record.get("side")) in {AGENT, None}):
        return Ended()
    if event == "eof" and directions.side_of(record.get("side")) == CLIENT:
        return HungUp()
    if event == "start" or any(key in record for key in HEADER_KEYS):
        return Header()
    drops = event in (DROPPED, "gap")
    for count in (record.get("count"), record.get(DROPPED), record.get("gap")):
        if isinstance(count, int) and (drops or event is None):
            return Lost(min(max(count, 1), MAX_LOST_MESSAGES))
    return Lost(1) if drops else None


def _dropped(record: dict[str, object]) -> Lost | None:
    """What a header, or a record with a message, says was lost before it."""
    count = record.get(DROPPED)
    return Lost(min(int(count), MAX_LOST_MESSAGES)) if isinstance(count, int) and count > 0 else None
