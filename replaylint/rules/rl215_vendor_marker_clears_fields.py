"""The vendor's end-of-replay event has a `title` or an `updatedAt`.

It is a `session_info_update`, in which null clears a field: the event has neither key. With one the client loses or
changes what it knows of the session.

Source: the second seed, "When the event is sent".

Fix: leave both keys out of the event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.facts import Fact
from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Seen, Window

RULE = Rule(
    "RL215",
    "vendor-marker-clears-fields",
    party="agent",
    says="the vendor event at the end of the replay has {fields}, which sets or clears what the client knows of the "
    "session",
)


@RULE.notices(Fact.VENDOR_EVENT)
def notice(connection: Connection, seen: Seen, window: Window | None) -> Hit | None:
    """Whatever the value."""
    fields = [key for key in ("title", "updatedAt") if key in seen.content]
    if not fields:
        return None
    return RULE.saw(ERROR, connection, seen, window=window, fields=" and ".join(fields))
