"""Suppressions: what is known from the baseline, what exceptions left out, and what settings may take away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.render.escape import clipped, printable
from replaylint.render.layout import joined, line
from replaylint.render.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replaylint.render.view import View
    from replaylint.report.model import Baseline, Exemption, Report, SettingsUsed

MAX_NAMED: Final = 5
"""Entries that no longer occur, or exceptions, that are named; further ones are counted."""
MAX_ENTRY_CHARS: Final = 100
"""Of the code and of the name of a rule in such an entry."""
MAX_REASON_CHARS: Final = 500
"""Of the reason of an exception."""


TELL_ALL: Final = {"json", "markdown"}
"""Formats that show baseline, exceptions and settings in any case."""

TELL_SETTINGS: Final = {*TELL_ALL, "ndjson", "github", "gitlab", "junit", "sarif"}
"""Those that show at least the settings."""

NOT_IF_QUIET: Final = {"text": True, "concise": False}
"""Those that show no more than findings when they are to be quiet; and whether they show all otherwise."""


MAX_VALUES_CHARS: Final = 200
"""Of the values of a setting."""


def suppressions(view: View, report: Report) -> Iterator[str]:
    """As text: a line for the settings, one for the baseline, and one for each exception that left something out."""
    if report.settings is not None:
        yield line(view, 0, ("bold", "settings"), f" {printable(of_settings(report.settings))}")
    if report.baseline is not None:
        yield _baseline(view, report.baseline)
    for each in counting(report):
        yield line(view, 0, ("bold", "exception"), f" {printable(of_exception(each))}")


def beside(report: Report, form: str, *, quiet: bool, updated: bool) -> Iterator[str]:
    """What to print beside this format, which does not show it: settings, gone entries unless `updated`, exceptions."""
    loud = form in NOT_IF_QUIET and not quiet
    if report.settings is not None and form not in TELL_SETTINGS and not loud:
        yield f"settings {of_settings(report.settings)}"
    if form in TELL_ALL or (loud and NOT_IF_QUIET[form]):
        return
    baseline = report.baseline
    if baseline is not None and baseline.gone and not updated:
        yield f"{baseline.path}: {no_longer(baseline)}; --write-baseline {baseline.path} brings it up to date"
    left_out = [f"{counted(each.findings, 'finding')} of {agent(each)}" for each in counting(report)]
    if left_out:
        yield f"left out by exceptions: {some(left_out)}"


def _baseline(view: View, baseline: Baseline) -> str:
    known = f" {printable(baseline.path)}: {joined(counted(baseline.known, 'finding'))} known"
    gone = f"; {no_longer(baseline)}: {printable(named(baseline))}" if baseline.gone else ""
    return line(view, 0, ("bold", "baseline"), known + gone)


# Phrases


def counted_entries(number: int) -> str:
    """The number of entries of a baseline."""
    return "1 entry" if number == 1 else f"{number} entries"


def no_longer(baseline: Baseline) -> str:
    """How many of its entries are gone."""
    number = len(baseline.gone)
    return f"{counted_entries(number)} no longer {'occurs' if number == 1 else 'occur'}"


def named(baseline: Baseline) -> str:
    """Which of its entries are gone."""
    gone = ((each.rule, each.name) for each in baseline.gone)
    return some([" ".join(clipped(text, MAX_ENTRY_CHARS) for text in each) for each in gone])


def counting(report: Report) -> list[Exemption]:
    """The exceptions that left something out."""
    return [each for each in report.exceptions if each.findings]


def agent(of: Exemption) -> str:
    """The agent that an exception is for."""
    return clipped(of.name if of.version is None else f"{of.name} {of.version}")


def of_exception(each: Exemption) -> str:
    """Whose findings it left out, how many, until when, and why."""
    until = "" if each.until is None else f", until {each.until}"
    passed = ", which has passed" if each.expired else ""
    left_out = f"{counted(each.findings, 'finding')} of {', '.join(each.ignore)} left out"
    return f"for {agent(each)}: {left_out}{until}{passed}: {clipped(each.reason, MAX_REASON_CHARS)}"


def of_settings(settings: SettingsUsed) -> str:
    """Of which file, and which of its settings may take away from the report, or from what fails."""
    return f"of {settings.path}: {taking_away(settings)}"


def taking_away(settings: SettingsUsed) -> str:
    """The same without the file."""
    told = [f"{key} {_cut(some(values))}" for key, values in settings.options.items()]
    if settings.exceptions:
        told.append(counted(settings.exceptions, "exception"))
    return "; ".join(told)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_VALUES_CHARS else f"{text[:MAX_VALUES_CHARS]}..."


def some(texts: Sequence[str]) -> str:
    """The first of these, and how many more there are."""
    more = f" and {len(texts) - MAX_NAMED} more" if len(texts) > MAX_NAMED else ""
    return ", ".join(texts[:MAX_NAMED]) + more
