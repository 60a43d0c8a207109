"""A replay stopped before it was whole.

No marker came, and the request ended with an error, was cancelled, or lost its connection. The client MUST NOT use the
updates as the full history: one that saves replayed history keeps its earlier copy.

Source: the RFD's section "Outcomes".

Fix: the agent has to finish the replay, or reject the request before it sends any history.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.outcome import outcome
from replaylint.rules.registry import ERROR, INFO, WARNING, Hit, Rule
from replaylint.rules.words import Count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL209",
    "truncated-replay",
    party="agent",
    says="the replay is truncated: {arrived:history update} arrived, no marker, then {end}; the client must not take "
    "it for the full history",
    yields_to={"RL208": ERROR},
)

ENDS = {
    "error": "an error response",
    "cancelled": "the error response to a cancellation",
    "closed": "the connection ended",
}


@RULE.at_request_end("error", "cancelled", "closed")
def settle(resume: Resume) -> Iterator[Hit]:
    """Each session whose outcome is truncated."""
    if not resume.replaying or resume.lost:
        return
    request, response = resume.request, resume.response
    for window in resume.windows.values():
        if outcome(window) != "truncated":
            continue
        cancelled = resume.cancel_line and response is not None
        line = request.line if response is None else response.line
        yield Hit(
            RULE,
            INFO if cancelled or not window.content else WARNING,
            line,
            window=window,
            what=request.method,
            arrived=Count(window.history),
            end=ENDS.get(resume.end or "", "nothing"),
            cancellation_line=resume.cancel_line,
            response_line=0 if response is None else line,
        )
