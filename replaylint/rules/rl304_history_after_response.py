"""History came after the response that ends the replay.

The success response of a replay says that all selected history has been sent. What comes later a client takes for
live, shows as something new, or drops because it has stopped listening for history.

A user's message that comes while no prompt has been sent since cannot be live on v1: an error. On v2 it may come from
another client, so it is a warning, and info if the session's state was not idle. Other history is info, and only
where the replay itself had brought none: an agent that answers first and replays afterwards looks like that.

It ends at the next prompt, running state, close or resume of the session, because from then on updates are explained.

Promise: the agent MUST replay everything before it responds, to a v1 load as to a v2 resume with a cursor; a success
certifies that the history is whole.

Source: https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions (protocol v1, "Session Setup",
section "Loading Sessions"), https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions (protocol v2,
"Session Setup", section "Resuming Sessions"),
https://agentclientprotocol.com/rfds/v2/session-replay-complete#why-does-each-child-session-get-its-own-marker (RFD
"v2 Replay Complete Signal", sections "Outcomes" and "Why does each child session get its own marker?").

Fix: the agent answers the request when the last replayed update is out, not when the replay has merely been started.

Example:
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/","mcpServers":[]}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
    ← {"id":1,"result":{}}
    ← {"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk"}}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.protocol.variants import USER_MESSAGES
from replaylint.replay.events import UpdateReceived
from replaylint.replay.states import Trigger
from replaylint.replay.window import Point
from replaylint.rules.registry import ERROR, INFO, WARNING, Rule, Severity, Violation
from replaylint.rules.words import Clause, apart

if TYPE_CHECKING:
    from replaylint.protocol.connection import Connection
    from replaylint.replay.window import Past

RULE = Rule(
    "RL304",
    "history-after-response",
    party="agent",
    severities=(ERROR, WARNING, INFO),
    headline="the agent sent {count:history update} after the response at line {response_line}{late}{empty}{doubt}",
    help="all history belongs before the response: answer when the last replayed update is out",
    needs_order=True,
)


@RULE.on(UpdateReceived, Trigger.HISTORY)
def received(event: UpdateReceived) -> Violation | None:
    """While nothing since the response explains it: what came before the user's message counts, too."""
    past, connection = event.past, event.connection
    after = past.after if past is not None else None
    if past is None or after is None or after.last.line != event.line or past.prompt is not None:
        return None
    if connection.lost_line > past.response.line or event.plain:
        return None
    user_messages = sum(after.kinds.get(kind, 0) for kind in USER_MESSAGES)
    if not user_messages and past.had_history:
        return None
    begins = past.had_history and user_messages == 1 and event.variant in USER_MESSAGES
    first = after.first if begins else Point(event.line, event.time)
    waited = apart(past.response, first, connection.steps)
    return Violation(
        RULE,
        _severity(connection, past) if user_messages else INFO,
        first.line,
        past=past,
        connection=connection,
        what=after.what,
        last_line=event.line,
        count=after.count if begins else 1,
        response_line=past.response.line,
        late=Clause(f" ({waited} later at line {{line}})") if waited else "",
        doubt=" (no fault if another client's turn runs)" if connection.version == 2 else "",
        empty="" if past.had_history else ", which ended an empty replay",
    )


@RULE.on(UpdateReceived, Trigger.HISTORY)
def during_prompt(event: UpdateReceived) -> Violation | None:
    """On v1, a user's message that is no part of the first prompt. One may be the prompt in other words."""
    past, connection = event.past, event.connection
    if past is None or past.prompt is None or past.prompt.answer_line or event.variant not in USER_MESSAGES:
        return None
    after = past.after
    if after is None or after.last.line != event.line or connection.lost_line > past.response.line:
        return None
    waited = apart(past.response, Point(event.line, event.time), connection.steps)
    return RULE.at(
        event,
        WARNING if after.count > 1 else INFO,
        past=past,
        response_line=past.response.line,
        late=Clause(f" ({waited} later at line {{line}})") if waited else "",
        doubt=" (no fault if this repeats the prompt in other words)",
        empty="" if past.had_history else ", which ended an empty replay",
    )


def _severity(connection: Connection, past: Past) -> Severity:
    if connection.version == 1:
        return ERROR
    return WARNING if past.snapshot in {None, "idle"} else INFO
