"""A replay succeeded and brought no history, though there was some.

The client asked for the history of a session, got a success, and not one replayed update. Yet the session had a
history: earlier in the recording the agent sent messages or tool calls in a turn of it, or an earlier replay brought
some. So the agent has lost it, has not stored it yet, or does not send it, and the client shows an empty conversation
as the whole one.

It is a warning. It is info if a prompt was answered and nothing else was seen: what a prompt inserts need not be in a
replay. Without any such evidence it is info on v1, and silent on v2, where an empty history is ordinary. It is silent
where two replays of the session overlap, where the recorder dropped messages during the request, and on v2 for a
cursor other than `start`, which may select nothing.

Promise: on v2 a replay from the start MUST bring all history that the agent retains, on v1 a load the whole
conversation. What an agent retains is its own affair, so an empty replay is evidence, not proof.

Source: https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions (protocol v2, "Session Setup",
sections "Resuming Sessions" and "Replay Contents"),
https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions (protocol v1, "Session Setup", section
"Loading Sessions").

Fix: the agent replays what the session holds, the turns of the current connection included.

Example:
    → {"id":1,"method":"session/prompt","params":{"sessionId":"s"}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t"}}}
    ← {"id":1,"result":{"stopReason":"end_turn"}}
    → {"id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"id":2,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.replay.events import ResumeEnded
from replaylint.rules.registry import INFO, WARNING, Rule, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator


RULE = Rule(
    "RL211",
    "empty-replay",
    party="agent",
    severities=(WARNING, INFO),
    headline="the agent answered the replay with success but sent no history{though}",
    help="a replay brings all that the session holds, the turns of this connection included",
    suppressed_by={"RL304": INFO},
)


SHOWN: Final = {"turn": "a turn of the session had some", "replay": "a replay of the session brought some"}
NOTHING: Final = " (right only if there is none)"
PROMPTED: Final = " (right only if the prompt that was answered before left none)"


@RULE.on(ResumeEnded, "success")
def ended(event: ResumeEnded) -> Iterator[Violation]:
    """What the recording shows of the session before makes it a fault."""
    resume = event.resume
    window, response = resume.named, resume.response
    if window is None or response is None or window.last_line or resume.ambiguous or resume.lost:
        return
    history, asked = resume.connection.has_history.get(window.session_id), resume.request.line
    shown = history is not None and 0 < history.line < asked
    prompted = history is not None and 0 < history.prompt_line < asked
    start = resume.connection.version != 2 or resume.replay_from == "start"
    if not start or not (shown or prompted or resume.connection.version == 1):
        return
    yield Violation(
        RULE,
        WARNING if shown else INFO,
        response.line,
        window=window,
        what=resume.request.method,
        though=f", though earlier in this recording {SHOWN[history.origin]}"
        if shown and history is not None
        else PROMPTED
        if prompted
        else NOTHING,
        response_line=response.line,
    )
