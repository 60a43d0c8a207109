"""Why a figure of a resume could not be measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from replaylint.report.model import Resume, Session, Trace

Reason = Literal["no_times", "no_response", "no_history", "clock"]
REASONS: Final[dict[Reason, str]] = {
    "no_times": "the recording has no times",
    "no_response": "there is no response",
    "no_history": "no history came",
    "clock": "a time is missing, or the clock went back",
}
"""Each as a clause."""

_TO_THE_RESPONSE: Final = frozenset({"response_gap_s", "total_s", "gap_longest_pause_s", "gap_waiting_for_client_s"})


def why_unknown(figure: str, resume: Resume, session: Session | None, trace: Trace) -> Reason:
    """Why this figure of a session is null; of `total_s` also where the resume names no session."""
    if trace.timestamps == "none":
        return "no_times"
    if resume.response is None and figure in _TO_THE_RESPONSE:
        return "no_response"
    if figure != "total_s" and session is not None and session.marker is None and not session.updates.history:
        return "no_history"
    return "clock"
