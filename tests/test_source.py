"""Where the bytes come from: packed data, lines that are too long, pipes, and files that change under the reader."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps

from replaylint.analysis.lint import lint
from replaylint.errors import RecordingError, UsageError
from replaylint.policies.units import size_in_bytes
from replaylint.recording import fragments, reading, source
from replaylint.recording.packed import PIECE_BYTES
from replaylint.recording.source import SKIPPED, Source
from tests.command_line import assert_refused, run
from tests.conftest import missing
from tests.profiles import profile
from tests.recordings import Message, Recording, found, report_of_file
from tests.test_properties import Pipe, standard_input

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKED = ("gzip", "bz2", "xz", "zstd")
ZSTD_LIBRARIES = ("compression.zstd", "backports.zstd", "zstandard")
SECONDS = 30
"""After this long, a process hangs."""


@cache
def zstd() -> tuple[str, Any]:
    """The first library for zstd that there is, and its name."""
    for name in ZSTD_LIBRARIES:
        try:
            return name, import_module(name)
        except ImportError:
            pass
    missing("zstd", "there is no library for zstd")
    raise AssertionError


def packed(form: str, data: bytes) -> bytes:
    """This data as one stream, with its checksum."""
    if form == "gzip":
        return gzip.compress(data, mtime=0)
    if form == "bz2":
        return bz2.compress(data)
    if form == "xz":
        return lzma.compress(data)
    name, library = zstd()
    if name == "zstandard":
        return bytes(library.ZstdCompressor(write_checksum=True).compress(data))
    return bytes(library.compress(data, options={library.CompressionParameter.checksum_flag: 1}))


def complete() -> list[bytes]:
    """A complete resume, at lines 3 to 9, in which nothing is wrong."""
    made = Recording().initialize_v2().resume(1, "s").message("s", "m1").message("s", "m2").marker("s")
    return made.idle("s").result(1, {}).client(2, "session/prompt", sessionId="s").result(2, {}).lines()


def content(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def saved(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def read(path: Path | str, max_line: int = source.MAX_LINE) -> tuple[list[bytes], str | None]:
    """The lines, and the code of the error that they end with."""
    lines: list[bytes] = []
    try:
        with Source(str(path), max_line) as opened:
            lines.extend(opened.lines())
    except RecordingError as error:
        return lines, error.code
    return lines, None


def outcome(report: Message) -> str:
    (resume,) = report["resumes"]
    return str(resume["sessions"][0]["outcome"])


# Packed data


@pytest.mark.parametrize("form", PACKED)
@pytest.mark.parametrize("name", ["trace.ndjson.gz", "trace.zst", "trace"])
def test_packed_data_is_known_by_its_first_bytes(form: str, name: str, tmp_path: Path) -> None:
    data = content(complete())
    plain = report_of_file(saved(tmp_path / name, data))
    assert report_of_file(saved(tmp_path / name, packed(form, data))) == plain
    assert (plain["traces"][0]["bytes"], outcome(plain), plain["findings"]) == (len(data), "complete", [])


SKIPPABLE = b"\x5a\x2a\x4d\x18\x05\0\0\0hello"
"""A frame of zstd that holds nothing that is unpacked."""


@pytest.mark.parametrize("form", PACKED)
def test_streams_follow_one_another(form: str, tmp_path: Path) -> None:
    lines = complete()
    streams = [packed(form, line + b"\n") for line in lines]
    wanted = ([line + b"\n" for line in lines], None)
    for between in (b"", b"\0", b"\0" * 200_000):
        assert read(saved(tmp_path / "trace", b"".join(stream + between for stream in streams))) == wanted
    many = b"".join(streams) * 200
    assert read(saved(tmp_path / "trace", many)) == (wanted[0] * 200, None)
    if form == "zstd":
        assert read(saved(tmp_path / "trace", SKIPPABLE + SKIPPABLE.join(streams) + SKIPPABLE)) == wanted


@pytest.mark.parametrize("form", PACKED)
def test_nothing_packed_is_empty(form: str, tmp_path: Path) -> None:
    error = report_of_file(saved(tmp_path / "trace", packed(form, b"")))["traces"][0]["error"]
    assert (error["code"], error["message"]) == ("not-a-recording", "is empty")


@pytest.mark.parametrize("form", PACKED)
@pytest.mark.parametrize("step", [1, 7, PIECE_BYTES + 1])
def test_standard_input_may_be_packed_and_slow(form: str, step: int) -> None:
    data = b"\xef\xbb\xbf" + content(complete()) * 20
    stream = packed(form, data) + packed(form, data.removeprefix(b"\xef\xbb\xbf"))
    pieces = [stream[at : at + step] for at in range(0, len(stream), step)]
    with patch("sys.stdin", io.TextIOWrapper(io.BufferedReader(Pipe(pieces)))):
        lines, error = read("-")
    assert (b"".join(lines), error) == (data[3:] * 2, None)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("form", [None, *PACKED])
@pytest.mark.parametrize("step", [1, 7, 100_000])
def test_a_byte_order_mark_tells_the_encoding(encoding: str, form: str | None, step: int, tmp_path: Path) -> None:
    lines = [*complete(), "é\N{GRINNING FACE}".encode()]
    data = ("\ufeff" + content(lines).decode()).encode(encoding)
    read_, _ = read(saved(tmp_path / "trace", data if form is None else packed(form, data)))
    assert b"".join(read_) == content(lines)
    stream = data if form is None else packed(form, data)
    pieces = [stream[at : at + step] for at in range(0, len(stream), step)]
    with patch("sys.stdin", io.TextIOWrapper(io.BufferedReader(Pipe(pieces)))):
        read_, _ = read("-")
    assert b"".join(read_) == content(lines)


def test_utf_16_that_is_cut_or_damaged_is_read(tmp_path: Path) -> None:
    data = ("\ufeff" + content(complete()).decode()).encode("utf-16-le")
    lines, error = read(saved(tmp_path / "trace", data[:-1]))
    assert (len(lines), error) == (len(complete()), None)


def places(stream: bytes) -> list[int]:
    """Some places in a stream, behind what it is known by, and all of them near its end."""
    near = len(stream) - 20
    return [*range(6, near, 11), *range(near, len(stream))]


@pytest.mark.parametrize("form", PACKED)
def test_what_came_before_a_cut_is_read(form: str, tmp_path: Path) -> None:
    data = content(complete())
    stream = packed(form, data)
    for length in places(stream):
        lines, error = read(saved(tmp_path / "trace", stream[:length]))
        assert data.startswith(b"".join(lines))
        assert error == "truncated"
    assert b"".join(lines) == data
    trace = report_of_file(tmp_path / "trace")["traces"][0]
    assert trace["error"] == {"code": "truncated", "message": "the compressed data ends too early", "line": 10}
    assert (trace["format"], trace["lines"]) == ("envelope", 10)


@pytest.mark.parametrize("form", PACKED)
def test_what_came_before_damage_is_read(form: str, tmp_path: Path) -> None:
    """Wherever the damage is, there is no other error, and a wrong checksum takes nothing away."""
    data = content(complete())
    stream = packed(form, data)
    whole = 0
    for at in places(stream):
        lines, error = read(saved(tmp_path / "trace", stream[:at] + bytes((stream[at] ^ 0x41,)) + stream[at + 1 :]))
        assert error in {"truncated", "damaged", None}
        whole += (b"".join(lines), error) == (data, "damaged")
    assert whole >= 4  # all bytes of the checksum at least


@pytest.mark.parametrize("form", PACKED)
def test_of_a_large_recording_little_is_lost_before_damage(form: str, tmp_path: Path) -> None:
    lines = [line.replace(b"m1", str(number**9).encode()) for number in range(1500) for line in complete()]
    data = content(lines)
    stream = bytearray(packed(form, data))
    at = len(stream) * 9 // 10
    stream[at : at + 50] = b"\xff" * 50
    kept, error = read(saved(tmp_path / "trace", bytes(stream)))
    assert error == "damaged"
    assert len(kept) > len(lines) // 2
    assert sum(kept_line != line + b"\n" for kept_line, line in zip(kept, lines, strict=False)) < len(lines) // 5


@pytest.mark.parametrize("form", PACKED)
@pytest.mark.parametrize("garbage", [b"\n", b"garbage", b'{"jsonrpc":"2.0","method":"_x"}\n'])
def test_what_follows_packed_data_is_named(form: str, garbage: bytes, tmp_path: Path) -> None:
    report = report_of_file(saved(tmp_path / "trace", packed(form, content(complete())) + b"\0\0" + garbage))
    error = {"code": "damaged", "message": f"what follows the {form} data is no {form} data", "line": 10}
    assert (report["traces"][0]["error"], outcome(report)) == (error, "complete")


@pytest.mark.parametrize("form", PACKED)
def test_a_document_that_is_cut_is_read_as_far_as_it_goes(form: str, tmp_path: Path) -> None:
    messages = [record["msg"] for record in map(json.loads, complete())]
    stream = packed(form, json.dumps(messages, indent=1).encode())
    (trace,) = report_of_file(saved(tmp_path / "trace", stream[:-1]))["traces"]
    assert (trace["format"], trace["messages"], trace["error"]["code"]) == ("array", 10, "truncated")


@pytest.mark.parametrize(("form", "module"), [("gzip", "zlib"), ("bz2", "bz2"), ("xz", "lzma")])
def test_a_python_without_a_module_says_so(
    form: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path / "trace", packed(form, content(complete())))
    monkeypatch.setitem(sys.modules, module, None)
    error = report_of_file(path)["traces"][0]["error"]
    assert (error["code"], error["line"]) == ("needs-library", None)
    assert f"compressed with {form}" in error["message"]
    assert f"module {module}" in error["message"]


@pytest.mark.parametrize("start", [b"\x28\xb5\x2f\xfd", SKIPPABLE])
def test_zstd_without_a_library_says_what_to_install(
    start: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ZSTD_LIBRARIES:
        monkeypatch.setitem(sys.modules, name, None)
    error = report_of_file(saved(tmp_path / "trace", start + b"rest"))["traces"][0]["error"]
    assert error["code"] == "needs-library"
    assert "install the package zstandard" in error["message"]


@pytest.mark.parametrize("name", ZSTD_LIBRARIES)
def test_each_library_for_zstd_will_do(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        import_module(name)
    except ImportError:
        pytest.skip(f"there is no {name}")
    data = content(complete())
    stream = SKIPPABLE + packed("zstd", data) + SKIPPABLE + packed("zstd", data)
    for other in set(ZSTD_LIBRARIES) - {name}:
        monkeypatch.setitem(sys.modules, other, None)
    lines, error = read(saved(tmp_path / "trace", stream))
    assert (b"".join(lines), error) == (data * 2, None)
    for cut in (1, 5):
        assert read(saved(tmp_path / "trace", stream[:-cut]))[1] == "truncated"


def test_a_plain_recording_takes_none_of_it(tmp_path: Path) -> None:
    code = "import sys; from replaylint import lint; lint(sys.argv[1]); print(*sys.modules)"
    command = [sys.executable, "-c", code, str(saved(tmp_path / "trace", content(complete())))]
    modules = set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert "replaylint.recording.source" in modules
    assert modules.isdisjoint({"replaylint.policies.units", "bz2", "lzma", "gzip"})


# Lines that are too long


@contextmanager
def opened(data: bytes, places: list[int], form: str, max_line: int, folder: Path) -> Iterator[Source]:
    """This data, plain or packed, as a file or in pieces through standard input."""
    form, _, way = form.partition(" ")
    stream = data if form == "plain" else packed(form, data)
    if way == "file":
        with Source(str(saved(folder / "trace", stream)), max_line) as made:
            yield made
    else:
        with patch("sys.stdin", standard_input(stream, places)), Source("-", max_line) as made:
            yield made


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all examples write their recording to."""
    return tmp_path_factory.mktemp("source")


