"""The methods of ACP v1 and v2: who sends them, and what their answers look like.

Source: the v1 and v2 schemas; https://agentclientprotocol.com/protocol/v2/overview.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.message import AGENT, CLIENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from replaylint.recording.message import Side

INITIALIZE: Final = "initialize"
AUTHENTICATE: Final = "authenticate"
LOGIN: Final = "auth/login"
NEW: Final = "session/new"
FORK: Final = "session/fork"
LOAD: Final = "session/load"
RESUME: Final = "session/resume"
LIST: Final = "session/list"
CLOSE: Final = "session/close"
DELETE: Final = "session/delete"
ARCHIVE: Final = "session/archive"
PROMPT: Final = "session/prompt"
PERMISSION: Final = "session/request_permission"
ELICITATION: Final = "elicitation/create"
UPDATE: Final = "session/update"
UPDATES: Final = "_cognition.ai/session_update_batch"
"""One vendor's carrier of replayed updates: each of them counts, on its line."""
CANCEL_TURN: Final = "session/cancel"
CANCEL_REQUEST: Final = "$/cancel_request"

RESUMES: Final = frozenset({RESUME, LOAD})

NOTIFICATIONS: Final = frozenset({UPDATE, CANCEL_TURN, CANCEL_REQUEST, "elicitation/complete", "auth/status_update"})

WAIT_FOR_SOMEONE: Final = frozenset({PROMPT, PERMISSION, ELICITATION, AUTHENTICATE, LOGIN})
"""Requests that a person or a model answers: that they are open when a recording stops means little."""

NAMES_A_SESSION: Final = frozenset({UPDATE, LOAD, RESUME, PROMPT, CLOSE, DELETE, FORK, PERMISSION, CANCEL_TURN})

_CLIENT_METHODS: Final = frozenset(
    {
        *(INITIALIZE, AUTHENTICATE, LOGIN, "logout", "auth/logout", "auth/status"),
        *(NEW, LOAD, RESUME, LIST, CLOSE, DELETE, FORK, ARCHIVE, "session/unarchive"),
        *(PROMPT, CANCEL_TURN, "tool_call/cancel", "terminal/cancel", "session/status", "session/set_title"),
        *("session/set_mode", "session/set_model", "session/set_config_option"),
        *("providers/list", "providers/set", "providers/disable"),
    }
)
_AGENT_METHODS: Final = frozenset(
    {
        *(UPDATE, PERMISSION, ELICITATION, "elicitation/complete", "auth/status_update"),
        *("fs/read_text_file", "fs/write_text_file"),
        *("terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"),
    }
)

RESULT_KEYS: Final = {
    INITIALIZE: ("protocolVersion",),
    NEW: ("sessionId",),
    FORK: ("sessionId",),
    LIST: ("sessions",),
    PROMPT: ("stopReason", "messageId"),
    PERMISSION: ("outcome",),
    ELICITATION: ("action",),
    "fs/read_text_file": ("content",),
    "terminal/create": ("terminalId",),
    "terminal/output": ("output",),
    "terminal/wait_for_exit": ("exitCode",),
}
"""Keys of which the result of this method always has one: they tell apart two requests that have one id."""


def names_one(method: str, params: object) -> bool:
    """Whether the params of such a method say which session they are of, and those of an update what it is."""
    if not isinstance(params, dict) or not isinstance(params.get("sessionId"), str):
        return False
    update = params.get("update")
    return method != UPDATE or (isinstance(update, dict) and isinstance(update.get("sessionUpdate"), str))


def carried(body: Mapping[str, object]) -> list[object]:
    """The params of each update in a message of UPDATES."""
    params = body.get("params")
    updates = params.get("updates") if isinstance(params, dict) else None
    return updates if isinstance(updates, list) else []


def sender(method: str) -> Side | None:
    """The side that sends this method, or None where both may, or where the method is not known."""
    if method in _AGENT_METHODS:
        return AGENT
    return CLIENT if method in _CLIENT_METHODS else None
