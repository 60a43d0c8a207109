"""Hypothesis strategies: scripts of one session, connections that mix several of them, and garbage."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import strategies as st
from orjson import dumps

from tests.recordings import Message, Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy

START = 1764400000.0

# A step: what happens, and two numbers that say to whom and how.
Step = tuple[str, int, int]
ACTIONS = (
    *("resume", "resume", "history", "history", "history", "history", "live", "live", "either"),
    *("marker", "marker", "marker", "vendor", "announce", "announce", "answer", "answer", "answer"),
    *("ask", "reply", "prompt", "prompt", "cancel", "new", "close", "stop", "answer_again", "answer_nothing"),
    *("tool", "tool", "tool", "say", "say", "say", "stranger", "stranger", "open", "open"),
    *("wrong", "wrong", "wrong", "odd", "odd", "batch", "bare", "text", "text", "value"),
)
CODES = (None, None, None, -32603, -32602, -32002, -32800)
STATUSES: tuple[dict[str, Any], ...] = ({}, {"status": "pending"}, {"status": "completed"}, {"status": "failed"})
CALLS: tuple[dict[str, Any], ...] = (
    *({"status": "pending"}, {"status": "in_progress"}, {}),
    *({"status": "completed"}, {"status": "failed"}, {"status": "of_a_later_version"}),
)
TEXTS = (
    *("loading plugins\n", "[INFO] started", 'INFO {"jsonrpc":"2.0","id":7,"result":{}} sent\n', " \n"),
    *('{"jsonrpc":"2.0","method":\n', "no end"),
)
BEGINNINGS = ('{"jsonrpc":"2.0","method":', '{"id":7,"result":{"a":"b', "[")
VALUES: tuple[object, ...] = ({}, {"level": "info"}, "3", [], [3], [{}])
LIVE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("state_update", {"state": "idle"}),
    ("state_update", {"state": "running"}),
    ("state_update", {"state": "requires_action"}),
    ("available_commands_update", {}),
    ("current_mode_update", {}),
    ("notice", {}),
)
EITHER = ("session_info_update", "usage_update", "_vendor_update", "variant_of_a_later_version")
ASKS = ("session/request_permission", "elicitation/create", "fs/read_text_file")


class Pending(NamedTuple):
    """A request of the client that is not answered yet. `session`: that which it, or else its result, names."""

    ident: float | None
    method: str
    session: str
    replaying: bool


class Script:
    """The messages of one session and its children, played step by step.

    What happens to it must not depend on other sessions of its connection, so it leaves out what does: the client
    cancels only what is answered in the end (RL213 looks at what else the agent answered), and a marker names an id
    that was named or announced before, or that its own pending replay may announce later (RL204 and RL205 differ in
    whether any replay is pending). With `settled` False, where some replay may never end, no session gets a marker that
    could wait for an announcement: beside a replay that stays open it is not judged. With `alone` False there are
    no ids that are not its own (null, a boolean), nothing that is not told apart by an id, and no text of a side that
    may be its last.
    """

    def __init__(self, version: int, name: str, number: int, *, settled: bool, alone: bool) -> None:
        self.version = version
        self.name = name
        self.first_id = 1000 * number
        self.settled = settled
        self.alone = alone
        self.recording = Recording()
        self.children = [f"{name}-c{index}" for index in range(2)]
        self.sessions = [name, name, *self.children]
        self.strangers = [f"{name}-x{index}" for index in range(2)]
        self.ids = 0
        self.pending: list[Pending] = []
        self.asked: list[str] = []
        self.questions = 0
        self.known: set[str] = set()
        self.fresh: set[str] = set()
        self.own: set[str] = set()
        """Sessions that the client resumed or started, so that no replay announces them as children."""
        self.cancelled: set[float | None] = set()

    def play(self, steps: Iterable[Step]) -> None:
        """Play these steps; one that makes no sense here does nothing."""
        plays: dict[str, Callable[[int, int], object]] = {
            "resume": self._resume,
            "history": self._history,
            "live": self._live,
            "either": lambda who, how: self.recording.update(self.sessions[who], EITHER[how % len(EITHER)]),
            "marker": self._marker,
            "vendor": self._vendor,
            "announce": self._announce,
            "answer": self._answer,
            "answer_again": lambda _, __: self._answer_again(),
            "answer_nothing": lambda _, how: how or self.recording.result(f"{self.name}-none", {}),
            "ask": self._ask,
            "reply": self._reply,
            "prompt": lambda who, _: self._plain("session/prompt", who),
            "close": lambda who, how: self._plain(("session/close", "session/delete")[how % 2], who),
            "cancel": lambda who, _: self._cancel(who),
            "stop": lambda who, _: self._stop(self.sessions[who]),
            "new": lambda _, __: self._new(),
            "open": self._open,
            "tool": self._tool,
            "say": self._say,
            "stranger": self._stranger,
            "wrong": self._wrong,
            "odd": self._odd,
            "batch": lambda _, how: self._batch(how),
            "bare": lambda _, __: self._bare(),
            "text": self._text,
            "value": lambda who, how: self.recording.record(("a2c", "c2a")[who % 2], VALUES[how]),
        }
        for action, who, how in steps:
            plays[action](who, how)

    def finish(self, *, everything: bool) -> None:
        """Answer what has to be answered: cancelled requests, or everything."""
        for request in tuple(self.pending):
            if everything or request.ident in self.cancelled:
                self._respond(request, None)

    def _replays(self) -> int:
        return sum(request.replaying for request in self.pending)

    def _request(self, method: str, session: str, *, replaying: bool = False) -> int:
        self.ids += 1
        ident = self.first_id + self.ids
        self._sent(Pending(ident, method, session, replaying))
        return ident

    def _sent(self, request: Pending) -> None:
        self.pending.append(request)
        if request.replaying:
            self.fresh.clear()
        self.known.add(request.session)
        if request.method in {"session/resume", "session/load"}:
            self.own.add(request.session)

    def _resume(self, who: int, how: int) -> None:
        # A child is resumed directly now and then, which is a fault of the client.
        session = self.children[0] if who == 3 and how == 5 else self.name
        replaying = how != 1
        if self.version == 1 and replaying:
            self.recording.load(self._request("session/load", session, replaying=True), session)
        else:
            ident = self._request("session/resume", session, replaying=replaying)
            self.recording.resume(ident, session, replay=replaying)

    def _plain(self, method: str, who: int) -> None:
        # A child or a session that nothing has named yet are prompted now and then.
        session = (self.name, self.name, self.strangers[0], self.children[0])[who]
        self.recording.client(self._request(method, session), method, sessionId=session)

    def _new(self) -> None:
        self._opens("session/new", self.name)

    def _open(self, who: int, how: int) -> None:
        self._opens(("session/new", "session/fork", "session/list")[how % 3], self.strangers[who % 2])

    def _opens(self, method: str, session: str) -> None:
        known = session in self.known
        source: Message = {"sessionId": self.name} if method == "session/fork" else {}
        self.recording.client(self._request(method, session), method, cwd="/w", **source)
        if not known:
            self.known.discard(session)  # only the result names it
        self.known.update(source.values())

    def _answer(self, who: int, how: int) -> None:
        if self.pending:
            self._respond(self.pending[who % len(self.pending)], CODES[how % len(CODES)])

    def _respond(self, asked: Pending, code: int | None, ident: object = None) -> None:
        """Answer the oldest request that has the id of this one, perhaps with another id."""
        request = self._settled(asked)
        if ident is None:
            ident = request.ident
        if code is not None:
            self.recording.error(ident, code)
        elif request.method in {"session/new", "session/fork"}:
            self.known.add(request.session)
            self.own.add(request.session)
            self.recording.result(ident, {"sessionId": request.session})
        elif request.method == "session/list":
            self.known.add(request.session)
            self.recording.result(ident, {"sessions": [{"sessionId": request.session}]})
        else:
            self.recording.result(ident, {"stopReason": "end_turn"} if "prompt" in request.method else {})

    def _settled(self, asked: Pending) -> Pending:
        request = next(each for each in self.pending if each.ident == asked.ident)
        self.pending.remove(request)
        if request.replaying:
            self.fresh.clear()
        return request

    def _wrong(self, who: int, how: int) -> None:
        """A response that is not as it should be."""
        if how == 0:
            self.recording.result(self.first_id + 900 + who, {}, direction=("a2c", "c2a")[who % 2])
        elif how == 1 and self.alone:
            self.recording.record("a2c", {"jsonrpc": "2.0", ("result", "error")[who % 2]: {}})
        elif how == 2 and self.alone:
            self.recording.error(None, -32700)
        elif self.pending:
            asked = self.pending[who % len(self.pending)]
            if how == 3 and type(asked.ident) is int:
                self._respond(asked, CODES[who], ident=str(asked.ident))
                return
            faults: tuple[Message, ...] = ({"result": {}, "error": {"code": 1, "message": ""}}, {}, {"error": None})
            fault = {"error": {"code": "1"}} if how == 5 else faults[who % 3]
            self.recording.record("a2c", {"jsonrpc": "2.0", "id": self._settled(asked).ident, **fault})

    def _odd(self, who: int, how: int) -> None:
        """A request with an id that it must not have."""
        self.ids += 1
        ident: float | None = self.first_id + self.ids + 0.5
        if how >= 3 and self.pending:
            ident = self.pending[who % len(self.pending)].ident
        elif how >= 1 and self.alone:
            ident = (None, True)[how % 2]
        replay: Message = {"replayFrom": {"type": "start"}}
        loads = ("session/load", {}) if self.version == 1 else ("session/resume", replay)
        method, params = (("session/prompt", {}), loads, ("session/resume", {}), ("session/close", {}))[who]
        self._sent(Pending(ident, method, self.name, replaying=who == 1))
        self.recording.client(ident, method, sessionId=self.name, **params)

    def _batch(self, how: int) -> None:
        """The last messages of one side become a batch."""
        records = self.recording.records
        direction = records[-1]["dir"] if records else ""
        batch: list[Any] = []
        while len(batch) <= how % 3 and records and records[-1]["dir"] == direction and "msg" in records[-1]:
            batch.insert(0, records.pop()["msg"])
        if batch:
            self.recording.record(
                direction, [each for part in batch for each in (part if isinstance(part, list) else [part])]
            )

    def _bare(self) -> None:
        """The last message does not say that it is JSON-RPC."""
        message = self.recording.records[-1].get("msg") if self.recording.records else None
        if isinstance(message, dict):
            message.pop("jsonrpc", None)

    def _text(self, who: int, how: int) -> None:
        """A side writes something else."""
        text = BEGINNINGS[how % 3] if self.alone and who >= 2 else TEXTS[how]
        self.recording.records.append({"ts": 0.0, "dir": ("a2c", "c2a")[who % 2], "text": text})

    def _answer_again(self) -> None:
        if self.ids and all(request.ident != self.first_id + 1 for request in self.pending):
            self.recording.result(self.first_id + 1, {})

    def _cancel(self, who: int) -> None:
        if self.pending:
            ident = self.pending[who % len(self.pending)].ident
            self.cancelled.add(ident)
            body = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": ident}}
            self.recording.record("c2a", body)

    def _stop(self, session: str) -> None:
        body = {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": session}}
        self.recording.record("c2a", body)

    def _ask(self, who: int, how: int) -> None:
        self.questions += 1
        self.asked.append(f"{self.name}-q{self.questions}")
        method = ASKS[how % len(ASKS)]
        tool: Message = {"toolCall": {"toolCallId": f"{self.name}-t{how % 2}"}} if "permission" in method else {}
        self.recording.agent(self.asked[-1], method, sessionId=self.sessions[who], **tool)

    def _reply(self, who: int, how: int) -> None:
        if self.asked:
            ident = self.asked.pop(who % len(self.asked))
            if how == 5:
                self.recording.error(ident, -32603, direction="c2a")
            else:
                self.recording.result(ident, {"outcome": {}}, direction="c2a")

    def _history(self, who: int, how: int) -> None:
        session = self.sessions[who]
        tool: dict[str, Any] = {"toolCallId": f"{self.name}-t{how % 2}", "title": "tool", **STATUSES[who]}
        message = f"{self.name}-m{who}"
        if how == 0:
            self.recording.update(session, "plan" if self.version == 1 else "plan_update", entries=[])
        elif how == 1 and self.version == 1:
            self.recording.update(session, "tool_call", **tool)
        elif how <= 2:
            self.recording.update(session, "tool_call_update", **tool)
        elif self.version == 1 or how == 3:
            self.recording.update(session, "agent_message_chunk", content={"type": "text", "text": "words"})
        else:
            self.recording.message(session, message, who=("agent_message", "user_message")[how % 2])

    def _tool(self, who: int, how: int) -> None:
        """A tool call begins or, of other numbers and always on v2, goes on."""
        variant = "tool_call" if self.version == 1 and who % 2 == 0 else "tool_call_update"
        tool: object = 7 if (who, how) == (1, 5) else f"{self.name}-t{how // 5}"
        self.recording.update(self.sessions[who], variant, toolCallId=tool, **CALLS[how])

    def _say(self, who: int, how: int) -> None:
        """A message: empty, whole, the same again, with another text, as a chunk, with an id or without."""
        text: Message = {"type": "text", "text": ("", "", "words", "words", "other words", "words")[how]}
        chunk = self.version == 1 or how in {2, 5}
        content: object = text if chunk else [] if how == 0 else [text]
        ident: Message = {"messageId": 7 if how == 5 else f"{self.name}-m{who}"}
        variant = f"{('agent_message', 'agent_thought')[who % 2]}{'_chunk' if chunk else ''}"
        self.recording.update(self.sessions[who], variant, **ident, content=content)

    def _stranger(self, who: int, how: int) -> None:
        """An update of a session that nothing has named, or not yet."""
        session = self.strangers[who % 2]
        if how == 5:
            self.recording.update(session, "tool_call_update", toolCallId=f"{self.name}-t0", status="completed")
        elif how >= 3:
            self.recording.update(session, ("notice", "usage_update")[how % 2])
        elif self.version == 2 and how == 2:
            self.recording.idle(session)
        else:
            self.recording.message(session, f"{self.name}-m{how}" if self.version == 2 else None)

    def _live(self, who: int, how: int) -> None:
        variant, fields = LIVE[how]
        if self.version == 2 or variant != "state_update":
            self.recording.update(self.sessions[who], variant, **fields)

    def _announce(self, who: int, how: int) -> None:
        child = self.children[how % 2]
        parent = self.children[0] if who == 3 and how % 2 else self.name
        if self.version == 1:
            self.recording.update(parent, "subagent_spawned", subagentSessionId=child)
        elif who == 2:
            self.recording.update(parent, "_subagent_update", subagentSessionId=child)
        else:
            self.recording.child(parent, child)
        if child not in self.known and parent == self.name and self._replays() == 1:
            self.fresh.add(child)
        self.known.add(child)

    def _may_mark(self, session: str) -> bool:
        if session == self.name:
            return session in (self.known if self.settled else self.own)
        if self.settled:
            return session in self.known or self._replays() > 0
        return session in self.fresh

    def _marker(self, who: int, how: int) -> None:
        session = self.sessions[who]
        if not self._may_mark(session):
            return
        if self.version == 1 and how:
            self.recording.vendor(session)
        else:
            self.recording.marker(session)

    def _vendor(self, who: int, how: int) -> None:
        if how == 0 and self._may_mark(self.sessions[who]):
            self.recording.vendor(self.sessions[who])


REPLAY: list[Step] = [("resume", 0, 0), ("history", 0, 4), ("history", 2, 5), ("history", 3, 2)]
SETTLED: list[Step] = [("live", 0, 0), ("answer", 0, 0)]
PHRASES: tuple[list[Step], ...] = (
    [*REPLAY, ("marker", 0, 1), *SETTLED],
    [*REPLAY, ("announce", 0, 0), ("history", 2, 4), ("marker", 2, 1), ("marker", 0, 1), ("ask", 0, 0), *SETTLED],
    [("resume", 0, 2), ("announce", 0, 0), ("announce", 3, 1), ("marker", 3, 1), ("marker", 0, 1), ("answer", 0, 3)],
    [*REPLAY, ("vendor", 0, 0), ("history", 1, 5), ("marker", 0, 1), ("reply", 0, 0), *SETTLED],
    [("resume", 0, 1), ("history", 0, 5), *SETTLED],
    [("prompt", 0, 0), ("live", 0, 1), ("history", 1, 5), *SETTLED],
    [("resume", 0, 0), ("tool", 0, 0), ("tool", 1, 1), ("tool", 2, 1), ("tool", 1, 3), ("marker", 0, 1), *SETTLED],
    [("resume", 0, 0), ("say", 0, 0), ("say", 0, 2), ("say", 1, 3), ("say", 1, 3), ("marker", 0, 1), *SETTLED],
    [("resume", 0, 2), ("prompt", 0, 0), ("stop", 0, 0), ("answer", 1, 3), ("live", 0, 0), ("answer", 0, 0)],
    [("resume", 0, 0), ("prompt", 0, 0), ("answer", 1, 0), ("history", 0, 4), ("marker", 0, 1), *SETTLED],
    [*REPLAY, ("marker", 0, 1), *SETTLED, ("history", 0, 5), ("tool", 0, 1), ("resume", 0, 0), ("tool", 1, 0)],
    [("resume", 0, 0), ("tool", 0, 1), ("resume", 0, 2), ("history", 0, 4), ("history", 0, 4), ("answer", 0, 4)],
    [("open", 0, 0), ("stranger", 0, 0), ("answer", 0, 0), ("stranger", 0, 1), ("prompt", 2, 0), ("answer", 0, 0)],
)
"""What goes well, or nearly."""


@st.composite
def steps(draw: DrawFn, most: int) -> list[Step]:
    """What happens to one session: up to so many phrases, some steps left out, repeated, late or of another kind."""
    played = [step for phrase in draw(st.lists(st.sampled_from(PHRASES), max_size=most)) for step in phrase]
    any_step = st.tuples(st.sampled_from(ACTIONS), st.integers(0, 3), st.integers(0, 5))
    faults = st.tuples(st.sampled_from(["other", "other", "drop", "twice", "late"]), st.integers(0, 40), any_step)
    for fault, place, other in draw(st.lists(faults, max_size=3 * most)):
        at = place % (len(played) + 1)
        if fault == "other" or at == len(played):
            played.insert(at, other)
        elif fault == "drop":
            del played[at]
        elif fault == "twice":
            played.insert(at, played[at])
        else:
            played.insert(at + 2, played.pop(at))
    return played


@dataclass
class Mix:
    """Records of several owners in one order. `owners` names each record's, or None where it is everybody's.

    `settled`: what is still to come for one owner says nothing of another one. Else a request that stays open may name
    any session, so that nobody says of another owner's that nothing names it (RL307).
    """

    records: list[Message]
    owners: list[int | None]
    closed: bool
    settled: bool

    def lines(self) -> list[bytes]:
        """The whole recording."""
        return [dumps(record) for record in self.records]

    def alone(self, owner: int) -> tuple[list[bytes], list[int]]:
        """What is left of it with this owner alone, and which of its lines that is."""
        kept = [line for line, each in enumerate(self.owners) if each in {owner, None}]
        return [dumps(self.records[line]) for line in kept], [line + 1 for line in kept]


def handshake(version: int, *, opted_in: bool = False, kind: str = "usual") -> Recording:
    """How a connection begins. Its kind is usual, contradicted by the agent's fields, or that of an old acpx."""
    recording = Recording()
    begun = recording.initialize_v1(opted_in=opted_in) if version == 1 else recording.initialize_v2(opted_in=opted_in)
    asked, answered = (record["msg"] for record in recording.records)
    if kind == "contradicted":
        info = {"name": "agent", "version": "0.9"}
        fields = {"info": info} if version == 1 else {"agentInfo": info, "agentCapabilities": {}}
        answered["result"] = {"protocolVersion": version, **fields}
    elif kind == "acpx":
        asked["params"]["clientInfo" if version == 1 else "info"] = {"name": "acpx", "version": "0.19.1"}
    return begun


