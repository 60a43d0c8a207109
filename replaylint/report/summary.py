"""The summary of a report: counts, and the distributions of the timings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from replaylint.replay.outcome import OUTCOMES
from replaylint.replay.timing import FIGURES
from replaylint.report.findings import SEVERITIES
from replaylint.report.model import Distribution, Summary
from replaylint.statistics.percentiles import distribution

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replaylint.report.model import Finding, Resume


def summary(resumes: Sequence[Resume], findings: Sequence[Finding]) -> Summary:
    """Outcomes count sessions; timings count the named sessions of replaying requests."""
    outcomes = Counter(session.outcome for resume in resumes for session in resume.sessions)
    severities = Counter(finding.severity for finding in findings)
    named = [resume.sessions[0].timing for resume in resumes if resume.replaying and resume.sessions]
    timing = {}
    for figure in FIGURES:
        values = [value for each in named if (value := getattr(each, figure)) is not None]
        timing[figure] = Distribution(*distribution(values))
    return Summary(
        resumes=len(resumes),
        outcomes={each: outcomes[each] for each in OUTCOMES if outcomes[each]},
        findings={each: severities[each] for each in SEVERITIES},
        timing=timing,
        quiet_timer=[],
        quiet_timer_needed_s=None,
        groups=[],
    )
