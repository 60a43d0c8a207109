"""A second end-of-replay marker of the same kind for one session of a request.

The marker says that the replay of a session has ended, and a replay ends once. A client that acts on the marker, by
showing or saving the history, acts twice; one that has asked for another replay meanwhile may take the second marker
for the end of that one.

It is an error, wherever the further marker stands: in the same request or after its response, up to the next resume
of the session. `replay_complete` and the vendor's event `loadReplayEnd` are different kinds: one of each is no
duplicate.

Promise: exactly one marker for each session of a replaying request: MUST. The vendor's event comes once for a whole
load.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", sections "The replay_complete update" and "Subagent sessions"),
https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361, section "When
the event is sent").

Fix: the agent sends the marker at one place in its code, where the replay of the session has ended.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.states import Event, State
from replaylint.rules.registry import ERROR, Rule, Violation

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Past, Seen, Window

RULE = Rule(
    "RL202",
    "duplicate-marker",
    party="agent",
    severities=(ERROR,),
    message="the agent sent {count:further end-of-replay marker} for a session that had its marker at line "
    "{marker_line}; each session of a request gets exactly one: send it where the replay of the session ends, "
    "and nowhere else",
)


@RULE.sees(states={State.VENDOR_MARKED, State.MARKED}, events={Event.MARKER, Event.VENDOR_MARKER})
def see(window: Window, event: Event, seen: Seen) -> Violation | None:
    """The session has a marker of this kind already."""
    mark = window.mark_of(event)
    if mark is None:
        return None
    return RULE.saw(ERROR, window.resume.connection, seen, window=window, marker_line=mark.line)


@RULE.sees_after(Event.MARKER, Event.VENDOR_MARKER)
def see_after(connection: Connection, past: Past, event: Event, seen: Seen) -> Violation | None:
    """The same, after the request's end: also where the first one was late."""
    first = past.line_of(event)
    return RULE.saw(ERROR, connection, seen, past=past, marker_line=first) if first else None
