"""Settings files: which one counts, what may stand there, and that everything else is one clear error."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylint.commands.settings import KEYS, SETTABLE, SettingsError, read
from tests.command_line import assert_one_line, assert_refused, run, saved, shell
from tests.conftest import ROOT
from tests.profiles import profile
from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.command_line import Result

DEFAULTS = """\
format = "text"  # default
# select is not set  # default
# ignore is not set  # default
# severity is not set  # default
# expect is not set  # default
# max-message is not set  # default
fail-on = "error"  # default
eof = "open"  # default
# input-format is not set  # default
# max-line is not set  # default
# max-gap is not set  # default
# max-replay is not set  # default
# max-total is not set  # default
# budget is not set  # default
# baseline is not set  # default
all = false  # default
color = "auto"  # default
quiet = false  # default
verbose = false  # default
"""


@pytest.fixture
def errors(tmp_path: Path) -> Path:
    """RL201 and RL212, both errors, at line 5."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").result(1, {})
    return saved(tmp_path, "errors.ndjson", recording)


def settle(folder: Path, text: str, name: str = "replaylint.toml") -> Path:
    """A settings file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def in_force(folder: Path, *arguments: str | Path) -> dict[str, tuple[str, str]]:
    """Of each setting that is not as usual, its value and where that is from."""
    result = run("--show-settings", *arguments, cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")
    lines = [each.partition("  # ") for each in result.stdout.splitlines() if not each.endswith("  # default")]
    return {line.partition(" = ")[0]: (line.partition(" = ")[2], origin) for line, _, origin in lines}


def rules(result: Result) -> list[str]:
    return re.findall(r"(?:error|warning|info) (RL\d{3})", result.stdout)


# What is in force


def test_without_a_file_everything_is_as_usual(tmp_path: Path) -> None:
    result = run("--show-settings", cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (0, DEFAULTS, "")


def test_where_each_setting_is_from(tmp_path: Path) -> None:
    settle(
        tmp_path,
        """\
# fail-on = "info"
[tool.replaylint]
select = [  # two [
  "RL2",
  'RL3',  # ]
]
fail-on = "never"

severity = { RL212 = "warning" }
"max-gap" = \"""2\\
   s\"""
baseline = 'known.json'
quiet = true
""",
        "pyproject.toml",
    )
    (tmp_path / "below").mkdir()
    result = run(
        "--show-settings", "--ignore", "RL4,RL30", "--ignore=RL1", "--fail-on", "error", cwd=tmp_path / "below"
    )
    assert (result.returncode, result.stderr) == (0, "")
    changed = {
        "# select is not set  # default": 'select = ["RL2", "RL3"]  # ../pyproject.toml:3',
        "# ignore is not set  # default": 'ignore = ["RL4,RL30", "RL1"]  # command line',
        "# severity is not set  # default": 'severity = ["RL212=warning"]  # ../pyproject.toml:9',
        'fail-on = "error"  # default': 'fail-on = "error"  # command line',
        "# max-gap is not set  # default": 'max-gap = "2s"  # ../pyproject.toml:10',
        "# baseline is not set  # default": f'baseline = "{tmp_path}/known.json"  # ../pyproject.toml:12',
        "quiet = false  # default": "quiet = true  # ../pyproject.toml:13",
    }
    assert result.stdout == "".join(changed.get(line, line) + "\n" for line in DEFAULTS.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        'tool.replaylint.fail-on = "info"\n',
        '[tool]\nreplaylint = {"fail-on" = "info"}\n',
        '[tool]\nreplaylint.fail-on = "info"\n',
        '[ tool . "replaylint" ]\r\nfail-on = "info"\r\n',
        '\ufeff[tool.replaylint]\nfail-on = "info"',
    ],
)
def test_a_table_may_be_written_in_any_way(text: str, tmp_path: Path) -> None:
    settle(tmp_path, text, "pyproject.toml")
    line = 1 + text.partition("fail-on")[0].count("\n")
    assert in_force(tmp_path) == {"fail-on": ('"info"', f"pyproject.toml:{line}")}


