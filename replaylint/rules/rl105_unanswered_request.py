"""A request was never answered.

JSON-RPC owes every request a response, also one that was cancelled. Here the connection, or the recording of it, ends
without one. Where the recording just stops and the request waits for a person or a model, that is only worth knowing.

Source: JSON-RPC 2.0, section 4; https://agentclientprotocol.com/protocol/v2/overview.

Fix: the side that owes the response has to send one on every path, errors and shutdown included.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import WAIT_FOR_SOMEONE
from replaylint.recording.message import CLIENT
from replaylint.rules.registry import ERROR, INFO, WARNING, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.protocol.exchange import Request
    from replaylint.replay.window import End

RULE = Rule(
    "RL105",
    "unanswered-request",
    party=None,
    says="{method} was not answered before {end}; {owes} owes a result or an error",
    yields_to={"RL209": WARNING, "RL213": ERROR},
)

ENDS = {"closed": "the connection ended", "open": "the recording stops"}


@RULE.at_unanswered
def unanswered(connection: Connection, request: Request, end: End) -> Hit | None:
    """The end of the connection came first, and no message was lost in which the answer could have been."""
    if connection.lost_line > request.line:
        return None
    someone = end == "open" and request.method in WAIT_FOR_SOMEONE
    client_owes = request.side is not None and request.side != CLIENT
    return Hit(
        RULE,
        INFO if someone else WARNING,
        request.line,
        connection=connection,
        request=request,
        session_id=request.session_id,
        what=request.method,
        party="client" if client_owes else "agent",
        method=request.method,
        end=ENDS.get(end, end),
        owes="the client" if client_owes else "the agent",
    )
