"""Mutants of the package, tried by hand: `python -m tests.mutants --help`."""
