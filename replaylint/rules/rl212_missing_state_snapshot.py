"""A resume succeeded without the current state of the session.

On v2 a client learns from a `state_update` whether a session is running, idle or waiting for an action of the user.
Every successful resume sends one before its response, with or without a replay; after a replay it comes behind the
marker that ends it. Here there was none, so the client does not know whether it may prompt or has to show that the
agent is at work.

It is an error. A `state_update` before the marker does not count, because the current state follows the replay; where
RL301 reports that one as an error, this rule is silent. It is silent too where the recorder dropped messages during
the request, and where each side was recorded apart and the last `state_update` may have come after the request.

Promise: a successful v2 resume sends the current `state_update` after any replay and before the response: MUST.

Source: https://agentclientprotocol.com/protocol/v2/session-setup#current-state-synchronization (protocol v2, "Session
Setup", section "Current State Synchronization"),
https://agentclientprotocol.com/rfds/v2/session-replay-complete#only-history-before-the-marker (RFD "v2 Replay
Complete Signal", section "Only history before the marker").

Fix: the agent sends a `state_update` for the session after the marker, or without a replay after the request, and
before the success response.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import STATE
from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import ERROR, Rule, Violation
from replaylint.rules.words import Clause

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL212",
    "missing-state-snapshot",
    party="agent",
    severities=(ERROR,),
    headline="the agent answered with success but sent no state_update between {since} and the response",
    help="a resume reports the current state of its session there: send it before the response",
)


@RULE.on(ResumeEnded, "success")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """No `state_update` for the named session, whoever owns it, between the marker or request and the response."""
    resume = event.resume
    session_id, response = resume.session_id, resume.response
    if resume.connection.version != 2 or resume.lost or session_id is None or response is None:
        return
    window = resume.named
    marker = window.marker if window is not None else None
    from_line = resume.request.line if marker is None else marker.line
    # A batch may hold all of it on one line.
    state_line, unordered = resume.connection.session(session_id).snapshot.line, resume.connection.unordered
    guessed = marker is None and state_line in unordered and from_line in unordered
    if state_line >= from_line or guessed:
        return
    live = window.occurrences.get("RL301") if window is not None and window.complete is not None else None
    if live is not None and live.severity == ERROR and STATE in live.kinds:
        return  # that one came too early, which RL301 says
    yield Violation(
        RULE,
        ERROR,
        response.line,
        connection=resume.connection,
        request=resume.request,
        session_id=session_id,
        what=resume.request.method,
        since=Clause("the request at line {request_line}" if marker is None else "the marker at line {marker_line}"),
        request_line=resume.request.line,
        marker_line=0 if marker is None else marker.line,
        response_line=response.line,
    )
