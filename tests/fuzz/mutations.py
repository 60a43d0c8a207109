"""What becomes of a sample: its bytes, lines, fields or types are changed, also with parts of other samples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from orjson import JSONEncodeError

from tests.fuzz.samples import framed
from tests.fuzz.values import parsed, slots_of, written, written_safely

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.fuzz.samples import Sample

WEIGHTS: Final = {"samples": 10, "rules": 46, "formats": 32, "shared formats": 9, "shared": 3}
"""How often a sample of each group is taken."""


class Stock:
    """All samples, and the values in them."""

    def __init__(self, every: list[Sample]) -> None:
        self.every = every
        self.by_name = {sample.name: sample for sample in every}
        self.groups = {name: [each for each in every if each.group == name] for name in WEIGHTS}
        self._names = [name for name, those in self.groups.items() if those]
        self._weights = [WEIGHTS[name] for name in self._names]
        self.values: dict[str, list[Any]] = {}
        """Of each key, some of the values that it has in samples."""
        for sample in every:
            if sample.layout == "lines" and sample.group != "shared":
                for line in sample.content.splitlines()[:12]:
                    self._collect(parsed(line))
        self.keys = sorted(self.values)
        self.mixable = [sample for sample in self.groups["rules"] if is_mixable(sample)]
        self.plain = [sample for sample in self.groups["rules"] if b'"msg"' in sample.content]

    def _collect(self, value: object) -> None:
        for container, key in slots_of(value):
            if isinstance(key, str):
                known = self.values.setdefault(key, [])
                if len(known) < 40 and isinstance(container, dict) and container[key] not in known:
                    known.append(container[key])

    def draw(self, random: Random) -> Sample:
        """A sample."""
        return random.choice(self.groups[random.choices(self._names, self._weights)[0]])

    def value(self, random: Random, key: object = None) -> Any:
        """A value of a sample, of this key if it is one."""
        known = self.values.get(key) if isinstance(key, str) else None
        return random.choice(known or self.values[random.choice(self.keys)])


def is_mixable(sample: Sample) -> bool:
    """Whether it can be one of two connections: its lines are envelopes and say all, and it begins with a handshake."""
    records = [parsed(line) for line in sample.content.splitlines()]
    if len(records) < 3 or not all(isinstance(each, dict) and set(each) == {"ts", "dir", "msg"} for each in records):
        return False
    words = {str(each["dir"]) for each in records}
    methods = [each["msg"].get("method") for each in records if isinstance(each["msg"], dict)]
    return words == {"c2a", "a2c"} and methods[:1] == ["initialize"] and methods.count("initialize") == 1


Mutation: TypeAlias = "Callable[[Random, bytes, Sample, Stock], bytes | None]"
"""What becomes of a recording; None where it allows no such mutation."""
Change: TypeAlias = "Callable[[Random, Any, Any, list[bytes], Stock], None]"
"""Changes the value at a place; texts that no serialiser would write go into the list."""

PIECES: Final = (
    *(b"\n", b"\0", b"\xff", "\u2028".encode(), b"\xef\xbb\xbf", b"\x1b[31m", b"\r", b"\r\n", b'"', b"\\", b"{"),
    *(b"}", b"[", b"]", b",", b":", b" ", b"\xed\xa0\x80", b"\xc0\x80", "\u202e".encode(), b"\x9b", b"\xc2\x9b"),
    *(b"::error::", b"##[group]", b"null", b"1e999", b"-", b"0", b"\x1f\x8b\x08\0", b"[SEND] ", b"\\ud800", b"\x7f"),
    *(b"Content-Length: 9\r\n\r\n", b'{"jsonrpc":"2.0","method":', b"\n\n", b"\xf4\x90\x80\x80", b"9" * 21),
)


def bytes_changed(random: Random, data: bytes, sample: Sample, stock: Stock) -> bytes | None:
    """Some bytes are others."""
    if not data:
        return random.choice(PIECES)
    at = random.randrange(len(data))
    how = random.choice(("flip", "set", "delete", "insert", "insert", "splice", "truncate", "repeat", "overwrite"))
    if how == "flip":
        return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]
    if how == "set":
        return data[:at] + bytes([random.randrange(256)]) + data[at + 1 :]
    if how == "delete":
        return data[:at] + data[at + random.choice((1, 1, 2, 3, 8, 40)) :]
    if how == "truncate":
        return data[:at]
    if how == "repeat":
        end = at + random.choice((1, 2, 8, 100, 1000))
        return data[:end] + data[at:]
    if how == "splice":
        other = stock.draw(random).content
        begin = random.randrange(len(other) or 1)
        return data[:at] + other[begin : begin + random.choice((3, 20, 200))] + data[at:]
    piece = random.choice(PIECES)
    return data[:at] + piece + data[at + (len(piece) if how == "overwrite" else 0) :]


def lines_changed(random: Random, data: bytes, sample: Sample, stock: Stock) -> bytes | None:
    """Some lines, or elements of the document, are others, elsewhere, or gone."""
    if sample.layout == "document" and random.random() < 0.8:
        return elements_changed(random, data, stock)
    parts = parts_of(data, sample.layout)
    other = parts_of(stock.draw(random).content, "lines")
    how = random.choice(("drop", "drop", "repeat", "swap", "move", "join", "split", "cut", "import", "drop some"))
    at = random.randrange(len(parts))
    if how == "join":
        parts[at : at + 2] = [b"".join(parts[at : at + 2])]
    elif how == "split":
        place = random.randrange(len(parts[at]) + 1)
        parts[at : at + 1] = [parts[at][:place], parts[at][place:]]
    elif how == "cut":
        parts[at] = parts[at][: random.randrange(len(parts[at]) + 1)]
    else:
        moved(random, parts, how, random.choice(other))
    return joined(parts, sample.layout)


def moved(random: Random, parts: list[Any], how: str, other: object) -> None:
    """Drop, repeat, swap, move or import one of these parts."""
    at, to = random.randrange(len(parts)), random.randrange(len(parts))
    if how == "drop":
        del parts[at]
    elif how == "drop some":
        del parts[at : at + random.randrange(1, 4)]
    elif how == "repeat":
        parts[to:to] = [parts[at]] * (3000 if random.random() < 0.02 else random.choice((1, 1, 2, 5)))
    elif how == "swap":
        parts[at], parts[to] = parts[to], parts[at]
    elif how == "move":
        parts.insert(to, parts.pop(at))
    else:
        parts.insert(at, other)


def elements_changed(random: Random, data: bytes, stock: Stock) -> bytes | None:
    """Some elements of the longest array of a document are elsewhere or gone."""
    document = parsed(data)
    arrays = [document, *(container[key] for container, key in slots_of(document))]
    longest = max((each for each in arrays if isinstance(each, list)), key=len, default=None)
    if not longest:
        return None
    how = random.choice(("drop", "repeat", "swap", "move", "import", "drop some"))
    moved(random, longest, how, stock.value(random))
    return like(data, written(document))


def parts_of(data: bytes, layout: str) -> list[bytes]:
    """The lines, or what stands in the frames."""
    if layout == "frames":
        return re.split(rb"Content-Length: *\d+\r?\n\r?\n", data)[1:] or [data]
    return data.split(b"\n")


def joined(parts: list[bytes], layout: str) -> bytes:
    """The recording with these parts."""
    return framed(parts) if layout == "frames" else b"\n".join(parts)


def fields_changed(random: Random, data: bytes, sample: Sample, stock: Stock) -> bytes | None:
    """Some members of an object are gone, are called otherwise, come twice, or have values of others."""
    return values_changed(random, data, sample, stock, rearranged)


def types_changed(random: Random, data: bytes, sample: Sample, stock: Stock) -> bytes | None:
    """Some value is of another type, or of an extreme one."""
    return values_changed(random, data, sample, stock, replaced)


LEVELS: Final[dict[str, Mutation]] = {
    "byte": bytes_changed,
    "line": lines_changed,
    "field": fields_changed,
    "type": types_changed,
}


def values_changed(
    random: Random,
    data: bytes,
    sample: Sample,
    stock: Stock,
    change: Change,
) -> bytes | None:
    """A value in one of the parts, or in the document, is changed."""
    if sample.layout == "document":
        document = parsed(data)
        text = None if document is None else revised(random, document, stock, change)
        return None if text is None else like(data, text)
    parts = parts_of(data, sample.layout)
    for _ in range(4):
        at = random.randrange(len(parts))
        opened = opened_part(parts[at])
        if opened is not None:
            before, value, behind = opened
            text = revised(random, value, stock, change)
            if text is not None:
                parts[at] = before + text + behind
                return joined(parts, sample.layout)
    return None


def opened_part(part: bytes) -> tuple[bytes, Any, bytes] | None:
    """What stands before the JSON of this line, its value, and what stands behind."""
    text = part.rstrip()
    at = text.find(b"{")
    if at < 0:
        return None
    if at and text[at - 1] == ord("["):
        at -= 1
    value = parsed(text[at:])
    return None if value is None else (part[:at], value, part[len(text) :])


def like(data: bytes, text: bytes) -> bytes:
    """The document, on several lines if it was so before: never inside strings, where a newline is escaped."""
    return re.sub(rb'([\[{,])("|\{)', rb"\1\n  \2", text) if b"\n" in data.strip() else text


def revised(
    random: Random,
    value: Any,
    stock: Stock,
    change: Change,
) -> bytes | None:
    """The value, written, after one change somewhere in it; often inside a text that is JSON itself."""
    raw: list[bytes] = []
    outside = [value]
    slots = [(outside, 0), *slots_of(value)]
    container, key = random.choice(slots)
    old = container[key]
    if isinstance(old, str) and old.startswith("{") and random.random() < 0.8:
        inner = parsed(old)
        text = None if inner is None else revised(random, inner, stock, change)
        if text is not None:
            container[key] = text.decode(errors="replace")
    else:
        change(random, container, key, raw, stock)
    if not outside:
        return b""
    try:
        text = written(outside[0])
    except JSONEncodeError:
        return None
    for number, each in enumerate(raw):
        text = text.replace(b'"@fuzz:%d@"' % number, each)
    return text


def raw_text(raw: list[bytes], text: bytes) -> str:
    """Stands for this text, which no serialiser would write."""
    raw.append(text)
    return f"@fuzz:{len(raw) - 1}@"


def rearranged(random: Random, container: Any, key: Any, raw: list[bytes], stock: Stock) -> None:
    """What field mutations do at a place."""
    how = random.choice(("drop", "drop", "rename", "duplicate", "swap", "graft", "graft", "graft any", "add"))
    old = container[key]
    if how == "drop":
        del container[key]
    elif how == "graft any" or not isinstance(container, dict):
        container[key] = stock.value(random)
    elif how == "graft":
        container[key] = stock.value(random, key)
    elif how == "rename":
        name = random.choice((random.choice(stock.keys), key.upper(), f"{key} ", f"_{key}", key[:-1]))
        items = [(name if each == key else each, part) for each, part in container.items()]
        container.clear()
        container.update(items)
    elif how == "duplicate":
        container[raw_text(raw, written_safely(key))] = random.choice((old, stock.value(random, key), None))
    elif how == "swap":
        other = random.choice(list(container))
        container[key], container[other] = container[other], old
    else:
        name = random.choice(stock.keys)
        container[name] = stock.value(random, name)


EXTREMES: Final = (
    *(b"null", b"true", b"false", b"0", b"-1", b"1.5", b"9007199254740993", b"1180591620717411303424", b"-0.0"),
    *(b"1e400", b"NaN", b"-Infinity", b'"NaN"', b'""', b'" "', b'"0"', b'"1"', b"[]", b"{}", b"[null]", b"[[]]"),
    *(b'"\\ud800"', b'"\\udc00\\ud800"', b'"\xed\xa0\x80"', b"2", b"1.0", b"1e-320", b"1" * 400, b'"initialize"'),
    *(b'"\\u0000\\u001b[31m\\r\\n::error::\\u202e\\u2028##[x]"', b'"' + b"x" * 5000 + b'"', b"18446744073709551616"),
    *(b"[" * 100 + b"]" * 100, b'{"a":' * 100 + b"1" + b"}" * 100, b"-9223372036854775809", b'{"":{"":[]}}'),
)
RARE: Final = (
    *(b"[" * 1030 + b"]" * 1030, b'{"a":' * 3000 + b"1" + b"}" * 3000, b"[" * 100_000, b"1" * 5000),
    *(b'"' + b"x" * 140_000 + b'"', b'"' + b"\\u0000" * 3000 + b'"', b"[" + b"0," * 3000 + b"0]"),
)


def replaced(random: Random, container: Any, key: Any, raw: list[bytes], stock: Stock) -> None:
    """What type mutations do at a place."""
    old = container[key]
    how = random.randrange(12)
    if how == 0:
        container[key] = [old]
    elif how == 1:
        container[key] = {"a": old} if isinstance(key, int) else {key: old}
    elif how == 2:
        container[key] = [old, old]
    elif how == 3:
        text = written_safely(old)
        container[key] = raw_text(raw, b"[" * 100 + text + b"]" * 100)
    elif how == 4:
        container[key] = old.encode(errors="replace").decode() if isinstance(old, str) else written_safely(old).decode()
    elif how == 5 and isinstance(old, str):
        container[key] = parsed(old)
    else:
        container[key] = raw_text(raw, random.choice(RARE if random.random() < 0.01 else EXTREMES))


def mutated(random: Random, data: bytes, level: str, sample: Sample, stock: Stock) -> tuple[bytes, str]:
    """The recording after one mutation of this level, or of bytes where it allows none; and which it was."""
    new = LEVELS[level](random, data, sample, stock)
    if new is None:
        level = "byte"
        new = bytes_changed(random, data, sample, stock)
    return (data if new is None else new), level
