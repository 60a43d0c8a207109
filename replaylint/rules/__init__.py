"""The rules, one file each. A file that is put here is a rule: it declares `RULE`."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from replaylint.rules.registry import Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, by its code."""
    names = sorted(module.name for module in iter_modules(__path__) if module.name.startswith("rl"))
    return tuple(import_module(f"{__name__}.{name}").RULE for name in names)
