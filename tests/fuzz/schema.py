"""The schema of the report, as a validator and as functions that take a fraction of its time."""

from __future__ import annotations

import re
from functools import cache, reduce
from math import inf
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from orjson import loads

from tests.fuzz.promises import require
from tests.fuzz.samples import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA: Final[dict[str, Any]] = loads((ROOT / "replaylint" / "report" / "schema.json").read_bytes())
Check: TypeAlias = "Callable[[Any], bool]"

TYPES: Final[dict[str, Check]] = {
    "object": lambda value: value.__class__ is dict,
    "array": lambda value: value.__class__ is list,
    "string": lambda value: value.__class__ is str,
    "integer": lambda value: value.__class__ is int or (value.__class__ is float and value.is_integer()),
    "number": lambda value: value.__class__ is int or value.__class__ is float,
    "boolean": lambda value: value.__class__ is bool,
    "null": lambda value: value is None,
}
KEYWORDS: Final = frozenset(
    {"$schema", "$id", "$defs", "title", "description", "type", "required", "properties", "items", "enum", "const"}
    | {"anyOf", "$ref", "minimum", "exclusiveMinimum", "pattern", "additionalProperties", "propertyNames"}
)
"""What `checker` knows of JSON Schema."""


@cache
def fast_check() -> Check:
    """Whether a value is valid by the schema, many times faster than a validator: for every input."""
    return checker(SCHEMA, {})


def checker(schema: dict[str, Any], known: dict[str, Check]) -> Check:
    """The schema as functions. `known` holds those of definitions."""
    require(schema.keys() <= KEYWORDS, "a keyword of the schema is not known here", schema.keys() - KEYWORDS)
    checks: list[Check] = []
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        if name not in known:
            known[name] = checker(SCHEMA["$defs"][name], known)
        checks.append(known[name])
    if "type" in schema:
        kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        checks.append(reduce(either, (TYPES[kind] for kind in kinds)))
    if "anyOf" in schema:
        checks.append(reduce(either, (checker(each, known) for each in schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        checks.append(one_of(schema["enum"] if "enum" in schema else [schema["const"]]))
    least, above = schema.get("minimum", -inf), schema.get("exclusiveMinimum", -inf)
    if least > -inf or above > -inf:
        checks.append(lambda value: value.__class__ not in {int, float} or (value >= least and value > above))
    if "pattern" in schema:
        pattern = re.compile(schema["pattern"])
        checks.append(lambda value: value.__class__ is not str or pattern.search(value) is not None)
    if "items" in schema:
        item = checker(schema["items"], known)
        checks.append(lambda value: value.__class__ is not list or all(map(item, value)))
    if not schema.keys().isdisjoint({"required", "properties", "additionalProperties", "propertyNames"}):
        checks.append(members(schema, known))
    return reduce(both, checks) if checks else lambda _: True


def both(one: Check, other: Check) -> Check:
    """Whether both hold."""
    return lambda value: one(value) and other(value)


def either(one: Check, other: Check) -> Check:
    """Whether one of them holds."""
    return lambda value: one(value) or other(value)


def one_of(values: list[Any]) -> Check:
    """Whether it is one of these scalars; true is not 1."""
    exact = {(each.__class__, each) for each in values}
    return lambda value: value.__class__ not in {dict, list} and (value.__class__, value) in exact


def members(schema: dict[str, Any], known: dict[str, Check]) -> Check:
    """The part of the schema that is about an object's members."""
    required = frozenset(schema.get("required", ()))
    properties = {name: checker(each, known) for name, each in schema.get("properties", {}).items()}
    rest = checker(schema["additionalProperties"], known) if "additionalProperties" in schema else None
    names = checker(schema["propertyNames"], known) if "propertyNames" in schema else None

    def check(value: Any) -> bool:
        if value.__class__ is not dict:
            return True
        if not value.keys() >= required or (names is not None and not all(map(names, value))):
            return False
        for name, part in value.items():
            if (of_member := properties.get(name, rest)) is not None and not of_member(part):
                return False
        return True

    return check


@cache
def validator() -> Any:
    """The real one."""
    from jsonschema import Draft202012Validator  # noqa: PLC0415

    return Draft202012Validator(SCHEMA)
