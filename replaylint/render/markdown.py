"""`markdown`: for the summary of a CI step and for pasting into an issue; it quotes the evidence redacted.

What GitHub would make a link, a mention or a picture is written as code, where it is left alone:
https://github.github.com/gfm/ says what is Markdown there, and
https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls
what else is linked. Sessions have numbers instead of ids. Findings that are known from a baseline or left out by
an exception are counted, not shown.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Final

from replaylint.recording.message import AGENT, CLIENT
from replaylint.render.escape import clipped, printable
from replaylint.render.phrases import counted, figures, fixer, graded, resumed, unread
from replaylint.render.rulebook import prose, unlinked
from replaylint.render.selection import Shown
from replaylint.render.suppressions import MAX_NAMED, counting, named, no_longer, of_exception, of_settings
from replaylint.render.view import View
from replaylint.report.budgets import outcome
from replaylint.report.connections import Connections, name_of
from replaylint.report.findings import SEVERITIES, new
from replaylint.rules import all_rules
from replaylint.rules.words import duration
from replaylint.views.redaction import Redactor
from replaylint.views.rulebook import entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from replaylint.report.model import Connection, Finding, Report, Resume, Trace
    from replaylint.rules.explanation import Explanation
    from replaylint.views.quotes import Place, Quote

MAX_CHARS: Final = 60_000
"""Characters. The text of an issue has at most 65,536, the summary of a step 1 MiB."""
MAX_HEAD_CHARS: Final = 20_000
"""The part of these for the tables: what does not fit is counted."""
MAX_BUDGETS: Final = 10
MAX_REST_CHARS: Final = 200
"""Of the line that says what did not fit."""
MAX_QUOTED: Final = 100
"""Findings whose evidence is quoted."""
MAX_EVIDENCE_LINES: Final = 8
"""For one finding."""

MAX_NAME_CHARS: Final = 100
MAX_REMARK_CHARS: Final = 300
MAX_SENTENCE_CHARS: Final = 1000
MAX_QUOTE_CHARS: Final = 2000
"""Of one text; a longer one is cut."""

ARROWS: Final = {CLIENT: "\N{RIGHTWARDS ARROW} ", AGENT: "\N{LEFTWARDS ARROW} ", None: ""}


def render(report: Report, view: View) -> Iterator[str]:
    """A head, tables of recordings and resumes, and the findings by rule, the most severe first."""
    redactor = Redactor(report)
    head = _title(report)
    if not view.quiet:
        head += f"\n{_totals(report)}\n{''.join(_budgets(report))}" + _tables(report, redactor)
    suppressed = "".join(_suppressions(report))
    yield head
    yield from _findings(report, view, redactor, MAX_CHARS - len(head) - len(suppressed))
    yield suppressed


# The head


def _title(report: Report) -> str:
    named = [graded(count, severity) for severity, count in new(report.findings).items()]
    missing = unread(sum(trace.error is not None for trace in report.traces))
    return f"## {report.tool.name} {report.tool.version}: {', '.join(filter(None, [*named, missing]))}\n"


def _totals(report: Report) -> str:
    summary = report.summary
    text = resumed(summary.resumes, summary.outcomes)
    gaps = summary.timing.get("response_gap_s")
    if gaps is not None and gaps.n:
        text += f"; response gap over {counted(gaps.n, 'replay')}: {', '.join(figures(gaps))}"
    return prose(f"{text}.")


def _budgets(report: Report) -> Iterator[str]:
    for each in report.budgets[:MAX_BUDGETS]:
        yield f"\nBudget {_prose(clipped(each.budget, MAX_NAME_CHARS))}: {prose(outcome(each))}.\n"
    if len(report.budgets) > MAX_BUDGETS:
        yield f"\n{counted(len(report.budgets) - MAX_BUDGETS, 'more budget')} would not fit.\n"


def _tables(report: Report, redactor: Redactor) -> str:
    shown = Shown(report, View())
    traces = {trace.path: trace for trace in report.traces}
    kept, paths = shown.folded()
    recordings = [row for path in paths for row in _recording(traces[path])]
    text = _table(
        ("recording", "format", "protocol", "agent", "client"),
        recordings,
        len(shown.traces) - len(paths),
        "recording",
        MAX_HEAD_CHARS // 2,
    )
    connections = Connections(report)
    resumes = [row for number, each in kept.items() for row in _resume(number, each, connections.of(each), redactor)]
    head = ("resume", "request", "session", "outcome", "replay", "response gap")
    return text + _table(head, resumes, len(shown.resumes) - len(kept), "resume", MAX_HEAD_CHARS - len(text))


def _table(head: Sequence[str], rows: Sequence[str], folded: int, noun: str, room: int) -> str:
    """A table with as many rows as there is room for, and a line for what is not shown."""
    if not rows and not folded:
        return ""
    text = f"\n| {' | '.join(head)} |\n|{'---|' * len(head)}\n"
    for number, row in enumerate(rows):
        if len(text) + len(row) > room:
            return f"{text}\n{counted(len(rows) - number, 'more row')} would not fit.\n" + _folded(folded, noun)
        text += row
    return text + _folded(folded, noun)


def _folded(number: int, noun: str) -> str:
    return f"\nNot shown: {counted(number, noun)} without errors and warnings.\n" if number else ""


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |\n"


def _recording(trace: Trace) -> Iterator[str]:
    """A row for each kind of connection."""
    path = _cell(trace.path)
    if trace.format is None:
        yield _row(path, _unread(trace), "", "", "")
        return
    form = f"{trace.format}, {counted(trace.lines, 'line')}"
    if trace.error is not None:
        form += f", {_unread(trace)}"
    facts = dict.fromkeys(
        (each.protocol_version, name_of(each.agent), name_of(each.client)) for each in trace.connections
    )
    for version, agent, client in facts or {(None, None, None): None}:
        yield _row(path, form, f"v{version}" if version else "unknown", _peer(agent), _peer(client))


def _unread(trace: Trace) -> str:
    """The message of the error may hold a part of the recording."""
    if trace.error is None:
        return "not read"
    return f"{'not read' if trace.format is None else 'not read to its end'}: {_cell(trace.error.code)}"


def _peer(name: str | None) -> str:
    return "unknown" if name is None else _cell(name)


def _resume(number: int, resume: Resume, connection: Connection | None, redactor: Redactor) -> Iterator[str]:
    """A row for each session."""
    version = f" (v{connection.protocol_version})" if connection is not None and connection.protocol_version else ""
    request = f"{resume.method} at {_cell(f'{clipped(resume.trace, MAX_NAME_CHARS)}:{resume.request.line}')}{version}"
    for session in resume.sessions:
        timing = session.timing
        yield _row(
            str(number),
            request,
            redactor.name("session", session.session_id) + (" (child)" if session.role == "child" else ""),
            _outcome(resume, session.outcome),
            "" if timing.replay_s is None else duration(timing.replay_s),
            "" if timing.response_gap_s is None else duration(timing.response_gap_s),
        )


def _outcome(resume: Resume, outcome: str) -> str:
    error = resume.response.error if resume.response is not None else None
    return outcome if error is None or error.code is None else f"{outcome} (error {error.code})"


# Findings


def _findings(report: Report, view: View, redactor: Redactor, room: int) -> Iterator[str]:
    """As many findings as there is room for; a last line says how many more there are."""
    new = sorted((each for each in report.findings if not each.known), key=lambda each: SEVERITIES.index(each.severity))
    shown = new[:MAX_QUOTED]
    places = dict.fromkeys(place for each in shown for place in _places(each))
    quotes = view.quotes(report, redactor, places) if view.quotes is not None else {}
    occurring = {each.rule for each in shown}
    rules = {entry.rule.code: entry.explanation for entry in entries(r for r in all_rules() if r.code in occurring)}
    left = list(new)
    by_rule = sorted(shown, key=lambda each: (SEVERITIES.index(each.severity), each.rule))
    first = report.traces[0].path if report.traces else "-"
    for (severity, rule, name), found in groupby(by_rule, lambda each: (each.severity, each.rule, each.name)):
        begin = f"\n### {severity} {rule} {name}\n" + _promise(rules.get(rule))
        for finding in found:
            text = begin + _finding(finding, first, redactor, quotes)
            room -= len(text)
            if room < MAX_REST_CHARS:
                yield from _rest(left)
                return
            yield text
            left.remove(finding)
            begin = ""
    yield from _rest(left)


def _rest(left: Sequence[Finding]) -> Iterator[str]:
    if left:
        counts = Counter(each.severity for each in left)
        graded_counts = ", ".join(graded(counts[each], each) for each in SEVERITIES if counts[each])
        yield f"\n{counted(len(left), 'more finding')} ({graded_counts}) would not fit; other formats list them all.\n"


def _suppressions(report: Report) -> Iterator[str]:
    """What is suppressed, and which of the baseline's entries are gone."""
    if report.settings is not None:
        yield f"\nSettings {_prose(clipped(of_settings(report.settings), MAX_SENTENCE_CHARS))}.\n"
    known = sum(each.known for each in report.findings)
    if known:
        yield f"\nNot shown: {counted(known, 'finding')} known from the baseline.\n"
    baseline = report.baseline
    if baseline is not None and baseline.gone:
        yield f"\nOf the baseline, {no_longer(baseline)}: {_prose(clipped(named(baseline), MAX_REMARK_CHARS))}.\n"
    exceptions = counting(report)
    for each in exceptions[:MAX_NAMED]:
        yield f"\nException {_prose(clipped(of_exception(each), MAX_REMARK_CHARS))}.\n"
    if len(exceptions) > MAX_NAMED:
        yield f"\n{counted(len(exceptions) - MAX_NAMED, 'more exception')} left out findings.\n"


