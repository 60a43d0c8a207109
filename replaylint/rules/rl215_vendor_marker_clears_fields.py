"""The vendor's end-of-replay event has a `title` or an `updatedAt`.

The event `loadReplayEnd` travels as a `session_info_update`, the update that tells a client the title and the last
change of a session. A key that is there is applied, and `null` clears what the client has. An end-of-replay event
means to say nothing about either.

It is an error, whatever the value.

Promise: the event has neither key. That is the extension's own rule; what `null` does is the protocol's.

Source: https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361,
section "When the event is sent").

Fix: the agent leaves both keys out of the event, instead of sending them empty.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":null,"_meta":{"jetbrains":{"air":{"loadReplayEnd":true}}}}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import MarkerReceived
from replaylint.replay.states import Trigger
from replaylint.rules.registry import ERROR, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL215",
    "vendor-marker-clears-fields",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent a loadReplayEnd event with {fields}, so that the client changes or clears what it knows "
    "of the session",
    help="the event has neither title nor updatedAt: leave the keys out",
)


@RULE.on(MarkerReceived, Trigger.VENDOR_MARKER)
def received(event: MarkerReceived) -> Violation | None:
    """Whatever the value."""
    fields = [key for key in ("title", "updatedAt") if key in event.update]
    return RULE.at(event, ERROR, window=event.window, fields=" and ".join(fields)) if fields else None
