"""The end-of-replay marker came only after the response.

The marker comes after the last replayed update and before the response, so that a client knows that the history is
whole while the agent still does its other work. After the response it says nothing that the client does not know.

Source: the RFD's section "The replay_complete update"; the second seed, "When the event is sent".

Fix: send the marker before the response, not from what runs after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.states import Event, State
from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL203",
    "late-marker",
    party="agent",
    says="the end-of-replay marker came after the response at line {response_line}; it belongs between the last "
    "replayed update and the response",
)


@RULE.sees(states={State.AFTER}, events={Event.MARKER, Event.VENDOR_MARKER})
def see(window: Window, event: Event, seen: Seen) -> Hit | None:
    """The first marker of its kind, after the request's end."""
    response = window.resume.response
    if response is None or window.mark_of(event) is not None or event in window.late:
        return None
    return Hit(RULE, ERROR, seen.line, window=window, what=seen.what, response_line=response.line).outside()
