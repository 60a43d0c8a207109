"""From inputs to a report."""
