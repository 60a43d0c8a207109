"""An exception for an agent is past its date, and still leaves findings out.

Settings can leave out findings of a rule for one agent, for a reason and until a date: by then the agent should be
fixed. That day has passed, the agent still does what was excused, and nobody has looked again. The exception goes on
to hold, so that no run breaks overnight; instead there is this finding, one for each such exception.

It is a warning: `--fail-on warning` makes a run fail. An exception without a date never expires, and one that leaves
nothing out is no fault. The date is that of the computer on which the tool runs.

Promise: no rule; the user's own date.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#status-quo (RFD "v2 Replay Complete Signal",
section "Status quo").

Fix: whoever owns the settings looks whether a version of the agent without the fault can be used, and deletes the
exception; else gives it a new date and a reason that still holds.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1"}}}
    ← {"id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"0.9"}}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from replaylint.rules.registry import WARNING, Rule

# Only a finished report has exceptions: report.exceptions judges them.
RULE = Rule(
    "RL407",
    "expired-exception",
    party="recording",
    severities=(WARNING,),
    headline="the exception for {agent} ended on {until}, and still leaves out {count:finding} of {rules} ({reason})",
    help="look whether the agent can be updated, and delete the exception or give it a new date",
)
