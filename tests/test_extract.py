"""`extract`: what is cut out shows of the resume what the whole recording shows."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from orjson import dumps

from replaylint.commands.extract import extract
from replaylint.commands.output import OutputError
from tests.command_line import shell
from tests.conftest import ROOT
from tests.profiles import profile
from tests.recordings import Message, Recording, found, report_of_file
from tests.strategies import Mix, connections, mixes

if TYPE_CHECKING:
    from collections.abc import Iterable

SHARED = ROOT.parent / "shared"
SAMPLES = sorted((ROOT / "sample_traces").glob("*.ndjson"))
SHARED_FILES = sorted(
    path.relative_to(SHARED).as_posix()
    for folder in ("corpus", "traces/real")
    for path in (SHARED / folder).glob("*.ndjson*")
) or ["none"]


def saved(folder: Path, recording: Recording | Iterable[bytes], name: str = "t.ndjson") -> Path:
    lines = recording.lines() if isinstance(recording, Recording) else recording
    path = folder / name
    path.write_bytes(b"".join(each + b"\n" for each in lines))
    return path


def content(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return (gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data).splitlines(keepends=True)


LEFT_OUT = {"trace", "connection", "request", "response", "unanswered_s"}
"""Where a resume stands; and how long it is seen to be unanswered, which an extract shows less of."""


def facts(report: Message, resume: Message) -> Message:
    """What a report says of a resume, but for lines and the numbers of connections."""
    sessions = [{**each, "announced_line": None, "replay_end_line": None} for each in resume["sessions"]]
    for each in sessions:
        each["marker"] = each["marker"] and each["marker"]["kind"]
    line = resume["request"]["line"]
    concerned = [
        each
        for each in report["findings"]
        if each["connection"] == resume["connection"]
        and {"line": line, "what": "request"} in each["evidence"]
        and each["side"] in {"client", None}
    ]
    return {
        **{key: value for key, value in resume.items() if key not in LEFT_OUT},
        "sessions": sessions,
        "error": resume["response"] and resume["response"]["error"],
        "findings": sorted([each["rule"], each["severity"], each["count"], each["session_id"]] for each in concerned),
    }


def key(resume: Message) -> tuple[object, ...]:
    """What is the same of a resume wherever it stands."""
    return json.dumps(resume["request_id"]), resume["method"], resume["session_id"], resume["request"]["time"]


def accusations(report: Message) -> set[tuple[object, ...]]:
    return {(each["rule"], each["severity"], each["session_id"]) for each in report["findings"]}


def assert_extracted(path: Path, number: int, folder: Path, *, accuses: bool = False) -> list[bytes]:
    """The extract of this resume is a part of the recording and says the same of it; its lines.

    With `accuses` it may say worse of something else.
    """
    output = folder / "extract.ndjson"
    assert extract(str(path), number, str(output)) == 0
    kept, lines = content(output), iter(content(path))
    assert all(line in lines for line in kept)  # consumes: in this order
    before, after = report_of_file(path), report_of_file(output)
    wanted = before["resumes"][number - 1]
    same = [each for each in after["resumes"] if key(each) == key(wanted)]
    assert [facts(after, each) for each in same[:1]] == [facts(before, wanted)]
    assert accuses or accusations(after) <= accusations(before)
    output.unlink()
    return kept


def assert_all_extracted(path: Path, folder: Path, *, accuses: bool = False) -> None:
    for number in range(1, len(report_of_file(path)["resumes"]) + 1):
        assert_extracted(path, number, folder, accuses=accuses)


# Recordings


@pytest.mark.parametrize("name", SHARED_FILES)
def test_every_resume_of_the_shared_recordings(name: str, shared: Path, tmp_path: Path) -> None:
    assert_all_extracted(shared / name, tmp_path)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_every_resume_of_the_samples(path: Path, tmp_path: Path) -> None:
    assert_all_extracted(path, tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("extract")


@profile(60)
@given(mix=mixes())
def test_every_resume_among_other_sessions(mix: Mix, folder: Path) -> None:
    # Whether a marker is RL205 depends on what else is pending, so here it may accuse.
    assert_all_extracted(saved(folder, mix.lines()), folder, accuses=True)


@profile(60)
@given(mix=connections())
def test_every_resume_among_other_connections(mix: Mix, folder: Path) -> None:
    path = saved(folder, mix.lines())
    for number, resume in enumerate(report_of_file(path)["resumes"], 1):
        output = folder / "extract.ndjson"
        if extract(str(path), number, str(output)) == 0:
            assert key(resume) in map(key, report_of_file(output)["resumes"])


# What is kept


def busy() -> Recording:
    """A session that is looked at, at lines 3 and 6 to 10, between others."""
    made = Recording().initialize_v2().resume(1, "s")
    made.resume(2, "other").message("other", "o1").message("s", "m1").agent("q", "elicitation/create", sessionId="s")
    made.result("q", {}, direction="c2a").marker("s").idle("s").marker("other").result(1, {}).idle("other")
    return made.result(2, {}).client(3, "session/prompt", sessionId="s").result(3, {"stopReason": "end_turn"})


def kept_lines(made: Recording | list[bytes], number: int, folder: Path) -> list[int]:
    """The lines of the recording, 1-based, that an extract keeps."""
    path = saved(folder, made)
    lines = content(path)
    assert len(set(lines)) == len(lines)
    return [lines.index(line) + 1 for line in assert_extracted(path, number, folder)]


def test_other_sessions_are_left_out(tmp_path: Path) -> None:
    assert kept_lines(busy(), 1, tmp_path) == [1, 2, 3, 6, 7, 8, 9, 10, 12]
    assert kept_lines(busy(), 2, tmp_path) == [1, 2, 4, 5, 11, 13, 14]


def test_other_connections_are_left_out(tmp_path: Path) -> None:
    made = busy()
    for each in made.records:
        each["conn"] = 1
    made.initialize_v2().resume(1, "s").message("s", "m9").marker("s").idle("s").result(1, {})
    first = len(busy().records)
    assert kept_lines(made, 1, tmp_path) == [1, 2, 3, 6, 7, 8, 9, 10, 12]
    assert kept_lines(made, 3, tmp_path) == list(range(first + 1, first + 8))
    for each in made.records[first:]:
        each["conn"] = 2
    mixed = [*made.records[:3], *made.records[first:], *made.records[3:first]]
    lines = [dumps({**each, "ts": 1764400000 + number}) for number, each in enumerate(mixed)]
    assert kept_lines(lines, 1, tmp_path)[:3] == [1, 2, 3]
    assert kept_lines(lines, 2, tmp_path) == list(range(4, 11))


def test_live_turns_before_the_resume_are_left_out(tmp_path: Path) -> None:
    made = Recording().initialize_v2().client(1, "session/new", cwd="/w").result(1, {"sessionId": "s"})
    made.client(2, "session/prompt", sessionId="s").message("s", "live").message("s", "more").idle("s")
    made.result(2, {"stopReason": "end_turn"}).resume(3, "s").message("s", "live").update("s", "notice")
    made.marker("s").idle("s").result(3, {})
    assert kept_lines(made, 1, tmp_path) == [1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15]


def test_what_makes_a_session_active_is_kept(tmp_path: Path) -> None:
    for make in ("new", "resume", "close"):
        made = Recording().initialize_v2().client("x", "session/prompt", sessionId="x").result("x", {})
        if make == "new":
            made.client(1, "session/new", cwd="/w").result(1, {"sessionId": "s"})
        else:
            made.resume(1, "s", replay=False).idle("s").result(1, {})
        if make == "close":
            made.client(2, "session/close", sessionId="s").result(2, {})
        made.resume(3, "s").update("s", "notice").marker("s").idle("s").result(3, {})
        path = saved(tmp_path, made)
        (finding,) = [each for each in found(report_of_file(path)) if each[0] == "RL301"]
        assert finding[1] == ("error" if make == "close" else "info")
        lines = kept_lines(made, len(report_of_file(path)["resumes"]), tmp_path)
        assert lines[:2] == [1, 2]
        assert lines[2] == 5


def test_what_comes_after_the_response_is_kept_where_it_matters(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m").idle("s").result(1, {})
    made.message("t", "other").marker("s").message("s", "n")
    assert kept_lines(made, 1, tmp_path) == [1, 2, 3, 4, 5, 6, 8]


def test_a_vendor_event_elsewhere_makes_a_missing_one_grave(tmp_path: Path) -> None:
    made = Recording().initialize_v1(opted_in=True).load(1, "s").message("s", None).result(1, {})
    made.load(2, "u").message("u", None).result(2, {}).load(3, "t").message("t", None).vendor("t").result(3, {})
    path = saved(tmp_path, made)
    assert next(each for each in found(report_of_file(path)) if each[0] == "RL201")[1] == "error"
    assert kept_lines(made, 1, tmp_path) == [1, 2, 3, 4, 5, 9, 10, 11, 12]


def test_a_cancellation_is_kept(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m")
    made.record("c2a", {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": 1}})
    answered = Recording().initialize_v2().resume(1, "s").message("s", "m")
    answered.records.append(made.records[-1])
    assert kept_lines(answered.error(1, -32800), 1, tmp_path) == [1, 2, 3, 4, 5, 6]
    made.client(2, "session/list").result(2, {"sessions": []}).meta("exit")
    assert kept_lines(made, 1, tmp_path) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_a_partial_recording_stays_one(tmp_path: Path) -> None:
    made = Recording().client(8, "session/prompt", sessionId="t").resume(1, "s").update("s", "notice").marker("s")
    made.idle("s").result(1, {})
    assert kept_lines(made, 1, tmp_path) == [2, 3, 4, 5, 6]


def test_children_and_their_parents_are_kept(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").child("s", "c").message("c", "m").child("c", "d").marker("d")
    made.message("x", "m").marker("c").marker("s").idle("s").result(1, {})
    assert kept_lines(made, 1, tmp_path) == [1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12]


def test_what_another_connection_shows_of_the_session_is_kept(tmp_path: Path) -> None:
    made = Recording().initialize_v2().client(1, "session/new", cwd="/w").result(1, {"sessionId": "s"})
    made.client(2, "session/prompt", sessionId="s").message("t", "x").result(2, {"stopReason": "end_turn"})
    made.client(9, "initialize", protocolVersion=2).result(9, {"protocolVersion": 2})
    made.resume(3, "s").marker("s").idle("s").result(3, {})
    # Of the session that nothing names, RL307 tells; it is none of the resume's.
    assert found(report_of_file(saved(tmp_path, made))) == [("RL307", "warning", 6), ("RL211", "info", 13)]
    assert kept_lines(made, 1, tmp_path) == [1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13]


# How it ended


def ended(path: Path, folder: Path) -> tuple[str, list[bytes]]:
    lines = assert_extracted(path, 1, folder)
    return report_of_file(path)["resumes"][0]["end"], lines


def test_an_open_recording_stays_open(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m").marker("s").resume(2, "t").message("s", "n")
    end, lines = ended(saved(tmp_path, made), tmp_path)
    assert end == "open"
    assert len(lines) == 6


def test_what_closed_the_connection_is_kept(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m").meta("stderr").message("t", "n").meta("exit")
    end, lines = ended(saved(tmp_path, made), tmp_path)
    assert (end, len(lines)) == ("closed", 5)
    made = Recording().initialize_v2().resume(1, "s").message("s", "m").message("t", "n")
    made.client(5, "initialize", protocolVersion=2).resume(6, "t").result(5, {"protocolVersion": 2}).result(6, {})
    end, lines = ended(saved(tmp_path, made), tmp_path)
    assert (end, len(lines)) == ("closed", 6)


# Formats


def recorder(made: Recording) -> list[bytes]:
    """As replaylint's own recorder writes it, with a monotonic clock that runs a little faster."""
    start = {"replaylint": 1, "ts": 1764400000000, "mono_ns": 1, "conn": 1, "dir": "meta", "event": "start"}
    lines = [dumps(start)]
    for number, each in enumerate(made.records, 1):
        times = {"ts": 1764400000000 + 10 * number, "mono_ns": 10_000_300 * number, "conn": 1}
        lines.append(dumps({**times, "dir": {"c2a": "out", "a2c": "in"}[each["dir"]], "msg": each["msg"]}))
        lines.append(dumps({**times, "dir": "stderr", "text": f"warming up {number}"}))
    return lines


