"""What a rule's docstring says of it, part by part.

Its first line is the summary. Paragraphs of meaning follow, then those that begin with `Promise:`, `Source:` and
`Fix:`. The last part is `Example:`, an indented block: the smallest recording that breaks the rule. A line in it that
begins with an arrow is a JSON-RPC message, to the agent or to the client, which indented lines may continue; any other
one is a line of the recording as it is.
"""

from __future__ import annotations

import re
from importlib import import_module
from textwrap import dedent
from typing import TYPE_CHECKING, Final, NamedTuple

from orjson import dumps, loads

if TYPE_CHECKING:
    from replaylint.rules.registry import Rule

DIRECTIONS: Final = {"\N{RIGHTWARDS ARROW} ": "c2a", "\N{LEFTWARDS ARROW} ": "a2c"}
"""What a message begins with, and the direction that it stands for."""

ARROW: Final = 2
"""Characters of it."""

LABELS: Final = {"Promise": "promise", "Source": "source", "Fix": "fix"}


class Explanation(NamedTuple):
    """A docstring's parts; each paragraph is one line, with a blank line before the next. A part may be empty."""

    summary: str
    meaning: str
    promise: str
    source: str
    fix: str
    example: str
    """The block, without its indentation, each message on one line."""


def explained(rule: Rule) -> Explanation:
    """What this rule's docstring says."""
    module = import_module(f"{__package__}.{rule.code.lower()}_{rule.name.replace('-', '_')}")
    return parse(module.__doc__ or "")  # python -OO drops it


def parse(docstring: str) -> Explanation:
    """The parts of a rule's docstring."""
    prose, _, example = docstring.partition("\nExample:")
    summary, *paragraphs = [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", prose.strip())]
    parts: dict[str, list[str]] = {"meaning": [], **{part: [] for part in LABELS.values()}}
    part = "meaning"
    for paragraph in paragraphs:
        label, _, text = paragraph.partition(": ")
        if label in LABELS:
            part = LABELS[label]
        parts[part].append(text if label in LABELS else paragraph)
    texts = {name: "\n\n".join(paragraphs) for name, paragraphs in parts.items()}
    block = dedent(example.rstrip()).strip("\n")
    return Explanation(summary=summary, example=re.sub(_CONTINUED, _joined, block, flags=re.MULTILINE), **texts)


_CONTINUED: Final = f"^(?:{'|'.join(DIRECTIONS)}).*(?:\n +.+)+"


def _joined(message: re.Match[str]) -> str:
    return re.sub(r"\n +", "", message[0])


def recording(example: str) -> bytes:
    """The example as a recording, line for line; where no message says `jsonrpc`, all have it.

    Raises ValueError where an arrow points at what is no JSON.
    """
    version = {} if '"jsonrpc"' in example else {"jsonrpc": "2.0"}
    return b"\n".join(_record(line, version) for line in example.split("\n"))


def _record(line: str, version: dict[str, str]) -> bytes:
    direction = DIRECTIONS.get(line[:ARROW])
    if direction is None:
        return line.encode()
    body = loads(line[ARROW:])
    if isinstance(body, list):
        body = [version | each if isinstance(each, dict) else each for each in body]
    elif isinstance(body, dict):
        body = version | body
    return dumps({"dir": direction, "msg": body})
