"""The tables of methods and variants have what the newest schemas of the protocol have, stable and unstable."""

from __future__ import annotations

import json
import tarfile
from typing import TYPE_CHECKING, Any

import pytest

from replaylint.protocol.exchange import Exchange, Request
from replaylint.protocol.methods import NOTIFICATIONS, sender
from replaylint.protocol.other_protocols import is_acp, protocol_of
from replaylint.protocol.variants import EITHER, HISTORY, KNOWN, LIVE_ONLY
from replaylint.recording.message import AGENT, CLIENT, Side, other
from replaylint.replay.fold import trigger_of
from replaylint.replay.states import Trigger
from tests.conftest import REGISTRIES, fetch
from tests.recordings import Recording, found, report_of

if TYPE_CHECKING:
    from pathlib import Path

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


OF_THE_CLIENT = [
    *("initialize", "authenticate", "logout", "auth/login", "auth/logout", "auth/status"),
    *("session/new", "session/load", "session/resume", "session/fork", "session/list", "session/close"),
    *("session/delete", "session/archive", "session/unarchive", "session/status", "session/set_title"),
    *("session/prompt", "session/cancel", "session/set_mode", "session/set_model", "session/set_config_option"),
    *("terminal/cancel", "tool_call/cancel", "providers/list", "providers/set", "providers/disable"),
]
OF_THE_AGENT = [
    *("session/update", "session/request_permission", "elicitation/create", "elicitation/complete"),
    *("fs/read_text_file", "fs/write_text_file", "auth/status_update"),
    *("terminal/create", "terminal/output", "terminal/wait_for_exit", "terminal/kill", "terminal/release"),
]
OF_NOBODY = ["$/cancel_request", "mcp/message", "_auth/status_update", "terminal/rewind"]
"""What both sides send, or what is not known."""


@pytest.mark.parametrize(
    ("method", "side"),
    [
        *((method, CLIENT) for method in OF_THE_CLIENT),
        *((method, AGENT) for method in OF_THE_AGENT),
        *((method, None) for method in OF_NOBODY),
    ],
)
def test_who_sends_a_method(method: str, side: Side | None) -> None:
    assert sender(method) == side


@pytest.mark.parametrize(
    ("method", "notification"),
    [
        *(("session/update", True), ("session/cancel", True), ("$/cancel_request", True)),
        *(("elicitation/complete", True), ("auth/status_update", True)),
        *(("session/prompt", False), ("elicitation/create", False), ("_vendor/x", False)),
    ],
)
def test_a_notification_stays_one_with_an_id_that_is_null(method: str, notification: bool, tmp_path: Path) -> None:
    recording = Recording().initialize_v2()
    recording.record("c2a" if method in OF_THE_CLIENT else "a2c", {"jsonrpc": "2.0", "id": None, "method": method})
    rules = {rule for rule, *_ in found(report_of(recording.lines(), tmp_path))}
    assert ("RL108" in rules) is not notification


@pytest.mark.parametrize(
    ("variant", "trigger"),
    [
        *(("user_message", Trigger.HISTORY), ("agent_message", Trigger.HISTORY), ("agent_thought", Trigger.HISTORY)),
        *((f"{who}_chunk", Trigger.HISTORY) for who in ("user_message", "agent_message", "agent_thought")),
        *((f"tool_call{part}", Trigger.HISTORY) for part in ("", "_update", "_content_chunk")),
        *(("terminal_update", Trigger.HISTORY), ("terminal_output_chunk", Trigger.HISTORY)),
        *(("plan", Trigger.HISTORY), ("plan_update", Trigger.HISTORY), ("plan_removed", Trigger.HISTORY)),
        *(("compaction_update", Trigger.HISTORY), ("compaction_summary_chunk", Trigger.HISTORY)),
        *(("session_message", Trigger.HISTORY), ("session_message_chunk", Trigger.HISTORY)),
        *(("subagent_update", Trigger.HISTORY), ("_subagent_update", Trigger.HISTORY)),
        *(("subagent_spawned", Trigger.HISTORY), ("subagent_state_update", Trigger.HISTORY)),
        *(("state_update", Trigger.LIVE), ("notice", Trigger.LIVE), ("available_commands_update", Trigger.LIVE)),
        *(("config_option_update", Trigger.LIVE), ("current_mode_update", Trigger.LIVE)),
        *(("session_info_update", Trigger.EITHER), ("usage_update", Trigger.EITHER)),
        *(("prompt_suggestions_update", Trigger.EITHER), ("cursor_update", Trigger.EITHER)),
        *(("_vendor", Trigger.EITHER), ("not_known", Trigger.EITHER)),
    ],
)
def test_what_a_variant_is_to_a_replay(variant: str, trigger: Trigger) -> None:
    assert trigger_of(variant) == trigger
    assert (variant in KNOWN) is (variant not in {"_vendor", "not_known"})


@pytest.mark.parametrize(
    ("method", "result"),
    [
        ("initialize", {"protocolVersion": 2}),
        ("session/new", {"sessionId": "s"}),
        ("session/fork", {"sessionId": "s"}),
        ("session/list", {"sessions": []}),
        ("session/prompt", {"stopReason": "end_turn"}),
        ("session/request_permission", {"outcome": {}}),
        ("elicitation/create", {"action": "accept"}),
        ("fs/read_text_file", {"content": ""}),
        ("terminal/create", {"terminalId": "t"}),
        ("terminal/output", {"output": ""}),
        ("terminal/wait_for_exit", {"exitCode": 0}),
    ],
)
def test_a_result_tells_apart_two_requests_that_have_one_id(method: str, result: object) -> None:
    side = sender(method)
    assert side is not None
    exchange = Exchange()
    vague = Request(other(side), 1, "_vendor/x", {}, 3, 0.0)
    asked = Request(side, 1, method, {}, 4, 0.0)
    exchange.open(vague)
    exchange.open(asked)
    assert exchange.match(None, {"id": 1, "result": result}) is asked
    exchange.open(asked)
    assert exchange.match(None, {"id": 1, "result": {"anything": "else"}}) is vague


OTHERS = {
    "Codex": [
        *("thread/start", "turn/start", "item/started", "codex/event"),
        *("newConversation", "sendUserTurn", "addConversationListener"),
    ],
    "Language Server": [
        *("textDocument/didOpen", "workspace/symbol", "window/showMessage", "client/registerCapability"),
        *("notebookDocument/didOpen", "completionItem/resolve", "$/progress"),
    ],
    "Model Context": [
        *("tools/call", "resources/read", "prompts/get", "notifications/initialized"),
        *("sampling/createMessage", "roots/list", "completion/complete", "logging/setLevel"),
    ],
}


@pytest.mark.parametrize(("name", "method"), [(name, method) for name, methods in OTHERS.items() for method in methods])
def test_a_method_of_another_protocol(name: str, method: str) -> None:
    assert name in (protocol_of(method) or "")
    assert not is_acp(method)


@pytest.mark.parametrize(
    "method", ["session/new", "auth/login", "authenticate", "fs/read_text_file", "terminal/create", "_vendor/x"]
)
def test_a_method_of_this_protocol(method: str) -> None:
    assert is_acp(method)
    assert protocol_of(method) is None


@pytest.mark.parametrize("method", ["initialize", "elicitation/create", "$/cancel_request", "shutdown"])
def test_a_method_that_says_no_protocol(method: str) -> None:
    assert not is_acp(method)
    assert protocol_of(method) is None
