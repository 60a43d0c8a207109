"""Clocks: which one counts, what a step of it voids, and how exact the figures are."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from orjson import dumps

from replaylint.analysis.lint import lint
from replaylint.recording.clock import choose
from replaylint.render import renderer
from replaylint.render.view import View
from replaylint.replay.timing import FIGURES
from tests.command_line import run
from tests.recordings import Message, Recording, found, report_of, report_of_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

START_MS = 1764400000001
UNKNOWN = "a time is missing, or the clock went back"

# Milliseconds since the record before: initialize, its result; request, two updates, marker, snapshot, response.
STEPS_MS = (0, 10, 10, 20, 300, 5, 700, 1000)
REQUEST, FIRST, LAST, MARKER, STATE, RESPONSE = range(3, 9)
TIMES_MS = [sum(STEPS_MS[: number + 1]) for number in range(len(STEPS_MS))]
SPANS = {
    "to_first_update_s": (REQUEST, FIRST),
    "replay_s": (REQUEST, MARKER),
    "marker_lag_s": (LAST, MARKER),
    "response_gap_s": (MARKER, RESPONSE),
    "snapshot_gap_s": (MARKER, STATE),
    "total_s": (REQUEST, RESPONSE),
    "longest_pause_s": (FIRST, LAST),
    "gap_longest_pause_s": (MARKER, RESPONSE),
    "gap_waiting_for_client_s": (MARKER, RESPONSE),
}
"""The lines between which each figure lies."""
FIGURES_S = {
    "to_first_update_s": 0.02,
    "replay_s": 0.325,
    "marker_lag_s": 0.005,
    "response_gap_s": 1.7,
    "snapshot_gap_s": 0.7,
    "total_s": 2.025,
    "longest_pause_s": 0.3,
    "gap_longest_pause_s": 1.0,
    "gap_waiting_for_client_s": 0.0,
}


def recorded(
    path: Path, stamp: Callable[[int, int], dict[str, Any]], *, session: str = "s", replay: bool = True
) -> Path:
    """A resume; `stamp` gives the time fields of a record, from its line and its true time in milliseconds."""
    recording = Recording().initialize_v2().resume(1, session, replay=replay)
    if replay:
        recording.message(session, "u", who="user_message").message(session, "a").marker(session)
    recording.idle(session).result(1, {})
    records = []
    for number, record in enumerate(recording.records):
        del record["ts"]
        records.append(dumps({**stamp(number + 1, TIMES_MS[number]), **record}) + b"\n")
    path.write_bytes(b"".join(records))
    return path


def wall(_line: int, time_ms: int) -> dict[str, Any]:
    return {"ts": START_MS + time_ms}


def timing(report: Message) -> dict[str, float | None]:
    figures: dict[str, float | None] = report["resumes"][0]["sessions"][0]["timing"]
    return {name: figures[name] for name in FIGURES}


def text_of(path: Path, **options: Any) -> str:
    return "".join(map(str, renderer("text").render(lint(path), View(**options))))


def test_the_figures_of_a_clock_without_steps(tmp_path: Path) -> None:
    report = report_of_file(recorded(tmp_path / "trace", wall))
    assert timing(report) == FIGURES_S
    assert (report["traces"][0]["timestamps"], report["summary"]["unmeasured"]) == ("wall", {})


# Monotonic over wall


@pytest.mark.parametrize("key", ["mono_ns", "t_mono_ns"])
@pytest.mark.parametrize("jump_ms", [-3_600_000, -3, 3, 3_600_000])
@pytest.mark.parametrize("at", range(2, 9))
def test_a_monotonic_clock_wins_over_a_wall_clock_that_steps(at: int, jump_ms: int, key: str, tmp_path: Path) -> None:
    def stamp(line: int, time_ms: int) -> dict[str, Any]:
        return {"ts": START_MS + time_ms + (jump_ms if line >= at else 0), key: 77_000_000 + time_ms * 1_000_000}

    path = recorded(tmp_path / "trace", stamp)
    report = report_of_file(path)
    assert report["traces"][0]["timestamps"] == "monotonic"
    assert timing(report) == FIGURES_S
    assert found(report) == []
    assert report["summary"]["unmeasured"] == {}
    assert "monotonic times exact to 1 \N{MICRO SIGN}s; " in text_of(path)


def test_the_times_of_a_monotonic_clock_read_as_wall_times(tmp_path: Path) -> None:
    def stamp(_line: int, time_ms: int) -> dict[str, Any]:
        return {"ts": START_MS + time_ms, "mono_ns": 77_000_000 + time_ms * 1_000_000}

    request = report_of_file(recorded(tmp_path / "trace", stamp))["resumes"][0]["request"]
    assert request["time"] == pytest.approx((START_MS + TIMES_MS[2]) / 1000, abs=1e-6)


def test_a_monotonic_clock_that_few_records_have_is_none(tmp_path: Path) -> None:
    def stamp(line: int, time_ms: int) -> dict[str, Any]:
        return {"ts": START_MS + time_ms, **({"mono_ns": 5} if line < 3 else {})}

    report = report_of_file(recorded(tmp_path / "trace", stamp))
    assert report["traces"][0]["timestamps"] == "wall"
    assert timing(report) == FIGURES_S


@pytest.mark.parametrize("at", range(2, 9))
def test_a_monotonic_clock_that_steps_is_a_clock_that_steps(at: int, tmp_path: Path) -> None:
    """The wall clock beside it does not step in for it."""

    def stamp(line: int, time_ms: int) -> dict[str, Any]:
        back = 5_000_000_000 if line >= at else 0
        return {"ts": START_MS + time_ms, "mono_ns": 77_000_000 + time_ms * 1_000_000 - back}

    assert timing(report_of_file(recorded(tmp_path / "trace", stamp))) == voided(at)


# A clock that goes back


def voided(at: int) -> dict[str, float | None]:
    """The figures where the clock went back before the message at this line."""
    return {name: None if first < at <= last else FIGURES_S[name] for name, (first, last) in SPANS.items()}


def stepping(at: int, back_ms: float) -> Callable[[int, int], dict[str, Any]]:
    return lambda line, time_ms: {"ts": (START_MS + time_ms - (back_ms if line >= at else 0)) / 1000}


@pytest.mark.parametrize("at", range(2, 10))
def test_a_step_voids_what_spans_it_and_nothing_else(at: int, tmp_path: Path) -> None:
    path = recorded(tmp_path / "trace", stepping(at, 90_000))
    report = report_of_file(path)
    assert timing(report) == voided(at)
    assert found(report) == ([("RL004", "warning", at)] if at < 9 else [])
    gone = MARKER < at <= RESPONSE
    assert report["summary"]["unmeasured"] == ({"clock": 1} if gone else {})
    text = text_of(path)
    assert (f"response gap unknown: {UNKNOWN}\n" in text) is gone
    assert ("response gap 1.70 s: " in text) is not gone
    assert (f"no response gap: {UNKNOWN} (1)\n" in text_of(path, statistics=True)) is gone
    for name, distribution in report["summary"]["timing"].items():
        assert distribution["n"] == (voided(at)[name] is not None)


def test_two_steps_void_what_either_voids(tmp_path: Path) -> None:
    def stamp(line: int, time_ms: int) -> dict[str, Any]:
        return {"ts": START_MS + time_ms - 5000 * (line >= FIRST) - 5000 * (line >= STATE)}

    figures = timing(report_of_file(recorded(tmp_path / "trace", stamp)))
    first, second = voided(FIRST), voided(STATE)
    assert figures == {name: None if first[name] is None else second[name] for name in FIGURES}
    assert {name for name, each in figures.items() if each is not None} == {"marker_lag_s", "longest_pause_s"}


@pytest.mark.parametrize("at", range(2, 9))
def test_a_step_of_two_milliseconds_counts_as_none(at: int, tmp_path: Path) -> None:
    """Where the true time between two messages was none, so is the figure."""

    def stamp(line: int, _time_ms: int) -> dict[str, Any]:
        return {"ts": START_MS - (2 if line >= at else 0)}

    report = report_of_file(recorded(tmp_path / "trace", stamp))
    assert timing(report) == dict.fromkeys(FIGURES, 0.0)
    assert found(report) == []


def test_a_step_concerns_its_recording_and_connection_only(tmp_path: Path) -> None:
    paths = [
        recorded(tmp_path / "a", stepping(STATE, 90_000)),
        recorded(tmp_path / "b", wall),
        recorded(tmp_path / "c", never),
    ]
    summary = report_of_file(*paths, group_by="file")["summary"]
    assert summary["unmeasured"] == {"no_times": 1, "clock": 1}
    assert summary["timing"]["response_gap_s"]["n"] == 1
    assert [each["unmeasured"] for each in summary["groups"]] == [{}, {"clock": 1}, {"no_times": 1}]


def test_a_step_leaves_other_resumes_their_figures(tmp_path: Path) -> None:
    """The clock is set back for good between two resumes, and inside a third."""
    recording = Recording().initialize_v2()
    for ident, back in ((1, 0.0), (2, 3600.0), (3, 0.0)):
        recording.time -= back
        recording.resume(ident, "s").message("s", "u", who="user_message").message("s", "a").marker("s")
        if ident == 3:
            recording.time -= 3600
        recording.idle("s").result(ident, {}, 0.25)
    path = tmp_path / "trace"
    path.write_bytes(b"".join(line + b"\n" for line in recording.lines()))
    report = report_of_file(path)
    figures = [each["sessions"][0]["timing"] for each in report["resumes"]]
    assert [each["response_gap_s"] for each in figures] == [0.26, 0.26, None]
    assert [each["replay_s"] for each in figures] == [0.03, 0.03, 0.03]
    assert [each["total_s"] for each in figures] == [0.29, 0.29, None]
    assert report["summary"]["unmeasured"] == {"clock": 1}


@pytest.mark.parametrize("line", [REQUEST, FIRST, LAST, MARKER, STATE, RESPONSE])
def test_a_message_without_a_time_voids_what_begins_or_ends_there(line: int, tmp_path: Path) -> None:
    figures = timing(
        report_of_file(recorded(tmp_path / "trace", lambda at, time_ms: {} if at == line else wall(at, time_ms)))
    )
    wanted = {name: None if line in span else FIGURES_S[name] for name, span in SPANS.items()}
    if line == STATE:
        wanted["gap_longest_pause_s"] = None
    assert figures == wanted


def test_the_command_says_it_too(tmp_path: Path) -> None:
    path = recorded(tmp_path / "trace", stepping(STATE, 90_000))
    result = run("--statistics", "--max-gap", "2s", "--fail-on", "warning", path)
    assert result.returncode == 1
    assert f"no response gap: {UNKNOWN} (1)\n" in result.stdout
    concise = run("-f", "concise", "--max-gap", "2s", path).stdout
    assert f"whether the response gap is at most 2.00 s cannot be judged for 1 of 1 replay: {UNKNOWN};" in concise


# Resolution


def seconds(_line: int, time_ms: int) -> dict[str, Any]:
    return {"ts": (START_MS + 10 * time_ms) // 1000}


def tenths(_line: int, time_ms: int) -> dict[str, Any]:
    return {"t": (START_MS + time_ms) // 100 / 10}


def iso_ms(_line: int, time_ms: int) -> dict[str, Any]:
    moment = datetime.fromtimestamp((START_MS + time_ms) / 1000, UTC)
    return {"timestamp": moment.isoformat(timespec="milliseconds")}


def iso_s(_line: int, time_ms: int) -> dict[str, Any]:
    moment = datetime.fromtimestamp((START_MS + time_ms) // 1000, UTC)
    return {"timestamp": moment.isoformat(timespec="seconds")}


def micros(line: int, time_ms: int) -> dict[str, Any]:
    return {"ts": (START_MS + time_ms) / 1000 + 1e-6 * (line + 1)}


def nanos(_line: int, time_ms: int) -> dict[str, Any]:
    return {"ts": START_MS + time_ms, "mono_ns": 77_000_123 + time_ms * 1_000_000}


def never(_line: int, _time_ms: int) -> dict[str, Any]:
    return {}


STAMPS: dict[Callable[[int, int], dict[str, Any]], tuple[float, str]] = {
    seconds: (1.0, "1 s"),
    iso_s: (1.0, "1 s"),
    tenths: (0.1, "100 ms"),
    wall: (0.001, "1 ms"),
    iso_ms: (0.001, "1 ms"),
    micros: (1e-6, "1 \N{MICRO SIGN}s"),
    nanos: (1e-6, "1 \N{MICRO SIGN}s"),
}
"""How exact they are, and how that is said. Finer than a microsecond, nothing is."""


@pytest.mark.parametrize("stamp", STAMPS, ids=lambda stamp: stamp.__name__)
def test_the_resolution_of_a_recording(stamp: Callable[[int, int], dict[str, Any]], tmp_path: Path) -> None:
    path = recorded(tmp_path / "trace", stamp)
    report = report_of_file(path)
    resolution, said = STAMPS[stamp]
    assert report["traces"][0]["resolution_s"] == pytest.approx(resolution, rel=1e-9)
    assert report["summary"]["resolution_s"] == report["traces"][0]["resolution_s"]
    assert f"timings of 1 replay, times exact to {said}\n" in text_of(path, statistics=True)
    assert f" exact to {said}; " in text_of(path)


@pytest.mark.parametrize(
    ("values", "granularity", "resolution"),
    [
        ([5.0, 5.1], 0.1, None),
        ([5, 6, 7, 5, 6, 7, 7], 1.0, None),
        ([5, 6, 7, 8], 1.0, 1.0),
        ([5.1, 5.2, 5.3, 5], 0.1, 0.1),
        ([5.001], 0.001, 0.001),
        ([5000.001, 6], 0.001, 0.001),
        ([1764400000000], 0.001, 0.001),
        (["2025-11-29T07:06:40Z"], 1.0, 1.0),
        (["2025-11-29T07:06:40.1Z"], 0.1, 0.1),
    ],
)
def test_few_round_numbers_do_not_show_how_exact_a_clock_is(
    values: list[object], granularity: float, resolution: float | None
) -> None:
    """A number loses its zeros at the end, a text does not."""
    clock = choose([{"ts": value} for value in values])
    assert (clock.granularity_s, clock.resolution_s) == (granularity, resolution)


def test_of_few_times_the_report_does_not_say_how_exact_they_are(tmp_path: Path) -> None:
    path = tmp_path / "trace.ndjson"
    path.write_bytes(b"".join(dumps(each) + b"\n" for each in Recording().initialize_v2().records))
    assert report_of_file(path)["traces"][0]["resolution_s"] is None
    assert "; wall-clock times; " in text_of(path)


def test_a_log_with_milliseconds_gives_no_microseconds(tmp_path: Path) -> None:
    figures = timing(report_of_file(recorded(tmp_path / "trace", iso_ms)))
    assert figures == FIGURES_S
    assert all(round(each, 3) == each for each in figures.values() if each is not None)


@pytest.mark.parametrize("coarsest", [seconds, tenths, iso_ms, wall, micros], ids=lambda stamp: stamp.__name__)
def test_the_coarsest_of_those_that_measured_something_counts(
    coarsest: Callable[[int, int], dict[str, Any]], tmp_path: Path
) -> None:
    limit, _ = STAMPS[coarsest]
    stamps = [stamp for stamp, (resolution, _) in STAMPS.items() if resolution <= limit]
    paths = [recorded(tmp_path / stamp.__name__, stamp) for stamp in stamps]
    # None of these measures a replay: no times, no request for history, nothing after the request.
    paths.append(recorded(tmp_path / "never", never))
    paths.append(recorded(tmp_path / "plain", seconds, replay=False))
    cut = recorded(tmp_path / "cut", seconds)
    cut.write_bytes(b"".join(cut.read_bytes().splitlines(keepends=True)[:REQUEST]))
    paths.append(cut)
    for files in (paths, paths[::-1]):
        report = report_of_file(*files, group_by="file")
        assert report["summary"]["resolution_s"] == pytest.approx(limit, rel=1e-9)
        own = {each["key"]: each["resolution_s"] for each in report["summary"]["groups"]}
        for stamp, path in zip(stamps, paths, strict=False):
            assert own[str(path)] == pytest.approx(STAMPS[stamp][0], rel=1e-9)
        assert [own[str(path)] for path in paths if path.name in {"never", "plain", "cut"}] == [None] * 3


def test_without_any_measured_replay_there_is_no_resolution(tmp_path: Path) -> None:
    paths = [recorded(tmp_path / "never", never), recorded(tmp_path / "plain", wall, replay=False)]
    assert json.loads(dumps(lint(paths)))["summary"]["resolution_s"] is None


@pytest.mark.parametrize("untimed", [4, 5, 6])
def test_of_an_update_without_a_time_the_silence_around_it_is_unknown(untimed: int, tmp_path: Path) -> None:
    made = Recording().initialize_v1().load(1, "s")
    for ident in ("m1", "m2", "m3", "m4"):
        made.message("s", ident, after=5)
    made.result(1, {}, after=2)
    whole, without = made.lines(), [dumps({key: each[key] for key in each if key != "ts"}) for each in made.records]
    assert timing(report_of(whole, tmp_path))["longest_pause_s"] == 5.0
    lines = [without[at] if at == untimed else line for at, line in enumerate(whole)]
    known = {figure: value for figure, value in timing(report_of(lines, tmp_path)).items() if value is not None}
    if untimed == 6:
        assert known == {"to_first_update_s": 5.0, "total_s": 22.0}
    else:
        assert (known["replay_s"], known["response_gap_s"], known["gap_longest_pause_s"]) == (20.0, 2.0, 2.0)
        assert "longest_pause_s" not in known


def test_in_a_gap_too(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s", after=3)
    made.result(1, {}, after=2)
    assert timing(report_of(made.lines(), tmp_path))["gap_longest_pause_s"] == 3.0
    del made.records[-2]["ts"]
    found = timing(report_of(made.lines(), tmp_path))
    assert (found["response_gap_s"], found["gap_longest_pause_s"], found["snapshot_gap_s"]) == (5.0, None, None)
