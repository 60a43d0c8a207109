"""`--format ndjson` while recordings are read: nothing is kept that was printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.commands.inputs import complain_of
from replaylint.commands.output import Output
from replaylint.render.ndjson import Stream
from replaylint.report.lint import lint

if TYPE_CHECKING:
    from collections import Counter
    from typing import Any


def streamed(traces: list[str], **options: Any) -> tuple[bool, Counter[str]]:
    """Lint and print; whether an input could not be read to its end, and how many findings there are, by severity.

    `options` are those of `lint`. Raises OutputError.
    """
    output = Output()

    def write(line: bytes) -> None:
        output.put(line)
        output.flush()  # who waits for it sees it

    stream = Stream(write)
    report = lint(traces, sink=stream, **options)
    failed = complain_of(report)
    stream.end(report)
    return failed, stream.failing
