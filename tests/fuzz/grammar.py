"""A grammar of connections: what two sides might say, in order and out of it, with faults of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

NAMES: Final = tuple(f"sess-{letter}" for letter in "abcdefgh")
PAUSES_S: Final = (0.0, 0.001, 0.001, 0.01, 0.01, 0.01, 0.3, 2.5)
LIVE: Final = ("available_commands_update", "current_mode_update", "usage_update", "notice", "_vendor/x", "plan")
ASKS: Final = ("session/request_permission", "fs/read_text_file", "elicitation/create", "_vendor/ask")
CODES: Final = (-32603, -32602, -32601, -32002, -32800, 0)
ODD: Final[tuple[Any, ...]] = ({}, [], [{}], {"id": 1}, {"jsonrpc": "2.0"}, {"jsonrpc": "2.0", "method": 3}, "text", 7)


def connection(random: Random) -> Recording:
    """One connection, with a time for each message."""
    return Connection(random).made


class Connection:
    """The connection in the making: what was asked and is not answered, and which sessions there are."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.made = Recording()
        self.pending: list[tuple[object, str]] = []
        self.asked: list[object] = []
        self.ids = 0
        self.own = random.sample(NAMES, random.choice((1, 1, 1, 2, 3)))
        self.sessions = list(self.own)
        self.version = random.choice((1, 2, 2, 2))
        opted_in = random.random() < 0.3
        if random.random() < 0.9:
            (self.made.initialize_v1 if self.version == 1 else self.made.initialize_v2)(opted_in=opted_in)
        if random.random() < 0.9:
            self.resume()
        steps = [step for step, weight in self.steps() for _ in range(weight)]
        for _ in range(random.choice((3, 8, 15, 30))):
            random.choice(steps)()
        if random.random() < 0.7:
            while self.pending:
                self.answer()

    def steps(self) -> list[tuple[Callable[[], object], int]]:
        """What can come next, and how often it does."""
        return [
            *((self.history, 10), (self.tool, 4), (self.live, 4), (self.state, 3), (self.marker, 4), (self.vendor, 2)),
            *((self.announce, 3), (self.resume, 3), (self.answer, 6), (self.answer_wrongly, 1), (self.ask, 2)),
            *((self.reply, 2), (self.prompt, 2), (self.start, 1), (self.end, 1), (self.cancel, 1), (self.odd, 1)),
        ]

    @property
    def after(self) -> float:
        """How long after the message before it the next one comes."""
        return -0.5 if self.random.random() < 0.003 else self.random.choice(PAUSES_S)

    def session(self) -> str:
        """Mostly one that there is."""
        return self.random.choice(NAMES if self.random.random() < 0.05 else self.sessions)

    def request(self, method: str, session: str, **params: object) -> None:
        """A request of the client, with an id that is mostly new."""
        self.ids += self.random.random() < 0.97
        ident: object = str(self.ids) if self.random.random() < 0.05 else self.ids
        self.made.client(ident, method, self.after, sessionId=session, **params)
        self.pending.append((ident, method))

    def resume(self) -> None:
        """A replay mostly of an own session."""
        session = self.random.choice(self.own) if self.random.random() < 0.9 else self.session()
        if self.version == 1 or self.random.random() < 0.05:
            self.request("session/load", session, cwd="/w", mcpServers=[])
        elif self.random.random() < 0.85:
            self.request("session/resume", session, cwd="/w", replayFrom={"type": "start"})
        else:
            self.request("session/resume", session, cwd="/w")

    def history(self) -> None:
        """A message or a chunk of one; ids come again."""
        who = self.random.choice(("agent", "user", "agent", "agent_thought"))
        words = {"type": "text", "text": self.random.choice(("words", "other words", "caf\u00e9 \U0001f600", ""))}
        ident = self.random.choice((None, "m1", "m2", "m3", "m4", "m5"))
        named = {} if ident is None else {"messageId": ident}
        if self.random.random() < 0.5:
            self.made.update(self.session(), f"{who}_message_chunk", self.after, content=words, **named)
        else:
            self.made.update(self.session(), f"{who}_message", self.after, content=[words], **named)

    def tool(self) -> None:
        """A tool call, or what became of it."""
        variant = self.random.choice(("tool_call", "tool_call_update"))
        status = self.random.choice(("pending", "in_progress", "completed", "failed"))
        call = self.random.choice(("t1", "t2", "t3"))
        self.made.update(self.session(), variant, self.after, toolCallId=call, title="Run", status=status)

    def live(self) -> None:
        """What is no history."""
        self.made.update(self.session(), self.random.choice(LIVE), self.after)

    def state(self) -> None:
        """A snapshot of the state."""
        state = self.random.choice(("idle", "running", "requires_action"))
        self.made.update(self.session(), "state_update", self.after, state=state)

    def marker(self) -> None:
        """The protocol's."""
        self.made.marker(self.session(), self.after)

    def vendor(self) -> None:
        """The vendor's."""
        self.made.vendor(self.session(), self.after)

    def announce(self) -> None:
        """A child, which is a session from now on."""
        child = self.random.choice(NAMES)
        self.made.child(self.session(), child, self.after)
        self.sessions.append(child)

    def answer(self) -> None:
        """The first or any request of the client is answered."""
        if not self.pending:
            return
        ident, method = self.pending.pop(self.random.choice((0, -1)))
        if self.random.random() < 0.15:
            self.made.error(ident, self.random.choice(CODES), self.after)
        elif method == "session/new":
            self.made.result(ident, {"sessionId": self.sessions[-1]}, self.after)
        else:
            self.made.result(ident, {"stopReason": "end_turn"} if method == "session/prompt" else {}, self.after)

    def answer_wrongly(self) -> None:
        """Of no request, of another type, or a second time."""
        self.made.result(self.random.choice((self.ids, str(self.ids), 99, None, 1.5, True)), {}, self.after)

    def ask(self) -> None:
        """A request of the agent; its ids are its own."""
        ident = self.random.choice((1, 2, "ask", len(self.asked)))
        self.made.agent(ident, self.random.choice(ASKS), self.after, sessionId=self.session())
        self.asked.append(ident)

    def reply(self) -> None:
        """The client's."""
        if self.asked:
            self.made.result(self.asked.pop(), {}, self.after, "c2a")

    def prompt(self) -> None:
        """A turn begins."""
        self.request("session/prompt", self.session(), prompt=[{"type": "text", "text": "go"}])

    def start(self) -> None:
        """A session, whose id the result tells."""
        self.sessions.append(self.random.choice(NAMES))
        self.ids += 1
        self.made.client(self.ids, "session/new", self.after, cwd="/w", mcpServers=[])
        self.pending.append((self.ids, "session/new"))

    def end(self) -> None:
        """A session is over."""
        self.request(self.random.choice(("session/close", "session/delete")), self.session())

    def cancel(self) -> None:
        """A turn, or a request."""
        if self.random.random() < 0.5:
            body = {"method": "session/cancel", "params": {"sessionId": self.session()}}
        else:
            body = {"method": "$/cancel_request", "params": {"requestId": self.ids}}
        self.made.record("c2a", {"jsonrpc": "2.0", **body}, self.after)

    def odd(self) -> None:
        """What nobody should write."""
        self.made.record(self.random.choice(("c2a", "a2c")), self.random.choice(ODD), self.after)
