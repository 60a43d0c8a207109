"""A child's message came before the child was announced.

A subagent is a session of its own, a child, which the agent announces on the stream of its parent. Here a message
with the child's id came first, and the announcement later in the same replay. A client that does not know the id has
nowhere to put the message; it may drop it, and then lacks a part of the history.

It is an error, also for a marker that comes too early. It is silent where an earlier message of the connection had
announced the child.

Promise: the announcement comes before any update that bears the child's id: MUST.

Source: https://agentclientprotocol.com/rfds/subagents#announcing-and-updating-a-subagent (RFD "Subagent Sessions",
section "Announcing and updating a subagent"),
https://agentclientprotocol.com/rfds/v2/session-replay-complete#subagent-sessions (RFD "v2 Replay Complete Signal",
section "Subagent sessions").

Fix: the agent sends the announcement (`subagent_update` on the parent's stream) before anything else of the child, in
a replay as well as live.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"c","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"c"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import ERROR, Rule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL305",
    "child-before-announcement",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent {count:message} of a child session before its announcement at line {announcement_line}",
    help="a client cannot place an id that it does not know: announce the child on its parent's stream first",
    needs_beginning=True,
)


@RULE.on(ResumeEnded)
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """Each child whose first message is earlier than its announcement."""
    resume = event.resume
    for window in resume.windows.values():
        early = window.early
        if early is not None and early.unannounced:
            yield Violation(
                RULE,
                ERROR,
                early.first_line,
                window=window,
                what=early.what,
                last_line=early.last_line,
                count=early.count,
                announcement_line=window.announced_line,
            )