def test_exceptions_are_shown_too(tmp_path: Path) -> None:
    settle(
        tmp_path,
        """\
[[agent]]
name = "one"
ignore = "RL201"
reason = "it is \\u001b[31mold"
until = 2027-03-01

[severity]
RL2 = "info"

[[agent]]  # the second
ignore = ["RL3",
  "RL4"]
name = "two"
version = "<0.120"
reason = "r"
""",
    )
    assert run("--show-settings", cwd=tmp_path).stdout.splitlines()[-2:] == [
        (
            'agent = {name = "one", ignore = "RL201", reason = "it is \\u001b[31mold", until = "2027-03-01"}'
            "  # replaylint.toml:1"
        ),
        'agent = {ignore = ["RL3", "RL4"], name = "two", version = "<0.120", reason = "r"}  # replaylint.toml:10',
    ]
    assert in_force(tmp_path)["severity"] == ('["RL2=info"]', "replaylint.toml:7")


def test_several_exceptions_on_one_line(tmp_path: Path) -> None:
    text = (
        'agent = [{name = "a", ignore = "RL1", reason = "r"}, {name = "b", ignore = "RL1", reason = "r"}]\nall = true\n'
    )
    settle(tmp_path, text)
    shown = run("--show-settings", cwd=tmp_path).stdout.splitlines()
    assert [each.rpartition("  # ")[2] for each in shown if each.startswith("agent")] == ["replaylint.toml:1"] * 2
    assert in_force(tmp_path)["all"] == ("true", "replaylint.toml:2")


# Which file counts


def test_the_nearest_folder_counts(tmp_path: Path) -> None:
    settle(tmp_path, 'fail-on = "info"\nquiet = true\n')
    settle(tmp_path / "a", '[tool.replaylint]\nfail-on = "never"\n', "pyproject.toml")
    (tmp_path / "a" / "b").mkdir()
    assert in_force(tmp_path / "a" / "b") == {"fail-on": ('"never"', f"..{os.sep}pyproject.toml:2")}
    assert in_force(tmp_path) == {"fail-on": ('"info"', "replaylint.toml:1"), "quiet": ("true", "replaylint.toml:2")}


def test_in_one_folder_the_own_file_counts(tmp_path: Path) -> None:
    settle(tmp_path, '[tool.replaylint]\nfail-on = "never"\n', "pyproject.toml")
    settle(tmp_path, "")
    assert in_force(tmp_path) == {}


@pytest.mark.parametrize(
    "text", ["", "[project]\n", "[tool.other]\nreplaylint = 1\n", "broken", "tool = 3 # replaylint\n", '"\ud800' * 9]
)
def test_a_pyproject_without_the_table_does_not_count(text: str, tmp_path: Path) -> None:
    settle(tmp_path, "quiet = true\n")
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "pyproject.toml").write_bytes(text.encode(errors="surrogatepass"))
    assert in_force(tmp_path / "below") == {"quiet": ("true", f"..{os.sep}replaylint.toml:1")}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_only_files_count(tmp_path: Path) -> None:
    (tmp_path / "replaylint.toml").mkdir()
    os.mkfifo(tmp_path / "pyproject.toml")
    assert run("--show-settings", cwd=tmp_path).stdout == DEFAULTS


@pytest.mark.skipif(os.name == "nt", reason="a working folder cannot be deleted")
def test_the_working_folder_may_be_deleted(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    result = shell(f"cd {tmp_path}/gone && rmdir ../gone && tool", "--show-settings")
    assert (result.returncode, result.stdout, result.stderr) == (0, DEFAULTS, "")


def test_the_search_ends_at_the_repositorys_root(tmp_path: Path) -> None:
    settle(tmp_path, "quiet = true\n")
    below = tmp_path / "repository" / "a" / "b"
    below.mkdir(parents=True)
    assert in_force(below) == {"quiet": ("true", "../../../replaylint.toml:1")}
    git = tmp_path / "repository" / ".git"
    git.write_text("gitdir: elsewhere")  # as a work tree has it
    assert in_force(below) == {}
    git.unlink()
    git.mkdir()
    assert in_force(below) == {}
    settle(tmp_path / "repository", 'color = "never"\n')
    assert in_force(below) == {"color": ('"never"', "../../replaylint.toml:1")}


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="nobody else can give files away")
@pytest.mark.parametrize(
    ("file", "folder", "counts"), [(0, 0, True), (1, 0, False), (1, 1, True), (0, 1, True), (2, 1, False)]
)
def test_whose_settings_count(file: int, folder: int, counts: bool, tmp_path: Path) -> None:
    """The user's own, who is 0 here, and those of whom the working folder belongs to."""
    (tmp_path / "below").mkdir()
    os.chown(tmp_path / "below", folder, -1)
    os.chown(settle(tmp_path, "quiet = true\n"), file, -1)
    os.chown(settle(tmp_path, "[tool.replaylint]\nall = true\n", "pyproject.toml"), file, -1)
    result = run("--show-settings", cwd=tmp_path / "below")
    assert ("quiet = true" in result.stdout) == counts
    complaint = "belongs to another user, so it is not read for settings"
    names = () if counts else ("replaylint.toml", "pyproject.toml")
    assert result.stderr == "".join(f"replaylint: {tmp_path}/{name}: {complaint}\n" for name in names)


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
@pytest.mark.parametrize("name", ["replaylint.toml", "pyproject.toml"])
def test_a_link_out_of_its_folder_does_not_count(name: str, tmp_path: Path) -> None:
    here = tmp_path / "here"
    settle(here / "below", "[tool.replaylint]\nquiet = true\n" if name[0] == "p" else "quiet = true\n", "real.toml")
    (here / name).symlink_to("below/real.toml")
    assert in_force(here) == {"quiet": ("true", f"{name}:{2 if name[0] == 'p' else 1}")}
    (here / name).unlink()
    for target in ("../secret", "/proc/self/environ", "/proc/kmsg"):
        (tmp_path / "secret").write_text("SECRET = 1\n")
        (here / name).symlink_to(target)
        result = run("--show-settings", cwd=here)
        assert (result.returncode, result.stdout) == (0, DEFAULTS)
        complaint = "leads out of its folder, so it is not read for settings"
        assert result.stderr == (
            f"replaylint: {here}/{name}: {complaint}\n" if Path(target).exists() or target[0] == "." else ""
        )
        (here / name).unlink()


