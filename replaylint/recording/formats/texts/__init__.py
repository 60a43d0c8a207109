"""Formats with a short text before each message."""
