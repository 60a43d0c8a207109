"""A second response to one request.

The request had its response already. The receiver has forgotten the id, or takes the second response for that of a
later request with the same id.

It is an error of the side that answers.

Promise: a request gets exactly one response.

Source: https://www.jsonrpc.org/specification#response_object (JSON-RPC 2.0, section "Response object").

Fix: the side that sent it answers at one place; a handler that has failed after its answer logs the failure instead.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/list","params":{}}
    ← {"id":1,"result":{"sessions":[]}}
    ← {"id":1,"result":{"sessions":[]}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.recording.message import other
from replaylint.replay.events import ResponseReceived
from replaylint.rules.registry import ERROR, Rule
from replaylint.rules.words import identifier

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL102",
    "duplicate-response",
    party=None,
    severities=(ERROR,),
    headline="{count:further response} to {method} with the id {ident}, which was answered at line {response_line}",
    help="a request has exactly one response",
    needs_order=True,
)


@RULE.on(ResponseReceived, None)
def repeated(event: ResponseReceived) -> Violation | None:
    """The answered request is the last one that had this id. Null answers a message that could not be read."""
    request = event.earlier
    if request is None or not request.answer_line or event.body.get("id") is None:
        return None
    return RULE.at(
        event,
        ERROR,
        request=request,
        concerns=request,
        party=event.side or (other(request.side) if request.side is not None else "agent"),
        method=request.method,
        ident=identifier(request.id),
        response_line=request.answer_line,
    )
