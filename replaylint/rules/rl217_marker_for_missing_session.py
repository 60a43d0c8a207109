"""A marker certified the history of a session that does not exist.

The marker says that the whole history was sent. Then the request failed with -32002: there is no such session. So
what was certified as complete is the history of nothing, and a client that saves what a marker has certified
overwrites what it had with that.

It is a warning.

Promise: a marker means that the history is complete, also if the request fails afterwards; -32002 means that what was
asked for was not found. No rule forbids the two together; the evidence is that they contradict each other.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#outcomes (RFD "v2 Replay Complete Signal",
section "Outcomes"), https://agentclientprotocol.com/protocol/v2/schema#errorcode (protocol v2, "Schema", section
"ErrorCode").

Fix: the agent looks the session up before it replays, and sends no marker for one that is not there.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"id":1,"error":{"code":-32002,"message":"failed"}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import ResumeEnded
from replaylint.replay.outcome import NOT_FOUND
from replaylint.rules.registry import WARNING, Rule, Violation
from replaylint.rules.words import Count

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL217",
    "marker-for-missing-session",
    party="agent",
    severities=(WARNING,),
    headline="the agent marked {arrived:history update} as the whole history of a session and then, with error -32002 "
    "at line {response_line}, said that there is no such session",
    help="look the session up before its replay",
)


@RULE.on(ResumeEnded, "error")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """A marker of the named session, then the error."""
    resume = event.resume
    window, response, error = resume.named, resume.response, resume.error
    if window is None or response is None or error is None or error.code != NOT_FOUND or window.marker is None:
        return
    marker = window.marker
    yield Violation(
        RULE,
        WARNING,
        marker.line,
        window=window,
        what=marker.kind,
        arrived=Count(window.history),
        response_line=response.line,
    )
