"""What real recordings show, calculated a second time, after RULES.md and with `json` alone.

Nothing here comes from replaylint. It reads what those in `sample_traces/real` hold: records with `ts`, `dir` and
`msg`, one connection a file. Lines are counted from 0, times are in seconds, and nothing is rounded.
"""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    Record = dict[str, Any]
    Figures = dict[str, float | None]

FIGURES = [
    "to_first_update_s",
    "replay_s",
    "marker_lag_s",
    "response_gap_s",
    "snapshot_gap_s",
    "total_s",
    "longest_pause_s",
    "gap_longest_pause_s",
    "gap_waiting_for_client_s",
]
TIMERS = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3]
ENOUGH = {50: 1, 90: 10, 95: 20, 99: 100}
MESSAGES = ["user_message", "agent_message", "agent_thought"]
HISTORY = [
    *MESSAGES,
    *(f"{name}_chunk" for name in MESSAGES),
    *("tool_call", "tool_call_update", "tool_call_content_chunk"),
    *("terminal_update", "terminal_output_chunk"),
    *("plan", "plan_update", "plan_removed"),
    *("compaction_update", "compaction_summary_chunk"),
    *("session_message", "session_message_chunk"),
    *("subagent_update", "_subagent_update", "subagent_spawned", "subagent_state_update"),
]


# One recording


class Window:
    """What the session that a request names got while the request was pending, as numbers of lines."""

    def __init__(self, request: int, session: str, *, replaying: bool) -> None:
        self.request = request
        self.session = session
        self.replaying = replaying
        self.response: int | None = None
        self.error: int | None = None
        self.closed = False
        self.marker: int | None = None
        self.vendor: int | None = None
        self.updates: list[tuple[int, str]] = []
        self.asked: dict[int, int | None] = {}

    @property
    def ended(self) -> bool:
        return self.response is not None or self.closed

    @property
    def end_marker(self) -> int | None:
        return self.vendor if self.marker is None else self.marker


def recording(path: Path) -> list[Record]:
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return [json.loads(line) for line in data.split(b"\n") if line.strip()]


def reads(path: Path) -> bool:
    """Whether the recording holds nothing else."""
    try:
        records = recording(path)
    except ValueError:
        return False
    return all(
        isinstance(each.get("ts"), float)
        and each.get("dir") in {"meta", "c2a", "a2c"}
        and type(each.get("msg", {})) is dict
        for each in records
    )


def resumes(path: Path) -> tuple[str | None, list[Record]]:
    """The agent, and each resume with its outcome and figures."""
    records = recording(path)
    messages = [each.get("msg") or {} for each in records]
    version, agent = introduced(messages)
    windows: list[Window] = []
    for number, (record, message) in enumerate(zip(records, messages, strict=True)):
        if record["dir"] == "meta" and record["event"] in {"eof", "exit"}:
            for window in windows:
                window.closed = window.closed or window.response is None
        elif record["dir"] == "c2a":
            from_client(windows, number, message, messages, version)
        elif record["dir"] == "a2c":
            from_agent(windows, number, message, messages, version)
    times = [each["ts"] for each in records]
    return agent, [told(window, times, messages) for window in windows]


def introduced(messages: list[Record]) -> tuple[int | None, str | None]:
    for message in messages:
        if message.get("method") == "initialize":
            for answer in messages:
                if "result" in answer and answer["id"] == message["id"]:
                    result = answer["result"]
                    info = result.get("info") or result.get("agentInfo") or {}
                    words = [info[key] for key in ("name", "version") if key in info]
                    return result["protocolVersion"], " ".join(words) or None
    return None, None


def from_client(
    windows: list[Window], number: int, message: Record, messages: list[Record], version: int | None
) -> None:
    method, params = message.get("method"), message.get("params", {})
    if method == "session/load" and version == 1:
        windows.append(Window(number, params["sessionId"], replaying=True))
    elif method == "session/resume":
        asks = version == 2 and params.get("replayFrom") is not None
        windows.append(Window(number, params["sessionId"], replaying=asks))
    elif method is None and "id" in message:
        for window in windows:
            for asked, answered in window.asked.items():
                if answered is None and messages[asked]["id"] == message["id"]:
                    window.asked[asked] = number


def from_agent(
    windows: list[Window], number: int, message: Record, messages: list[Record], version: int | None
) -> None:
    method, params = message.get("method"), message.get("params", {})
    if method is None:
        for window in windows:
            if not window.ended and messages[window.request]["id"] == message["id"]:
                window.response = number
                window.error = message["error"]["code"] if "error" in message else None
                return
        return
    pending = [
        each for each in windows if not each.ended and each.replaying and each.session == params.get("sessionId")
    ]
    if not pending:
        return
    window = next((each for each in pending if each.end_marker is None), pending[-1])
    if method != "session/update":
        if "id" in message:
            window.asked[number] = None
        return
    variant = params["update"]["sessionUpdate"]
    if variant == "replay_complete" and version == 2:
        window.marker = number if window.marker is None else window.marker
    elif variant == "session_info_update" and (says_end(params) or says_end(params["update"])):
        window.vendor = number if window.vendor is None else window.vendor
    else:
        window.updates.append((number, variant))


