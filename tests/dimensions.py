"""Recordings that grow in one dimension each, by name: a function of how far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable

DIMENSIONS: Final[dict[str, Callable[[int], Recording]]] = {}

NO_SUCH_SESSION: Final = -32002
CANCELLED: Final = -32800


def dimension(function: Callable[[int], Recording]) -> Callable[[int], Recording]:
    """Register this under its name."""
    DIMENSIONS[function.__name__] = function
    return function


def begun() -> Recording:
    """A v2 connection."""
    return Recording().initialize_v2()


def pending(count: int, *, same: bool = False, replay: bool = True) -> Recording:
    """So many unanswered resumes, with the ids from 1 on, each of a session of its own unless told otherwise."""
    made = begun()
    for number in range(1, count + 1):
        made.resume(number, "s" if same else f"s{number}", replay=replay)
    return made


def with_children(count: int) -> Recording:
    """A replay of the session s that announced so many children."""
    made = begun().resume(1, "s")
    for number in range(count):
        made.child("s", f"c{number}")
    return made


def marked(made: Recording, ident: object, session: str) -> Recording:
    """What a healthy replay brings after its request."""
    return made.message(session, "m").marker(session).idle(session).result(ident, {})


@dimension
def healthy_resumes(count: int) -> Recording:
    """One after the other, each of its own session."""
    made = begun()
    for number in range(1, count + 1):
        marked(made.resume(number, f"s{number}"), number, f"s{number}")
    return made


@dimension
def resumes_of_one_session(count: int) -> Recording:
    """One after the other."""
    made = begun()
    for number in range(1, count + 1):
        marked(made.resume(number, "s"), number, "s")
    return made


@dimension
def resumes_with_findings(count: int) -> Recording:
    """Each without a marker, and with live updates before its end."""
    made = begun()
    for number in range(1, count + 1):
        made.resume(number, "s").update("s", "available_commands_update", availableCommands=[]).message("s", "m")
        made.result(number, {})
    return made


@dimension
def pending_replays(count: int) -> Recording:
    """Of as many sessions."""
    return pending(count)


@dimension
def pending_replays_of_one_session(count: int) -> Recording:
    """At once."""
    return pending(count, same=True)


@dimension
def pending_plain_resumes_of_one_session(count: int) -> Recording:
    """At once, with updates of the session."""
    made = pending(count, same=True, replay=False)
    for number in range(count):
        made.message("s", f"m{number}")
    return made


@dimension
def marked_replays_of_one_session(count: int) -> Recording:
    """At once: each has its marker, and then each its response."""
    made = pending(count, same=True)
    for _ in range(count):
        made.message("s", "m").marker("s")
    for number in range(1, count + 1):
        made.result(number, {})
    return made


@dimension
def answers_in_order(count: int) -> Recording:
    """Of pending replays."""
    made = pending(count)
    for number in range(1, count + 1):
        made.result(number, {})
    return made


@dimension
def answers_in_reverse(count: int) -> Recording:
    """Of pending replays."""
    made = pending(count)
    for number in range(count, 0, -1):
        made.result(number, {})
    return made


@dimension
def answers_in_reverse_of_one_session(count: int) -> Recording:
    """Of pending replays."""
    made = pending(count, same=True)
    for number in range(count, 0, -1):
        made.result(number, {})
    return made


@dimension
def prompts_beside_replays(count: int) -> Recording:
    """Of another session than those of the pending replays."""
    made = pending(count)
    for number in range(count):
        made.client(f"p{number}", "session/prompt", sessionId="other", prompt=[])
    return made


@dimension
def prompts_of_replays(count: int) -> Recording:
    """One of each session that is being resumed; then a cancel and a close of each."""
    made = begun()
    for number in range(count):
        session = f"s{number}"
        made.resume(number, session).client(f"p{number}", "session/prompt", sessionId=session, prompt=[])
    for number in range(count):
        made.record("c2a", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": f"s{number}"}})
        made.client(f"c{number}", "session/close", sessionId=f"s{number}")
    return made


@dimension
def closes_beside_replays(count: int) -> Recording:
    """Of another session than those of the pending replays."""
    made = pending(count)
    for number in range(count):
        made.client(f"c{number}", "session/close", sessionId="other").result(f"c{number}", {})
    return made


@dimension
def cancels_of_early_prompts(count: int) -> Recording:
    """As many `session/cancel` as prompts while their session's resume is pending."""
    made = begun().resume(0, "s")
    for number in range(count):
        made.client(f"p{number}", "session/prompt", sessionId="s", prompt=[])
    for _ in range(count):
        made.record("c2a", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}})
    for number in range(count):
        made.error(f"p{number}", NO_SUCH_SESSION)
    return made


@dimension
def cancelled_resumes(count: int) -> Recording:
    """Each cancelled before its response."""
    made = begun()
    for number in range(1, count + 1):
        cancel = {"jsonrpc": "2.0", "method": "$/cancel_request", "params": {"requestId": number}}
        made.resume(number, "s").record("c2a", cancel).error(number, CANCELLED)
    return made


@dimension
def losses_beside_replays(count: int) -> Recording:
    """The recorder dropped messages again and again while replays are pending."""
    made = pending(count)
    for _ in range(count):
        made.meta("dropped", count=1)
    return made


@dimension
def invalid_ids(count: int) -> Recording:
    """Of unanswered requests of both sides; then errors that may answer any."""
    made = begun()
    for number in range(count):
        made.client(number + 0.5, "x/y").agent(number + 0.5, "x/y")
    for _ in range(count):
        made.error(None, CANCELLED)
    return made


