"""`junit`: the XML of JUnit reports, in which a recording is a suite of tests and a resume is a test.

It keeps to `junit-10.xsd` of Jenkins' xUnit plugin, as pytest does. A test fails for errors; warnings, infos and known
findings are in its output. A recording that could not be read to its end is an error of its test `recording`, where
also findings on no resume are; those on all recordings are in the first one's. Properties stand in the first suite:
some readers take no name twice. The `file` of a suite is its recording, from the root of the repository: readers put
annotations there.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render.address import address
from replaylint.render.concise import of_outcome
from replaylint.render.distinct import distinct
from replaylint.render.escape import printable
from replaylint.render.phrases import identifier, of_finding
from replaylint.render.suppressions import of_settings
from replaylint.report.subjects import by_subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from replaylint.render.view import View
    from replaylint.report.model import Finding, ReadError, Report, Resume

TIME: Final = (
    "of a test: the response gap of the session that the resume names, in seconds; absent where not known; "
    "of several: the sum of those that are known"
)


class Case(NamedTuple):
    """A test. `result` is "failure", "error", "skipped" or None (passed); `kind`, `message` and `lines` explain it."""

    name: str
    result: str | None = None
    kind: str | None = None
    message: str | None = None
    lines: Sequence[str] = ()
    output: Sequence[str] = ()
    time: float | None = None


def render(report: Report, view: View) -> Iterator[bytes]:
    """A suite for each recording."""
    suites = list(_suites(report))
    yield b'<?xml version="1.0" encoding="UTF-8"?>\n'
    yield _line(0, "testsuites", name=report.tool.name, **_totals([case for _, cases in suites for case in cases]))
    properties = {"time": TIME}
    if report.settings is not None:
        properties["settings"] = of_settings(report.settings)
    for path, cases in suites:
        skipped = sum(case.result == "skipped" for case in cases)
        file = None if path == STANDARD_INPUT else address(path, view.checkout)
        yield _line(1, "testsuite", name=path, file=file, **_totals(cases), skipped=str(skipped))
        if properties:
            yield _line(2, "properties")
            for name, value in properties.items():
                yield _line(3, "property", name=name, value=value, end="/>")
            yield b"    </properties>\n"
            properties = {}
        for name, case in zip(distinct(case.name for case in cases), cases, strict=True):
            yield from _case(path, name, case)
        yield b"  </testsuite>\n"
    yield b"</testsuites>\n"


# What is tested


def _suites(report: Report) -> Iterator[tuple[str, list[Case]]]:
    """For each recording: whether it could be read, the findings on it as a whole, and its resumes."""
    of_resume, of_trace = by_subject(report)
    first = report.traces[0].path if report.traces else STANDARD_INPUT
    errors: dict[str, list[ReadError]] = {trace.path: [] for trace in report.traces}
    whole: dict[str, list[Finding]] = {}
    resumes: dict[str, list[Case]] = {}
    for trace in report.traces:
        errors[trace.path] += [trace.error] if trace.error is not None else []
    for path, findings in of_trace.items():
        whole.setdefault(first if path is None else path, []).extend(findings)
    for number, resume in enumerate(report.resumes, 1):
        resumes.setdefault(resume.trace, []).append(_resume(resume, of_resume.get(number, ())))
    for path in errors | whole | resumes:
        yield path, [_recording(errors.get(path, ()), whole.get(path, ())), *resumes.get(path, ())]


def _recording(errors: Sequence[ReadError], findings: Sequence[Finding]) -> Case:
    """The test of a recording; that it could not be read comes before what was found in it."""
    case = _judged("recording", findings)
    if not errors:
        return case
    told = [("" if each.line is None else f"line {each.line}: ") + each.message for each in errors]
    return case._replace(result="error", kind=errors[0].code, message=errors[0].message, lines=[*told, *case.lines])


def _resume(resume: Resume, findings: Sequence[Finding]) -> Case:
    """The test of a resume. Its name has no session id: CI systems recognise a test by its name, and ids change."""
    named = resume.sessions[0] if resume.sessions and resume.replaying else None
    case = _judged(
        f"{resume.method} {identifier(resume.request_id)}",
        findings,
        [of_outcome(resume, session) for session in resume.sessions],
        None if named is None else named.timing.response_gap_s,
    )
    if case.result is None and any(session.outcome == "inconclusive" for session in resume.sessions):
        why = "inconclusive"
        return case._replace(result="skipped", message=why, lines=[why])  # GitLab shows no attributes
    return case


def _judged(name: str, findings: Sequence[Finding], outcomes: Sequence[str] = (), time: float | None = None) -> Case:
    """A test that fails for errors. They are one failure: readers of these reports take only the first one."""
    errors = [finding for finding in findings if _fails(finding)]
    output = [*outcomes, *(of_finding(finding) for finding in findings if not _fails(finding))]
    if not errors:
        return Case(name, output=output, time=time)
    rules = ", ".join(dict.fromkeys(finding.rule for finding in errors))
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    lines = [of_finding(finding) for finding in errors]
    return Case(name, "failure", rules, errors[0].message + more, lines, output, time)


def _fails(finding: Finding) -> bool:
    return finding.severity == "error" and not finding.known


# How it is written


def _case(path: str, name: str, case: Case) -> Iterator[bytes]:
    time = None if case.time is None else f"{case.time:.6f}"
    yield _line(2, "testcase", name=name, classname=path, time=time)
    if case.result is not None:
        yield _line(3, case.result, type=case.kind, message=case.message, content=case.lines)
    if case.output:
        yield _line(3, "system-out", content=case.output)
    yield b"    </testcase>\n"


def _totals(cases: Sequence[Case]) -> dict[str, str]:
    results = [case.result for case in cases]
    return {
        "tests": str(len(results)),
        "failures": str(results.count("failure")),
        "errors": str(results.count("error")),
        "time": f"{math.fsum(case.time for case in cases if case.time is not None):.3f}",  # the schema allows no more
    }


def _line(
    depth: int, tag: str, *, end: str = ">", content: Sequence[str] | None = None, **attributes: str | None
) -> bytes:
    """The start tag of an element, or with `content` the whole element."""
    written = "".join(f' {name}="{_text(value)}"' for name, value in attributes.items() if value is not None)
    inner = "" if content is None else "\n".join(map(_text, content)) + f"</{tag}>"
    return f"{'  ' * depth}<{tag}{written}{end}{inner}\n".encode()


_MARKUP: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def _text(text: str) -> str:
    """One line of text. `[[ATTACHMENT|…]]` would be a link to GitLab."""
    return printable(text).replace("[[", r"[\x5b").translate(_MARKUP)
