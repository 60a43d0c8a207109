"""`json`: the report itself. Its fields are a contract; `replaylint/report/schema.json` describes them."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from orjson import OPT_INDENT_2, dumps

from replaylint.render.escape import harmless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Report


def render(report: Report, view: View) -> Iterator[bytes]:  # noqa: ARG001
    """One object, piece by piece: a report may be large."""
    yield b"{"
    separator = b"\n  "
    for field in fields(report):
        value = getattr(report, field.name)
        yield separator + dumps(field.name) + b": "
        if isinstance(value, list) and value:
            yield from _entries(value)
        else:
            yield _indented(value, b"\n  ")
        separator = b",\n  "
    yield b"\n}\n"


def _entries(values: list[object]) -> Iterator[bytes]:
    separator = b"["
    for value in values:
        yield separator + b"\n    " + _indented(value, b"\n    ")
        separator = b","
    yield b"\n  ]"


def _indented(value: object, line_end: bytes) -> bytes:
    # In a string a line end is escaped, so each one here is layout.
    return harmless(dumps(value, option=OPT_INDENT_2).replace(b"\n", line_end))
