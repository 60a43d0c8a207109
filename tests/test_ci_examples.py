"""The examples in the README for CI, the action and the hook for pre-commit: their shell is run as a CI system runs it.

GitHub and GitLab are played by a bash with the variables, files and options that their runners give it. What they
install is the project: the wheels stand in a folder, and no package index is asked once they are there.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
import zstandard

from tests.conftest import ROOT, fetch, located, missing
from tests.documents import CI, GUIDE, blocks, read, section, table

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.skipif(os.sep != "/", reason="a shell of POSIX")

README = read(CI)
SAMPLES = ROOT / "sample_traces"

GITHUB_LINE = re.compile(r"^::(\w+) file=([^,]*)(?:,line=(\d+))?,title=([^:]*)::", re.MULTILINE)
RUN_S = 120


def examples() -> list[Any]:
    return [yaml.safe_load(block) for block in blocks(README, "yaml")]


def workflows() -> list[dict[str, Any]]:
    """The workflows of GitHub Actions: the first shows the findings, the second uploads them."""
    return [example for example in examples() if isinstance(example, dict) and "jobs" in example]


def github_examples() -> list[list[dict[str, Any]]]:
    """The steps of each example, of which the last ones are in no workflow."""
    jobs = [job for workflow in workflows() for job in workflow["jobs"].values()]
    return [job["steps"] for job in jobs] + [example for example in examples() if isinstance(example, list)]


def github_example(number: int = 0) -> dict[str, Any]:
    """The step of an example that uses the action."""
    (step,) = (step for step in github_examples()[number] if "/.github/actions/" in step["uses"])
    return step


def gitlab_example() -> dict[str, Any]:
    """The job of the README that GitLab runs."""
    (job,) = (
        job
        for example in examples()
        if isinstance(example, dict)
        for job in example.values()
        if isinstance(job, dict) and "script" in job
    )
    return job


def pre_commit_example() -> dict[str, Any]:
    """The configuration of pre-commit in the README."""
    (config,) = (example for example in examples() if isinstance(example, dict) and "repos" in example)
    return config


def run(command: list[str], folder: Path, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=RUN_S,
        check=False,
    )


def done(command: list[str], folder: Path, environment: Mapping[str, str]) -> str:
    """What a command prints that has to succeed."""
    finished = run(command, folder, environment)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def recorded(folder: Path, *names: str) -> None:
    """Samples, in a folder."""
    folder.mkdir(exist_ok=True)
    for name in names:
        shutil.copy(SAMPLES / f"{name}.ndjson", folder)


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


# What all of them need


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A git repository of the project as it is here, with what is not committed, where GitHub would put the action."""
    git = located("git")
    listed = run([git, "ls-files", "--cached", "--others", "--exclude-standard", "-z"], ROOT, os.environ)
    if listed.returncode:
        missing("git", "this is no checkout")
    folder = tmp_path_factory.mktemp("_actions") / "OWNER" / "replaylint" / "main"
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():  # it may have been deleted
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    committed(folder)
    return folder


GIT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "x@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def committed(folder: Path) -> str:
    """The commit of everything in a folder, which is made a repository."""
    git = located("git")
    for arguments in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=x"]):
        done([git, *arguments], folder, GIT)
    return done([git, "rev-parse", "HEAD"], folder, GIT).strip()


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory, project: Path, network: None) -> dict[str, str]:
    """The variables of a machine with bash and a Python that has nothing; pip finds these wheels and no others."""
    located("bash")
    wheels, home = tmp_path_factory.mktemp("wheels"), tmp_path_factory.mktemp("home")
    made = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [
        *made["build-system"]["requires"],
        *made["project"]["dependencies"],
        *made["project"]["optional-dependencies"]["zstd"],
    ]
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--retries=0"]
    fetch("pypi", [*pip, *needed], wheels)
    path = [each for each in os.environ["PATH"].split(os.pathsep) if Path(each) != Path(sys.executable).parent]
    variables = {
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join([str(home / "python" / "bin"), *path]),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": wheels.as_uri(),
    }
    done([*pip, "--no-deps", str(project)], wheels, variables)
    done([sys.executable, "-m", "venv", str(home / "python")], home, variables)
    return variables


def test_what_is_installed_has_the_guide_and_the_schema(machine: dict[str, str]) -> None:
    (wheel,) = Path(machine["PIP_FIND_LINKS"].removeprefix("file://")).glob("replaylint-*.whl")
    names = {each for each in zipfile.ZipFile(wheel).namelist() if each.startswith("replaylint/")}
    assert {f"replaylint/guide/{each.name}" for each in GUIDE} | {"replaylint/report/schema.json"} <= names


