"""The vendor's end-of-replay event, which a client opts in to.

Source: the second seed, "AIR load replay end" of claude-agent-acp: a `session_info_update` whose `_meta` says
`{"jetbrains": {"air": {"loadReplayEnd": true}}}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

CAPABILITY: Final = "loadReplayEnd"
LEGACY: Final = ("loadSessionReplayIndex", "loadSessionEndOfRecordedHistory")
"""Keys of the design that the event replaced: on each replayed update, and on the last one."""


def _air(holder: object) -> dict[str, object]:
    """`_meta.jetbrains.air` of this object; empty where there is none."""
    for key in ("_meta", "jetbrains", "air"):
        holder = holder.get(key) if isinstance(holder, dict) else None
    return holder if isinstance(holder, dict) else {}


def is_replay_end(params: Mapping[str, object]) -> bool:
    """Whether these params of a `session_info_update` are the event; `_meta` stands on the update or on the params."""
    return _air(params.get("update")).get(CAPABILITY) is True or _air(params).get(CAPABILITY) is True


def declares_replay_end(params: Mapping[str, object]) -> bool:
    """Whether these params of `initialize` opt in to the event, as v1 or as v2 writes it."""
    for key in ("clientCapabilities", "capabilities"):
        capabilities = _air(params.get(key)).get("capabilities")
        if isinstance(capabilities, list) and CAPABILITY in capabilities:
            return True
    return False


def legacy_keys(params: Mapping[str, object]) -> list[str]:
    """The keys of the replaced design in these params of a `session/update`."""
    holders = (_air(params.get("update")), _air(params))
    return [key for key in LEGACY if any(key in holder for holder in holders)]
