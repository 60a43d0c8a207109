"""Twice the recording is twice the work, whatever it has more of."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from replaylint import __file__ as package
from replaylint.analysis.lint import lint
from replaylint.recording.message import AGENT, CLIENT, Label, Skipped
from replaylint.replay.engine import Engine
from replaylint.replay.events import Stream
from replaylint.views.extract import Moved, Scope, Selection, Survey, accuses, same
from replaylint.views.timeline import Timelines
from tests.dimensions import DIMENSIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from types import FrameType

    from replaylint.recording.message import Message

SIZES: Final = (50, 100, 200)
MOST: Final = 2.1
"""The second doubling costs so many times as much as the first at most; what is quadratic, nearly four times."""

WATCHED: Final = 4
"""Instead of 100 pending replays: as long as there are fewer, each costs more than the one before."""

HOME: Final = package.removesuffix("__init__.py")


@pytest.fixture(autouse=True)
def few_are_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replaylint.replay.ownership.MAX_REPLAYS_WATCHED", WATCHED)


def operations(work: Callable[[], object]) -> int:
    """How many lines of replaylint are run, each time around a loop anew, and functions called."""
    count = 0

    def local(_frame: FrameType, _event: str, _arg: object) -> Callable[..., Any]:
        nonlocal count
        count += 1
        return local

    def begins(frame: FrameType, _event: str, _arg: object) -> Callable[..., Any] | None:
        return local if frame.f_code.co_filename.startswith(HOME) else None

    before = sys.gettrace()
    sys.settrace(begins)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def assert_linear(work: Callable[[int], Callable[[], object]]) -> None:
    """What this makes of a size costs twice as much for twice the size."""
    work(SIZES[0])()  # whatever is done but once
    small, middle, large = (operations(work(size)) for size in SIZES)
    assert large - middle <= MOST * (middle - small), (small, middle, large)


def saved(folder: Path, dimension: str, size: int) -> str:
    path = folder / f"{size}.ndjson"
    path.write_bytes(b"".join(line + b"\n" for line in DIMENSIONS[dimension](size).lines()))
    return str(path)


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_check(dimension: str, tmp_path: Path) -> None:
    def work(size: int) -> Callable[[], object]:
        path = saved(tmp_path, dimension, size)
        return lambda: lint(path)

    assert_linear(work)


@pytest.mark.parametrize("dimension", ["healthy_resumes", "resumes_of_one_session", "children", "answers_in_reverse"])
def test_timelines(dimension: str, tmp_path: Path) -> None:
    def work(size: int) -> Callable[[], object]:
        path = saved(tmp_path, dimension, size)

        def timelines() -> list[object]:
            made = Timelines()
            return list(made.of(lint(path, watch=made.begin)).values())

        return timelines

    assert_linear(work)


@pytest.mark.parametrize(
    "dimension",
    [
        *("healthy_resumes", "resumes_of_one_session", "resumes_with_findings", "answers_in_reverse_of_one_session"),
        *("children_from_the_last_to_the_first", "cancelled_resumes", "notifications_said_again"),
    ],
)
def test_extract(dimension: str, tmp_path: Path) -> None:
    """Of the last resume, in every scope."""

    def work(size: int) -> Callable[[], object]:
        path = saved(tmp_path, dimension, size)

        def extract() -> None:
            survey = Survey(path)
            selection = Selection(survey, len(survey.report.resumes))
            for scope in Scope:
                moved = Moved(selection.kept(scope))
                same(selection, moved, survey.report)
                accuses(moved, survey.report, survey.report)

        return extract

    assert_linear(work)


def test_lines_that_were_not_read_beside_connections() -> None:
    """Each concerns all connections; nobody has to tell all of them each time."""

    def messages(size: int) -> Iterator[Message]:
        body = {"jsonrpc": "2.0", "id": 0, "method": "session/resume", "params": {"sessionId": "s"}}
        for number in range(size):
            yield 2 * number + 1, 0.0, None, Label(number), 0
            yield 2 * number + 2, 0.0, CLIENT, body, 100
        for number in range(size):
            yield 2 * size + number, 0.0, None, Skipped(too_long=True), 0
        for number in range(size):
            yield 3 * size + number, 0.0, AGENT, {"jsonrpc": "2.0", "id": number, "result": {}}, 100

    def work(size: int) -> Callable[[], object]:
        engine = Engine(Stream())

        def run() -> None:
            engine.run(messages(size))
            engine.finish(closed=True)

        return run

    assert_linear(work)
