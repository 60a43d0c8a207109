"""A child's message came before the child was announced.

The agent announces a child with `subagent_update` on its parent's stream before anything that bears the child's id. A
client that does not know the id yet has nowhere to put the message, and may drop it.

Source: https://agentclientprotocol.com/rfds/subagents; the RFD's section "Subagent sessions".

Fix: send the announcement first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.rules.registry import ERROR, Hit, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL305",
    "child-before-announcement",
    party="agent",
    says="{count:message} of a child session before its announcement at line {announcement_line}",
    needs_beginning=True,
)


@RULE.at_request_end()
def settle(resume: Resume) -> Iterator[Hit]:
    """Each child whose first message is earlier than its announcement."""
    for window in resume.windows.values():
        early = window.early
        if early is not None and early.unannounced:
            yield Hit(
                RULE,
                ERROR,
                early.first_line,
                window=window,
                what=early.what,
                last_line=early.last_line,
                count=early.count,
                announcement_line=window.announced_line,
            )
