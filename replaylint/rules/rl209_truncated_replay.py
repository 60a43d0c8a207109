"""A replay ended early: what came is not the full history.

The agent never said, with the end-of-replay marker, that all history of the session had been sent, and the request
ended with an error, was cancelled, or lost its connection. What arrived is the beginning of a history, and nobody
knows how much is missing. A client that saves replayed history, and does not notice, overwrites a good copy with a
part of it.

It is a warning. It is only info where nothing of the conversation had come (at most announcements and states of
children), or where the client had cancelled the request and got its answer. It is silent where the recorder dropped
messages during the request.

Promise: without a marker and without a success, the client MUST NOT use the updates as the full history. That a
replay may fail is no fault against the protocol: the finding is evidence.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#outcomes (RFD "v2 Replay Complete Signal",
section "Outcomes").

Fix: the agent finishes a replay that it has begun and sends the marker before it does what can still fail, or it
refuses the request before the first update; the client keeps its earlier copy.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m"}}}
    ← {"id":1,"error":{"code":-32603,"message":"failed"}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import ResumeEnded
from replaylint.replay.outcome import outcome
from replaylint.replay.window import Point
from replaylint.rules.registry import ERROR, INFO, WARNING, Rule, Violation
from replaylint.rules.words import Clause, Count, elapsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Window

RULE = Rule(
    "RL209",
    "truncated-replay",
    party="agent",
    severities=(WARNING, INFO),
    headline="{arrived} before {end}",
    help="{advice}",
    suppressed_by={"RL208": ERROR},
)

SOME = "the replay ended early: {:history update}{} and no marker"
WHOLE = "no client may take that for the full history: the agent has to finish a replay, or to refuse it at once"
CANCELLED = Clause("the client cancelled it at line {cancellation_line}")
INCOMPLETE = Clause(CANCELLED + ", and must not take what came for the full history")
CHILDREN = "only announcements and states of children came: the client keeps the history that it has"
NONE = "no history came"
NOTHING = "the client keeps the history that it has"


@RULE.on(ResumeEnded, "error", "cancelled", "closed")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """Each session whose outcome is truncated."""
    resume = event.resume
    if resume.lost:
        return
    request, response = resume.request, resume.response
    for window in resume.windows.values():
        if outcome(window) != "truncated":
            continue
        cancelled = resume.request.cancel_line and response is not None
        line = request.line if response is None else response.line
        code = f" {resume.error.code}" if resume.error is not None and resume.error.code is not None else ""
        advice = WHOLE if window.content else CHILDREN if window.history else NOTHING
        yield Violation(
            RULE,
            INFO if cancelled or not window.content else WARNING,
            line,
            window=window,
            what=request.method,
            arrived=_arrived(window),
            end="the connection ended" if response is None else Clause(f"error{code} at line {{response_line}}"),
            advice=advice if not cancelled else INCOMPLETE if window.history else CANCELLED,
            cancellation_line=resume.request.cancel_line,
            response_line=0 if response is None else line,
        )


def _arrived(window: Window) -> str:
    """What came of the history."""
    if not window.history:
        return NONE
    took = elapsed(window.first, Point(window.last_line, window.last_time), window.resume.connection.steps)
    return SOME.format(Count(window.history), took)
