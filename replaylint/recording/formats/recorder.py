"""`recorder`: what `replaylint record` writes. An envelope whose first record is a header of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.formats import envelope

if TYPE_CHECKING:
    from replaylint.recording.formats import Head

NAME: Final = "recorder"
EXAMPLE: Final = '{"ts":1764400000012,"mono_ns":135456789,"conn":1,"dir":"out","msg":{"jsonrpc":"2.0",…}}'

VERSION_KEY: Final = "replaylint"


def sniff(head: Head) -> int:
    """All of it and one more, where a record has the mark of this recorder: an envelope has all of it, too."""
    return len(head.records) + 1 if any(VERSION_KEY in record for record in head.records) else 0


read = envelope.read
