"""What GitHub's code scanning makes of the SARIF, as the action that uploads it prepares it.

https://github.com/github/codeql-action/blob/main/src/fingerprints.ts and upload-lib.ts beside it say what that is.
"""

from __future__ import annotations

import json
from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

import pytest

from replaylint.render.sarif import GITHUB_FINGERPRINT
from tests.command_line import run, saved
from tests.conftest import ROOT
from tests.recordings import Recording

if TYPE_CHECKING:
    from pathlib import Path

Log = dict[str, Any]


class Alert(NamedTuple):
    """By what GitHub knows an alert again in the next upload."""

    category: str
    rule: str
    path: str
    line_hash: str


class Uploaded(NamedTuple):
    """The alerts, and how often the action says that it would have computed another hash."""

    alerts: list[Alert]
    warnings: int


def uploaded(log: Log, checkout: Path, *, category: str = "of-the-workflow/") -> Uploaded:
    """What comes of a file that is uploaded from this checkout."""
    alerts, warnings = [], 0
    for each in log["runs"]:
        name = each.get("automationDetails", {"id": category})["id"]
        for result in each["results"]:
            place = result["locations"][0]["physicalLocation"]
            path = resolved(place["artifactLocation"], checkout)
            given = result.get("partialFingerprints", {}).get(GITHUB_FINGERPRINT)
            computed = None if path is None else line_hash(path, place["region"]["startLine"])
            warnings += None not in {given, computed} and given != computed
            alerts.append(Alert(name, result["ruleId"], place["artifactLocation"]["uri"], given or computed or ""))
    return Uploaded(alerts, warnings)


def resolved(location: Log, checkout: Path) -> Path | None:
    """The file that a hash is computed of: one below the checkout, whatever the base of its URI is."""
    uri = unquote(location["uri"]).removeprefix("file://")
    if "://" in uri or (uri.startswith("/") and not uri.startswith(f"{checkout}/")):
        return None
    path = checkout / uri
    return path if path.is_file() else None


def line_hash(path: Path, line: int) -> str:
    """Of what stands in a line, and which of the lines with the same it is; the real one looks further ahead."""
    counts: Counter[bytes] = Counter()
    for text in path.read_bytes().splitlines()[:line]:
        digest = sha256(text).hexdigest()[:16]
        counts[text] += 1
    return f"{digest}:{counts[text]}"


def without_hashes(log: Log) -> Log:
    """As other tools write it."""
    bare: Log = json.loads(json.dumps(log))
    for result in bare["runs"][0]["results"]:
        del result["partialFingerprints"]
    return bare


def linted(folder: Path, *arguments: str | Path) -> Log:
    log: Log = json.loads(run("-q", "-f", "sarif", *arguments, cwd=folder).stdout)
    return log


def unmarked(start: float = 5.0, ident: object = 1, session: str = "s", messages: int = 1) -> Recording:
    """RL201 and RL212 at one line."""
    recording = Recording(start=start).initialize_v2().resume(ident, session)
    for number in range(messages):
        recording.message(session, f"{number} of {session}")
    return recording.result(ident, {})


def test_two_findings_at_a_line_are_two_alerts(tmp_path: Path) -> None:
    saved(tmp_path, "one.ndjson", unmarked())
    log = linted(tmp_path, "one.ndjson")
    places = [each["locations"][0]["physicalLocation"]["region"]["startLine"] for each in log["runs"][0]["results"]]
    assert places == [5, 5]
    assert len({each.line_hash for each in uploaded(log, tmp_path).alerts}) == 2
    assert len({each.line_hash for each in uploaded(without_hashes(log), tmp_path).alerts}) == 1


def test_a_new_recording_has_the_same_alerts(tmp_path: Path) -> None:
    saved(tmp_path, "one.ndjson", unmarked())
    first = linted(tmp_path, "one.ndjson")
    before, without = uploaded(first, tmp_path), uploaded(without_hashes(first), tmp_path)
    saved(tmp_path, "one.ndjson", unmarked(1764400000.0, "other", "t", messages=3))
    again = linted(tmp_path, "one.ndjson")
    assert again["runs"][0]["results"] != first["runs"][0]["results"]
    assert uploaded(again, tmp_path).alerts == before.alerts
    assert set(uploaded(without_hashes(again), tmp_path).alerts).isdisjoint(without.alerts)


