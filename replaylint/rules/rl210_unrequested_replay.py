"""Messages came between a resume that asked for no history and its response.

A resume without `replayFrom`, and every `session/resume` on v1, asks the agent not to replay: the client has the
history already, or does not want it. Messages or thoughts that come before the response are shown a second time.

On v2 it is an error if the session's state, sent in the same request, is idle; a warning without such a state. On v1
it is an error for a user's message and else a warning. Where a turn may explain the messages as live output it is
milder: info if the state says running or requires_action. If the session was active before, it is a warning for a
user's message while no prompt is unanswered, else info; and info where the recording misses the connection's
beginning.

Promise: for a resume without a cursor, and for `session/resume` on v1, the agent MUST NOT replay the conversation
before it responds.

Source: https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions (protocol v2, "Session Setup",
section "Resuming Sessions"), https://agentclientprotocol.com/protocol/v1/session-setup#resuming-sessions (the same of
protocol v1).

Fix: the agent replays for a `replayFrom` cursor only, and on v1 for `session/load` only.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.variants import BUSY_STATES, MESSAGES, USER_MESSAGES
from replaylint.replay.events import UpdateReceived
from replaylint.replay.states import Trigger
from replaylint.rules.registry import ERROR, INFO, WARNING, Counted, Rule, Severity, Violation
from replaylint.rules.words import elapsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Occurrences, Resume, Window

RULE = Rule(
    "RL210",
    "unrequested-replay",
    party="agent",
    severities=(ERROR, WARNING, INFO),
    headline="the agent sent {count:message} ({kinds}){elapsed} between a session/resume that asked for no history and "
    "{end}",
    help="{advice}",
    needs_order=True,
)


REPLAYED: Final = "such a request replays nothing: send history only for {}"
LIVE: Final = "this may be live output of a turn; if it is not, history is replayed only for {}"


@RULE.on(UpdateReceived, Trigger.HISTORY)
def received(event: UpdateReceived) -> Iterator[Counted]:
    """Messages and thoughts; of a session that was active, a user's message while no prompt is unanswered is graver."""
    if event.variant in MESSAGES:
        graver = event.variant in USER_MESSAGES and not event.session.prompts
        for resume in event.plain:
            yield Counted(resume, WARNING if graver else INFO)


@RULE.settles("success", "error", "cancelled", "closed")
def settle(resume: Resume, window: Window | None, seen: Occurrences) -> Violation | None:
    """The snapshot says whether a turn explains them."""
    if window is not None:
        return None
    response = resume.response
    severity = _severity(resume, seen)
    cursor = "a replayFrom cursor" if resume.connection.version == 2 else "session/load"
    return Violation(
        RULE,
        severity,
        seen.first.line,
        connection=resume.connection,
        request=resume.request,
        session_id=resume.session_id,
        role="named",
        what=seen.what,
        last_line=seen.last.line,
        count=seen.count,
        time=seen.first.time,
        kinds=", ".join(sorted(seen.kinds)),
        elapsed=elapsed(seen.first, seen.last, resume.connection.steps),
        advice=(LIVE if severity == INFO else REPLAYED).format(cursor),
        end="its response" if response is not None else "the end of the connection",
        response_line=0 if response is None else response.line,
    )


def _severity(resume: Resume, seen: Occurrences) -> Severity:
    session = resume.connection.session(resume.session_id or "")
    v2 = resume.connection.version == 2
    snapshot = session.snapshot.state if v2 and session.snapshot.line >= resume.request.line else None
    busy = snapshot in BUSY_STATES
    if resume.was_active is None:
        return INFO
    if resume.was_active:
        return INFO if busy else Severity(seen.severity)
    if v2:
        return ERROR if snapshot == "idle" else WARNING if snapshot is None else INFO
    return ERROR if seen.kinds.keys() & USER_MESSAGES else WARNING
