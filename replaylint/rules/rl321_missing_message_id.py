"""A message on v2 without a message id.

On v2 a message or thought has an id, and an update with the same id goes on with it or replaces it. Without one a
client cannot put the chunks of a message together, and cannot tell a message that is replayed from one that it has.

It is an error, in a replay and live. An id that is no string is none.

Promise: `messageId` is a required string of messages, thoughts and their chunks.

Source: https://agentclientprotocol.com/protocol/v2/prompt-lifecycle#session-updates (protocol v2, "Prompt Lifecycle",
section "Session updates"); the v2 schema.

Fix: the agent gives each message an id when it begins, keeps it with the history, and sends it with every chunk.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","content":[]}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import MESSAGES
from replaylint.replay.events import UpdateReceived
from replaylint.replay.states import Trigger
from replaylint.rules.registry import ERROR, Rule
from replaylint.rules.words import with_article

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL321",
    "missing-message-id",
    party="agent",
    severities=(ERROR,),
    headline="{count:update} without a messageId, the first {first}",
    help="v2 requires a string, and without it a client can neither join the chunks of a message nor know it again",
)


@RULE.on(UpdateReceived, Trigger.HISTORY)
def received(event: UpdateReceived) -> Violation | None:
    """At the update."""
    if event.connection.version != 2 or event.variant not in MESSAGES or isinstance(event.update.get("messageId"), str):
        return None
    return RULE.at(event, ERROR, window=event.window, first=with_article(event.variant))
