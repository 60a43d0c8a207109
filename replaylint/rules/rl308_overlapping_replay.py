"""A second replay of a session was requested while one was pending.

The marker carries the session, not the request, so a client cannot match two markers to two requests: clients SHOULD
NOT send the second one. The updates of both replays come interleaved on one stream.

Source: the RFD's section "Can a Client resume the same session twice at the same time on one connection?".

Fix: wait for the response of the first request, or cancel it and wait for the response to that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.facts import Fact
from replaylint.rules.registry import WARNING, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL308",
    "overlapping-replay",
    party="client",
    says="a second replay of the session was requested while that of line {pending_line} was pending; their markers "
    "and updates cannot be told apart",
)


@RULE.notices(Fact.OVERLAP)
def notice(connection: Connection, seen: Seen, window: Window | None) -> Hit:
    """At the second request."""
    return RULE.saw(WARNING, connection, seen, window=window, pending_line=seen.content["line"])
