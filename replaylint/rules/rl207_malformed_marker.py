"""Almost an end-of-replay marker, which clients ignore.

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
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_end"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import UPDATE
from replaylint.protocol.variants import NEAR_MISS_METHODS, NEAR_MISSES, REPLAY_COMPLETE, variant_of
from replaylint.recording.message import CLIENT
from replaylint.replay.events import NotificationSent, UpdateReceived
from replaylint.replay.states import Trigger
from replaylint.rules.registry import ERROR, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL207",
    "malformed-marker",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent {what}, which no client takes for the end-of-replay marker",
    help="the marker is a session/update with a string sessionId and the variant replay_complete",
)


@RULE.on(UpdateReceived, Trigger.EITHER)
def received(event: UpdateReceived) -> Violation | None:
    """A variant that is nearly the marker's."""
    if event.variant not in NEAR_MISSES:
        return None
    return RULE.at(event, ERROR, window=event.window, what=event.variant)


@RULE.on(NotificationSent)
def sent(event: NotificationSent) -> Violation | None:
    """A method of its own, or a marker that names no session."""
    method = event.method
    if event.side is CLIENT:
        return None
    if method == UPDATE:
        return _nameless(event)
    if not method.endswith(NEAR_MISS_METHODS):
        return None
    named = " as a notification of its own" if event.session_id else " without a string sessionId"
    what = method + named if method == REPLAY_COMPLETE else method
    return RULE.at(event, ERROR, window=event.window, what=what)


def _nameless(event: NotificationSent) -> Violation | None:
    variant = variant_of(event.params)
    v1 = event.connection.version == 1  # where it is no marker, whatever it names
    if event.session_id is not None or variant not in NEAR_MISS_METHODS or (v1 and variant == REPLAY_COMPLETE):
        return None
    what = f"{variant} without a string sessionId" if variant == REPLAY_COMPLETE else variant
    violation = RULE.at(event, ERROR, what=what)
    violation.what = variant or ""
    return violation
