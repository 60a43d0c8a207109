"""Measure `replaylint check` against the figures to reach: CPU and wall time, peak memory, start-up.

    python -m tests.benchmarks.check [--megabytes 200] [--runs 5]

Everything is a ratio of two processes that run in turn on the same recording, so that a busy machine disturbs both.
The exit status is always 0: a figure that is not reached says `over`.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from argparse import ArgumentParser
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from orjson import loads

from replaylint.protocol.limits import IDS_REMEMBERED, SESSIONS_REMEMBERED
from tests.benchmarks import generate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tests.benchmarks.generate import Facts

    Output = Literal["null", "pipe"]

PYTHON: Final = sys.executable
LAUNCH: Final = (PYTHON, "-I", "-S", str(Path(__file__).with_name("launch.py")))
CHECK: Final = (PYTHON, "-m", "replaylint")
EMPTY: Final = (PYTHON, "-c", "pass")
IMPORTS: Final = (PYTHON, "-c", "import typer, orjson")
FLOOR_CODE: Final = """
import sys
from orjson import loads
with open(sys.argv[1], "rb") as file:
    for line in file:
        loads(line)
"""
FLOOR: Final = (PYTHON, "-c", FLOOR_CODE)

AS_INSTALLED: Final = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An installed package is compiled; without this every start would compile it anew."""

SPEED: Final = {"mixed": 1.5, "chunks": 2.0, "huge": 1.2, "many": None, "ids": None}
"""How many times the floor's time each profile may take; None where there is no figure to reach."""
FLAT: Final = ("mixed", "many")
"""Profiles whose memory as `ndjson` is measured, too."""
ASIDE_BYTES: Final = 60_000_000
"""A recording without a figure is no larger than this, and is measured once."""
START_UP: Final = 1.5
START_UP_BYTES: Final = 100_000

BASE_BYTES: Final = 60_000_000
RESUME_BYTES: Final = 1600
FINDING_BYTES: Final = 1000
LONGEST_LINES: Final = 3
ID_BYTES: Final = 130


class Use(NamedTuple):
    """What a process used: seconds, seconds, bytes."""

    cpu: float
    wall: float
    peak: int


class Row(NamedTuple):
    """A line of the table. `figure` is the ratio to reach, if there is one."""

    what: str
    profile: str
    ratios: list[float]
    figure: float | None
    remark: str = ""


def main() -> None:
    """Measure and print the table."""
    parser = ArgumentParser(prog="python -m tests.benchmarks.check", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--megabytes", type=float, default=200, help="size of each recording; in a small one the start-up counts"
    )
    parser.add_argument("--runs", type=int, default=5, help="pairs of runs for each figure")
    options = parser.parse_args()
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    sys.stdout.write(
        f"Python {platform.python_version()}, orjson {version('orjson')}, {os.cpu_count()} cores, load {load}; "
        f"{options.megabytes:g} MB, {options.runs} pairs of runs\n\n"
    )
    with TemporaryDirectory() as folder:
        rows = list(rows_of(Path(folder), int(options.megabytes * 1e6), max(1, options.runs)))
    write_table(rows)


def rows_of(folder: Path, size: int, runs: int) -> Iterator[Row]:
    """Each figure, measured."""
    path = folder / "trace.ndjson"
    empty = int(median(use(EMPTY).peak for _ in range(runs)))
    memory = []
    for profile, figure in SPEED.items():
        facts = generate.write(path, profile, size if figure is not None else min(size, ASIDE_BYTES))
        check, floor = pairs(json_of(path), (*FLOOR, str(path)), runs if figure is not None else 1)
        yield Row("CPU time over the floor's", profile, ratios(check, floor, lambda each: each.cpu), figure)
        yield Row("wall time over the floor's", profile, ratios(check, floor, lambda each: each.wall), figure)
        memory.append(memory_row(path, profile, facts, check, empty))
        if profile in FLAT:
            streamed = [use((*CHECK, str(path), "--format", "ndjson")) for _ in check]
            memory.append(flat_row(profile, facts, streamed, empty))
    yield from memory
    generate.write(path, "mixed", START_UP_BYTES)
    started, imported = pairs((*CHECK, str(path)), IMPORTS, 3 * runs, output="pipe")
    yield Row("start-up, CPU time", "mixed", ratios(started, imported, lambda each: each.cpu), START_UP)
    yield Row("start-up, wall time", "mixed", ratios(started, imported, lambda each: each.wall), START_UP)


