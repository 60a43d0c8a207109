"""What holds for every recording: mixing, cutting, spoiling and renaming change nothing that they should not."""

from __future__ import annotations

import gzip
import io
import json
import re
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps

from replaylint.analysis.lint import lint
from replaylint.recording import source
from replaylint.render import FORMATS, renderer
from replaylint.render.view import View
from replaylint.rules import all_rules
from tests.command_line import assert_hashes_do_not_matter
from tests.profiles import profile
from tests.recordings import Recording, report_of, report_of_file
from tests.strategies import SHAPES, Mix, connections, json_values, line_of, mixes, mutated, retold, shaped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from replaylint.report.model import Report
    from tests.recordings import Message


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all examples write their recording to."""
    return tmp_path_factory.mktemp("properties")


def rendered(report: Report, name: str) -> bytes:
    """The report in this format, as it is written."""
    pieces = renderer(name).render(report, View())
    return b"".join(piece if isinstance(piece, bytes) else piece.encode() for piece in pieces)


def texts(parts: list[Any]) -> list[str]:
    """Parts of a report in an order of their own.

    Without what numbers connections, and for how long others show that a request is unanswered.
    """
    own = ({key: part[key] for key in part if key not in {"connection", "unanswered_s"}} for part in parts)
    return sorted(json.dumps(part, sort_keys=True) for part in own)


WORDS: Final = ("message", "headline", "help")


def findings(report: Message) -> list[Message]:
    """The findings but RL005, which is about the whole recording.

    RL205 cites the oldest pending replay: of an id that nothing named, nobody knows whose replay it was meant for.
    Others show, too, for how long a request is unanswered, and whether anything was answered after it.
    """
    words = dict.fromkeys(WORDS, "")
    vague = {"RL105": {**words, "party": "", "fingerprint": ""}, "RL205": {**words, "evidence": []}}
    return [each | vague.get(each["rule"], {}) for each in report["findings"] if each["rule"] != "RL005"]


# Each side apart


def finely_timed(mix: Mix, step: float) -> list[Message]:
    """What both sides said, so many seconds apart by a clock of microseconds."""
    own = (record for record in mix.records if record["dir"] in {"c2a", "a2c"})
    return [{**record, "ts": round(1764400000.000001 + step * number, 6)} for number, record in enumerate(own)]


def report_of_sides(records: Iterable[Message], folder: Path, *, closed: bool) -> Message:
    files: dict[str, list[bytes]] = {"c2a": [], "a2c": []}
    for record in records:
        files[record["dir"]].append(dumps(record) + b"\n")
    for name, lines in files.items():
        (folder / name).write_bytes(b"".join(lines))
    return report_of_file(client_file=folder / "c2a", agent_file=folder / "a2c", closed=closed)


@given(mix=mixes())
@profile(150)
def test_two_sides_with_fine_clocks_are_what_the_whole_is(mix: Mix, folder: Path) -> None:
    records = finely_timed(mix, 0.013)
    whole = report_of([dumps(record) for record in records], folder, closed=mix.closed)
    apart = report_of_sides(records, folder, closed=mix.closed)
    assert {trace["order"] for trace in apart["traces"]} == {"exact"}
    about = ("rule", "severity", "party", "session_id", "request_id", "count")
    assert texts([{key: each[key] for key in about} for each in apart["findings"]]) == texts(
        [{key: each[key] for key in about} for each in whole["findings"]]
    )
    of = ("request_id", "end", "ambiguous")
    assert [[each[key] for key in of] for each in apart["resumes"]] == [
        [each[key] for key in of] for each in whole["resumes"]
    ]
    assert [[session["timing"] for session in each["sessions"]] for each in apart["resumes"]] == [
        [session["timing"] for session in each["sessions"]] for each in whole["resumes"]
    ]


@given(mix=mixes(), step=st.sampled_from([0.003, 0.2, 0.45, 0.9, 1.5]), clock=st.sampled_from(["one", "both", "none"]))
@profile(250)
def test_no_order_is_made_up_for_two_sides_with_coarse_clocks(mix: Mix, step: float, clock: str, folder: Path) -> None:
    records = finely_timed(mix, step)
    coarse = []
    for record in records:
        counts_seconds = clock == "both" or record["dir"] == "c2a"
        coarse.append({**record, "ts": int(record["ts"]) if counts_seconds else record["ts"]})
        if clock == "none":
            del coarse[-1]["ts"]
    reports = (
        report_of([dumps(record) for record in records], folder, closed=mix.closed),
        report_of_sides(coarse, folder, closed=mix.closed),
    )
    # What RL303 and RL304 argue from, which replay a marker or a response ended, may be a guess of long before.
    needing = {rule.code for rule in all_rules() if rule.needs_order} - {"RL303", "RL304"}
    whole, apart = (
        {(each["rule"], each["session_id"]) for each in report["findings"] if each["rule"] in needing}
        for report in reports
    )
    assert apart <= whole


# Mixing


OF_A_SIDE = ("RL001", "RL003", "RL107")
"""Rules with one finding for a side of a connection, whatever its sessions are."""


def of_one_connection(found: list[Message]) -> list[Message]:
    """These findings, of several owners of one connection: what there is one of for a side becomes one."""
    sides: dict[tuple[str, str], list[Message]] = {}
    rest = []
    for each in found:
        if each["rule"] in OF_A_SIDE:
            sides.setdefault((each["rule"], each["party"]), []).append(each)
        elif each not in rest:  # the handshake is everybody's
            rest.append(each)
    for those in sides.values():
        first = min(those, key=lambda each: int(each["line"]))
        count = sum(each["count"] for each in those)
        noun = rf"{count} \1{'' if count == 1 else 's'}"
        words = {field: re.sub(r"^\d+ (\w+?)s?\b", noun, first[field]) for field in ("message", "headline")}
        last = max(each["last_line"] for each in those)
        rest.append({**first, "count": count, "last_line": last, **words})
    return rest


def of_several(found: list[Message]) -> list[Message]:
    """These findings, of owners that have a connection each."""
    return found


def assert_mixing_changes_nothing(
    mix: Mix, folder: Path, merged: Callable[[list[Message]], list[Message]] = of_several, *, but: str = ""
) -> None:
    """Each owner's results in the mix are those that it has alone, but for those of one rule."""
    together = report_of(mix.lines(), folder, closed=mix.closed)
    resumes: set[str] = set()
    found: list[Message] = []
    for owner in sorted({each for each in mix.owners if each is not None}):
        lines, numbers = mix.alone(owner)
        alone = retold(report_of(lines, folder, closed=mix.closed), numbers)
        resumes.update(texts(alone["resumes"]))
        found += findings(alone)
    if not any(owner is not None for owner in mix.owners):
        return
    assert texts(together["resumes"]) == sorted(resumes)
    separate, mixed = ([each for each in those if each["rule"] != but] for those in (merged(found), findings(together)))
    if not mix.settled:
        unnamed = [[each for each in those if each["rule"] == "RL307"] for those in (mixed, separate)]
        assert set(texts(unnamed[0])) <= set(texts(unnamed[1]))
        separate, mixed = ([each for each in those if each["rule"] != "RL307"] for those in (separate, mixed))
    assert texts(mixed) == texts(separate)


