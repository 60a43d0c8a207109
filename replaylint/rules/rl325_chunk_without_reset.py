"""A replayed message begins with a chunk.

A replay from the start brought a chunk of a message or thought whose id had not come in this replay. Chunks append. A
client that still holds the message from the live turn appends the replayed text to it, and shows the text twice.

It is info if the session was active, since the chunk may be live. It is silent for sessions that had sent updates on
the connection before the request, after a marker, where two replays of the session overlap, and where the recorder
dropped messages during the request. A chunk without an id is RL321's.

Promise: a message that is replayed from its beginning by chunks starts with the whole message of the same kind and id
and an empty `content`, which clears what the client holds.

Source: https://agentclientprotocol.com/protocol/v2/session-setup (protocol v2, "Session Setup", section "Replay
Contents"), https://agentclientprotocol.com/protocol/v2/prompt-lifecycle (protocol v2, "Prompt Lifecycle").

Fix: the agent sends the whole message with `"content": []` before the first chunk, or replays the message whole.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent"}}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/w","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk",
       "messageId":"m","content":{"type":"text","text":"nine"}}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import ERROR, INFO, Rule, Violation
from replaylint.rules.words import elapsed

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE = Rule(
    "RL325",
    "chunk-without-reset",
    party="agent",
    severities=(ERROR, INFO),
    headline="{count:message} of this replay began with a chunk ({kinds}){elapsed}{doubt}",
    help="a client that holds the live copy appends to it and shows the text twice: send the whole message with empty "
    "content first",
)

DOUBT: Final = " (no fault if live output of a session that was active)"


@RULE.on(ResumeEnded, "success", "error", "cancelled", "closed")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """At the first such chunk of each session. Where replays overlap, its message may have begun in the other one.

    While the request is pending, another replay may still begin.
    """
    resume = event.resume
    if resume.replay_from != "start" or resume.connection.version != 2:
        return
    for window in resume.windows.values():
        headless = window.headless
        if (
            headless is None
            or window.forgot
            or window.ambiguous
            or window.session.first_update_line < resume.request.line
        ):
            continue
        yield Violation(
            RULE,
            ERROR if resume.was_active is False else INFO,
            headless.first.line,
            window=window,
            what=headless.what,
            last_line=headless.last.line,
            count=headless.count,
            time=headless.first.time,
            kinds=", ".join(sorted(headless.kinds)),
            elapsed=elapsed(headless.first, headless.last, resume.connection.steps),
            doubt="" if resume.was_active is False else DOUBT,
        )
