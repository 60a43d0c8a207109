"""A response has the id as another JSON type.

The request had the id "7" and the response has 7, or the other way round. They are two ids: a receiver that compares
them as they are never finds the request, and a resume that has succeeded looks like one that hangs.

It is an error of the side that answers. Here the response counts for the request all the same.

Promise: a response has the id of the request that it answers: MUST; a number stays a number, a string a string.

Source: https://www.jsonrpc.org/specification#response_object (JSON-RPC 2.0, section "Response object").

Fix: the side that answers keeps the id as it was parsed, not as a text or a number.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":"7","method":"session/list","params":{}}
    ← {"id":7,"result":{"sessions":[]}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.facts import Wire
from replaylint.rules.registry import ERROR, Rule
from replaylint.rules.words import identifier

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.facts import Frame
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL104",
    "id-type-mismatch",
    party=None,
    severities=(ERROR,),
    message="the response to {method} has the id {ident} and the request {expected}; an id comes back as the JSON type "
    "that it had, or the {asker} cannot match it",
)


@RULE.reads(Wire.OTHER_TYPE)
def read(connection: Connection | None, frame: Frame) -> Violation | None:
    """At the response."""
    request, body = frame.request, frame.body if isinstance(frame.body, dict) else {}
    if request is None:
        return None
    return RULE.read_in(
        ERROR,
        connection,
        frame,
        method=request.method,
        ident=identifier(body.get("id")),
        expected=identifier(request.id),
        asker=request.side or "other side",
    )
