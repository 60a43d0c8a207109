"""What a text that is not JSON may be: the beginning of some, or a message with something around it."""

from __future__ import annotations

import json
import re
from typing import Final

from replaylint.recording.message import is_jsonrpc

MAX_TEXT_CHARS: Final = 1_000_000
"""Of a longer text only the first character is looked at."""
MAX_ATTEMPTS: Final = 20
"""At how many places in a text a message is looked for."""

# NaN and raw control characters count as JSON here, as Python writes them.
_TOKEN: Final = re.compile(
    r'[ \t\r\n]*(?:(?P<string>"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?P<sign>[\[\]{},:])'
    r"|(?P<value>-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE])|true|false|null|NaN|-?Infinity))"
)
_BEGUN_STRING: Final = re.compile(
    r'[ \t\r\n]*"(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:\\(?:u[0-9a-fA-F]{0,3})?)?'
)
_BEGUN_VALUE: Final = re.compile(
    r"[ \t\r\n]*(?:-|-?(?:0|[1-9][0-9]*)(?:[.]|(?:[.][0-9]+)?[eE][+-]?)"
    r"|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|Na?|-?I(?:n(?:f(?:i(?:n(?:it?)?)?)?)?)?)"
)


def is_cut(text: str) -> bool:
    """Whether this is JSON, an object or an array, that stops before its end."""
    if not text.startswith(("{", "[")) or len(text) > MAX_TEXT_CHARS:
        return text.startswith(("{", "["))
    open_ends: list[str] = []
    # What may come next: a value, a key, the colon after it, or what follows a value; and where `closing`, an end.
    expected, closing, at = "value", False, 0
    while (token := _TOKEN.match(text, at)) is not None:
        at = token.end()
        sign = token["sign"]
        if sign in {"{", "["} and expected == "value":
            open_ends.append("}" if sign == "{" else "]")
            expected, closing = ("key" if sign == "{" else "value"), True
        elif sign in {"}", "]"} and closing and open_ends[-1:] == [sign]:
            open_ends.pop()
            expected = "more"
        elif sign == "," and expected == "more" and open_ends:
            expected, closing = ("key" if open_ends[-1] == "}" else "value"), False
        elif sign == ":" and expected == "colon":
            expected, closing = "value", False
        elif token["string"] is not None and expected == "key":
            expected, closing = "colon", False
        elif sign is None and expected == "value":
            expected, closing = "more", True
        else:
            return False
    if not text[at:].strip(" \t\r\n"):
        return bool(open_ends)
    if expected not in {"value", "key"}:
        return False
    begun = _BEGUN_STRING.fullmatch(text, at) or (expected == "value" and _BEGUN_VALUE.fullmatch(text, at))
    return bool(begun)


def embedded(text: str) -> dict[str, object] | None:
    """The first JSON-RPC message inside this text."""
    if len(text) > MAX_TEXT_CHARS or not ('"jsonrpc"' in text or '"method"' in text):
        return None
    decoder = json.JSONDecoder(strict=False)
    start = -1
    for _ in range(MAX_ATTEMPTS):
        start = text.find("{", start + 1)
        if start < 0:
            break
        try:
            found, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and is_jsonrpc(found):
            return found
    return None
