"""The recording's clock went back.

A timestamp is earlier than the one before it, by more than 2 ms: the wall clock was set, or two writers have mixed
their lines. The order of the messages is that of the lines and stays right. Durations that span the step are left out
of the report, because they would be wrong.

Promise: no rule of the protocol; a recording is expected to show messages in their order.

Source: this tool's own terms of what a timing is.

Fix: record with a monotonic clock beside the wall clock (`mono_ns`), and through one process.

Example:
    {"ts":1764400000.5,"dir":"c2a","msg":{"id":0,"method":"initialize","params":{"protocolVersion":2}}}
    {"ts":1764399999.1,"dir":"a2c","msg":{"id":0,"result":{"protocolVersion":2}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.recording.message import ClockStep
from replaylint.replay.events import Noted
from replaylint.rules.registry import WARNING, Rule
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL004",
    "clock-went-back",
    party="recording",
    severities=(WARNING,),
    headline="the clock went back {count:time}, the first time by {back}",
    help="durations across such a step are left out: record a monotonic clock, too",
)


@RULE.on(Noted, ClockStep)
def step(event: Noted) -> Violation | None:
    """One finding a recording. Where another clock goes on, nothing went back."""
    if not isinstance(event.note, ClockStep) or event.note.seconds is None:
        return None
    return RULE.at(event, WARNING, back=duration(event.note.seconds))
