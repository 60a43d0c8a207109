"""The client resumes a child session or prompts it.

A subagent's session belongs to its parent. The replay of the parent brings the children's history, and the agent
decides what a child does. An agent may reject the request, or run two things in one session.

It is a warning about the client. A session that the client itself started is none of these.

Promise: only the parent is resumed and prompted.

Source: https://agentclientprotocol.com/rfds/subagents#reconnection-and-replay (RFD "Subagent Sessions", section
"Reconnection and replay"), https://agentclientprotocol.com/rfds/v2/session-replay-complete#subagent-sessions (RFD "v2
Replay Complete Signal", section "Subagent sessions").

Fix: the client resumes the parent with `replayFrom`, and sends what the user writes to a child to the parent.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/new","params":{}}
    ← {"id":1,"result":{"sessionId":"s"}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"c"}}}
    → {"id":2,"method":"session/prompt","params":{"sessionId":"c","prompt":[]}}
    ← {"id":2,"error":{"code":-32002,"message":"not active"}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import PROMPT, RESUMES
from replaylint.recording.message import CLIENT
from replaylint.replay.events import RequestSent
from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL311",
    "child-resumed-directly",
    party="client",
    severities=(WARNING,),
    headline="{method} for a child session, announced at line {announcement_line}",
    help="only its parent is resumed and prompted",
    needs_order=True,
)


@RULE.on(RequestSent, PROMPT, *RESUMES)
def sent(event: RequestSent) -> Violation | None:
    """At the request. A prompt belongs to the resume of the child that is pending, if one is."""
    request, session = event.request, event.session
    if event.side is not CLIENT or session is None or session.root is None or session.started:
        return None
    pending = next((resume.request for resume in event.pending), None)
    return RULE.at(
        event,
        WARNING,
        request=pending if request.method == PROMPT else request,
        method=request.method,
        announcement_line=session.announced_line,
    )
