"""JSON that is no JSON-RPC message, or a message that does not say so.

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

from typing import TYPE_CHECKING

from replaylint.replay.facts import Wire
from replaylint.rules.registry import WARNING, Rule
from replaylint.rules.words import method_of

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.facts import Frame
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL003",
    "not-jsonrpc",
    party=None,
    severities=(WARNING,),
    message="{count:message} {origin} {fault}",
)

NO_MESSAGE = 'of JSON that is no JSON-RPC: neither "method" nor "id", "result" or "error"; receivers drop it'
NO_VERSION = 'without "jsonrpc": "2.0", which earlier ones have; JSON-RPC requires it of every message'


@RULE.reads(Wire.NO_MESSAGE, Wire.NO_VERSION)
def read(connection: Connection | None, frame: Frame) -> Violation:
    """One finding a side."""
    fault = NO_MESSAGE if frame.body is None else NO_VERSION
    if frame.side is None and frame.body is None:
        origin = "in the recording itself"
        return RULE.read_in(WARNING, connection, frame, party="recording", origin=origin, fault=fault)
    origin = f"from the {frame.side or 'agent'}"
    what = method_of(frame.body)
    return RULE.read_in(WARNING, connection, frame, about=frame.side, what=what, origin=origin, fault=fault)
