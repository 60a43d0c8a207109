"""The agent asked the client something before the end-of-replay marker.

`session/request_permission` and `elicitation/create` ask a person something now; they are no history. A client that
gets one in the middle of a replay, before the marker that ends it, has to show it although the conversation around it
is not there yet. And it applies the tool call of a permission request at once, so that replayed updates which come
later can overwrite that newer state.

It is a warning. It is only info where the session was active before the request, or may have been, because the question
may have been on its way already; and where two replays of the session overlap. Without a `replay_complete` in the
request the rule is silent, and where each side was recorded apart and neither the times nor replayed history show that
the question came after that request.

Promise: the agent's requests SHOULD wait until after the marker, also those that it sends again after a lost
connection.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#only-history-before-the-marker (RFD "v2 Replay
Complete Signal", section "Only history before the marker").

Fix: the agent holds such a request until the marker of its session is out.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"id":9,"method":"session/request_permission","params":{"sessionId":"s"}}
    → {"id":9,"result":{}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.methods import ELICITATION, PERMISSION
from replaylint.recording.message import AGENT
from replaylint.replay.events import RequestSent
from replaylint.replay.states import BEFORE_MARKER
from replaylint.rules.registry import INFO, WARNING, Counted, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Occurrences, Resume, Window
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL302",
    "request-before-marker",
    party="agent",
    severities=(WARNING, INFO),
    headline="the agent sent {count:request} ({kinds}){elapsed} before the marker at line {marker_line}{doubt}",
    help="replayed updates may overwrite what such a request shows: hold it until the marker is out",
)


IN_FLIGHT: Final = " (no fault if sent before the request arrived)"
AMBIGUOUS: Final = " (no fault if sent for the session's other replay)"


@RULE.on(RequestSent, PERMISSION, ELICITATION)
def sent(event: RequestSent) -> Iterator[Counted]:
    """Only these two ask a person; and only where the session was not active can they not have been in flight."""
    if event.connection.version != 2 or event.side is not AGENT:
        return
    for window in event.windows:
        if window.state in BEFORE_MARKER and window.surely_has(event.line):
            resume = window.resume
            yield Counted(window, WARNING if resume.was_active is False and not window.ambiguous else INFO)


@RULE.settles()
def settle(resume: Resume, window: Window | None, seen: Occurrences) -> Violation | None:
    """The window turned out to have a marker."""
    if window is None or window.complete is None:
        return None
    if window.ambiguous:
        seen.severity = INFO
    doubt = "" if seen.severity == WARNING else AMBIGUOUS if window.ambiguous else IN_FLIGHT
    return RULE.counted(window, seen, marker_line=window.complete.line, doubt=doubt)
