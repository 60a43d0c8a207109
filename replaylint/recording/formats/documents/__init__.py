"""Formats that are one JSON document, or frame each message: they are read as a whole or by their lengths."""
