"""Ids beyond 64 bits, which orjson reads as doubles: two of them stay apart."""

from __future__ import annotations

import re
from typing import Final

_LEAST: Final = 2.0**63
_MAX_DIGITS: Final = 309
"""A longer number is none of a double."""
_ID: Final = re.compile(rb'"id\\*"\s*:\s*(-?[0-9]{19,%d})(?![0-9.eE])' % _MAX_DIGITS)


def restore(body: dict[str, object] | list[object], text: bytes | str) -> None:
    """Put the integer itself in place of a double that is the id of this message, or of one in this batch.

    It is looked for in the text that the message was read from. Where several there become that double, it stays.
    """
    for each in body if isinstance(body, list) else (body,):
        ident = each.get("id") if isinstance(each, dict) else None
        if isinstance(each, dict) and isinstance(ident, float) and abs(ident) >= _LEAST:
            data = text if isinstance(text, bytes) else text.encode(errors="replace")
            exact = {int(digits) for digits in _ID.findall(data) if float(digits) == ident}
            if len(exact) == 1:
                each["id"] = exact.pop()
