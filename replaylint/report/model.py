"""The report, field by field as its JSON has it. Lines are 1-based, times seconds; None where not known.

A field may be added; none changes its meaning without a new SCHEMA_VERSION.
"""

# `saved` builds records as these annotations say: they are types here, no strings.
from dataclasses import dataclass
from typing import Final, Literal

from replaylint.protocol.direction import Directions
from replaylint.recording.clock import Timestamps
from replaylint.recording.message import Side
from replaylint.replay.outcome import Outcome
from replaylint.replay.window import End, MarkerKind
from replaylint.rules.registry import Party

SeverityName = Literal["error", "warning", "info"]

SCHEMA_VERSION: Final = 1


@dataclass(slots=True)
class Tool:
    """What wrote the report."""

    name: str
    version: str


@dataclass(slots=True)
class ReadError:
    """Why an input could not be read to its end, and at which line."""

    code: str
    message: str
    line: int | None


@dataclass(slots=True)
class Peer:
    """The name and version that a side gave of itself."""

    name: str | None
    version: str | None


@dataclass(slots=True)
class Connection:
    """One connection of a recording."""

    connection: int
    protocol_version: int | None
    partial: bool
    ended: End
    client: Peer
    agent: Peer


@dataclass(slots=True)
class Trace:
    """One input. `format` is None where it was not recognised. `left_out`: messages of other hops than the client's.

    `longest_message_bytes`: as it stands there, with what the recorder writes beside it; None in reports of before.
    """

    path: str
    format: str | None
    lines: int
    messages: int
    bytes: int
    longest_message_bytes: int | None
    timestamps: Timestamps
    resolution_s: float | None
    directions: Directions
    order: Literal["exact", "approximate", "per_side"]
    lost: int
    left_out: int
    malformed: int
    malformed_line: int | None
    error: ReadError | None
    connections: list[Connection]


@dataclass(slots=True)
class Moment:
    """A line and its time."""

    line: int
    time: float | None


@dataclass(slots=True)
class ResponseError:
    """The error of a response. `data` is the JSON of its data, cut where that is long."""

    code: int | None
    message: str | None
    data: str | None


@dataclass(slots=True)
class Response:
    """The response to a request; `error` is None for a success."""

    line: int
    time: float | None
    error: ResponseError | None


@dataclass(slots=True)
class Marker:
    """The end-of-replay marker of a session."""

    kind: MarkerKind
    line: int
    time: float | None


@dataclass(slots=True)
class Updates:
    """How many updates a session got in its window, how many bytes their lines have, and how many of each variant."""

    history: int
    live: int
    other: int
    bytes: int
    by_kind: dict[str, int]


@dataclass(slots=True)
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


@dataclass(slots=True)
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


@dataclass(slots=True)
class Resume:
    """One `session/resume` or `session/load` request. `request_id` is the id as it was recorded.

    `unanswered_s`: where there is no response, for how long the recording goes on without one.
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


@dataclass(slots=True)
class Evidence:
    """A line that a finding rests on, and what is on it."""

    line: int
    what: str


@dataclass(slots=True)
class Finding:
    """What a rule found. `fingerprint` is the same in another recording of the same fault.

    `message` is `headline` and `help` in one sentence: what happened, and what is promised or to be done. These two are
    None in reports of before. `method` is that of the message at `line`, or the variant of an update, and of a response
    the method of its request; `author` sent it, `since_s` after the request that the finding concerns.
    """

    rule: str
    name: str
    severity: SeverityName
    party: Party
    message: str
    headline: str | None
    help: str | None
    trace: str | None
    line: int | None
    last_line: int | None
    count: int
    connection: int | None
    request_id: object
    side: Side | None
    session_id: str | None
    evidence: list[Evidence]
    method: str | None
    author: Side | None
    since_s: float | None
    fingerprint: str
    known: bool


@dataclass(slots=True)
class Distribution:
    """n values in seconds, with nearest-rank percentiles; None where n is too small for one.

    The histogram is empty where n is too small for one: `counts[i]` values are at least `edges_s[i]` and less than
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


