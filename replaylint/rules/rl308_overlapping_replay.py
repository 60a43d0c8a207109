"""A second replay of a session was requested while one was pending.

The updates of both replays come on one stream, and the marker that ends a replay bears the session's id, not the
request's. So neither the client nor this tool can tell which update and which marker belongs to which request: the
history may be doubled or torn.

It is a warning, at the second request. What other rules find in overlapping replays is milder for that reason, and
the report calls both requests ambiguous.

Promise: clients SHOULD NOT send a second replaying resume for a session while the first is pending. For
`session/load` on v1 no rule says it; the trouble is the same.

Source:
https://agentclientprotocol.com/rfds/v2/session-replay-complete#can-a-client-resume-the-same-session-twice-at-the-same-time-on-one-connection
(RFD "v2 Replay Complete Signal", section "Can a Client resume the same session twice at the same time on one
connection?").

Fix: the client waits for the response to the first request before it sends the second; if it has cancelled the first,
it waits for the response to that.

Example:
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    → {"id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
    ← {"id":2,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import RESUMES
from replaylint.replay.events import RequestSent
from replaylint.rules.registry import WARNING, Rule

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL308",
    "overlapping-replay",
    party="client",
    severities=(WARNING,),
    headline="the client requested a second replay of the session while that of line {pending_line} was pending",
    help="their updates and markers cannot be told apart: wait for the first response",
    needs_order=True,
)


@RULE.on(RequestSent, *RESUMES)
def sent(event: RequestSent) -> Violation | None:
    """At the second request. One that an error with id null may answer starts no overlap."""
    resume = event.resume
    if resume is None or resume.named is None or event.request.odd:
        return None
    # The response to one that was pending when messages were lost may be among them.
    replays = (each for each in event.pending if each.named is not None and not each.lost)
    pending = next((each.request for each in replays if not each.request.odd), None)
    return None if pending is None else RULE.at(event, WARNING, window=resume.named, pending_line=pending.line)