@given(
    parts=st.lists(st.one_of(st.just(b"\n"), st.integers(0, 40).map(lambda length: b"x" * length)), max_size=25),
    places=st.lists(st.integers(0, 400), max_size=6),
    form=st.sampled_from(["plain file", "plain pipe", "gzip file", "xz pipe"]),
    head=st.sampled_from([b"", source.BYTE_ORDER_MARK]),
    buffer=st.integers(8, 64),
    max_line=st.integers(1, 60),
)
@profile(200)
def test_lines_that_are_too_long_are_skipped_and_no_others(
    parts: list[bytes], places: list[int], form: str, head: bytes, buffer: int, max_line: int, folder: Path
) -> None:
    data = b"".join(parts)
    *wanted, last = data.split(b"\n")
    ended = [*(line + b"\n" for line in wanted), *([last] if last else [])]
    with (
        patch.object(source, "BUFFER_BYTES", buffer),
        opened(head + data, places, form, max_line, folder) as made,
    ):
        lines = list(made.lines())
        assert lines == [SKIPPED if len(line.rstrip(b"\n")) > max_line else line for line in ended]
        assert [line is SKIPPED for line in lines] == [len(line.rstrip(b"\n")) > max_line for line in ended]
        assert made.size == len(data)


def long_line(length: int, at: int) -> bytes:
    """An update in the resume's session that comes between the lines of these numbers."""
    message = {
        "jsonrpc": "2.0",
        "method": "session/update",
        "params": {"sessionId": "s", "update": {"a": "x" * length}},
    }
    return dumps({"ts": 1764400000.005 + 0.01 * at, "dir": "a2c", "msg": message})


