"""Where GitHub and GitLab look for a file: at its path in the repository, wherever the tool was started."""

from __future__ import annotations

import os
from functools import cache
from pathlib import PurePath

from replaylint.recording.source import STANDARD_INPUT


@cache  # findings are many, their paths are few
def address(path: str, checkout: tuple[str, str] | None) -> str:
    """The path from the root of the checkout where it lies in it, else as it was given; with slashes.

    No file is looked for, so no link is followed: in a path as it is shown, bytes that are no UTF-8 are escaped.
    """
    if checkout is not None and path != STANDARD_INPUT:
        root, whole = (PurePath(os.path.normpath(PurePath(checkout[1], each))) for each in (checkout[0], path))
        if whole.is_relative_to(root):
            return whole.relative_to(root).as_posix()
    return PurePath(path).as_posix()
