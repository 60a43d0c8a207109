"""The words that rules share: what is long is cut, and one thing is not said like many."""

from __future__ import annotations

import pytest

from replaylint.rules.words import MAX_ID_CHARS, identifier


@pytest.mark.parametrize(
    ("ident", "text"),
    [
        (1, "1"),
        ("1", '"1"'),
        (None, "null"),
        ("x" * (MAX_ID_CHARS - 2), '"' + "x" * (MAX_ID_CHARS - 2) + '"'),
        ("x" * (MAX_ID_CHARS - 1), '"' + "x" * (MAX_ID_CHARS - 1) + "..."),
        ("x" * 1000, '"' + "x" * (MAX_ID_CHARS - 1) + "..."),
    ],
)
def test_an_id_is_shown_as_json_writes_it(ident: object, text: str) -> None:
    assert identifier(ident) == text


def test_an_id_that_is_nested_too_deep_is_not_shown() -> None:
    ident: list[object] = []
    for _ in range(1000):
        ident = [ident]
    assert identifier(ident) == "..."
