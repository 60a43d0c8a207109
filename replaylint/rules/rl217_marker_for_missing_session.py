"""A marker certified the history of a session that does not exist.

The marker says that the whole history was sent; then the request failed with -32002, resource not found. What was
certified is the empty history of nothing, and a client that saves it overwrites what it had.

Source: the RFD's section "Outcomes"; the error codes of the schema.

Fix: look the session up before its replay, and send no marker for one that is not there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.outcome import NOT_FOUND
from replaylint.rules.registry import WARNING, Hit, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL217",
    "marker-for-missing-session",
    party="agent",
    says="the marker certified the history of a session that, by the error -32002 at line {response_line}, is not "
    "there",
)


@RULE.at_request_end("error")
def settle(resume: Resume) -> Iterator[Hit]:
    """A marker of the named session, then the error."""
    window, response, error = resume.named, resume.response, resume.error
    if window is None or response is None or error is None or error.code != NOT_FOUND or window.marker is None:
        return
    marker = window.marker
    yield Hit(RULE, WARNING, marker.line, window=window, what=marker.kind, response_line=response.line)
