"""What the rules are: pages and a list for people, Markdown, and JSON for programs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Literal

from orjson import OPT_INDENT_2, dumps

from replaylint.render.escape import printable
from replaylint.render.layout import beside, joined, line
from replaylint.render.phrases import either, fixer
from replaylint.report.findings import named
from replaylint.rules import all_rules
from replaylint.rules.explanation import ARROW, DIRECTIONS
from replaylint.rules.registry import Severity

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replaylint.render.layout import Piece
    from replaylint.render.view import View
    from replaylint.report.model import Finding
    from replaylint.rules.explanation import Explanation
    from replaylint.rules.registry import Rule
    from replaylint.views.rulebook import Entry

Form = Literal["text", "json", "markdown"]

MAX_COLUMNS: Final = 100
"""Prose takes no more columns, however wide the terminal is."""

HERE: Final = joined("  <-- here")
"""After a line that a finding points to."""

INSTEAD: Final = {"\N{RIGHTWARDS ARROW}": "->", "\N{LEFTWARDS ARROW}": "<-", "\N{HORIZONTAL ELLIPSIS}": "..."}
"""Replacements for an output that shows only ASCII."""

MEANING: Final = "What it means"
PROMISE: Final = "What the protocol requires"
EXAMPLE: Final = "Example"
FIX: Final = "How to fix it"
SILENT: Final = "When it is silent"


# For people


def pages(view: View, entries: Sequence[Entry]) -> Iterator[str]:
    """Everything about these rules, a page each."""
    if view.width is not None:
        view = view._replace(width=min(view.width, MAX_COLUMNS))
    for number, entry in enumerate(entries):
        yield "\n" if number else ""
        for text in _page(view, entry):
            yield text if view.unicode else _ascii(text)


def listing(view: View, entries: Sequence[Entry]) -> Iterator[str]:
    """These rules, a line each; on a terminal what they find is in one column."""
    room = max((len(_title(each.rule)) for each in entries), default=0) + 2
    for rule, text, _ in entries:
        head = ("bold", _title(rule))
        what = text.summary.removesuffix(".")
        facts = ("dim", f" ({'; '.join(filter(None, (_severities(rule), _party(rule))))})")
        if view.width is None:
            yield line(view, 0, head, f": {what}", facts)
        else:
            yield beside(view, 0, head, room, what, facts)


def _page(view: View, entry: Entry) -> Iterator[str]:
    rule, text, _ = entry
    yield line(view, 0, ("bold", _title(rule)), f": {_facts(rule)}")
    yield line(view, 0, text.summary, hang=0)
    yield from _sections(view, _theory(text))
    if text.example:
        yield "\n" + line(view, 0, ("bold", EXAMPLE))
        yield from _example(view, entry)
    yield from _sections(view, _practice(rule, text))


def _sections(view: View, parts: Sequence[tuple[str, list[str]]]) -> Iterator[str]:
    for heading, paragraphs in parts:
        if paragraphs:
            yield "\n" + line(view, 0, ("bold", heading))
            yield "\n".join(line(view, 2, paragraph, hang=0) for paragraph in paragraphs)


def _example(view: View, entry: Entry) -> Iterator[str]:
    """The lines of the example, numbered, and below those that a finding points to its message."""
    lines = entry.explanation.example.split("\n")
    room = len(str(len(lines))) + 2
    for number, text in enumerate(lines, 1):
        found = [each for each in entry.findings if each.line == number]
        mark: list[Piece | str] = [" ", (found[0].severity, HERE)] if found else []
        yield beside(view, 2, ("dim", str(number)), room, _breakable(text), *mark)
        yield from _sentences(view, room, found)
    yield from _sentences(view, room, [each for each in entry.findings if each.line is None])


def _sentences(view: View, room: int, findings: Sequence[Finding]) -> Iterator[str]:
    for finding in findings:
        yield line(view, 2 + room, (finding.severity, finding.severity), f": {printable(finding.message)}")


def _breakable(text: str) -> str:
    """A line of an example, to be broken only between the members of its JSON."""
    arrow, body = (text[:ARROW], text[ARROW:]) if text[:ARROW] in DIRECTIONS else ("", text)
    if not arrow and not body.startswith(("{", "[")):
        return joined(text)
    return joined(arrow) + re.sub(r'("(?:[^"\\]|\\.)*")|,\s*', lambda token: joined(token[1] or "") or ", ", body)


def _ascii(text: str) -> str:
    for sign, instead in INSTEAD.items():
        text = text.replace(sign, instead)
    return text


# Markdown


def document(entries: Sequence[Entry]) -> Iterator[str]:
    """A page about these rules: a table with links, and a section for each."""
    yield "# Rules\n\n"
    yield from table(entries, linked=True)
    yield "\n"
    yield from sections(entries)


def table(entries: Sequence[Entry], *, linked: bool = False) -> Iterator[str]:
    """A line for each of these rules. `linked`: to its section in the same document."""
    yield "| rule | severity | what it finds | who has to fix it |\n|---|---|---|---|\n"
    for rule, text, _ in entries:
        title = f"`{rule.code}` {rule.name}"
        cells = (
            f"[{title}](#{rule.code.lower()}-{rule.name})" if linked else title,
            _severities(rule),
            prose(text.summary.removesuffix(".")).replace("|", r"\|"),
            _party(rule),
        )
        yield f"| {' | '.join(cells)} |\n"


def sections(entries: Sequence[Entry]) -> Iterator[str]:
    """Everything about these rules, a section each."""
    for number, (rule, text, findings) in enumerate(entries):
        paragraphs = [f"## {_title(rule)}", prose(text.summary), f"{_facts(rule).capitalize()}."]
        paragraphs += _subsections(_theory(text))
        if text.example:
            fence = max(["``", *re.findall("`+", text.example)], key=len) + "`"
            paragraphs += [f"**{EXAMPLE}.**", f"{fence}\n{text.example}\n{fence}"]
            for finding in findings:
                at = f"Line {finding.line}" if finding.line is not None else "The recording"
                paragraphs.append(f"{at}, {finding.severity}: {prose(printable(finding.message))}.")
        paragraphs += _subsections(_practice(rule, text))
        yield ("\n" if number else "") + "\n\n".join(paragraphs) + "\n"


def _subsections(parts: Sequence[tuple[str, list[str]]]) -> Iterator[str]:
    for heading, paragraphs in parts:
        bold = f"**{heading}.** "
        for paragraph in paragraphs:
            yield bold + prose(paragraph)
            bold = ""


_MARKUP: Final = (
    r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)"  # code stays as it is
    r"|(https?://[^\s<>`]*[^\s<>`.,;:!?)])"
    r"|(^[-+=]|^\d+[.)]|[\\`*_{}\[\]<>#|~&$])"
)


_REFERENCE: Final = r"https?://github\.com/[^\s<>`]*[^\s<>`.,;:!?)]"


def unlinked(text: str) -> str:
    """The same, but what GitHub would write a backlink into, such as a pull request, is code."""
    return prose(re.sub(_REFERENCE, r"`\g<0>`", text))


def prose(text: str) -> str:
    """A paragraph in which only code and addresses are Markdown."""

    def marked(token: re.Match[str]) -> str:
        _, address, sign = token.groups()
        return f"<{address}>" if address else f"{sign[:-1]}\\{sign[-1]}" if sign else token[0]

    return re.sub(_MARKUP, marked, text)


# For programs


def as_json(entries: Sequence[Entry]) -> Iterator[bytes]:
    """A list of objects."""
    objects = [
        {
            "code": rule.code,
            "name": rule.name,
            "severities": [named(each) for each in rule.severities],
            "party": rule.party,
            **text._asdict(),
            "needs_beginning": rule.needs_beginning,
            "needs_order": rule.needs_order,
            "yields_to": {code: named(least) for code, least in sorted(rule.suppressed_by.items())},
        }
        for rule, text, _ in entries
    ]
    yield dumps(objects, option=OPT_INDENT_2) + b"\n"


# What both say


def _theory(text: Explanation) -> list[tuple[str, list[str]]]:
    """Headings, and the paragraphs below each."""
    source = [f"Source: {text.source}"] if text.source else []
    return [(MEANING, _paragraphs(text.meaning)), (PROMISE, [*_paragraphs(text.promise), *source])]


def _practice(rule: Rule, text: Explanation) -> list[tuple[str, list[str]]]:
    """The same for what to do about it."""
    return [(FIX, _paragraphs(text.fix)), (SILENT, _silences(rule))]


def _paragraphs(prose: str) -> list[str]:
    return [_sentence(paragraph) for paragraph in prose.split("\n\n")] if prose else []


def _sentence(text: str) -> str:
    """With a capital letter, unless it begins with a name such as v1."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text


def _title(rule: Rule) -> str:
    return f"{rule.code} {rule.name}"


def _severities(rule: Rule) -> str:
    return either(named(each) for each in rule.severities) if rule.severities else ""


def _party(rule: Rule) -> str:
    return rule.party or "agent or client"


def _facts(rule: Rule) -> str:
    fixed = f"to be fixed {fixer(rule.party) if rule.party is not None else 'by the agent or the client'}"
    return "; ".join(filter(None, (_severities(rule), fixed)))


def _silences(rule: Rule) -> list[str]:
    """When the rule does not report what it finds."""
    titles = {each.code: _title(each) for each in all_rules()}
    others = []
    for code, least in sorted(rule.suppressed_by.items()):
        severities = [named(each) for each in Severity if each >= least]
        others.append(titles.get(code, code) + (f" ({either(severities)})" if len(severities) < len(Severity) else ""))
    silences = [f"Beside {either(others)} for the same request."] if others else []
    if rule.needs_beginning:
        silences.append("On a connection whose beginning is not in the recording.")
    if rule.needs_order:
        silences.append("Where each side was recorded apart, and the times do not tell which message came first.")
    return silences