@pytest.mark.parametrize("at", range(11))
def test_a_line_that_is_too_long_is_a_finding_and_harms_no_other(at: int, tmp_path: Path) -> None:
    lines = complete()
    path = saved(tmp_path / "trace", content([*lines[:at], long_line(1000, at), *lines[at:]]))
    report: Message = json.loads(dumps(lint(path, max_line=1000)))
    (finding,) = report["findings"]
    assert (finding["rule"], finding["severity"], finding["party"]) == ("RL001", "warning", "recording")
    assert (finding["line"], finding["count"]) == (at + 1, 1)
    assert finding["message"].startswith("1 line longer than --max-line; ")
    (resume,), (trace,) = report["resumes"], report["traces"]
    assert (outcome(report), resume["request"]["line"]) == ("complete", 3 + (at <= 2))
    assert (trace["lines"], trace["messages"], trace["lost"], trace["error"]) == (11, 10, 0, None)
    assert found(json.loads(dumps(lint(path, max_line=2000)))) == found(report_of_file(path))


@pytest.mark.parametrize("at", range(2, 9))
def test_nobody_is_blamed_for_what_was_skipped(at: int, tmp_path: Path) -> None:
    """The line may have been the request, the marker, the response: what was expected of it is not missed."""
    lines = complete()
    lines[at] = lines[at].replace(b'"msg":{', b'"msg":{"pad":"' + b"x" * 1000 + b'",')
    report = json.loads(dumps(lint(saved(tmp_path / "trace", content(lines)), max_line=1000)))
    assert [each for each in found(report, least="warning") if each[0] != "RL101"] == [("RL001", "warning", at + 1)]
    assert found(report, least="error") == []


