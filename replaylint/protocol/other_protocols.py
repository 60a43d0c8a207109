"""Other protocols that speak JSON-RPC, or look like it: named, so that nobody wonders what became of their recording.

Source: the methods in the specifications of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

_ACP_PREFIXES: Final = ("session/", "auth/", "fs/", "terminal/", "_")
_ACP_METHODS: Final = frozenset({"authenticate"})

_OTHERS: Final = (
    (
        "the Codex app-server protocol",
        ("thread/", "turn/", "item/", "codex/", "newConversation", "sendUserTurn", "addConversationListener"),
    ),
    (
        "the Language Server Protocol",
        ("textDocument/", "workspace/", "window/", "client/", "notebookDocument/", "completionItem/", "$/progress"),
    ),
    (
        "the Model Context Protocol",
        ("tools/", "resources/", "prompts/", "notifications/", "sampling/", "roots/", "completion/", "logging/"),
    ),
)
_DEBUG_ADAPTER: Final = "the Debug Adapter Protocol"


def is_acp(method: str) -> bool:
    """Whether only this protocol has such a method. `initialize` and `elicitation/create` are others', too."""
    return method.startswith(_ACP_PREFIXES) or method in _ACP_METHODS


def protocol_of(method: str) -> str | None:
    """The other protocol that has this method, or None."""
    return next((name for name, beginnings in _OTHERS if method.startswith(beginnings)), None)


def protocol_of_body(body: Mapping[str, object]) -> str | None:
    """The other protocol that this JSON object, which is no JSON-RPC, is a message of, or None."""
    debug = "seq" in body and body.get("type") in ("request", "response", "event")
    return _DEBUG_ADAPTER if debug and ("command" in body or "event" in body) else None
