"""An update of a tool call that nothing started.

On v1 a `tool_call` starts a tool call, or a permission request does; a `tool_call_update` only changes it. Clients
drop an update for an id that they do not know, so the tool call is missing from the history, or they show one without
a title.

It is a warning, in a replay and live. It is silent for a session whose beginning this connection does not show: one
that was resumed without its history, or forked; and where the recording misses messages.

Promise: a `tool_call_update` patches a tool call that was reported before.

Source: https://agentclientprotocol.com/protocol/v1/tool-calls#updating (protocol v1, "Tool Calls", section
"Updating").

Fix: the agent replays each tool call as a `tool_call` first; a finished one can be a single `tool_call`.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":1}}
    ← {"id":0,"result":{"protocolVersion":1}}
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import TOOL_CALLS
from replaylint.replay.events import UpdateReceived
from replaylint.replay.states import Trigger
from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL323",
    "orphan-tool-update",
    party="agent",
    severities=(WARNING,),
    headline="{count:tool_call_update} for tool calls that neither a tool_call nor a permission request started",
    help="clients drop them: send the tool_call first",
    needs_beginning=True,
)


@RULE.on(UpdateReceived, Trigger.HISTORY)
def received(event: UpdateReceived) -> Violation | None:
    """At the update, unless what started the tool call may be lost, forgotten, or not shown."""
    connection, session = event.connection, event.session
    if event.variant not in TOOL_CALLS or connection.version != 1 or connection.lost_line:
        return None
    ident, calls = event.update.get("toolCallId"), session.tool_calls
    if not isinstance(ident, str) or ident in calls.ids or calls.forgot or not session.seen_from_start:
        return None
    return RULE.at(event, WARNING, window=event.window)
