"""The rules, one file each. A file that is put here is a rule: it declares `RULE`."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replaylint.rules.registry import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by its code."""
    # Neither pkgutil nor pathlib: they are felt at start.
    files = sorted(name for name in os.listdir(__path__[0]) if name.startswith("rl"))  # noqa: PTH208
    names = (name.removesuffix(".py") for name in files)
    return tuple(import_module(f"{__name__}.{name}").RULE for name in names)
