"""Reports and other records, read back from JSON by the annotations of their classes.

A file may be hostile.
"""

from __future__ import annotations

import os
import stat
from dataclasses import is_dataclass
from functools import cache
from io import BufferedReader
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from orjson import loads

from replaylint.errors import RecordingError, UsageError
from replaylint.recording.readable import opened
from replaylint.recording.source import BYTE_ORDER_MARK
from replaylint.report.model import SCHEMA_VERSION, Evidence, Marker, Report, Response
from replaylint.report.source_map import EvidenceElsewhere, MarkerElsewhere, ResponseElsewhere
from replaylint.rules.words import identifier

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Reader = Callable[[Any], object]
    """Takes a value of the JSON and returns that of the record. Raises _FieldError."""

_Record = TypeVar("_Record")

MAX_HEAD_BYTES: Final = 4096
"""The beginning of a file that tells whether it is a report."""

MAX_DEPTH: Final = 200
"""How deep a value of type `object` may be nested: orjson writes 254 levels."""

ELSEWHERE: Final = {Evidence: EvidenceElsewhere, Marker: MarkerElsewhere, Response: ResponseElsewhere}
"""The class to use instead where there is a `trace`."""

SIMPLE: Final = {
    str: ("a string", (str,)),
    int: ("an integer", (int,)),
    float: ("a number", (float, int)),
    bool: ("true or false", (bool,)),
    NoneType: ("null", (NoneType,)),
}


class ReportError(UsageError):
    """A file does not hold what it should. The text names the file, and where in its JSON the fault is."""


class _FieldError(Exception):
    """What is wrong with a field; `way` is its path, which callers add to, the last step first."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what
        self.way: list[str] = []


def is_report(path: str) -> bool:
    """Whether this is a file that begins as a report does: an object that has a `schema_version` before it nests."""
    try:
        # A pipe can be read only once.
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116  (a Path would lose a last slash)
            return False
        with opened(path) as file:
            head = file.read(MAX_HEAD_BYTES)
    except (OSError, ValueError, RecordingError):
        return False  # reading it will say what is wrong
    before, found, _ = head.removeprefix(BYTE_ORDER_MARK).lstrip().partition(b'"schema_version"')
    return bool(found) and before.startswith(b"{") and before.count(b"{") == 1 and b"[" not in before


def load(path: str) -> Report:
    """The report in this file. Unknown fields are ignored. Raises ReportError."""
    return loaded(path, Report, "report", SCHEMA_VERSION)


def loaded(path: str, cls: type[_Record], kind: str, version: int, max_bytes: int | None = None) -> _Record:
    """The record of this class in this file; `kind` names it in errors. Raises ReportError."""
    try:
        with BufferedReader(opened(path)) as file:
            data = file.read() if max_bytes is None else file.read(max_bytes + 1)
        if max_bytes is not None and len(data) > max_bytes:
            raise RecordingError("too-large", f"is larger than {max_bytes >> 20} MiB, so it is no {kind}")
        content = loads(data.removeprefix(BYTE_ORDER_MARK))
    except RecordingError as error:
        raise ReportError(f"{path}: {error.message}") from error
    except MemoryError as error:
        raise ReportError(f"{path}: is too large to be read") from error
    except OSError as error:
        raise ReportError(f"{path}: {error.strerror or error}") from error
    except ValueError as error:
        raise ReportError(f"{path}: is not JSON: {error}") from error
    if isinstance(content, dict) and content.get("schema_version", version) != version:
        theirs = identifier(content["schema_version"])
        raise ReportError(f"{path}: is a {kind} of schema_version {theirs}; only {version} can be read")
    try:
        return cast("_Record", _reader(cast("Any", cls))(content))
    except _FieldError as error:
        way = "".join(reversed(error.way)).removeprefix(".")
        raise ReportError(": ".join(filter(None, (path, way, error.what)))) from None


@cache
def _reader(hint: Any) -> Reader:
    """The reader for values of this type."""
    if is_dataclass(hint):
        return _object(cast("type", hint))
    if hint in SIMPLE:
        return _simple(*SIMPLE[hint])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _one_of(arguments)
    if origin in {Union, UnionType}:
        return _either([_reader(each) for each in arguments if each is not NoneType], nullable=NoneType in arguments)
    if origin is list:
        return _list(_reader(arguments[0]))
    if origin is dict:
        return _map(*map(_reader, arguments))
    return _anything


def _simple(name: str, types: Sequence[type]) -> Reader:
    def read(value: Any) -> object:
        if type(value) not in types:  # true is no integer
            raise _otherwise(name, value)
        return value

    return read


def _one_of(values: Sequence[object]) -> Reader:
    known = {(type(each), each) for each in values}

    def read(value: Any) -> object:
        if isinstance(value, dict | list) or (type(value), value) not in known:
            raise _otherwise(" or ".join(map(identifier, values)), value)
        return value

    return read


def _either(readers: Sequence[Reader], *, nullable: bool) -> Reader:
    *others, last = readers

    def read(value: Any) -> object:
        if nullable and value is None:
            return None
        for each in others:
            try:
                return each(value)
            except _FieldError:
                continue
        return last(value)

    return read


def _list(item: Reader) -> Reader:
    def read(value: Any) -> object:
        if not isinstance(value, list):
            raise _otherwise("an array", value)
        items = []
        try:
            for each in value:
                items.append(item(each))  # noqa: PERF401  (where it stops says which one is wrong)
        except _FieldError as error:
            error.way.append(f"[{len(items)}]")
            raise
        return items

    return read


def _map(key: Reader, item: Reader) -> Reader:
    def read(value: Any) -> object:
        if not isinstance(value, dict):
            raise _otherwise("an object", value)
        items = {}
        name = ""
        try:
            for name, each in value.items():
                items[key(name)] = item(each)
        except _FieldError as error:
            error.way.append(f"[{identifier(name)}]")
            raise
        return items

    return read


def _object(cls: type) -> Reader:
    fields = {name: (_reader(hint), _without(hint)) for name, hint in get_type_hints(cls).items()}
    elsewhere = ELSEWHERE.get(cls)

    def read(value: Any) -> object:
        if not isinstance(value, dict):
            raise _otherwise("an object", value)
        if elsewhere is not None and value.get("trace") is not None:
            return _reader(elsewhere)(value)
        values = {}
        name = ""
        try:
            for name, (field, without) in fields.items():
                values[name] = field(value[name]) if name in value else without()
        except _FieldError as error:
            error.way.append(f".{name}")
            raise
        return cls(**values)

    return read


def _without(hint: Any) -> Callable[[], object]:
    """Makes the default for a missing field of this type."""
    origin = get_origin(hint)
    if origin in {list, dict}:
        return cast("type", origin)
    if hint in {object, Any, NoneType} or NoneType in get_args(hint):
        return NoneType
    return _missing


def _missing() -> object:
    raise _FieldError("is missing")


def _anything(value: Any, room: int = MAX_DEPTH) -> object:
    if isinstance(value, dict | list):
        if not room:
            raise _FieldError("is nested too deeply")
        for each in value.values() if isinstance(value, dict) else value:
            _anything(each, room - 1)
    return value


def _otherwise(wanted: str, value: object) -> _FieldError:
    found = "an object" if isinstance(value, dict) else "an array" if isinstance(value, list) else identifier(value)
    return _FieldError(f"has to be {wanted}, not {found}")
