"""`replaylint help`: the guide, one topic at a time. A Markdown file in `replaylint/guide` is a topic."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated, Final

import typer

from replaylint.commands import COMMANDS, terminal
from replaylint.commands.output import PROGRAM, write
from replaylint.commands.usage import Help  # noqa: TC001  (typer looks at it)
from replaylint.errors import UnknownNameError
from replaylint.policies.names import chosen
from replaylint.render.bar import ASCII, UNICODE
from replaylint.render.rulebook import INSTEAD, MAX_COLUMNS
from replaylint.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View

READABLE: Final = dict.fromkeys(("markdown.code", "markdown.table.header"), "bold") | {"markdown.table.border": "dim"}
"""Styles that can be read on every background; for the same reason code is not coloured by its language."""

PLAIN: Final = str.maketrans({**dict(zip(UNICODE, ASCII, strict=True)), **INSTEAD, "\N{MICRO SIGN}": "u"})
"""What an output that shows only ASCII gets instead of the guide's other signs."""


def help(  # noqa: A001  (the function of a command has the command's name)
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", show_default=False, help="A topic; without one, a list of them.")
    ] = None,
    color: Annotated[terminal.When, typer.Option(help="Whether to colour; auto: on a terminal only.")] = "auto",
    usage: Help = False,  # noqa: ARG001
) -> int:
    """Read the guide: print one of its topics, or list them.

    Exit status: 0 printed, 2 there is no such topic.
    """
    guide = topics()
    if topic is None:
        write(_listing(guide))
    elif topic.lower() in guide:
        write([_shown(guide[topic.lower()], terminal.view(color))])
    else:
        write([_elsewhere(topic, guide)])
    return 0


def topics() -> dict[str, str]:
    """The text of each topic in Markdown, by its name, in alphabetical order."""
    found = sorted((files("replaylint") / "guide").iterdir(), key=lambda each: each.name)
    return {each.name.removesuffix(".md"): each.read_text(encoding="utf-8") for each in found}


def summary(text: str) -> str:
    """What a topic is about: the first sentence below its heading, which has a line of its own."""
    return text.split("\n", 3)[2].removesuffix(".")


def _listing(guide: dict[str, str]) -> Iterator[str]:
    width = max(map(len, guide))
    yield f"Topics ({PROGRAM} help TOPIC prints one):\n"
    for name, text in guide.items():
        yield f"  {name:<{width}}  {summary(text)}\n"


def _shown(text: str, view: View) -> str:
    """Laid out on a terminal that can show it; elsewhere as it is."""
    if not view.unicode:
        return text.translate(PLAIN)
    if view.width is None:
        return text
    from rich.console import Console  # noqa: PLC0415
    from rich.markdown import Markdown  # noqa: PLC0415
    from rich.theme import Theme  # noqa: PLC0415

    console = Console(
        width=min(view.width, MAX_COLUMNS),
        color_system="standard" if view.colour else None,
        force_terminal=view.colour,
        legacy_windows=False,
        theme=Theme(READABLE),
    )
    with console.capture() as captured:
        console.print(Markdown(re.sub(r"```\w+", "```", text), code_theme="ansi_dark"))
    return captured.get()


def _elsewhere(topic: str, guide: dict[str, str]) -> str:
    """Where to read about a command or a rule. Raises UnknownNameError."""
    if topic in COMMANDS:
        return f"{topic} is a command: {PROGRAM} {topic} --help shows what it takes.\n"
    rules = all_rules()
    if topic.upper().startswith("RL") or topic.lower() in {rule.name for rule in rules}:
        chosen(topic, rules)
        return f"Rules have a command of their own: {PROGRAM} explain {topic}\n"
    raise UnknownNameError("topic", topic, [*guide, *COMMANDS])
