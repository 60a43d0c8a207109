"""Findings as `text` shows them: what happened, where, the lines that it rests on, and what to do.

Several of one rule with one advice are one block, which names the place of each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.recording.message import AGENT, CLIENT
from replaylint.render.escape import printable, shortened
from replaylint.render.layout import columns, joined, line
from replaylint.render.phrases import MARKERS, address_of, arrows, counted, identifier
from replaylint.report.findings import SEVERITIES
from replaylint.rules.registry import REQUEST
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replaylint.recording.message import Side
    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Finding, Resume

    Subjects = Mapping[int, tuple[int, Resume]]
    """By the `id` of a finding: the resume that it is on, and its number."""

MAX_PLACES: Final = 10
"""Places of a rule that are named unless everything is shown."""
HERE: Final = "here"
"""What stands on the line of a finding on no message."""
MAX_ADVICE: Final = 3
"""Of different helps in a block."""
MIN_COMMON_WORDS: Final = 3
"""Which headlines share, for these to stand above their places."""
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


def blocks(view: View, findings: Iterable[Finding], subjects: Subjects, *, detailed: bool = True) -> Iterator[str]:
    """A block for each rule, the gravest first, what a baseline knows last; after each a blank line.

    `detailed`: there is room for the evidence of one that is alone.
    """
    groups: dict[tuple[bool, int, str, str], list[Finding]] = {}
    for each in findings:
        rank = SEVERITIES.index(each.severity)
        groups.setdefault((each.known, rank, each.rule, each.party), []).append(each)
    for key in sorted(groups, key=lambda key: key):
        same = groups[key]
        if len(same) == 1:
            yield from _alone(view, same[0], subjects.get(id(same[0])), detailed=detailed)
        else:
            yield from _several(view, same, subjects)
        yield from _help(view, same)
        yield "\n"


def _head(finding: Finding) -> list[Piece | str]:
    """Its severity, code and name, and who has to mend it."""
    pieces: list[Piece | str] = [(finding.severity, f"{finding.severity}[{finding.rule}]")]
    pieces.append(f" {finding.name} ({finding.party}")
    return [*pieces, ", known from the baseline)" if finding.known else ")"]


def _headline(finding: Finding) -> str:
    return printable(finding.headline if finding.headline is not None else finding.message)


def _help(view: View, same: Sequence[Finding]) -> Iterator[str]:
    """What to do, once; a last line names the command that says more."""
    more: Piece = ("dim", joined(f"(replaylint explain {same[0].rule})"))
    advice = list(dict.fromkeys(printable(each.help) for each in same if each.help))[:MAX_ADVICE]
    for each in advice[:-1]:
        yield line(view, 2, ("bold", "help"), f": {each}")
    yield line(view, 2, ("bold", "help"), ": ", f"{advice[-1]} " if advice else "", more)


def _alone(view: View, finding: Finding, subject: tuple[int, Resume] | None, *, detailed: bool) -> Iterator[str]:
    yield line(view, 0, *_head(finding), f": {_headline(finding)}")
    if finding.trace is not None:
        yield line(view, 2, ("bold", address_of(finding.trace, finding.line)), *_whose(finding, subject))
    rows = _rows(finding, None if subject is None else subject[1]) if detailed else []
    if rows:
        yield from _evidence(view, rows)


def _several(view: View, same: Sequence[Finding], subjects: Subjects) -> Iterator[str]:
    """What they all begin with stands above their places, and at each place how it goes on there."""
    headlines = [_headline(each) for each in same]
    begin = _common(headlines)
    rest = "" if all(each == begin for each in headlines) else " ..."
    yield line(view, 0, *_head(same[0]), f", {joined(counted(len(same), 'time'))}", f": {begin}{rest}" if begin else "")
    most = len(same) if view.everything or len(same) <= MAX_PLACES + 1 else MAX_PLACES
    for each, headline in list(zip(same, headlines, strict=True))[:most]:
        place: list[Piece | str] = [("bold", address_of(each.trace, each.line)), *_whose(each, subjects.get(id(each)))]
        own = headline.removeprefix(begin).strip()
        yield line(view, 2, *place, f": {own}" if own else "")
    if most < len(same):
        yield line(view, 2, ("dim", f"{len(same) - most} more; --all shows them"))


def _common(texts: Sequence[str]) -> str:
    """The words that all of these begin with; nothing where they are too few to mean anything."""
    words = [text.split(" ") for text in texts]
    same = 0
    for column in zip(*words, strict=False):
        if len(set(column)) > 1:
            break
        same += 1
    return " ".join(words[0][:same]) if same >= MIN_COMMON_WORDS else ""


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
        rows[path, each.line] = _row(path, each.line, each.what, resume)
    if finding.line is not None and finding.trace is not None and (rows or finding.method is not None):
        own = rows.get((None, finding.line)) or _row(None, finding.line, finding.method or HERE, resume)
        if own.since is None:
            own = own._replace(since=finding.since_s)
        if own.side is None:
            own = own._replace(side=finding.author)
        rows[None, finding.line] = own._replace(own=True)
        last = finding.last_line
        if last is not None and last > finding.line and (None, last) not in rows:
            rows[None, last] = _Row(None, last, own.side, f"the last of {finding.count}", None, own=True)
    return sorted(rows.values(), key=lambda row: (row.path or "", row.line))


def _row(path: str | None, number: int, what: str, resume: Resume | None) -> _Row:
    """What the resume says of this line, else only what it is to the finding."""
    row = _Row(path, number, SENDERS.get(what), shortened(what, MAX_ROW_CHARS), None)
    if resume is None or (path or resume.trace) != resume.trace:
        return row
    named = resume.sessions[0].timing if resume.sessions else None
    if number == resume.request.line:
        return row._replace(side=CLIENT, text=f"{resume.method} {identifier(resume.request_id)}", since=0.0)
    response = resume.response
    if response is not None and number == response.line:
        error = response.error
        end = "success" if error is None else "error" if error.code is None else f"error {error.code}"
        since = None if named is None else named.total_s
        return row._replace(side=AGENT, text=f"response {identifier(resume.request_id)}: {end}", since=since)
    for session in resume.sessions:
        if session.marker is not None and number == session.marker.line:
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
        pieces: list[Piece] = [("bold" if row.own else "", ">" if row.own else " ")]
        pieces.append(("dim", joined(f"{row.line:>{digits}} {ways[row.side]} ")))
        pieces.append(("bold" if row.own else "", joined(text)))
        if time:
            pieces.append(("", joined(" " * (wide - columns(text) + 2) + time.rjust(late))))
        if row.path is not None:
            pieces.append(("dim", joined(f"  {printable(row.path)}")))
        yield line(view, 2, *pieces)