@st.composite
def mixes(draw: DrawFn, owners: int = 4, most: int = 3, versions: Sequence[int] = (2, 2, 1)) -> Mix:
    """One connection on which up to so many sessions mix, and whether its end is an end."""
    version = draw(st.sampled_from(versions))
    closed = draw(st.booleans())
    answered = draw(st.booleans())
    opted_in = draw(st.booleans())
    kind = draw(st.sampled_from(["usual", "usual", "usual", "contradicted", "acpx"]))
    begin = handshake(version, opted_in=opted_in, kind=kind)
    if opted_in and version == 1:
        # Whether the agent sends the event at all decides how grave its absence is (RL201): here it always does.
        begin.load(1, "first").message("first", None).vendor("first").result(1, {})
    scripts = []
    most_owners = draw(st.integers(1, owners))
    for number in range(1, most_owners + 1):
        script = Script(version, f"s{number}", number, settled=closed or answered, alone=most_owners == 1)
        script.play(draw(steps(most)))
        script.finish(everything=answered)
        scripts.append(script.recording.records)
    mixed = interleaved(draw, scripts)
    records = begin.records + [record for _, record in mixed]
    mixed_owners = [None] * len(begin.records) + [owner for owner, _ in mixed]
    return Mix(timed(draw, records), mixed_owners, closed, settled=closed or answered)