TEXTS = {
    "raw": [b'{"jsonrpc":"2.0","method":"_x"}'],
    "inline": [b'{"dir":"out","jsonrpc":"2.0","method":"_x"}'],
    "recorder": [
        b'{"replaylint":1,"ts":1,"dir":"meta","event":"start"}',
        b'{"ts":2,"dir":"out","msg":{"method":"_x"}}',
    ],
    "conductor-trace": [b'{"type":"notification","ts":1.0,"from":"Client","to":"Agent","method":"_x"}'],
    "conductor-debug": ['C \N{RIGHTWARDS ARROW} +12ms {"jsonrpc":"2.0","method":"_x"}'.encode()],
    "jetbrains": [b'2026-11-14 19:57:12,975 [     34]   FINE - AcpTransport - OUT: {"jsonrpc":"2.0","method":"_x"}'],
    "prefix": [b'[SEND] {"jsonrpc":"2.0","method":"_x"}'],
    "lsp-trace": [b'[Trace] {"isLSPMessage":true,"type":"send-request","message":{"method":"_x"},"timestamp":1}'],
}


@pytest.mark.parametrize("form", TEXTS)
def test_every_format_of_lines_says_what_was_skipped(form: str, tmp_path: Path) -> None:
    (*_, line) = lines = TEXTS[form]
    long = line.replace(b"_x", b"_" + b"x" * 1000)
    path = saved(tmp_path / "trace", content([*lines, long, line, long]))
    report = lint(path, max_line=500)
    (trace,), rules = report.traces, [each for each in report.findings if each.rule != "RL004"]
    assert (trace.format, trace.lines, trace.messages, trace.error) == (form, len(lines) + 3, 2, None)
    assert [(each.rule, each.party, each.line, each.count) for each in rules] == [
        ("RL001", "recording", len(lines) + 1, 2)
    ]


