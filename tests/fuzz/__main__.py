"""Fuzz the linter: whatever a recording holds, there is a report as declared, or an error of ours.

    python -m tests.fuzz [--inputs 1000000] [--jobs 2] [--seed 1] [--first 0] [--metamorphic] [--failures FOLDER]

A run of the tests tries the first 2,000; the million is for a release, and for a change of the engine or of a format.
An input is a sample that one to four mutations went through. Its number and the seed say all of it, as long as the
samples stay the same. With `--metamorphic` it is a recording by a grammar instead, and its report has to stay the same
where it says the same otherwise: of these the tests try 500, a release 100,000. What fails is made small and written to
a file. Exit status: 0 nothing failed, 1 something did.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.run import fuzz, keep, report_on, say

if TYPE_CHECKING:
    from tests.fuzz.run import Tally


def main() -> int:
    """Fuzz, and say what came of it."""
    parser = ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=1_000_000, help="how many")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="in how many processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first input")
    parser.add_argument("--metamorphic", action="store_true", help="relations between recordings, not damaged ones")
    folder = Path(tempfile.gettempdir()) / "replaylint-fuzz-failures"
    parser.add_argument("--failures", type=Path, default=folder, help="the folder for inputs that failed")
    options = parser.parse_args()
    started = time.monotonic()
    shown = [started]

    def progress(total: Tally) -> None:
        if time.monotonic() - shown[0] > 30:
            shown[0] = time.monotonic()
            say(f"{total.inputs} inputs, {shown[0] - started:.0f} s, {len(total.failures)} kinds of failures")

    total = fuzz(options.inputs, options.jobs, options.seed, options.first, progress, metamorphic=options.metamorphic)
    report_on(total, options.jobs, options.seed, time.monotonic() - started)
    if total.failures:
        keep(total, options.seed, options.failures, metamorphic=options.metamorphic)
    return int(bool(total.failures))


if __name__ == "__main__":
    sys.exit(main())