def interleaved(draw: DrawFn, scripts: Sequence[Sequence[Message]]) -> list[tuple[int, Message]]:
    """All records in an order that keeps each script's own, each with its script's number."""
    left = [(number, list(reversed(script))) for number, script in enumerate(scripts) if script]
    total = sum(map(len, scripts))
    mixed = []
    for choice in draw(st.lists(st.integers(0, len(scripts) - 1), min_size=total, max_size=total)):
        at = choice % len(left)
        number, script = left[at]
        mixed.append((number, script.pop()))
        if not script:
            del left[at]
    return mixed


def timed(draw: DrawFn, records: Iterable[Message]) -> list[Message]:
    """The same records with times of one clock, none in between, or several at once."""
    gaps = draw(st.lists(st.sampled_from([0, 10, 1, 700, 2400]), min_size=1, max_size=5))
    milliseconds = 0
    copies = []
    for at, record in enumerate(records):
        milliseconds += gaps[at % len(gaps)]
        copies.append({**record, "ts": START + milliseconds / 1000})
    return copies


@st.composite
def connections(draw: DrawFn) -> Mix:
    """Records of up to three connections that mix; most have several parts, and a few begin in the middle."""
    parts = []
    for number in range(draw(st.integers(1, 3))):
        version = draw(st.sampled_from([2, 2, 1]))
        records = draw(mixes(owners=2, most=2, versions=[version])).records
        kind = draw(st.sampled_from(["whole", "whole", "partial", "again", "pipelined", "header", "ended", "lossy"]))
        if kind == "partial" and any("method" in str(record.get("msg")) for record in records[2:]):
            records = records[2:]  # which are a recording even alone
        elif kind == "again":
            records = [*records, *draw(mixes(owners=1, most=1)).records]
        elif kind == "pipelined":
            # Of the same version: what it is, only the response tells.
            request, response, *later = draw(mixes(owners=1, most=1, versions=[version])).records
            at = draw(st.integers(0, min(4, len(later))))
            records = [*records, request, *later[:at], response, *later[at:]]
        elif kind == "header":
            records = [{"dir": "meta", "event": "start"}, *records]
        elif kind == "ended":
            records = [*records, {"dir": "meta", "event": "exit"}]
        elif kind == "lossy":
            at = draw(st.integers(0, len(records)))
            records = [*records[:at], {"dir": "meta", "event": "dropped", "count": 2}, *records[at:]]
        parts.append([{**record, "conn": f"conn{number}"} for record in records])
    mixed = interleaved(draw, parts)
    records = timed(draw, [record for _, record in mixed])
    if draw(st.booleans()):
        # A record without `conn` belongs to the connection of the record before it; a bare text has none to pass on.
        for (before, earlier), (owner, _), record in zip(mixed, mixed[1:], records[1:], strict=False):
            if before == owner and "text" not in earlier:
                del record["conn"]
    return Mix(records, [owner for owner, _ in mixed], draw(st.booleans()), settled=True)


