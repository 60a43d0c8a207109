"""The recording formats, one file each. A file that is put here is a format.

Here are those with a JSON object a line; in `texts` those with a short text before each message, in `documents` those
that are one JSON document or frame their messages. Each of these is imported only where a recording may be one.

A format has a `NAME`, an `EXAMPLE` of a line, a `sniff` that says how much of a beginning looks like its own, and a
`read` that turns lines into messages.
"""

from __future__ import annotations

from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from orjson import loads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from replaylint.recording.reading import Progress, Reading

RECORDS: Final = ""
TEXTS: Final = "texts"
DOCUMENTS: Final = "documents"
FAMILIES: Final = (RECORDS, TEXTS, DOCUMENTS)

BLOCK: Final = 1_000_000
"""What `sniff` says where one look is enough."""


class Head:
    """The beginning of a recording: its first lines, and the JSON objects that stand on them."""

    def __init__(self, lines: Sequence[bytes], records: Sequence[dict[str, object]]) -> None:
        self.lines = lines
        self.records = records
        """A batch counts by its messages."""

    @cached_property
    def document(self) -> bytes:
        """All of it where it may be one document: it has one line, or the first is no JSON by itself. Else empty."""
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
        """How many lines or records of this beginning are of this format, or BLOCK."""

    def read(self, lines: Iterable[bytes], head: Head, progress: Progress) -> Reading:
        """The messages in these lines, the first of which are the head. May raise RecordingError, also later."""


@cache
def family(name: str) -> tuple[Format, ...]:
    """The formats of this family, by the names of their files."""
    names = sorted(file.stem for file in Path(__path__[0], name).glob("[!_]*.py"))
    package = f"{__name__}.{name}".rstrip(".")
    return tuple(cast("Format", import_module(f"{package}.{each}")) for each in names)


def every_format() -> list[Format]:
    """All formats, by their names."""
    return sorted((each for name in FAMILIES for each in family(name)), key=lambda each: each.NAME)


def best(formats: Iterable[Format], head: Head) -> Format | None:
    """The format that most of this beginning looks like; of two, the one that is named first."""
    counts = [(form.sniff(head), form) for form in formats]
    most = max((count for count, _ in counts), default=0)
    return next(form for count, form in counts if count == most) if most else None