def says_end(holder: Record) -> bool:
    meta = holder.get("_meta") or {}
    return ((meta.get("jetbrains") or {}).get("air") or {}).get("loadReplayEnd") is True


def told(window: Window, times: list[float], messages: list[Record]) -> Record:
    return {
        "line": window.request + 1,
        "id": messages[window.request]["id"],
        "session": window.session,
        "replaying": window.replaying,
        "outcome": outcome(window),
        "marked": window.end_marker is not None,
        "figures": figures(window, times),
    }


def outcome(window: Window) -> str:
    if not window.replaying:
        return "not_requested"
    marked = window.end_marker is not None
    if not window.ended:
        return "inconclusive"
    if window.response is not None and window.error is None:
        return "complete" if marked else "unmarked"
    if marked:
        return "complete_failed"
    history = any(variant in HISTORY for _, variant in window.updates)
    return "rejected" if window.error == -32602 and not history else "truncated"


def figures(window: Window, times: list[float]) -> Figures:
    def between(first: int | None, last: int | None) -> float | None:
        if first is None or last is None:
            return None
        if any(times[at] < times[at - 1] - 0.002 for at in range(first + 1, last + 1)):
            return None
        return max(0.0, times[last] - times[first])

    found: Figures = dict.fromkeys(FIGURES)
    found["total_s"] = between(window.request, window.response)
    if not window.replaying:
        return found
    marker = window.end_marker
    every = [number for number, variant in window.updates if variant in HISTORY]
    history = [number for number in every if marker is None or number < marker]
    end = marker if marker is not None else history[-1] if history else None
    found["replay_s"] = between(window.request, end)
    found["response_gap_s"] = between(end, window.response)
    if history:
        found["to_first_update_s"] = between(window.request, history[0])
        found["marker_lag_s"] = between(history[-1], marker)
    if len(history) > 1 and between(history[0], history[-1]) is not None:
        found["longest_pause_s"] = longest(times[number] for number in history)
    if end is None:
        return found
    after = [(number, variant) for number, variant in window.updates if number > end]
    found["snapshot_gap_s"] = between(end, next((number for number, name in after if name == "state_update"), None))
    if found["response_gap_s"] is not None and window.response is not None:
        moments = [end, *(number for number, _ in after), window.response]
        found["gap_longest_pause_s"] = longest(times[number] for number in moments)
        found["gap_waiting_for_client_s"] = waited(window, times[end], times[window.response], times)
    return found


def longest(moments: Iterable[float]) -> float:
    return max((later - earlier for earlier, later in pairwise(moments)), default=0.0)


def waited(window: Window, begin: float, end: float, times: list[float]) -> float:
    """How much of the time from `begin` to `end` lies in at least one request of the agent that was unanswered."""
    spans = sorted(
        (max(begin, times[asked]), end if answered is None else min(end, times[answered]))
        for asked, answered in window.asked.items()
    )
    total, until = 0.0, begin
    for first, last in spans:
        total += max(0.0, last - max(first, until))
        until = max(until, last)
    return total


# All of them


def summary(found: list[Record]) -> Record:
    """What resumes come to."""
    replays = [each for each in found if each["replaying"]]
    pauses = [each for each in replays if each["figures"]["longest_pause_s"] is not None]
    return {
        "resumes": len(found),
        "replays": len(replays),
        "timing": {name: distribution([each["figures"][name] for each in replays]) for name in FIGURES},
        "quiet_timer": [quiet_timer(pauses, timer) for timer in TIMERS],
        "quiet_timer_needed_s": max((each["figures"]["longest_pause_s"] for each in pauses), default=None),
    }


def distribution(figures: list[float | None]) -> Figures:
    values = sorted(each for each in figures if each is not None)
    n = len(values)
    found: Figures = {"n": n, "min": values[0] if n else None, "max": values[-1] if n else None}
    found["mean"] = sum(values) / n if n else None
    for percent, enough in ENOUGH.items():
        found[f"p{percent}"] = nearest_rank(values, percent) if n >= enough else None
    return found


def nearest_rank(ordered: list[float], percent: int) -> float:
    rank = (len(ordered) * percent + 99) // 100
    return ordered[rank - 1]


def quiet_timer(pauses: list[Record], timer: float) -> Record:
    right = [each["figures"] for each in pauses if each["figures"]["longest_pause_s"] < timer]
    late = sorted(timer - each["marker_lag_s"] for each in right if each["marker_lag_s"] is not None)
    return {
        "timer_s": timer,
        "n": len(pauses),
        "false_ends": len(pauses) - len(right),
        "late_s": {
            "n": len(late),
            "p50": nearest_rank(late, 50) if late else None,
            "max": late[-1] if late else None,
        },
    }


def by_agent(every: list[tuple[str | None, list[Record]]]) -> dict[str | None, Record]:
    """The summary of each agent's resumes."""
    found: dict[str | None, list[Record]] = {}
    for agent, these in every:
        found.setdefault(agent, []).extend(these)
    return {agent: summary(these) for agent, these in found.items() if these}
