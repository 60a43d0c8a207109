"""What rules are told of beside the events of a window."""

from __future__ import annotations

from enum import StrEnum


class Fact(StrEnum):
    """Something that a connection showed, in a window or outside any."""

    MARKER_IN_V1 = "marker_in_v1"
    """A `replay_complete` on a v1 connection."""
    NEAR_MISS = "near_miss"
    """What is nearly an end-of-replay marker, but none for any client."""
    VENDOR_EVENT = "vendor_event"
    """The vendor's end-of-replay event, wherever it came."""
    FIRST_HISTORY = "first_history"
    """The first history update of a window; its content is the params of the notification."""
    OVERLAP = "overlap"
    """A replaying request for a session while another one is pending, whose line is its content."""