# What may stand there


VALUES = {
    "format": '"concise"',
    "select": '["RL2", "live-before-marker,RL303"]',
    "ignore": '"RL2"',
    "severity": '["RL201=warning"]',
    "expect": '["complete", "unmarked"]',
    "fail-on": '"never"',
    "eof": '"closed"',
    "input-format": '"envelope"',
    "max-line": '"1 MiB"',
    "max-gap": '"2s"',
    "max-replay": '"500ms"',
    "max-total": '".5 s"',
    "max-message": '"64 KiB"',
    "budget": '["p95(response_gap)<2s", "max(replay)<=5s"]',
    "baseline": '"a/known.json"',
    "all": "true",
    "color": '"never"',
    "quiet": "true",
    "verbose": "true",
}


def test_there_is_a_value_for_every_setting() -> None:
    assert VALUES.keys() == SETTABLE.keys()


@pytest.mark.parametrize("key", sorted(KEYS.keys() - SETTABLE.keys()))
def test_every_other_option_belongs_to_one_run(key: str, tmp_path: Path) -> None:
    settle(tmp_path, f'{key} = "x"\n')
    complaint = f"replaylint.toml:1: {key}: can only be given on the command line"
    assert run("x", cwd=tmp_path).stderr == f"replaylint: {complaint}\n"


@pytest.mark.parametrize("key", VALUES)
def test_every_setting_can_be_set(key: str, tmp_path: Path) -> None:
    settle(tmp_path, f"{key} = {VALUES[key]}\n")
    ((name, (value, origin)),) = in_force(tmp_path).items()
    wanted = json.loads(VALUES[key])
    if key == "baseline":
        wanted = f"{tmp_path}/a/known.json"
    elif key == "ignore":
        wanted = [wanted]
    assert (name, json.loads(value), origin) == (key, wanted, "replaylint.toml:1")