ENTRY = '{"_direction":"outgoing","_type":"notification","method":"_x","params":{"a":"%s"}}'


@pytest.mark.parametrize(
    ("form", "texts"),
    [
        ("zed", ["[", ENTRY % "", ",", ENTRY % ("x" * 1000), ",", ENTRY % "", "]"]),
        ("array", ["[", '{"jsonrpc":"2.0",', '"method":"_x"}', ",", f'{{"method":"_x","a":"{"x" * 1000}"}}', "]"]),
        ("array", ["[", '{"jsonrpc":"2.0",', '"method":"_x"}', "]", " " * 1000]),
        ("content-length", ["Content-Length: 15\r", "\r", '{"method":"_x"}Content-Length: 1000', "", "x" * 1000]),
    ],
)
def test_a_whole_file_is_read_up_to_a_line_that_is_too_long(form: str, texts: list[str], tmp_path: Path) -> None:
    path = saved(tmp_path / "trace", "\n".join(texts).encode())
    (trace,) = lint(path, max_line=500).traces
    at = next(number for number, text in enumerate(texts, 1) if len(text) > 500)
    assert (trace.format, trace.messages) == (form, 1)
    assert trace.error is not None
    assert (trace.error.code, trace.error.line) == ("line-too-long", at)
    assert trace.error.message == f"line {at} is longer than --max-line, and was not read"


@pytest.mark.parametrize("form", [None, "envelope", "zed"])
def test_a_recording_of_one_line_that_is_too_long(form: str | None, tmp_path: Path) -> None:
    path = saved(tmp_path / "trace", b"\n[" + b"x" * 1000)
    report = lint(path, max_line=500, input_format=form)
    error = report.traces[0].error
    if form == "envelope":
        assert error is None
        assert [(each.rule, each.line) for each in report.findings] == [("RL001", 2)]
    else:
        assert error is not None
        assert (error.code, error.line) == ("line-too-long", 2)


def test_a_long_text_is_cut_only_where_nobody_looks() -> None:
    assert reading.MAX_TEXT_BYTES > 4 * fragments.MAX_TEXT_CHARS
    note = reading.unparsed(
        b" " * reading.MAX_TEXT_BYTES + b"{" + b"x" * reading.MAX_TEXT_BYTES, ValueError(), wire=True
    )
    assert note is not None
    assert fragments.is_cut(note.text)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "size"),
    [
        *((5, 5), ("1", 1), ("07", 7), ("64B", 64), ("2kB", 2000), ("2KIB", 2048), (" 3 mb ", 3 * 10**6)),
        *(("3MiB", 3 << 20), ("1gb", 10**9), ("1 GiB", 1 << 30), ("1.5KiB", 1536), (".5kb", 500), ("0.001kB", 1)),
    ],
)
def test_sizes(given: int | str, size: int) -> None:
    assert size_in_bytes(given) == size


