"""`replaylint rules`: which rules there are."""

from __future__ import annotations

from typing import Annotated

import typer

from replaylint.commands import terminal
from replaylint.commands.output import write
from replaylint.commands.usage import Help  # noqa: TC001  (typer looks at it)
from replaylint.policies import selection
from replaylint.render import rulebook
from replaylint.rules import all_rules
from replaylint.views.rulebook import entries


def rules(
    form: Annotated[
        rulebook.Form, typer.Option("--format", "-f", help="A line each, or everything about each of them.")
    ] = "text",
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE[,RULE]", help="These rules only: a code, a name, or a prefix such as RL2."),
    ] = None,
    ignore: Annotated[list[str] | None, typer.Option(metavar="RULE[,RULE]", help="Not these rules.")] = None,
    color: Annotated[terminal.When, typer.Option(help="Text: whether to colour; auto: on a terminal only.")] = "auto",
    usage: Help = False,  # noqa: ARG001
) -> int:
    """List the rules; `explain` says more about one of them, and so do the formats json and markdown about all.

    Exit status: 0 listed, 2 there is no such rule.
    """
    selected = selection.parse({"select": select or None, "ignore": ignore or None})
    found = entries(
        (rule for rule in all_rules() if selected is None or rule.code in selected.codes),
        linted=form == "markdown",
    )
    if form == "json":
        write(rulebook.as_json(found))
    elif form == "markdown":
        write(rulebook.document(found))
    else:
        write(rulebook.listing(terminal.view(color), found))
    return 0
