"""Resumes and findings by what they have in common."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING, get_args

from replaylint.errors import UnknownNameError
from replaylint.report.connections import Connections, name_of
from replaylint.report.model import GroupBy
from replaylint.report.subjects import by_subject

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from replaylint.report.model import Finding, Report, Resume

    Key = str | None
    """None: it is not known."""


def grouping(name: str) -> GroupBy:
    """What to group by; upper and lower case are the same. Raises UnknownNameError."""
    for each in get_args(GroupBy):
        if each == name.lower():
            return each  # type: ignore[no-any-return]
    raise UnknownNameError("group", name, get_args(GroupBy))


def grouped(report: Report, by: GroupBy) -> Iterator[tuple[Key, list[Resume], list[Finding]]]:
    """Each group that has a resume or a finding, sorted by key, numbers as numbers; the unknown comes last.

    A finding on a resume is in the group of that resume; one on the whole run is in none.
    """
    of_resume, of_none = by_subject(report)
    keys = _keys(report, by)
    resumes: dict[Key, list[Resume]] = {}
    findings: dict[Key, list[Finding]] = {}
    for number, resume in enumerate(report.resumes, 1):
        key = keys(resume)
        resumes.setdefault(key, []).append(resume)
        findings.setdefault(key, []).extend(of_resume.get(number, ()))
    for path, found in of_none.items():
        for finding in found if path is not None else ():
            findings.setdefault(keys(finding), []).append(finding)
    for key in sorted({*resumes, *(key for key, found in findings.items() if found)}, key=_order):
        yield key, resumes.get(key, []), findings.get(key, [])


def _keys(report: Report, by: GroupBy) -> Callable[[Resume | Finding], Key]:
    if by in {"session", "file"}:
        return attrgetter("session_id" if by == "session" else "trace")
    connections, peer = Connections(report), attrgetter(by)

    def name(each: Resume | Finding) -> Key:
        connection = connections.of(each)
        return None if connection is None else name_of(peer(connection))

    return name


def _order(key: Key) -> tuple[bool, list[tuple[int, str]], str]:
    """The sort key, in which 0.10 comes after 0.9."""
    parts = re.findall(r"([0-9]{1,18})|([^0-9]+|[0-9]+)", key or "")
    return key is None, [(int(number or -1), text) for number, text in parts], key or ""
