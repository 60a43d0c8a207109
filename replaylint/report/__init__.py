"""The report: what was found, as data."""
