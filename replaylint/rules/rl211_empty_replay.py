"""A replay succeeded and brought no history, though there was some.

The recording shows an earlier prompt on the session that was answered, or an earlier replay of it that brought history.
So the agent has lost it, has not stored it yet, or does not send it. On v1 an empty load is worth knowing in any case.

Source: "Replay Contents" of https://agentclientprotocol.com/protocol/v2/session-setup.

Fix: replay what the session holds, also the turns of the current connection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.rules.registry import INFO, WARNING, Hit, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume

RULE = Rule(
    "RL211",
    "empty-replay",
    party="agent",
    says="the replay succeeded without any history{though}",
    yields_to={"RL304": INFO},
)


LIVES = {"prompt": "a prompt on the session was answered", "replay": "a replay of the session brought some"}


@RULE.at_request_end("success")
def settle(resume: Resume) -> Iterator[Hit]:
    """What the recording shows of the session before makes it a fault."""
    window, response = resume.named, resume.response
    if window is None or response is None or window.last_line or resume.ambiguous or resume.lost:
        return
    life = resume.connection.lived.get(window.session_id)
    if life is None and resume.connection.version != 1:
        return
    yield Hit(
        RULE,
        INFO if life is None else WARNING,
        response.line,
        window=window,
        what=resume.request.method,
        though="" if life is None else f", though earlier in this recording {LIVES[life]}",
        response_line=response.line,
    )
