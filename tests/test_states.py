"""The life of a window: the table is total, and every pair that can be reached is reached by a recording."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylint.recording.detect import recognise
from replaylint.recording.source import Source
from replaylint.replay.engine import Engine
from replaylint.replay.states import TABLE, Event, State
from replaylint.rules.runner import Runner
from tests.recordings import Recording

RULES = Path(__file__).parent / "rules"
Pair = tuple[State, Event]
PAIRS = [(state, event) for state in State for event in Event]

UNREACHABLE: dict[Pair, str] = {
    (State.REPLAYING, Event.ANNOUNCEMENT): "a further announcement of a child patches it, as history of its parent",
    (State.VENDOR_MARKED, Event.ANNOUNCEMENT): "as in replaying: only an unannounced window can be announced",
    (State.MARKED, Event.ANNOUNCEMENT): "as in replaying: only an unannounced window can be announced",
    (State.AFTER, Event.ANNOUNCEMENT): "a request that has ended takes no children",
    (State.AFTER, Event.END): "a request ends once",
}


class Curious(Runner):
    """A judge that listens to everything, so that no update is folded on the hot path, where no state is looked up."""

    def listens(self, _version: int | None, _state: State, _event: Event) -> bool:
        return True


class Row(dict[Event, State]):
    """A row of the table that notes which events are looked up in it."""

    def __init__(self, state: State, reached: set[Pair]) -> None:
        super().__init__(TABLE[state])
        self.state = state
        self.reached = reached

    def __getitem__(self, event: Event) -> State:
        self.reached.add((self.state, event))
        return super().__getitem__(event)


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> set[Pair]:
    """The pairs that the route looks up from here on."""
    pairs: set[Pair] = set()
    monkeypatch.setattr("replaylint.replay.route.TABLE", {state: Row(state, pairs) for state in State})
    return pairs


def replay(path: Path) -> None:
    engine = Engine(Curious(lambda _: None), lambda *_: None)
    with Source(str(path)) as source:
        engine.run(recognise(source).messages)
    engine.finish(closed=False)


def metadata_everywhere() -> Recording:
    """Usage after each of the two markers and after the response: no rule is about it."""
    recording = Recording().initialize_v2(opted_in=True).resume(1, "sA").vendor("sA").update("sA", "usage_update")
    recording.marker("sA").update("sA", "usage_update").idle("sA").result(1, {})
    return recording.update("sA", "usage_update")


def test_the_table_is_total() -> None:
    assert [(state, event) for state, row in TABLE.items() for event in row] == PAIRS
    assert all(after in State for row in TABLE.values() for after in row.values())


def test_every_pair_is_reached_or_cannot_be(reached: set[Pair], tmp_path: Path) -> None:
    more = tmp_path / "more.ndjson"
    more.write_bytes(b"\n".join(metadata_everywhere().lines()))
    for path in (*RULES.glob("*/*.ndjson"), more):
        replay(path)
    assert reached | UNREACHABLE.keys() == set(PAIRS)
    assert reached & UNREACHABLE.keys() == set()
