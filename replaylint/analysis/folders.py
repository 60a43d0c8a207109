"""The recordings in a folder or an archive, and what else is there."""

from __future__ import annotations

import os
from typing import Final

from replaylint.recording.detect import NOT_A_RECORDING, OWN_OUTPUT
from replaylint.recording.source import IS_ARCHIVE

ANOTHER_PROTOCOL: Final = "another-protocol"
"""The error code of a recording of another protocol."""
PROMISES: Final = (".ndjson", ".jsonl")
"""Endings of names that promise a recording, in a folder."""
PACKED_ENDINGS: Final = (".gz", ".bz2", ".xz", ".zst")


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


def is_passed_over(path: str, code: str, message: str, *, named: bool = False) -> bool:
    """Whether a file that was found in a folder, and could not be read for this reason, is none of the recordings.

    A name that promises one is believed, unless the file is of another protocol or what replaylint wrote: a recording
    that is empty or broken shall not go unnoticed. Where files are `named` because of their names, `.jsonl` promises
    nothing: much else is called so.
    """
    promises = PROMISES[:1] if named else PROMISES
    if code == ANOTHER_PROTOCOL:
        return True
    name = path.lower()
    for ending in PACKED_ENDINGS:
        name = name.removesuffix(ending)
    return code == IS_ARCHIVE or (code == NOT_A_RECORDING and (message == OWN_OUTPUT or not name.endswith(promises)))
