"""A request was never answered.

Every request gets one response, a result or an error, also one that was cancelled. Here the connection ended, or the
recording stops, without it. Whoever waits for that response may wait for ever, and never learns whether the work was
done.

It is a warning. It is only info where the recording stops, the connection is not known to have ended, and the request
waits for a person or a model (`session/prompt`, `session/request_permission`, `elicitation/create`, `authenticate`,
`auth/login`): that can take long. It is only info, too, where the client hung up first: nobody was left to hear the
answer. Where the recording stops and nothing was answered after the request, the recording is what to fix: the answer
may have come later. The rule is silent where the recorder dropped messages after the request, the answer perhaps among
them.

Promise: whoever receives a request MUST answer it; only notifications get no answer.

Source: https://www.jsonrpc.org/specification#response_object (JSON-RPC 2.0, section 5 "Response object"),
https://agentclientprotocol.com/protocol/v2/overview#communication-model (protocol v2, "Overview", section
"Communication Model").

Fix: the side that owes the response, which the finding names, sends one on every path: also after a failure, after a
cancellation and when it shuts down; whoever records goes on until the last request is answered.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk"}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.methods import WAIT_FOR_SOMEONE
from replaylint.recording.message import CLIENT
from replaylint.replay.events import ConnectionEnded
from replaylint.replay.window import Point
from replaylint.rules.registry import ERROR, INFO, WARNING, Rule, Violation
from replaylint.rules.words import Clause, apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.protocol.exchange import Request
    from replaylint.rules.registry import Party

RULE = Rule(
    "RL105",
    "unanswered-request",
    party=None,
    severities=(WARNING, INFO),
    headline="{method} had no response{waited} {end}",
    help="{advice}",
    suppressed_by={"RL209": WARNING, "RL213": ERROR},
)


OWED: Final = "the {} owes every request a result or an error, also when it fails or shuts down"
BUSY: Final = "a person or a model may still be at it; after that the {} owes a result or an error"
STOPPED: Final = "the answer may have come later: record until the last request is answered"
HUNG_UP: Final = Clause("the client had hung up at line {hang_up_line}, and nobody was left to hear the answer")
ENDS: Final = {"closed": "when the connection ended", "open": "where the recording stops"}


@RULE.on(ConnectionEnded)
def ended(event: ConnectionEnded) -> Iterator[Violation]:
    """The end of the connection came first, and no message was lost in which the answer could have been."""
    connection = event.connection
    for request in sorted(connection.exchange.pending(), key=lambda request: request.line):
        if connection.lost_line > request.line:
            continue
        someone = event.end == "open" and request.method in WAIT_FOR_SOMEONE
        stopped = event.end == "open" and connection.exchange.answered_line < request.line
        owes: Party = "client" if request.side is not None and request.side != CLIENT else "agent"
        advice = (
            HUNG_UP if connection.hung_up_line else STOPPED if stopped else (BUSY if someone else OWED).format(owes)
        )
        yield Violation(
            RULE,
            INFO if someone or connection.hung_up_line else WARNING,
            request.line,
            connection=connection,
            request=request,
            session_id=request.session_id,
            what=request.method,
            party="recording" if stopped else owes,
            method=request.method,
            waited=_waited(event, request),
            end=ENDS.get(event.end, event.end),
            advice=advice,
            hang_up_line=connection.hung_up_line,
        )


def _waited(event: ConnectionEnded, request: Request) -> str:
    """ " after 1.20 s,", or nothing where that is not known, or where nothing came after the request."""
    if event.at.line <= request.line:
        return ""
    time = apart(Point(request.line, request.time), event.at, event.connection.steps)
    return f" after {time}," if time else ""
