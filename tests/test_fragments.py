"""Texts that are no JSON: whether one is the beginning of some, and the message that one holds."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylint.recording.fragments import MAX_ATTEMPTS, MAX_TEXT_CHARS, embedded, is_cut
from tests.profiles import profile
from tests.strategies import json_values

# The beginning of JSON

RICH: dict[str, Any] = {
    "jsonrpc": "2.0",
    "": [[], {}, [{}], [[[]]], {"a": {"b": {}}}],
    "numbers": [0, -0.0, -1, 10, 2**63, 2**70, 1.5, -2.25e-7, 1e300, 6.02e23],
    "words": [True, False, None, [None], {"true": False}],
    "texts": ["", " ", 'a "quoted" word', "back\\slash", "\\\\", "\b\f\n\r\t/", "\0\x1b[31m", "é\u2028\U0001f600"],
    "looks": ["{", "}", "[1,", '":', "\\u12", "null", "// no comment", "1e"],
    "params": {"sessionId": "s", "update": {"sessionUpdate": "agent_message", "content": [{"type": "text"}]}},
}
WRITTEN = {
    "compact": json.dumps(RICH, separators=(",", ":")),
    "spaced": json.dumps(RICH),
    "indented": json.dumps(RICH, indent="\t ").replace("\n", "\r\n"),
    "unescaped": json.dumps(RICH, ensure_ascii=False),
    "array": json.dumps([RICH, *RICH.values()]),
    "capitals": json.dumps({"a": [1e300, "é"]}).replace("e+", "E+").replace("00e9", "00E9"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_every_beginning_of_json_is_cut(name: str) -> None:
    text = WRITTEN[name]
    assert [text[:end] for end in range(1, len(text)) if not is_cut(text[:end])] == []
    assert not is_cut(text)
    assert not is_cut("")


@given(value=json_values(), plain=st.booleans(), indent=st.sampled_from([None, 0, 2]))
@profile(200)
def test_every_beginning_of_any_json_is_cut(value: Any, plain: bool, indent: int | None) -> None:
    text = json.dumps([value], ensure_ascii=plain, indent=indent)
    assert all(is_cut(text[:end]) for end in range(1, len(text)))
    assert not is_cut(text)


@pytest.mark.parametrize("text", [f'{{"a": "{"é" * 9}"', '{"a": "\U0001f600"', '["\u2028'])
def test_a_text_that_stops_in_a_character_is_cut(text: str) -> None:
    data = text.encode()
    for end in range(1, len(data)):
        assert is_cut(data[:end].decode(errors="replace"))


@pytest.mark.parametrize("text", ["[1, ", '{"a":\n', "[\t", '{ "a" ', "[true ", "[1\r\n", "[-1 ", "[1e5 ", '["a" '])
def test_blanks_at_the_end_are_part_of_a_beginning(text: str) -> None:
    assert is_cut(text)


@pytest.mark.parametrize("text", ["[NaN", "[Na", "[Infinity", "[-Inf", '{"a":N', '{"a":-I', "[NaN,", '["a\tb'])
def test_what_some_writers_take_for_json_is_cut_too(text: str) -> None:
    assert is_cut(text)


@pytest.mark.parametrize("text", ["{}", "[]", "[[]]", ' {"a": 1}'.strip(), '{"a":[NaN]}', "[Infinity]", '["\\ud800"]'])
def test_what_has_its_end_is_not_cut(text: str) -> None:
    assert not is_cut(text)


@pytest.mark.parametrize("text", ["", " ", "loading", '"text', "tru", "-", "12", "\ufeff{", " {", "x{", "null", "//"])
def test_what_begins_neither_object_nor_array_is_not_cut(text: str) -> None:
    assert not is_cut(text)


BROKEN = (
    *("{} {", "[1] [", "{}}", "[]]", "[1}", '{"a":1]', '{"a":1}x', '{"a":1} and more'),
    *("{,", "[,", "[1,,", '{"a":1,,', '{"a",', '{"a" "b', '{"a"::', "[1 2", '[1 "', '["a" "b', '{"a":1 "b"', "[:"),
    *("{a", "{'a", "{1:", "{[", "{{", "{null:", '{"a":}', "[1,]", '{"a":1,}'),
    *("[01", "[-a", "[1.a", "[1.2.3", "[1ea", "[1e+-", "[+1", "[.5,", "[0x1F", "[1_0", "[--1"),
    *("[trux", "[True", "[TRUE", "[nil", "[nulls", "[falsey", "[undefined", "[nan", "[inf", "[Infinite", "[-N"),
    *('["\\q', '["\\x41', '["\\u12G', '["\\u 123', '["\\u123"', "['a'", "[`a`", '{"a":"b"c'),
    *("[INFO] started", "[error]", "[2025-11-29T07:06:40Z] x", "[31m", "[====>   ] 40 %", "{% x %}", "{level=info"),
)


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_broken_before_its_end_is_not_cut(text: str) -> None:
    assert not is_cut(text)
    assert not is_cut(f"{text} ")


ENDLESS = (
    *("[E", "[e", "[.", "{t", "{true", "{-", "{N", "{n", "[0f", "[1N", "[-0-", "[9t", "[t ", "[nu\n", "[- ", "[\u2028"),
    *("[tu", "[fas", "[nl", "[Ifi", "[-Int", "[Nn"),
)


@pytest.mark.parametrize("text", ENDLESS)
def test_what_nothing_could_follow_is_not_cut(text: str) -> None:
    assert not is_cut(text)


@pytest.mark.parametrize(("beginning", "levels"), [("[", 1), ('{"a":', 1), ('[{"a":', 2)])
@pytest.mark.parametrize("depth", [100, 800, 1000])
def test_a_beginning_that_is_nested_deeply_is_cut(beginning: str, levels: int, depth: int) -> None:
    assert is_cut(beginning * (depth // levels))


@pytest.mark.parametrize("digits", [20, 309, 4300, 4301, 100_000])
@pytest.mark.parametrize("text", ["[{}", '{{"id":-{}', '{{"id":{},"a', "[0.{}", "[1e{}"])
def test_a_beginning_that_holds_a_long_number_is_cut(digits: int, text: str) -> None:
    assert is_cut(text.format("1" * digits))


def test_of_a_very_long_text_only_the_beginning_is_looked_at() -> None:
    longest = '["' + "x" * (MAX_TEXT_CHARS - 2)
    assert is_cut(longest)
    assert not is_cut(longest[:-2] + '"]')
    for first, cut in (("{", True), ("[", True), ("x", False), ('"', False)):
        assert is_cut(first + "}" * MAX_TEXT_CHARS) is cut


# What is in it

RESPONSE = {"jsonrpc": "2.0", "id": 3, "result": {}}


@pytest.mark.parametrize("message", [RESPONSE, {"method": "_x"}, {"jsonrpc": "2.0"}, {"jsonrpc": 1, "error": {}}])
@pytest.mark.parametrize(
    "text",
    [
        "INFO FIRST sent",
        "FIRSTSECOND",
        "FIRST {",
        "FIRST INFO",
        "{ FIRST",
        '{"level":"info"} FIRST SECOND',
        "[FIRST",
        "[1, FIRST, SECOND",
        '{"msg":FIRST',
        'a "word" FIRST',
        "\x1b[31mFIRST",
        "\0FIRST\0",
    ],
)
def test_the_first_message_in_a_text_is_found(text: str, message: dict[str, object]) -> None:
    assert embedded(text.replace("FIRST", json.dumps(message)).replace("SECOND", '{"method":"_y"}')) == message


@pytest.mark.parametrize(
    "text",
    [
        "",
        "loading plugins",
        '{"level":"info","msg":"started"}',
        'INFO {"id":7}',
        'INFO {"method":1,"id":2}',
        'INFO {"method":"_x"',
        'INFO "jsonrpc":"2.0","method":"_x"',
        "{'method': '_x'}",
        '{"method"} {"jsonrpc"',
        'INFO [1,2] "method"',
        '{"a":"{\\"method\\":\\"_x\\"}"',
        "INFO {method: _x}",
    ],
)
def test_what_holds_no_message(text: str) -> None:
    assert embedded(text) is None


def test_a_message_around_another_comes_first() -> None:
    outer = {"method": "_x", "params": {"jsonrpc": "2.0", "method": "_inner"}}
    assert embedded(f"> {json.dumps(outer)}") == outer
    assert embedded(json.dumps(outer)[:-1]) == outer["params"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('> {"method":"_x","params":{"a":Infinity}}', {"method": "_x", "params": {"a": float("inf")}}),
        ('> {"method":"a\tb\0"}', {"method": "a\tb\0"}),
        ('> {"method":"_x","method":"_y"}', {"method": "_y"}),
        ('{"method":"\\ud800"}', {"method": "\ud800"}),
    ],
)
def test_a_message_may_be_one_that_a_strict_reader_refuses(text: str, message: dict[str, object]) -> None:
    assert embedded(text) == message


def test_it_does_not_look_for_ever() -> None:
    found = json.dumps(RESPONSE)
    assert embedded("{ " * (MAX_ATTEMPTS - 1) + found) == RESPONSE
    assert embedded("{ " * MAX_ATTEMPTS + found) is None
    assert embedded(found + " " * (MAX_TEXT_CHARS - len(found))) == RESPONSE
    assert embedded(found + " " * MAX_TEXT_CHARS) is None
    assert embedded('"method"' + "{" * MAX_TEXT_CHARS) is None
    assert embedded('"method"' + "[" * 100_000 + found) == RESPONSE
    assert embedded('{"method":' * 50_000) is None
    assert embedded('{"jsonrpc":"2.0","id":' + "1" * 5000 + "} x") is None
