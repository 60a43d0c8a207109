"""A request has the id of one that is still pending.

The other side can tell the two apart by their order at best, and a response to either could be to both. Here the
response counts for the older one.

It is an error of the side that sends the request. Both sides count for themselves: the same id from the client and
from the agent is right.

Promise: the id says which request a response belongs to, so a sender uses one for one request at a time.

Source: https://www.jsonrpc.org/specification#request_object (JSON-RPC 2.0, section "Request object").

Fix: the side that sent it counts its ids up, in one place for all its requests.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}
    → {"id":1,"method":"session/list","params":{}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
    ← {"id":1,"result":{"sessions":[]}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import RequestSent
from replaylint.rules.registry import ERROR, Rule
from replaylint.rules.words import identifier

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL103",
    "id-reused",
    party=None,
    severities=(ERROR,),
    headline="{method} has the id {ident} of {pending} at line {pending_line}, which is unanswered",
    help="a response could be to either: give each request an id of its own",
    needs_order=True,
)


@RULE.on(RequestSent)
def sent(event: RequestSent) -> Violation | None:
    """At the request that came later, unless the response to the earlier one may be lost."""
    request, pending = event.request, event.reuses
    if pending is None or event.connection.lost_line > pending.line:
        return None
    return RULE.at(
        event,
        ERROR,
        request=request,
        concerns=pending,
        method=request.method,
        ident=identifier(request.id),
        pending=pending.method,
        pending_line=pending.line,
    )
