"""Change one comparison, condition or constant of the package at a time: which change do the tests not notice?

    python -m tests.mutants [--mutants 300] [--seed 1] [--first 0] [--only PATH]

The seed says in which order the changes of `protocol/`, `replay/` and `rules/` are tried, as long as these stay the
same. They are made in a copy of the project, one after the other in one process. A change that survives needs a test;
or what was changed does not matter, and goes. Exit status: 0 none survived, 1 some did, 2 the tests fail without any.
"""

from __future__ import annotations

import sys
import time
from argparse import ArgumentParser

from tests.mutants.run import ROOT, Broken, all_mutants, copy, sample, survivors


def main() -> int:
    """Try mutants, and say which survive."""
    parser = ArgumentParser(prog="python -m tests.mutants", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--mutants", type=int, default=300, help="how many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--only", default="", help="a part of the paths of the files to change")
    options = parser.parse_args()
    made = sample([each for each in all_mutants(ROOT) if options.only in each.path], options.seed)
    tried = made[options.first : options.first + options.mutants]
    count, told = 0, time.monotonic()
    try:
        with copy(ROOT) as project:
            for number, (mutant, survived) in enumerate(survivors(project, tried), options.first):
                if survived:
                    count += 1
                    say(f"{number}. {mutant}")
                if time.monotonic() - told > 60:
                    told = time.monotonic()
                    say(f"{number + 1 - options.first} mutants, {count} survived")
    except Broken as error:
        say(f"fails without any change: {error}")
        return 2
    say(f"{count} of {len(tried)} survived ({count / max(len(tried), 1):.1%}); there are {len(made)}")
    return int(count > 0)


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