@given(mix=mixes())
@profile(400)
def test_sessions_of_one_connection_do_not_influence_each_other(mix: Mix, folder: Path) -> None:
    assert_mixing_changes_nothing(mix, folder, of_one_connection)


@given(mix=connections())
@profile(250)
def test_connections_do_not_influence_each_other(mix: Mix, folder: Path) -> None:
    # RL211 looks for a history of the session on every connection of the recording.
    assert_mixing_changes_nothing(mix, folder, but="RL211")
    numbers = [each["connection"] for each in report_of(mix.lines(), folder)["traces"][0]["connections"]]
    assert numbers == list(range(1, len(numbers) + 1))


# Cutting


class Pipe(io.RawIOBase):
    """A pipe that hands out these pieces, one a read."""

    def __init__(self, pieces: list[bytes]) -> None:
        super().__init__()
        self.pieces = [piece for piece in pieces if piece]

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        piece = self.pieces.pop(0) if self.pieces else b""
        size = min(len(piece), len(buffer))
        buffer[:size] = piece[:size]
        if size < len(piece):
            self.pieces.insert(0, piece[size:])
        return size


def standard_input(content: bytes, places: list[int]) -> io.TextIOWrapper:
    """Standard input that gets this content in pieces that end at these places."""
    ends = sorted(place % (len(content) + 1) for place in places)
    pieces = [content[first:last] for first, last in pairwise([0, *ends, len(content)])]
    return io.TextIOWrapper(io.BufferedReader(Pipe(pieces)))


