"""How a request ended for each of its sessions.

Source: the RFD's section "Outcomes", whose table gives the first four. `rejected`: the cursor was refused and nothing
was replayed. `inconclusive`: the recording stops first. `not_requested`: the request asked for no history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from replaylint.replay.window import Resume, Window

Outcome = Literal["complete", "complete_failed", "truncated", "unmarked", "rejected", "inconclusive", "not_requested"]
OUTCOMES: Final[tuple[Outcome, ...]] = (
    *("complete", "complete_failed", "truncated", "unmarked", "rejected", "inconclusive", "not_requested"),
)
INVALID_PARAMS: Final = -32602
CANCELLED: Final = -32800
NOT_FOUND: Final = -32002


def outcome(window: Window) -> Outcome:
    """The outcome of one session of a replaying request that has ended."""
    resume = window.resume
    marked = window.marker is not None
    if resume.end == "open":
        return "inconclusive"
    if resume.end == "success":
        return "complete" if marked else "unmarked"
    if marked:
        return "complete_failed"
    if rejected(resume) and not any(each.history for each in resume.windows.values()):
        return "rejected"
    return "truncated"


def rejected(resume: Resume) -> bool:
    """Whether the agent refused the params of the request, its cursor among them."""
    return resume.end == "error" and resume.error is not None and resume.error.code == INVALID_PARAMS


def certified_by(window: Window) -> Literal["marker", "response"] | None:
    """What says that the history of this session arrived whole."""
    if window.marker is not None:
        return "marker"
    return "response" if window.resume.end == "success" else None
