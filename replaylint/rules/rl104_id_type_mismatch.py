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

from replaylint.replay.events import ResponseReceived
from replaylint.rules.registry import ERROR, Rule
from replaylint.rules.words import identifier

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL104",
    "id-type-mismatch",
    party=None,
    severities=(ERROR,),
    headline="the response to {method} has the id {ident} and the request {expected}",
    help="an id has to come back as it was sent, or the {asker} cannot match it",
)


@RULE.on(ResponseReceived)
def received(event: ResponseReceived) -> Violation | None:
    """At the response. An error with id null is the answer to what could not be read."""
    request, ident = event.request, event.body.get("id")
    if request is None or ident is None or ident == request.id or request.answers_to(ident):
        return None
    return RULE.at(
        event,
        ERROR,
        request=request,
        method=request.method,
        ident=identifier(ident),
        expected=identifier(request.id),
        asker=request.side or "other side",
    )
