"""JSON that orjson refuses and the standard library's parser takes: NaN, infinite numbers and lone surrogates.

Each is read as what is nearest to it: null, and the replacement character. What is nested deeper than orjson allows
is refused: nothing later could hold it.
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Final

from orjson import JSONDecodeError, loads

MAX_BYTES: Final = 5_000_000
"""A longer text is not tried again: that takes several times its size."""
MAX_INDENT: Final = 100

_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(?P<lone>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_TOO_DEEP: Final = "depth limit"
_MAX_DIGITS: Final = 18
"""Of an integer of 64 bits; a longer one may be larger, and becomes a float as orjson has it."""


def parse(data: bytes | str) -> object:
    """What this JSON says. Raises ValueError for what is no JSON, and for what nobody can hold."""
    try:
        return loads(data)
    except JSONDecodeError as error:
        begins = data[:MAX_INDENT].strip()[:1] in ("{", "[", b"{", b"[")
        if error.msg.startswith(_TOO_DEEP) or not begins or len(data) > MAX_BYTES:
            raise
    text = data if isinstance(data, str) else data.decode()
    try:
        return json.loads(_ESCAPE.sub(_whole, text), parse_constant=_none, parse_float=_finite, parse_int=_integer)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def _whole(escape: re.Match[str]) -> str:
    return r"\ufffd" if escape["lone"] else escape[0]


def _none(_: str) -> None:
    """What NaN and Infinity stand for."""


def _finite(digits: str) -> float | None:
    number = float(digits)
    return number if isfinite(number) else None


def _integer(digits: str) -> float | int | None:
    return int(digits) if len(digits) <= _MAX_DIGITS else _finite(digits)
