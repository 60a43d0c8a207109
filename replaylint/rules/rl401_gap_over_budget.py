"""A response gap is longer than the user allows.

Who runs the tool with `--max-gap 2s`, say, wants no client to wait longer than that for the response once the replay
has ended: at the marker, or without one at the last history update. In this resume it waited longer. Judged is the
session that the request names; a child's gap is long because its history was done early.

It is an error, because it was asked for. Without `--max-gap` the rule is silent; where the gap cannot be known, RL405
says so.

Promise: no rule; the user's own budget. The protocol's authors measured gaps of 0.7 to 1.9 s on an idle machine and of
4 to 9 s on a cold start.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#status-quo (RFD "v2 Replay Complete Signal",
section "Status quo").

Fix: whoever owns the agent does what is slow (starting a process, connecting to servers) before the replay or beside
it, and answers once the history is out; the finding says how much of the gap the agent waited for the client.

Example:
    {"ts":0,"dir":"c2a","msg":{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}}
    {"ts":1,"dir":"a2c","msg":{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}}
    {"ts":4,"dir":"a2c","msg":{"id":1,"result":{}}}
"""

from __future__ import annotations

from replaylint.rules.registry import ERROR, Rule

# Only a finished report can be held against a budget: report.budgets does that.
RULE = Rule(
    "RL401",
    "gap-over-budget",
    party="agent",
    severities=(ERROR,),
    headline="the response came {value} after the replay had ended, where at most {limit} is allowed{waiting}",
    help="do what is slow before the replay or beside it, and answer once the history is out",
)