# Garbage

WORDS = (
    *("initialize", "session/resume", "session/load", "session/update", "session/new", "session/prompt", "2.0"),
    *("replay_complete", "state_update", "subagent_update", "subagent_spawned", "agent_message", "$/cancel_request"),
    *("s1", "s2", "s1-c0", "c2a", "a2c", "meta", "stderr", "start", "exit", "dropped", "2025-11-29T07:06:40Z", "{"),
    *("\ud800", '{"method":"\ud800"}', '{"id":' + "1" * 5000),
)


def json_values() -> SearchStrategy[Any]:
    """Any JSON value, with a liking for words and numbers that mean something."""
    numbers = st.sampled_from([0, 1, 2, 3, -1, 1.0, 1001, 1e300, -1e300, 2**53, 2**63, 2**64 - 1, 2**64, 10**30])
    scalars = st.one_of(
        st.none(),
        st.booleans(),
        st.sampled_from(WORDS),
        numbers,
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=5),
    )
    keys = st.sampled_from(["id", "method", "params", "result", "error", "msg", "ts", "dir", "conn", "sessionId"])
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(st.one_of(keys, st.text(max_size=3)), inner, max_size=3)
        ),
        max_leaves=8,
    )


def line_of(value: object) -> bytes:
    """A JSON value on a line, numbers of any size included. Half of a surrogate pair is escaped: it has no bytes."""
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(value).encode()


