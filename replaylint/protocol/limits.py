"""How much is remembered: ids up to a bound, the oldest forgotten first."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

IDS_REMEMBERED: Final = 100_000
"""Requests a connection, messages and tool calls a session, before the oldest are forgotten."""
SESSIONS_REMEMBERED: Final = 25_000
"""Sessions a connection: of each much more is remembered than its id."""
NOTHING: Final[dict[Any, Any]] = {}
"""In place of a dictionary that few need: who puts something in makes one."""


def forget_oldest(ids: dict[Any, Any], most: int = IDS_REMEMBERED) -> bool:
    """Make room where there are too many; whether anything was forgotten."""
    if len(ids) < most:
        return False
    # Many at once: the first key of a dictionary is found behind all that were deleted before it.
    for ident in tuple(islice(ids, most // 10)):
        del ids[ident]
    return True
