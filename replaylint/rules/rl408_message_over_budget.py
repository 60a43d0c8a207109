"""A message is longer than the user allows.

Who runs the tool with `--max-message 64KiB`, say, knows of a reader that takes no longer messages: one common SDK reads
lines of up to 64 KiB, and clients stop at 10 or 16 MiB. Such a reader closes the connection at the first message that
is longer, or waits for ever; in a replay that is often the result of a tool call. A message is measured as it stands
in the recording, with what the recorder writes beside it. There is one finding for each side of a connection.

It is an error, because it was asked for. Without `--max-message` the rule is silent.

Promise: no rule; the user's own budget.

Source: https://agentclientprotocol.com/protocol/v1/transports#stdio (protocol v1, "Transports", section "stdio": a
message is a line, of any length).

Fix: the side that sent it splits the content into chunks, or leaves out what is too long; or the reader takes longer
messages.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t",
      "title":"Read","status":"completed","rawOutput":"0123456789012345678901234567890123456789012345678901234567890"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import Noted, Oversized
from replaylint.rules.registry import ERROR, Rule
from replaylint.rules.words import Count

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL408",
    "message-over-budget",
    party=None,
    severities=(ERROR,),
    headline="{count:message} from the {sender} over the limit of {limit:byte}, the first of {size:byte}",
    help="split it, or give its reader more room",
)


@RULE.on(Noted, Oversized)
def oversized(event: Noted) -> Violation | None:
    """One finding a side."""
    note, sender = event.note, event.side or "agent"
    if not isinstance(note, Oversized):
        return None
    return RULE.at(event, ERROR, about=sender, sender=sender, size=Count(note.size), limit=Count(note.limit))
