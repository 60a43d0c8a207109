"""Paths as a report shows them."""

from __future__ import annotations

import os

from replaylint.recording.source import STANDARD_INPUT


def shown_path(path: str) -> str:
    """The path as given, but relative where it is below the working folder; bytes that are no UTF-8 are escaped."""
    if path != STANDARD_INPUT and os.path.isabs(path):  # noqa: PTH117  (pathlib would cost at start-up)
        below = os.path.relpath(path)
        path = path if below.startswith(os.pardir) else below
    return os.fsencode(path).decode(errors="backslashreplace")
