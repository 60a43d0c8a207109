"""A resume was rejected for its params after history, or a marker, had come.

With error -32602 an agent says that the params of a request are invalid: it does not support the cursor in
`replayFrom`, which says from where to replay. It can know that before it begins. Here it had sent history, or even a
marker, and rejected the request afterwards: the client has part of a history, or all of it, for a request that never
was valid.

It is an error. It is only info where the session was active before the request, or may have been, and no marker came:
then the updates may have been live ones on their way already.

Promise: an agent that rejects the cursor with -32602 replays nothing and sends no marker. The text states it as a
fact, without a MUST of its own.

Source: https://agentclientprotocol.com/rfds/v2/session-replay-complete#replay-cursors (RFD "v2 Replay Complete
Signal", section "Replay cursors").

Fix: the agent checks `replayFrom` and everything else in the request before it sends the first update.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"m"}}}
    ← {"id":1,"error":{"code":-32602,"message":"failed"}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import ResumeEnded
from replaylint.replay.outcome import rejected
from replaylint.rules.registry import ERROR, INFO, Rule, Violation
from replaylint.rules.words import Clause, Count

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL208",
    "rejected-after-replay",
    party="agent",
    severities=(ERROR, INFO),
    headline="the agent sent {arrived:history update}{marked} and then rejected the request with -32602{doubt}",
    help="a request whose params are invalid replays nothing: check them before the first update",
)


@RULE.on(ResumeEnded, "error")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """An update may have been in flight where the session was active and no marker came."""
    resume = event.resume
    window, response = resume.named, resume.response
    if not resume.cursor or not rejected(resume) or window is None or response is None:
        return
    windows = resume.windows.values()
    marker = next((each.marker for each in windows if each.marker is not None), None)
    arrived = sum(each.history for each in windows)
    if marker is None and not arrived:
        return
    in_flight = resume.was_active is not False and marker is None
    yield Violation(
        RULE,
        INFO if in_flight else ERROR,
        response.line,
        window=window,
        what=resume.request.method,
        arrived=Count(arrived),
        marked="" if marker is None else Clause(" and the marker at line {marker_line}"),
        doubt=" (no fault if sent before the request arrived)" if in_flight else "",
        marker_line=0 if marker is None else marker.line,
        response_line=response.line,
    )
