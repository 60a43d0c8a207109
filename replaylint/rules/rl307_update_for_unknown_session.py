"""An update for a session that nothing names.

No request of the client has this id, no result brought it, and no announcement on a parent's stream made it a child.
A client has no place for such an update and drops it. Often the agent uses an id of its own, such as that of a
subagent that it does not announce.

It is a warning. An end-of-replay marker is RL204's or RL205's matter. It is silent where the recording misses the
connection's beginning or messages, and where it stops while a request is pending whose result could still name the
session.

Promise: an update belongs to the session whose id it bears, and both sides know it: from a request, from a result, or
from an announcement, which comes first: MUST.

Source: https://agentclientprotocol.com/rfds/subagents#announcing-and-updating-a-subagent (RFD "Subagent Sessions",
section "Announcing and updating a subagent"); https://agentclientprotocol.com/protocol/v1/session-setup#session-id
(protocol v1, "Session Setup", section "Session ID").

Fix: the agent sends the update with the id of the session that the client knows, or announces the child first.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/list","params":{}}
    ← {"id":1,"result":{"sessions":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.replay.window import Occurrences
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL307",
    "update-for-unknown-session",
    party="agent",
    severities=(WARNING,),
    message="{count:update} ({kinds}){elapsed} for a session that no request, result or announcement on the connection "
    "names; use an id that the client knows, or announce the child first",
    needs_beginning=True,
)


@RULE.at_unnamed
def unnamed(connection: Connection, session_id: str, seen: Occurrences, request: Request | None) -> Violation | None:
    """Nothing names the session."""
    if request is not None or connection.lost_line:
        return None
    return RULE.counted_outside(WARNING, connection, session_id, seen)
