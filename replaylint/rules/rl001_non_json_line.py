"""A line is not JSON.

The wire carries JSON-RPC messages, one a line. What else a program writes to its standard output, such as a banner, a
log line or a progress bar, ends up between them. Some clients skip it, others close the connection. A message that
stands in such a line with something around it is lost: it is named here, but it answers nothing.

It is an error of the side that wrote the line. It is a warning about the recording where that does not say who wrote
the line; where the line is the recorder's own, such as one that several writers have mixed up; where the line is JSON,
but nested too deep or too large to be read here; and where it is longer than `--max-line`: it was not read, and counts
as a lost message. What people paste around a recording, such as the fences of Markdown or a shell's prompt, is passed
over.

Promise: a side writes nothing to the wire that is no message: MUST NOT; logs go to standard error.

Source: https://agentclientprotocol.com/protocol/v1/transports#stdio (protocol v1, "Transports", section "stdio").

Fix: the side that wrote it sends its logs to standard error, also those of libraries and of child processes, and
writes each message and its newline at once.

Example:
    {"dir":"c2a","msg":{"id":0,"method":"initialize","params":{"protocolVersion":2}}}
    {"dir":"a2c","text":"loading plugins"}
    {"dir":"a2c","msg":{"id":0,"result":{"protocolVersion":2}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.fragments import embedded
from replaylint.recording.message import Skipped, Unreadable
from replaylint.replay.events import Noted
from replaylint.rules.registry import ERROR, WARNING, Rule
from replaylint.rules.words import described

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL001",
    "non-json-line",
    party=None,
    severities=(ERROR, WARNING),
    headline="{count:line} {fault}{holds}",
    help="{remedy}",
)


ON_THE_WIRE: Final = "the wire carries JSON-RPC messages only, one a line: logs go to standard error"
ANYONES: Final = "the recording does not say from whom: an agent's logs go to standard error"
NOT_HERE: Final = "what stood there is not analysed: nobody is to blame for it"
RECORDERS_OWN: Final = "what stood there is not analysed: let one writer at a time append to a recording"
TOO_LONG: Final = "what stood there is not analysed: raise --max-line"


@RULE.on(Noted, Unreadable)
def unreadable(event: Noted) -> Violation | None:
    """One finding a side; the first line says what it holds. What is cut off is RL002's."""
    if event.cut or not isinstance(event.note, Unreadable):
        return None
    lost = embedded(event.note.text)
    holds = f", which holds {described(lost)} that is lost with it" if lost is not None else ""
    side = event.side
    if side is not None:
        fault = f"without JSON from the {side}"
        return RULE.at(event, ERROR, about=side, fault=fault, holds=holds, remedy=ON_THE_WIRE)
    fault, remedy = (
        ("without JSON", ANYONES) if event.note.wire else ("without JSON in the recording itself", RECORDERS_OWN)
    )
    return RULE.at(event, WARNING, party="recording", fault=fault, holds=holds, remedy=remedy)


@RULE.on(Noted, Skipped)
def skipped(event: Noted) -> Violation:
    """One finding a connection and reason."""
    long = isinstance(event.note, Skipped) and event.note.too_long
    fault, remedy = ("longer than --max-line", TOO_LONG) if long else ("of JSON that cannot be read here", NOT_HERE)
    return RULE.at(event, WARNING, party="recording", about=remedy, fault=fault, holds="", remedy=remedy)
