"""History came after the response that ends the replay.

The success response means that all selected history has been sent before it. What comes later the client takes for
live, or it has stopped listening for history. A user's message without a prompt since the response cannot be live for
this client; on v2 another client's turn looks the same, so it is a warning, and less where the session runs.

Other history is worth knowing only where the replay had brought none.

Source: "Loading sessions" of https://agentclientprotocol.com/protocol/v1/session-setup; the RFD's section "Why does
each child session get its own marker?".

Fix: answer the request when the last replayed update is out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import USER_MESSAGES
from replaylint.replay.states import Event
from replaylint.rules.registry import ERROR, INFO, WARNING, Hit, Rule, Severity

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Past, Seen

RULE = Rule(
    "RL304",
    "history-after-response",
    party="agent",
    says="{count:history update} after the response at line {response_line} that ends the replay; all of it belongs "
    "before the response",
)


@RULE.sees_after(Event.HISTORY)
def see_after(connection: Connection, past: Past, event: Event, seen: Seen) -> Hit | None:
    """While nothing since the response explains it: what came before the user's message counts, too."""
    after = past.after
    if after is None or after.last.line != seen.line:
        return None
    user_messages = sum(after.kinds.get(kind, 0) for kind in USER_MESSAGES)
    if not user_messages and past.had_history:
        return None
    begins = past.had_history and user_messages == 1 and seen.what in USER_MESSAGES
    return Hit(
        RULE,
        _severity(connection, past) if user_messages else INFO,
        after.first.line if begins else seen.line,
        past=past,
        connection=connection,
        what=after.what,
        last_line=seen.line,
        count=after.count if begins else 1,
        response_line=past.response_line,
    )


def _severity(connection: Connection, past: Past) -> Severity:
    if connection.version == 1:
        return ERROR
    return WARNING if past.snapshot in {None, "idle"} else INFO
