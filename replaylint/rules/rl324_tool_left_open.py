"""A replayed tool call never ended.

The replay is over and the session idle, but a tool call of the history is still pending or in progress. Clients show
it as running, for ever: nothing will end it. It was cancelled with its turn, or its process died, and nothing noted
that.

It is a warning. It is silent where something may still run: a prompt on the session is unanswered, the session was
active before the request, or the snapshot of v2 says anything but idle or lists work in the background. A child is
judged by its own state. It is silent, too, where two replays overlap, and where the recording misses the connection's
beginning or messages.

Promise: no rule; a replay brings what the session holds, and nothing in an idle session still runs.

Source: https://agentclientprotocol.com/protocol/v2/session-setup#replay-contents (protocol v2, "Session Setup",
section "Replay Contents"); https://agentclientprotocol.com/protocol/v1/tool-calls#status (protocol v1, "Tool Calls",
section "Status").

Fix: the agent ends the tool calls of a turn when the turn ends, or replays what has no end as failed.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":1}}
    ← {"id":0,"result":{"protocolVersion":1}}
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":
       {"sessionUpdate":"tool_call","toolCallId":"t","status":"in_progress"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import INFO, WARNING, Rule, Severity, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Resume, Window

RULE = Rule(
    "RL324",
    "tool-left-open",
    party="agent",
    severities=(WARNING, INFO),
    headline="{count:replayed tool call} still pending or in progress at the response at line {response_line}, though "
    "the session is idle",
    help="clients show it as running for ever: replay how it ended",
    needs_beginning=True,
)

ENDED = ("idle", "completed")


@RULE.on(ResumeEnded, "success")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """Each session in which nothing runs any more."""
    resume = event.resume
    response = resume.response
    if response is None or resume.ambiguous or resume.lost or resume.was_active:
        return
    for window in resume.windows.values():
        lines = window.unfinished.values()
        if lines and _at_rest(resume, window):
            yield Violation(
                RULE,
                WARNING,
                min(lines),
                window=window,
                what="tool_call",
                last_line=max(lines),
                count=len(lines),
                response_line=response.line,
            )


@RULE.confirms(1)
@RULE.confirms(2)
def confirm(connection: Connection, violation: Violation) -> Severity:
    """A call that a later update ended, or that goes on in the background, was only replayed too early."""
    session = connection.sessions.get(violation.session_id or "")
    return WARNING if session is None or session.left_open else INFO


def _at_rest(resume: Resume, window: Window) -> bool:
    session = window.session
    if session.prompts:
        return False
    if window.parent is not None:
        return session.own_state in ENDED
    if resume.connection.version != 2:
        return True
    line, state, background = session.snapshot
    return line >= resume.request.line and state == "idle" and not background
