"""Paths as GitHub and GitLab expect them: from the root of the repository, wherever the tool was started."""

from __future__ import annotations

import os
from functools import cache
from pathlib import PurePath

from replaylint.recording.source import STANDARD_INPUT


@cache  # findings are many, their paths are few
def address(path: str, checkout: tuple[str, str] | None) -> str:
    """The path from the root of the checkout if it is in there, else as it was given; with slashes.

    It follows no links: bytes that are not UTF-8 are escaped in the path, so the file may not be found by it.
    """
    if checkout is not None and path != STANDARD_INPUT:
        root, whole = (PurePath(os.path.normpath(PurePath(checkout[1], each))) for each in (checkout[0], path))
        if whole.is_relative_to(root):
            return whole.relative_to(root).as_posix()
    return PurePath(path).as_posix()
