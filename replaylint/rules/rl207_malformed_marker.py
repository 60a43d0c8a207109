"""Nearly an end-of-replay marker, but none for any client.

The marker that ends a replay is a `session/update` with a string `sessionId` and the variant `replay_complete`. This
message means the same and is something else: a variant with another spelling, which clients do not know and ignore; a
notification of its own, which can reach an application by another way than the updates and so lose its place behind
the last of them; or a marker without a session, which marks nothing. The agent believes that it has sent the marker,
and no client gets it.

It is an error.

Promise: the marker has one form, the variant `replay_complete` of `session/update`, on the session's own `sessionId`:
MUST.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#the-replay_complete-update (RFD "v2 Replay
Complete Signal", sections "The replay_complete update", "Why a session/update variant and not a new notification
method?" and "Open questions").

Fix: the agent sends a `session/update` with `{"sessionId": …, "update": {"sessionUpdate": "replay_complete"}}`.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_end"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import REPLAY_COMPLETE
from replaylint.replay.facts import Fact
from replaylint.rules.registry import ERROR, Rule, Violation

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL207",
    "malformed-marker",
    party="agent",
    severities=(ERROR,),
    message="the agent sent {what}, which no client takes for the end-of-replay marker; the marker is a session/update "
    "with a string sessionId and the variant replay_complete",
)


@RULE.notices(Fact.NEAR_MISS)
def notice(connection: Connection, seen: Seen, window: Window | None) -> Violation:
    """A variant, a method, or a marker without a session."""
    what = seen.what
    if what == REPLAY_COMPLETE:
        what += " as a notification of its own" if seen.session_id else " without a string sessionId"
    return RULE.saw(ERROR, connection, seen, window=window, what=what)
