"""JSON of any content: what orjson refuses although others take it is read, what nobody could hold is refused.

NaN, infinite numbers and lone surrogates are read as what is nearest to them: null, and the replacement character; an
integer that no double holds is its digits.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Final

from orjson import JSONDecodeError, loads

from replaylint.recording.weight import MAX_UNWEIGHED, is_heavy

MAX_BYTES: Final = 64_000_000
"""A longer text is not tried by the standard library's parser: that takes several times its size."""
MAX_INDENT: Final = 100

_LONE: Final = re.compile(
    rb"(?<!\\)((?:\\\\)*)(?:(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_TOO_DEEP: Final = "depth limit"
_MAX_DIGITS: Final = 18
"""Of an integer of 64 bits; a longer one may be larger, and becomes a float as orjson has it."""


class Unholdable(ValueError):  # noqa: N818  (no error of the text, which may be JSON)
    """JSON, as far as it can be told, that is nested too deep or would take too much memory."""


def parse(data: bytes | str) -> object:
    """What this JSON says. Raises Unholdable where that cannot be held, and another ValueError for what is no JSON."""
    if len(data) > MAX_UNWEIGHED and is_heavy(_bytes(data)):
        raise Unholdable
    try:
        return loads(data)
    except JSONDecodeError as error:
        if error.msg.startswith(_TOO_DEEP):
            raise Unholdable from None
        if data[:MAX_INDENT].strip()[:1] not in ("{", "[", b"{", b"["):
            raise
    mended = _mended(_bytes(data))
    try:
        return loads(mended)
    except JSONDecodeError:
        if len(data) > MAX_BYTES:
            if data[-1:] in ("\n", b"\n"):  # else it is cut off
                raise Unholdable from None
            raise
    try:
        return json.loads(mended.decode(), parse_constant=_none, parse_float=_finite, parse_int=_integer)
    except RecursionError:
        raise Unholdable from None


def _bytes(data: bytes | str) -> bytes:
    return data if isinstance(data, bytes) else data.encode(errors="replace")


def _mended(data: bytes) -> bytes:
    """The same with a replacement character for each escaped surrogate that has no other half."""
    if rb"\u" not in data:
        return data
    mended = bytearray()
    at = 0
    for escape in _LONE.finditer(data):
        if escape[2] is None:
            mended += data[at : escape.end(1)] + rb"\ufffd"
            at = escape.end()
    return bytes(mended) + data[at:]


def _none(_: str) -> None:
    """What NaN and Infinity stand for."""


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if isfinite(number) else None


def _integer(digits: str) -> float | int | str:
    if len(digits) <= _MAX_DIGITS:
        return int(digits)
    number = float(digits)
    return number if isfinite(number) else digits
