"""`recorder`: what `replaylint record` writes. An envelope whose first record is a header of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.formats import envelope

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME: Final = "recorder"
VERSION_KEY: Final = "replaylint"


def sniff(records: Sequence[dict[str, object]]) -> int:
    """All of them, where one bears this recorder's mark."""
    return len(records) if any(VERSION_KEY in record for record in records) else 0


read = envelope.read
