"""The recorder leaves replayed updates out.

acpx writes down what it shows, and up to version 0.19 it did not show what a `session/load` replays. So the recording
has the request and the response and nothing between them, although the agent may have sent all of it. What argues
from the absence of history, of markers or of tool calls is silent for such a request.

It is info, for recordings in acpx's own format only: what another recorder takes down between acpx and the agent is
whole.

Promise: no rule of the protocol.

Source: acpx, https://github.com/openclaw/acpx, whose recordings this format is.

Fix: update acpx, or record between the client and the agent.

Example:
    {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"acpx","version":"0.19.1"}}}
    {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1}}
    {"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    {"jsonrpc":"2.0","id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import RESUMES
from replaylint.replay.events import RequestSent
from replaylint.rules.registry import INFO, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL006",
    "replay-not-recorded",
    party="recording",
    severities=(INFO,),
    headline="acpx up to 0.19 leaves replayed updates out of its recordings, so nothing is said about this replay",
    help="record between client and agent",
)


@RULE.on(RequestSent, *RESUMES)
def sent(event: RequestSent) -> Violation | None:
    """At the request."""
    resume = event.resume
    if resume is None or resume.named is None or not event.connection.drops_replays:
        return None
    return RULE.at(event, INFO, window=resume.named)
