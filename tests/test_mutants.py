"""Mutants: each is one change, and one that no test notices is found."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT
from tests.mutants import __main__ as script
from tests.mutants import run
from tests.mutants.mutations import mutants
from tests.mutants.run import EQUIVALENT, MUTATED, all_mutants, sample

if TYPE_CHECKING:
    from pathlib import Path

CHECKED = 300
"""Mutants of the package that are looked at, in the order of the seed."""


def changed(before: object, after: object) -> list[tuple[object, object]]:
    """The smallest parts of two trees that are not the same."""
    if isinstance(before, ast.AST) and type(before) is type(after):
        parts = [changed(value, getattr(after, name)) for name, value in ast.iter_fields(before)]
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        parts = [changed(*each) for each in zip(before, after, strict=True)]
    else:
        return [] if before == after else [(before, after)]
    different = list(filter(None, parts))
    # Without one of its two operands, `and` may be the `or` that was the other one.
    whole = isinstance(before, ast.BoolOp) and len(different) > 1
    return [(before, after)] if whole else [pair for part in different for pair in part]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", ["(a <= b)"]),
        ("x = a is not None", ["(a is None)"]),
        ("x = a not in b", ["(a in b)"]),
        ("x = a < b <= c", ["(a <= b <= c)", "(a < b < c)"]),
        ("if a: pass", ["(not (a))"]),
        ("if not a: pass", ["(a)"]),
        ("if a == b: pass", ["(a != b)"]),
        ("x = [a for a in b if a.c]", ["(not (a.c))"]),
        ("x = a if b else c", ["(not (b))"]),
        ("while a: pass", ["(not (a))"]),
        ("x = a and b", ["(a or b)", "(b)", "(a)"]),
        ("x = a or b or c", ["(a and b and c)", "(b or c)", "(a or c)", "(a or b)"]),
        ("x = True", ["False"]),
        ("x = 0", ["1"]),
        ("x = -1.5", ["2.5"]),
        ("x = 'sessionId'", ["'sessionId~'"]),
        ("x = f'{a == 1} words'", []),
        ("x = None", []),
        ("'''Words.'''\ndef f(a: 'int' = 2) -> 'str':\n    '''Words.'''", ["3"]),
        ("x: Literal['a'] = 'b'\ny = cast('int', 1)", ["'b~'", "2"]),
        ("if TYPE_CHECKING:\n    x = 1", []),
    ],
)
def test_what_is_changed(source: str, expected: list[str]) -> None:
    assert [each.new for each in mutants("m.py", source.encode())] == expected


def test_a_mutant_says_where_it_is_and_what_it_does() -> None:
    source = "a = '\N{SNOWMAN}'\nb = ('\N{SNOWMAN}', len(a) < 1)\n".encode()
    first, second, third, fourth = mutants("m.py", source)
    assert (str(first), str(third)) == (
        "m.py:1: '\N{SNOWMAN}' → '\N{SNOWMAN}~' in a = '\N{SNOWMAN}'",
        "m.py:2: len(a) < 1 → (len(a) <= 1)",
    )
    assert third.applied(source).decode() == "a = '\N{SNOWMAN}'\nb = ('\N{SNOWMAN}', (len(a) <= 1))\n"
    assert (second.kind, third.kind, fourth.kind) == ("constant", "comparison", "constant")


def test_a_mutant_of_the_package_changes_one_node() -> None:
    for mutant in sample(all_mutants(ROOT), 1)[:CHECKED]:
        source = (ROOT / mutant.path).read_bytes()
        assert len(changed(ast.parse(source), ast.parse(mutant.applied(source)))) == 1, mutant


def test_every_folder_is_mutated_and_no_file_twice() -> None:
    made = all_mutants(ROOT)
    assert len(set(made)) == len(made)
    assert {"/".join(each.path.split("/")[:2]) for each in made} == set(MUTATED)


def test_what_nobody_can_see_is_still_there() -> None:
    paths = {path for path, _, _ in EQUIVALENT}
    made = {(each.path, each.code, each.new) for path in paths for each in mutants(path, (ROOT / path).read_bytes())}
    assert EQUIVALENT.keys() - made == set()
    assert all(EQUIVALENT.values())


# The search itself, in a project made up


SOURCE = "def sign(number):\n    return 1 if number > 0 else -1\n"
TESTS = "from replaylint.rules.sign import sign\n\ndef test_sign():\n    assert (sign(5), sign(-5)) == (1, -1)\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one module to change, whose test does not know what is neither positive nor negative."""
    files = {
        "replaylint/__init__.py": "",
        "replaylint/rules/__init__.py": "",
        "replaylint/rules/sign.py": SOURCE,
        "tests/__init__.py": "",
        "tests/test_sign.py": TESTS,
        "pyproject.toml": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(run, "commands", lambda _: [("-c", f"{TESTS}\ntest_sign()")])
    return tmp_path


def test_a_planted_survivor_is_found(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["mutants", "--mutants", "10"])
    assert script.main() == 1
    *survived, last = capsys.readouterr().out.splitlines()
    where = "replaylint/rules/sign.py:2: "
    assert sorted(each.partition(". ")[2] for each in survived) == [
        f"{where}0 → 1 in return 1 if number > 0 else -1",
        f"{where}number > 0 → (number >= 0)",
    ]
    assert last == "2 of 4 survived (50.0%); there are 4"
    assert (project / "replaylint/rules/sign.py").read_text(encoding="utf-8") == SOURCE


def test_what_fails_already_is_no_test(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "replaylint/rules/sign.py").write_text("", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["mutants"])
    assert script.main() == 2
    assert capsys.readouterr().out.startswith("fails without any change: python -c from replaylint")
