"""What tests share: recordings and schemas that are no part of the project, and what happens where they are missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NoReturn

import pytest

import tests.profiles  # noqa: F401  (it takes one)
from tests.command_line import saved
from tests.recordings import Recording

if TYPE_CHECKING:
    from collections.abc import Callable

    Packaged = Callable[[str, str, str], bytes]

ROOT = Path(__file__).resolve().parent.parent

REGISTRIES = {
    "npm": ["npm", "pack", "--silent", "--fetch-retries=0"],
    "pypi": [sys.executable, "-m", "pip", "download", "--quiet", "--retries=0", "--no-deps", "--no-binary=:all:"],
}
"""What fetches the source of a package into the working folder."""

FETCH_S = 120


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared recordings beside the project; the test is skipped where there is none."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        missing("shared", "there is no ../shared")
    return folder


@pytest.fixture(scope="session")
def network() -> None:
    """Who asks for it, also by another fixture, has the marker of this name."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the network, before tests are chosen by their markers."""
    for item in items:
        if isinstance(item, pytest.Function) and "network" in item.fixturenames:
            item.add_marker("network")


@pytest.fixture
def packaged(cache: pytest.Cache, network: None) -> Packaged:
    """Reads a file of a package of npm or PyPI, which pytest's cache keeps; without one, the test is skipped."""

    def read(registry: str, package: str, name: str) -> bytes:
        kept = cache.mkdir(package.replace("/", "-")) / Path(name).name
        if not kept.exists():
            fetched = kept.with_name(f"{kept.name}.{os.getpid()}")  # other processes may fetch it, too
            fetched.write_bytes(_fetched(registry, package, name))
            fetched.replace(kept)
        return kept.read_bytes()

    return read


def _fetched(registry: str, package: str, name: str) -> bytes:
    with TemporaryDirectory() as folder:
        fetch(registry, [*REGISTRIES[registry], package], Path(folder))
        (archive,) = Path(folder).iterdir()
        with tarfile.open(archive) as members:
            (member,) = (each for each in members if each.name.endswith(f"/{name}"))
            file = members.extractfile(member)
            assert file is not None
            return file.read()


def fetch(registry: str, command: list[str], folder: Path) -> None:
    """Run in the folder what fetches from a registry; where that is out of reach, the test is skipped."""
    program, *arguments = command
    found = located(program, registry)
    try:
        subprocess.run([found, *arguments], cwd=folder, capture_output=True, timeout=FETCH_S, check=True)
    except subprocess.SubprocessError as error:
        missing(registry, f"{arguments[-1]} cannot be fetched: {error}")


def located(program: str, needed_for: str | None = None) -> str:
    """Where a program is; the test is skipped where there is none."""
    found = shutil.which(program)
    if found is None:
        missing(needed_for or program, f"there is no {program}")
    return found


def missing(what: str, why: str) -> NoReturn:
    """Skip, saying why, or fail where REPLAYLINT_REQUIRE says that it has to be there."""
    if what in os.environ.get("REPLAYLINT_REQUIRE", "").split(","):
        pytest.fail(f"{why}, but REPLAYLINT_REQUIRE names {what}")
    pytest.skip(why)


# Recordings that end with each exit status


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    """A recording without findings."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").marker("s").idle("s").result(1, {})
    return saved(tmp_path, "clean.ndjson", recording)


@pytest.fixture
def errors(tmp_path: Path) -> Path:
    """RL201 and RL212, both errors, at line 5."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").result(1, {})
    return saved(tmp_path, "errors.ndjson", recording)


@pytest.fixture
def warnings(tmp_path: Path) -> Path:
    """RL209, a warning, at line 5."""
    recording = Recording().initialize_v2().resume(1, "s").message("s", "m1").error(1, -32603)
    return saved(tmp_path, "warnings.ndjson", recording)


@pytest.fixture
def infos(tmp_path: Path) -> Path:
    """RL005 at line 1 and RL105 at line 3, both infos."""
    recording = Recording().initialize_v2().client(1, "session/prompt", sessionId="s")
    return saved(tmp_path, "infos.ndjson", recording)


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A recording whose report is larger than any pipe's buffer, with an error in each of its resumes."""
    recording = Recording().initialize_v2()
    for ident in range(1, 2001):
        recording.resume(ident, f"session {ident}").result(ident, {})
    return saved(tmp_path, "large.ndjson", recording)


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A recording whose ids no narrow encoding has, with RL201 and RL212, in a file whose name it has not either."""
    session = "s-\N{SNOWMAN}-\U0001f600-\N{LATIN SMALL LETTER E WITH ACUTE}"
    recording = Recording().initialize_v2(agent="\N{CJK UNIFIED IDEOGRAPH-4E2D}").resume("\N{SNOWMAN}", session)
    recording.child(session, "\N{GREEK SMALL LETTER ALPHA}").result("\N{SNOWMAN}", {})
    return saved(tmp_path, "\N{SNOWMAN}.ndjson", recording)
