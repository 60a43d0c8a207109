"""A live update before the end-of-replay marker.

On v2 the marker `replay_complete` draws a line: what comes before it is history, what comes after it is not.
`notice`, `available_commands_update`, `config_option_update`, `current_mode_update` and `state_update` are never
history, and one of them came before the marker. A client that takes everything up to the marker for history mixes the
present into the past: it may store it, or let older entries overwrite it.

It is an error. It is only info where the session was active before the request, or may have been, because the agent may
have sent the update before it read the request; and where two replays of the session overlap, because the update may
belong to the other one. Without a marker in the request the rule is silent: then there is no line to cross. And so it
is where each side was recorded apart and neither the times nor replayed history show that the update came after the
request.

Promise: between the request and the marker, every update of the session MUST be replayed history; the agent holds all
others until the marker is out.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#only-history-before-the-marker (RFD "v2 Replay
Complete Signal", section "Only history before the marker"),
https://agentclientprotocol.com/protocol/v2/session-setup#replay-contents (what is history: protocol v2, "Session
Setup", section "Replay Contents").

Fix: the agent keeps what is not history in a buffer of the session and sends it after the marker.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.replay.events import UpdateReceived
from replaylint.replay.states import BEFORE_MARKER, Trigger
from replaylint.rules.registry import ERROR, INFO, Counted, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Occurrences, Resume, Window
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL301",
    "live-before-marker",
    party="agent",
    severities=(ERROR, INFO),
    headline="the agent sent {count:live update} ({kinds}){elapsed} before the marker at line {marker_line}{doubt}",
    help="between request and marker only replayed history may come: hold the rest until the marker is out",
)


IN_FLIGHT: Final = " (no fault if sent before the request arrived)"
AMBIGUOUS: Final = " (no fault if sent for the session's other replay)"


@RULE.on(UpdateReceived, Trigger.LIVE)
def received(event: UpdateReceived) -> Iterator[Counted]:
    """An error only where the update cannot have been in flight and the replay is the only one."""
    if event.connection.version != 2:
        return
    for window in event.windows:
        if window.state in BEFORE_MARKER and window.surely_has(event.line):
            resume = window.resume
            yield Counted(window, ERROR if resume.was_active is False and not window.ambiguous else INFO)


@RULE.settles()
def settle(resume: Resume, window: Window | None, seen: Occurrences) -> Violation | None:
    """The window turned out to have a marker."""
    if window is None or window.complete is None:
        return None
    if window.ambiguous:
        seen.severity = INFO
    doubt = "" if seen.severity == ERROR else AMBIGUOUS if window.ambiguous else IN_FLIGHT
    return RULE.counted(window, seen, marker_line=window.complete.line, doubt=doubt)