@given(
    parts=st.lists(st.sampled_from([b"\n", b"\n", b"\r", b"a", b"\xe2\x80\xa8", b"\0", b"{}"]), max_size=30),
    places=st.lists(st.integers(0, 200), max_size=8),
    head=st.sampled_from([b"", source.BYTE_ORDER_MARK]),
    packed=st.booleans(),
    buffer=st.integers(8, 64),
)
@profile(300)
def test_lines_do_not_depend_on_how_the_bytes_are_cut(
    parts: list[bytes], places: list[int], head: bytes, packed: bool, buffer: int
) -> None:
    content = b"".join(parts)
    *wanted, last = content.split(b"\n")
    content = head + content
    stdin = standard_input(gzip.compress(content, mtime=0) if packed else content, places)
    with patch.object(source, "BUFFER_BYTES", buffer), patch("sys.stdin", stdin), source.Source("-") as opened:
        assert list(opened.lines()) == [*(line + b"\n" for line in wanted), *([last] if last else [])]


@given(mix=mixes(owners=2, most=2), buffer=st.integers(3, 300))
@profile(60)
def test_small_reads_and_compression_change_nothing(mix: Mix, buffer: int, folder: Path) -> None:
    wanted = report_of(mix.lines(), folder)
    path = folder / "trace.ndjson"
    with patch.object(source, "BUFFER_BYTES", buffer):
        assert report_of_file(path) == wanted
        path.write_bytes(gzip.compress(path.read_bytes()))
        assert report_of_file(path) == wanted


def by_request(report: Message) -> dict[tuple[int, str, int], Message]:
    """The resumes of a report by their request: line, id, and which one of these it is; a batch can hold several."""
    resumes: dict[tuple[int, str, int], Message] = {}
    for each in report["resumes"]:
        line, ident = each["request"]["line"], json.dumps(each["request_id"])
        resumes[line, ident, sum(known[:2] == (line, ident) for known in resumes)] = each
    return resumes


def assert_prefix_agrees(whole: Message, part: Message) -> None:
    """What is certain in a part of a recording stays so: outcomes, ended resumes and errors."""
    resumes = by_request(whole)
    for request, resume in by_request(part).items():
        later = resumes[request]
        if resume["end"] != "open":
            assert resume == later
            continue
        outcomes = {each["session_id"]: each["outcome"] for each in later["sessions"]}
        for session in resume["sessions"]:
            assert session["outcome"] in {"inconclusive", outcomes[session["session_id"]]}
    # What had been in doubt before may count now: then the finding begins earlier.
    begun = certain(whole)
    for rule, line, session in certain(part):
        begins = [other for name, other, owner in begun if (name, owner) == (rule, session)]
        assert min(begins, default=inf) <= line, (rule, line, session)


CERTAIN = ("RL306", "RL310", "RL322", "RL323", "RL324")
"""Rules that say nothing before what they rest on has come, whatever still comes."""


def certain(report: Message) -> set[tuple[Any, ...]]:
    """The findings that nothing which still comes may take back, by what they are about: errors, and those of CERTAIN.

    Of a line that is cut RL002 tells, a warning.
    """
    return {
        (each["rule"], each["line"], each["session_id"])
        for each in report["findings"]
        if each["severity"] == "error" or each["rule"] in CERTAIN
    }


def assert_cuts_agree(content: bytes, places: Iterable[int], whole: Message, path: Path) -> None:
    """The recording up to each of these bytes agrees with the whole, and can end there for good."""
    for place in places:
        path.write_bytes(content[:place])
        assert_prefix_agrees(whole, report_of_file(path))
        lint([str(path)], closed=True)


def line_ends(content: bytes) -> list[int]:
    """Where each line ends."""
    return [at + 1 for at, byte in enumerate(content) if byte == ord("\n")]


