"""A folder in which every text that somebody else can choose is hostile: recordings, settings, a report, a baseline.

A *place* is such a text: a word that nothing else has. What is written there instead has a payload around that word.
"""

from __future__ import annotations

import ast
import dataclasses
import json
import re
import zlib
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_origin

import orjson

import replaylint
from replaylint.analysis.lint import lint
from replaylint.commands.settings_discovery import OWN
from replaylint.policies.known import File, accept
from replaylint.render.suppressions import MAX_NAMED
from replaylint.report.saved import loaded
from tests.recordings import Recording
from tests.test_render import walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

PLACE: Final = re.compile(r"zq[a-z]{3}q")

VOCABULARY: Final = frozenset(
    {
        *("jsonrpc", "method", "sessionUpdate", "type", "status", "kind", "role", "state", "stopReason"),
        *("dir", "event", "capabilities"),
    }
)
"""Keys under which words of the protocol and of recorders mean something. Any other string is a text."""
KEPT: Final = {"RL104": ("id", "requestId"), "RL108": ("id", "requestId"), "RL006": ("name", "version")}
"""Keys whose values mean something in the recording of one rule: types of ids, a known name. Other ids are texts."""

LONGEST_NAME: Final = 240
"""Bytes of a file's name."""
GZIP: Final = 31
"""What zlib takes for gzip's framing."""

SETTINGS: Final = """\
expect = "complete"
max-gap = "2s"
max-replay = "1s"
max-total = "2s"
budget = "max(response_gap)<300ms"
max-message = "64KiB"
[[agent]]
name = %s
ignore = "RL201"
reason = %s
until = 2026-03-01
"""
"""With them the rules of RL4 fire, too."""


class Payload(NamedTuple):
    """What stands before and after the word of a place: another lead in each place, and in each turn."""

    turn: int
    leads: Sequence[str]
    tails: Sequence[str]

    def text(self, place: str) -> str:
        """In a text. JSON and TOML have no lone surrogates."""
        return re.sub("[\ud800-\udfff]", "", self._around(place))

    def name(self, place: str) -> str:
        """In the name of a file, which has neither slashes nor NULs."""
        name = re.sub("[/\0]", "", self._around(place)).encode("utf-8", "surrogatepass")
        return name[:LONGEST_NAME].decode("utf-8", "surrogateescape")

    def _around(self, place: str) -> str:
        number = sum(map(ord, place)) + self.turn
        return f"{self.leads[number % len(self.leads)]}{place}{self.tails[number % len(self.tails)]}"


HARMLESS: Final = Payload(0, [""], [""])


class Inputs(NamedTuple):
    """Names of files: recordings, what cannot be read as one, a saved report and a baseline."""

    recordings: list[str]
    unreadable: list[str]
    report: str
    baseline: str


