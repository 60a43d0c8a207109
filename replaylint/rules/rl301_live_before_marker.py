"""A live update before the end-of-replay marker.

Every update for the session between the request and `replay_complete` MUST be replayed history. The agent holds every
other one and sends it after the marker: `notice`, `available_commands_update`, `config_option_update`,
`current_mode_update` and `state_update` are never history. A client that takes all of it for history mixes the two.

Where the session was active before the request, the update may have been in flight already, so it proves nothing.

Source: the RFD's section "Only history before the marker"; for sessions that were active, the schema's newer wording.

Fix: hold what is not history until the marker is out; the connection is ordered, so the buffer is the agent's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.states import Event, State
from replaylint.rules.registry import ERROR, INFO, Hit, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume, Seen, Window

RULE = Rule(
    "RL301",
    "live-before-marker",
    party="agent",
    says="{count:live update} ({kinds}) before the marker at line {marker_line}; only replayed history may stand there"
    "{doubt}",
)


IN_FLIGHT = ", but it may have been in flight before the request"
AMBIGUOUS = ", but it may belong to the other replay of the session"


@RULE.sees(states={State.UNANNOUNCED, State.REPLAYING, State.VENDOR_MARKED}, events={Event.LIVE}, versions={2})
def see(window: Window, event: Event, seen: Seen) -> Severity:
    """Certain only where the update cannot have been in flight and the replay is the only one."""
    resume = window.resume
    return ERROR if resume.was_active is False and not resume.ambiguous else INFO


@RULE.at_request_end()
def settle(resume: Resume) -> Iterator[Hit]:
    """The window turned out to have a marker."""
    for window, seen in RULE.seen_in(resume):
        if window.complete is not None:
            doubt = "" if seen.severity == ERROR else AMBIGUOUS if resume.ambiguous else IN_FLIGHT
            yield RULE.counted(window, seen, marker_line=window.complete.line, doubt=doubt)
