"""Texts that a reader uses as identities, made distinct."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def distinct(texts: Iterable[str]) -> Iterator[str]:
    """Each of these texts; a repeated one with its ordinal: `text`, `text:2`, `text:3`."""
    given: set[str] = set()
    ordinals: Counter[str] = Counter()
    for text in texts:
        numbered = text
        while not ordinals[text] or numbered in given:  # another text may look like this one with its ordinal
            ordinals[text] += 1
            numbered = f"{text}:{ordinals[text]}" if ordinals[text] > 1 else text
        given.add(numbered)
        yield numbered