@pytest.mark.parametrize(
    ("text", "status", "found"),
    [
        ("", 1, ["RL201", "RL212"]),
        ('fail-on = "never"', 0, ["RL201", "RL212"]),
        ('select = ["RL201"]', 1, ["RL201"]),
        ('select = "RL3,RL212"', 1, ["RL212"]),
        ("select = []", 1, ["RL201", "RL212"]),
        ('ignore = ["missing-marker", "RL212"]', 0, []),
        ('severity = {RL2 = "info", RL212 = "warning"}', 0, ["RL201", "RL212"]),
        ('severity = "RL2=info,RL212=error"', 1, ["RL201", "RL212"]),
        ('severity = "RL212=error,RL2=info"', 0, ["RL201", "RL212"]),
        ('severity = {RL212 = "error", RL2 = "info"}', 1, ["RL201", "RL212"]),
        ('expect = "unmarked"', 1, ["RL201", "RL212"]),
        ('expect = "complete"', 1, ["RL201", "RL212", "RL406"]),
        ('max-gap = "1ms"', 1, ["RL201", "RL212", "RL401"]),
        ('budget = "max(total)<1ms"', 1, ["RL201", "RL212", "RL404"]),
    ],
)
def test_a_setting_does_what_the_option_does(
    text: str, status: int, found: list[str], errors: Path, tmp_path: Path
) -> None:
    settle(tmp_path, f'format = "concise"\n{text}\n')
    result = run(errors.name, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (status, "")
    assert sorted(rules(result)) == found


@pytest.mark.parametrize(
    "names",
    [
        ["RL", "RL2", "RL20", "RL201"],
        ["RL", "rl4", "RL40", "rl406"],  # RL4 and RL40 mean the same rules
        ["RL3", "RL32", "repeated-history"],
        ["RL406", "unexpected-outcome"],
    ],
)
def test_in_a_table_the_more_specific_name_counts(names: list[str], tmp_path: Path) -> None:
    for order in (names, names[::-1]):
        table = ", ".join(f'{name} = "info"' for name in order)
        settle(tmp_path, f"severity = {{{table}}}\n")
        assert json.loads(in_force(tmp_path)["severity"][0]) == [f"{name}=info" for name in names]


def test_the_command_line_comes_before_the_file_option_by_option(errors: Path, tmp_path: Path) -> None:
    settle(tmp_path, 'format = "json"\nselect = ["RL201"]\nfail-on = "never"\nmax-gap = "1ms"\n')
    result = run(errors.name, "-f", "concise", "--select", "RL212", "--select", "RL4", cwd=tmp_path)
    assert (result.returncode, sorted(rules(result))) == (0, ["RL212", "RL401"])
    assert run(errors.name, "-f", "concise", "--fail-on", "error", cwd=tmp_path).returncode == 1


@pytest.mark.parametrize("text", ["quiet = true", "broken", 'baseline = "absent"'])
def test_a_run_may_go_without_them(text: str, errors: Path, tmp_path: Path) -> None:
    usual = run(errors.name, cwd=tmp_path)
    settle(tmp_path, text)
    result = run("--no-settings", errors.name, cwd=tmp_path)
    assert (result.returncode, result.stdout, result.stderr) == (usual.returncode, usual.stdout, "")
    for order in (["--no-settings", "--show-settings"], ["--show-settings", "--no-settings"]):
        assert run(*order, cwd=tmp_path).stdout == DEFAULTS
    assert in_force(tmp_path, "--no-settings", "--max-gap=2s") == {"max-gap": ('"2s"', "command line")}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--select", "RL999"], "there is no rule 'RL999'"),
        (["--severity", "RL201"], "'RL201' says no severity"),
        (["--expect", "complet"], "did you mean complete?"),
        (["--max-gap", "2"], "'2' is not a duration"),
        (["--budget", "x"], "'x' is not a budget"),
        (["--max-line", "x"], "'x' is not a size"),
        (["--input-format", "envelop"], "did you mean envelope?"),
    ],
)
def test_what_a_run_would_refuse_is_not_in_force(options: list[str], words: str, errors: Path, tmp_path: Path) -> None:
    settle(tmp_path, "quiet = true")
    assert_refused(run("--show-settings", *options, cwd=tmp_path), words)
    assert_refused(run(errors.name, *options, cwd=tmp_path), words)


def test_paths_are_relative_to_the_file(errors: Path, tmp_path: Path) -> None:
    settle(tmp_path, '[tool.replaylint]\nbaseline = "known.json"\n', "pyproject.toml")
    (tmp_path / "below").mkdir()
    shutil.copy(errors, tmp_path / "below")
    first = run(errors.name, cwd=tmp_path / "below")
    assert_refused(first, "known.json: there is no such baseline")
    assert run(errors.name, "--write-baseline", "../known.json", cwd=tmp_path / "below").returncode == 0
    assert run(errors.name, cwd=tmp_path / "below").returncode == 0
    assert {each.name for each in tmp_path.iterdir()} == {"below", "errors.ndjson", "known.json", "pyproject.toml"}
    assert [each.name for each in (tmp_path / "below").iterdir()] == ["errors.ndjson"]
    assert run(errors.name, "--baseline", "absent.json", cwd=tmp_path / "below").returncode == 2