@dimension
def one_id(count: int) -> Recording:
    """Of requests at once."""
    made = begun()
    for _ in range(count):
        made.client(1, "x/y")
    for _ in range(count):
        made.result(1, {})
    return made


@dimension
def ids_that_a_double_cannot_hold(count: int) -> Recording:
    """All of them the same as doubles."""
    made = begun()
    for number in range(count):
        made.client((1 << 62) + number, "x/y")
    for number in range(count):
        made.result((1 << 62) + count - number, {})
    return made


@dimension
def a_batch_of_requests(count: int) -> Recording:
    """All of which an error with the id null may answer."""
    request = {"jsonrpc": "2.0", "method": "session/prompt", "params": {"sessionId": "s", "prompt": []}}
    made = begun().record("c2a", [{**request, "id": number} for number in range(1, count + 1)])
    for _ in range(count):
        made.error(None, CANCELLED)
    return made


@dimension
def unmatched_responses(count: int) -> Recording:
    """Each with an id of its own."""
    made = begun()
    for number in range(1, count + 1):
        made.result(number, {})
    return made


@dimension
def requests_of_the_agent(count: int) -> Recording:
    """While a replay is pending."""
    made = begun().resume(1, "s")
    for number in range(count):
        made.agent(number, "session/request_permission", sessionId="s", toolCall={"toolCallId": "t"}, options=[])
    for number in range(count):
        made.result(number, {}, direction="c2a")
    return made.result(1, {})


@dimension
def children(count: int) -> Recording:
    """Each with a message and a marker."""
    made = with_children(count)
    for number in range(count):
        made.message(f"c{number}", "m").marker(f"c{number}")
    return made.marker("s").idle("s").result(1, {})


@dimension
def children_of_children(count: int) -> Recording:
    """Each announced by the one before."""
    made = begun().resume(1, "s").child("s", "c0")
    for number in range(count):
        made.child(f"c{number}", f"c{number + 1}")
    return made.marker("s").idle("s").result(1, {})


@dimension
def children_from_the_last_to_the_first(count: int) -> Recording:
    """Each announced before its parent is."""
    made = begun().resume(1, "s")
    for number in range(count, 0, -1):
        made.child(f"c{number - 1}", f"c{number}")
    return made.child("s", "c0").marker("s").result(1, {})


@dimension
def vendor_events_beside_children(count: int) -> Recording:
    """On the stream of the session that was asked for."""
    made = with_children(count)
    for _ in range(count):
        made.vendor("s")
    return made.result(1, {})


@dimension
def tool_calls_left_open_beside_resumes(count: int) -> Recording:
    """By one replay of a session with as many others."""
    made = begun().resume(0, "s")
    for number in range(count):
        made.update("s", "tool_call_update", toolCallId=f"t{number}", status="pending")
    marked(made, 0, "s")
    for number in range(1, count + 1):
        marked(made.resume(number, "s"), number, "s")
    return made


@dimension
def messages_of_no_session(count: int) -> Recording:
    """While a replay is pending: any may be that of a child."""
    made = begun().resume(1, "s")
    for number in range(count):
        made.message(f"u{number}", "m").marker(f"u{number}")
    return made.result(1, {})


@dimension
def children_announced_late(count: int) -> Recording:
    """Each after its first message."""
    made = begun().resume(1, "s")
    for number in range(count):
        made.message(f"c{number}", "m")
    for number in range(count):
        made.child("s", f"c{number}")
    return marked(made, 1, "s")


@dimension
def connections(count: int) -> Recording:
    """Open at once, each with a request and a second `initialize` that is not answered."""
    made = Recording()
    for number in range(count):
        made.initialize_v2().client(1, "session/prompt", sessionId="s", prompt=[]).client(2, "initialize")
        for record in made.records[-4:]:
            record["conn"] = number
    return made


@dimension
def connections_with_resumes(count: int) -> Recording:
    """Open at once; none of the replays has a marker."""
    made = Recording()
    for number in range(count):
        made.initialize_v2().resume(1, "s").message("s", "m").result(1, {})
        for record in made.records[-5:]:
            record["conn"] = number
    return made


@dimension
def pending_initializes(count: int) -> Recording:
    """Each followed by a request, then answered."""
    made = begun()
    for number in range(count):
        made.client(f"i{number}", "initialize", protocolVersion=2).resume(f"r{number}", f"s{number}")
    for number in range(count):
        made.result(f"i{number}", {"protocolVersion": 2, "info": {}})
    return made


@dimension
def refused_initializes(count: int) -> Recording:
    """While replays are pending."""
    made = pending(count)
    for number in range(count):
        made.client(f"i{number}", "initialize", protocolVersion=2).error(f"i{number}", CANCELLED)
    return made


@dimension
def restarts(count: int) -> Recording:
    """By as many answered `initialize`."""
    made = Recording()
    for _ in range(count):
        made.initialize_v2()
    return made


@dimension
def notifications_said_again(count: int) -> Recording:
    """On the connection that an `initialize` turns out to have started, with as many updates between."""
    made = begun().client("i", "initialize", protocolVersion=2)
    for number in range(count):
        made.record("c2a", {"jsonrpc": "2.0", "method": "session/cancel", "params": {"sessionId": "s"}})
        made.message("s", f"m{number}")
    return marked(made.resume("r", "s").result("i", {"protocolVersion": 2, "info": {}}), "r", "s")
