"""`replay_complete` on a v1 connection.

The v1 union of updates is closed: an older client can fail on a variant that it does not know. v1 has no marker of its
own; its clients rely on the response, or on an extension that they opted in to.

Source: the RFD's section "Is there a v1 form?".

Fix: send `replay_complete` on v2 connections only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.facts import Fact
from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL206",
    "marker-in-v1",
    party="agent",
    says="{count:replay_complete update} on a v1 connection, whose clients may fail on a variant that v1 does not have",
)


@RULE.notices(Fact.MARKER_IN_V1)
def notice(connection: Connection, seen: Seen, window: Window | None) -> Hit:
    """Wherever it came."""
    return RULE.saw(ERROR, connection, seen, window=window)
