"""Twice as much of anything takes twice the work, and what is open takes little memory.

Work is counted in lines of the package that are run, so that the numbers are the same on any machine.
"""

from __future__ import annotations

import json
import sys
import tracemalloc
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

import replaylint
from replaylint.analysis.lint import lint, watched
from replaylint.analysis.run import Analysis, new_report, new_trace
from replaylint.recording.detect import recognise
from replaylint.recording.source import Source
from replaylint.views.timeline import Timelines
from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from replaylint.report.model import Finding, Resume

N: Final = 150
"""More than the pending replays that are looked through for one message."""
PACKAGE: Final = str(Path(replaylint.__file__).parent)


def v2() -> Recording:
    return Recording().initialize_v2()


def pending_of_one_session(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.resume(number + 1, "s")
    for number in range(n):
        made.message("s", f"m{number}").marker("s")
    for number in range(n):
        made.result(number + 1, {})
    return made


def answered_in_reverse(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.resume(number + 1, f"s{number}")
    for number in reversed(range(n)):
        made.marker(f"s{number}").result(number + 1, {})
    return made


def prompts_beside_pending(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.resume(number + 1, f"s{number}").client(f"p{number}", "session/prompt", sessionId=f"s{number}", prompt=[])
    for number in range(n):
        made.record("c2a", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": f"s{number}"}})
        made.client(f"c{number}", "session/close", sessionId=f"s{number}")
    return made


def cancels_of_one_session(n: int) -> Recording:
    made = v2().resume(1, "s")
    for number in range(n):
        made.client(f"p{number}", "session/prompt", sessionId="s", prompt=[])
        made.record("c2a", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}})
    return made


def invalid_ids(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.client(number + 0.5, "_x")
    for _ in range(n):
        made.error(None, -32600)
    return made


def one_id(n: int) -> Recording:
    made = v2()
    for _ in range(n):
        made.client(7, "_x")
    for _ in range(n):
        made.result(7, {})
    return made


def vendor_events_and_children(n: int) -> Recording:
    made = v2().resume(1, "s")
    for number in range(n):
        made.child("s", f"c{number}")
    for _ in range(n):
        made.vendor("s")
    return made.result(1, {})


def losses_beside_pending(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.resume(number + 1, f"s{number}")
        made.records.append({"ts": made.records[-1]["ts"], "dir": "meta", "event": "dropped", "count": 1})
    return made


def skipped_lines_and_connections(n: int) -> Recording:
    made = Recording()
    for number in range(n):
        made.client(1, "session/prompt", sessionId="s", prompt=[])
        made.records[-1]["conn"] = number
        made.records.append({"deep": 1})
    return made


def strangers(n: int) -> Recording:
    made = v2().resume(1, "s")
    for number in range(n):
        made.message(f"x{number}", "m")
    for number in range(n):
        made.child("s", f"x{number}")
    return made.marker("s").idle("s").result(1, {})


def healthy(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.resume(number + 1, f"s{number}").message(f"s{number}", "m").marker(f"s{number}").idle(f"s{number}")
        made.result(number + 1, {})
    return made


DIMENSIONS: Final = (
    *(pending_of_one_session, answered_in_reverse, prompts_beside_pending, cancels_of_one_session, invalid_ids, one_id),
    *(vendor_events_and_children, losses_beside_pending, skipped_lines_and_connections, strangers, healthy),
)


def written(recording: Recording, folder: Path) -> str:
    path = folder / "trace.ndjson"
    deep = b"[" * 1100 + b"]" * 1100
    lines = [deep if "deep" in each else json.dumps(each).encode() for each in recording.records]
    path.write_bytes(b"\n".join([*lines, b""]))
    return str(path)


def work(run: Callable[[], object]) -> int:
    """How many lines of the package this runs."""
    count = 0

    def local(_frame: FrameType, event: str, _: object) -> Any:
        nonlocal count
        count += event == "line"
        return local

    def begun(frame: FrameType, _event: str, _: object) -> Any:
        return local if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(begun)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("grow", DIMENSIONS, ids=lambda grow: grow.__name__)
def test_twice_as_much_takes_twice_the_work(grow: Callable[[int], Recording], tmp_path: Path) -> None:
    small, large = (work(partial(lint, written(grow(n), tmp_path))) for n in (N, 2 * N))
    assert small > 10 * N
    assert large < 2.4 * small


def test_timelines_take_twice_the_work(tmp_path: Path) -> None:
    def run(path: str) -> object:
        return watched(path, lambda stream: Timelines().begin(stream, lambda line: (path, line)))

    small, large = (work(partial(run, written(healthy(n), tmp_path))) for n in (N, 2 * N))
    assert large < 2.4 * small


# Memory


class Nowhere:
    """Takes resumes and findings."""

    def resume(self, resume: Resume) -> None:
        """Keep nothing."""

    def finding(self, finding: Finding) -> None:
        """Keep nothing."""


def held(recording: Recording, folder: Path) -> int:
    """Bytes that are held when the recording has been read, and has not ended."""
    analysis = Analysis(new_report(), new_trace("x"), sink=Nowhere())
    with Source(written(recording, folder)) as source:
        messages = recognise(source).messages
        tracemalloc.start()
        try:
            analysis.engine.run(messages)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()


def requests(n: int) -> Recording:
    made = v2()
    for number in range(n):
        made.client(1000 + number, "_x")
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
    [(requests, 600), (prompts, 620), (children, 640), (unmatched, 600), (connections, 2000)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_is_open_takes_little(grow: Callable[[int], Recording], most: int, tmp_path: Path) -> None:
    # Dictionaries grow by doubling: over one doubling the average counts. The first run is for what stays from it.
    _, few, many = (held(grow(n), tmp_path) for n in (10, 1024, 2048))
    assert 0 < (many - few) / 1024 <= most
