"""Output formats, one file each. They escape and lay out; they compute nothing and reword nothing."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final, Literal, Protocol, cast, get_args

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Report

Format = Literal["text", "concise", "json", "csv", "ndjson", "markdown", "github", "gitlab", "junit", "sarif"]
FORMATS: Final[tuple[str, ...]] = get_args(Format)


class Renderer(Protocol):
    """A module of this package."""

    def render(self, report: Report, view: View) -> Iterator[str] | Iterator[bytes]:
        """The output in pieces: text, or bytes where its encoding is fixed."""


def renderer(name: str) -> Renderer:
    """The renderer of this name; it is imported only now."""
    return cast("Renderer", import_module(f"{__name__}.{name}"))