# For which commands


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["rules"], ["explain", "RL301"], ["formats"], ["compare", "--help"]]
)
def test_only_check_reads_them(arguments: list[str], tmp_path: Path) -> None:
    settle(tmp_path, "broken")
    result = run(*arguments, cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == run(*arguments, cwd=ROOT).stdout


def test_other_commands_take_no_notice(errors: Path, tmp_path: Path) -> None:
    settle(tmp_path, 'select = "RL3"\nformat = "json"\n')
    result = run("compare", errors.name, errors.name, cwd=tmp_path)
    assert result.stdout.startswith("before: ")
    assert "RL201" in result.stdout


# What is wrong


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('fail_on = "info"', "1: fail_on: there is no setting 'fail_on'; did you mean fail-on?"),
        ("\nagents = []", "2: agents: there is no setting 'agents'; did you mean agent?"),
        ("nonsense = 1", "1: nonsense: there is no setting 'nonsense'"),
        ('form = "text"', "1: form: there is no setting 'form'; did you mean format?"),
        ("everything = true", "1: everything: there is no setting 'everything'"),
        ('session = "s"', "1: session: can only be given on the command line"),
        ("statistics = true", "1: statistics: can only be given on the command line"),
        ('write-baseline = "x"', "1: write-baseline: can only be given on the command line"),
        ("quiet = 1", "1: quiet: has to be true or false, not a number"),
        ('all = "yes"', "1: all: has to be true or false, not a text"),
        ("format = 1.5", "1: format: has to be a text, not a number"),
        ("format = true", "1: format: has to be a text, not true or false"),
        ('format = "sarf"', "1: format: there is no value 'sarf'; did you mean sarif?"),
        ('fail-on = "fatal"', "1: fail-on: has to be one of error, warning, info, never"),
        ("max-gap = 2", "1: max-gap: has to be a text, not a number"),
        ("max-gap = 07:32:00", "1: max-gap: has to be a text, not a date or a time"),
        ('max-gap = "2"', "1: max-gap: '2' is not a duration: write a number with a unit, 2s or 500ms"),
        ('max-total = ""', "1: max-total: '' is not a duration: write a number with a unit, 2s or 500ms"),
        ("select = 2", "1: select: has to be a text or a list of texts, not a number"),
        ('select = ["RL2", 2]', "1: select: has to be a text or a list of texts, not a number"),
        ('select = ["RL2", ["RL3"]]', "1: select: has to be a text or a list of texts, not a list"),
        ('select = [\n"missing-maker"]', "1: select: there is no rule 'missing-maker'; did you mean missing-marker?"),
        ("ignore = {RL2 = true}", "1: ignore: has to be a text or a list of texts, not a table"),
        ("severity = 1", "1: severity: has to be a text or a list of texts, or a table, not a number"),
        ("severity = {RL2 = 1}", "1: severity: has to be a text for RL2, not a number"),
        ('[severity]\nRL2 = "eror"', "1: severity: there is no severity 'eror'; did you mean error?"),
        ('severity = "RL2"', "1: severity: 'RL2' says no severity: it has to be RULE=LEVEL, such as RL301=info"),
        ('expect = "complet"', "1: expect: there is no outcome 'complet'; did you mean complete?"),
        (
            'budget = "p95(gap)<2s"',
            "1: budget: there is no timing 'gap'",
        ),
        ('input-format = "envelop"', "1: input-format: there is no format 'envelop'; did you mean envelope?"),
        ('export = ["sarif=x"]', "1: export: can only be given on the command line"),
        ("force = true", "1: force: can only be given on the command line"),
        ('baseline = ""', "1: baseline: has to be the path of a file, not empty"),
        (
            "[tool.replaylint]\nquiet = true",
            "1: tool: in replaylint.toml the options stand at the top, without a table",
        ),
        (
            "\n[replaylint]\nquiet = true",
            "2: replaylint: in replaylint.toml the options stand at the top, without a table",
        ),
        ("tool = 1", "1: tool: there is no setting 'tool'"),
        ("no-settings = true", "1: no-settings: can only be given on the command line"),
        ("no-quiet = true", "1: no-quiet: there is no setting 'no-quiet'; did you mean quiet?"),
        ('severity = {nonsense = "info"}', "1: severity: there is no rule 'nonsense'"),
        ('agent = "x"', "1: agent: has to be a list of tables: write [[agent]] above each"),
        ("agent = [1]", "1: agent: has to be a list of tables: write [[agent]] above each"),
        ('[agent]\nname = "x"', "1: agent: has to be a list of tables: write [[agent]] above each"),
        ('[[agent]]\nname = "x"\n\n[[agent]]\n', "1: agent: ignore is missing"),
        (
            '[[agent]]\nname = "x"\nignore = "RL1"\nreason = "r"\n[[agent]]\nnme = ""',
            "5: agent: there is no key 'nme'; did you mean name?",
        ),
        ("[[agent]]\nx = 1", "1: agent: there is no key 'x'"),
        ("x =", "1: is not TOML: "),
        ('all = true\nx = "\n', "2: is not TOML: "),
        ('x = """\n', "1: is not TOML: "),
        ("all = true\nall = true", "2: is not TOML: "),
        ("\x1b[31m = 1", "1: is not TOML: "),
        ('"\\u001b[31m" = 1', "1: \\x1b[31m: there is no setting '\\x1b[31m'"),
        ('"a\\n::error::b" = 1', "1: a\\x0a:\\x3aerror:\\x3ab: there is no setting 'a\\n:\\x3aerror:\\x3ab'"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, complaint: str, errors: Path, tmp_path: Path) -> None:
    settle(tmp_path, text)
    result = run(errors.name, cwd=tmp_path)
    assert_refused(result)
    if complaint.endswith("is not TOML: "):  # what follows differs between versions of Python
        assert result.stderr.startswith(f"replaylint: replaylint.toml:{complaint}")
    else:
        assert result.stderr == f"replaylint: replaylint.toml:{complaint}\n"


def test_no_path_has_a_nul(errors: Path, tmp_path: Path) -> None:
    settle(tmp_path, 'baseline = "a\\u0000b"')
    assert_refused(run(errors.name, cwd=tmp_path), "replaylint.toml:1: baseline: ")
    assert_refused(run(errors.name, "--export=json=a\0b", "--no-settings", cwd=tmp_path), "no file has such a name")


@pytest.mark.parametrize("key", ["export", "write-baseline", "force", "client-file", "agent-file"])
def test_settings_cannot_act(key: str, errors: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    settle(here, f'{key} = "text=../precious"\n')
    (tmp_path / "precious").write_text("as it was")
    result = run(errors, cwd=here)
    assert_refused(result, f"replaylint.toml:1: {key}: can only be given on the command line")
    assert (tmp_path / "precious").read_text() == "as it was"
    assert [each.name for each in here.iterdir()] == ["replaylint.toml"]


BASELINE = '{"schema_version": 1, "tool": {"name": "replaylint", "version": "0"}, "findings": []}'


@pytest.mark.skipif(sys.platform == "win32", reason="links take rights there")
@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("../outside.json", "has to be in the folder of the settings, links followed"),
        ("{}/outside.json", "has to be in the folder of the settings, links followed"),
        ("a/../../outside.json", "has to be in the folder of the settings, links followed"),
        ("link.json", "has to be in the folder of the settings, links followed"),
        ("folder/outside.json", "has to be in the folder of the settings, links followed"),
        ("/proc/self/environ", "has to be in the folder of the settings, links followed"),
        ("/dev/zero", "has to be in the folder of the settings, links followed"),
        ("zero", "has to be in the folder of the settings, links followed"),
        ("pipe", "has to be a file, no pipe and no device"),
        ("a", "has to be a file, no pipe and no device"),
    ],
)
def test_a_baseline_of_settings_is_a_file_in_their_folder(value: str, words: str, errors: Path, tmp_path: Path) -> None:
    here = tmp_path / "here"
    (here / "a").mkdir(parents=True)
    (tmp_path / "outside.json").write_text(BASELINE)
    (here / "link.json").symlink_to("../outside.json")
    (here / "folder").symlink_to("..")
    (here / "zero").symlink_to("/dev/zero")
    os.mkfifo(here / "pipe")
    settle(here, f'baseline = "{value.format(tmp_path)}"\n')
    assert_refused(run(errors, cwd=here), f"replaylint.toml:1: baseline: {words}")
    if value != "pipe":
        return
    for inside in ("known.json", "a/known.json", f"{here}/known.json", "inner.json"):
        (here / "known.json").write_text(BASELINE)
        shutil.copy(here / "known.json", here / "a")
        (here / "inner.json").unlink(missing_ok=True)
        (here / "inner.json").symlink_to("a/known.json")
        settle(here, f'baseline = "{inside}"\n')
        assert run("-q", errors, cwd=here).returncode == 1


