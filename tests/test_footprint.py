"""What is open takes little memory, and goes with what it belongs to."""

from __future__ import annotations

import gc
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from replaylint.analysis.run import Analysis, new_report, new_trace
from replaylint.recording.detect import recognise
from replaylint.recording.source import Source
from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from replaylint.report.model import Finding, Resume


def v2() -> Recording:
    return Recording().initialize_v2()


class Nowhere:
    """Takes resumes and findings."""

    def resume(self, resume: Resume) -> None:
        """Keep nothing."""

    def finding(self, finding: Finding) -> None:
        """Keep nothing."""


def saved(recording: Recording, folder: Path) -> str:
    path = folder / "trace.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in recording.lines()))
    return str(path)


def held(recording: Recording, folder: Path) -> int:
    """Bytes that are held when the recording has been read, and has not ended."""
    analysis = Analysis(new_report(), new_trace("x"), sink=Nowhere())
    with Source(saved(recording, folder)) as source:
        messages = recognise(source).messages
        gc.collect()
        tracemalloc.start()
        try:
            analysis.engine.run(messages)
            gc.collect()  # garbage is not held; how much there is depends on what ran before
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()


def requests(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.client(1000 + number, "_x")
    return made


def requests_without_an_id(n: int) -> Recording:
    made = v2()
    for _ in range(n):
        made.client(None, "_x")
    return made


def prompts(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.client(1000 + number, "session/prompt", sessionId=f"session {number}", prompt=[])
    return made


def children(n: int) -> Recording:
    made = v2().resume(1, "s")
    for number in range(n):
        made.child("s", f"child {number}")
    return made


def unmatched(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.result(1000 + number, {})
    return made


def connections(n: int) -> Recording:
    made = Recording()
    for number in range(n):
        made.initialize_v2()
        for each in made.records[-2:]:
            each["conn"] = number
    return made


@pytest.mark.parametrize(
    ("grow", "most"),
    [
        *((requests, 600), (prompts, 600), (children, 600), (unmatched, 600), (connections, 2000)),
        (requests_without_an_id, 2000),  # each with a finding, which takes up to 1 kB
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_is_open_takes_little(grow: Callable[[int], Recording], most: int, tmp_path: Path) -> None:
    # Dictionaries grow by doubling: over one doubling the average counts. The first run is for what stays from it.
    _, few, many = (held(grow(n), tmp_path) for n in (10, 1024, 2048))
    assert 0 < (many - few) / 1024 <= most
