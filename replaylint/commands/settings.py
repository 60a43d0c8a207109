"""Settings in a file: replaylint.toml, or the table `[tool.replaylint]` of pyproject.toml. `check` goes by them.

The names and values are those of its options.
"""

from __future__ import annotations

import os
import re
import stat
import tomllib
from json import dumps
from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from replaylint.analysis.lint import planned
from replaylint.commands.options import OPTIONS, UNSET, spelled
from replaylint.commands.settings_discovery import LARGEST, OWN, is_inside
from replaylint.errors import UnknownNameError, UsageError
from replaylint.policies.exceptions import exception
from replaylint.policies.names import chosen
from replaylint.policies.options import Options
from replaylint.render.escape import printable
from replaylint.report.model import SettingsUsed
from replaylint.report.paths import shown_path
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

NAME: Final = r"""(?: [\w-]++ | " (?: [^"\\\n]++ | \\. )*+ "? | ' [^'\n]*+ '? )"""
"""A name in a key, and most values look the same.

What is quoted ends with the line at the latest: looking for the ends of many would take for ever.
"""

LEXEME: Final = rf"""
    "{{3}} (?: [^"\\]++ | \\(?: . | \Z) | "(?!"") )*+ (?: "{{3,5}} | \Z)  # over several lines; may end in quotes
    | '{{3}} (?: [^']++ | '(?!'') )*+ (?: '{{3,5}} | \Z)
    | (?P<key> {NAME} (?: [ \t]*+ \. [ \t]*+ {NAME} )*+ )
    | \#[^\n]*+ | [\[\]{{}}\n]"""
"""What tells where a statement of TOML ends: at a line end outside of all others; and names and values on the way."""

FLAGS: Final = re.VERBOSE | re.DOTALL

MAX_NAMES: Final = 10_000
"""Names, values and brackets of a file, each name of a dotted key by itself: the parser takes a kilobyte for one."""
MAX_DOTTED: Final = 16
"""Names of one dotted key: the parser takes time and memory by their square."""
MAX_DEPTH: Final = 16
"""Brackets within brackets."""
MAX_ENTRIES: Final = 1000
"""Of a list, and exceptions."""
MAX_KEY_CHARS: Final = 100
MAX_TEXT_CHARS: Final = 4096

FROM_FILE: Final = "DEFAULT_MAP"
ORIGINS: Final = {"COMMANDLINE": "command line", FROM_FILE: "", "ENVIRONMENT": "environment"}


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


def used(context: typer.Context, found: Settings) -> SettingsUsed | None:
    """What of these is in force and may take away from the report or from what fails; None where there is nothing."""
    options: dict[str, list[str]] = {}
    for key, name in SETTABLE.items():
        option, value = OPTIONS[name], context.params[name]
        source = context.get_parameter_source(name)
        from_file = source is not None and source.name == FROM_FILE
        if option.takes_away and from_file and value not in UNSET and value != option.default:
            if name == "baseline":
                value = shown_path(value)
            options[key] = [value] if isinstance(value, str) else list(value)
    exceptions = len(found.exceptions)
    return SettingsUsed(found.path, options, exceptions) if options or exceptions else None


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
        _check_size(shown, text)
        return text, tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise SettingsError(f"{shown}: is not UTF-8, at byte {error.start + 1}") from None
    except SettingsError:
        raise
    except ValueError as error:  # also an integer of thousands of digits
        message, _, place = str(error).rpartition(" (at ")
        where = shown
        if place.startswith("line "):
            where += f":{place.removeprefix('line ').partition(',')[0]}"
        elif message:  # at the end of the document
            where += f":{text.rstrip().count(chr(10)) + 1}"
        raise SettingsError(f"{where}: is not TOML: {message or place}") from None


def _check_size(shown: str, text: str) -> None:
    """Raises SettingsError for more than anybody means, which the parser would take for ever or all memory for."""
    line, depth, names = 1, 0, 0
    for token in re.finditer(LEXEME, text, FLAGS):
        opened = token[0] in {"[", "{"}
        depth += opened - (token[0] in {"]", "}"})
        names += opened
        if token["key"] is not None:
            dotted = len(re.findall(NAME, token[0], FLAGS))
            names += dotted
            if dotted > MAX_DOTTED:
                raise SettingsError(f"{shown}:{line}: has a key of more than {MAX_DOTTED} names")
        if depth > MAX_DEPTH:
            raise SettingsError(f"{shown}:{line}: is nested deeper than {MAX_DEPTH} brackets")
        if names > MAX_NAMES:
            raise SettingsError(f"{shown}:{line}: has more than {MAX_NAMES:,} names, values and brackets")
        line += token[0].count("\n")