def _promise(rule: Explanation | None) -> str:
    """What the specification says, and where."""
    if rule is None or not rule.promise:
        return ""
    source = f"\n\nSource: {unlinked(rule.source)}" if rule.source else ""
    return f"\n**Promise.** {prose(_sentence(' '.join(rule.promise.split())))}{source}\n"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _finding(finding: Finding, first: str, redactor: Redactor, quotes: Mapping[Place, Quote]) -> str:
    """What was found; `first` is the first recording, for a finding on all of them."""
    path = clipped(finding.trace or first, MAX_NAME_CHARS)
    where = [_code(path + (f":{finding.line}" if finding.line is not None else ""))]
    if finding.session_id is not None:
        where.append(redactor.name("session", finding.session_id))
    if finding.count > 1:
        where.append(counted(finding.count, "time"))
    fixed = f"To be fixed {fixer(finding.party)}."
    sentence = _prose(clipped(finding.message, MAX_SENTENCE_CHARS))
    text = f"\n**{finding.severity.capitalize()}** at {', '.join(where)}: {sentence}. {fixed}\n"
    evidence = list(_evidence(finding, quotes))
    return text + (f"\n{_block(evidence)}\n" if evidence else "")


def _places(finding: Finding) -> Iterator[Place]:
    yield from ((path, line) for path, line, _ in _lines(finding))


