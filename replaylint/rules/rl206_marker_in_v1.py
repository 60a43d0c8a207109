"""`replay_complete` on a v1 connection.

The marker `replay_complete`, which ends a replay, belongs to version 2 of the protocol. On version 1 the list of
updates is closed: a client may reject a kind of update that it does not know, and with it the message or even the
connection.

It is an error, wherever on the connection it came. It counts as no marker there, so no other rule about markers looks
at it.

Promise: v1 defines a fixed set of updates without any marker; v1 clients rely on the response, or on an extension
that they opted in to. It is no MUST of its own, but what follows from the closed set.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#is-there-a-v1-form (RFD "v2 Replay Complete
Signal", section "Is there a v1 form?").

Fix: the agent sends `replay_complete` only where `initialize` agreed on version 2; on v1, if the client opted in to
it, it sends the vendor's event instead.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import UPDATE
from replaylint.protocol.variants import REPLAY_COMPLETE, variant_of
from replaylint.recording.message import CLIENT
from replaylint.replay.events import NotificationSent, UpdateReceived
from replaylint.replay.states import Trigger
from replaylint.rules.registry import ERROR, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL206",
    "marker-in-v1",
    party="agent",
    severities=(ERROR,),
    headline="the agent sent {count:replay_complete update} on a v1 connection",
    help="v1 has no such update, and its clients may fail on one that they do not know: send it on v2 connections only",
)


@RULE.on(UpdateReceived, Trigger.EITHER)
def received(event: UpdateReceived) -> Violation | None:
    """Wherever it came."""
    if event.variant != REPLAY_COMPLETE or event.connection.version != 1:
        return None
    return RULE.at(event, ERROR, window=event.window)


@RULE.on(NotificationSent, UPDATE)
def nameless(event: NotificationSent) -> Violation | None:
    """Also without a session."""
    named = event.session_id is not None or event.connection.version != 1
    if named or event.side is CLIENT or variant_of(event.params) != REPLAY_COMPLETE:
        return None
    violation = RULE.at(event, ERROR)
    violation.what = REPLAY_COMPLETE
    return violation
