"""Baselines: only what is new, or graver than it was, fails."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from replaylint.policies.known import Known, load, rank
from replaylint.report.model import Baseline
from replaylint.report.paths import shown_path

if TYPE_CHECKING:
    from replaylint.policies.options import Options
    from replaylint.policies.policy import Draft


class KnownFindings(NamedTuple):
    """What the baseline knows."""

    known: Known

    def apply(self, draft: Draft) -> None:
        """Mark the findings that are known and no graver than there, and say which entries no longer occur.

        That cannot be told of rules that are not selected, nor where an input was not read to its end; what exceptions
        have left out does occur.
        """
        report, known = draft.report, self.known
        for each in report.findings:
            entry = known.entries.get(each.fingerprint)
            each.known = entry is not None and rank(each) >= rank(entry)
        here = {each.fingerprint for each in (*report.findings, *draft.left_out)}
        whole = all(trace.error is None for trace in report.traces)
        gone = [
            entry
            for fingerprint, entry in known.entries.items()
            if whole and fingerprint not in here and (draft.codes is None or entry.rule in draft.codes)
        ]
        report.baseline = Baseline(known.path, sum(each.known for each in report.findings), gone)


def parse(options: Options) -> KnownFindings | None:
    """What the file `baseline` holds, or what was loaded of it. Raises UsageError and TypeError."""
    baseline = options.get("baseline")
    if baseline is None:
        return None
    if isinstance(baseline, Known):
        return KnownFindings(baseline)
    path = os.fsdecode(baseline)
    return KnownFindings(load(path, shown_path(path)))
