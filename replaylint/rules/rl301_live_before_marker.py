"""A live update before the end-of-replay marker.

On v2 the marker `replay_complete` draws a line: what comes before it is history, what comes after it is not.
`notice`, `available_commands_update`, `config_option_update`, `current_mode_update` and `state_update` are never
history, and one of them came before the marker. A client that takes everything up to the marker for history mixes the
present into the past: it may store it, or let older entries overwrite it.

It is an error. It is only info where the session was active before the request, or may have been, because the agent
may have sent the update before it read the request; and where two replays of the session overlap, because the update
may belong to the other one. Without a marker in the request the rule is silent: then there is no line to cross.

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
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.states import Event, State
from replaylint.rules.registry import ERROR, INFO, Rule, Severity, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume, Seen, Window

RULE = Rule(
    "RL301",
    "live-before-marker",
    party="agent",
    severities=(ERROR, INFO),
    message="the agent sent {count:live update} ({kinds}){elapsed} before the marker at line {marker_line}; between "
    "request and marker only replayed history may come: hold the rest until the marker is out{doubt}",
)

IN_FLIGHT = " (no fault if sent before the request arrived)"
AMBIGUOUS = " (no fault if sent for the session's other replay)"


@RULE.sees(states={State.UNANNOUNCED, State.REPLAYING, State.VENDOR_MARKED}, events={Event.LIVE}, versions={2})
def see(window: Window, event: Event, seen: Seen) -> Severity:
    """Certain only where the update cannot have been in flight and the replay is the only one."""
    resume = window.resume
    return ERROR if resume.was_active is False and not resume.ambiguous else INFO


@RULE.at_request_end()
def settle(resume: Resume) -> Iterator[Violation]:
    """The window turned out to have a marker."""
    for window, seen in RULE.seen_in(resume):
        if window.complete is not None:
            doubt = "" if seen.severity == ERROR else AMBIGUOUS if resume.ambiguous else IN_FLIGHT
            yield RULE.counted(window, seen, marker_line=window.complete.line, doubt=doubt)
