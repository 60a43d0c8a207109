"""The order of the rooms: a module imports from its own room and those above it, and never in a circle."""

from __future__ import annotations

import ast
import tomllib
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING, Final

import pytest

import replaylint
from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROOMS: Final = (
    *("errors", "version"),
    *("recording", "protocol", "replay", "history", "rules", "statistics", "report", "policies", "analysis", "views"),
    *("render", "record", "probe", "commands"),
    *("cli", "testing", "__init__", "__main__"),
)
"""The folders and modules of the package, from the top of the house down; some folders are still to be built."""


def test_every_import_goes_up() -> None:
    assert list(problems(ROOT / "replaylint")) == []


def test_the_version_is_the_package_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert replaylint.__version__ == project["version"]


def problems(package: Path) -> Iterator[str]:
    """What is wrong with the imports of this package, wherever they stand: in functions and TYPE_CHECKING, too."""
    modules = {name_of(path, package): path for path in sorted(package.rglob("*.py"))}
    unlisted = {room for name in modules if (room := room_of(name)) not in ROOMS}
    yield from (f"{room}: is in no list of rooms" for room in sorted(unlisted))
    graph = {name: set(imports(name, path, modules)) for name, path in modules.items()}
    for name, imported in graph.items():
        for other in sorted(imported):
            rooms = room_of(name), room_of(other)
            if not unlisted.intersection(rooms) and ROOMS.index(rooms[0]) < ROOMS.index(rooms[1]):
                yield f"{name}: imports {other}, from a room below"
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"a circle: {' imports '.join(reversed(error.args[1]))}"


def name_of(path: Path, package: Path) -> str:
    """The dotted name of the module at this path; a package's own is that of its `__init__`."""
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def room_of(module: str) -> str:
    """The folder or file in the package that this module is in or is."""
    return module.split(".")[1] if "." in module else "__init__"


def imports(name: str, path: Path, modules: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that this one imports."""
    home = name.split(".") if path.stem == "__init__" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = home[: len(home) - node.level + 1] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            # What is imported from a package may be a module of it.
            names = [full if (full := f"{source}.{each.name}") in modules else source for each in node.names]
        else:
            continue
        yield from (each for each in names if each in modules)


# The check itself, on packages made up


def made(folder: Path, modules: dict[str, str]) -> Path:
    """A package `house` of these modules, by their paths."""
    package = folder / "house"
    for path, source in {"__init__.py": "", **modules}.items():
        file = package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source, encoding="utf-8")
    return package


@pytest.mark.parametrize(
    "source",
    [
        "import house.render.text",
        "import house.render.text as text",
        "from house.render import text",
        "from house.render.text import render",
        "from ..render.text import render",
        "def late():\n    from house.render import text",
        "if TYPE_CHECKING:\n    from house.render.text import render",
    ],
)
def test_an_import_from_a_room_below_is_found(tmp_path: Path, source: str) -> None:
    package = made(tmp_path, {"report/model.py": source, "render/__init__.py": "", "render/text.py": ""})
    assert [*problems(package)] == ["house.report.model: imports house.render.text, from a room below"]


@pytest.mark.parametrize("path", ["report/__init__.py", "report/parts/model.py", "errors.py", "version.py"])
def test_every_module_has_a_room(tmp_path: Path, path: str) -> None:
    found = [*problems(made(tmp_path, {path: "from house import cli", "cli.py": ""}))]
    assert [each.split(": ")[1] for each in found] == ["imports house.cli, from a room below"]


def test_what_a_package_holds_itself_is_below_all(tmp_path: Path) -> None:
    package = made(tmp_path, {"__init__.py": "__version__ = '1'", "testing.py": "from house import __version__"})
    assert [*problems(package)] == ["house.testing: imports house, from a room below"]


def test_imports_that_go_up_are_no_problem(tmp_path: Path) -> None:
    up = [
        "import json, other.cli",
        "from house.errors import Oops",
        "from .table import draw",
        "from house import report",
    ]
    modules = {
        "render/text.py": "\n".join(up),
        "report/__init__.py": "",
        "render/table.py": "",
        "report/model.py": "",
        "errors.py": "",
        "cli.py": "",
    }
    assert [*problems(made(tmp_path, modules))] == []


def test_a_circle_is_found(tmp_path: Path) -> None:
    modules = {
        "report/model.py": "from house.report.findings import find",
        "report/findings.py": "def find():\n    from house.report import groups",
        "report/groups.py": "if TYPE_CHECKING:\n    from house.report.model import Report",
    }
    [found] = problems(made(tmp_path, modules))
    way = found.removeprefix("a circle: ").split(" imports ")
    assert way[0] == way[-1]
    ring = ["house.report.model", "house.report.findings", "house.report.groups"]
    at = ring.index(way[0])
    assert way[:-1] == ring[at:] + ring[:at]


def test_a_folder_that_is_in_no_list_is_found(tmp_path: Path) -> None:
    package = made(tmp_path, {"attic/box.py": "import house.cli", "cli.py": ""})
    assert [*problems(package)] == ["attic: is in no list of rooms"]
