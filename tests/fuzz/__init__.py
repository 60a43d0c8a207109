"""Fuzzing by hand: `python -m tests.fuzz --help`."""
