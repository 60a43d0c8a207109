"""A session has another outcome than the user expects.

Who runs the tool with `--expect complete`, say, wants every session of every replaying request to end that way; of
several outcomes any will do. This one ended otherwise. Who expects an outcome also expects a resume: for a recording
without one there is a finding too, and then the recording is to be fixed.

It is an error, because it was asked for. Without `--expect` the rule is silent.

Promise: no rule; the user's own expectation. What the outcomes mean follows from the protocol's table.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#outcomes (RFD "v2 Replay Complete Signal",
section "Outcomes").

Fix: whoever owns the agent looks at the findings on the same request, which say why it ended so; if the outcome is
right, expect it.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from replaylint.rules.registry import ERROR, Rule

# Only a finished report can be held against what the user expects of it: report.expectations does that.
RULE = Rule(
    "RL406",
    "unexpected-outcome",
    party="agent",
    severities=(ERROR,),
    headline="{found}, where {expected} was expected",
    help="{advice}",
)
