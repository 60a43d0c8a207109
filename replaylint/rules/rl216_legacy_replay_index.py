"""Replayed updates carry the index of the vendor's first design.

The first version of the vendor's extension numbered each replayed update with `loadSessionReplayIndex` and marked the
last one with `loadSessionEndOfRecordedHistory`, both in `_meta.jetbrains.air`. It was replaced by one event after the
last update. A client that waits for the event waits in vain, and one that reads the index depends on a design that is
gone.

It is info: such an agent is old, not wrong. It counts the updates that bear one of the keys; of the chunks of a message
on v2 it looks at the first.

Promise: no rule; evidence only. The extension's text says that the new design has no indexes.

Source: https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361,
section "Design change").

Fix: the agent, or its user, moves to a version of the adapter that sends the event; the client looks for the event
and not for the index.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","_meta":{"jetbrains":{"air":{"loadSessionReplayIndex":0}}}}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol import vendor
from replaylint.replay.events import UpdateReceived
from replaylint.rules.registry import INFO, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL216",
    "legacy-replay-index",
    party="agent",
    severities=(INFO,),
    headline="the agent marks replayed updates with {fields}",
    help="the vendor replaced that design by one loadReplayEnd event after the last update: update the adapter, and "
    "have clients wait for the event",
)


@RULE.on(UpdateReceived)
def received(event: UpdateReceived) -> Violation | None:
    """The keys stand on replayed updates, of whatever kind."""
    fields = vendor.legacy_keys(event.params) if event.window is not None else []
    return RULE.at(event, INFO, window=event.window, fields=" and ".join(fields)) if fields else None
