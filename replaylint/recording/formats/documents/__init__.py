"""Formats that are one JSON document, or frame each message by its length."""
