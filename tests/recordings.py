"""Recordings for tests, written message by message, and the report that comes of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from orjson import dumps

from replaylint.analysis.lint import lint

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Message = dict[str, Any]
VENDOR_CAPABILITY = {"_meta": {"jetbrains": {"air": {"version": 1, "capabilities": ["loadReplayEnd"]}}}}
VENDOR_EVENT = {
    "sessionUpdate": "session_info_update",
    "_meta": {"jetbrains": {"air": {"version": 1, "loadReplayEnd": True}}},
}

DIRECTION_WORDS = [
    ("out", "in"),
    ("outgoing", "incoming"),
    ("outbound", "inbound"),
    ("sent", "received"),
    ("send", "recv"),
    ("c2a", "a2c"),
    ("C->A", "A->C"),
    ("client->agent", "agent->client"),
    ("client_to_agent", "agent_to_client"),
    ("editor-to-agent", "agent-to-editor"),
    ("to_agent", "to_client"),
    ("fromClient", "fromAgent"),
    (">>>", "<<<"),
    ("\N{RIGHTWARDS ARROW}", "\N{LEFTWARDS ARROW}"),
    ("downstream", "upstream"),
    ("send", "receive"),
    ("sending", "receiving"),
    ("sent", "got"),
    ("tx", "rx"),
    ("acp_send", "acp_recv"),
    (">>", "<<"),
    ("-->", "<--"),
    ("\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", "\N{BLACK LEFT-POINTING SMALL TRIANGLE}"),
    ("client", "server"),
    ("user", "agent"),
    ("stdin", "stdout"),
    ("c2s", "s2c"),
    ("client -> agent", "agent -> client"),
    ("client \N{RIGHTWARDS ARROW} agent", "agent \N{RIGHTWARDS ARROW} client"),
    ("editor\N{RIGHTWARDS ARROW}server", "server\N{RIGHTWARDS ARROW}editor"),
]
"""What recorders call the directions of a client: to the agent, and from it."""


class Recording:
    """An `envelope` recording in the making. Every line is 10 ms after the one before it, unless told otherwise."""

    def __init__(self, start: float = 1764400000.0) -> None:
        self.records: list[Message] = []
        self.time = start

    def record(self, direction: str, message: object, after: float = 0.01) -> Recording:
        """Any message, `after` seconds after the one before."""
        self.time = round(self.time + after, 6)
        self.records.append({"ts": self.time, "dir": direction, "msg": message})
        return self

    def client(self, ident: object, method: str, after: float = 0.01, **params: object) -> Recording:
        """A request of the client."""
        return self.record("c2a", {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}, after)

    def agent(self, ident: object, method: str, after: float = 0.01, **params: object) -> Recording:
        """A request of the agent."""
        return self.record("a2c", {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}, after)

    def result(self, ident: object, result: object, after: float = 0.01, direction: str = "a2c") -> Recording:
        """A success response, of the agent unless told otherwise."""
        return self.record(direction, {"jsonrpc": "2.0", "id": ident, "result": result}, after)

    def error(self, ident: object, code: int, after: float = 0.01, direction: str = "a2c") -> Recording:
        """An error response, of the agent unless told otherwise."""
        body = {"jsonrpc": "2.0", "id": ident, "error": {"code": code, "message": "failed"}}
        return self.record(direction, body, after)

    def update(self, session: str, variant: str, after: float = 0.01, **fields: object) -> Recording:
        """A `session/update` of the agent."""
        params = {"sessionId": session, "update": {"sessionUpdate": variant, **fields}}
        return self.record("a2c", {"jsonrpc": "2.0", "method": "session/update", "params": params}, after)

    def meta(self, event: str, after: float = 0.01, **fields: object) -> Recording:
        """A record of the recorder itself."""
        self.time = round(self.time + after, 6)
        self.records.append({"ts": self.time, "dir": "meta", "event": event, **fields})
        return self

    def initialize_v2(self, *, opted_in: bool = False, agent: str = "agent") -> Recording:
        """A v2 handshake with id 0."""
        capabilities = VENDOR_CAPABILITY if opted_in else {}
        self.client(0, "initialize", protocolVersion=2, capabilities=capabilities, info={"name": "ed", "version": "3"})
        info = {"name": agent, "version": "0.9"}
        return self.result(0, {"protocolVersion": 2, "capabilities": {"session": {}}, "info": info})

    def initialize_v1(self, *, opted_in: bool = False, agent: str = "agent") -> Recording:
        """A v1 handshake with id 0."""
        capabilities = VENDOR_CAPABILITY if opted_in else {}
        client = {"name": "ed", "version": "3"}
        self.client(0, "initialize", protocolVersion=1, clientCapabilities=capabilities, clientInfo=client)
        info = {"name": agent, "version": "0.9"}
        result = {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}, "agentInfo": info}
        return self.result(0, result)

    def resume(self, ident: object, session: str, *, replay: bool = True, after: float = 0.01) -> Recording:
        """A v2 `session/resume`, replaying or plain."""
        cursor = {"replayFrom": {"type": "start"}} if replay else {}
        return self.client(ident, "session/resume", after, sessionId=session, cwd="/w", **cursor)

    def load(self, ident: object, session: str, after: float = 0.01) -> Recording:
        """A v1 `session/load`."""
        return self.client(ident, "session/load", after, sessionId=session, cwd="/w", mcpServers=[])

    def message(self, session: str, ident: str | None, after: float = 0.01, who: str = "agent_message") -> Recording:
        """A message; without an id it is a v1 chunk."""
        text = {"type": "text", "text": "words"}
        if ident is None:
            return self.update(session, f"{who}_chunk", after, content=text)
        return self.update(session, who, after, messageId=ident, content=[text])

    def marker(self, session: str, after: float = 0.01) -> Recording:
        """`replay_complete`."""
        return self.update(session, "replay_complete", after)

    def vendor(self, session: str, after: float = 0.01) -> Recording:
        """The vendor's end-of-replay event."""
        params = {"sessionId": session, "update": VENDOR_EVENT}
        return self.record("a2c", {"jsonrpc": "2.0", "method": "session/update", "params": params}, after)

    def idle(self, session: str, after: float = 0.01) -> Recording:
        """A `state_update` that says idle."""
        return self.update(session, "state_update", after, state="idle")

    def child(self, parent: str, child: str, after: float = 0.01) -> Recording:
        """An announcement of a child in its current form."""
        return self.update(parent, "subagent_update", after, sessionId=child, title="helper")

    def lines(self) -> list[bytes]:
        """The recording, a record a line, without newlines."""
        return [dumps(record) for record in self.records]


def report_of(lines: Iterable[bytes], folder: Path, *, closed: bool = False) -> Message:
    """The report of these lines, as its JSON has it."""
    path = folder / "trace.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return report_of_file(path, closed=closed)


def report_of_file(*paths: Path, **options: Any) -> Message:
    """The report of these files, as its JSON has it; the options are those of `lint`."""
    report: Message = json.loads(dumps(lint(paths, **options)))
    return report


def found(report: Message, *, least: str = "info") -> list[tuple[str, str, int | None]]:
    """Rule, severity and line, if it has one, of each finding of this severity or above."""
    ranks = {"info": 0, "warning": 1, "error": 2}
    return [
        (each["rule"], each["severity"], each["line"])
        for each in report["findings"]
        if ranks[each["severity"]] >= ranks[least]
    ]
