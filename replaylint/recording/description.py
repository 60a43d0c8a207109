"""What a file begins with that is no recording, in words: where a link leads to it, it may be a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from orjson import loads

from replaylint.recording.message import BLANK

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_KEYS: Final = 5
MAX_KEY_CHARS: Final = 30
MAX_LOOKED_AT_BYTES: Final = 1_000_000
"""Of a line that may be JSON."""

BYTES_OF_NO_TEXT: Final = frozenset(range(32)) - frozenset(b"\t\n\v\f\r\x1b")


def description(head: Iterable[bytes]) -> str | None:
    """What the first of these lines that is not blank holds; None where all are."""
    line = next(filter(None, (line.strip(BLANK.encode()) for line in head)), None)
    if line is None:
        return None
    if len(line) <= MAX_LOOKED_AT_BYTES:
        try:
            return _json(loads(line))
        except ValueError:
            pass
    if not BYTES_OF_NO_TEXT.isdisjoint(line):
        return "bytes that are no text"
    if line.startswith(b"<"):
        return "markup, such as HTML or XML"
    return "JSON that is long or unfinished" if line.startswith((b"{", b"[")) else "text that is no JSON"


def _json(value: object) -> str:
    if isinstance(value, dict):
        keys = [repr(key if len(key) <= MAX_KEY_CHARS else f"{key[:MAX_KEY_CHARS]}...") for key in value]
        more = f" and {len(keys) - MAX_KEYS} more" if len(keys) > MAX_KEYS else ""
        return f"a JSON object with {'the keys ' if keys else 'no key'}{', '.join(keys[:MAX_KEYS])}{more}"
    names = {list: "a JSON array", str: "a JSON string", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")
