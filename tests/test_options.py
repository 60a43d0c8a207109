"""Options are declared once: who takes them takes all of them, and none is forgotten."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING, Any

import pytest
import typer

from replaylint import Linter, lint
from replaylint.analysis import linter
from replaylint.analysis.lint import planned
from replaylint.analysis.plan import Plan
from replaylint.commands import check
from replaylint.commands.options import OPTIONS, CheckOptions, spelled, table
from replaylint.policies.known import Known
from replaylint.policies.options import LinterOptions, Options, declared

if TYPE_CHECKING:
    from collections.abc import Callable

NO_BASELINE = Known("known.json", {})

VALUES: dict[str, dict[str, object]] = {
    "select": {"select": "RL2"},
    "ignore": {"ignore": ["RL2"]},
    "severity": {"severity": {"RL2": "info"}},
    "expect": {"expect": "complete"},
    "max_gap": {"max_gap": 0},
    "max_replay": {"max_replay": "500ms"},
    "max_total": {"max_total": 0.5},
    "max_message": {"max_message": "64KiB"},
    "budget": {"budget": "p95(response_gap)<2s"},
    "input_format": {"input_format": "envelope"},
    "concat": {"concat": True},
    "pass_over": {"pass_over": True},
    "client_file": {"client_file": "c2a.log", "agent_file": "a2c.log"},
    "agent_file": {"client_file": "c2a.log", "agent_file": "a2c.log"},
    "max_line": {"max_line": "1 MiB"},
    "group_by": {"group_by": "agent"},
    "baseline": {"baseline": NO_BASELINE},
    "exceptions": {"exceptions": [{"name": "agent", "ignore": "RL2", "reason": "it is old", "until": "2027-03-01"}]},
}
"""By the name of an option: with what else it needs, and a value that asks for something."""

STREAMED = {"select", "ignore", "severity", "input_format", "max_line", "max_message", "pass_over"}
"""What leaves a run able to report each finding as it becomes certain."""


def parameters() -> dict[str, Any]:
    """What the command line takes, as typer has it."""
    app = typer.Typer(add_completion=False)
    app.command(add_help_option=False)(check.check)
    command: Any = typer.main.get_command(app)
    return {each.name: each for each in command.params}


# The declaration


def test_each_option_is_for_the_command_line_but_what_only_settings_and_programs_have() -> None:
    assert CheckOptions.__annotations__.keys() - OPTIONS.keys() == {"exceptions", "today"}
    assert OPTIONS.keys() == declared(CheckOptions).keys()


def test_who_takes_less_takes_the_same() -> None:
    for less, more in ((LinterOptions, Options), (Options, CheckOptions)):
        assert less.__annotations__.items() < more.__annotations__.items()


@pytest.mark.parametrize("name", OPTIONS)
def test_an_option_is_declared_soundly(name: str) -> None:
    option = OPTIONS[name]
    assert option.help.endswith(".")
    assert option.kind in {str, int, bool, list[str]} or inspect.isclass(option.kind) is False
    assert (option.metavar is not None) == (option.kind in {str, int, list[str]})
    assert (option.minimum is not None) <= (option.kind is int)


# The command line


def test_the_command_line_takes_every_option_in_the_order_of_the_groups() -> None:
    assert list(parameters()) == ["traces", *OPTIONS]


@pytest.mark.parametrize("name", OPTIONS)
def test_the_command_line_has_an_option_as_it_is_declared(name: str) -> None:
    option, made = OPTIONS[name], parameters()[name]
    assert made.opts == [each for each in (f"--{spelled(name)}", option.short) if each is not None]
    assert made.secondary_opts == ([f"--no-{spelled(name)}"] if option.settable and option.kind is bool else [])
    assert (made.help, made.metavar) == (option.help, option.metavar)
    assert made.multiple == (option.kind == list[str])
    assert made.is_flag == (option.kind is bool)
    assert made.default == option.default


def test_check_uses_every_option_that_is_its_own() -> None:
    """By the source: it takes them from its options, or acts on them before all others."""
    tree = ast.parse(inspect.getsource(check))
    taken = {
        node.slice.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "options"
        if isinstance(node.slice, ast.Constant)
    }
    eager = {name for name, each in parameters().items() if each.is_eager}
    assert OPTIONS.keys() - Options.__annotations__.keys() == (taken | eager) - Options.__annotations__.keys()


# From Python


def test_there_is_a_value_for_every_option_of_lint() -> None:
    assert VALUES.keys() == Options.__annotations__.keys() - {"today"}


@pytest.mark.parametrize("name", VALUES)
def test_every_option_changes_what_lint_does(name: str) -> None:
    plan = planned(VALUES[name])
    assert plan != Plan()
    assert plan.streams == (name in STREAMED)
    if name in {"client_file", "agent_file"}:
        assert plan.sides == ("c2a.log", "a2c.log")
    else:
        lint([], **VALUES[name])  # type: ignore[arg-type]


def test_today_is_for_exceptions() -> None:
    of = VALUES["exceptions"]
    assert planned({"today": "2027-03-02"}) == Plan()
    assert planned(of) == planned({**of, "today": "2027-03-01"})
    assert planned(of) != planned({**of, "today": "2027-03-02"})


@pytest.mark.parametrize("name", VALUES)
def test_linter_takes_those_that_are_for_it(name: str) -> None:
    options: dict[str, Any] = VALUES[name]
    if name in LinterOptions.__annotations__:
        assert Linter(**options).finish().traces[0].format == linter.FORMAT
    else:
        with pytest.raises(TypeError, match="got an unexpected keyword argument '"):
            Linter(**options)


@pytest.mark.parametrize("value", [None, "x"])
@pytest.mark.parametrize("call", [Linter, lambda **options: lint([], **options)], ids=["Linter", "lint"])
def test_there_is_no_other_option(call: Callable[..., object], value: str | None) -> None:
    for name in ("selekt", "fail_on", "format"):
        with pytest.raises(TypeError, match=f"got an unexpected keyword argument '{name}'"):
            call(**{name: value})


def test_signatures_name_them() -> None:
    own = ["paths", "closed", "watch", "sink"]
    assert [*inspect.signature(lint).parameters] == [*own, *Options.__annotations__]
    assert [*inspect.signature(Linter).parameters] == ["name", *LinterOptions.__annotations__]
    concat = inspect.signature(lint).parameters["concat"]
    assert (concat.default, concat.annotation, concat.kind) == (False, bool, concat.KEYWORD_ONLY)


# The guide


def test_the_table_has_a_row_for_every_option() -> None:
    head, rule, *rows = "".join(table()).splitlines()
    assert (head, rule) == ("| option | key | what it does |", "|---|---|---|")
    assert len(rows) == len(OPTIONS)
    for row, (name, option) in zip(rows, OPTIONS.items(), strict=True):
        assert f"`--{spelled(name)}" in row
        assert (f" | `{spelled(name)}` | " in row) == option.settable
        assert option.help in row
    by_name = dict(zip(OPTIONS, rows, strict=True))
    assert by_name["fail_on"] == (
        r"| `--fail-on error\|warning\|info\|never` | `fail-on` | Exit with 1 for findings of this severity or above. "
        "Without it: `error`. |"
    )
    assert by_name["quiet"] == ("| `-q`, `--quiet/--no-quiet` | `quiet` | Text, concise, markdown: findings only. |")
    assert by_name["session"].startswith("| `--session ID` |  | Text: ")