@pytest.mark.parametrize(
    "given",
    [
        *(0, -1, "", " ", "B", "-1", "0", "0.4", "1e3", "1k", "1 M", "1TB", "1KB B", "1.2.3", ".", "nan", "inf", "1_0"),
        *("\N{SUPERSCRIPT TWO}", "\N{ARABIC-INDIC DIGIT THREE}", "9" * 30, "9" * 5000),
    ],
)
def test_what_is_no_size(given: int | str) -> None:
    with pytest.raises(UsageError, match="is not a size: write a number of bytes"):
        size_in_bytes(given)


# As a process

PEAK = """
import sys
from replaylint.cli import main
sys.argv[0] = "replaylint"
status = main()
with open("/proc/self/status") as file:
    peak = next(line for line in file if line.startswith("VmHWM")).split()[1]
sys.stderr.write(f"peak {peak}")
sys.exit(status)
"""
MEGABYTE = 10**6
has_peak = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")


def measured(*arguments: str | Path, stdin: bytes | None = None) -> tuple[int, str, int]:
    """Exit status, what is printed, and the peak of its memory in bytes."""
    done = subprocess.run(
        [sys.executable, "-c", PEAK, "-f", "concise", *map(str, arguments)],
        capture_output=True,
        input=stdin,
        check=False,
        timeout=SECONDS,
    )
    output, _, peak = (done.stdout + done.stderr).decode().rpartition("peak ")
    return done.returncode, output, int(peak) * 1024


@has_peak
@pytest.mark.memory
def test_a_line_of_200_megabytes(tmp_path: Path) -> None:
    lines = complete()
    begun, ended = long_line(1, 9).split(b'"x"')
    path = tmp_path / "trace"
    with path.open("wb") as file:
        for part in (content(lines[:9]), begun, b'"', b"x" * (200 * MEGABYTE), b'"', ended, b"\n", content(lines[9:])):
            file.write(part)
    status, output, peak = measured(path)
    assert (status, "RL001" in output, ":3: session/resume 1 s: complete" in output) == (0, False, True)
    assert peak < 60 * MEGABYTE + 3 * 200 * MEGABYTE
    status, output, peak = measured(path, "--max-line", "1 MB")
    assert (status, ":3: session/resume 1 s: complete" in output) == (0, True)
    assert f"{path}:10: warning RL001 non-json-line: 1 line longer than --max-line" in output
    assert peak < 60 * MEGABYTE


@has_peak
def test_a_long_line_that_is_no_json(tmp_path: Path) -> None:
    path = saved(tmp_path / "trace", content([*complete(), b"x" * (40 * MEGABYTE)]))
    status, output, peak = measured(path)
    assert (status, "without JSON in the recording itself" in output) == (0, True)
    assert peak < 60 * MEGABYTE + 3 * 40 * MEGABYTE


@cache
def bomb(form: str) -> bytes:
    """Of 100 MB, on one line, in several streams."""
    made = packed(form, b"x" * (10 * MEGABYTE)) * 10
    assert len(made) < MEGABYTE / 8
    return made


@has_peak
@pytest.mark.parametrize("form", PACKED)
def test_a_bomb_does_not_go_off(form: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "trace", packed(form, content(complete())) + bomb(form) + packed(form, b"\n"))
    status, output, peak = measured("--max-line", "1MB", path)
    assert (status, ":3: session/resume 1 s: complete" in output) == (0, True)
    assert f"{path}:11: warning RL001 non-json-line: 1 line longer than --max-line" in output
    assert peak < 60 * MEGABYTE


