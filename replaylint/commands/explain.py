"""`replaylint explain`: what a rule means, what it rests on, and how to fix what it finds."""

from __future__ import annotations

from typing import Annotated

import typer

from replaylint.commands import terminal
from replaylint.commands.output import write
from replaylint.commands.usage import Help  # noqa: TC001  (typer looks at it)
from replaylint.policies.names import chosen, split
from replaylint.render import rulebook
from replaylint.rules import all_rules
from replaylint.views.rulebook import entries


def explain(
    names: Annotated[
        list[str],
        typer.Argument(metavar="RULE...", show_default=False, help="Rules: a code, a name, or a prefix such as RL2."),
    ],
    form: Annotated[rulebook.Form, typer.Option("--format", "-f", help="How to print it.")] = "text",
    color: Annotated[terminal.When, typer.Option(help="Text: whether to colour; auto: on a terminal only.")] = "auto",
    usage: Help = False,  # noqa: ARG001
) -> int:
    """Explain rules: what each means, what the specification says, a recording that breaks it, and how to fix that.

    Exit status: 0 explained, 2 there is no such rule.
    """
    rules = {rule.code: rule for rule in all_rules()}
    codes = dict.fromkeys(code for name in split(names) for code in sorted(chosen(name, rules.values())))
    found = entries((rules[code] for code in codes), linted=form != "json")
    if form == "json":
        write(rulebook.as_json(found))
    elif form == "markdown":
        write(rulebook.sections(found))
    else:
        write(rulebook.pages(terminal.view(color), found))
    return 0
