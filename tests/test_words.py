"""The words that rules share: what is long is cut, and one thing is not said like many."""

from __future__ import annotations

import pytest
from orjson import dumps

from replaylint.rules.words import MAX_ID_CHARS, identifier


@pytest.mark.parametrize(
    ("ident", "text"),
    [
        (1, "1"),
        ("1", '"1"'),
        (None, "null"),
        ("x" * (MAX_ID_CHARS - 2), '"' + "x" * (MAX_ID_CHARS - 2) + '"'),
        ("x" * (MAX_ID_CHARS - 1), '"' + "x" * (MAX_ID_CHARS - 1) + "..."),
        ("x" * 10**6, '"' + "x" * (MAX_ID_CHARS - 1) + "..."),
        ("\x1b" * 1000, r'"\u001b' + r"\u001b" * 5 + r"\u0..."),
        (1e300, dumps(1e300).decode()),
        (2**64, "18446744073709551616"),
        (10**1000, "1" + "0" * (MAX_ID_CHARS - 1) + "..."),
        pytest.param(10**5000, "...", id="5001 digits"),
        ("\ud83d", r'"\ud83d"'),
        ("x" * MAX_ID_CHARS + "\ud83d", '"' + "x" * (MAX_ID_CHARS - 1) + "..."),
        ([1] * 1000, "[" + "1," * 19 + "1..."),
    ],
    ids=lambda each: ascii(each)[:40],
)
def test_an_id_is_shown_as_json_writes_it(ident: object, text: str) -> None:
    assert identifier(ident) == text


def test_an_id_that_is_nested_too_deep_is_not_shown() -> None:
    ident: list[object] = []
    for _ in range(1000):
        ident = [ident]
    assert identifier(ident) == "..."
