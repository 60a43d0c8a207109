"""The agent announces one protocol version and speaks another.

Its `initialize` result has the `protocolVersion` of v2 with the members of v1, `agentCapabilities` or `agentInfo`,
and no `info`; or the version of v1 with v2's `info` and nothing of v1. A client that goes by the version reads
neither the agent's name nor what it can do, and expects messages that never come. Here the version that it says
counts.

It is an error.

Promise: the result has the form of the version that it names: v1 `agentCapabilities` and `agentInfo`, v2
`capabilities` and `info`.

Source: https://agentclientprotocol.com/protocol/v1/initialization (protocol v1, "Initialization");
https://agentclientprotocol.com/protocol/v2/initialization (protocol v2, "Initialization").

Fix: the agent answers with the version that it speaks, not with the one that it was asked for.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{}}}
    ← {"id":0,"result":{"protocolVersion":2,"agentCapabilities":{"loadSession":true}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.protocol.methods import INITIALIZE
from replaylint.replay.events import ResponseReceived
from replaylint.rules.registry import ERROR, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL109",
    "version-contradicted",
    party="agent",
    severities=(ERROR,),
    headline="the initialize result says protocolVersion {version} but has {has} and no {lacks}",
    help="clients go by the version, so the agent has to answer with the one that it speaks",
)


V1_FIELDS: Final = ("agentCapabilities", "agentInfo")
V2_FIELD: Final = "info"


@RULE.on(ResponseReceived, INITIALIZE)
def initialized(event: ResponseReceived) -> Violation | None:
    """At the response."""
    result = event.body.get("result")
    if not isinstance(result, dict):
        return None
    version = result.get("protocolVersion")
    old = [field for field in V1_FIELDS if field in result]
    if version == 2 and old and V2_FIELD not in result:
        has, lacks = " and ".join(old), V2_FIELD
    elif version == 1 and V2_FIELD in result and not old and not isinstance(version, bool):
        has, lacks = V2_FIELD, " or ".join(V1_FIELDS)
    else:
        return None
    return RULE.at(event, ERROR, request=event.request, version=version, has=has, lacks=lacks)
