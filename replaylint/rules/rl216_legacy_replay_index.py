"""Replayed updates carry the index of the vendor's first design.

It marked each replayed notification with `loadSessionReplayIndex` and the last one with
`loadSessionEndOfRecordedHistory`, and was replaced by one event at the end.

Source: the second seed, "Design change".

Fix: update the adapter; clients have to look for the event, not for the index.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol import vendor
from replaylint.replay.facts import Fact
from replaylint.rules.registry import INFO, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL216",
    "legacy-replay-index",
    party="agent",
    says="replayed updates carry {fields}, which the vendor replaced by one event at the end of the replay",
)


@RULE.notices(Fact.FIRST_HISTORY)
def notice(connection: Connection, seen: Seen, window: Window | None) -> Hit | None:
    """The index stands on every replayed update, so the first one of a window shows it."""
    fields = vendor.legacy_keys(seen.content)
    if not fields or window is None:
        return None
    return RULE.saw(INFO, connection, seen, window=window, fields=" and ".join(fields))
