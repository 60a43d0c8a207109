"""From options to a plan."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from replaylint.analysis.plan import Plan
from replaylint.policies import baseline, budgets, exceptions, expectations, selection, severities
from replaylint.policies.names import known_format
from replaylint.policies.units import size_in_bytes
from replaylint.recording.source import MAX_LINE
from replaylint.report.groups import grouping

if TYPE_CHECKING:
    from collections.abc import Callable

    from replaylint.policies.options import Options
    from replaylint.policies.policy import Policy

POLICIES: Final[tuple[Callable[[Options], Policy | None], ...]] = (
    selection.parse,
    severities.parse,
    expectations.parse,
    budgets.parse,
    exceptions.parse,
    baseline.parse,
)
"""In the order in which they apply: the first two see what the others add, the last knows what became of all."""


def parse(options: Options) -> Plan:
    """What these options mean. Raises UsageError, another ValueError and TypeError."""
    policies = tuple(policy for parse in POLICIES if (policy := parse(options)) is not None)
    group_by, form, max_line = options.get("group_by"), options.get("input_format"), options.get("max_line")
    max_message = options.get("max_message")
    client, agent = options.get("client_file"), options.get("agent_file")
    if (client is None) != (agent is None):
        raise ValueError("client_file and agent_file belong together")
    return Plan(
        policies,
        group_by=None if group_by is None else grouping(group_by),
        input_format=None if form is None else known_format(form),
        max_line=MAX_LINE if max_line is None else size_in_bytes(max_line),
        max_message=None if max_message is None else size_in_bytes(max_message),
        concat=bool(options.get("concat")),
        pass_over=bool(options.get("pass_over")),
        sides=None if client is None or agent is None else (os.fsdecode(client), os.fsdecode(agent)),
    )
