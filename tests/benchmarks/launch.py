"""Run a command and print what it used: CPU seconds, wall seconds, peak memory in bytes, exit status.

    launch.py null|pipe COMMAND...

The command's output goes to the null device or through a pipe. A child's peak memory starts from its parent's, so this
is a process of its own that is smaller than any interpreter that it starts: run it with `-I -S`.
"""

from __future__ import annotations

import os
import sys
import time

CHUNK_BYTES = 1 << 16
PEAK_UNIT = 1 if sys.platform == "darwin" else 1024


def main() -> None:
    """Run it."""
    output, *command = sys.argv[1:]
    reading, writing = os.pipe() if output == "pipe" else (-1, os.open(os.devnull, os.O_WRONLY))
    started = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, writing, 1)])
    os.close(writing)
    while reading >= 0 and os.read(reading, CHUNK_BYTES):
        pass
    _, status, used = os.wait4(child, 0)
    wall = time.perf_counter() - started
    exit_status = os.waitstatus_to_exitcode(status)
    sys.stdout.write(f"{used.ru_utime + used.ru_stime} {wall} {used.ru_maxrss * PEAK_UNIT} {exit_status}\n")


if __name__ == "__main__":
    main()
