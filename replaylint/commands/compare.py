"""`replaylint compare`: what changed from one version to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from replaylint.analysis.lint import lint
from replaylint.commands import terminal
from replaylint.commands.inputs import complain_of
from replaylint.commands.output import complain, write
from replaylint.commands.usage import Help  # noqa: TC001  (typer looks at it)
from replaylint.errors import UsageError
from replaylint.policies.names import chosen
from replaylint.policies.severities import Level, failing
from replaylint.policies.units import in_seconds
from replaylint.recording.source import STANDARD_INPUT
from replaylint.render import comparison as shown
from replaylint.report.paths import shown_path
from replaylint.report.saved import is_report, load
from replaylint.rules import all_rules
from replaylint.statistics.shares import SEED
from replaylint.views import comparison

if TYPE_CHECKING:
    from replaylint.views.comparison import Comparison

LARGEST_SEED = 2**32 - 1
MAX_DIGITS = 20
"""Characters of a percentage that is meant."""


def compare(
    before: Annotated[
        str,
        typer.Argument(
            metavar="BEFORE", show_default=False, help="A recording, a folder of recordings, or a report in JSON."
        ),
    ],
    after: Annotated[
        str, typer.Argument(metavar="AFTER", show_default=False, help="The same; one of the two may be -.")
    ],
    form: Annotated[Literal["text", "json"], typer.Option("--format", "-f", help="How to print it.")] = "text",
    max_regression: Annotated[
        str | None,
        typer.Option(
            metavar="P%",
            help="Exit with 1 where response_gap_s, replay_s or total_s is slower by more, or more resumes are slow, "
            "and not by chance.",
        ),
    ] = None,
    slow: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="The response gap above which a resume is slow.  [default: 3 x the median of both, at least 100ms]",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(metavar="N", min=0, max=LARGEST_SEED, help="Of the exchanges that judge the slow resumes.")
    ] = SEED,
    fail_on: Annotated[Level, typer.Option(help="Exit with 1 for new findings of this severity or above.")] = "info",
    eof: Annotated[
        Literal["open", "closed"],
        typer.Option(help="What the end of a recording means: nothing, or that its connections ended."),
    ] = "open",
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE[,RULE]", help="Compare these rules only: a code, a name, or a prefix such as RL2."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="RULE[,RULE]", help="Do not compare these rules.")] = None,
    color: Annotated[terminal.When, typer.Option(help="Text: whether to colour; auto: on a terminal only.")] = "auto",
    usage: Help = False,  # noqa: ARG001
) -> int:
    """Compare two versions by their recordings: new and gone findings, changed outcomes, changed timings.

    Exit status: 0 nothing new and nothing slower; 1 a new finding, or with --max-regression something slower; 2 an
    input could not be read, --max-regression could not be judged, or the call was wrong.
    """
    if before == after == STANDARD_INPUT:
        raise typer.BadParameter("only one of BEFORE and AFTER can be standard input")
    limit = None if max_regression is None else _share(max_regression)
    slow_s = None if slow is None else in_seconds(slow)
    rules = all_rules()
    selected = chosen(select, rules) if select else None
    ignored = chosen(ignore, rules) if ignore else set()
    sides = [load(path) if is_report(path) else lint(path, closed=eof == "closed") for path in (before, after)]
    failed = [complain_of(report) for report in sides]
    for path, report in zip((before, after), sides, strict=True):
        if not report.traces:
            failed.append(True)
            complain(f"{path}: holds no recording")
    if any(all(each.format is None for each in report.traces) for report in sides):
        return 2
    for report in sides:
        # A saved report may know rules that are not known here.
        report.findings = [
            each for each in report.findings if (selected is None or each.rule in selected) and each.rule not in ignored
        ]
    paths = shown_path(before), shown_path(after)
    found = comparison.compare(*sides, paths=paths, max_regression=limit, slow_s=slow_s, seed=seed)
    write(shown.as_json(found) if form == "json" else shown.text(found, terminal.view(color)))
    return 2 if any(failed) else _status(found, fail_on)


def _share(percentage: str) -> float:
    """The part that a percentage is: 0.1 of "10%" and of "10". Raises UsageError."""
    number = percentage.strip().removesuffix("%").rstrip()
    whole, _, decimals = number.partition(".")
    if not (whole + decimals).isascii() or not (whole + decimals).isdecimal() or len(number) > MAX_DIGITS:
        raise UsageError(f"{percentage!r} is not a percentage: write it as in --max-regression 10%")
    return float(number) / 100


def _status(found: Comparison, fail_on: Level) -> int:
    if any(each.severity in failing(fail_on) for each in (*found.new, *found.graver)):
        return 1
    verdicts = {each.verdict for each in found.regressions}
    if "regressed" in verdicts:
        return 1
    unjudged = [each.figure for each in found.regressions if each.verdict == "not_judged"]
    if unjudged:
        complain(f"--max-regression could not be judged for {', '.join(unjudged)}: too few recordings")
    return 2 if unjudged else 0
