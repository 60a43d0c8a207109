"""The agent asked the client something before the end-of-replay marker.

`session/request_permission` and `elicitation/create` are not history, so they SHOULD wait until after the marker, also
one that the agent sends again after a lost connection. A client applies the tool call of a permission request at once;
replayed updates that arrive later could overwrite that newer state.

Source: the RFD's section "Only history before the marker".

Fix: hold the request until the marker of its session is out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.methods import ELICITATION, PERMISSION
from replaylint.replay.states import Event, State
from replaylint.rules.registry import INFO, WARNING, Hit, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume, Seen, Window

RULE = Rule(
    "RL302",
    "request-before-marker",
    party="agent",
    says="{count:request} of the agent ({kinds}) before the marker at line {marker_line}; such a "
    "request should wait until the marker is out",
)


@RULE.sees(states={State.UNANNOUNCED, State.REPLAYING, State.VENDOR_MARKED}, events={Event.AGENT_REQUEST}, versions={2})
def see(window: Window, event: Event, seen: Seen) -> Severity | None:
    """Only these two ask a person; and only where the session was not active can they not have been in flight."""
    if seen.what not in {PERMISSION, ELICITATION}:
        return None
    resume = window.resume
    return WARNING if resume.was_active is False and not resume.ambiguous else INFO


@RULE.at_request_end()
def settle(resume: Resume) -> Iterator[Hit]:
    """The window turned out to have a marker."""
    for window, seen in RULE.seen_in(resume):
        if window.complete is not None:
            yield RULE.counted(window, seen, marker_line=window.complete.line)
