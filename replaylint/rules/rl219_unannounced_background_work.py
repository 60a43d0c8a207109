"""Background work in a snapshot that no update announced.

Between a resume and its response the agent sent a `state_update` whose `background` lists a terminal or a tool call,
and no update of the session on this connection had named it. The client has nothing to show for it, and cannot tell
when it ends.

It is info after a resume that asked for no history, for a cursor other than `start`, and if the session was active. It
is silent for sessions that had sent updates on the connection before the request, since one of these may have announced
the work, where the recorder dropped messages, where the beginning of the connection is not recorded, and where each
side was recorded apart and the snapshot may have come before the request.

Promise: each item of `background` is announced before the first list that has it.

Source: https://agentclientprotocol.com/protocol/v2/session-setup (protocol v2, "Session Setup", section "Replay
Contents"), https://agentclientprotocol.com/protocol/v2/prompt-lifecycle (protocol v2, "Prompt Lifecycle").

Fix: the agent replays or sends the tool call or terminal before the first `state_update` that lists it.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":2}}
    ← {"id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent"}}}
    → {"id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/w","replayFrom":{"type":"start"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle",
       "background":[{"type":"terminal","terminalId":"t"}]}}}
    ← {"id":1,"result":{}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import STATE
from replaylint.replay.events import UpdateReceived
from replaylint.replay.states import Trigger
from replaylint.rules.registry import ERROR, INFO, Rule, Severity
from replaylint.rules.words import identifier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.replay.window import Resume
    from replaylint.rules.registry import Violation

RULE = Rule(
    "RL219",
    "unannounced-background-work",
    party="agent",
    severities=(ERROR, INFO),
    headline="the agent listed {kind} {ident} as background work, but no update had announced it",
    help="a client can neither show it nor tell when it ends: send the update that announces it first",
    needs_beginning=True,
)


@RULE.on(UpdateReceived, Trigger.LIVE)
def received(event: UpdateReceived) -> Iterator[Violation]:
    """At the snapshot, for the first item that nothing announced."""
    if event.variant != STATE or event.connection.version != 2:
        return
    window = event.window
    resumes = (window.resume,) if window is not None else event.plain
    if event.line in event.connection.unordered if window is None else not window.surely_has(event.line):
        return
    for resume in resumes:
        if resume.lost or event.session.first_update_line < resume.request.line:
            continue
        for kind, ident in _listed(event.update.get("background")):
            key = (ident,) if kind == "tool call" else ("terminal", ident)
            if window is not None and (key in window.ids or window.forgot):
                continue
            if window is None and ident in (event.session.announced or ()):
                continue
            yield RULE.at(
                event,
                _severity(resume),
                window=window,
                request=None if window is not None else resume.request,
                kind=kind,
                ident=identifier(ident),
            )
            break


def _severity(resume: Resume) -> Severity:
    return ERROR if resume.replaying and resume.replay_from == "start" and resume.was_active is False else INFO


def _listed(background: object) -> Iterator[tuple[str, str]]:
    for each in background if isinstance(background, list) else ():
        if isinstance(each, dict):
            for kind, key in (("tool call", "toolCallId"), ("terminal", "terminalId")):
                if isinstance(each.get(key), str):
                    yield kind, each[key]
