"""The report, field by field as its JSON has it. Lines are 1-based, times seconds; None where not known.

A field may be added; none changes its meaning without a new SCHEMA_VERSION.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from typing import Literal

    from replaylint.protocol.direction import Directions
    from replaylint.recording.clock import Timestamps
    from replaylint.recording.message import Side
    from replaylint.replay.outcome import Outcome
    from replaylint.replay.window import End, MarkerKind
    from replaylint.rules.registry import Party

    SeverityName = Literal["error", "warning", "info"]

SCHEMA_VERSION: Final = 1

# Each class says its slots itself: with `slots=True` it would be made twice, which is felt at start.


@dataclass(eq=False, repr=False, match_args=False)
class Tool:
    """What wrote the report."""

    name: str
    version: str
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class ReadError:
    """Why an input could not be read to its end, and at which line."""

    code: str
    message: str
    line: int | None
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Peer:
    """The name and version that a side gave itself."""

    name: str | None
    version: str | None
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Connection:
    """One connection of a recording."""

    connection: int
    protocol_version: int | None
    partial: bool
    ended: End
    client: Peer
    agent: Peer
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Trace:
    """One input. `format` is None where it was not recognised."""

    path: str
    format: str | None
    lines: int
    messages: int
    bytes: int
    timestamps: Timestamps
    resolution_s: float | None
    directions: Directions
    order: Literal["exact", "approximate", "per_side"]
    lost: int
    malformed: int
    malformed_line: int | None
    error: ReadError | None
    connections: list[Connection]
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Moment:
    """A line and its time."""

    line: int
    time: float | None
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class ResponseError:
    """The error of a response."""

    code: int | None
    message: str | None
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Response:
    """The response to a request; `error` is None for a success."""

    line: int
    time: float | None
    error: ResponseError | None
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Marker:
    """The end-of-replay marker of a session."""

    kind: MarkerKind
    line: int
    time: float | None
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Updates:
    """How many updates a session got in its window, how many bytes their lines have, and how many of each variant."""

    history: int
    live: int
    other: int
    bytes: int
    by_kind: dict[str, int]
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Timing:
    """Seconds; `replay.timing` says from where to where."""

    replay_end: Literal["marker", "last_update"] | None
    to_first_update_s: float | None
    replay_s: float | None
    marker_lag_s: float | None
    response_gap_s: float | None
    snapshot_gap_s: float | None
    total_s: float | None
    longest_pause_s: float | None
    gap_longest_pause_s: float | None
    gap_waiting_for_client_s: float | None
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Session:
    """One session of a resume: the one that it names, or a child."""

    session_id: str
    role: Literal["named", "child"]
    parent: str | None
    announced_line: int | None
    was_active: bool | None
    outcome: Outcome
    certified_by: Literal["marker", "response"] | None
    marker: Marker | None
    updates: Updates
    timing: Timing
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Resume:
    """One `session/resume` or `session/load` request. `request_id` is the id as it was recorded."""

    trace: str
    connection: int
    request_id: object
    method: str
    session_id: str | None
    replaying: bool
    replay_from: str | None
    ambiguous: bool
    request: Moment
    response: Response | None
    end: End
    sessions: list[Session]
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Evidence:
    """A line that a finding rests on, and what stands there."""

    line: int
    what: str
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Finding:
    """What a rule found. `fingerprint` is the same in another recording of the same fault."""

    rule: str
    name: str
    severity: SeverityName
    party: Party
    message: str
    trace: str | None
    line: int | None
    last_line: int | None
    count: int
    connection: int | None
    request_id: object
    side: Side | None
    session_id: str | None
    evidence: list[Evidence]
    fingerprint: str
    known: bool
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Distribution:
    """Nearest-rank percentiles of n values; None where n is too small for one."""

    n: int
    min: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    max: float | None
    mean: float | None
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Summary:
    """Counts over everything, and the distribution of each timing over the named sessions of replaying requests."""

    resumes: int
    outcomes: dict[str, int]
    findings: dict[str, int]
    timing: dict[str, Distribution]
    quiet_timer: list[object]
    quiet_timer_needed_s: float | None
    groups: list[object]
    __slots__ = tuple(__annotations__)


@dataclass(eq=False, repr=False, match_args=False)
class Report:
    """Everything that was found in the inputs of one run."""

    schema_version: int
    tool: Tool
    traces: list[Trace]
    resumes: list[Resume]
    findings: list[Finding]
    summary: Summary
    __slots__ = tuple(__annotations__)
