"""JSON of any content: what others take is read, and what would take too much memory is refused before it does."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps, loads

from replaylint.recording import parsing, weight
from replaylint.recording.formats import envelope
from replaylint.recording.parsing import Unholdable, parse
from replaylint.recording.weight import MAX_UNWEIGHED, MAX_WEIGHT, is_heavy
from tests.recordings import Recording, found, report_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LEVELS = 1100
"""More than orjson nests."""


# What is read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'["\ud83d"]', ["\ufffd"]),
        (r'["\ude00"]', ["\ufffd"]),
        (r'["\ud83d\ude00"]', ["\U0001f600"]),
        (r'["\ud83d\ude00\ude00\ud83d"]', ["\U0001f600\ufffd\ufffd"]),
        (r'["\ud83d\ud83d\ude00"]', ["\ufffd\U0001f600"]),
        (r'["\\ud83d", "\ud83d"]', ["\\ud83d", "\ufffd"]),
        (r'["\\\ud83d"]', ["\\\ufffd"]),
        (r'["\uD83D\n\uDE00"]', ["\ufffd\n\ufffd"]),
        (r'{"\ud800": NaN}', {"\ufffd": None}),
        ("[1e999, -Infinity]", [None, None]),
        ("[1" + "0" * 5000 + "]", ["1" + "0" * 5000]),
        ("[18446744073709551616]", [2.0**64]),
    ],
)
def test_what_orjson_refuses_is_read(text: str, value: object) -> None:
    assert parse(text) == value
    assert parse(text.encode()) == value
    assert loads(dumps(value)) == value


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=40), st.integers(0, 40), st.booleans())
def test_only_lone_surrogates_are_replaced(text: str, at: int, high: bool) -> None:
    whole = json.dumps([text[:at], text[at:]])
    assert parse(whole) == [text[:at], text[at:]]
    half = r"\ud83d" if high else r"\ude00"
    damaged = json.dumps([text[:at] + "@" + text[at:]]).replace("@", half) if "@" not in text else f'["{half}"]'
    assert parse(damaged) == ([text[:at] + "\ufffd" + text[at:]] if "@" not in text else ["\ufffd"])


@pytest.mark.parametrize("text", ["", "nul", "{", '{"a":}', "[1,]", '["\x01"]', "NaNs", "banner", '["\\ud83"]'])
def test_what_is_no_json_is_none(text: str) -> None:
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        parse(text)
    assert not isinstance(raised.value, Unholdable)


@pytest.mark.parametrize("text", ["[" * LEVELS + "]" * LEVELS, "[NaN," + "[" * 100_000 + "]" * 100_001])
def test_what_is_nested_too_deep_cannot_be_held(text: str) -> None:
    with pytest.raises(Unholdable):
        parse(text)


def test_a_long_text_for_the_other_parser_cannot_be_held_unless_it_is_cut() -> None:
    with patch.object(parsing, "MAX_BYTES", 10):
        with pytest.raises(Unholdable):
            parse(b'["a long text", NaN]\n')
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            parse(b'["a long text", Na')
    assert not isinstance(raised.value, Unholdable)


# What it weighs


DENSE = {
    "objects": b"{},",
    "arrays": b"[],",
    "members": b'{"a":1},',
    "nested": b'{"":{}},',
    "lists": b"[[]],",
    "texts": b'"ab",',
    "two bytes": '"\N{CJK UNIFIED IDEOGRAPH-4E2D}",'.encode(),
    "four bytes": '"\N{GRINNING FACE}",'.encode(),
    "numbers": b"1.5,",
    "a wide text": '"\N{GRINNING FACE}aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",'.encode(),
    "escapes": rb'"\ud83d\ude00",',
}
MEASURE = """
import resource, sys
from orjson import loads
data = sys.stdin.buffer.read()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
held = loads(data)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def filled(item: bytes, size: int) -> bytes:
    return b"[" + item * (size // len(item)) + b"0]"


@pytest.mark.memory
@pytest.mark.parametrize("name", DENSE)
def test_nothing_that_is_not_weighed_becomes_larger_than_the_bound(name: str) -> None:
    data = filled(DENSE[name], MAX_UNWEIGHED)
    measured = subprocess.run([sys.executable, "-c", MEASURE], input=data, capture_output=True, check=True, timeout=60)
    unit = 1 if sys.platform == "darwin" else 1024
    taken = int(measured.stdout) * unit
    assert taken <= MAX_WEIGHT
    # What is weighed is never lighter than it is.
    with patch.object(weight, "MAX_WEIGHT", taken):
        assert is_heavy(data)


@pytest.mark.parametrize("name", DENSE)
def test_dense_json_is_heavy_and_as_a_text_it_is_not(name: str) -> None:
    data = filled(DENSE[name], 2_000_000)
    text = dumps([data.decode()])
    with patch.object(weight, "MAX_WEIGHT", 4 * len(text) + 1000):
        assert is_heavy(data)
        assert not is_heavy(text)


def test_a_heavy_line_is_refused_before_it_is_parsed() -> None:
    data = filled(b"{},", 20_000_000)
    with patch.object(parsing, "loads") as loaded, pytest.raises(Unholdable):
        parse(data)
    assert not loaded.called


# In a recording


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("wrapped", [lambda message: message, lambda message: dumps(message).decode()])
def test_nobody_is_blamed_for_json_that_cannot_be_held(
    heavy: bool, wrapped: Callable[[object], object], tmp_path: Path
) -> None:
    """The request that stood there is answered; the replay around it is whole."""
    deep = b"[" * LEVELS + b"]" * LEVELS
    params = filled(b"{},", 30_000) if heavy else deep
    made = Recording().initialize_v2().resume(1, "s").message("s", "m")
    at = len(made.records)
    lines = made.client(7, "_x", params="@").marker("s").idle("s").result(1, {}).result(7, {}).lines()
    record = made.records[at]
    lines[at] = dumps({**record, "msg": wrapped(record["msg"])}).replace(b'\\"@\\"', params).replace(b'"@"', params)
    with (
        patch.object(parsing, "MAX_UNWEIGHED", 10_000),
        patch.object(envelope, "MAX_UNWEIGHED", 10_000),
        patch.object(weight, "MAX_WEIGHT", 1_000_000),
    ):
        report = report_of(lines, tmp_path)
    assert [rule for rule, *_ in found(report)] == ["RL001"]
    (finding,) = report["findings"]
    assert (finding["severity"], finding["party"], finding["line"]) == ("warning", "recording", at + 1)
    assert "cannot be read here" in finding["message"]
    assert [each["end"] for each in report["resumes"]] == ["success"]
