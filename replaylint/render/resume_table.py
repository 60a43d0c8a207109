"""Many resumes at a glance, a row each: those that failed and the slowest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.render.escape import printable, shortened
from replaylint.render.layout import line
from replaylint.render.phrases import FAILED, gap_style
from replaylint.render.table import NOTHING, table
from replaylint.report.connections import Connections, name_of
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Finding, Report, Resume

    Numbered = tuple[int, Resume]

MAX_ROWS: Final = 10
"""Resumes that are shown unless everything is."""

HEAD: Final = ("resume", "agent", "outcome", "history", "replay", "gap", "total", "findings")
TEXTS: Final = ("agent", "outcome", "findings")
DROPPED: Final = ("agent", "total", "history", "replay", "findings")
"""Columns that go where the terminal is too narrow, one after the other."""

MAX_RULES: Final = 3
"""Rules that are named in a row."""


def resume_table(
    view: View, report: Report, resumes: Mapping[int, Resume], found: Mapping[int, Sequence[Finding]]
) -> Iterator[str]:
    """The head, a row a resume, and how many are left out."""
    connections = Connections(report)
    ranked = sorted(resumes.items(), key=_rank)
    most = len(ranked) if view.everything or len(ranked) <= MAX_ROWS + 1 else MAX_ROWS
    rows: list[list[Piece | str]] = []
    for number, resume in ranked[:most]:
        connection = connections.of(resume)
        agent = name_of(connection.agent) if connection is not None else None
        place = f"{printable(resume.trace)}:{resume.request.line}"
        name = shortened(agent) if agent is not None else NOTHING
        rows.append([place, name, *_figures(resume), _rules(found.get(number, ()))])
    yield from table(view, 0, HEAD, rows, texts=TEXTS, dropped=DROPPED)
    if most < len(ranked):
        more = f"{len(ranked) - most} more; --all shows each, --resume N the N-th, --session ID those of a session"
        yield line(view, 0, ("dim", more))


def _rank(numbered: Numbered) -> tuple[bool, float, int]:
    """Failures after some history, then the slowest."""
    number, resume = numbered
    failed = any(session.outcome in FAILED and session.updates.history for session in resume.sessions)
    gap = resume.sessions[0].timing.response_gap_s if resume.sessions else None
    return not failed, -(gap or 0.0), number


def _figures(resume: Resume) -> list[Piece | str]:
    """Its outcome, how many updates were history, and the timings of the session that it names."""
    if not resume.sessions:
        return [NOTHING] * 5
    outcomes = [session.outcome for session in resume.sessions]
    outcome = next((each for each in outcomes if each in FAILED), outcomes[0])
    timing = resume.sessions[0].timing
    return [
        ("warning" if outcome in FAILED else "", outcome),
        str(sum(session.updates.history for session in resume.sessions)),
        _duration(timing.replay_s),
        (gap_style(timing.response_gap_s), _duration(timing.response_gap_s)),
        _duration(timing.total_s),
    ]


def _duration(seconds: float | None) -> str:
    return NOTHING if seconds is None else duration(seconds)


def _rules(found: Sequence[Finding]) -> Piece | str:
    """The rules of its errors and warnings, the gravest first; how many more."""
    graver = [each for each in found if each.severity != "info" and not each.known]
    codes = list(dict.fromkeys(each.rule for each in sorted(graver, key=lambda each: each.severity)))
    if not codes:
        return NOTHING
    style = "error" if any(each.severity == "error" for each in graver) else "warning"
    more = f" +{len(codes) - MAX_RULES}" if len(codes) > MAX_RULES else ""
    return style, shortened(" ".join(codes[:MAX_RULES]) + more)
