"""Recordings to measure with: a v2 connection of one replay after the other, the same bytes for the same seed.

mixed   messages, and tool calls with results of 0.2 to 12 kB: about 1.6 kB a line
chunks  text streamed in small chunks: about 300 bytes a line
huge    among such chunks, one line in a hundred that holds an image of 1 to 8 MB
many    replays of three short messages, every second one with a finding
ids     one long replay, each message with an id of its own
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import UUID

from orjson import OPT_APPEND_NEWLINE, dumps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import BinaryIO

    Update = tuple[str, dict[str, Any]]

START_US: Final = 1_764_400_000_000_000
VOCABULARY: Final = (
    'lantern harbour, ferry "Ida" leaves at nine;\nif (fog) { wait(); } else sail\tnorth by the old light'
)
IMAGE: Final = "iVBORw0KGgoAAAANSUhEUgAA"


class Facts(NamedTuple):
    """What a recording holds. `ids` is how many different message and tool call ids its richest replay has."""

    resumes: int
    longest_line: int
    ids: int


class _Texts:
    """Texts with a quote, a line break or a tab now and then: slices of one long text."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._all = " ".join(random.choices(VOCABULARY.split(" "), k=8000))

    def text(self, least: int, most: int) -> str:
        """A text of so many characters."""
        length = self._random.randint(least, most)
        start = self._random.randrange(len(self._all) - length)
        return self._all[start : start + length]

    def part(self, least: int, most: int) -> dict[str, str]:
        """The same as a content block."""
        return {"type": "text", "text": self.text(least, most)}


def _mixed(random: Random, texts: _Texts) -> Iterator[Update]:
    results = [texts.part(size, size) for size in (200, 800, 3000, 12000)]
    for number in range(random.randint(20, 400)):
        kind = random.random()
        if kind < 0.3:
            yield (
                "tool_call_update",
                {
                    "toolCallId": f"call_{number}",
                    "title": "Read the log",
                    "kind": "read",
                    "status": "completed",
                    "rawInput": {"path": "/w/log.txt", "limit": 100},
                    "content": [{"type": "content", "content": random.choice(results)}],
                },
            )
        elif kind < 0.9:
            yield "agent_message_chunk", {"messageId": f"msg_{number}", "content": texts.part(5, 300)}
        else:
            yield "user_message", {"messageId": f"msg_{number}", "content": [texts.part(20, 400)]}


def _chunks(random: Random, texts: _Texts) -> Iterator[Update]:
    for number in range(random.randint(20, 400)):
        variant = random.choices(("agent_message_chunk", "agent_thought_chunk"), (4, 1))[0]
        yield variant, {"messageId": f"msg_{number // 20}", "content": texts.part(2, 60)}


def _huge(random: Random, texts: _Texts) -> Iterator[Update]:
    for number, chunk in enumerate(_chunks(random, texts)):
        if random.random() >= 0.01:
            yield chunk
            continue
        data = IMAGE * (random.randint(1_000_000, 8_000_000) // len(IMAGE))
        image = {"type": "content", "content": {"type": "image", "mimeType": "image/png", "data": data}}
        yield "tool_call_update", {"toolCallId": f"call_{number}", "status": "completed", "content": [image]}


def _many(random: Random, texts: _Texts) -> Iterator[Update]:
    for number in range(3):
        yield "agent_message_chunk", {"messageId": f"msg_{number}", "content": texts.part(2, 60)}
    if random.random() < 0.5:
        yield "state_update", {"state": "running"}


def _ids(random: Random, texts: _Texts) -> Iterator[Update]:
    while True:
        ident = str(UUID(int=random.getrandbits(128)))
        yield "agent_message_chunk", {"messageId": ident, "content": texts.part(2, 60)}


_HISTORIES: Final[dict[str, Callable[[Random, _Texts], Iterator[Update]]]] = {
    "mixed": _mixed,
    "chunks": _chunks,
    "huge": _huge,
    "many": _many,
    "ids": _ids,
}


class _Writer:
    """Writes records, and counts."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.time_us = START_US
        self.size = 0
        self.longest = 0

    def write(self, direction: str, after_us: int, **message: object) -> None:
        """A message, so many microseconds after the one before."""
        self.time_us += after_us
        record = {"ts": self.time_us / 1e6, "dir": direction, "msg": {"jsonrpc": "2.0", **message}}
        line = dumps(record, option=OPT_APPEND_NEWLINE)
        self.size += len(line)
        self.longest = max(self.longest, len(line))
        self.file.write(line)

    def update(self, session: str, after_us: int, variant: str, **fields: object) -> None:
        """A `session/update`."""
        params = {"sessionId": session, "update": {"sessionUpdate": variant, **fields}}
        self.write("a2c", after_us, method="session/update", params=params)


def write(path: Path, profile: str, size: int, seed: int = 1) -> Facts:
    """Write a recording of this profile and about this size in bytes."""
    random = Random(seed)  # noqa: S311
    texts = _Texts(random)
    resumes = most = 0
    with path.open("wb") as file:
        writer = _Writer(file)
        peer = {"protocolVersion": 2, "capabilities": {}, "info": {"name": "benchmark", "version": "1"}}
        writer.write("c2a", 0, id=0, method="initialize", params=peer)
        writer.write("a2c", 1000, id=0, result=peer)
        while writer.size < size:
            resumes += 1
            session = f"session_{resumes:06d}"
            params = {"sessionId": session, "cwd": "/w", "replayFrom": {"type": "start"}}
            writer.write("c2a", 1000, id=resumes, method="session/resume", params=params)
            ids: set[object] = set()
            for variant, fields in _HISTORIES[profile](random, texts):
                writer.update(session, random.randint(0, 2000), variant, **fields)
                ids.add(fields.get("messageId") or fields.get("toolCallId"))
                if profile == "ids" and writer.size >= size:
                    break
            most = max(most, len(ids))
            writer.update(session, random.randint(0, 2000), "replay_complete")
            writer.update(session, random.randint(700_000, 9_000_000), "state_update", state="idle")
            writer.write("a2c", 0, id=resumes, result={})
    return Facts(resumes, writer.longest, most)