def _lines(finding: Finding) -> list[tuple[str, int, str]]:
    """The lines that a finding rests on, and what is on them."""
    path = finding.trace or ""
    lines: dict[Place, list[str]] = {}
    for line in (finding.line, finding.last_line):
        if line is not None and finding.trace is not None:
            lines.setdefault((path, line), [])
    for each in finding.evidence:
        lines.setdefault((getattr(each, "trace", path), each.line), []).append(each.what)
    rows = [(where, line, ", ".join(whats)) for (where, line), whats in lines.items()]
    own = [row for row in rows if row[0] == path]
    return (sorted(own, key=lambda row: row[1]) + [row for row in rows if row[0] != path])[:MAX_EVIDENCE_LINES]


def _evidence(finding: Finding, quotes: Mapping[Place, Quote]) -> Iterator[str]:
    rows = [(path, line, what) for path, line, what in _lines(finding) if (path, line) in quotes]
    for path, line, what in rows:
        quote = quotes[path, line]
        head = f"line {line}" + ("" if path == finding.trace else f" of {clipped(path, MAX_NAME_CHARS)}")
        head += f" ({clipped(what, MAX_NAME_CHARS)})" if what else ""
        if quote.text is None:
            yield printable(f"{head}: not quoted, {quote.why_not}")
        else:
            yield f"{printable(head)}: {ARROWS[quote.side]}{clipped(quote.text, MAX_QUOTE_CHARS)}"


# Text of a recording


def _code(text: str) -> str:
    """As code, in which nothing is interpreted."""
    return _span(printable(text))


def _span(shown: str) -> str:
    if not shown.strip(" "):
        return "(empty)"
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    padded = shown[0] in "` " or shown[-1] in "` "
    return f"{fence} {shown} {fence}" if padded else f"{fence}{shown}{fence}"


def _cell(text: str) -> str:
    """As code in a table: a bar ends a cell even in code."""
    return _code(clipped(text, MAX_NAME_CHARS).replace("|", r"\x7c"))


def _block(lines: Iterable[str]) -> str:
    """As a block of code, a line for each."""
    text = "\n".join(lines)
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{fence}text\n{text}\n{fence}"


PLAIN: Final = re.compile(r"""[("']?-?[^\W_]+(?:[-'./][^\W_]+)*[)"']*[.,;:!?]?[)"']*""")
AROUND: Final = r"""^([("']*)(.*?(?:\([^()]*\))?)([)"'.,;:!?]*)$"""
"""A word that is code, and the punctuation around it; brackets in it, as in max(total), are its own."""
LINKED: Final = re.compile(r"(?i)www\.|[0-9a-f]{7}|[a-z]+-[0-9]")
"""What looks like a word but would be linked: addresses, commits, GH-1 and references to other trackers."""


def _prose(text: str) -> str:
    """A sentence: words as they are, everything else as code."""
    return " ".join(map(_word, re.findall("[^ ]+", printable(text))))


def _word(word: str) -> str:
    if PLAIN.fullmatch(word) and not LINKED.search(word):
        return word
    before, inner, after = re.findall(AROUND, word)[0]
    return f"{before}{_span(inner)}{after}" if inner else _span(word)
