"""The recording formats, one file each: a new file is a new format.

A format has a `NAME`, an `EXAMPLE` of a line, a `sniff` that says how much of a beginning looks like its own, and a
`read` that turns lines into messages.
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from orjson import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replaylint.recording.reading import Progress, Reading

CERTAIN: Final = 1_000_000
"""What `sniff` returns where it is certain."""


class Family(StrEnum):
    """The folders of formats. Each is imported only where a recording may be of it."""

    RECORDS = ""
    """A JSON object on each line."""
    TEXTS = "texts"
    """A short text before each message."""
    DOCUMENTS = "documents"
    """One JSON document, or messages framed by their lengths."""


class Head:
    """The beginning of a recording: its first lines, and the JSON objects on them."""

    def __init__(self, lines: Sequence[bytes], records: Sequence[dict[str, object]]) -> None:
        self.lines = lines
        self.records = records
        """Of a batch each message is one."""

    @cached_property
    def document(self) -> bytes:
        """All of it where it may be one document: it has one line, or the first is not JSON by itself. Else empty."""
        lines = [line for line in self.lines if not line.isspace()]
        return b"" if len(lines) > 1 and is_json(lines[0]) else b"".join(self.lines).lstrip()


def is_json(line: bytes) -> bool:
    """Whether this is JSON."""
    try:
        loads(line)
    except ValueError:
        return False
    return True


class Format(Protocol):
    """A module of this package."""

    NAME: str
    EXAMPLE: str

    def sniff(self, head: Head) -> int:
        """How many lines or records of this beginning are of this format, or CERTAIN."""

    def read(self, lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
        """The messages in these lines, the first of which are the head. May raise RecordingError, also later."""


@cache
def formats_of(family: Family) -> tuple[Format, ...]:
    """The formats of this family, by the names of their files."""
    names = sorted(file.stem for file in Path(__path__[0], family).glob("[!_]*.py"))
    package = f"{__name__}.{family}".rstrip(".")
    return tuple(cast("Format", import_module(f"{package}.{each}")) for each in names)


def every_format() -> list[Format]:
    """All formats, by their names."""
    return sorted((each for family in Family for each in formats_of(family)), key=lambda each: each.NAME)


def best(formats: Iterable[Format], head: Head) -> Format | None:
    """The format with the most lines of this beginning; of equal ones the first."""
    counts = [(form.sniff(head), form) for form in formats]
    most = max((count for count, _ in counts), default=0)
    return next(form for count, form in counts if count == most) if most else None
