"""`concise`: one finding a line, one outcome a line, each where an editor finds it: `path:line: …`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from replaylint.render.escape import printable, shortened
from replaylint.render.phrases import address_of, gap, identifier, of_finding
from replaylint.render.suppressions import taking_away
from replaylint.rules.words import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from replaylint.render.view import View
    from replaylint.report.model import Report, Resume, Session


def render(report: Report, view: View) -> Iterator[str]:
    """By trace and line, a request's outcomes before its findings; last what settings may have taken away."""
    lines = [(each.trace or "", each.line or 0, 1, of_finding(each)) for each in report.findings]
    if not view.quiet:
        for resume in report.resumes:
            lines += [(resume.trace, resume.request.line, 0, of_outcome(resume, each)) for each in resume.sessions]
    for _, _, _, line in sorted(lines, key=lambda entry: entry[:3]):
        yield line + "\n"
    if report.settings is not None and not view.quiet:
        yield f"{printable(report.settings.path)}: settings: {printable(taking_away(report.settings))}\n"


def of_outcome(resume: Resume, session: Session) -> str:
    """How the resume ended for this session of it, and its main figures."""
    facts = [f"{session.updates.history} history"]
    if session.timing.replay_s is not None:
        facts.append(f"replay {duration(session.timing.replay_s)}")
    facts.append(gap(session) or "response gap unknown")
    if resume.ambiguous:
        facts.append("ambiguous")
    if not resume.replaying:
        facts = [] if session.timing.total_s is None else [f"total {duration(session.timing.total_s)}"]
    child = f" child of {shortened(session.parent)}" if session.parent is not None else ""
    text = f"{resume.method} {identifier(resume.request_id)} {shortened(session.session_id)}{child}: {session.outcome}"
    return f"{address_of(resume.trace, resume.request.line)}: {', '.join([text, *facts])}"
