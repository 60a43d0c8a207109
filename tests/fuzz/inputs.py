"""An input: its number and the seed say all of it."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from replaylint.recording.formats import every_format
from replaylint.replay.outcome import OUTCOMES
from tests.fuzz.mutations import LEVELS, mutated
from tests.fuzz.samples import CODECS

if TYPE_CHECKING:
    from tests.fuzz.mutations import Stock


class Case(NamedTuple):
    """An input, and how it is linted.

    `mode`: one file, `several`, `concat`: cut in two at byte `cut`, or `sides`: what each side sent apart.
    """

    number: int
    sample: str
    content: bytes
    levels: tuple[str, ...]
    closed: bool
    expect: tuple[str, ...] | None
    form: str | None
    max_line: int | None
    mode: str
    cut: int


@cache
def format_names() -> list[str]:
    """The names of all formats."""
    return [form.NAME for form in every_format()]


def case_of(seed: int, index: int, stock: Stock) -> Case:
    """Input number `index` of this seed."""
    random = Random(f"{seed}:{index}")  # noqa: S311
    sample = stock.draw(random)
    content, levels = sample.content, []
    packs = CODECS[sample.codec][1] if sample.codec is not None else None
    only_bytes = packs is not None and random.random() < 0.3
    if packs is not None and only_bytes:
        content = packs(content)
    for _ in range(random.choices((1, 2, 3, 4), (4, 3, 2, 1))[0]):
        level = "byte" if only_bytes else random.choices(tuple(LEVELS), (2, 2, 3, 3))[0]
        content, level = mutated(random, content, level, sample, stock)
        levels.append(level)
    if packs is not None and not only_bytes:
        content = packs(content)
    form = None
    if random.random() < 0.12:
        form = sample.form if sample.form and random.random() < 0.7 else random.choice(format_names())
    expect = None
    if random.random() < 0.2:
        expect = ("complete",) if random.random() < 0.7 else tuple(random.sample(OUTCOMES, 2))
    max_line = random.choice((1, 60, 200, 1000)) if random.random() < 0.03 else None
    mode = random.choices(("one", "several", "concat", "sides"), (92, 2, 3, 3))[0]
    cut = random.randrange(len(content) + 1)
    if mode == "concat" and random.random() < 0.8:
        cut = content.find(b"\n", cut) + 1
    closed = random.random() < 0.5
    return Case(index, sample.name, content, tuple(levels), closed, expect, form, max_line, mode, cut)
