"""Formats whose lines are no JSON objects by themselves: a short text stands before each message."""