def paths(value: object) -> list[tuple[str | int, ...]]:
    """The way to each part of a JSON value."""
    found: list[tuple[str | int, ...]] = []
    parts: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list):
        parts = enumerate(value)
    for key, part in parts:
        found.append((key,))
        found.extend((key, *rest) for rest in paths(part))
    return found


def inline(record: Message) -> Any:
    """The record with its message in it; a batch stays one, of such records."""
    around = {key: record[key] for key in record if key != "msg"}
    message = record.get("msg", {})
    if isinstance(message, list):
        return [{**around, **each} if isinstance(each, dict) else each for each in message]
    return {**around, **message} if isinstance(message, dict) else message


SHAPES: dict[str, Callable[[Message], Any]] = {
    "envelope": lambda record: record,
    "text": lambda record: {**record, "msg": json.dumps(record["msg"])} if "msg" in record else record,
    "inline": inline,
    "raw": lambda record: record.get("msg", {}),
}
"""The same record as recorders of several formats write it."""


def shaped(record: Message, shape: str) -> bytes:
    """The line of this record in this shape. What a side wrote beside messages stands alone where messages do."""
    if "text" in record and shape in {"inline", "raw"}:
        return str(record["text"]).rstrip("\n").encode()
    return dumps(SHAPES[shape](record))


