"""The tables of methods and variants have what the newest schemas of the protocol have, stable and unstable."""

from __future__ import annotations

import json
import tarfile
from typing import Any

import pytest

from replaylint.protocol.methods import NOTIFICATIONS, sender
from replaylint.protocol.variants import EITHER, HISTORY, KNOWN, LIVE_ONLY
from replaylint.recording.message import AGENT, CLIENT, Side
from tests.conftest import REGISTRIES, fetch

SDK = "@agentclientprotocol/sdk@latest"
SENDERS: dict[frozenset[str], Side] = {frozenset({"agent"}): CLIENT, frozenset({"client"}): AGENT}
"""Who sends what only the agent, or only the client, takes; anybody may send the rest."""


@pytest.fixture(scope="module")
def schemas(network: None, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """The definitions of each schema. They are fetched anew, for there may be a newer package."""
    folder = tmp_path_factory.mktemp("sdk")
    fetch("npm", [*REGISTRIES["npm"], SDK], folder)
    (archive,) = folder.iterdir()
    with tarfile.open(archive) as members:
        members.extractall(folder, filter="data")
    paths = sorted(folder.glob("package/schema/v*/*.json"))
    assert {each.parent.name for each in paths} >= {"v1", "v2"}
    return [json.loads(each.read_bytes())["$defs"] for each in paths]


def methods_of(schemas: list[dict[str, Any]]) -> dict[str, frozenset[str]]:
    """Who takes each method: the agent, the client, or others."""
    takers: dict[str, set[str]] = {}
    for definition in (each for schema in schemas for each in schema.values() if "x-method" in each):
        takers.setdefault(definition["x-method"], set()).add(definition["x-side"])
    return {method: frozenset(sides) for method, sides in takers.items()}


def notifications_of(schemas: list[dict[str, Any]]) -> set[str]:
    """The methods that no schema knows as a request."""
    named = [(each["x-method"], name) for schema in schemas for name, each in schema.items() if "x-method" in each]
    return {method for method, _ in named} - {method for method, name in named if name.endswith("Request")}


def variants_of(schemas: list[dict[str, Any]]) -> set[str]:
    """The variants of `session/update`; a version that is open to others has one without a name."""
    unions = [schema["SessionUpdate"] for schema in schemas]
    members = [each for union in unions for each in union.get("oneOf", union.get("anyOf"))]
    return {each["properties"]["sessionUpdate"].get("const") for each in members} - {None}


def test_who_sends_each_method_of_the_schemas(schemas: list[dict[str, Any]]) -> None:
    takers = methods_of(schemas)
    assert {"initialize", "session/resume", "session/load", "session/update"} <= takers.keys()
    assert {each: sender(each) for each in takers} == {each: SENDERS.get(by) for each, by in takers.items()}


def test_the_notifications_of_the_schemas_are_known(schemas: list[dict[str, Any]]) -> None:
    assert notifications_of(schemas) == NOTIFICATIONS


def test_the_variants_of_the_schemas_are_known(schemas: list[dict[str, Any]]) -> None:
    variants = variants_of(schemas)
    assert {"tool_call", "tool_call_update", "state_update"} <= variants
    assert variants - KNOWN == set()


def test_a_variant_is_of_one_kind() -> None:
    assert len(KNOWN) == len(HISTORY) + len(LIVE_ONLY) + len(EITHER)


@pytest.mark.parametrize(
    ("method", "side"),
    [
        # `terminal/` is no longer the agent's alone.
        ("terminal/cancel", CLIENT),
        ("tool_call/cancel", CLIENT),
        ("session/status", CLIENT),
        ("session/archive", CLIENT),
        ("session/unarchive", CLIENT),
        ("session/set_title", CLIENT),
        ("terminal/create", AGENT),
        ("elicitation/complete", AGENT),
        # Both sides send these.
        ("$/cancel_request", None),
        ("mcp/message", None),
        ("_auth/status_update", None),
        ("terminal/rewind", None),
    ],
)
def test_who_sends_a_method(method: str, side: Side | None) -> None:
    assert sender(method) == side
