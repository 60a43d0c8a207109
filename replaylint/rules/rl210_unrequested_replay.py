"""Messages came between a resume that asked for no history and its response.

A resume without `replayFrom`, and any v1 `session/resume`, replays nothing. The client has the history already, or does
not want it: what comes now it shows a second time.

What came can be live, where a turn runs or another client has one: then the snapshot or a prompt explains it.

Source: the RFD's section "The replay_complete update"; "Resuming sessions" of
https://agentclientprotocol.com/protocol/v2/session-setup.

Fix: replay only for a cursor; on v1 only for `session/load`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import BUSY_STATES, MESSAGES, USER_MESSAGES
from replaylint.rules.registry import ERROR, INFO, WARNING, Hit, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Occurrences, Resume, Seen

RULE = Rule(
    "RL210",
    "unrequested-replay",
    party="agent",
    says="{count:message} ({kinds}) came between a request that asked for no history and {end}",
)


@RULE.sees_plain
def see(resume: Resume, seen: Seen) -> Severity | None:
    """Messages and thoughts; of a session that was active, a user's message while no prompt is unanswered is graver."""
    if seen.what not in MESSAGES:
        return None
    prompts = resume.connection.session(seen.session_id).prompts
    return WARNING if seen.what in USER_MESSAGES and not prompts else INFO


@RULE.at_request_end("success", "error", "cancelled", "closed")
def settle(resume: Resume) -> Iterator[Hit]:
    """The snapshot says whether a turn explains them."""
    seen = resume.occurrences.get(RULE.code)
    session_id = resume.session_id
    if seen is None or session_id is None:
        return
    response = resume.response
    yield Hit(
        RULE,
        _severity(resume, seen),
        seen.first.line,
        connection=resume.connection,
        request=resume.request,
        session_id=session_id,
        role="named",
        what=seen.what,
        last_line=seen.last.line,
        count=seen.count,
        kinds=", ".join(sorted(seen.kinds)),
        end="its response" if response is not None else "the end of the connection",
        response_line=0 if response is None else response.line,
    )


def _severity(resume: Resume, seen: Occurrences) -> Severity:
    session = resume.connection.session(resume.session_id or "")
    v2 = resume.connection.version == 2
    snapshot = session.state if v2 and session.state_line > resume.request.line else None
    busy = snapshot in BUSY_STATES
    if resume.was_active is None:
        return INFO
    if resume.was_active:
        return INFO if busy else Severity(seen.severity)
    if v2:
        return INFO if busy else ERROR if snapshot == "idle" else WARNING
    return ERROR if seen.kinds.keys() & USER_MESSAGES else WARNING