def test_a_baseline_is_bounded(errors: Path, tmp_path: Path) -> None:
    settle(tmp_path, 'baseline = "known.json"\n')
    with (tmp_path / "known.json").open("wb") as file:
        file.truncate((16 << 20) + 1)
    assert_refused(run(errors.name, cwd=tmp_path), "known.json: is larger than 16 MiB, so it is no baseline")


@pytest.mark.parametrize("name", ["replaylint.toml", "pyproject.toml"])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a" + ".a" * 400_000 + "= 1", "has a key of more than 16 names"),
        ("x = {a" + ".a" * 400_000 + "= 1}", "has a key of more than 16 names"),
        ('[a . "b" . ' + "'c'" + ".d" * 14 + "]", "has a key of more than 16 names"),
        (f"[{'a' * 500_000}]\n" + "".join(f"k{number}=1\n" for number in range(40_000)), "more than 10,000 names"),
        ("x = " + "[" * 500_000, "is nested deeper than 16 brackets"),
        ("x = " + "[" * 17 + "]" * 17, "is nested deeper than 16 brackets"),
        ("x = [" + "[]," * 300_000 + "]", "more than 10,000 names, values and brackets"),
        ("x = [" + "'',\n" * 10_001 + "]", "more than 10,000 names, values and brackets"),
        ('x = """' + '\\"""' * 150_000, "is not TOML"),
        ('x = "' + '\\"' * 450_000, "is not TOML"),
        ("#\n" * 400_000 + "x = 1", "there is no setting 'x'"),
        ("\n" * 900_000 + "x = 1", "there is no setting 'x'"),
        ('ignore = ["RL1"' + ', "RL1"' * 1000 + "]", "ignore: has more than 1000 entries"),
        ("severity = {" + ", ".join(f'k{number} = "info"' for number in range(1001)) + "}", "more than 1000 entries"),
        (f'ignore = "{"RL1," * 1024}RL2"', "ignore: is longer than 4096 characters"),
        ("k" * 900_000 + "= 1", "...: there is no setting with so long a name"),
        ("agent = [" + '{name = "a", ignore = "RL1", reason = "r"},' * 1001 + "]", "agent: there are more than 1000"),
        (f'agent = [{{name = "{"a" * 4097}", ignore = "RL1", reason = "r"}}]', "agent: is longer than 4096 characters"),
    ],
    ids=range(18),
)
def test_parsing_is_bounded(text: str, words: str, name: str, tmp_path: Path) -> None:
    """Each of these took a minute or a gigabyte, or would."""
    settle(tmp_path, text if name[0] == "r" else f"[tool.replaylint]\n{text}", name)
    result = run("x", cwd=tmp_path)
    assert_refused(result, f"replaylint: {name}:", words)
    assert len(result.stderr) < 5000


