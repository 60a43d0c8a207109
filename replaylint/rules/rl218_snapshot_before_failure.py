"""A resume sent the session's current state and then failed.

The `state_update` behind the marker that ends a replay tells in which state the session is after the resume. Here the
resume failed after it, so the session is not active. A client that took the state at its word shows a session as idle
or running that it cannot use.

It is a warning. It is silent where the session was active before the request, because then its state is its own
affair, and where the connection ended without an error response.

Promise: the agent sends the current state for a successful resume only. The text states it as a fact, without a MUST
of its own.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#status-quo (RFD "v2 Replay Complete Signal",
sections "Status quo" and "Why isn't the current state_update snapshot enough?").

Fix: the agent sends the `state_update` when nothing can fail any more, right before the success response.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"error":{"code":-32603,"message":"failed"}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import STATE
from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import WARNING, Rule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL218",
    "snapshot-before-failure",
    party="agent",
    severities=(WARNING,),
    headline="the agent sent a state_update after the marker at line {marker_line}, then error{code} at line "
    "{response_line}",
    help="the current state is for a resume that succeeds: send it when nothing can fail any more",
    needs_beginning=True,
)


@RULE.on(ResumeEnded, "error", "cancelled")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """Of a session that was active the state is its own, whatever becomes of the request."""
    resume = event.resume
    window, response = resume.named, resume.response
    if window is None or response is None or window.marker is None or resume.was_active:
        return
    state_line = window.session.snapshot.line
    if resume.connection.version != 2 or state_line <= window.marker.line:
        return
    code = resume.error.code if resume.error is not None else None
    yield Violation(
        RULE,
        WARNING,
        state_line,
        window=window,
        what=STATE,
        code="" if code is None else f" {code}",
        marker_line=window.marker.line,
        response_line=response.line,
    )
