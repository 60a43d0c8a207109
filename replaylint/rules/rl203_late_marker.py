"""The end-of-replay marker came only after the response.

The marker comes after the last replayed update and before the response, so that a client knows that the history is
whole while the agent still does its other work. After the response it says nothing that the client does not know.

Source: the RFD's section "The replay_complete update"; the second seed, "When the event is sent".

Fix: send the marker before the response, not from what runs after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.states import Event
from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Past, Seen

RULE = Rule(
    "RL203",
    "late-marker",
    party="agent",
    says="the end-of-replay marker came after the response at line {response_line}; it belongs between the last "
    "replayed update and the response",
)


@RULE.sees_after(Event.MARKER, Event.VENDOR_MARKER)
def see_after(connection: Connection, past: Past, event: Event, seen: Seen) -> Hit | None:
    """The first marker of its kind."""
    if not past.response_line or past.line_of(event):
        return None
    return RULE.saw(ERROR, connection, seen, past=past, response_line=past.response_line)