def json_of(path: Path) -> tuple[str, ...]:
    """The command that lints this recording."""
    return (*CHECK, str(path), "--format", "json")


def memory_row(path: Path, profile: str, facts: Facts, uses: Sequence[Use], empty: int) -> Row:
    """Peak memory over an empty interpreter's, as a share of what this recording allows."""
    found = subprocess.run(json_of(path), stdout=subprocess.PIPE, check=False).stdout
    findings = len(loads(found)["findings"])
    allowed = (
        BASE_BYTES
        + RESUME_BYTES * facts.resumes
        + FINDING_BYTES * findings
        + LONGEST_LINES * facts.longest_line
        + ID_BYTES * min(facts.ids, IDS_REMEMBERED)
    )
    over = [each.peak - empty for each in uses]
    remark = f"{median(over) / 1e6:.1f} of {allowed / 1e6:.1f} MB"
    return Row("peak memory over its allowance", profile, [each / allowed for each in over], 1.0, remark)


def flat_row(profile: str, facts: Facts, uses: Sequence[Use], empty: int) -> Row:
    """The same of `ndjson`, to which neither resumes nor findings add anything."""
    allowed = (
        BASE_BYTES
        + LONGEST_LINES * facts.longest_line
        + ID_BYTES * (min(facts.ids, IDS_REMEMBERED) + min(facts.resumes, SESSIONS_REMEMBERED))
    )
    over = [each.peak - empty for each in uses]
    remark = f"{median(over) / 1e6:.1f} of {allowed / 1e6:.1f} MB; {facts.resumes} resumes"
    return Row("the same of ndjson", profile, [each / allowed for each in over], 1.0, remark)


def use(command: Sequence[str], output: Output = "null") -> Use:
    """What this command uses."""
    done = subprocess.run((*LAUNCH, output, *command), stdout=subprocess.PIPE, text=True, check=True, env=AS_INSTALLED)
    cpu, wall, peak, status = done.stdout.split()
    if status not in {"0", "1"}:
        sys.stderr.write(f"exit status {status}: {' '.join(command)}\n")
    return Use(float(cpu), float(wall), int(peak))


def pairs(one: Sequence[str], other: Sequence[str], runs: int, output: Output = "null") -> tuple[list[Use], list[Use]]:
    """Both commands in turn, after a run of each that does not count."""
    use(one, output)
    use(other, output)
    used = [(use(one, output), use(other, output)) for _ in range(runs)]
    return [first for first, _ in used], [second for _, second in used]


def ratios(ones: Iterable[Use], others: Iterable[Use], figure: Callable[[Use], float]) -> list[float]:
    """The ratio of each pair."""
    return [figure(one) / figure(other) for one, other in zip(ones, others, strict=True)]


def write_table(rows: Iterable[Row]) -> None:
    """Print the table, its columns aligned."""
    table = [("what", "profile", "ratio (median, min-max)", "figure", "", "")]
    for row in rows:
        middle = median(row.ratios)
        ratio = f"{middle:.2f} ({min(row.ratios):.2f}-{max(row.ratios):.2f})"
        figure = "" if row.figure is None else f"<= {row.figure:.1f}"
        verdict = "" if row.figure is None else "ok" if middle <= row.figure else "over"
        table.append((row.what, row.profile, ratio, figure, verdict, row.remark))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write("  ".join(cells).rstrip() + "\n")


if __name__ == "__main__":
    main()
