"""What the user wants of a report, and the report made so."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from replaylint.analysis.run import shown_path
from replaylint.policies.names import chosen
from replaylint.policies.severities import severities as parse_severities
from replaylint.report import findings, summary
from replaylint.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date
    from os import PathLike

    from replaylint.analysis.run import Sink
    from replaylint.policies.baseline import Known
    from replaylint.policies.budgets import Budgets
    from replaylint.policies.exceptions import AgentException
    from replaylint.replay.outcome import Outcome
    from replaylint.report.model import Finding, GroupBy, Report, SeverityName, Trace


class Wanted(NamedTuple):
    """What the user wants reported.

    The codes of the rules, and the outcomes that are expected, None: no matter; and severities, by code, other than
    those that the rules give. `exceptions` are left out, and what is in the `baseline` is marked.
    """

    codes: set[str] | None = None
    outcomes: tuple[Outcome, ...] | None = None
    severities: Mapping[str, SeverityName] = {}
    budgets: Budgets | None = None
    group_by: GroupBy | None = None
    exceptions: tuple[AgentException, ...] = ()
    baseline: Known | None = None

    def applied(self, sink: Sink) -> Sink:
        """A sink that passes on what is wanted. Raises ValueError where that takes all of them together."""
        if self._replace(codes=None, severities={}) != Wanted():
            raise ValueError("of a stream, no more can be wanted than rules and severities")
        return sink if self == Wanted() else _Wishful(sink, self)


class _Wishful:
    """Passes on the findings that are wanted, as grave as they are wanted."""

    def __init__(self, sink: Sink, wishes: Wanted) -> None:
        self._wishes = wishes
        self._sink = sink
        self.resume = sink.resume

    def finding(self, finding: Finding) -> None:
        codes, severities = self._wishes.codes, self._wishes.severities
        if codes is None or finding.rule in codes:
            finding.severity = severities.get(finding.rule, finding.severity)
            self._sink.finding(finding)


def wanted(
    *,
    select: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    severity: str | Iterable[str] | Mapping[str, str] | None = None,
    expect: str | Iterable[str] | None = None,
    max_gap: float | str | None = None,
    max_replay: float | str | None = None,
    max_total: float | str | None = None,
    budget: str | Iterable[str] | None = None,
    group_by: str | None = None,
    exceptions: Iterable[Mapping[str, object]] | None = None,
    today: date | str | None = None,
    baseline: str | PathLike[str] | Known | None = None,
) -> Wanted:
    """What these names mean; each text may hold several, with commas between them.

    Raises UsageError, another ValueError where nothing is expected, and TypeError.
    """
    wishes = Wanted()
    if select is not None or ignore is not None:
        rules = all_rules()
        codes = {rule.code for rule in rules} if select is None else chosen(select, rules)
        if ignore is not None:
            codes -= chosen(ignore, rules)
        wishes = wishes._replace(codes=codes)
    if severity is not None:
        wishes = wishes._replace(severities=parse_severities(severity, all_rules()))
    if expect is not None:
        from replaylint.policies.expectations import outcomes  # noqa: PLC0415

        wishes = wishes._replace(outcomes=outcomes(expect))
    limits = {"response_gap_s": max_gap, "replay_s": max_replay, "total_s": max_total}
    if budget is not None or any(limit is not None for limit in limits.values()):
        from replaylint.policies.budgets import budgets  # noqa: PLC0415

        wishes = wishes._replace(budgets=budgets(limits, budget))
    if group_by is not None:
        from replaylint.report.groups import grouping  # noqa: PLC0415

        wishes = wishes._replace(group_by=grouping(group_by))
    if exceptions:
        from replaylint.policies.exceptions import exceptions as agreed  # noqa: PLC0415

        wishes = wishes._replace(exceptions=agreed(exceptions, today))
    if baseline is not None:
        from replaylint.policies.baseline import Known, load  # noqa: PLC0415

        if not isinstance(baseline, Known):
            path = os.fsdecode(baseline)
            baseline = load(path, shown_path(path))
        wishes = wishes._replace(baseline=baseline)
    return wishes


def finished(report: Report, wishes: Wanted, recordings: Sequence[Sequence[Trace]]) -> Report:
    """The same report: what is wanted of it, in order, and its summary. `recordings`: which inputs are one."""
    if wishes.outcomes is not None:
        from replaylint.policies.expectations import unexpected  # noqa: PLC0415

        report.findings += unexpected(report, recordings, wishes.outcomes)
    if wishes.budgets is not None:
        from replaylint.policies.budgets import exceeded  # noqa: PLC0415

        report.findings += exceeded(report, wishes.budgets)
    if wishes.codes is not None:
        report.findings = [each for each in report.findings if each.rule in wishes.codes]
    left_out: list[Finding] = []
    if wishes.exceptions:
        from replaylint.policies.exceptions import expired, leave_out  # noqa: PLC0415

        left_out = leave_out(report, wishes.exceptions)
        report.findings += [each for each in expired(report) if wishes.codes is None or each.rule in wishes.codes]
    if wishes.severities:
        for each in report.findings:
            each.severity = wishes.severities.get(each.rule, each.severity)
    report.findings.sort(key=findings.order)
    if wishes.baseline is not None:
        from replaylint.policies.baseline import mark  # noqa: PLC0415

        mark(report, wishes.baseline, wishes.codes, left_out)
    report.summary = summary.summary(report, wishes.group_by)
    return report
