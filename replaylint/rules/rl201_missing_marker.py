"""A replay succeeded without its end-of-replay marker.

A client that asks for the history of a session gets it as updates, and at their end a marker that says: that was all.
On v2 the marker is the update `replay_complete`, one on the session that the request names and one on each child
session that the agent announces during the request. Here the request succeeded, and a session had no marker. So the
client had the whole history, but could not know it before the response, which can be seconds later. If no session of
the request had one, a single finding counts them all.

On v2 it is an error, also where the vendor's event `loadReplayEnd` came: that one does not replace `replay_complete`.
v1 has no marker of its own, so there the rule speaks only where the client opted in to the vendor's event: it is an
error if the agent sent the event elsewhere on the connection, a warning if the agent is claude-agent-acp, which is
known to send it, and else info, because the agent may not know the event.

It is silent where the recorder dropped messages during the request.

Promise: on v2 the agent MUST send the marker exactly once for each session of a replaying request, after its last
replayed update and before the response, and for an empty history too. On v1 there is no rule of the protocol; the
vendor's extension promises its event to clients that opt in.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", sections "The replay_complete update", "Subagent sessions" and "Outcomes"),
https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361, section "When
the event is sent").

Fix: the agent sends the marker of a session as soon as the last replayed update of that session is out, before it
does anything else that the response waits for.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.replay.events import ResumeEnded
from replaylint.replay.states import Trigger
from replaylint.replay.window import Point
from replaylint.rules.registry import ERROR, INFO, WARNING, Rule, Severity, Violation
from replaylint.rules.words import Clause, apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Resume, Window

RULE = Rule(
    "RL201",
    "missing-marker",
    party="agent",
    severities=(ERROR, WARNING, INFO),
    headline="the agent answered with success but sent no {marker} for {missing}{beside}{late}",
    help="it is due right after the last replayed update, and without it only the response tells the client that it "
    "has everything",
)

SENDS_VENDOR_EVENT: Final = "@agentclientprotocol/claude-agent-acp"
"""The agent of the second seed."""
SENDS_IT_FROM: Final = (0, 94)
MAX_DIGITS: Final = 10


@RULE.on(ResumeEnded, "success")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """A success, and sessions without a marker. If none has one, one finding lists them."""
    resume = event.resume
    connection = resume.connection
    v2 = connection.version == 2
    if not resume.replaying or resume.lost or not (v2 or connection.opted_in):
        return
    kind = Trigger.MARKER if v2 else Trigger.VENDOR_MARKER
    windows = list(resume.windows.values())
    if not windows:
        return  # the request names no session
    missing = [window for window in windows if window.mark_of(kind) is None]
    if len(missing) == len(windows):
        yield _violation(resume, windows, v2=v2)
        return
    for window in missing:
        yield _violation(resume, [window], v2=v2)


@RULE.confirms(1)
def confirm(connection: Connection, violation: Violation) -> Severity:
    """What a missing vendor event is worth is known when the connection has ended; the sentence says why."""
    if connection.vendor_seen:
        violation.facts["beside"] = " (the client opted in, and the agent sends it elsewhere)"
        return ERROR
    if connection.agent.name == SENDS_VENDOR_EVENT and _numbers(connection.agent.version) >= SENDS_IT_FROM:
        violation.facts["beside"] = " (the client opted in, and this agent is known to send it)"
        return WARNING
    violation.facts["beside"] = " (the client opted in, but this agent may not know it)"
    return INFO


def _numbers(version: str | None) -> tuple[int, ...]:
    """The major and the minor number of a version; nothing where it has none."""
    parts = (version or "").split(".")[:2]
    return tuple(map(int, parts)) if all(part.isdecimal() and len(part) < MAX_DIGITS for part in parts) else ()


def _violation(resume: Resume, windows: list[Window], *, v2: bool) -> Violation:
    window, children = windows[0], len(windows) - 1
    missing = "this session" if window.parent is None else "this child"
    if children:
        missing += f" and its {children} {'child' if children == 1 else 'children'}"
    request = Point(resume.request.line, resume.request.time)
    response = resume.response or request
    last = max([request, *(Point(each.last_line, each.last_time) for each in windows)])
    waited = apart(last, response, resume.connection.steps)
    vendor_line = window.vendor.line if v2 and window.vendor else 0
    return Violation(
        RULE,
        ERROR,
        response.line,
        window=window,
        what=resume.request.method,
        marker="replay_complete" if v2 else "loadReplayEnd event",
        missing=missing,
        beside=Clause(" (the loadReplayEnd event at line {vendor_line} does not replace it)") if vendor_line else "",
        late=f", and its response came {waited} after the last update" if waited else "",
        vendor_line=vendor_line,
        response_line=response.line,
    )
