"""What a run has to do, and the end of every run: the report as it was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from replaylint.policies.policy import Draft, FindingPolicy
from replaylint.recording.source import MAX_LINE
from replaylint.report import findings, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replaylint.analysis.run import Sink
    from replaylint.policies.policy import Policy
    from replaylint.report.model import Finding, GroupBy, Report, Trace


class Plan(NamedTuple):
    """The options of a run, parsed. Without any it reports what the rules say.

    `policies` are in the order in which they apply. `max_line` and `max_message` are in bytes. `pass_over`: files
    that are named and are no recordings. `sides`: the files of what the client sent, and the agent.
    """

    policies: tuple[Policy, ...] = ()
    group_by: GroupBy | None = None
    input_format: str | None = None
    max_line: int = MAX_LINE
    max_message: int | None = None
    concat: bool = False
    pass_over: bool = False
    sides: tuple[str, str] | None = None

    @property
    def streams(self) -> bool:
        """Whether everything can be told as it becomes certain: nothing that is asked for needs the whole report."""
        alone = all(isinstance(each, FindingPolicy) for each in self.policies)
        return alone and self.group_by is None and not self.concat and self.sides is None

    def filtered(self, sink: Sink) -> Sink:
        """A sink that passes on what is asked for. Raises ValueError where that takes all of them together."""
        if not self.streams:
            raise ValueError("of a stream, no more can be wanted than rules and severities")
        policies = [each for each in self.policies if isinstance(each, FindingPolicy)]
        return FilteringSink(sink, policies) if policies else sink

    def finish(self, report: Report, recordings: Sequence[Sequence[Trace]]) -> Report:
        """The same report: what is asked for, in order, and its summary. `recordings`: which inputs are one."""
        draft = Draft(report, recordings)
        for policy in self.policies:
            policy.apply(draft)
        report.findings.sort(key=findings.order)
        report.summary = summary.summary(report, self.group_by)
        return report


class FilteringSink:
    """Passes on the findings that these policies let pass."""

    def __init__(self, sink: Sink, policies: Sequence[FindingPolicy]) -> None:
        self._policies = policies
        self._sink = sink
        self.resume = sink.resume

    def finding(self, finding: Finding) -> None:
        """Pass it on, unless a policy leaves it out."""
        if all(policy.revise(finding) for policy in self._policies):
            self._sink.finding(finding)
