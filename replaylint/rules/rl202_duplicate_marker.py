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
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL202",
    "duplicate-marker",
    party="agent",
    says="{count:further end-of-replay marker} for a session that had its marker at line {marker_line}; there is "
    "exactly one for each session of a request",
)


@RULE.sees(states={State.VENDOR_MARKED, State.MARKED, State.AFTER}, events={Event.MARKER, Event.VENDOR_MARKER})
def see(window: Window, event: Event, seen: Seen) -> Hit | None:
    """The session has a marker of this kind already."""
    mark = window.mark_of(event)
    first = window.late.get(event, 0) if mark is None else mark.line
    if not first:
        return None
    hit = Hit(RULE, ERROR, seen.line, window=window, what=seen.what, marker_line=first)
    return hit if window.state != State.AFTER else hit.outside()
