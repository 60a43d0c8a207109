"""A response that answers no request.

No request of the other side ever had this id. The receiver cannot match it, and the request that it was meant for
waits for ever. An error with id null is no such response: it answers a message whose id could not be read.

It is an error. It is silent where the recording misses the connection's beginning or messages in between, and after
so many requests that their ids are no longer remembered.

Promise: a response has the id of the request that it answers: MUST.

Source: https://www.jsonrpc.org/specification#response_object (JSON-RPC 2.0, section "Response object").

Fix: the side that sent it copies the id of the request as it is, whatever its type.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    ← {"id":99,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.exchange import id_key, reported
from replaylint.recording.message import other
from replaylint.replay.events import ResponseReceived
from replaylint.rules.registry import ERROR, Rule
from replaylint.rules.words import identifier

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL101",
    "unmatched-response",
    party=None,
    severities=(ERROR,),
    headline="{count:response} from the {sender} with the id {ident}, which no request of the {asker} had",
    help="a response has the id of the request that it answers",
    needs_beginning=True,
)


@RULE.on(ResponseReceived, None)
def unmatched(event: ResponseReceived) -> Violation | None:
    """The request may only be missing from the recording where messages were lost."""
    body, connection = event.body, event.connection
    nameless = "id" not in body or (body["id"] is None and "error" in body)
    if event.earlier is not None or nameless or connection.lost_line or connection.exchange.forgot:
        return None
    ident, sender = body["id"], event.side or "agent"
    return RULE.at(
        event,
        ERROR,
        about=id_key(ident),
        request_id=reported(ident),
        ident=identifier(ident),
        sender=sender,
        asker=other(sender),
    )