def test_the_action_keeps_what_is_there_and_says_so(tmp_path: Path) -> None:
    saved(tmp_path, "one.ndjson", unmarked())
    log = linted(tmp_path, "one.ndjson")
    alerts, warnings = uploaded(log, tmp_path)
    given = [each["partialFingerprints"][GITHUB_FINGERPRINT] for each in log["runs"][0]["results"]]
    assert ([each.line_hash for each in alerts], warnings) == (given, 2)
    assert uploaded(without_hashes(log), tmp_path).warnings == 0


def test_every_finding_of_a_run_is_an_alert_of_its_own() -> None:
    log = linted(ROOT, "sample_traces")
    hashes = [each.line_hash for each in uploaded(log, ROOT).alerts]
    assert len(hashes) > 70
    assert len(set(hashes)) == len(hashes)


def test_a_recording_that_comes_or_goes_changes_no_alert_of_another(tmp_path: Path) -> None:
    for name in ("traces/b.ndjson", "traces/c.ndjson"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        saved(tmp_path, name, unmarked())
    before = uploaded(linted(tmp_path, "traces"), tmp_path).alerts
    saved(tmp_path, "traces/a.ndjson", unmarked())
    (tmp_path / "traces/b.ndjson").unlink()
    after = uploaded(linted(tmp_path, "traces"), tmp_path).alerts
    assert [each for each in after if each.path == "traces/c.ndjson"] == before[2:]
    assert {each.path for each in after} == {"traces/a.ndjson", "traces/c.ndjson"}


def test_what_a_baseline_knows_is_no_alert_and_changes_no_other(tmp_path: Path) -> None:
    saved(tmp_path, "one.ndjson", unmarked())
    saved(tmp_path, "two.ndjson", unmarked().resume(2, "u").result(2, {}))
    before = uploaded(linted(tmp_path, "one.ndjson", "two.ndjson"), tmp_path).alerts
    assert run("-q", "one.ndjson", "--select=RL201", "--write-baseline=known.json", cwd=tmp_path).returncode == 0
    after = uploaded(linted(tmp_path, "one.ndjson", "two.ndjson", "--baseline=known.json"), tmp_path).alerts
    assert {each.rule for each in before} - {each.rule for each in after} == {"RL201"}
    assert after == [each for each in before if each.rule != "RL201"]


@pytest.mark.parametrize("base", [".", "sub"])
def test_a_checkout_elsewhere_has_the_same_alerts(base: str, tmp_path: Path) -> None:
    alerts = []
    for name in ("here", "there"):
        (tmp_path / name / "sub" / "traces").mkdir(parents=True)
        saved(tmp_path / name / "sub/traces", "one.ndjson", unmarked())
        variables = {"GITHUB_WORKSPACE": str(tmp_path / name), "CI_PROJECT_DIR": ""}
        given = tmp_path / name / "sub/traces"
        result = run("-q", "-f", "sarif", given, cwd=tmp_path / name / base, variables=variables)
        alerts.append(uploaded(json.loads(result.stdout), tmp_path / name).alerts)
    assert alerts[0] == alerts[1]
    assert {each.path for each in alerts[0]} == {"sub/traces/one.ndjson"}
    assert {each.category for each in alerts[0]} == {"replaylint/sub/traces/"}


def test_runs_over_other_recordings_are_told_apart(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        saved(tmp_path / name, "trace.ndjson", unmarked())
    categories = [
        {each.category for each in uploaded(linted(tmp_path, *given), tmp_path, category="mine/").alerts}
        for given in (["one"], ["two"], ["one", "two"], ["one/trace.ndjson"])
    ]
    assert categories == [
        {"replaylint/one/"},
        {"replaylint/two/"},
        {"replaylint/"},
        {"replaylint/one/trace.ndjson/"},
    ]