@has_peak
def test_a_bomb_alone_is_no_recording() -> None:
    status, output, peak = measured("--max-line", "1MB", "-", stdin=bomb("gzip"))
    assert (status, "line 1 is longer than --max-line, and was not read" in output) == (2, True)
    assert peak < 60 * MEGABYTE


@pytest.mark.parametrize("size", ["1TB", "", "0", "\x1b[31m"])
def test_a_size_that_is_none_is_2(size: str, tmp_path: Path) -> None:
    path = saved(tmp_path / "trace", content(complete()))
    result = run("--max-line", size, path)
    assert_refused(result, "is not a size", "MiB")
    assert "\x1b" not in result.stderr


# Files that are none, or change


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("form", ["plain", "gzip"])
def test_a_named_pipe_whose_writer_takes_its_time(form: str, tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    data = content(complete())
    stream = data if form == "plain" else packed(form, data)

    def write() -> None:
        with path.open("wb", buffering=0) as file:
            for piece in (stream[:3], stream[3:700], stream[700:]):
                file.write(piece)
                time.sleep(0.05)

    writer = threading.Thread(target=write)
    writer.start()
    report = report_of_file(path)
    writer.join()
    assert (report["traces"][0]["bytes"], outcome(report)) == (len(data), "complete")


def test_a_named_pipe_into_which_nothing_is_written_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"",))
    writer.start()
    error = report_of_file(path)["traces"][0]["error"]
    writer.join()
    assert (error["code"], error["message"]) == ("not-a-recording", "is empty")


def test_standard_input_that_does_not_wait_by_itself() -> None:
    reading_end, writing_end = os.pipe()
    os.set_blocking(reading_end, False)
    command = [sys.executable, "-m", "replaylint", "-f", "concise", "-"]
    data = content(complete())
    with subprocess.Popen(command, stdin=reading_end, stdout=subprocess.PIPE, text=True) as child:
        os.close(reading_end)
        for piece in (data[:1], data[1:500], data[500:]):
            time.sleep(0.1)
            os.write(writing_end, piece)
        os.close(writing_end)
        output, _ = child.communicate(timeout=SECONDS)
    assert child.returncode == 0
    assert output.startswith("-:3: session/resume 1 s: complete")


@pytest.mark.parametrize("start", [b"", b"{", b'{"a":1}\n{"b"'])
def test_a_file_that_grows_ends_where_its_end_was_first_reached(start: bytes, tmp_path: Path) -> None:
    path = saved(tmp_path / "trace", start)
    with Source(str(path)) as growing, path.open("ab") as file:
        lines = growing.lines()
        first = [line for line, _ in zip(lines, start.split(b"\n"), strict=False)]
        assert b"".join(first) == start
        file.write(b":2}\n{}\n")
        file.flush()
        assert list(lines) == []


def test_a_file_that_grows_faster_than_it_is_read_is_read_on(tmp_path: Path) -> None:
    """What is there when the end comes near is read; who writes on and on is left behind at the first end."""
    lines = complete()
    path = saved(tmp_path / "trace", content(lines) * 300)
    with Source(str(path)) as growing, path.open("ab") as file:
        made = growing.lines()
        count = 0
        for count, _ in enumerate(made, 1):
            if count == 10:
                file.write(content(lines) * 300)
                file.flush()
        assert count == 6000


def test_a_file_that_is_truncated_while_it_is_read_ends(tmp_path: Path) -> None:
    path = saved(tmp_path / "trace", content(complete()) * 1000)
    with Source(str(path)) as shrinking:
        lines = shrinking.lines()
        next(lines)
        path.write_bytes(b"")
        assert 0 < len(list(lines)) < 9_999


def test_a_line_is_found_again_in_a_file_that_was_truncated(tmp_path: Path) -> None:
    path = saved(tmp_path / "trace", b"x" * 300_000 + b"\n{}\n")
    with Source(str(path), 200_000) as shrinking:
        lines = shrinking.lines()
        path.write_bytes(b"")
        assert list(lines) in ([SKIPPED], [b"x" * 131_078])
