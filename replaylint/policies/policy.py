"""What all policies have in common: a module each, whose `parse` makes one of the options, or None."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from replaylint.report.model import Finding, Report, Trace


class Draft:
    """A report on its way through the policies. `recordings`: which of its inputs are one."""

    def __init__(self, report: Report, recordings: Sequence[Sequence[Trace]]) -> None:
        self.report = report
        self.recordings = recordings
        self.codes: Collection[str] | None = None
        """The rules whose findings are reported; None: all."""
        self.left_out: Iterable[Finding] = ()
        """What exceptions took out: it occurs all the same."""
        self._revisions: list[Callable[[Finding], bool]] = []

    def revise(self, revision: Callable[[Finding], bool]) -> None:
        """Let this see every finding that there is, and that comes; only those stay for which it is true."""
        self._revisions.append(revision)
        self.report.findings = [each for each in self.report.findings if revision(each)]

    def add(self, findings: Iterable[Finding]) -> None:
        """Report these, too."""
        self.report.findings += [each for each in findings if all(revision(each) for revision in self._revisions)]


class Policy(Protocol):
    """Something that the user asks of a report."""

    def apply(self, draft: Draft) -> None:
        """Make the report as it is asked for."""


@runtime_checkable
class FindingPolicy(Policy, Protocol):
    """One that looks at each finding alone: it can be applied to a stream, too."""

    def revise(self, finding: Finding) -> bool:
        """Whether it is reported; its severity may be set."""
