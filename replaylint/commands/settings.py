"""Settings in a file: replaylint.toml, or the table `[tool.replaylint]` of pyproject.toml. `check` goes by them.

The names and values are those of its options.
"""

from __future__ import annotations

import os
import re
import tomllib
from json import dumps
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from replaylint.analysis.lint import planned
from replaylint.commands.export import exports
from replaylint.commands.files import STANDARD_OUTPUT
from replaylint.commands.options import OPTIONS, UNSET, spelled
from replaylint.commands.settings_discovery import LARGEST, OWN
from replaylint.errors import UnknownNameError, UsageError
from replaylint.policies.exceptions import exception
from replaylint.policies.names import chosen
from replaylint.policies.options import Options
from replaylint.render.escape import printable
from replaylint.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import typer

AGENT: Final = "agent"
"""The key of the exceptions."""

TABLES: Final = ("tool", "replaylint")
"""Where the settings stand in a pyproject.toml."""

KEYS: Final = {spelled(name): name for name in OPTIONS}
"""The names of all options, by their keys."""

SETTABLE: Final = {key: name for key, name in KEYS.items() if OPTIONS[name].settable}
"""Those that can be set: the others belong to one run."""

LEXEME: Final = r"""(?x)
    \"{3} (?: \\. | [^\\] )*? \"{3,5} | '{3} .*? '{3,5}  # strings over several lines, which may end in quotes
    | " (?: \\. | [^"\\] )* " | ' [^']* ' | \#[^\n]*
    | [\[\]{}\n]"""
"""What tells where a statement of TOML ends: at a line end outside of all others."""

ORIGINS: Final = {"COMMANDLINE": "command line", "DEFAULT_MAP": "", "ENVIRONMENT": "environment"}


class SettingsError(UsageError):
    """What a settings file says cannot be meant. The text names the file, the line and the key, as far as there are."""


class Settings(NamedTuple):
    """What a file says: values by the name of the option, and the tables of exceptions. `path` is as it is shown."""

    path: str
    text: str
    values: dict[str, Any]
    exceptions: list[dict[str, Any]]


def in_force(context: typer.Context, found: Settings | None) -> Iterator[str]:
    """Every setting as a line: its value, and where that is from. Raises UsageError before the first."""
    for name in SETTABLE.values():
        _check(name, context.params[name])
    lines = {} if found is None else _lines(found)
    for key, name in SETTABLE.items():
        value = context.params[name]
        source = context.get_parameter_source(name)
        origin = ORIGINS.get(source.name if source is not None else "", "default") or _place(found, lines, (key,))
        shown = f"# {key} is not set" if value in UNSET else f"{key} = {dumps(value, ensure_ascii=False)}"
        yield printable(f"{shown}  # {origin}") + "\n"
    for number, each in enumerate(() if found is None else found.exceptions):
        pairs = (f"{key} = {dumps(value, ensure_ascii=False, default=str)}" for key, value in each.items())
        origin = _place(found, lines, (AGENT, number))
        yield printable(f"{AGENT} = {{{', '.join(pairs)}}}  # {origin}") + "\n"


# The file


def read(path: str) -> Settings | None:
    """What this file says; None for a pyproject.toml without the table. Raises SettingsError."""
    shown = os.path.relpath(path)
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise SettingsError(f"{shown}: cannot be read: {error.strerror}") from error
    if len(content) > LARGEST:
        raise SettingsError(f"{shown}: is larger than 1 MiB, so it is not read for settings")
    text, document = _parsed(shown, content)
    table = _table(path, document)
    if table is None:
        return None
    found = Settings(shown, text, {}, [])
    if not isinstance(table, dict):
        raise _wrong(found, (), f"tool.replaylint has to be a table, not {_kind(table)}")
    for key, value in table.items():
        if key == AGENT:
            found.exceptions.extend(_exceptions(found, value))
        else:
            _set(found, key, value, os.path.dirname(path))  # noqa: PTH120
    return found


def _table(path: str, document: dict[str, Any]) -> object:
    """What the file says for this tool; None where it says nothing."""
    if path.endswith(OWN):
        return document
    tool = document.get("tool")
    return tool.get("replaylint") if isinstance(tool, dict) else None


def _parsed(shown: str, content: bytes) -> tuple[str, Any]:
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise SettingsError(f"{shown}: is not UTF-8, at byte {error.start + 1}") from None
    except RecursionError:
        raise SettingsError(f"{shown}: is nested too deeply") from None
    except ValueError as error:  # also an integer of thousands of digits
        message, _, place = str(error).rpartition(" (at ")
        where = shown
        if place.startswith("line "):
            where += f":{place.removeprefix('line ').partition(',')[0]}"
        elif message:  # at the end of the document
            where += f":{text.rstrip().count(chr(10)) + 1}"
        raise SettingsError(f"{where}: is not TOML: {message or place}") from None


