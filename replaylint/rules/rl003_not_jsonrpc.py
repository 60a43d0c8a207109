"""JSON that is not a JSON-RPC message, or lacks `jsonrpc`.

What has none of `method`, `id`, `result` and `error` can be neither request nor response nor notification; receivers
drop it. And where a side marks its messages with `"jsonrpc": "2.0"`, one without it comes from another place in the
program; strict receivers reject it. It is analysed all the same.

It is a warning. A recorder that leaves `jsonrpc` out of every message is no reason for one.

Promise: every message has the member `jsonrpc` with the value "2.0": MUST.

Source: https://www.jsonrpc.org/specification#request_object (JSON-RPC 2.0, sections "Request object" and "Response
object").

Fix: the side that sent it lets one function write all messages.

Example:
    → {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2}}
    ← {"method":"_auth/status_update","params":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.message import AGENT, NoMessage
from replaylint.replay.events import Noted, Unversioned
from replaylint.rules.registry import WARNING, Rule
from replaylint.rules.words import method_of

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL003",
    "not-jsonrpc",
    party=None,
    severities=(WARNING,),
    headline="{count:message} {origin} {fault}",
    help="{promise}",
)


NO_MESSAGE: Final = 'of JSON that is no JSON-RPC: neither "method" nor "id", "result" or "error"'
DROPPED: Final = "receivers drop it"
NO_VERSION: Final = 'without "jsonrpc": "2.0", which earlier ones have'
REQUIRED: Final = "JSON-RPC requires it of every message"


@RULE.on(Noted, NoMessage)
def no_message(event: Noted) -> Violation:
    """One finding a side."""
    side = event.side or (AGENT if isinstance(event.note, NoMessage) and event.note.wire else None)
    if side is None:
        origin = "in the recording itself"
        return RULE.at(event, WARNING, party="recording", origin=origin, fault=NO_MESSAGE, promise=DROPPED)
    return RULE.at(event, WARNING, about=side, origin=f"from the {side}", fault=NO_MESSAGE, promise=DROPPED)


@RULE.on(Noted, Unversioned)
def no_version(event: Noted) -> Violation:
    """One finding a side."""
    origin = f"from the {event.side or 'agent'}"
    violation = RULE.at(event, WARNING, about=event.side, origin=origin, fault=NO_VERSION, promise=REQUIRED)
    violation.what = method_of(event.note.body) if isinstance(event.note, Unversioned) else ""
    return violation