# GitLab


def gitlab(folder: Path, machine: dict[str, str]) -> int:
    """Run the job's script as its runner does, every line in one shell; the exit status."""
    script = folder.with_suffix(".sh")
    script.write_text("\n".join(["set -eo pipefail", *gitlab_example()["script"]]) + "\n", encoding="utf-8")
    return run(["bash", str(script)], folder, {**machine, "CI": "true", "GITLAB_CI": "true"}).returncode


def reports(folder: Path) -> tuple[list[Any], ET.Element]:
    """The reports that the job uploads: code quality, and tests."""
    uploaded = gitlab_example()["artifacts"]["reports"]
    assert set(uploaded) == {"codequality", "junit"}
    quality = json.loads((folder / uploaded["codequality"]).read_text(encoding="utf-8"))
    return quality, ET.parse(folder / uploaded["junit"]).getroot()  # noqa: S314  (it is our own)


def test_gitlab_uploads_what_is_wrong(tmp_path: Path, machine: dict[str, str]) -> None:
    recorded(tmp_path / "traces", "complete", "live-before-marker", "truncated-error")
    assert gitlab(tmp_path, machine) == 1
    quality, tests = reports(tmp_path)
    assert [(each["check_name"], each["severity"], each["location"]) for each in quality] == [
        ("RL301 live-before-marker", "critical", {"path": "traces/live-before-marker.ndjson", "lines": {"begin": 6}}),
        ("RL209 truncated-replay", "major", {"path": "traces/truncated-error.ndjson", "lines": {"begin": 8}}),
    ]
    assert all(each["description"] and each["fingerprint"] for each in quality)
    assert (tests.tag, tests.get("failures"), tests.get("errors")) == ("testsuites", "1", "0")
    assert [each.get("type") for each in tests.iter("failure")] == ["RL301"]


def test_gitlab_uploads_that_nothing_is_wrong(tmp_path: Path, machine: dict[str, str]) -> None:
    recorded(tmp_path / "traces", "complete", "children")
    assert gitlab(tmp_path, machine) == 0
    quality, tests = reports(tmp_path)
    assert quality == []
    assert (tests.get("failures"), tests.get("errors"), len(tests)) == ("0", "0", 2)


def test_gitlab_uploads_the_reports_of_a_job_that_fails() -> None:
    assert gitlab_example()["artifacts"]["when"] == "always"


# GitHub


@dataclass(frozen=True)
class Used:
    """What came of a use of the action."""

    status: int
    stdout: str
    stderr: str
    summary: str
    outputs: dict[str, str]

    @property
    def annotations(self) -> list[tuple[str, ...]]:
        return [found[:4] for found in GITHUB_LINE.findall(self.stdout)]


def action_of(step: dict[str, Any], project: Path) -> Path:
    """The folder of the action that a step uses."""
    repository, _, folder = str(step["uses"]).partition("@")[0].partition("/.github/")
    assert repository == "OWNER/replaylint"
    return project / f".github/{folder}"


def declared(action: Path) -> dict[str, Any]:
    described = yaml.safe_load((action / "action.yml").read_text(encoding="utf-8"))
    assert isinstance(described, dict)
    return described


class Job:
    """A job of GitHub Actions: a workspace, in which its steps run, and what the runner keeps for them."""

    def __init__(self, folder: Path, project: Path, machine: dict[str, str]) -> None:
        self.workspace = folder / "workspace"
        self.kept = folder / "runner temp"
        self._files = folder / "files"
        self._action = action_of(github_example(), project)
        self._variables = {
            **machine,
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_ACTION_PATH": str(self._action),
            "RUNNER_TEMP": str(self.kept),
        }
        for each in (self.workspace, self.kept, self._files):
            each.mkdir()

    def use(self, given: Mapping[str, str], **variables: str) -> Used:
        """Run the action's steps, up to the first that fails; they leave nothing behind."""
        described = declared(self._action)
        assert described["runs"]["using"] == "composite"
        values = {f"inputs.{name}": each.get("default", "") for name, each in described["inputs"].items()}
        values |= {f"inputs.{name}": value for name, value in given.items()}
        summary, printed = self._file("summary"), ["", ""]
        status = 0
        for step in described["runs"]["steps"]:
            assert step["shell"] == "bash"
            output, script = self._file("output"), self._file("script")
            script.write_text(resolved(step["run"], values), encoding="utf-8")
            finished = run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
                self.workspace / step.get("working-directory", "."),
                {
                    **self._variables,
                    **variables,
                    **{name: resolved(value, values) for name, value in step.get("env", {}).items()},
                    "GITHUB_OUTPUT": str(output),
                    "GITHUB_STEP_SUMMARY": str(summary),
                },
            )
            printed = [before + now for before, now in zip(printed, (finished.stdout, finished.stderr), strict=True)]
            for line in output.read_text(encoding="utf-8").splitlines():
                name, _, value = line.partition("=")
                values[f"steps.{step['id']}.outputs.{name}"] = value
            status = finished.returncode
            if status:
                break
        assert list(self.kept.iterdir()) == []
        return Used(
            status,
            printed[0],
            printed[1],
            summary.read_text(encoding="utf-8"),
            {name: resolved(each["value"], values) for name, each in described["outputs"].items()},
        )

    def _file(self, name: str) -> Path:
        """An empty one."""
        path = self._files / name
        path.write_bytes(b"")
        return path


