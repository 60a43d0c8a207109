"""A message for a session that was closed.

The agent confirmed a `session/close`, and then sent an update or a request for that session. The client has let the
session go: it drops the message, or shows it in a session that the user has closed.

It is silent where a resume of the session was pending while it was closed; RL312 is about that. What comes after the
client has asked for the session again is no fault.

Promise: on v2 an agent sends nothing more for a session after its response to `session/close`.

Source: https://agentclientprotocol.com/protocol/v2/session-setup (protocol v2, "Session Setup", closing sessions).

Fix: the agent stops the work of the session and flushes its updates before it answers the close.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent"}}}
    → {"id":1,"method":"session/new","params":{}}
    ← {"id":1,"result":{"sessionId":"s"}}
    → {"id":2,"method":"session/close","params":{"sessionId":"s"}}
    ← {"id":2,"result":{}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.recording.message import AGENT
from replaylint.replay.events import MarkerReceived, RequestSent, UpdateReceived
from replaylint.rules.registry import ERROR, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL315",
    "message-after-close",
    party="agent",
    severities=(ERROR,),
    headline="{count:message} for a session whose close was confirmed at line {close_line}",
    help="after that response the agent sends nothing more for the session: stop its work before you answer",
    needs_order=True,
)


@RULE.on(RequestSent)
def sent(event: RequestSent) -> Violation | None:
    """A request of the agent."""
    closed = event.session.closed_line if event.session is not None and event.side is AGENT else 0
    if not closed or event.window is not None or event.pending or event.connection.version != 2:
        return None
    return RULE.at(event, ERROR, close_line=closed)


@RULE.on(UpdateReceived)
def received(event: UpdateReceived) -> Violation | None:
    """An update."""
    return _late(event)


@RULE.on(MarkerReceived)
def marked(event: MarkerReceived) -> Violation | None:
    """A marker is an update, too."""
    return _late(event)


def _late(event: UpdateReceived | MarkerReceived) -> Violation | None:
    closed = event.session.closed_line
    if not closed or event.window is not None or event.plain or event.connection.version != 2:
        return None
    return RULE.at(event, ERROR, close_line=closed)
