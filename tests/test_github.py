"""The GitHub format: workflow commands, no more and no longer than its runner shows."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from replaylint.recording.source import STANDARD_INPUT
from replaylint.render.escape import printable
from replaylint.render.github import MAX_ANNOTATIONS, MAX_MESSAGE_UNITS
from tests.reports import EVIL, HOSTILE, ONE, finding, findings, rich
from tests.test_ci_formats import commands, holding, without_findings
from tests.test_render import rendered

if TYPE_CHECKING:
    from replaylint.report.model import Report


def test_annotations_come_by_severity() -> None:
    one, hostile = {"file": ONE}, {"file": printable(HOSTILE)}
    cut = {**hostile, "line": "1", "title": "unreadable recording (truncated)"}
    assert commands(rendered("github", rich())) == [
        ("error", cut, printable(f"the data ends {EVIL}")),
        ("error", {"file": "absent.ndjson", "title": "unreadable recording (not-found)"}, "no such file"),
        ("error", {**one, "line": "6", "endLine": "9", "title": "RL301 live-before-marker"}, findings()[0].message),
        ("warning", {**one, "line": "20", "title": "RL105 unanswered-request"}, "session/resume was not answered"),
        ("warning", {**one, "line": "95", "title": "RL305 child-before-announcement"}, "a message of no request"),
        ("warning", {**hostile, "line": "1", "title": "RL001 non-json-line"}, printable(f"no JSON: {EVIL}")),
        ("notice", {**one, "line": "90", "title": "RL105 unanswered-request"}, "session/prompt was not answered"),
        ("notice", {"file": "absent.ndjson", "title": "RL005 no-resume"}, "no resume"),
    ]  # fmt: skip


def test_a_report_without_findings_annotates_nothing() -> None:
    assert rendered("github", without_findings()) == ""


@pytest.mark.parametrize("path", [None, STANDARD_INPUT])
def test_what_is_in_no_file_says_its_line(path: str | None) -> None:
    found = [finding("RL301", "error", "text", path, 6), finding("RL005", "info", "text", path, None)]
    assert [each[1:] for each in commands(rendered("github", holding(*found)))] == [
        ({"title": "RL301 live-before-marker"}, "line 6: text"),
        ({"title": "RL005 no-resume"}, "text"),
    ]


@pytest.mark.parametrize("text", ["100 %", "%0A", "%250A", "a, b=c", "::x", ":", "##[x]", "a\nb", EVIL])
def test_annotations_can_be_read_back(text: str) -> None:
    ((_, properties, data),) = commands(rendered("github", holding(finding("RL301", "error", text, text, 1))))
    assert data == printable(text)
    assert properties["file"] == printable(text)


def many(**counts: int) -> Report:
    return holding(
        *(
            finding("RL301", severity, f"{severity} {number}", ONE, number)
            for severity, count in counts.items()
            for number in range(1, count + 1)
        )
    )


@pytest.mark.parametrize(
    ("counts", "shown", "more"),
    [
        ({"error": 10, "warning": 10, "info": 10}, (10, 10, 10), None),
        ({"error": 11}, (10, 0, 1), "1 error more"),
        ({"error": 30, "warning": 12, "info": 2}, (10, 10, 3), "20 errors and 2 warnings more"),
        ({"error": 11, "info": 10}, (10, 0, 10), "1 error and 1 notice more"),
        ({"info": 11}, (0, 0, 10), "2 notices more"),
    ],
)
def test_no_more_annotations_than_github_shows(
    counts: dict[str, int], shown: tuple[int, int, int], more: str | None
) -> None:
    found = commands(rendered("github", many(**counts)))
    by_command = Counter(command for command, _, _ in found)
    assert tuple(by_command[command] for command in ("error", "warning", "notice")) == shown
    assert max(by_command.values()) <= MAX_ANNOTATIONS
    if more is not None:
        assert found[-1][0] == "notice"
        assert found[-1][2].startswith(f"{more}; ")
    else:
        assert "more;" not in found[-1][2]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("%" * 4096, "%" * 4096),
        ("%" * 4097, "%" * 4076 + "\N{HORIZONTAL ELLIPSIS} (4,097 characters)"),
        ("\r" * 1024, r"\x0d" * 1024),
        ("\r" * 1025, r"\x0d" * 1019 + "\N{HORIZONTAL ELLIPSIS} (4,100 characters)"),
        ("\U0001f600" * 2048, "\U0001f600" * 2048),
        ("\U0001f600" * 2049, "\U0001f600" * 2038 + "\N{HORIZONTAL ELLIPSIS} (2,049 characters)"),
    ],
)
def test_a_message_is_no_longer_than_the_runner_keeps(text: str, kept: str) -> None:
    """Counted as the runner does: after its escapes are read, in UTF-16."""
    ((_, _, data),) = commands(rendered("github", holding(finding("RL301", "error", text, ONE, 1))))
    assert data == kept
    assert len(data.encode("utf-16-le")) <= 2 * MAX_MESSAGE_UNITS