def test_the_format_stays_what_it_is(tmp_path: Path) -> None:
    records = busy().records
    recordings: dict[str, list[bytes]] = {
        "raw": [dumps(each["msg"]) for each in records],
        "envelope": busy().lines(),
        "inline": [dumps({"ts": each["ts"], "dir": each["dir"], **each["msg"]}) for each in records],
        "recorder": recorder(busy()),
    }
    for form, lines in recordings.items():
        path = saved(tmp_path, lines)
        assert report_of_file(path)["traces"][0]["format"] == form
        for number, size in ((1, 9), (2, 7)):
            kept = assert_extracted(path, number, tmp_path)
            assert len(kept) == size + (form == "recorder")
            assert b"stderr" not in b"".join(kept)


def test_a_header_that_ends_a_connection_and_one_that_begins_it(tmp_path: Path) -> None:
    first = recorder(Recording().initialize_v2().resume(1, "s").message("s", "m"))
    second = recorder(busy())
    path = saved(tmp_path, [line.replace(b"1764400", b"1764500") for line in first] + second)
    kept = assert_extracted(path, 1, tmp_path)
    assert [b'"event":"start"' in line for line in kept] == [True, False, False, False, False, True]
    assert_extracted(path, 2, tmp_path)


def test_a_compressed_recording_gives_an_uncompressed_extract(tmp_path: Path) -> None:
    path = tmp_path / "t.ndjson.gz"
    path.write_bytes(gzip.compress(b"\n".join(busy().lines())))
    assert len(assert_extracted(path, 1, tmp_path)) == 9


