"""`acp-el-traffic`: the traffic that Emacs' acp.el saves: association lists of Lisp."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.errors import RecordingError
from replaylint.recording.clock import NO_CLOCK
from replaylint.recording.document import unbroken
from replaylint.recording.entries import Entry, reading
from replaylint.recording.formats import CERTAIN
from replaylint.recording.message import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Head
    from replaylint.recording.reading import Progress, Reading

NAME: Final = "acp-el-traffic"
EXAMPLE: Final = '(((:direction . outgoing) (:kind . request) (:object (jsonrpc . "2.0") (id . 0) …)) …)'

_BEGINS: Final = re.compile(rb"\(\s*\(\s*\(:direction\s+\.\s")
_TOKEN: Final = re.compile(
    rb'[ \t\r\n\f]*(?:(?P<sign>[()\[\]])|"(?P<text>[^"\\]*+(?:\\.[^"\\]*+)*+)"|(?P<atom>[^\s()\[\]"]++))', re.DOTALL
)
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "b": "\b", "e": "\x1b", "\n": "", " ": ""}
_CONSTANTS: Final = {"t": True, ":false": False, "nil": None, ":null": None, ":json-false": False}
_NUMBER: Final = re.compile(r"-?[0-9]{1,18}\.?|-?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:e[+-]?[0-9]{1,2})?")
_DOT: Final = "."
_MAX_DEPTH: Final = 1000
"""Of lists in each other: what is deeper is left out, as JSON is refused that is nested so."""


class _Symbol(str):
    """A name."""

    __slots__ = ()


class _Pair(NamedTuple):
    """A list that begins with a name, which may be a key, and what it is the key of."""

    key: str
    value: object


def sniff(head: Head) -> int:
    """It begins with an entry."""
    return CERTAIN if _BEGINS.match(b"".join(head.lines[:10]).lstrip()) else 0


def read(lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:  # noqa: ARG001
    """The objects of its entries."""
    return reading(_entries(lines, progress), NO_CLOCK, progress, many_per_line=True)


def _entries(lines: Iterable[bytes], progress: Progress) -> Iterator[Entry]:
    data = b"".join(unbroken(lines))
    progress.lines = data.count(b"\n") + (not data.endswith(b"\n"))
    for line, size, record in _records(data):
        facts = record if isinstance(record, dict) else {}
        body, word = facts.get(":object"), facts.get(":direction")
        if isinstance(body, dict):
            yield Entry(line, NO_TIME, word if isinstance(word, str) else None, body, size)


def _records(data: bytes) -> Iterator[tuple[int, int, object]]:
    """The elements of the outermost list: the 1-based line of each, its size and its value.

    Raises RecordingError, after those before that, where it ends too early or is no Lisp.
    """
    open_lists: list[tuple[str, list[object]]] = []
    at, line, counted, begins = 0, 1, 0, 0
    while (token := _TOKEN.match(data, at)) is not None:
        at = token.end()
        sign = (token["sign"] or b"").decode()
        if sign in {"(", "["} and sign:
            if len(open_lists) == 1:
                begins = at - 1
            open_lists.append((sign, []))
            continue
        if sign:
            if not open_lists or (open_lists[-1][0] == "(") != (sign == ")"):
                break
            _, items = open_lists.pop()
            value = _items(items) if sign == "]" else _made(items)
            if not open_lists:
                return
            if len(open_lists) == 1:
                line, counted = line + data.count(b"\n", counted, begins), begins
                yield line, at - begins, _value(value)
                continue
        else:
            value = _atom(token)
        if not open_lists:
            break
        if len(open_lists) <= _MAX_DEPTH:
            open_lists[-1][1].append(value)
    where = data.count(b"\n", 0, at) + 1
    if data[at:].strip()[:1] in {b"", b'"'}:
        raise RecordingError("truncated", "the document ends too early", where)
    raise RecordingError("damaged", "the document is no Lisp from here on", where)


def _atom(token: re.Match[bytes]) -> object:
    if token["text"] is not None:
        text = token["text"].decode(errors="replace")
        return _ESCAPE.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), text)
    atom = token["atom"].decode(errors="replace")
    if atom in _CONSTANTS:
        return _CONSTANTS[atom]
    if _NUMBER.fullmatch(atom):
        return int(atom.rstrip(".")) if atom.rstrip(".").lstrip("-").isdecimal() else float(atom)
    return _Symbol(atom)


def _items(items: list[object]) -> list[object]:
    """The values in a vector."""
    return [_value(item) for item in items]


def _made(items: list[object]) -> object:
    """What a list is: with a name before it, a key and its value."""
    if items and isinstance(items[0], _Symbol):
        dotted = len(items) == len(("key", _DOT, "value")) and items[1] == _DOT and isinstance(items[1], _Symbol)
        return _Pair(str(items[0]), _value(items[2]) if dotted else _object(items[1:]))
    return _object(items)


def _object(items: list[object]) -> object:
    """The rest of a list: an object where all of it are pairs, null where there is nothing."""
    if not items:
        return None
    if all(isinstance(item, _Pair) for item in items):
        return {item.key: item.value for item in items if isinstance(item, _Pair)}
    return _items(items)


def _value(item: object) -> object:
    """What stands alone: a pair is an object of it, a name its text."""
    if isinstance(item, _Pair):
        return {item.key: item.value}
    return str(item) if isinstance(item, _Symbol) else item
