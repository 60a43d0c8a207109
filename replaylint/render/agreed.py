"""What a project agreed not to fail on, as text: a line for the baseline, and one for each exception that counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.render.escape import printable
from replaylint.render.layout import JOINT, joined, line
from replaylint.render.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Baseline, Exemption, Report

NAMED: Final = 5
"""So many entries that no longer occur are named."""


def agreed(view: View, report: Report) -> Iterator[str]:
    """A line each; an exception that left nothing out has none."""
    if report.baseline is not None:
        yield _baseline(view, report.baseline)
    for each in report.exceptions:
        if each.findings:
            yield _exemption(view, each)


def _baseline(view: View, baseline: Baseline) -> str:
    known = f" {printable(baseline.path)}: {joined(counted(baseline.known, 'finding'))} known"
    gone = [f"{each.rule} {each.name}" for each in baseline.gone]
    if not gone:
        return line(view, 0, ("bold", "baseline"), known)
    entries = f"1{JOINT}entry no longer occurs" if len(gone) == 1 else f"{len(gone)}{JOINT}entries no longer occur"
    more = f" and {len(gone) - NAMED} more" if len(gone) > NAMED else ""
    return line(view, 0, ("bold", "baseline"), f"{known}; {entries}: {printable(', '.join(gone[:NAMED]))}{more}")


def _exemption(view: View, each: Exemption) -> str:
    agent = each.name if each.version is None else f"{each.name} {each.version}"
    left_out = f"{joined(counted(each.findings, 'finding'))} of {printable(', '.join(each.ignore))} left out"
    until = "" if each.until is None else f", until {printable(each.until)}"
    passed = ", which has passed" if each.expired else ""
    text = f" for {printable(agent)}: {left_out}{until}{passed}: {printable(each.reason)}"
    return line(view, 0, ("bold", "exception"), text)