def _set(found: Settings, key: str, value: object, folder: str) -> None:
    """Take over one key. Raises SettingsError."""
    if len(key) > MAX_KEY_CHARS:
        raise _wrong(found, (key,), f"{key[:MAX_KEY_CHARS]}...: there is no setting with so long a name")
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
        if len(value) > MAX_ENTRIES:
            raise UsageError(f"has more than {MAX_ENTRIES} entries")
        levels = {rule: _of(str, level, f"a text for {rule}") for rule, level in value.items()}
        return [f"{rule}={levels[rule]}" for rule in sorted(levels, key=_generality)]
    if kind == list[str]:
        if isinstance(value, list) and len(value) > MAX_ENTRIES:
            raise UsageError(f"has more than {MAX_ENTRIES} entries")
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
    if isinstance(value, str) and len(value) > MAX_TEXT_CHARS:
        raise UsageError(f"is longer than {MAX_TEXT_CHARS} characters")
    return value


def _kind(value: object) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", str: "a text", list: "a list", dict: "a table"}
    return names.get(type(value), "a date or a time")


def _placed(name: str, value: Any, folder: str) -> Any:
    """Paths in a file are relative to its folder, and lead to nothing outside. Raises UsageError."""
    if name != "baseline":
        return value
    if not value:
        raise UsageError("has to be the path of a file, not empty")
    path = os.path.join(folder, value)  # noqa: PTH118
    try:
        inside = is_inside(path, folder)
        known = os.stat(path).st_mode if inside and os.path.lexists(path) else stat.S_IFREG  # noqa: PTH116
    except (OSError, ValueError) as error:  # a name with a NUL, or a loop of links
        raise UsageError(str(error)) from error
    if not inside:
        raise UsageError("has to be in the folder of the settings, links followed; --baseline can name any other")
    if not stat.S_ISREG(known):
        raise UsageError("has to be a file, no pipe and no device")
    return path


def _check(name: str, value: Any) -> None:
    """Raises UsageError where the command line would refuse this."""
    if value in UNSET:
        return
    if name in Options.__annotations__ and name != "baseline":  # which is read by those alone who need it
        planned({name: value})


def _exceptions(found: Settings, value: object) -> list[dict[str, Any]]:
    """Raises SettingsError."""
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        header = AGENT if found.path.endswith(OWN) else f"{'.'.join(TABLES)}.{AGENT}"
        raise _wrong(found, (AGENT,), f"{AGENT}: has to be a list of tables: write [[{header}]] above each")
    if len(value) > MAX_ENTRIES:
        raise _wrong(found, (AGENT,), f"{AGENT}: there are more than {MAX_ENTRIES}")
    for number, each in enumerate(value):
        try:
            if any(len(str(text)) > MAX_TEXT_CHARS for pair in each.items() for text in pair):
                raise UsageError(f"is longer than {MAX_TEXT_CHARS} characters")
            exception(each)
        except (UsageError, TypeError) as error:
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
    header: list[str] = []
    exceptions = 0
    for line, statement in _statements(found.text):
        if not statement.strip() or statement.lstrip().startswith("#"):
            continue
        document = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            header = list(_way(document))
        else:
            for name in reversed(header):
                document = {name: document}
        table = _table(found.path, document)
        if not isinstance(table, dict):
            continue
        for key in table:
            lines.setdefault((key,), line)
        agents = table.get(AGENT)
        for _ in agents if isinstance(agents, list) else ():
            lines[AGENT, exceptions] = line
            exceptions += 1
    return lines


def _way(header: Any) -> Iterator[str]:
    """The names that lead into the table of a header, parsed alone: each holds the next one, and nothing else."""
    while header:
        if isinstance(header, list):
            (header,) = header
            continue
        ((name, header),) = header.items()
        yield name


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each statement of a TOML document, header or key, with the line where it begins."""
    line, begin, depth = 1, 0, 0
    for token in re.finditer(LEXEME, f"{text}\n", FLAGS):
        depth += (token[0] in {"[", "{"}) - (token[0] in {"]", "}"})
        if token[0] == "\n" and not depth:
            statement = text[begin : token.end()]
            yield line, statement
            line += statement.count("\n")
            begin = token.end()
