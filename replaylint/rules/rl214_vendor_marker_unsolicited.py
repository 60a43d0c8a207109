"""The vendor's end-of-replay event, though the client did not ask for it.

`loadReplayEnd` is an extension of claude-agent-acp: a `session_info_update` whose `_meta` says that the replay of a
load has ended. It is for clients that declare the capability of that name in `initialize`. This client did not, and
got the event. To it the event is an update about nothing, and whatever it makes of that is luck.

It is an error.

Promise: the event is not sent to a client without the capability. That is the extension's own rule; the protocol has
none.

Source: https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361,
sections "What" and "When the event is sent").

Fix: the agent looks for `loadReplayEnd` in `_meta.jetbrains.air.capabilities` of the client's capabilities before it
sends the event.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":1}}
    ← {"id":0,"result":{"protocolVersion":1}}
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","_meta":{"jetbrains":{"air":{"loadReplayEnd":true}}}}}}
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
    "RL214",
    "vendor-marker-unsolicited",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent {count:loadReplayEnd event} to a client that did not declare this capability",
    help="the event is only for clients that do: look for it in the client's capabilities before sending the event",
    needs_beginning=True,
)


@RULE.on(MarkerReceived, Trigger.VENDOR_MARKER)
def received(event: MarkerReceived) -> Violation | None:
    """The client's `initialize` is in the recording and does not declare it."""
    return None if event.connection.opted_in else RULE.at(event, ERROR, window=event.window)
