"""Bytes to messages: sources, detection, clocks and the recording formats."""
