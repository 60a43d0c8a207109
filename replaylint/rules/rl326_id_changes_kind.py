"""One id for a user message and an agent message.

In one replay the agent gave a message of the user and one of its own the same `messageId`. Clients keep one list of
messages by id, so they merge the two or drop the second.

It is a warning. A thought and a message of the agent may share an id.

Promise: ids are unique for each kind of entity. Whether messages of the two sides are one kind is not written: the
warning rests on what clients do.

Source: https://agentclientprotocol.com/protocol/v2/session-setup (protocol v2, "Session Setup", section "Replay
Contents"), https://agentclientprotocol.com/protocol/v2/prompt-lifecycle (protocol v2, "Prompt Lifecycle").

Fix: the agent gives each message an id of its own.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent"}}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/w","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message",
       "messageId":"m","content":[{"type":"text","text":"count"}]}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message",
       "messageId":"m","content":[{"type":"text","text":"nine"}]}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import UpdateReceived
from replaylint.replay.fold import AUTHORS
from replaylint.replay.states import Trigger
from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL326",
    "id-changes-kind",
    party="agent",
    severities=(WARNING,),
    headline="{count:update} with the messageId of a message of the other side, the first a {what}",
    help="clients keep one list of messages and drop or merge the second: give each message an id of its own",
)


@RULE.on(UpdateReceived, Trigger.HISTORY)
def received(event: UpdateReceived) -> Violation | None:
    """The window knows the id as that of the other side's message."""
    window, ident = event.window, event.update.get("messageId")
    author = AUTHORS.get(event.variant)
    if window is None or author is None or event.connection.version != 2 or not isinstance(ident, str):
        return None
    return RULE.at(event, WARNING, window=window) if window.ids.get(ident, author) is not author else None