@pytest.mark.parametrize("line", [b"tool" + b" " * 900_000, b" " * 900_000 + b"tool", b"[" + b" " * 900_000 + b"tool"])
def test_looking_for_the_table_is_bounded(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_bytes(b"# replaylint\n" + line)
    assert run("--show-settings", cwd=tmp_path).stdout == DEFAULTS


def test_as_much_as_is_sane_is_read(tmp_path: Path) -> None:
    tables = "".join(
        f'[[agent]]\nname = "agent {number}"\nversion = "<{number}"\nignore = ["RL1", "RL2"]\nreason = "r"\n'
        for number in range(500)
    )
    rules = ", ".join(['"RL1"'] * 500)
    settle(tmp_path, f"ignore = [{rules}]\n" + "# a.b" * 30 + "\n" + tables)
    assert len(run("--show-settings", cwd=tmp_path).stdout.splitlines()) == len(DEFAULTS.splitlines()) + 500


def test_it_may_be_nested_deeply(tmp_path: Path) -> None:
    settle(tmp_path, "x = " + "[" * 5000)
    assert_refused(run("x", cwd=tmp_path), "replaylint.toml:", "nested")


def test_it_is_wrong_however_the_command_line_has_it(errors: Path, tmp_path: Path) -> None:
    settle(tmp_path, 'fail-on = "fatal"')
    assert_refused(run(errors.name, "--fail-on", "never", cwd=tmp_path), "replaylint.toml:1: fail-on: ")
    assert_refused(run("--show-settings", cwd=tmp_path), "replaylint.toml:1: fail-on: ")


def test_of_a_pyproject_too(tmp_path: Path) -> None:
    path = settle(tmp_path, "[tool]\nreplaylint = 3\n", "pyproject.toml")
    assert_refused(run("x", cwd=tmp_path), "pyproject.toml: tool.replaylint has to be a table, not a number")
    path.write_text("[project]\nx = 1\n\n[tool.replaylint]\n# all = 1\nal = true\n")
    assert_refused(run("x", cwd=tmp_path), "pyproject.toml:6: al: there is no setting 'al'; did you mean all?")
    path.write_text("[tool.replaylint]\nall = true\n[tool.replaylint.agent]\nname = 'x'\n")
    hint = "pyproject.toml:3: agent: has to be a list of tables: write [[tool.replaylint.agent]] above each"
    assert_refused(run("x", cwd=tmp_path), hint)
    path.write_text("[tool.replaylint]\ntool = {}\n")
    assert_refused(run("x", cwd=tmp_path), "pyproject.toml:2: tool: there is no setting 'tool'")
    path.write_text("[tool.replaylint]\n[tool.other\n")
    assert_refused(run("x", cwd=tmp_path), "pyproject.toml:2: is not TOML: ")
    path.write_text("[[tool.replaylint.agent]]\nname = 3\nignore = 'RL1'\nreason = 'r'\n")
    assert_refused(run("x", cwd=tmp_path), "pyproject.toml:1: agent: name has to be a text")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\xff\xfe\0", "is not UTF-8, at byte 1"),
        (b"# \x80", "is not UTF-8, at byte 3"),
        (b"\0" * 10, "1: is not TOML: "),
        (b"#" * ((1 << 20) + 1), "is larger than 1 MiB"),
        (b"x = " + b"1" * 5000, "is not TOML: "),
        (b"x = [" + b"\n1," * 9_000 + b"]\n", "1: x: there is no setting 'x'"),
        (b"x = 1\n" + b"# [\n" * 200_000 + b'y = """\n' + b'"\n' * 1000 + b'"""', "1: x: there is no setting 'x'"),
    ],
    ids=range(7),
)
@pytest.mark.parametrize("name", ["replaylint.toml", "pyproject.toml"])
def test_any_bytes_are_refused(name: str, content: bytes, words: str, tmp_path: Path) -> None:
    if name == "pyproject.toml":
        begin = b"[tool.replaylint]\n"
        content = content[: len(content) - len(begin)] + begin if content.startswith(b"##") else begin + content
        words = re.sub("^1:", "2:", words) if words[0] == "1" else words.replace("byte ", f"byte {len(begin)} + ")
        words = words.partition(", at byte")[0]
    (tmp_path / name).write_bytes(content)
    assert_refused(run("x", cwd=tmp_path), f"replaylint: {name}:", words)


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="whoever runs this may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    settle(tmp_path, "").chmod(0)
    assert_one_line(run("x", cwd=tmp_path), "replaylint.toml: cannot be read: Permission denied")


