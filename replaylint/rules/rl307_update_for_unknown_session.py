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

from typing import TYPE_CHECKING, Final

from replaylint.protocol.methods import FORK, LIST, NEW, RESUMES
from replaylint.replay.events import ConnectionEnded
from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL307",
    "update-for-unknown-session",
    party="agent",
    severities=(WARNING,),
    headline="{count:update} ({kinds}){elapsed} for a session that no request, result or announcement on the "
    "connection names",
    help="use an id that the client knows, or announce the child first",
    needs_beginning=True,
)


NAMES: Final = frozenset({NEW, FORK, LIST, *RESUMES})
"""Requests whose results, or whose replays, name sessions."""


@RULE.on(ConnectionEnded)
def ended(event: ConnectionEnded) -> Iterator[Violation]:
    """Nothing names the session, nor may a request that was pending when the recording stopped."""
    connection = event.connection
    may_be_named = event.end == "open" and any(each.method in NAMES for each in connection.exchange.pending())
    if may_be_named or connection.lost_line:
        return
    for session_id, seen in event.unnamed.items():
        yield RULE.counted_outside(WARNING, connection, session_id, seen)
