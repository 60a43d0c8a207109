"""A resume request lacks a parameter that it needs, or has it in another type.

`session/resume` and `session/load` name the session and the folder in which it works: `sessionId` and `cwd`, both
strings, and `cwd` an absolute path. The `session/load` of v1 also says which MCP servers to connect, in the array
`mcpServers`, be it an empty one. Agents differ in what they do without: some reject the request, others take a folder
or servers of their own, and the session works elsewhere than the user believes.

It is a warning. Where the agent rejected the request with -32602 (invalid params), the finding names that. The rule is
silent where the request was never answered, which is a finding of its own.

Promise: the schemas of both versions list these fields as required, and file paths in the protocol MUST be absolute.

Source: https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions (protocol v1, "Session Setup",
section "Loading Sessions"), https://agentclientprotocol.com/protocol/v2/session-setup#resuming-sessions (protocol v2,
"Session Setup", section "Resuming Sessions").

Fix: the client sends all of them, with the session's own folder as an absolute path.

Example:
    → {"id":0,"method":"initialize","params":{"protocolVersion":1}}
    ← {"id":0,"result":{"protocolVersion":1}}
    → {"id":1,"method":"session/load","params":{"sessionId":"s","cwd":"work"}}
    ← {"id":1,"error":{"code":-32602,"message":"mcpServers is missing"}}
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from replaylint.protocol.methods import LOAD, RESUME
from replaylint.replay.events import RequestSent
from replaylint.replay.outcome import INVALID_PARAMS
from replaylint.rules.registry import INFO, WARNING, Counted, Rule, Violation
from replaylint.rules.words import Clause

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from replaylint.replay.window import Occurrences, Resume, Window

RULE = Rule(
    "RL110",
    "incomplete-params",
    party="client",
    severities=(WARNING,),
    headline="{method} has {faults}{rejected}",
    help="send {needed}",
    suppressed_by={"RL105": INFO},
)

ABSOLUTE: Final = re.compile(r"/|\\\\|[A-Za-z]:[\\/]")
"""How an absolute path begins, on any system."""

NEEDED: Final = {
    RESUME: "sessionId, and cwd as an absolute path",
    LOAD: "sessionId, cwd as an absolute path, and mcpServers as an array",
}
REJECTED: Final = Clause(", and the agent rejected it with -32602 at line {response_line}")


@RULE.on(RequestSent, RESUME, LOAD)
def requested(event: RequestSent) -> Iterator[Counted]:
    """Each fault of a request, by its name."""
    if event.resume is not None:
        params = event.body.get("params")
        for fault in _faults(event.case, params if isinstance(params, dict) else {}):
            yield Counted(event.resume, WARNING, fault)


@RULE.settles()
def settle(resume: Resume, window: Window | None, seen: Occurrences) -> Violation | None:
    """When the request has ended it is known whether the agent rejected it."""
    if window is not None:
        return None
    request, response = resume.request, resume.response
    rejected = response is not None and resume.error is not None and resume.error.code == INVALID_PARAMS
    return Violation(
        RULE,
        seen.severity,
        request.line,
        connection=resume.connection,
        request=request,
        session_id=resume.session_id,
        role="named",
        what=request.method,
        method=request.method,
        faults=" and ".join(seen.kinds),
        rejected=REJECTED if rejected else "",
        needed=NEEDED[request.method],
        response_line=response.line if response is not None and rejected else 0,
    )


def _faults(method: str, params: Mapping[str, Any]) -> Iterator[str]:
    for name in ("sessionId", "cwd"):
        value = params.get(name)
        if value is None:
            yield f"no {name}"
        elif not isinstance(value, str):
            yield f"a {name} that is not a string"
        elif name == "cwd" and not ABSOLUTE.match(value):
            yield "a cwd that is not an absolute path"
    servers = params.get("mcpServers")
    if method == LOAD and not isinstance(servers, list):
        yield "no mcpServers" if servers is None else "mcpServers that are not an array"