def _set(found: Settings, key: str, value: object, folder: str) -> None:
    """Take over one key. Raises SettingsError."""
    try:
        if key not in SETTABLE:
            if key in KEYS:
                raise UsageError("can only be given on the command line")
            if found.path.endswith(OWN) and key in TABLES and isinstance(value, dict):
                raise UsageError(f"in {OWN} the options stand at the top, without a table")
            raise UnknownNameError("setting", key, [*SETTABLE, AGENT])
        name = SETTABLE[key]
        taken = _placed(name, _taken(name, value), folder)
        _check(name, taken)
    except UsageError as error:
        raise _wrong(found, (key,), f"{key}: {error}") from error
    found.values[name] = taken


def _taken(name: str, value: object) -> Any:
    """The value as the command line would have it. Raises UsageError."""
    kind = OPTIONS[name].kind
    if kind is bool:
        return _of(bool, value, "true or false")
    if name == "severity" and isinstance(value, dict):
        levels = {rule: _of(str, level, f"a text for {rule}") for rule, level in value.items()}
        return [f"{rule}={levels[rule]}" for rule in sorted(levels, key=_generality)]
    if kind == list[str]:
        table = ", or a table" if name == "severity" else ""
        texts = value if isinstance(value, list) else [value]
        return [_of(str, each, f"a text or a list of texts{table}") for each in texts]
    text: str = _of(str, value, "a text")
    choices = get_args(kind)
    if choices and text not in choices:
        unknown = UnknownNameError("value", text, choices)
        raise unknown if unknown.nearest is not None else UsageError(f"has to be one of {', '.join(choices)}")
    return text


def _generality(name: str) -> tuple[int, int]:
    """Sorts what means more rules first, for the last one counts and tables have no order. Raises UnknownNameError."""
    return -len(chosen(name, all_rules())), len(name)


def _of(kind: type, value: object, expected: str) -> Any:
    if type(value) is not kind:
        raise UsageError(f"has to be {expected}, not {_kind(value)}")
    return value


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or a time")


def _placed(name: str, value: Any, folder: str) -> Any:
    """Paths in a file are relative to its folder. Raises UsageError where there is none."""
    if name == "baseline":
        if not value:
            raise UsageError("has to be the path of a file, not empty")
        return os.path.join(folder, value)  # noqa: PTH118
    if name == "export":
        parts = (each.partition("=") for each in value)
        own = ("", STANDARD_OUTPUT)  # of no folder: both are refused
        return [f"{form}{sign}{path if path in own else os.path.join(folder, path)}" for form, sign, path in parts]  # noqa: PTH118
    return value


def _check(name: str, value: Any) -> None:
    """Raises UsageError where the command line would refuse this."""
    if value in UNSET:
        return
    if name == "export":
        exports(value)
    elif name in Options.__annotations__ and name != "baseline":  # which is read by those alone who need it
        planned({name: value})


def _exceptions(found: Settings, value: object) -> list[dict[str, Any]]:
    """Raises SettingsError."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        header = AGENT if found.path.endswith(OWN) else f"{'.'.join(TABLES)}.{AGENT}"
        raise _wrong(found, (AGENT,), f"{AGENT}: has to be a list of tables: write [[{header}]] above each")
    for number, each in enumerate(value):
        try:
            exception(each)
        except UsageError as error:
            raise _wrong(found, (AGENT, number), f"{AGENT}: {error}") from error
    return value


# Where a key stands


def _wrong(found: Settings, key: tuple[str | int, ...], what: str) -> SettingsError:
    return SettingsError(f"{_place(found, _lines(found), key)}: {what}")


def _place(found: Settings | None, lines: Mapping[tuple[str | int, ...], int], key: tuple[str | int, ...]) -> str:
    if found is None:
        return ""
    return f"{found.path}:{lines[key]}" if key in lines else found.path


def _lines(found: Settings) -> dict[tuple[str | int, ...], int]:
    """The line, 1-based, at which each key of the table begins, and each exception, by its number from 0."""
    lines: dict[tuple[str | int, ...], int] = {}
    header, before, exceptions = "", 0, 0
    for line, statement in _statements(found.text):
        if statement.lstrip().startswith("["):
            header, before, statement = statement, 0, ""  # noqa: PLW2901
        table = _table(found.path, tomllib.loads(header + statement))
        if not isinstance(table, dict):
            continue
        for key in table:
            lines.setdefault((key,), line)
        agents = table.get(AGENT)
        here = len(agents) if isinstance(agents, list) else 0
        for _ in range(before, here):
            lines[AGENT, exceptions] = line
            exceptions += 1
        before = here
    return lines


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement of a TOML document, header or key, with the line where it begins."""
    line, begin, depth = 1, 0, 0
    for token in re.finditer(LEXEME, f"{text}\n", re.DOTALL):
        depth += (token[0] in {"[", "{"}) - (token[0] in {"]", "}"})
        if token[0] == "\n" and not depth:
            statement = text[begin : token.end()]
            yield line, statement
            line += statement.count("\n")
            begin = token.end()
