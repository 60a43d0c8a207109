"""A response that JSON-RPC does not allow.

It has both `result` and `error` or neither, no `id`, or an error without an integer `code` and a string `message`.
Receivers differ in what they make of it: some take it for a success, some for an error, some drop it, so that the
request is never answered for them.

It is an error of the side that answers. `"error": null` beside a result is one of these, but the request has
succeeded.

Promise: a response has an `id` and either a `result` or an `error`, and an error has an integer `code` and a string
`message`: MUST.

Source: https://www.jsonrpc.org/specification#response_object (JSON-RPC 2.0, sections "Response object" and "Error
object").

Fix: the side that answers leaves out the member that does not apply; a result without content is `{}` or null.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/list","params":{}}
    ← {"id":1,"result":{"sessions":[]},"error":null}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.exchange import id_key
from replaylint.replay.events import ResponseReceived
from replaylint.rules.registry import ERROR, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL106",
    "malformed-response",
    party=None,
    severities=(ERROR,),
    headline="{response} has {faults}",
    help="a response has an id and either a result or an error, an error an integer code and a string message",
)


PLAIN: Final = frozenset({"jsonrpc", "id", "result"})
"""The members of a response without a fault, if it has no others."""


@RULE.on(ResponseReceived)
def received(event: ResponseReceived) -> Violation | None:
    """Also of a response that answers nothing."""
    body, request = event.body, event.request or event.earlier
    if body.keys() == PLAIN:
        return None
    faults = " and ".join(_faults(body))
    if not faults:
        return None
    return RULE.at(
        event,
        ERROR,
        request=request,
        concerns=request,
        about=id_key(body.get("id")) if request is None else None,
        response=f"the response to {request.method}" if request is not None else "a response",
        faults=faults,
    )


def _faults(body: Mapping[str, object]) -> Iterator[str]:
    if "id" not in body:
        yield "no id"
    if "result" in body and "error" in body:
        yield "both a result and an error"
    elif "result" not in body and "error" not in body:
        yield "neither a result nor an error"
    error = body.get("error")
    if error is None and ("error" not in body or "result" in body):
        return
    facts = error if isinstance(error, dict) else {}
    code = facts.get("code")
    if not isinstance(code, int) or isinstance(code, bool):
        yield "an error without an integer code"
    if not isinstance(facts.get("message"), str):
        yield "an error without a message"