def test_a_marker_whose_session_was_in_doubt_joins_those_after_it(tmp_path: Path) -> None:
    recording = Recording().initialize_v2().resume(1, "s").client(9, "session/prompt", sessionId="t").marker("t")
    recording.resume(2, "t", replay=False).result(2, {}).marker("t").marker("s").idle("s").result(1, {})
    lines = recording.lines()
    found = [(8, 8, 1)] * 3 + [(5, 8, 2)]
    for end, (line, last_line, count) in enumerate(found, 8):
        (finding,) = (each for each in report_of(lines[:end], tmp_path)["findings"] if each["rule"] == "RL204")
        assert (finding["line"], finding["last_line"], finding["count"]) == (line, last_line, count)


@given(
    mix_and_shape=st.one_of(
        st.tuples(mixes(), st.sampled_from(sorted(SHAPES))),
        st.tuples(connections(), st.sampled_from(sorted(SHAPES.keys() - {"raw"}))),
    ),
    places=st.lists(st.integers(0, 20_000), min_size=1, max_size=5),
)
@profile(160)
def test_a_cut_recording_agrees_with_the_whole(mix_and_shape: tuple[Mix, str], places: list[int], folder: Path) -> None:
    mix, shape = mix_and_shape
    whole = report_of([shaped(record, shape) for record in mix.records], folder)
    path = folder / "trace.ndjson"
    content = path.read_bytes()
    inside = [place % (len(content) + 1) for place in places]
    assert_cuts_agree(content, [*inside, *line_ends(content)], whole, path)


CUTS = {
    "a grandchild's marker before its parent is announced": lambda: (
        Recording().initialize_v2().resume(1, "s").child("c", "grandchild").marker("grandchild").child("s", "c")
    ),
    "a new message after the vendor event, in a turn that runs": lambda: (
        Recording()
        .initialize_v2()
        .resume(1, "s")
        .vendor("s")
        .message("s", "m")
        .update("s", "state_update", state="running")
    ),
    "a marker of a session that the client named, before it is announced as a child": lambda: (
        Recording().initialize_v2().client(9, "session/close", sessionId="c").resume(1, "s").marker("c").child("s", "c")
    ),
    "a message again, before another replay of the session begins": lambda: (
        Recording().initialize_v2().resume(1, "s").message("s", "m").message("s", "m").resume(2, "s")
    ),
    "a tool call again, before another replay of the session begins": lambda: (
        Recording()
        .initialize_v1()
        .load(1, "s")
        .update("s", "tool_call", toolCallId="t", status="pending")
        .update("s", "tool_call", toolCallId="t", status="pending")
        .load(2, "s")
        .result(1, {})
        .result(2, {})
    ),
    "an id again, on the connection that an initialize begins": lambda: (
        Recording()
        .initialize_v2()
        .resume(1, "s")
        .client(0, "initialize", protocolVersion=2)
        .client(1, "session/list")
        .result(0, {"protocolVersion": 2})
        .result(1, {"sessions": []})
    ),
}


@pytest.mark.parametrize("name", CUTS)
def test_what_may_still_be_explained_is_no_error_yet(name: str, folder: Path) -> None:
    lines = CUTS[name]().lines()
    whole = report_of(lines, folder)
    path = folder / "trace.ndjson"
    content = path.read_bytes()
    assert_cuts_agree(content, line_ends(content), whole, path)


