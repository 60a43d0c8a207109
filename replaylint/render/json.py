"""`json`: the report itself. Its fields are a contract; `replaylint/report/schema.json` describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orjson import OPT_APPEND_NEWLINE, OPT_INDENT_2, dumps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.report.model import Report


def render(report: Report, *, quiet: bool) -> Iterator[str]:  # noqa: ARG001
    """One object."""
    yield dumps(report, option=OPT_INDENT_2 | OPT_APPEND_NEWLINE).decode()
