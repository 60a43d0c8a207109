"""The version of replaylint. A module of its own, so that every room can say it."""

__version__ = "0.1.0"
