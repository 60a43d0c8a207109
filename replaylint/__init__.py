"""replaylint: a linter for recordings of the Agent Client Protocol."""

__version__ = "0.1.0"
