"""A request with an invalid id.

It is null, a fraction, a boolean, a list or an object. Receivers drop the request, take it for a notification, or
answer it with an error whose id is null, which cannot be matched with it.

It is an error of the side that sends the request. 1.0 is the integer 1.

Promise: an id is a string or an integer, and not null.

Source: https://www.jsonrpc.org/specification#request_object (JSON-RPC 2.0, section "Request object");
https://agentclientprotocol.com/protocol/v2/overview (protocol v2, "Overview").

Fix: the side that sends the request numbers its requests; for a notification it leaves the id out.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":null,"method":"session/list","params":{}}
    ← {"id":null,"error":{"code":-32600,"message":"Invalid request"}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.replay.events import RequestSent
from replaylint.rules.registry import ERROR, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL108",
    "invalid-id",
    party=None,
    severities=(ERROR,),
    headline="{method} has {kind} for an id",
    help="an id is a string or an integer, and only that can be matched with a response",
)


KINDS: Final = {bool: "a boolean", float: "a fraction", list: "a list", dict: "an object"}


@RULE.on(RequestSent)
def sent(event: RequestSent) -> Violation | None:
    """At the request."""
    request = event.request
    if not request.invalid:
        return None
    kind = KINDS.get(type(event.body.get("id")), "null")
    return RULE.at(event, ERROR, request=request, method=request.method, kind=kind)
