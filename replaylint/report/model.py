"""The report, field by field as its JSON has it. Lines are 1-based, times seconds; None where not known.

A field may be added; none changes its meaning without a new SCHEMA_VERSION.
"""

# Annotations are no strings here: `dataclass` would search each of them.
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, TypeVar, dataclass_transform

from replaylint.protocol.direction import Directions
from replaylint.recording.clock import Timestamps
from replaylint.recording.message import Side
from replaylint.replay.outcome import Outcome
from replaylint.replay.window import End, MarkerKind
from replaylint.rules.registry import Party

SeverityName = Literal["error", "warning", "info"]

SCHEMA_VERSION: Final = 1

_Record = TypeVar("_Record")


@dataclass_transform(eq_default=False)
def record(cls: type[_Record]) -> type[_Record]:
    """Make this class a dataclass with slots, which it says itself: with `slots=True` it would be made twice.

    A dataclass compiles an `__init__` of its own. That is felt at start, so a class gets it only once it is used a lot.
    """
    made: Any = _dataclass(init=False)(cls)
    made.__init__ = _init
    return cls


_dataclass: Final = partial(dataclass, eq=False, repr=False, match_args=False)
_MANY: Final = 100
_made: Final[Counter[type]] = Counter()


def _init(self: Any, *values: object, **named: object) -> None:
    """What the compiled one does, for any class."""
    cls = type(self)
    names = cls.__dataclass_fields__
    given = dict(zip(names, values, strict=False)) | named
    if given.keys() != names.keys() or len(values) + len(named) != len(names):
        raise TypeError(f"{cls.__name__} takes {', '.join(names)}")
    for name, value in given.items():
        setattr(self, name, value)
    _made[cls] += 1
    if _made[cls] == _MANY:
        del cls.__init__
        _dataclass()(cls)


@record
class Tool:
    """What wrote the report."""

    name: str
    version: str
    __slots__ = tuple(__annotations__)


@record
class ReadError:
    """Why an input could not be read to its end, and at which line."""

    code: str
    message: str
    line: int | None
    __slots__ = tuple(__annotations__)


@record
class Peer:
    """The name and version that a side gave itself."""

    name: str | None
    version: str | None
    __slots__ = tuple(__annotations__)


@record
class Connection:
    """One connection of a recording."""

    connection: int
    protocol_version: int | None
    partial: bool
    ended: End
    client: Peer
    agent: Peer
    __slots__ = tuple(__annotations__)


@record
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


@record
class Moment:
    """A line and its time."""

    line: int
    time: float | None
    __slots__ = tuple(__annotations__)


@record
class ResponseError:
    """The error of a response."""

    code: int | None
    message: str | None
    __slots__ = tuple(__annotations__)


@record
class Response:
    """The response to a request; `error` is None for a success."""

    line: int
    time: float | None
    error: ResponseError | None
    __slots__ = tuple(__annotations__)


@record
class Marker:
    """The end-of-replay marker of a session."""

    kind: MarkerKind
    line: int
    time: float | None
    __slots__ = tuple(__annotations__)


@record
class Updates:
    """How many updates a session got in its window, how many bytes their lines have, and how many of each variant."""

    history: int
    live: int
    other: int
    bytes: int
    by_kind: dict[str, int]
    __slots__ = tuple(__annotations__)


@record
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


@record
class Session:
    """One session of a resume: the one that it names, or a child.

    `replay_end_line`: of the marker, or without one of the last history update, in the file of the request.
    """

    session_id: str
    role: Literal["named", "child"]
    parent: str | None
    announced_line: int | None
    was_active: bool | None
    outcome: Outcome
    certified_by: Literal["marker", "response"] | None
    marker: Marker | None
    replay_end_line: int | None
    updates: Updates
    timing: Timing
    __slots__ = tuple(__annotations__)


@record
class Resume:
    """One `session/resume` or `session/load` request. `request_id` is the id as it was recorded.

    `unanswered_s`: where no response came, how long the recording shows that.
    """

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
    unanswered_s: float | None
    sessions: list[Session]
    __slots__ = tuple(__annotations__)


@record
class Evidence:
    """A line that a finding rests on, and what stands there."""

    line: int
    what: str
    __slots__ = tuple(__annotations__)


@record
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


@record
class Distribution:
    """n values in seconds, with nearest-rank percentiles; None where n is too small for one.

    The histogram, of n that are enough for one: `counts[i]` values lie from `edges_s[i]` up to but not at
    `edges_s[i + 1]`.
    """

    n: int
    min: float | None
    p50: float | None
    p90: float | None
    p95: float | None
    p99: float | None
    max: float | None
    mean: float | None
    edges_s: list[float]
    counts: list[int]
    __slots__ = tuple(__annotations__)


@record
class Lateness:
    """How much later than the marker a timer would have fired in n replays, in seconds; negative: before it."""

    n: int
    p50: float | None
    max: float | None
    __slots__ = tuple(__annotations__)


@record
class QuietTimer:
    """A client that takes `timer_s` of silence for the end of the replay: `false_ends` of n replays end too early.

    `late_s` is about those others that have a marker.
    """

    timer_s: float
    false_ends: int
    n: int
    late_s: Lateness
    __slots__ = tuple(__annotations__)


@record
class Statistics:
    """Counts, and the distribution of each timing over the named sessions of replaying requests.

    `resolution_s` is that of the coarsest clock that measured one of them; `unmeasured` counts, by the reason, those
    whose response gap is not known. Every timer up to `quiet_timer_needed_s` is too short for one of them. `known`:
    how many of the findings are in the baseline.
    """

    resumes: int
    replays: int
    outcomes: dict[str, int]
    findings: dict[str, int]
    known: int
    timing: dict[str, Distribution]
    resolution_s: float | None
    unmeasured: dict[str, int]
    quiet_timer: list[QuietTimer]
    quiet_timer_needed_s: float | None
    __slots__ = tuple(__annotations__)


@record
class Group(Statistics):
    """What the resumes have in common that are counted here; None: that is not known."""

    key: str | None
    __slots__ = ("key",)


GroupBy = Literal["agent", "client", "file", "session"]


@record
class Summary(Statistics):
    """All resumes, and where groups were asked for each group of them."""

    group_by: GroupBy | None
    groups: list[Group]
    __slots__ = ("group_by", "groups")


@record
class BaselineEntry:
    """What a baseline knows of the findings with one fingerprint: how many, and how grave the gravest of them is."""

    fingerprint: str
    rule: str
    name: str
    severity: SeverityName
    party: Party
    count: int
    __slots__ = tuple(__annotations__)


@record
class Baseline:
    """The baseline, by the path of its file: how many findings are in it, and which of its entries occur no longer.

    Where an input could not be read to its end, nobody knows what occurs no longer.
    """

    path: str
    known: int
    gone: list[BaselineEntry]
    __slots__ = tuple(__annotations__)


@record
class Exemption:
    """An exception in the settings: what it is, how many findings it left out, and whether its date has passed.

    `version` and `ignore` are as the user wrote them; `until` is its last day, as 2027-03-01.
    """

    name: str
    version: str | None
    ignore: list[str]
    reason: str
    until: str | None
    findings: int
    expired: bool
    __slots__ = tuple(__annotations__)


@record
class Report:
    """Everything that was found in the inputs of one run.

    `passed_over`: how many files in folders are no recordings, and not among the traces.
    """

    schema_version: int
    tool: Tool
    traces: list[Trace]
    resumes: list[Resume]
    findings: list[Finding]
    summary: Summary
    passed_over: int
    baseline: Baseline | None
    exceptions: list[Exemption]
    __slots__ = tuple(__annotations__)