@dataclass(slots=True)
class Lateness:
    """How much later than the marker a timer would have fired in n replays, in seconds; negative: before it."""

    n: int
    p50: float | None
    max: float | None


@dataclass(slots=True)
class QuietTimer:
    """A client that takes `timer_s` of silence for the end of the replay: `false_ends` of n replays end too early.

    `late_s` is about the others that have a marker.
    """

    timer_s: float
    false_ends: int
    n: int
    late_s: Lateness


@dataclass(slots=True)
class Worst:
    """The longest response gap, and the resume that has it; `line` is its request's."""

    trace: str
    line: int
    session_id: str
    response_gap_s: float


@dataclass(slots=True)
class Statistics:
    """Counts, and the distribution of each timing over the named sessions of replaying requests.

    `resolution_s`: of the coarsest clock that measured one of them. `unmeasured`: how many have no response gap, by the
    reason. `quiet_timer_needed_s`: any timer up to this is too short for one of them. `known`: how many of the findings
    are in the baseline.
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
    worst: Worst | None


@dataclass(slots=True)
class Group(Statistics):
    """The resumes with this key in common; None: it is not known."""

    key: str | None


GroupBy = Literal["agent", "client", "file", "session"]


@dataclass(slots=True)
class Summary(Statistics):
    """All resumes, and each group of them where groups were asked for, that with the longest response gap first."""

    group_by: GroupBy | None
    groups: list[Group]


@dataclass(slots=True)
class BaselineEntry:
    """The findings with one fingerprint in a baseline: how many there are, and the highest severity among them."""

    fingerprint: str
    rule: str
    name: str
    severity: SeverityName
    party: Party
    count: int


@dataclass(slots=True)
class Baseline:
    """The baseline: its file, how many findings are known from it, and which of its entries occur no longer (`gone`).

    `gone` is empty where an input could not be read to its end.
    """

    path: str
    known: int
    gone: list[BaselineEntry]


@dataclass(slots=True)
class Exemption:
    """An exception in the settings: how many findings it left out, and whether its date has passed.

    `version` and `ignore` are as the user wrote them; `until` is its last day, such as 2027-03-01.
    """

    name: str
    version: str | None
    ignore: list[str]
    reason: str
    until: str | None
    findings: int
    expired: bool


@dataclass(slots=True)
class PassedOver:
    """A file in a folder or an archive that is no recording, and why not."""

    path: str
    error: ReadError


@dataclass(slots=True)
class SettingsUsed:
    """What a settings file may have taken away: the options in force that can, as it has them, and its exceptions.

    `options`: the values by the option's key. `exceptions`: how many there are, whether or not they left anything out.
    """

    path: str
    options: dict[str, list[str]]
    exceptions: int


@dataclass(slots=True)
class BudgetResult:
    """What became of a budget for all replays together: the value of its statistic over n of them, in seconds.

    Of a percentile, `at_least_s` and `at_most_s` are bounds for what many more replays like these would show: each
    holds with 95 %. They are None where n is too small for one; the upper one `needs` so many values.
    """

    budget: str
    verdict: Literal["kept", "exceeded", "not_judged"]
    value_s: float | None
    n: int
    at_least_s: float | None
    at_most_s: float | None
    needs: int | None


@dataclass(slots=True)
class Report:
    """Everything that was found in the inputs of one run.

    `passed_over`: how many files in folders and archives are not recordings, and so not among the traces; these are the
    `passed_over_files`. `settings`: None where no settings file may have taken anything away.
    """

    schema_version: int
    tool: Tool
    traces: list[Trace]
    resumes: list[Resume]
    findings: list[Finding]
    summary: Summary
    passed_over: int
    passed_over_files: list[PassedOver]
    baseline: Baseline | None
    exceptions: list[Exemption]
    settings: SettingsUsed | None
    budgets: list[BudgetResult]
