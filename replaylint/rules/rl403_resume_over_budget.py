"""A resume took longer than the user allows.

Who runs the tool with `--max-total 10s`, say, wants every resume to be answered by then, whether it asks for history
or not. This one was answered later, or was still unanswered after that time when its connection ended or the recording
stopped.

It is an error, because it was asked for. Without `--max-total` the rule is silent; where the time cannot be known,
RL405 says so.

Promise: no rule; the user's own budget.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#status-quo (RFD "v2 Replay Complete Signal",
section "Status quo").

Fix: whoever owns the agent looks at the parts: how long the replay took (RL402), and how long the response took from
there (RL401).

Example:
    {"ts":0,"dir":"c2a","msg":{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}}
    {"ts":2,"dir":"a2c","msg":{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}}
    {"ts":12,"dir":"a2c","msg":{"id":1,"result":{}}}
"""

from __future__ import annotations

from replaylint.rules.registry import ERROR, Rule

# Only a finished report can be held against a budget: report.budgets does that.
RULE = Rule(
    "RL403",
    "resume-over-budget",
    party="agent",
    severities=(ERROR,),
    headline="{came} {value} after the request, where at most {limit} is allowed",
    help="see in the report how much of it was the replay and how much came after it",
)
