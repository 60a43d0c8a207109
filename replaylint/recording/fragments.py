"""What a text that is not JSON may be: the beginning of some, or a message with something around it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from replaylint.recording.message import is_jsonrpc
from replaylint.recording.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_TEXT_CHARS: Final = 1_000_000
"""Of a longer text only the first character is looked at."""
MAX_ATTEMPTS: Final = 20
"""At how many places in a text a message is looked for."""
MAX_PREFIX_BYTES: Final = 1000
"""How far into a line a message may begin that ends it."""

BLANK_LINE: Final = b"\n"
_FENCE: Final = re.compile(rb" {0,3}(`{3,}|~{3,})")
_SURROUNDING: Final = re.compile(
    r"`{3,}|~{3,}|#{1,6} |[(\[<]?(?:[.]{3}|\N{HORIZONTAL ELLIPSIS})[)\]>]?\Z"
    r"|(?:[\w.-]+@[\w.-]+\S*\s?|PS [^>]*)?[$%>\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}](?: |\Z)"
    r"|\[[a-z][\w:./-]*\]"
)
_JSON: Final = re.compile(rb'(?:\[\s*)?\{\s*(?:"|\Z)')
_MEMBERS: Final = {"id", "method", "params", "result", "error"}
"""The members of a message. A record without `jsonrpc` that has others is something else."""

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
    if len(text) > MAX_TEXT_CHARS or not _may_hold_message(text):
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


def begins_at(line: bytes, at: int) -> int:
    """Where JSON begins behind a short text, from there on; there if it does not."""
    found = _JSON.search(line, at, MAX_PREFIX_BYTES)
    return found.start() if found is not None else at


def message_at_end(line: bytes) -> tuple[int, dict[str, object] | list[object]] | None:
    """The JSON-RPC message or batch that this line ends with, behind where it begins; None where there is none."""
    for attempt, begins in enumerate(_JSON.finditer(line, 0, MAX_PREFIX_BYTES)):
        if attempt == MAX_ATTEMPTS:
            break
        try:
            found = parse(line[begins.start() :])
        except ValueError:
            continue
        return (begins.start(), found) if isinstance(found, dict | list) and _is_message(found) else None
    return None


def _is_message(found: dict[str, object] | list[object]) -> bool:
    """Whether this is a message, or a batch with one, and not just any JSON."""
    records = [each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict)]
    return any(
        "jsonrpc" in each or (is_jsonrpc(each) and _MEMBERS.issuperset(each) and len(each) > 1) for each in records
    )


def is_surrounding(text: str) -> bool:
    """Whether this line is of what people paste around and into recordings, and holds no message.

    A fence or a heading of Markdown, a shell's prompt, an ellipsis, or what a client that prints its traffic says of
    itself behind its name in brackets.
    """
    return _SURROUNDING.match(text) is not None and not _may_hold_message(text)


def _may_hold_message(text: str) -> bool:
    return '"jsonrpc"' in text or '"method"' in text


def has_fence(lines: Iterable[bytes]) -> bool:
    """Whether a fence of Markdown is among these lines."""
    return any(map(_FENCE.match, lines))


def fenced(lines: Iterable[bytes]) -> Iterator[bytes]:
    """What stands in fences of Markdown on these lines; others are blank, unless there may be JSON on them."""
    fence = b""
    for line in lines:
        found = _FENCE.match(line)
        if found is None:
            yield line if fence or b'"jsonrpc"' in line else BLANK_LINE
            continue
        yield BLANK_LINE
        if not fence:
            fence = found[1]
        elif found[1].startswith(fence):
            fence = b""
