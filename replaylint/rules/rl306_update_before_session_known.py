"""An update for a session whose id the client does not know yet.

The client asked for a new session, or for a copy of one, and the agent sent updates with the new id before the
response that tells the id. The client cannot say which session they are for. Many clients drop them, and with them
the first list of commands or the first title; some end the connection.

It is a warning. An end-of-replay marker is RL204's matter. It is silent where the recording misses the connection's
beginning or messages in between.

Promise: the client learns a session's id from the response to `session/new` or `session/fork`; nothing says what an
update means before that. No rule, but evidence of a lost update.

Source: https://agentclientprotocol.com/protocol/v1/session-setup#creating-a-session (protocol v1, "Session Setup",
section "Creating a Session").

Fix: the agent sends the response first, and then the updates that describe the new session.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":1}}
    ← {"id":0,"result":{"protocolVersion":1}}
    → {"id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"available_commands_update"}}}
    ← {"id":1,"result":{"sessionId":"s"}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import FORK, NEW
from replaylint.replay.events import ResponseReceived
from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL306",
    "update-before-session-known",
    party="agent",
    severities=(WARNING,),
    headline="{count:update} ({kinds}){elapsed} for a session whose id the client learned only afterwards, from the "
    "response to the {method} of line {request_line}",
    help="send that response first",
    needs_beginning=True,
)


@RULE.on(ResponseReceived, NEW, FORK)
def named(event: ResponseReceived) -> Violation | None:
    """The result of a request names the session. On v2 updates may come before it."""
    request, seen = event.request, event.unnamed
    if request is None or seen is None or event.connection.lost_line or event.connection.version == 2:
        return None
    session_id = event.body["result"]["sessionId"]
    return RULE.counted_outside(
        WARNING, event.connection, session_id, seen, method=request.method, request_line=request.line
    )
