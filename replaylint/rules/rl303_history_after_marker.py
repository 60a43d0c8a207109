"""What looks like history came after the end-of-replay marker.

The marker says that everything selected for the replay has been sent. Yet between it and the response, with no prompt
on the session since the request, there came a message or thought that is new in this replay, or a tool call that was
already over when it was first seen. If that is history, a client that has acted on the marker has an incomplete copy.
Chunks that continue a replayed message, and tool calls that still run, are live and are not counted.

After the vendor's event it is an error, for the children's history too: that event ends the whole load. After
`replay_complete` it is a warning, for the named session only, because a turn that another client has begun looks the
same. It is info where the session was active before the request, or may have been.

On v2 it is silent for the named session where a `state_update` behind the marker says running or requires_action,
because a turn explains it, and where the recording stops before the response, because that state may still come.

Promise: the marker comes after the last replayed update: MUST. Whether an update is history cannot be seen with
certainty, hence the milder severities.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", sections "The replay_complete update" and "Only history before the marker"),
https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361, section "When
the event is sent").

Fix: the agent sends the marker after the last replayed update; where the history is read in pages, after the last
page.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.variants import FINAL_STATUSES, MESSAGES, TOOL_CALLS
from replaylint.replay.events import UpdateReceived
from replaylint.replay.states import AFTER_MARKER, Trigger
from replaylint.replay.window import NOWHERE, Point
from replaylint.rules.registry import ERROR, INFO, WARNING, Counted, Rule, Severity
from replaylint.rules.words import apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Occurrences, Resume, Window
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL303",
    "history-after-marker",
    party="agent",
    severities=(ERROR, WARNING, INFO),
    headline="the agent sent {count:update} with the look of history ({kinds}) {late}after the marker at line "
    "{marker_line}{doubt}",
    help="the marker comes when all history is out: send it after the last replayed update",
    needs_order=True,
)


DOUBTS: Final = {
    ERROR: "",
    WARNING: " (no fault if another client's turn runs)",
    INFO: " (no fault if live output of a session that was active)",
}


@RULE.on(UpdateReceived, Trigger.HISTORY)
def received(event: UpdateReceived) -> Iterator[Counted]:
    """New in this window, and nothing that the recording shows explains it."""
    window = event.window
    if window is None or window.state not in AFTER_MARKER or event.connection.version is None:
        return
    resume = window.resume
    vendor = window.vendor is not None
    if window.forgot or resume.lost or (window.parent is not None and not vendor):
        return
    # A child has no prompts of its own: its parent's make it work.
    sessions = [event.connection.session(each) for each in {window.session_id, resume.session_id} if each]
    if any(session.prompt_line > resume.request.line for session in sessions):
        return
    if not (_new_message(window, event) or _finished_tool_call(window, event)):
        return
    yield Counted(window, INFO if resume.was_active is not False else ERROR if vendor else WARNING)


@RULE.settles()
def settle(resume: Resume, window: Window | None, seen: Occurrences) -> Violation | None:
    """On v2 a turn that runs explains it, for the named session."""
    if window is None:
        return None
    first = seen.first.line
    before = [mark for mark in (window.vendor, window.complete) if mark is not None and mark.line <= first]
    marker = Point(before[0].line, before[0].time) if before else NOWHERE
    if marker.line in resume.connection.unordered and resume.was_active is not False:
        return None  # it may be the late one of a resume before
    may_be_live = window.session.busy_line > marker.line or resume.end == "open"
    if may_be_live and resume.connection.version == 2 and window.parent is None:
        return None
    late = apart(marker, seen.last, resume.connection.steps)
    late = late and f"{'up to ' if seen.count > 1 else ''}{late} "
    return RULE.counted(window, seen, marker_line=marker.line, late=late, doubt=DOUBTS[Severity(seen.severity)])


def _new_message(window: Window, event: UpdateReceived) -> bool:
    if event.variant not in MESSAGES:
        return False
    ident = event.update.get("messageId")
    return not isinstance(ident, str) or ident not in window.ids


def _finished_tool_call(window: Window, event: UpdateReceived) -> bool:
    if event.variant not in TOOL_CALLS or event.update.get("status") not in FINAL_STATUSES:
        return False
    ident = event.update.get("toolCallId")
    return isinstance(ident, str) and (ident,) not in window.ids
