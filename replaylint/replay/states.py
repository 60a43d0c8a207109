"""The life of a window, as a table.

A *window* is what one session receives while one replaying request is pending: for the session that the request names
it opens with the request, for a child with the child's announcement. The protocol draws one line through it, the
marker: everything before is history, nothing after is. So a window is `REPLAYING` until a marker comes, and `MARKED`
from then on. The vendor's event is a marker too, but a `replay_complete` may still follow it, and what stands between
the two precedes one marker and follows the other: that is `VENDOR_MARKED`. When the request ends, whatever way, the
window is `AFTER`: it is only remembered, so that a marker that comes too late can be told from one that nobody asked
for.

An agent may break the order and send a child's messages before it announces the child. They belong to the window all
the same, so they are kept in one that is `UNANNOUNCED`, or with a marker among them `UNANNOUNCED_VENDOR_MARKED` or
`UNANNOUNCED_MARKED`: what comes after the marker is no history there either. The announcement makes it a window like
any other; where none comes, it never was.

Triggers are what happens to a window: an update of each kind, a request of the agent for the session, the
announcement, either marker, and the end of the request. A further announcement patches and is history.

Every pair is written below: what an agent may not do still leads to a state from which the analysis goes on.

Source: the RFD's sections "Only history before the marker", "Outcomes" and "Subagent sessions"; for the vendor event
the second seed, "When the event is sent".
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class State(StrEnum):
    """Where a window is in its life."""

    UNANNOUNCED = "unannounced"
    UNANNOUNCED_VENDOR_MARKED = "unannounced_vendor_marked"
    UNANNOUNCED_MARKED = "unannounced_marked"
    REPLAYING = "replaying"
    VENDOR_MARKED = "vendor_marked"
    MARKED = "marked"
    AFTER = "after"


class Trigger(StrEnum):
    """What can happen to a window: an update of a kind, a request of the agent, a marker, an end."""

    HISTORY = "history"
    LIVE = "live"
    EITHER = "either"
    AGENT_REQUEST = "agent_request"
    ANNOUNCEMENT = "announcement"
    MARKER = "marker"
    VENDOR_MARKER = "vendor_marker"
    END = "end"


_U, _UV, _UM, _R, _V, _M, _A = State

UNANNOUNCED: Final = frozenset({_U, _UV, _UM})
"""Of a child whose announcement has not come."""
BEFORE_MARKER: Final = frozenset({_U, _UV, _R, _V})
"""Where a `replay_complete` is still to come."""
AFTER_MARKER: Final = frozenset({_UV, _UM, _V, _M})
"""Where a marker of either kind has come."""

TABLE: Final[dict[State, dict[Trigger, State]]] = {
    State.UNANNOUNCED: {
        Trigger.HISTORY: _U,
        Trigger.LIVE: _U,
        Trigger.EITHER: _U,
        Trigger.AGENT_REQUEST: _U,
        Trigger.ANNOUNCEMENT: _R,
        Trigger.MARKER: _UM,
        Trigger.VENDOR_MARKER: _UV,
        Trigger.END: _A,
    },
    State.UNANNOUNCED_VENDOR_MARKED: {
        Trigger.HISTORY: _UV,
        Trigger.LIVE: _UV,
        Trigger.EITHER: _UV,
        Trigger.AGENT_REQUEST: _UV,
        Trigger.ANNOUNCEMENT: _V,
        Trigger.MARKER: _UM,
        Trigger.VENDOR_MARKER: _UV,
        Trigger.END: _A,
    },
    State.UNANNOUNCED_MARKED: {
        Trigger.HISTORY: _UM,
        Trigger.LIVE: _UM,
        Trigger.EITHER: _UM,
        Trigger.AGENT_REQUEST: _UM,
        Trigger.ANNOUNCEMENT: _M,
        Trigger.MARKER: _UM,
        Trigger.VENDOR_MARKER: _UM,
        Trigger.END: _A,
    },
    State.REPLAYING: {
        Trigger.HISTORY: _R,
        Trigger.LIVE: _R,
        Trigger.EITHER: _R,
        Trigger.AGENT_REQUEST: _R,
        Trigger.ANNOUNCEMENT: _R,
        Trigger.MARKER: _M,
        Trigger.VENDOR_MARKER: _V,
        Trigger.END: _A,
    },
    State.VENDOR_MARKED: {
        Trigger.HISTORY: _V,
        Trigger.LIVE: _V,
        Trigger.EITHER: _V,
        Trigger.AGENT_REQUEST: _V,
        Trigger.ANNOUNCEMENT: _V,
        Trigger.MARKER: _M,
        Trigger.VENDOR_MARKER: _V,
        Trigger.END: _A,
    },
    State.MARKED: {
        Trigger.HISTORY: _M,
        Trigger.LIVE: _M,
        Trigger.EITHER: _M,
        Trigger.AGENT_REQUEST: _M,
        Trigger.ANNOUNCEMENT: _M,
        Trigger.MARKER: _M,
        Trigger.VENDOR_MARKER: _M,
        Trigger.END: _A,
    },
    State.AFTER: {
        Trigger.HISTORY: _A,
        Trigger.LIVE: _A,
        Trigger.EITHER: _A,
        Trigger.AGENT_REQUEST: _A,
        Trigger.ANNOUNCEMENT: _A,
        Trigger.MARKER: _A,
        Trigger.VENDOR_MARKER: _A,
        Trigger.END: _A,
    },
}