def test_odd_lines_are_kept_as_they_are(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m").marker("s").idle("s").result(1, {})
    lines = made.lines()
    path = tmp_path / "t.ndjson"
    path.write_bytes(b"\xef\xbb\xbf" + lines[0] + b"\r\n\n  " + b"  \r\n".join(lines[1:]))
    output = tmp_path / "o"
    assert extract(str(path), 1, str(output)) == 0
    assert output.read_bytes() == lines[0] + b"\r\n  " + b"  \r\n".join(lines[1:])


def test_times_that_other_lines_break_stay_unknown(tmp_path: Path) -> None:
    made = Recording().initialize_v2().resume(1, "s").message("s", "m")
    made.message("t", "earlier", after=-5).message("t", "later", after=5).marker("s").idle("s").result(1, {})
    path = saved(tmp_path, made)
    assert report_of_file(path)["resumes"][0]["sessions"][0]["timing"]["total_s"] is None
    assert_extracted(path, 1, tmp_path)


# Writing


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return saved(tmp_path, busy())


def left_behind(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_input_is_not_overwritten(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = trace.read_bytes()
    (trace.parent / "symbolic").symlink_to(trace.name)
    os.link(trace, trace.parent / "hard")
    for name in ("t.ndjson", "symbolic", "hard", "../" + trace.parent.name + "/t.ndjson"):
        assert extract(str(trace), 1, str(trace.parent / name)) == 2
        assert "is the recording itself" in capsys.readouterr().err
    assert trace.read_bytes() == before
    assert left_behind(trace.parent) == {"t.ndjson", "symbolic", "hard"}
    read = shell(f"tool < {trace}", "extract", "-", "--resume", "1", "-o", trace)
    assert (read.returncode, "is the recording itself" in read.stderr) == (2, True)
    assert trace.read_bytes() == before


def test_what_is_there_is_replaced_whole(trace: Path) -> None:
    output = trace.parent / "o"
    output.write_text("old")
    output.chmod(0o640)
    link = trace.parent / "link"
    link.symlink_to("o")
    with pytest.raises(OutputError, match="is not written through the link"):
        extract(str(trace), 1, str(link))
    assert output.read_text() == "old"
    assert extract(str(trace), 1, str(link), force=True) == 0
    assert link.is_symlink()
    assert len(content(output)) == 9
    assert output.stat().st_mode & 0o777 == 0o640
    assert left_behind(trace.parent) == {"t.ndjson", "o", "link"}


def test_a_new_file_has_the_usual_permissions(trace: Path) -> None:
    usual = trace.parent / "usual"
    usual.touch()
    assert extract(str(trace), 1, str(trace.parent / "o")) == 0
    assert (trace.parent / "o").stat().st_mode == usual.stat().st_mode


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="there are no devices")
def test_a_device_stays_one(trace: Path) -> None:
    assert extract(str(trace), 1, os.devnull) == 0
    assert Path(os.devnull).is_char_device()


def test_standard_output(trace: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert extract(str(trace), 1, "-") == 0
    captured = capsysbinary.readouterr()
    assert (len(captured.out.splitlines()), captured.err) == (9, b"")
    assert left_behind(trace.parent) == {"t.ndjson"}


def test_standard_input(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = trace.parent / "o"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(trace.read_bytes()))))
    assert extract("-", 2, str(output)) == 0
    assert len(content(output)) == 7


def test_where_nothing_can_be_written(trace: Path) -> None:
    for name in ("absent/o", ".", "\0"):
        with pytest.raises(OutputError, match="cannot be written"):
            extract(str(trace), 1, f"{trace.parent}/{name}")
    assert left_behind(trace.parent) == {"t.ndjson"}


def refused(path: Path, number: int, capsys: pytest.CaptureFixture[str]) -> str:
    """What is said where nothing is written."""
    output = path.parent / "o"
    assert extract(str(path), number, str(output)) == 2
    assert not output.exists()
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_a_resume_that_is_not_there(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(trace, 3, capsys) == f"replaylint: {trace}: has 2 resumes; there is no resume 3\n"


def test_what_is_no_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such file" in refused(tmp_path / "absent", 1, capsys)
    assert "is a folder" in refused(tmp_path, 1, capsys).replace(f"{tmp_path}/o", "")
    assert "is empty" in refused(saved(tmp_path, [], "empty"), 1, capsys)


def test_a_recording_that_is_cut_is_2_and_what_was_read_is_extracted(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed, output = trace.parent / "cut.gz", trace.parent / "o"
    packed.write_bytes(gzip.compress(trace.read_bytes())[:-12])
    assert extract(str(packed), 1, str(output)) == 2
    assert "ends too early" in capsys.readouterr().err
    assert len(content(output)) == 9


def test_a_resume_that_cannot_be_cut_out_writes_nothing(
    trace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replaylint.commands.extract.same", lambda *_: False)
    assert "resume 1 depends on more than can be cut out; nothing was written" in refused(trace, 1, capsys)
    assert left_behind(trace.parent) == {"t.ndjson"}


def test_what_nothing_less_shows_is_kept_though_it_accuses(trace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replaylint.commands.extract.accuses", lambda *_: True)
    assert extract(str(trace), 1, str(trace.parent / "o")) == 0
    assert len(content(trace.parent / "o")) == 9
