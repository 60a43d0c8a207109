"""Findings as `text` shows them: what happened, where, the lines that it rests on, and what to do.

Several of one rule with one advice are one block, which names the place of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.recording.message import AGENT, CLIENT
from replaylint.render.escape import printable, shortened
from replaylint.render.layout import columns, joined, line
from replaylint.render.phrases import MARKERS, arrows, counted, identifier
from replaylint.report.findings import SEVERITIES
from replaylint.rules.registry import REQUEST
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replaylint.recording.message import Side
    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Evidence, Finding, Resume

    Subjects = Mapping[int, tuple[int, Resume]]
    """By the `id` of a finding: the resume that it is on, and its number."""

MAX_PLACES: Final = 10
"""Places of a rule that are named unless everything is shown."""
MAX_ROW_CHARS: Final = 40
"""Of what stands on a line of evidence."""
ROW_COLUMNS: Final = 36
"""What a line of evidence has beside that, at most nearly always."""

SENDERS: Final[Mapping[str, Side]] = {
    **dict.fromkeys((REQUEST, "cancellation", "prompt"), CLIENT),
    **dict.fromkeys(("response", "marker", "vendor", "announcement"), AGENT),
}
"""Who sends what a line of evidence is."""


class _Row(NamedTuple):
    """A line of evidence. `own`: the finding stands there."""

    path: str | None
    line: int
    side: Side | None
    text: str
    since: float | None
    own: bool = False


def blocks(view: View, findings: Iterable[Finding], subjects: Subjects) -> Iterator[str]:
    """A block for each rule, the gravest first, what a baseline knows last; after each a blank line."""
    groups: dict[tuple[object, ...], list[Finding]] = {}
    for each in findings:
        rank = SEVERITIES.index(each.severity)
        groups.setdefault((each.known, rank, each.rule, each.party, each.help), []).append(each)
    for key in sorted(groups, key=lambda key: key[:3]):
        same = groups[key]
        if len(same) == 1:
            yield from _alone(view, same[0], subjects.get(id(same[0])))
        else:
            yield from _several(view, same, subjects)
        yield from _help(view, same[0])
        yield "\n"


def _head(finding: Finding) -> list[Piece | str]:
    """Its severity, code and name, and who has to mend it."""
    pieces: list[Piece | str] = [(finding.severity, f"{finding.severity}[{finding.rule}]")]
    pieces.append(f" {finding.name} ({finding.party}")
    return [*pieces, ", known from the baseline)" if finding.known else ")"]


def _headline(finding: Finding) -> str:
    return printable(finding.headline if finding.headline is not None else finding.message)


def _help(view: View, finding: Finding) -> Iterator[str]:
    advice = f"{printable(finding.help)} " if finding.help else ""
    yield line(view, 2, ("bold", "help"), f": {advice}", ("dim", f"({joined(f'replaylint explain {finding.rule}')})"))


def _alone(view: View, finding: Finding, subject: tuple[int, Resume] | None) -> Iterator[str]:
    yield line(view, 0, *_head(finding), f": {_headline(finding)}")
    if finding.trace is not None:
        yield line(view, 2, ("bold", _address(finding)), *_whose(finding, subject))
    rows = _rows(finding, None if subject is None else subject[1])
    if rows:
        yield from _evidence(view, rows)


def _several(view: View, same: Sequence[Finding], subjects: Subjects) -> Iterator[str]:
    """What they all say stands above their places; else each says its own."""
    headline = _headline(same[0])
    alike = all(_headline(each) == headline for each in same)
    times = joined(counted(len(same), "time"))
    yield line(view, 0, *_head(same[0]), f", {times}", f": {headline}" if alike else "")
    most = len(same) if view.everything or len(same) <= MAX_PLACES + 1 else MAX_PLACES
    for each in same[:most]:
        place: list[Piece | str] = [("bold", _address(each)), *_whose(each, subjects.get(id(each)))]
        yield line(view, 2, *place, "" if alike else f": {_headline(each)}")
    if most < len(same):
        yield line(view, 2, ("dim", f"{len(same) - most} more; --all shows them"))


def _address(finding: Finding) -> str:
    """As editors and terminals take it: `path:line`."""
    return printable(finding.trace or "-") + (f":{finding.line}" if finding.line is not None else "")


def _whose(finding: Finding, subject: tuple[int, Resume] | None) -> Iterator[str]:
    """The resume, and the session where that is another one."""
    if subject is not None:
        yield f", {joined(f'resume {subject[0]}')}"
    named = subject[1].sessions[0].session_id if subject is not None and subject[1].sessions else None
    if finding.session_id not in {None, named}:
        yield f", session {shortened(finding.session_id or '')}"


# Evidence


def _rows(finding: Finding, resume: Resume | None) -> list[_Row]:
    """The lines of evidence and the finding's own, in the order of the recording."""
    rows: dict[tuple[str | None, int], _Row] = {}
    for each in finding.evidence:
        path = getattr(each, "trace", None)
        rows[path, each.line] = _row(path, each, resume)
    if finding.line is not None and finding.trace is not None:
        own = rows.get((None, finding.line))
        if own is not None:
            rows[None, finding.line] = own._replace(own=True)
        elif rows or finding.method is not None:
            text = shortened(finding.method or "", MAX_ROW_CHARS)
            rows[None, finding.line] = _Row(None, finding.line, finding.author, text, finding.since_s, own=True)
    return sorted(rows.values(), key=lambda row: (row.path or "", row.line))