def resolved(text: str, values: Mapping[str, str]) -> str:
    """A text with its expressions replaced; an output that no step set is empty."""

    def value(expression: re.Match[str]) -> str:
        assert expression[1].startswith("steps.") or expression[1] in values
        return values.get(expression[1], "")

    return re.sub(r"\$\{\{ (\S+) \}\}", value, text)


@pytest.fixture
def job(tmp_path: Path, project: Path, machine: dict[str, str]) -> Job:
    return Job(tmp_path, project, machine)


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory, machine: dict[str, str]) -> str:
    """A Python whose virtual environments share their packages, and have what replaylint needs, which saves seconds."""
    folder = tmp_path_factory.mktemp("quick")
    ready, program = folder / "ready", folder / "python"
    home = Path(machine["HOME"])
    shutil.copytree(home / "python", ready, symlinks=True)
    wheels = Path(machine["PIP_FIND_LINKS"].removeprefix("file://"))
    others = [str(each) for each in wheels.iterdir() if not each.name.startswith("replaylint-")]
    done([str(ready / "bin" / "python"), "-m", "pip", "install", "--quiet", "--no-deps", *others], folder, machine)
    program.write_text(
        "#!/usr/bin/env bash\n"
        '[[ "$*" == *"-m venv "* ]] || exec python3 "$@"\n'
        "folder=${@: -1}\n"
        'python3 "${@:1:$# - 1}" --without-pip "$folder" || exit\n'
        'rm -r "$folder/lib"\n'
        f'ln -s {shlex.quote(str(ready / "lib"))} "$folder/lib"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    return str(program)


def test_the_readme_uses_the_action_with_inputs_that_it_has() -> None:
    for number in range(len(github_examples())):
        step = github_example(number)
        assert set(step["with"]) <= set(declared(action_of(step, ROOT))["inputs"])


def test_the_readme_says_what_the_inputs_and_outputs_are() -> None:
    described = declared(action_of(github_example(), ROOT))
    rows = [row[0].replace("`", "").split(", ") for row in table(README, "input, default")]
    assert rows == [list(filter(None, (name, each["default"]))) for name, each in described["inputs"].items()]
    assert re.findall(r"The output `(\w+)`", section(README, "GitHub Actions")) == list(described["outputs"])


def test_the_readmes_step_shows_what_is_wrong(job: Job, project: Path) -> None:
    recorded(job.workspace / "traces", "complete", "live-before-marker", "v1-load", "truncated-error")
    used = job.use(github_example()["with"])
    assert (used.status, used.outputs) == (1, {"status": "1"})
    assert used.annotations == [
        ("error", "traces/live-before-marker.ndjson", "6", "RL301 live-before-marker"),
        ("error", "traces/v1-load.ndjson", "14", "RL401 gap-over-budget"),
        ("warning", "traces/truncated-error.ndjson", "8", "RL209 truncated-replay"),
    ]
    assert len(used.stdout.splitlines()) == 3
    assert used.stderr == ""
    assert used.summary.startswith("## replaylint")
    assert "2 errors, 1 warning, 0 info" in used.summary
    assert all(rule in used.summary for rule in ("RL301", "RL401", "RL209"))
    assert files(job.workspace) == [
        f"traces/{name}.ndjson" for name in ("complete", "live-before-marker", "truncated-error", "v1-load")
    ]
    assert done(["git", "status", "--porcelain", "--ignored"], project, GIT) == ""


def test_the_readmes_step_says_that_nothing_is_wrong(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "complete", "children")
    used = job.use({**github_example()["with"], "python": quick})
    assert (used.status, used.stdout, used.outputs) == (0, "", {"status": "0"})
    assert "0 errors, 0 warnings, 0 info" in used.summary
    assert "`traces/children.ndjson`" in used.summary


def test_two_uses_in_one_job_do_not_meet(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "complete")
    used = job.use({"recordings": "traces", "arguments": "--max-gap=1s", "python": quick})
    assert [each[3] for each in used.annotations] == ["RL401 gap-over-budget"]
    assert "RL401" in used.summary
    used = job.use({"recordings": "traces", "arguments": "--max-gap=1", "python": quick})
    assert (used.status, used.summary, used.outputs) == (2, "", {"status": "2"})
    assert "'1' is not a duration" in used.stderr


def test_recordings_are_names_folders_and_patterns_one_on_each_line(job: Job, quick: str) -> None:
    faulty = (SAMPLES / "live-before-marker.ndjson").read_bytes()
    here = {
        "a name.ndjson": faulty,
        "[b].ndjson": faulty,
        "b.ndjson": b"",  # what the pattern [b].ndjson would have
        "-c.ndjson": faulty,
        "d/e.ndjson.gz": gzip.compress(faulty),
        "d/e/f.ndjson.zst": zstandard.compress(faulty),
        "d/notes.txt": b"",
        "g h/i.ndjson": faulty,
    }
    for name, content in here.items():
        (job.workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (job.workspace / name).write_bytes(content)
    lines = "a name.ndjson\n[b].ndjson\r\n\n-c.ndjson\n  d/**/*.ndjson.*  \ng h\n*.absent\n"
    used = job.use({"recordings": lines, "python": quick})
    assert used.status == 2
    unreadable, *found = used.annotations
    assert unreadable == ("error", "*.absent", "", "unreadable recording (not-found)")
    assert {each[1] for each in found} == set(here) - {"b.ndjson", "d/notes.txt"}
    assert {each[3] for each in found} == {"RL301 live-before-marker"}


def test_arguments_are_words_as_in_a_shell(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "live-before-marker", "v1-load")
    arguments = '--max-gap=5s --fail-on never\n--export \'concise=a "$HOME" *.txt\' --budget "max(response_gap) < 2s"'
    used = job.use({"recordings": "traces", "arguments": arguments, "python": quick})
    assert (used.status, used.outputs) == (0, {"status": "0"})
    assert [title for _, _, _, title in used.annotations[:2]] == ["RL301 live-before-marker", "RL401 gap-over-budget"]
    (written,) = job.workspace.glob("*.txt")
    assert written.name == 'a "$HOME" *.txt'
    assert "RL404" in written.read_text(encoding="utf-8")


def test_arguments_without_a_second_quotation_mark_are_no_findings(job: Job, quick: str) -> None:
    used = job.use({"arguments": "--max-gap='5s", "python": quick})
    assert (used.status, used.outputs, used.summary) == (2, {"status": "2"}, "")
    assert used.stdout.startswith("::error title=replaylint::")
    assert "arguments: No closing quotation" in used.stderr


def test_a_wrong_option_is_an_error_of_the_step(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "complete")
    used = job.use({"recordings": "traces", "arguments": "--max-gap=5%0Ay", "python": quick})
    assert (used.status, used.outputs, used.summary) == (2, {"status": "2"}, "")
    (line,) = used.stdout.splitlines()
    assert line.startswith("::error title=replaylint::replaylint: '5%250Ay' is not a duration")
    assert "5%0Ay" in used.stderr


def test_an_unknown_option_is_an_error_of_the_step(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "complete")
    used = job.use({"recordings": "traces", "arguments": "--max-gaps=5s", "python": quick})
    assert (used.status, used.outputs, used.summary) == (2, {"status": "2"}, "")
    (line,) = used.stdout.splitlines()
    assert line.startswith("::error title=replaylint::replaylint: No such option: --max-gaps")


def test_a_sarif_file_that_cannot_be_written_is_an_error_of_the_step(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "v1-load")
    used = job.use({"recordings": "traces", "arguments": "--max-gap=5s", "sarif": "absent/a.sarif", "python": quick})
    assert (used.status, used.outputs) == (2, {"status": "2"})
    found, line = used.stdout.splitlines()
    assert found.startswith("::error file=traces/v1-load.ndjson,")
    assert line == "::error title=replaylint::The SARIF file could not be written; the log says why."
    assert "cannot be written" in used.stderr
    assert "RL401" in used.summary


def test_the_examples_are_pinned_and_may_do_no_more_than_they_need() -> None:
    assert [each["permissions"] for each in workflows()] == [{"contents": "read"}, {}]
    of_jobs = [job.get("permissions") for each in workflows() for job in each["jobs"].values()]
    assert of_jobs == [None, {"contents": "read", "security-events": "write"}]
    pinned = [step["uses"].partition("@")[2] for steps in github_examples() for step in steps]
    assert len(pinned) == 6
    assert all(each == "COMMIT" or re.fullmatch(r"[0-9a-f]{40}", each) for each in pinned)
    for steps in github_examples()[:2]:
        assert steps[0]["with"] == {"persist-credentials": False}


def test_the_findings_can_be_uploaded_to_code_scanning(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "complete", "live-before-marker")
    _, action, upload = github_examples()[1]
    used = job.use({**action["with"], "python": quick})
    assert used.status == 1
    assert (upload["uses"].partition("@")[0], upload["if"]) == ("github/codeql-action/upload-sarif", "always()")
    (results,) = json.loads((job.workspace / upload["with"]["sarif_file"]).read_text(encoding="utf-8"))["runs"]
    (result,) = results["results"]
    assert result["ruleId"] == "RL301"
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "traces/live-before-marker.ndjson", "uriBaseId": "%SRCROOT%"}


@pytest.mark.parametrize("text", ["$(touch ran)`touch ran`; touch ran", "\"'; touch ran; '\"\ntouch ran"])
def test_nothing_in_an_input_is_run(text: str, job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "complete")
    for given in (dict.fromkeys(("recordings", "arguments", "sarif"), text) | {"python": quick}, {"python": text}):
        used = job.use(given)
        assert (used.status, used.outputs) == (2, {"status": "2"})
        assert "ran" not in files(job.workspace)


def test_nothing_in_the_checkout_is_taken_for_a_part_of_it(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "complete")
    for name in ("venv", "pip", "ensurepip", "shlex", "replaylint", "rich", "typer", "sitecustomize"):
        (job.workspace / f"{name}.py").write_text("raise SystemExit('it was run')\n", encoding="utf-8")
    used = job.use({"recordings": "traces", "python": quick}, PYTHONPATH=str(job.workspace))
    assert (used.status, used.stdout, used.stderr) == (0, "", "")


def test_what_cannot_be_installed_is_no_finding(job: Job, quick: str) -> None:
    recorded(job.workspace / "traces", "complete")
    used = job.use({"recordings": "traces", "python": quick}, PIP_FIND_LINKS="")
    assert (used.status, used.outputs, used.summary) == (2, {"status": "2"}, "")
    assert re.fullmatch(r"::error title=replaylint::It could not be installed; [^\n]*\n", used.stdout)
    assert "No matching distribution" in used.stderr


# pre-commit


def pre_commit(folder: Path, variables: Mapping[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return run([sys.executable, "-m", "pre_commit", *arguments], folder, variables)


def test_pre_commit_takes_the_manifest(tmp_path: Path) -> None:
    located("git")
    variables = {**GIT, "PRE_COMMIT_HOME": str(tmp_path / "kept")}
    checked = pre_commit(tmp_path, variables, "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml"))
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, "", "")


def test_the_hook_stops_what_is_wrong(tmp_path: Path, project: Path, machine: dict[str, str]) -> None:
    variables = {**GIT, **machine, "PRE_COMMIT_HOME": str(tmp_path / "kept"), "TMPDIR": str(tmp_path)}
    here = tmp_path / "here"
    recorded(here, "complete")
    (here / "notes.txt").write_text("no recording\n", encoding="utf-8")
    (here / "training.jsonl").write_text('{"prompt": "a", "completion": "b"}\n', encoding="utf-8")
    revision = done(["git", "rev-parse", "HEAD"], project, GIT).strip()
    config = pre_commit_example()
    config["repos"][0] |= {"repo": str(project), "rev": revision}
    (here / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    committed(here)
    clean = pre_commit(here, variables, "run", "--all-files")
    assert clean.returncode == 0, clean.stdout
    assert "Passed" in clean.stdout

    recorded(here, "v1-load")
    faulty = (SAMPLES / "live-before-marker.ndjson").read_bytes()
    (here / "live.jsonl.zst").write_bytes(zstandard.compress(faulty))
    done(["git", "add", "--all"], here, GIT)
    stopped = pre_commit(here, variables, "run")
    assert stopped.returncode == 1
    assert "- exit code: 1" in stopped.stdout
    found = re.findall(r"^(\S+):\d+: error (RL\d+)", stopped.stdout, re.MULTILINE)
    assert found == [("live.jsonl.zst", "RL301"), ("v1-load.ndjson", "RL401")]

    (here / "empty.ndjson").write_text("{}\n", encoding="utf-8")
    done(["git", "add", "--all"], here, GIT)
    assert "- exit code: 2" in pre_commit(here, variables, "run").stdout
