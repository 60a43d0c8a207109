"""`--format ndjson` while recordings are read: nothing is kept that was printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.commands.inputs import complain_of
from replaylint.commands.output import Output
from replaylint.render.ndjson import Stream

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable

    from replaylint.report.model import Report


def streamed(linted: Callable[..., Report]) -> tuple[bool, Counter[str]]:
    """Print what `linted` hands to its `sink`.

    Returns whether an input could not be read to its end, and how many findings there are, by severity. Raises
    OutputError.
    """
    output = Output()

    def write(line: bytes) -> None:
        output.put(line)
        output.flush()  # who waits for it sees it

    stream = Stream(write)
    report = linted(sink=stream)
    failed = complain_of(report)
    stream.end(report)
    return failed, stream.failing
