"""An end-of-replay marker that nothing asked for.

A marker ends a replay that a client asked for. Here none was asked for this session: its last resume had no
`replayFrom` (or `null`), no resume named it at all (it may come from `session/new`), or it was none of the sessions
that the last replay held. A client that takes the marker at its word holds an empty or unrelated history for the
whole one.

It is an error. While a replay is pending that the marker may have been meant for, RL205 speaks instead. It is silent
where each side was recorded apart and another request may have asked for the marker.

Promise: the agent MUST NOT send the marker for a request that replays nothing, such as a resume without a cursor or
`session/new`.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", section "The replay_complete update"),
https://github.com/agentclientprotocol/claude-agent-acp/pull/1361 (claude-agent-acp, pull request 1361, section "When
the event is sent").

Fix: the agent sends the marker from the code that replays, not from what every resume or every new session runs
through.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/"}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import MarkerAssigned
from replaylint.rules.registry import ERROR, Rule, unless_guessed

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL204",
    "unrequested-marker",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent {count:end-of-replay marker}, but no request had asked for a replay of the session",
    help="a marker only ends a replay that was asked for: send it from there, not after every resume or new session",
    needs_beginning=True,
)

RULE.confirms(1)(unless_guessed)
RULE.confirms(2)(unless_guessed)


@RULE.on(MarkerAssigned)
def assigned(event: MarkerAssigned) -> Violation | None:
    """It belongs to no replay, none is pending that it could have been meant for, and no request may be lost."""
    owned = event.window is not None or event.past is not None
    if owned or event.unannounced or event.connection.lost_line:
        return None
    return RULE.at(event, ERROR)
