"""Files that are none to read: devices, and what the kernel writes for who looks."""

from __future__ import annotations

import os
import stat
from functools import cache

_OF_THE_KERNEL = ("/proc", "/sys", "/sys/kernel/debug", "/sys/kernel/tracing", "/dev")


def is_special(descriptor: int) -> bool:
    """Whether this open file is a device or one of the kernel's: these may never end, or hold secrets."""
    facts = os.fstat(descriptor)
    if stat.S_ISREG(facts.st_mode):
        return facts.st_dev in _kernels_devices()
    return not (stat.S_ISFIFO(facts.st_mode) or stat.S_ISSOCK(facts.st_mode) or stat.S_ISDIR(facts.st_mode))


@cache
def _kernels_devices() -> frozenset[int]:
    """The numbers of the file systems that hold no files."""
    root = os.stat("/").st_dev  # noqa: PTH116
    found = set()
    for path in _OF_THE_KERNEL:
        try:
            found.add(os.stat(path).st_dev)  # noqa: PTH116
        except OSError:
            continue
    return frozenset(found - {root})
