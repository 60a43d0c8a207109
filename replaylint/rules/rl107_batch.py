"""Several messages in one JSON array.

JSON-RPC calls it a batch. ACP's implementations have dropped it: a receiver of today may reject the whole array, and
with it every message in it. Here each message in it is analysed.

It is a warning about the side that sent it.

Promise: one message a line; the SDKs have no batches since autumn 2026.

Source: https://www.jsonrpc.org/specification#batch (JSON-RPC 2.0, section "Batch");
https://agentclientprotocol.com/protocol/v1/transports#stdio (protocol v1, "Transports", section "stdio").

Fix: the side that sent it writes each message on a line of its own.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → [{"method":"session/cancel","params":{"sessionId":"s"}}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import Batch, Noted
from replaylint.rules.registry import WARNING, Rule
from replaylint.rules.words import Count, method_of

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL107",
    "batch",
    party=None,
    severities=(WARNING,),
    headline="{count:array} of messages from the {sender}, the first of {items:message}",
    help="receivers no longer take batches: write one message a line",
)


@RULE.on(Noted, Batch)
def batch(event: Noted) -> Violation:
    """One finding a side."""
    items = event.note.items if isinstance(event.note, Batch) else []
    sender = event.side or "agent"
    violation = RULE.at(event, WARNING, about=event.side, sender=sender, items=Count(len(items)))
    violation.what = method_of(items[0]) if items else ""
    return violation
