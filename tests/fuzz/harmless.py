"""Changes of a recording that must not change what is found in it, or in a part of it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from orjson import dumps, loads

from tests.fuzz.values import parsed, written_safely

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

    from tests.fuzz.samples import Sample

Changed = tuple[list[bytes], "list[int] | None"]


def text_changed(random: Random, lines: list[bytes]) -> Changed | None:
    """The words of a message that no other one has, before and after; but for what may be the echo of a prompt."""
    content = b"\n".join(lines)
    prompted = b'"session/prompt"' in content
    texts = [
        (number, each)
        for number, line in enumerate(lines)
        for each in re.findall(rb'"text":"((?:[^"\\]|\\.)+)"', line)
        if content.count(b'"%b"' % each) == 1 and b'"sessionUpdate":"' in line
        if not (prompted and b'"user_message' in line)
    ]
    if not texts:
        return None
    number, text = random.choice(texts)
    others = (b"other words", b"\\u001b[0m", b"x" * 3000, b"\xe2\x80\xa8", text + b".", b'{\\"jsonrpc\\":')
    other = random.choice([each for each in others if each not in content] or [b"none of these"])
    changed = list(lines)
    changed[number] = lines[number].replace(b'"%b"' % text, b'"%b"' % other)
    return changed, None


def meta_added(random: Random, lines: list[bytes]) -> Changed | None:
    """A member of `_meta` that nobody knows."""
    number = random.randrange(len(lines))
    record = parsed(lines[number])
    body = record.get("msg") if isinstance(record, dict) else None
    params = body.get("params", body.get("result")) if isinstance(body, dict) else None
    if not isinstance(params, dict) or not same_again(lines[number], record):
        return None
    target = random.choice([each for each in (params, params.get("update")) if isinstance(each, dict)])
    meta = target.setdefault("_meta", {})
    if not isinstance(meta, dict):
        return None
    meta["fuzz.example/x"] = random.choice((None, 1, "x", [], {"sessionId": "s"}, {"loadReplayEnd": True}))
    return [*lines[:number], dumps(record), *lines[number + 1 :]], None


def note_inserted(random: Random, lines: list[bytes]) -> Changed | None:
    """A notification that nobody knows, somewhere between two messages of one connection."""
    after = random.randrange(1, max(2, len(lines) - 1))
    record, begun = parsed(lines[after - 1]), parsed(lines[0])
    following = parsed(lines[after]) if after < len(lines) else None
    if not isinstance(record, dict) or not isinstance(following, dict) or not isinstance(begun, dict):
        return None
    if not all(isinstance(each.get("msg"), dict) for each in (record, following, begun)):
        return None
    around = {key: record[key] for key in record if key not in {"msg", "dir"}}
    if around.get("conn") != following.get("conn"):
        return None
    side = random.choice(("a2c", "c2a"))
    versions = versions_of(side, lines)
    if len(versions) > 1:
        return None
    note = {**versions[0], "method": "_fuzz.example/note", "params": {"x": random.choice(("s", None, [1]))}}
    line = dumps({**around, "dir": side, "msg": note})
    numbers = [*range(1, after + 1), 0, *range(after + 1, len(lines) + 1)]
    return [*lines[:after], line, *lines[after:]], numbers


def versions_of(side: str, lines: list[bytes]) -> list[dict[str, Any]]:
    """The `jsonrpc` that this side's messages have or have not: RL003 compares each with those before it."""
    records = [record for record in map(parsed, lines) if isinstance(record, dict) and record.get("dir") == side]
    said = [record["msg"] for record in records if isinstance(record.get("msg"), dict)]
    found: list[dict[str, Any]] = []
    for message in said:
        version = {key: message[key] for key in message if key == "jsonrpc"}
        if version not in found:
            found.append(version)
    return found or [{"jsonrpc": "2.0"}]


def rewritten(random: Random, lines: list[bytes]) -> Changed | None:
    """The same JSON with its members in another order and blanks between them."""
    number = random.randrange(len(lines))
    record = parsed(lines[number])
    if not isinstance(record, dict) or not same_again(lines[number], record):
        return None
    separators = random.choice(((" ,  ", " : "), (",", ":"), (", ", ": ")))
    text = json.dumps(shuffled(random, record), separators=separators, ensure_ascii=random.random() < 0.5)
    return [*lines[:number], text.encode() + b" " * random.randrange(3), *lines[number + 1 :]], None


HARMLESS: Final = (text_changed, meta_added, note_inserted, rewritten)


def shuffled(random: Random, value: Any) -> Any:
    """The same value, its members in another order."""
    if isinstance(value, list):
        return [shuffled(random, each) for each in value]
    if not isinstance(value, dict):
        return value
    return {key: shuffled(random, value[key]) for key in random.sample(list(value), len(value))}


def same_again(line: bytes, record: object) -> bool:
    """Whether nothing of the line is lost by parsing: no member that came twice, no number that is too large."""
    return written_safely(record) == line.strip()


def beside(random: Random, one: Sample, other: Sample) -> tuple[list[bytes], list[str]]:
    """Two recordings as connections a and b of one, mixed, and whose each line is."""
    left = {
        "a": [loads(line) for line in reversed(one.content.splitlines())],
        "b": [loads(line) for line in reversed(other.content.splitlines())],
    }
    owners = [name for name, records in left.items() for _ in records]
    random.shuffle(owners)
    records = [{**left[name].pop(), "ts": 1764400000 + at / 100, "conn": name} for at, name in enumerate(owners)]
    return [dumps(record) for record in records], owners


def of_those(found: list[Any], kept: Iterable[int]) -> list[Any]:
    """What is at these lines, of a signature. RL005 is about the recording as a whole, RL211 looks at all of it."""
    lines = set(kept)
    return [each for each in found if each[0] not in {"RL005", "RL211"} and each[isinstance(each[0], str)] in lines]
