"""A resume sent the session's current state and then failed.

The snapshot is for a successful resume only: it reports the state after resuming. A client that takes it at its word
shows a session as running or idle that it cannot use.

Source: the RFD's sections "Status quo" and "Why isn't the current state_update snapshot enough?".

Fix: send the `state_update` when nothing can fail any more, right before the response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import STATE
from replaylint.rules.registry import WARNING, Hit, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL218",
    "snapshot-before-failure",
    party="agent",
    says="a state_update after the marker, then the error at line {response_line}; the snapshot is for a resume that "
    "succeeds",
    needs_beginning=True,
)


@RULE.at_request_end("error", "cancelled")
def settle(resume: Resume) -> Iterator[Hit]:
    """Of a session that was active the state is its own, whatever becomes of the request."""
    window, response = resume.named, resume.response
    if window is None or response is None or window.marker is None or resume.was_active:
        return
    state_line = resume.connection.session(window.session_id).state_line
    if resume.connection.version != 2 or state_line <= window.marker.line:
        return
    yield Hit(
        RULE,
        WARNING,
        state_line,
        window=window,
        what=STATE,
        marker_line=window.marker.line,
        response_line=response.line,
    )
