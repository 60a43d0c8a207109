"""What became of budgets, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.rules.words import Count, duration

if TYPE_CHECKING:
    from replaylint.report.model import BudgetResult


def outcome(result: BudgetResult) -> str:
    """The verdict, and the value that it rests on."""
    verdict = result.verdict.replace("_", " ")
    if result.value_s is None:
        return f"{verdict}, with {Count(result.n):replay}"
    return f"{verdict}, {duration(result.value_s)} over {Count(result.n):replay}{bounds(result)}"


def bounds(result: BudgetResult) -> str:
    """What a percentile of many more replays would be, as far as these show it."""
    if result.needs is None:
        return ""
    low, high = result.at_least_s, result.at_most_s
    if high is None:
        return f" (fewer than {result.needs} put no upper bound on that of many more)"
    least = "" if low is None else f"at least {duration(low)} and "
    return f" (of many more, {least}at most {duration(high)}, each with 95 % confidence)"
