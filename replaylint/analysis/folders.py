"""The recordings in a folder."""

from __future__ import annotations

import os


def recordings_in(folder: str) -> list[str]:
    """Every file below this folder, sorted by path; some may be no recordings, which their content alone tells.

    Hidden files and folders are left out. A link to a file counts, one to a folder is not followed. A folder that
    cannot be looked into stands for what is in it: reading it gives the reason.
    """
    found = []
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as entries:
                for entry in entries:
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    elif os.path.isfile(entry.path):  # noqa: PTH113  (entry.is_file raises where links are a circle)
                        found.append(entry.path)
        except OSError:
            found.append(here)
    here = os.path.join(os.curdir, "")  # noqa: PTH118
    return sorted(path.removeprefix(here) for path in found)
