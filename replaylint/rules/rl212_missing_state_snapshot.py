"""A resume succeeded without the current state of the session.

On v2 every successful resume sends a `state_update` before its response, after any replay: with or without history the
client has to learn whether the session is running, idle or waits for an action.

Source: "Current state synchronization" of https://agentclientprotocol.com/protocol/v2/session-setup; the RFD's section
"Status quo".

Fix: send a `state_update` for the session after the marker and before the success response.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import STATE
from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL212",
    "missing-state-snapshot",
    party="agent",
    says="the resume succeeded without a state_update for the session between {since} and the response",
)


@RULE.at_request_end("success")
def settle(resume: Resume) -> Iterator[Hit]:
    """No `state_update` for the named session, whoever owns it, between the marker or request and the response."""
    session_id, response = resume.session_id, resume.response
    if resume.connection.version != 2 or resume.lost or session_id is None or response is None:
        return
    window = resume.named
    marker = window.marker if window is not None else None
    from_line = resume.request.line if marker is None else marker.line
    if resume.connection.session(session_id).state_line > from_line:
        return
    live = window.occurrences.get("RL301") if window is not None and window.complete is not None else None
    if live is not None and live.severity == ERROR and STATE in live.kinds:
        return  # that one came too early, which RL301 says
    yield Hit(
        RULE,
        ERROR,
        response.line,
        connection=resume.connection,
        request=resume.request,
        session_id=session_id,
        what=resume.request.method,
        since=f"the request at line {from_line}" if marker is None else f"the marker at line {from_line}",
        marker_line=0 if marker is None else marker.line,
        response_line=response.line,
    )
