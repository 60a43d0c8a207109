"""Mutants one after the other, in a copy of the project: which of them do the tests not notice?"""

from __future__ import annotations

import compileall
import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from py_compile import PycInvalidationMode
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tests.mutants.mutations import Mutant, mutants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

ROOT: Final = Path(__file__).resolve().parent.parent.parent
MUTATED: Final = ("replaylint/protocol", "replaylint/replay", "replaylint/rules")
COPIED: Final = ("replaylint", "tests", "sample_traces", ".github", "README.md", "pyproject.toml")

PYTEST: Final = ("-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-n0")
FILES: Final = (
    *("protocol", "other_protocols", "words", "open_ends", "exchange", "connection", "states", "fragments", "clocks"),
    *("testing", "expect", "severity", "text", "rules", "interleaving", "outcomes", "reinitialize", "bounds", "memory"),
    *("show", "reading", "several", "render", "timeline", "explain", "extract", "latency", "mutations"),
)
"""Tests about what a recording means, the quickest first."""

CPU_S: Final = 300
"""A mutant that takes longer never ends: the tests take a tenth of it."""
MEMORY_BYTES: Final = 4_000_000_000

EQUIVALENT: Final[dict[tuple[str, str, str], str]] = {
    (
        "replaylint/replay/children.py",
        "connection: Connection, marker: UnownedMarker, *, window: Window | None = None, first: bool = True",
        "False",
    ): "whether it is the first of its window is asked only of a marker that has one",
    (
        "replaylint/replay/engine.py",
        "if not pause <= window.longest_pause and window.longest_pause == window.longest_pause:",
        "(pause < window.longest_pause)",
    ): "of two pauses of one length, each is the longest",
    (
        "replaylint/replay/fold.py",
        "if not pause <= w.longest_pause:",
        "(pause < w.longest_pause)",
    ): "of two pauses of one length, each is the longest",
    (
        "replaylint/replay/fold.py",
        "elif not pause <= w.longest_pause and w.longest_pause == w.longest_pause:",
        "(pause < w.longest_pause)",
    ): "of two pauses of one length, each is the longest",
    (
        "replaylint/replay/traffic.py",
        "begins = trigger == Trigger.HISTORY and not window.last_line",
        "(trigger == Trigger.HISTORY)",
    ): "to enter the state that a window is in changes nothing: it takes time",
    (
        "replaylint/replay/traffic.py",
        "elif request.side is AGENT and session_id is not None:",
        "(request.side is AGENT)",
    ): "what is kept for no session is never looked up: this is for the type checker",
    (
        "replaylint/replay/traffic.py",
        "if error is None and request.side is not AGENT:",
        "(request.side is not AGENT)",
    ): "an error has no result that could name a session",
    (
        "replaylint/replay/traffic.py",
        "if request.method == methods.PROMPT and session_id is not None:",
        "(request.method == methods.PROMPT or session_id is not None)",
    ): "what is watched without a reason only costs time",
    (
        "replaylint/replay/engine.py",
        "if size > notable:",
        "(size >= notable)",
    ): "of two messages of one length, each is the longest",
    (
        "replaylint/replay/engine.py",
        "longest, self.longest, self._notable = self.longest, 0, -1",
        "2",
    ): "every length is more than this",
    **{
        (
            "replaylint/rules/rl106_malformed_response.py",
            'PLAIN: Final = frozenset({"jsonrpc", "id", "result"})',
            repr(f"{member}~"),
        ): "whatever has a fault has other members, too: this only saves a look"
        for member in ("jsonrpc", "id", "result")
    },
    (
        "replaylint/rules/runner.py",
        "gravest[key] = max(violation.severity, gravest.get(key, 0))",
        "1",
    ): "there is no severity below info",
    (
        "replaylint/replay/window.py",
        "self.unannounced = False",
        "True",
    ): "a marker and what came before an announcement are told before anything asks",
    (
        "replaylint/replay/window.py",
        "self.certain = False",
        "True",
    ): "a marker is told before anything asks",
    (
        "replaylint/replay/window.py",
        "self.response = resume.response or NOWHERE",
        "(resume.response)",
    ): "only the end of a connection leaves a request without a response, and nothing reads this after it",
    (
        "replaylint/rules/rl207_malformed_marker.py",
        'violation.what = variant or ""',
        "'~'",
    ): "what is among the names is a text that is not empty: this is for the type checker",
}
"""Changes that nobody can see, by file, line and new text, and why."""


class Broken(Exception):  # noqa: N818  (so is the copy)
    """The tests fail without any change."""


def all_mutants(root: Path) -> list[Mutant]:
    """Every mutant of the folders that are mutated, but those that are none."""
    paths = sorted(path for folder in MUTATED for path in (root / folder).rglob("*.py"))
    made = [each for path in paths for each in mutants(path.relative_to(root).as_posix(), path.read_bytes())]
    return [each for each in made if (each.path, each.code, each.new) not in EQUIVALENT]


def sample(made: Sequence[Mutant], seed: int) -> list[Mutant]:
    """The same ones in an order that the seed says."""
    return Random(seed).sample(made, len(made))  # noqa: S311  (no secret)


@contextlib.contextmanager
def copy(root: Path) -> Iterator[Path]:
    """A copy of the project to change, with what lies beside it."""
    with TemporaryDirectory(prefix="replaylint-mutants-") as folder:
        project = Path(folder) / "project"
        for name in COPIED:
            source, target = root / name, project / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                project.mkdir(exist_ok=True)
                shutil.copy2(source, target)
        if (root.parent / "shared").is_dir():
            (project.parent / "shared").symlink_to(root.parent / "shared")
        # Checked by their content: two changes of one length within a second would else be taken for one.
        compileall.compile_dir(project, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
        yield project


def commands(path: str) -> Iterator[tuple[str, ...]]:
    """What is run on a mutant of this file, until one fails."""
    name = Path(path).name
    yield "-m", "tests.mutants.quick", name.partition("_")[0].upper() if name.startswith("rl") else ""
    yield *PYTEST, *(f"tests/test_{each}.py" for each in FILES), "--deselect=tests/test_rules.py::test_a_recording"


def passes(project: Path, command: Iterable[str]) -> bool:
    """Whether this holds in that copy."""
    variables = {**os.environ, "PYTHONPATH": str(project), "PYTHONDONTWRITEBYTECODE": "1"}
    variables.pop("REPLAYLINT_UPDATE_GOLDEN", None)
    done = subprocess.run(
        [sys.executable, *command],
        cwd=project,
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        preexec_fn=_bounded if os.name == "posix" else None,
    )
    return done.returncode == 0


def _bounded() -> None:
    import resource  # noqa: PLC0415  (Windows has none)

    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def survives(project: Path, mutant: Mutant) -> bool:
    """Whether the tests pass with this change."""
    file = project / mutant.path
    source = file.read_bytes()
    file.write_bytes(mutant.applied(source))
    try:
        return all(passes(project, command) for command in commands(mutant.path))
    finally:
        file.write_bytes(source)


def survivors(project: Path, tried: Iterable[Mutant]) -> Iterator[tuple[Mutant, bool]]:
    """Each of these mutants, and whether it survives. Raises Broken where the tests fail already."""
    for command in commands(""):
        if not passes(project, command):
            raise Broken(" ".join(["python", *command]))
    for mutant in tried:
        yield mutant, survives(project, mutant)
