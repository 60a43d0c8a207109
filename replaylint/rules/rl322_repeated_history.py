"""A part of the history came twice in one replay.

On v2 a whole message came again with the id and the content that it had; on v1 a tool call was started again by a
second `tool_call` with its id. A client that appends shows it twice. Often two places of the agent replay the same,
such as its own store and that of the model's command line.

It is a warning. An empty message that chunks fill afterwards is no repetition, nor is a message with other content:
that replaces. It is silent where two replays of the session overlap, and where the recording stops before the response.

Promise: no rule; a replay brings the history once, and an update with an id that was used says what has changed.

Source: https://agentclientprotocol.com/protocol/v2/session-setup#replay-contents (protocol v2, "Session Setup",
section "Replay Contents"); https://agentclientprotocol.com/protocol/v1/tool-calls#updating (protocol v1, "Tool
Calls", section "Updating").

Fix: the agent replays from one store, and sends what has changed of a tool call on v1 as `tool_call_update`.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":1}}
    ← {"id":0,"result":{"protocolVersion":1}}
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.replay.events import UpdateReceived
from replaylint.replay.states import Trigger
from replaylint.rules.registry import WARNING, Counted, Rule
from replaylint.rules.words import with_article

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Occurrences, Resume, Window
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL322",
    "repeated-history",
    party="agent",
    severities=(WARNING,),
    headline="{count:update} in this replay repeated what had come, the first {first} {same}",
    help="a client that appends shows it twice: replay each entry once",
)


TOOL: Final = "for a tool call that had begun"
MESSAGE: Final = "with the id and the content of an earlier one"


@RULE.on(UpdateReceived, Trigger.HISTORY)
def received(event: UpdateReceived) -> Iterator[Counted]:
    """What came before the session's window opened belongs to no replay."""
    if event.repeats and event.window is not None:
        yield Counted(event.window, WARNING)


@RULE.settles("success", "error", "cancelled", "closed")
def settle(resume: Resume, window: Window | None, seen: Occurrences) -> Violation | None:
    """Not where another replay's history may be the repetition: while the request is pending, one may still begin."""
    if window is None or resume.ambiguous:
        return None
    return RULE.counted(window, seen, first=with_article(seen.what), same=TOOL if seen.what == "tool_call" else MESSAGE)