def values() -> st.SearchStrategy[str]:
    """TOML values, of which many are what a setting takes."""
    known = st.sampled_from([*VALUES.values(), "1", "-1.5", "nan", "2027-03-01", "07:32:00", "[]", "{}", "''"])
    texts = st.text(max_size=8).map(json.dumps)
    return st.recursive(
        known | texts,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
            st.dictionaries(st.sampled_from(["name", "ignore", "reason", "version", "until", "RL2"]), inner).map(
                lambda table: f"{{{', '.join(f'{key} = {value}' for key, value in table.items())}}}"
            ),
        ),
        max_leaves=6,
    )


NAMES = st.sampled_from([*VALUES, "agent", "session", "nonsense"])
DOCUMENTS = st.one_of(
    st.dictionaries(NAMES, values(), max_size=4).map(lambda table: "\n".join(f"{k} = {v}" for k, v in table.items())),
    st.lists(st.dictionaries(st.sampled_from(["name", "ignore", "reason", "version", "until"]), values())).map(
        lambda tables: "\n".join("[[agent]]\n" + "\n".join(f"{k} = {v}" for k, v in each.items()) for each in tables)
    ),
    st.text(),
)


@contextmanager
def placed(content: bytes, *, shared: bool) -> Iterator[Path]:
    """A settings file."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pyproject.toml" if shared else "replaylint.toml")
        path.write_bytes(content)
        yield path


@profile(300)
@given(st.one_of(DOCUMENTS.map(lambda text: text.encode(errors="surrogatepass")), st.binary()), st.booleans())
def test_whatever_a_file_holds_one_error_is_raised(content: bytes, shared: bool) -> None:
    content = b"[tool.replaylint]\n" + content if shared else content
    with placed(content, shared=shared) as path, suppress(SettingsError):
        found = read(str(path))
        assert found is not None
        assert found.values.keys() <= {*SETTABLE.values()}
