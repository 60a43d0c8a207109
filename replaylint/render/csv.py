"""`csv`: a session of a resume a row; with `--statistics` all resumes together, or a group of them, a row.

Durations are in seconds, lines 1-based; what is not known is empty. No text is a formula for a spreadsheet, also where
that takes semicolons for the ends of cells.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Final

from orjson import dumps

from replaylint.render.escape import printable
from replaylint.replay.outcome import OUTCOMES
from replaylint.replay.timing import FIGURES
from replaylint.report.connections import Connections, name_of
from replaylint.report.findings import SEVERITIES
from replaylint.report.subjects import by_subject
from replaylint.report.unmeasured import REASONS
from replaylint.statistics.timers import TIMERS_S

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Connection, Report, Resume, Session, Statistics, Summary

    Cell = str | float | bool | None

FORMULA: Final = tuple(
    "=+-@\N{FULLWIDTH EQUALS SIGN}\N{FULLWIDTH PLUS SIGN}\N{FULLWIDTH HYPHEN-MINUS}\N{FULLWIDTH COMMERCIAL AT}"
)
"""How a formula begins in a spreadsheet, also after blanks; an apostrophe before it makes it a text:
https://owasp.org/www-community/attacks/CSV_Injection"""

# With a comma as decimal sign, spreadsheets expect semicolons between cells.
_NEXT_CELL: Final = re.compile(rf""";(?=[\s"]*[{re.escape("".join(FORMULA))}])""")

DISTRIBUTION: Final = ("n", "min", "p50", "p90", "p95", "p99", "max", "mean")


SESSION: Final = (
    *("trace", "connection", "protocol_version", "agent", "client", "request_line", "request_id", "method"),
    *("session_id", "role", "parent", "replaying", "replay_from", "ambiguous", "end", "error_code", "response_line"),
    *("outcome", "certified_by", "marker", "marker_line", "history", "live", "other", "bytes", "replay_end"),
    *FIGURES,
    *("unanswered_s", "findings"),
)
STATISTICS: Final = (
    *("group_by", "key", "resumes", "replays", *OUTCOMES, *SEVERITIES, "known", "resolution_s"),
    *(f"{figure.removesuffix('_s')}_{field}" for figure in FIGURES for field in DISTRIBUTION),
    *(f"unmeasured_{reason}" for reason in REASONS),
    "quiet_timer_n",
    *(
        f"quiet_timer_{timer:g}_{field}"
        for timer in TIMERS_S
        for field in ("false_ends", "late_n", "late_p50", "late_max")
    ),
    "quiet_timer_needed",
)


def render(report: Report, view: View) -> Iterator[str]:
    """A header, and the rows in report order."""
    if view.statistics:
        return _written(STATISTICS, _statistics(report.summary))
    return _written(SESSION, _sessions(report))


def _written(head: Iterable[str], rows: Iterable[Iterable[Cell]]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    for row in rows:
        writer.writerow(map(_cell, row))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        text = _NEXT_CELL.sub(r"\\x3b", printable(value))
        return f"'{text}" if text.lstrip().startswith(FORMULA) else text
    return dumps(value).decode()


# A session of a resume


def _sessions(report: Report) -> Iterator[list[Cell]]:
    connections, (of_resume, _) = Connections(report), by_subject(report)
    for number, resume in enumerate(report.resumes, 1):
        connection = connections.of(resume)
        rules: dict[str | None, list[str]] = {}
        for found in of_resume.get(number, ()):
            rules.setdefault(found.session_id, []).append(found.rule)
        for session in resume.sessions:
            yield [
                *_request(resume, connection),
                *_session(resume, session),
                " ".join(rules.get(session.session_id, ())),
            ]


def _request(resume: Resume, connection: Connection | None) -> Iterator[Cell]:
    yield from (resume.trace, resume.connection)
    if connection is None:
        yield from (None, None, None)
    else:
        yield from (connection.protocol_version, name_of(connection.agent), name_of(connection.client))
    ident = resume.request_id
    number = isinstance(ident, int | float) and not isinstance(ident, bool)
    yield from (resume.request.line, ident if number else dumps(ident).decode(), resume.method)  # type: ignore[misc]


def _session(resume: Resume, session: Session) -> Iterator[Cell]:
    response, marker, updates, timing = resume.response, session.marker, session.updates, session.timing
    yield from (session.session_id, session.role, session.parent)
    yield from (resume.replaying, resume.replay_from, resume.ambiguous, resume.end)
    yield response.error.code if response is not None and response.error is not None else None
    yield response.line if response is not None else None
    yield from (session.outcome, session.certified_by)
    yield from (None, None) if marker is None else (marker.kind, marker.line)
    yield from (updates.history, updates.live, updates.other, updates.bytes, timing.replay_end)
    yield from (getattr(timing, figure) for figure in FIGURES)
    yield resume.unanswered_s


# All resumes, or a group of them


def _statistics(summary: Summary) -> Iterator[list[Cell]]:
    if summary.group_by is None:
        yield [None, None, *_figures(summary)]
    for group in summary.groups:
        yield [summary.group_by, group.key, *_figures(group)]


def _figures(of: Statistics) -> Iterator[Cell]:
    yield from (of.resumes, of.replays)
    yield from (of.outcomes.get(each, 0) for each in OUTCOMES)
    yield from (of.findings.get(each, 0) for each in SEVERITIES)
    yield from (of.known, of.resolution_s)
    for figure in FIGURES:
        yield from (getattr(of.timing[figure], field) for field in DISTRIBUTION)
    yield from (of.unmeasured.get(each, 0) for each in REASONS)
    yield of.quiet_timer[0].n
    for timer in of.quiet_timer:
        yield from (timer.false_ends, timer.late_s.n, timer.late_s.p50, timer.late_s.max)
    yield of.quiet_timer_needed_s
