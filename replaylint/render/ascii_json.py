"""JSON in printable ASCII, for programs: a log or a terminal that shows it cannot interpret it."""

from __future__ import annotations

from json import dumps
from typing import TYPE_CHECKING

from replaylint.render.escape import harmless

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def dumped(value: object) -> bytes:
    """This value on one line. orjson would leave controls and marks beyond ASCII as they are."""
    return harmless(dumps(value).encode())


def listed(values: Iterable[object]) -> Iterator[bytes]:
    """These values as an array with a line for each: there may be many."""
    separator = b"[\n"
    for value in values:
        yield separator + dumped(value)
        separator = b",\n"
    yield b"[]" if separator == b"[\n" else b"\n]"
