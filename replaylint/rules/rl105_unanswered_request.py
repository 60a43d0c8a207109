"""A request was never answered.

Every request gets one response, a result or an error, also one that was cancelled. Here the connection ended, or the
recording stopped, without it. Whoever waits for that response may wait for ever, and never learns whether the work
was done.

It is a warning. It is only info where the recording stops, the connection is not known to have ended, and the request
waits for a person or a model (`session/prompt`, `session/request_permission`, `elicitation/create`): that can take
long. It is silent where the recorder dropped messages after the request, the answer perhaps among them.

Promise: whoever receives a request MUST answer it; only notifications get no answer.

Source: https://www.jsonrpc.org/specification#response_object (JSON-RPC 2.0, section 5 "Response object"),
https://agentclientprotocol.com/protocol/v2/overview#communication-model (protocol v2, "Overview", section
"Communication Model").

Fix: the side that owes the response, which the finding names, sends one on every path: also after a failure, after a
cancellation and when it shuts down.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s"}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk"}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.methods import WAIT_FOR_SOMEONE
from replaylint.recording.message import CLIENT
from replaylint.replay.events import ConnectionEnded
from replaylint.rules.registry import ERROR, INFO, WARNING, Rule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.rules.registry import Party

RULE = Rule(
    "RL105",
    "unanswered-request",
    party=None,
    severities=(WARNING, INFO),
    message="{method} got no response before {end}; {owes}",
    suppressed_by={"RL209": WARNING, "RL213": ERROR},
)


OWED: Final = "every request is answered: the {} owes a result or an error, also when it fails or shuts down"
BUSY: Final = "a person or a model may still be at it: the {} owes a result or an error once that is done"
ENDS: Final = {"closed": "the connection ended", "open": "the recording stops"}


@RULE.on(ConnectionEnded)
def ended(event: ConnectionEnded) -> Iterator[Violation]:
    """The end of the connection came first, and no message was lost in which the answer could have been."""
    connection = event.connection
    for request in sorted(connection.exchange.pending(), key=lambda request: request.line):
        if connection.lost_line > request.line:
            continue
        someone = event.end == "open" and request.method in WAIT_FOR_SOMEONE
        party: Party = "client" if request.side is not None and request.side != CLIENT else "agent"
        yield Violation(
            RULE,
            INFO if someone else WARNING,
            request.line,
            connection=connection,
            request=request,
            session_id=request.session_id,
            what=request.method,
            party=party,
            method=request.method,
            end=ENDS.get(event.end, event.end),
            owes=(BUSY if someone else OWED).format(party),
        )