def _row(path: str | None, evidence: Evidence, resume: Resume | None) -> _Row:
    """What the resume says of this line, else only what it is to the finding."""
    what = shortened(evidence.what, MAX_ROW_CHARS)
    row = _Row(path, evidence.line, SENDERS.get(evidence.what), what, None)
    if resume is None or (path or resume.trace) != resume.trace:
        return row
    named = resume.sessions[0].timing if resume.sessions else None
    if evidence.line == resume.request.line:
        return row._replace(side=CLIENT, text=f"{resume.method} {identifier(resume.request_id)}", since=0.0)
    response = resume.response
    if response is not None and evidence.line == response.line:
        error = response.error
        end = "success" if error is None else "error" if error.code is None else f"error {error.code}"
        since = None if named is None else named.total_s
        return row._replace(side=AGENT, text=f"response {identifier(resume.request_id)}: {end}", since=since)
    for session in resume.sessions:
        if session.marker is not None and evidence.line == session.marker.line:
            since = session.timing.replay_s if session.timing.replay_end == "marker" else None
            return row._replace(side=AGENT, text=MARKERS[session.marker.kind], since=since)
    return row


def _evidence(view: View, rows: Sequence[_Row]) -> Iterator[str]:
    """A line each: its number, its direction, what it is, and when it came after the request."""
    ways = arrows(view)
    most = MAX_ROW_CHARS if view.width is None else max(10, min(MAX_ROW_CHARS, view.width - ROW_COLUMNS))
    texts = [shortened(row.text, most) if len(row.text) > most else row.text for row in rows]
    times = ["" if row.since is None else f"+{duration(row.since)}" if row.since else "0 ms" for row in rows]
    digits = max(6, *(len(str(row.line)) for row in rows))
    wide, late = max(map(columns, texts)), max(map(len, times))
    for row, text, time in zip(rows, texts, times, strict=True):
        mark = ("bold", ">" if row.own else " ")
        number = f"{row.line:>{digits}} {ways[row.side]} "
        moment = " " * (wide - columns(text) + 2) + time.rjust(late) if late else ""
        elsewhere = f"  {printable(row.path)}" if row.path is not None else ""
        style = "bold" if row.own else ""
        pieces: list[Piece] = [mark, ("dim", joined(number)), (style, joined(text)), ("", joined(moment + elsewhere))]
        yield line(view, 2, *pieces).rstrip() + "\n"
