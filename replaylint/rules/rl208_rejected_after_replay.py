"""A resume was rejected for its params after history, or a marker, had come.

An agent that rejects the cursor with -32602 replays nothing and sends no marker. It has to look at the params before it
begins: now the client has part of a history, or all of it, for a request that was invalid.

Source: the RFD's section "Replay cursors".

Fix: validate `replayFrom`, and everything else in the request, before the first update.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.outcome import rejected
from replaylint.rules.registry import ERROR, INFO, Hit, Rule
from replaylint.rules.words import Count

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL208",
    "rejected-after-replay",
    party="agent",
    says="the request was rejected with -32602 after {arrived:history update}{marked}; a rejected cursor "
    "replays nothing",
)


@RULE.at_request_end("error")
def settle(resume: Resume) -> Iterator[Hit]:
    """An update may have been in flight where the session was active and no marker came."""
    window, response = resume.named, resume.response
    if not resume.cursor or not rejected(resume) or window is None or response is None:
        return
    windows = resume.windows.values()
    marker = next((each.marker for each in windows if each.marker is not None), None)
    arrived = sum(each.history for each in windows)
    if marker is None and not arrived:
        return
    yield Hit(
        RULE,
        INFO if resume.was_active is not False and marker is None else ERROR,
        response.line,
        window=window,
        what=resume.request.method,
        arrived=Count(arrived),
        marked=" and a marker" if marker is not None else "",
        marker_line=0 if marker is None else marker.line,
        response_line=response.line,
    )