class Material:
    """What a folder is furnished with, as values with places. `scratch` is an empty folder to make it in."""

    def __init__(self, scratch: Path) -> None:
        self._places: dict[tuple[str, ...], str] = {}
        self._recordings = {
            owner: [self._line(owner, line) for line in content.split(b"\n")] for owner, content in _recordings()
        }
        with chdir(scratch):
            report = lint(self._written_recordings(HARMLESS))
            Path("baseline").write_bytes(accept(report, "baseline"))
            baseline = loaded("baseline", File, "baseline", 1)
        del baseline.findings[MAX_NAMED:]
        for saved in (report, baseline):
            changed(saved, lambda _, text: self._place("saved", text))
        self._report, self._baseline = (json.loads(orjson.dumps(saved)) for saved in (report, baseline))

    def furnish(self, payload: Payload) -> Inputs:
        """Write files into the working folder, with this payload in all places."""
        no_recording, cut, absent, report, baseline = (
            self._name(payload, each) for each in ("no recording", "cut", "absent", "report", "baseline")
        )
        recordings = self._written_recordings(payload)
        # Of what it begins with, keys are shown.
        Path(no_recording).write_bytes(orjson.dumps({payload.text(self._place("no recording", "text")): 1}))
        packer = zlib.compressobj(wbits=GZIP)
        whole_lines = packer.compress(Path(recordings[0]).read_bytes()) + packer.flush(zlib.Z_SYNC_FLUSH)
        Path(cut).write_bytes(whole_lines)
        Path(report).write_bytes(_json(self._report, payload))
        Path(baseline).write_bytes(_json(self._baseline, payload))
        return Inputs(recordings, [no_recording, cut, absent], report, baseline)

    def write_settings(self, payload: Payload) -> None:
        """Settings with which every rule of RL4 fires."""
        texts = (self._place("RL407", "agent"), self._place("settings", "reason"))
        # A string of JSON is one of TOML, but for pairs of surrogates and DEL.
        strings = (json.dumps(payload.text(each), ensure_ascii=False).replace("\x7f", r"\u007f") for each in texts)
        Path(OWN).write_text(SETTINGS % tuple(strings), "utf-8")

    def _written_recordings(self, payload: Payload) -> list[str]:
        names = []
        for owner, lines in self._recordings.items():
            names.append(self._name(payload, owner))
            Path(names[-1]).write_bytes(b"\n".join(_json(line, payload) for line in lines))
        return names

    def _name(self, payload: Payload, file: str) -> str:
        return payload.name(self._place("file", file))

    def _place(self, *text: str) -> str:
        """The place of this text; the same text has the same."""
        number = len(self._places)
        return self._places.setdefault(text, "zq{:c}{:c}{:c}q".format(*(97 + number // 26**n % 26 for n in range(3))))

    def _line(self, owner: str, line: bytes) -> Any:
        """The line as a value with places; what is no JSON stays as it is."""
        try:
            return self._marked(owner, "", json.loads(line))
        except ValueError:
            return line

    def _marked(self, owner: str, key: str, value: Any) -> Any:
        if key in KEPT.get(owner, ()):
            return value
        if isinstance(value, str):
            return value if key in VOCABULARY and value in words() else self._place(owner, value)
        if isinstance(value, list):
            return [self._marked(owner, key, each) for each in value]
        if isinstance(value, dict):
            return {
                name if name in words() else self._place(owner, name): self._marked(owner, name, each)
                for name, each in value.items()
            }
        if type(value) is int and key in {"id", "requestId"}:
            return self._place(owner, f"id {value}")
        return value


def changed(record: object, change: Callable[[tuple[str, str], str], str]) -> None:
    """Replace each text that this record, or one in it, has room for; `change` gets its class and field, and it."""
    for each in walk(record):
        for field in dataclasses.fields(each):
            place, value = (type(each).__name__, field.name), getattr(each, field.name)
            if not holds_text(field.type):
                continue
            if isinstance(value, str):
                setattr(each, field.name, change(place, value))
            elif isinstance(value, list):
                setattr(each, field.name, [change(place, text) for text in value])
            elif isinstance(value, dict):
                setattr(each, field.name, {change(place, key): item for key, item in value.items()})


def holds_text(hint: Any) -> bool:
    """Whether a field of this type can hold any text, also as names of a dictionary."""
    return hint in {str, str | None, object, list[str]} or get_origin(hint) is dict


def source() -> Iterator[str]:
    """The package's own text, by file."""
    for path in Path(replaylint.__file__).parent.rglob("*.py"):
        yield path.read_text("utf-8")


@cache
def words() -> frozenset[str]:
    """The string constants of the package, among them all the words that it knows."""
    found: set[str] = set()
    for text in source():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                found.add(node.value if isinstance(node.value, str) else node.value.decode("latin-1"))
    return frozenset(found)


def _recordings() -> Iterator[tuple[str, bytes]]:
    """By an owner: for each rule a recording on which it fires, and one with what the protocol does not know."""
    for folder in sorted((Path(__file__).parent / "rules").iterdir()):
        yield folder.name, (folder / "fires.ndjson").read_bytes()
    yield "unknown", b"\n".join(_unknown().lines())


def _unknown() -> Recording:
    """Methods, variants, errors, children and keys of nobody's, wherever something is said of them."""
    made = Recording().initialize_v2(opted_in=True).resume(1, "session")
    made.message("session", "message").update("session", "a variant", title="title", _meta={"a key": "text"})
    made.child("session", "child").message("child", "another").marker("child").marker("session")
    made.client(2, "a method", sessionId="session").error(2, -32601)
    made.agent(3, "another method", text="text").update("stranger", "notice", message="words")
    made.error(1, -32603).resume(4, "session").message("session", "third").result(5, {"key": "text"})
    made.client(6, "session/resume", sessionId="session", replayFrom={"type": "a cursor"}).result(6, {})
    return made


def _json(value: Any, payload: Payload) -> bytes:
    """A value with its places written so, as JSON; bytes stay what they are."""
    if isinstance(value, bytes):
        return value
    return json.dumps(_spelled(value, payload)).encode()


def _spelled(value: Any, payload: Payload) -> Any:
    if isinstance(value, str):
        return PLACE.sub(lambda place: payload.text(place[0]), value)
    if isinstance(value, list):
        return [_spelled(each, payload) for each in value]
    if isinstance(value, dict):
        return {_spelled(key, payload): _spelled(each, payload) for key, each in value.items()}
    return value
