"""JSON values: parsed and written whatever they hold, and every place in them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from orjson import JSONDecodeError, JSONEncodeError, dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterable

Slot = tuple[Any, Any]
"""An object or array, and a key or place in it."""


def parsed(data: bytes | str) -> Any:
    """The JSON value that this is, None where it is none; also what only lenient parsers take."""
    try:
        return loads(data)
    except JSONDecodeError:
        pass
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def written(value: object) -> bytes:
    """The value as JSON, whatever it holds; JSONEncodeError where it is nested too deeply."""
    try:
        return dumps(value)
    except JSONEncodeError:
        try:
            return json.dumps(value).encode()
        except RecursionError:
            raise JSONEncodeError("nested too deeply") from None


def written_safely(value: object) -> bytes:
    """The value as JSON, or null."""
    try:
        return written(value)
    except JSONEncodeError:
        return b"null"


def slots_of(value: object) -> list[Slot]:
    """Every place in this value that holds another one."""
    slots: list[Slot] = []
    containers: list[Any] = [value]
    for each in containers:
        inner: Iterable[tuple[Any, Any]]
        if each.__class__ is dict:
            inner = each.items()
        elif each.__class__ is list:
            inner = enumerate(each)
        else:
            continue
        for key, part in inner:
            slots.append((each, key))
            if part.__class__ is dict or part.__class__ is list:
                containers.append(part)
    return slots
