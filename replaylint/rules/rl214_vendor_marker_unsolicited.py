"""The vendor's end-of-replay event, though the client did not ask for it.

The event is for clients that declare the capability `loadReplayEnd`; to others it is not sent.

Source: the second seed, "What" and "When the event is sent".

Fix: look for the capability in what `initialize` sent before sending the event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.facts import Fact
from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL214",
    "vendor-marker-unsolicited",
    party="agent",
    says="{count:vendor event} at the end of a replay, though the client did not declare loadReplayEnd",
    needs_beginning=True,
)


@RULE.notices(Fact.VENDOR_EVENT)
def notice(connection: Connection, seen: Seen, window: Window | None) -> Hit | None:
    """The client's `initialize` is in the recording and does not declare it."""
    return None if connection.opted_in else RULE.saw(ERROR, connection, seen, window=window)