def test_a_cut_real_recording_agrees_with_the_whole(shared: Path, folder: Path) -> None:
    recordings = sorted(shared.glob("traces/real/*.ndjson"))
    assert recordings
    path = folder / "trace.ndjson"
    for recording in recordings:
        content = recording.read_bytes()
        if len(content) > 100_000:
            continue
        path.write_bytes(content)
        ends = line_ends(content)
        places = [*range(0, len(content), len(content) // 8 + 1), *ends[:: len(ends) // 25 + 1]]
        assert_cuts_agree(content, places, report_of_file(path), path)


# Spoiling


def assert_reports(path: Path) -> None:
    """There is a report, whatever the recording, and every format can write it."""
    for closed in (False, True):
        report = lint([str(path)], closed=closed)
        for name in FORMATS:
            rendered(report, name)


@given(content=st.one_of(st.binary(max_size=200), st.binary(max_size=60).map(lambda rest: b"\x1f\x8b\x08\0" + rest)))
@profile(150)
def test_any_bytes_give_a_report(content: bytes, folder: Path) -> None:
    path = folder / "trace.ndjson"
    path.write_bytes(content)
    assert_reports(path)


@given(values=st.lists(json_values(), max_size=6), bodies=st.lists(json_values(), max_size=6), begun=st.booleans())
@profile(150)
def test_any_values_give_a_report(values: list[Any], bodies: list[Any], begun: bool, folder: Path) -> None:
    records = Recording().initialize_v2().resume(1, "s1").message("s1", "m").records if begun else []
    enveloped = [{"ts": 1764400000 + at, "dir": "a2c", "msg": body} for at, body in enumerate(bodies)]
    path = folder / "trace.ndjson"
    path.write_bytes(b"\n".join(map(line_of, [*records, *values, *enveloped])))
    assert_reports(path)


@given(lines=mutated(), missing=st.one_of(st.just(0), st.integers(0, 80)))
@profile(250)
def test_spoiled_recordings_give_a_report(lines: list[bytes], missing: int, folder: Path) -> None:
    path = folder / "trace.ndjson"
    content = b"\n".join(lines) + b"\n"
    path.write_bytes(content[: max(0, len(content) - missing)])
    assert_reports(path)


NESTED: Any = json.loads("[" * 400 + "]" * 400)


def request(ident: object, method: str, **params: object) -> Message:
    return {"dir": "c2a", "msg": {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}}


def answer(ident: object, **body: object) -> Message:
    return {"dir": "a2c", "msg": {"jsonrpc": "2.0", "id": ident, **body}}


@pytest.mark.parametrize(
    "odd",
    [
        [request(NESTED, "session/resume", sessionId="s1")],
        [answer(NESTED, result={})],
        [{"dir": "a2c", "msg": {"jsonrpc": "2.0", "id": NESTED, "method": "session/request_permission", "params": {}}}],
        [{"dir": "a2c", "conn": NESTED, "msg": {"jsonrpc": "2.0", "method": "session/update", "params": {}}}],
        [{"dir": "c2a", "msg": {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": NESTED}}}],
        [{"dir": "meta", "event": "dropped", "count": 2**64 - 1}],
        [{"dir": "meta", "event": "dropped", "count": -5}],
        [{"dir": "meta", "event": []}],
        [{"dir": "meta", "event": {}, "count": 1}],
        [request("9" * 5000, "session/resume", sessionId="s1")],
        [answer("\N{ARABIC-INDIC DIGIT THREE}", result={})],
        [answer("-", result={})],
        [answer("--1", result={})],
        [answer(1, error={"code": 2**64 - 1, "message": ""})],
        [{"ts": 1e308, **answer(1, result={})}],
        [{"ts": -1e308, **answer(1, result={})}],
        [request(2, "session/resume", replayFrom={"type": "start"}), answer(2, result={})],
        [request(2, "session/resume"), answer(2, result={})],
    ],
)
def test_odd_records_give_a_report(odd: list[Message], folder: Path) -> None:
    path = folder / "trace.ndjson"
    known = Recording().initialize_v2().resume(1, "s1").message("s1", "m").records
    path.write_bytes(b"\n".join(map(line_of, [*known, *odd, *odd, *Recording().idle("s1").result(1, {}).records])))
    assert_reports(path)


NOBODYS = b'{"msg": 3}'
SPOILS: dict[str, tuple[bytes, ...]] = {
    "": (b"", b"\0\0", b" \t\r", b"{}", b'{"msg": null}'),
    "RL001": (b"{", b"\xff\xfe\0", b"panic: at the disco", b"[1,", b'{"msg": 3}}'),
    "RL003": (b"[]", b"null", b'"text"', b"12", NOBODYS),
}
GARBAGE = {garbage: rule for rule, lines in SPOILS.items() for garbage in lines}
"""Lines that are no record, and the rule, a warning, that tells of each."""
SILENT = {"dir": "stderr", "text": "warming up"}


@given(mix=mixes(owners=2, most=2), at=st.integers(0, 1000), garbage=st.sampled_from(sorted(GARBAGE)))
@profile(100)
def test_garbage_spoils_its_own_line_only(mix: Mix, at: int, garbage: bytes, folder: Path) -> None:
    lines = mix.lines()
    at = 2 + at % (len(lines) - 1)
    silent = dumps({"ts": mix.records[at - 1]["ts"], **SILENT})
    clean = report_of([*lines[:at], silent, *lines[at:]], folder, closed=mix.closed)
    spoiled = report_of([*lines[:at], garbage, *lines[at:]], folder, closed=mix.closed)
    assert spoiled["resumes"] == clean["resumes"]
    assert spoiled["traces"][0]["error"] is None
    added = [each for each in spoiled["findings"] if each not in clean["findings"]]
    gone = [each for each in clean["findings"] if each not in spoiled["findings"]]
    rule = GARBAGE[garbage]
    if garbage == NOBODYS and gone:
        # The agent is taken for the one who wrote it: one more of what it wrote anyway.
        assert [(each["rule"], each["count"] - 1) for each in added] == [(each["rule"], each["count"]) for each in gone]
        gone = []
    assert (gone, len(added)) == ([], bool(rule))
    assert {(each["rule"], each["severity"]) for each in added} == ({(rule, "warning")} if rule else set())


# Renaming and repeating


def renamed(value: Any) -> Any:
    """Other ids of the same length and in another order, everywhere."""
    if isinstance(value, dict):
        return {name: part if name in {"ts", "time", "timing"} else renamed(part) for name, part in value.items()}
    if isinstance(value, list):
        return [renamed(part) for part in value]
    if isinstance(value, str) and value[:1] == "s" and value[1:2].isdigit():
        return "z" + str(9 - int(value[1])) + value[2:].swapcase()
    if isinstance(value, str) and value.isdecimal():
        return str(renamed(int(value)))
    if isinstance(value, int) and not isinstance(value, bool) and 1000 < value < 5000:
        return 8999 - value
    return value


def reworded(message: str) -> str:
    """The sentence with the ids renamed that it names; no line has so high a number."""
    return re.sub(r"\bs\d[-\w]*|(?<![-.\w])\d{4}\b(?!\.\d)", lambda match: str(renamed(match[0])), message)


@given(mix=mixes())
@profile(100)
def test_other_ids_change_nothing_but_the_ids(mix: Mix, folder: Path) -> None:
    before = report_of(mix.lines(), folder, closed=mix.closed)
    after = report_of([dumps(renamed(record)) for record in mix.records], folder, closed=mix.closed)
    assert after["resumes"] == [{**each, **ids(each)} for each in before["resumes"]]
    assert texts(after["findings"]) == texts(
        [{**each, **ids(each), **{name: reworded(each[name]) for name in WORDS}} for each in before["findings"]]
    )
    assert after["summary"] == {**before["summary"], "worst": renamed(before["summary"]["worst"])}


def ids(part: Message) -> Message:
    """The fields of a resume or finding that bear ids, renamed."""
    found: Message = {name: renamed(part[name]) for name in ("request_id", "session_id")}
    if "sessions" in part:
        found["sessions"] = [
            {**each, "session_id": renamed(each["session_id"]), "parent": renamed(each["parent"])}
            for each in part["sessions"]
        ]
    return found


@given(mix=st.one_of(mixes(), connections()))
@profile(50)
def test_the_same_recording_gives_the_same_bytes(mix: Mix, folder: Path) -> None:
    path = folder / "trace.ndjson"
    path.write_bytes(b"\n".join(mix.lines()))
    for name in FORMATS:
        assert rendered(lint([str(path)]), name) == rendered(lint([str(path)]), name)


def test_another_process_gives_the_same_bytes(folder: Path) -> None:
    recording = Recording().initialize_v2()
    for number, name in enumerate(["s1", "s2", "s3"], 1):
        recording.resume(number, name).child(name, f"{name}-c0").child(name, f"{name}-c1")
        for variant in ("notice", "state_update", "current_mode_update", "available_commands_update"):
            recording.update(name, variant).update(f"{name}-c0", variant)
        recording.message(name, "m").marker(name).marker(name).message(name, "n").result(number, {})
    report_of(recording.lines(), folder)
    assert_hashes_do_not_matter([folder / "trace.ndjson", "--format", "json"])
