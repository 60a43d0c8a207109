"""The life of a window: the table is total, and every pair that can be reached is reached by a recording."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylint.recording.detect import recognise
from replaylint.recording.source import Source
from replaylint.replay.engine import Engine
from replaylint.replay.events import Stream
from replaylint.replay.states import TABLE, State, Trigger
from tests.recordings import Recording

RULES = Path(__file__).parent / "rules"
Pair = tuple[State, Trigger]
PAIRS = [(state, trigger) for state in State for trigger in Trigger]

UNREACHABLE: dict[Pair, str] = {
    (State.REPLAYING, Trigger.ANNOUNCEMENT): "a further announcement of a child patches it, as history of its parent",
    (State.VENDOR_MARKED, Trigger.ANNOUNCEMENT): "as in replaying: only an unannounced window can be announced",
    (State.MARKED, Trigger.ANNOUNCEMENT): "as in replaying: only an unannounced window can be announced",
    **{
        (State.AFTER, trigger): "a window that ended is no more: what still comes is the aftermath's"
        for trigger in Trigger
    },
}


class Row(dict[Trigger, State]):
    """A row of the table that notes which triggers are looked up in it."""

    def __init__(self, state: State, reached: set[Pair]) -> None:
        super().__init__(TABLE[state])
        self.state = state
        self.reached = reached

    def __getitem__(self, trigger: Trigger) -> State:
        self.reached.add((self.state, trigger))
        return super().__getitem__(trigger)


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> set[Pair]:
    """The pairs that are looked up from here on."""
    pairs: set[Pair] = set()
    monkeypatch.setattr("replaylint.replay.ownership.TABLE", {state: Row(state, pairs) for state in State})
    return pairs


def replay(path: Path) -> None:
    stream = Stream()
    stream.everything = True  # so that no update is folded on the hot path, where no state is looked up
    engine = Engine(stream)
    with Source(str(path)) as source:
        engine.run(recognise(source).messages)
    engine.finish(closed=False)


def metadata_everywhere() -> Recording:
    """Usage after each of the two markers and after the response: no rule is about it."""
    recording = Recording().initialize_v2(opted_in=True).resume(1, "sA").vendor("sA").update("sA", "usage_update")
    recording.marker("sA").update("sA", "usage_update").idle("sA").result(1, {})
    return recording.update("sA", "usage_update")


def early(*markers: str) -> Recording:
    """All that can come for a child between its markers and its announcement; another child is never announced."""
    recording = Recording().initialize_v2(opted_in=True).resume(1, "sA")
    for child in ("c", "never"):
        for marker in markers:
            recording = recording.marker(child) if marker == "standard" else recording.vendor(child)
            recording.message(child, f"{child}-{marker}").update(child, "notice").update(child, "usage_update")
            recording.agent(f"{child}-{marker}", "session/request_permission", sessionId=child)
    return recording.child("sA", "c").marker("sA").idle("sA").result(1, {})


def test_the_table_is_total() -> None:
    assert [(state, trigger) for state, row in TABLE.items() for trigger in row] == PAIRS
    assert all(after in State for row in TABLE.values() for after in row.values())


def test_every_pair_is_reached_or_cannot_be(reached: set[Pair], tmp_path: Path) -> None:
    orders = [
        ("standard", "vendor"),
        ("vendor", "vendor"),
        ("standard", "standard"),
        ("vendor", "standard"),
        ("vendor",),
    ]
    more = [metadata_everywhere(), *(early(*order) for order in orders)]
    for path in RULES.glob("*/*.ndjson"):
        replay(path)
    path = tmp_path / "more.ndjson"
    for recording in more:
        path.write_bytes(b"\n".join(recording.lines()))
        replay(path)
    assert reached | UNREACHABLE.keys() == set(PAIRS)
    assert reached & UNREACHABLE.keys() == set()
