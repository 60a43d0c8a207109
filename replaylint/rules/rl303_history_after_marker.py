"""What looks like history came after the end-of-replay marker.

The marker means that the agent sent everything that it selected for the replay. Between it and the response, with no
prompt since the request, this session got a message or thought with an id that is new, or a tool call that was over
when it was first seen. Chunks that continue a replayed message, and tool calls that still run, are live and fine.

Under `replay_complete` this is a warning: another client's turn looks the same, so it is silent where a `state_update`
after the marker says that the session runs. Under the vendor event it is an error, for children too: that event comes
after the whole load's history.

Source: the RFD's sections "The replay_complete update" and "Only history before the marker"; the second seed, "When
the event is sent".

Fix: send the marker after the last replayed update, with a paged history after the last page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import FINAL_STATUSES, MESSAGES, TOOL_CALLS
from replaylint.replay.states import Event, State
from replaylint.rules.registry import ERROR, INFO, WARNING, Hit, Rule, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume, Seen, Window

RULE = Rule(
    "RL303",
    "history-after-marker",
    party="agent",
    says="after the marker at line {marker_line} came {count:update} with the look of history ({kinds}); the marker "
    "says that all of it had been sent",
)


@RULE.sees(states={State.VENDOR_MARKED, State.MARKED}, events={Event.HISTORY})
def see(window: Window, event: Event, seen: Seen) -> Severity | None:
    """New in this window, and nothing that the recording shows explains it."""
    resume = window.resume
    vendor = window.vendor is not None
    if window.forgot or (window.parent is not None and not vendor):
        return None
    # A child has no prompts of its own: its parent's make it work.
    sessions = [resume.connection.session(each) for each in {window.session_id, resume.request.session_id} if each]
    if any(session.prompt_line > resume.request.line for session in sessions):
        return None
    if not (_new_message(window, seen) or _finished_tool_call(window, seen)):
        return None
    if resume.was_active is not False:
        return INFO
    return ERROR if vendor else WARNING


@RULE.at_request_end()
def settle(resume: Resume) -> Iterator[Hit]:
    """On v2 a turn that runs explains it, for the named session."""
    for window, seen in RULE.seen_in(resume):
        first = seen.first.line
        before = [mark.line for mark in (window.vendor, window.complete) if mark is not None and mark.line <= first]
        marker_line = before[0] if before else 0
        if resume.connection.version == 2 and window.parent is None:
            session = resume.connection.session(window.session_id)
            if session.busy_line > marker_line or resume.end == "open":
                continue
        yield RULE.counted(window, seen, marker_line=marker_line)


def _new_message(window: Window, seen: Seen) -> bool:
    if seen.what not in MESSAGES:
        return False
    ident = seen.content.get("messageId")
    return not isinstance(ident, str) or ident not in window.ids


def _finished_tool_call(window: Window, seen: Seen) -> bool:
    if seen.what not in TOOL_CALLS or seen.content.get("status") not in FINAL_STATUSES:
        return False
    ident = seen.content.get("toolCallId")
    return isinstance(ident, str) and (ident,) not in window.ids
