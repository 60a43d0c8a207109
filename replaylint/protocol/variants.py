"""The variants of `session/update`, of both versions, and what each can be in a replay.

Source: "Replay Contents" of https://agentclientprotocol.com/protocol/v2/session-setup, and the RFD's section "Only
history before the marker".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

REPLAY_COMPLETE: Final = "replay_complete"
SESSION_INFO: Final = "session_info_update"
STATE: Final = "state_update"

WHOLE: Final = frozenset({"user_message", "agent_message", "agent_thought"})
"""Messages and thoughts that replace what there was, on v2; their chunks append to it."""
MESSAGES: Final = frozenset(
    {
        *WHOLE,
        *("user_message_chunk", "agent_message_chunk", "agent_thought_chunk"),
    }
)
CHUNKS: Final = MESSAGES - WHOLE
TOOL_CALLS: Final = frozenset({"tool_call", "tool_call_update", "tool_call_content_chunk"})
TURNS: Final = frozenset({*TOOL_CALLS, *MESSAGES}) - {"user_message", "user_message_chunk"}
"""What an agent does in a turn."""
CHILDREN: Final = frozenset({"subagent_update", "_subagent_update", "subagent_spawned", "subagent_state_update"})
"""Announcements of children and their states."""

HISTORY: Final = frozenset(
    {
        *MESSAGES,
        *TOOL_CALLS,
        *CHILDREN,
        *("terminal_update", "terminal_output_chunk"),
        *("plan", "plan_update", "plan_removed"),
        *("compaction_update", "compaction_summary_chunk"),
        *("session_message", "session_message_chunk"),
    }
)
LIVE_ONLY: Final = frozenset(
    {STATE, "notice", "available_commands_update", "config_option_update", "current_mode_update"}
)
EITHER: Final = frozenset({SESSION_INFO, "usage_update", "prompt_suggestions_update", "cursor_update"})
"""Current metadata that agents also send among history. What is not known counts as this, too."""

KNOWN: Final = HISTORY | LIVE_ONLY | EITHER


def variant_of(params: Mapping[str, object]) -> str | None:
    """The variant that these params of a `session/update` name, if they name one."""
    update = params.get("update")
    variant = update.get("sessionUpdate") if isinstance(update, dict) else None
    return variant if isinstance(variant, str) else None


NEAR_MISSES: Final = ("replayComplete", "replay_completed", "replay_end", "history_replayed")
"""Names that the marker might have had; the RFD's section "Open questions" lists two of them."""
NEAR_MISS_METHODS: Final = (*NEAR_MISSES, REPLAY_COMPLETE)
"""Endings of methods of their own that would be the marker."""

USER_MESSAGES: Final = frozenset({"user_message", "user_message_chunk"})

DECIDES: Final = {STATE: 2, "user_message": 2, "agent_message": 2, "tool_call": 1}
"""The version that a variant gives away, where no `initialize` result does."""

OPEN_STATUSES: Final = ("pending", "in_progress")
FINAL_STATUSES: Final = ("completed", "failed", "cancelled")
PAUSED: Final = "paused"
"""Tuples, not sets: what is looked up in them may be anything, also what has no hash."""
BUSY_STATES: Final = ("running", "requires_action")
