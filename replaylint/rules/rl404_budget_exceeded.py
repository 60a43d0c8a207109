"""All resumes together are over a budget of the user's.

Who runs the tool with `--budget 'p95(response_gap)<2s'`, say, wants that of a whole run: of any timing the minimum,
mean, maximum or a percentile, over the sessions that replaying requests name. Percentiles are by nearest rank, so each
is a value that was measured. This run is over the budget.

It is an error, because it was asked for. There is one finding for each budget, without a recording and a line; where a
budget cannot be judged, RL405 says so.

Promise: no rule; the user's own budget.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#status-quo (RFD "v2 Replay Complete Signal",
section "Status quo").

Fix: `--statistics` shows the distribution, `--group-by agent` whose it is; whoever owns the agent shortens what is
slow, or the budget was meant for another machine.

Example:
    {"ts":0,"dir":"c2a","msg":{"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}}
    {"ts":1,"dir":"a2c","msg":{"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan"}}}}
    {"ts":4,"dir":"a2c","msg":{"id":1,"result":{}}}
"""

from __future__ import annotations

from replaylint.rules.registry import ERROR, Rule

# Only a finished report can be held against a budget: report.budgets does that.
RULE = Rule(
    "RL404",
    "budget-exceeded",
    party="agent",
    severities=(ERROR,),
    headline="{name} is {value} over {n:replay}{bounds}, and the budget is {budget}{others}",
    help="--statistics shows the distribution, --group-by whose it is",
)
