"""A second end-of-replay marker of the same kind for one session of a request.

The marker is sent exactly once on each session of a replaying request. A client that acts on the first one, by
rendering or by saving the history, acts twice; a client that resumes again may take the second for its new replay's.

Source: the RFD's section "The replay_complete update"; the second seed, "When the event is sent".

Fix: send the marker at one place, when the replay of the session has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.states import Event, State
from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Past, Seen, Window

RULE = Rule(
    "RL202",
    "duplicate-marker",
    party="agent",
    says="{count:further end-of-replay marker} for a session that had its marker at line {marker_line}; there is "
    "exactly one for each session of a request",
)


@RULE.sees(states={State.VENDOR_MARKED, State.MARKED}, events={Event.MARKER, Event.VENDOR_MARKER})
def see(window: Window, event: Event, seen: Seen) -> Hit | None:
    """The session has a marker of this kind already."""
    mark = window.mark_of(event)
    if mark is None:
        return None
    return RULE.saw(ERROR, window.resume.connection, seen, window=window, marker_line=mark.line)


@RULE.sees_after(Event.MARKER, Event.VENDOR_MARKER)
def see_after(connection: Connection, past: Past, event: Event, seen: Seen) -> Hit | None:
    """The same, after the request's end: also where the first one was late."""
    first = past.line_of(event)
    return RULE.saw(ERROR, connection, seen, past=past, marker_line=first) if first else None
