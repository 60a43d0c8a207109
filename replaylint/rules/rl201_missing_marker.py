"""A replay succeeded without its end-of-replay marker.

On v2 the agent MUST send `replay_complete` exactly once on the session that a replaying `session/resume` names, and
on each child that it announces, after the last replayed update and before the response; also for an empty history.
Without it the client has to wait for the response before it knows that the history is whole. The vendor event does
not replace it.

On v1 there is no marker of the protocol's own. A client can opt in to the vendor event; that it is missing is an error
where the agent sends it elsewhere on the connection, a warning where the agent is one that is known to send it.

Source: the RFD's sections "The replay_complete update" and "Subagent sessions"; the second seed, "When the event is
sent".

Fix: send the marker when the last replayed update is out, before any other work that the response waits for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.replay.states import Event
from replaylint.rules.registry import ERROR, INFO, WARNING, Hit, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Resume, Window

RULE = Rule(
    "RL201",
    "missing-marker",
    party="agent",
    says="the replay succeeded without {marker} for {missing}{instead}; until the response nothing said that the "
    "history was whole",
)

SENDS_VENDOR_EVENT: Final = "@agentclientprotocol/claude-agent-acp"
"""The agent of the second seed."""


@RULE.at_request_end("success")
def settle(resume: Resume) -> Iterator[Hit]:
    """A success, and sessions without a marker. If none has one, one finding lists them."""
    connection = resume.connection
    v2 = connection.version == 2
    if not resume.replaying or resume.lost or not (v2 or connection.opted_in):
        return
    kind = Event.MARKER if v2 else Event.VENDOR_MARKER
    windows = list(resume.windows.values())
    if not windows:
        return  # the request names no session
    missing = [window for window in windows if window.mark_of(kind) is None]
    if len(missing) == len(windows):
        yield _hit(resume, windows[0], v2=v2, children=len(windows) - 1)
        return
    for window in missing:
        yield _hit(resume, window, v2=v2, children=0)


@RULE.at_connection_end
def confirm(connection: Connection, hit: Hit) -> Severity:
    """What a missing vendor event is worth is known when the connection has ended."""
    if connection.version == 2 or connection.vendor_seen:
        return ERROR
    return WARNING if connection.agent.name == SENDS_VENDOR_EVENT else INFO


def _hit(resume: Resume, window: Window, *, v2: bool, children: int) -> Hit:
    missing = "this session" if window.parent is None else "this child"
    if children:
        missing += f" and its {children} {'child' if children == 1 else 'children'}"
    line = resume.response.line if resume.response else resume.request.line
    vendor_line = window.vendor.line if v2 and window.vendor else 0
    return Hit(
        RULE,
        ERROR,
        line,
        window=window,
        what=resume.request.method,
        marker="replay_complete" if v2 else "the vendor event that the client opted in to",
        missing=missing,
        instead=f" (the vendor event at line {vendor_line} does not replace it)" if vendor_line else "",
        vendor_line=vendor_line,
        response_line=line,
    )
