"""Announcements of child sessions, in the four forms that are on the wire.

Source: https://agentclientprotocol.com/rfds/subagents; the forms of September 2026 and of two agents beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYS = {
    "subagent_update": ("sessionId", "subagentSessionId"),
    "_subagent_update": ("subagentSessionId",),
    "subagent_spawned": ("subagentSessionId",),
}


def told_state(variant: str, update: Mapping[str, object]) -> tuple[str, object] | None:
    """The child whose state this update on its parent's stream tells, and the word for it; None where it tells none."""
    child = update.get("subagentSessionId") if variant == "subagent_state_update" else announced(variant, update)
    state = update.get("state")
    if isinstance(state, dict):
        state = state.get("state")
    return (child, state) if isinstance(child, str) and isinstance(state, str) else None


def announced(variant: str, update: Mapping[str, object]) -> str | None:
    """The child that this update announces or patches. A `subagent_state_update` never announces."""
    for key in _KEYS.get(variant, ()):
        child = update.get(key)
        if isinstance(child, str):
            return child
    return None
