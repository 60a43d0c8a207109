"""A closer look at a recording or a report."""