@st.composite
def mutated(draw: DrawFn) -> list[bytes]:
    """The lines of a recording of which a few parts were replaced, taken out or, texts, cut."""
    mix = draw(st.one_of(mixes(owners=2, most=2), connections()))
    shape = SHAPES[draw(st.sampled_from(sorted(SHAPES)))]
    records = [shape(record) for record in json.loads(json.dumps(mix.records))]
    changeable = [record for record in records if isinstance(record, dict) or paths(record)]
    for _ in range(draw(st.integers(1, 5)) if changeable else 0):
        record: Any = draw(st.sampled_from(changeable))
        *way, last = draw(st.sampled_from(paths(record) or [("msg",)]))
        for key in way:
            record = record[key]
        how = draw(st.integers(0, 5))
        if how == 1 and isinstance(record, dict) and isinstance(record.get(last), str):
            record[last] = record[last][: draw(st.integers(0, 200))]
        elif how or isinstance(record, list):
            record[last] = draw(json_values())
        else:
            record.pop(last, None)
    return [line_of(record) for record in records]


# Reports

LINE_KEYS = frozenset({"line", "last_line", "announced_line", "replay_end_line"})


def retold(value: Any, numbers: Sequence[int], key: str = "") -> Any:
    """This part of a report with the line numbers that its lines have elsewhere."""
    if isinstance(value, dict):
        return {name: retold(part, numbers, name) for name, part in value.items()}
    if isinstance(value, list):
        return [retold(part, numbers, key) for part in value]
    if key in LINE_KEYS and value is not None:
        return numbers[value - 1]
    if key in {"message", "headline", "help"} and isinstance(value, str):
        return re.sub(r"(?<=\bline )\d+", lambda match: str(numbers[int(match[0]) - 1]), value)
    return value
