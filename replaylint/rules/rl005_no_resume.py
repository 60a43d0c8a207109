"""The recording holds no resume.

There is neither a `session/resume` nor a `session/load` in it, so there is no replay to say anything about. Often the
wrong file was given, or the client started new sessions only.

It is info. With `--expect` it is RL406, an error, so that CI does not pass without the test that it was meant to run.

Promise: no rule of the protocol.

Source: this tool's own terms of what a resume is; on v2 there is no `session/load`.

Fix: record a client that resumes or loads a session.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2}}
"""

from __future__ import annotations

from replaylint.replay.events import RecordingEnded
from replaylint.rules.registry import INFO, Rule, Violation

RULE = Rule(
    "RL005",
    "no-resume",
    party="recording",
    severities=(INFO,),
    headline="the recording holds no session/resume and no session/load",
    help="there is no replay to judge",
)


@RULE.on(RecordingEnded)
def ended(event: RecordingEnded) -> Violation | None:
    """Only of a recording that was read to its end, and of which nothing is known to be lost."""
    return Violation(RULE, INFO, 1) if event.whole and not event.resumes else None
