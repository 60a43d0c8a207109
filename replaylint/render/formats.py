"""What recordings look like: a list for people, a table for pages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from replaylint.render.layout import line
from replaylint.render.rulebook import INSTEAD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.recording.formats import Format
    from replaylint.render.view import View


class Entry(NamedTuple):
    """A format: its name, what it is, and what a line of it looks like."""

    name: str
    what: str
    example: str


def entry(form: Format) -> Entry:
    """The entry of a format; what it is comes from the first line of its docstring, after the name."""
    what = (form.__doc__ or "").split("\n", 1)[0].partition(": ")[2].removesuffix(".")
    return Entry(form.NAME, what[:1].upper() + what[1:], form.EXAMPLE)


def listing(view: View, entries: Iterable[Entry]) -> Iterator[str]:
    """Two lines for each: what it is, and an example."""
    for each in entries:
        yield _plain(view, line(view, 0, ("bold", each.name), f": {each.what}"))
        yield _plain(view, line(view, 4, ("dim", each.example)))


def _plain(view: View, text: str) -> str:
    return text if view.unicode else "".join(INSTEAD.get(character, character) for character in text)


def table(entries: Iterable[Entry]) -> str:
    """The same as a table in Markdown."""
    rows = ["| format | what it is | a line |", "|---|---|---|"]
    rows += [f"| `{each.name}` | {each.what} | `{each.example.replace('|', chr(92) + '|')}` |" for each in entries]
    return "\n".join(rows)
