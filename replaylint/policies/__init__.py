"""What the user asks of a report: each policy is parsed from the options and applied to a finished report."""
