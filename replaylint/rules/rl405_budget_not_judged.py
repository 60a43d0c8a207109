"""A budget of the user's that cannot be judged.

A recording without times has no durations, a request without a response no gap, and a clock that went back voids what
spans the step. A percentile needs enough values: p90 ten, p95 twenty, p99 a hundred; of fewer it would be no more than
their maximum. Then a budget is neither kept nor broken, and a run that says nothing would look as if it was kept.

The finding names who has to do something about the most frequent reason: mostly whoever records, but the agent where
the connection ended without a response, and the client where a request names no session.

It is a warning: `--fail-on warning` makes a run fail that could not be judged.

Promise: no rule; what the tool promises itself: no figure that the recording does not show.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#status-quo (RFD "v2 Replay Complete Signal",
section "Status quo").

Fix: record with a monotonic clock until both sides have ended, and record as many replays as the percentile needs.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from replaylint.rules.registry import WARNING, Rule

# Only a finished report can be held against a budget: policies.budgets does that.
RULE = Rule(
    "RL405",
    "budget-not-judged",
    party="recording",
    severities=(WARNING,),
    headline="{budget} cannot be judged{why}",
    help="{advice}",
)
