"""The recording, or what a side wrote, stops in the middle of a message.

The last line, or the last text of a side, is a beginning of JSON without its end and without a newline: the process
was killed, or the recording was copied while it was still being written. The message in it is lost, and a request
that it answered counts as unanswered.

Promise: no rule of the protocol; a complete message ends with a newline.

Source: https://agentclientprotocol.com/protocol/v1/transports#stdio (protocol v1, "Transports", section "stdio").

Fix: record until both sides have ended; where the agent was killed on purpose, nothing.

Example:
    {"dir":"c2a","msg":{"id":0,"method":"initialize","params":{"protocolVersion":2}}}
    {"dir":"a2c","msg":{"id":0,"result":{"protocolVersion":2}}}
    {"dir":"a2c","text":"{\\"method\\":\\"session/up"}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.recording.message import Unreadable
from replaylint.replay.events import Noted
from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL002",
    "cut-line",
    party="recording",
    severities=(WARNING,),
    headline="{last} stops in the middle of a JSON text",
    help="the message in it is lost, and what it answered counts as unanswered: record until both sides have ended",
)


@RULE.on(Noted, Unreadable)
def cut(event: Noted) -> Violation | None:
    """Of a recorder's own line the side is not known."""
    if not event.cut:
        return None
    last = "the last line of the recording" if event.side is None else f"the last text of the {event.side}"
    return RULE.at(event, WARNING, about=event.side, last=last)
