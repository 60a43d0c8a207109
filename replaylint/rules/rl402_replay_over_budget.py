"""A replay took longer than the user allows.

Who runs the tool with `--max-replay 5s`, say, wants the history of every resume to be out by then, counted from the
request to the end of the replay: the marker, or without one the last history update. This one took longer. Judged is
the session that the request names.

It is an error, because it was asked for. Without `--max-replay` the rule is silent; where the time cannot be known,
RL405 says so.

Promise: no rule; the user's own budget.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#status-quo (RFD "v2 Replay Complete Signal",
section "Status quo").

Fix: whoever owns the agent begins to replay at once and sends whole messages rather than chunks; `--statistics` shows
whether the time goes by before the first update or in pauses between them.

Example:
    {"ts":0,"dir":"c2a","msg":{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}}
    {"ts":6,"dir":"a2c","msg":{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}}
    {"ts":7,"dir":"a2c","msg":{"id":1,"result":{}}}
"""

from __future__ import annotations

from replaylint.rules.registry import ERROR, Rule

# Only a finished report can be held against a budget: report.budgets does that.
RULE = Rule(
    "RL402",
    "replay-over-budget",
    party="agent",
    severities=(ERROR,),
    headline="the replay of {history:history update} took {value} from the request on, where at most {limit} is "
    "allowed",
    help="begin it at once, and send it without pauses",
)
