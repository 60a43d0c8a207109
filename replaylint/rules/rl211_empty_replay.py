"""A replay succeeded and brought no history, though there was some.

The client asked for the history of a session, got a success, and not one replayed update. Yet the session had a
history: earlier in the recording a prompt on it was answered, or an earlier replay brought some. So the agent has
lost it, has not stored it yet, or does not send it, and the client shows an empty conversation as the whole one.

It is a warning. Without such evidence it is info on v1, and silent on v2, where an empty history is ordinary. It is
silent where two replays of the session overlap, and where the recorder dropped messages during the request.

Promise: on v2 a replay from the start MUST bring all history that the agent retains, on v1 a load the whole
conversation. What an agent retains is its own affair, so an empty replay is evidence, not proof.

Source: https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions (protocol v2, "Session Setup",
sections "Resuming Sessions" and "Replay Contents"),
https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions (protocol v1, "Session Setup", section
"Loading Sessions").

Fix: the agent replays what the session holds, the turns of the current connection included.

Example:
    → {"id":1,"method":"session/prompt","params":{"sessionId":"s"}}
    ← {"id":1,"result":{"stopReason":"end_turn"}}
    → {"id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"id":2,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import INFO, WARNING, Rule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL211",
    "empty-replay",
    party="agent",
    severities=(WARNING, INFO),
    message="the agent answered the replay with success but sent no history{though}; a replay brings all that the "
    "session holds, the turns of this connection included",
    suppressed_by={"RL304": INFO},
)


LIVES = {"prompt": "a prompt on the session was answered", "replay": "a replay of the session brought some"}


@RULE.on(ResumeEnded, "success")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """What the recording shows of the session before makes it a fault."""
    resume = event.resume
    window, response = resume.named, resume.response
    if window is None or response is None or window.last_line or resume.ambiguous or resume.lost:
        return
    life = resume.connection.has_history.get(window.session_id)
    if life is None and resume.connection.version != 1:
        return
    yield Violation(
        RULE,
        INFO if life is None else WARNING,
        response.line,
        window=window,
        what=resume.request.method,
        though=" (right only if there is none)"
        if life is None
        else f", though earlier in this recording {LIVES[life]}",
        response_line=response.line,
    )
