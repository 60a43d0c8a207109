"""The life of a window, as a table.

A *window* is what one session receives while one replaying request is pending: for the session that the request names
it opens with the request, for a child with the child's announcement. The protocol draws one line through it, the
marker: everything before is history, nothing after is. So a window is `REPLAYING` until a marker comes, and `MARKED`
from then on. The vendor's event is a marker too, but a `replay_complete` may still follow it, and what stands between
the two precedes one marker and follows the other: that is `VENDOR_MARKED`. When the request ends, whatever way, the
window is `AFTER`: it is only remembered, so that a marker that comes too late can be told from one that nobody asked
for.

An agent may break the order and send a child's messages before it announces the child. They belong to the window all
the same, so they are kept in one that is `UNANNOUNCED`. A marker among them is noted and takes effect with the
announcement. Where none comes, the window never was.

Events are what happens to a window: an update of each kind, a request of the agent for the session, the
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
    REPLAYING = "replaying"
    VENDOR_MARKED = "vendor_marked"
    MARKED = "marked"
    AFTER = "after"


class Event(StrEnum):
    """What can happen to a window."""

    HISTORY = "history"
    LIVE = "live"
    EITHER = "either"
    AGENT_REQUEST = "agent_request"
    ANNOUNCEMENT = "announcement"
    MARKER = "marker"
    VENDOR_MARKER = "vendor_marker"
    END = "end"


_U, _R, _V, _M, _A = State

TABLE: Final[dict[State, dict[Event, State]]] = {
    State.UNANNOUNCED: {
        Event.HISTORY: _U,
        Event.LIVE: _U,
        Event.EITHER: _U,
        Event.AGENT_REQUEST: _U,
        Event.ANNOUNCEMENT: _R,
        Event.MARKER: _U,
        Event.VENDOR_MARKER: _U,
        Event.END: _A,
    },
    State.REPLAYING: {
        Event.HISTORY: _R,
        Event.LIVE: _R,
        Event.EITHER: _R,
        Event.AGENT_REQUEST: _R,
        Event.ANNOUNCEMENT: _R,
        Event.MARKER: _M,
        Event.VENDOR_MARKER: _V,
        Event.END: _A,
    },
    State.VENDOR_MARKED: {
        Event.HISTORY: _V,
        Event.LIVE: _V,
        Event.EITHER: _V,
        Event.AGENT_REQUEST: _V,
        Event.ANNOUNCEMENT: _V,
        Event.MARKER: _M,
        Event.VENDOR_MARKER: _V,
        Event.END: _A,
    },
    State.MARKED: {
        Event.HISTORY: _M,
        Event.LIVE: _M,
        Event.EITHER: _M,
        Event.AGENT_REQUEST: _M,
        Event.ANNOUNCEMENT: _M,
        Event.MARKER: _M,
        Event.VENDOR_MARKER: _M,
        Event.END: _A,
    },
    State.AFTER: {
        Event.HISTORY: _A,
        Event.LIVE: _A,
        Event.EITHER: _A,
        Event.AGENT_REQUEST: _A,
        Event.ANNOUNCEMENT: _A,
        Event.MARKER: _A,
        Event.VENDOR_MARKER: _A,
        Event.END: _A,
    },
}
