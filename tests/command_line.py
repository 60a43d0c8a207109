"""The command line: in this process, which takes a tenth of the time, or in one of its own.

`run` gives `main` the descriptors, streams, variables and working folder that a process would have. `process` and
`shell` start one, for what only a process shows: signals, streams that are closed, how it starts and ends.
"""

from __future__ import annotations

import gc
import io
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import ExitStack, chdir, contextmanager, nullcontext, suppress
from functools import cache
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from unittest.mock import patch

from replaylint import cli
from replaylint.commands.files import STDERR
from replaylint.commands.terminal import CHECKOUTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from tests.recordings import Recording

    Result = subprocess.CompletedProcess[str]

TOOL = [sys.executable, "-m", "replaylint"]
FORMATS = ("text", "concise", "json")
SECONDS = 30
"""After this long, a process hangs."""

NARROW: list[dict[str, str]] = [
    {"LC_ALL": "C", "PYTHONUTF8": "0"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"PYTHONIOENCODING": "cp1252"},
    {"PYTHONIOENCODING": "ascii:strict"},
    {"PYTHONIOENCODING": "utf-16"},
]
"""Variables with which the streams have another encoding than UTF-8."""


def environment(**more: str) -> dict[str, str]:
    """This process's environment without what changes the output, and with these variables."""
    unwanted = ("PYTHON", "LC_", "LANG", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERMINAL_WIDTH", *CHECKOUTS)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(unwanted)}
    return {**kept, "PYTHONUTF8": "1", **more}


# In this process


def run(
    *arguments: str | Path,
    cwd: Path | None = None,
    stdin: str | int = "",
    variables: Mapping[str, str] | None = None,
    stdout: int | None = None,
    closed: Collection[int] = (),
) -> Result:
    """Run the tool in this process, as `run_bytes` does, and decode what it prints."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    status, *printed = run_bytes(*arguments, cwd=cwd, stdin=given, variables=variables, stdout=stdout, closed=closed)
    return subprocess.CompletedProcess(arguments, status, *(each.decode() for each in printed))


def run_bytes(
    *arguments: str | Path,
    cwd: Path | None = None,
    stdin: bytes | int = b"",
    variables: Mapping[str, str] | None = None,
    stdout: int | None = None,
    closed: Collection[int] = (),
) -> tuple[int, bytes, bytes]:
    """Run the tool in this process: exit status, standard output and standard error.

    `stdin` and `stdout` may be open descriptors, and what is printed is at that of `stdout` then. Those of 0 to 2 that
    are named in `closed` are closed.
    """
    collecting = gc.isenabled()
    encoded = encodings(variables or {})
    with (
        drained() as (output, printed),
        drained() as (complaint, complained),
        fed(stdin) if isinstance(stdin, bytes) else nullcontext(stdin) as given,
        patch.dict(os.environ, environment(**(variables or {})), clear=True),
        chdir(cwd) if cwd is not None else nullcontext(),
        descriptors([given, output if stdout is None else stdout, complaint], closed),
        streams(encoded, closed),
    ):
        status = cli.main(list(map(str, arguments)))
    (gc.enable if collecting else gc.disable)()
    return status, b"".join(printed), b"".join(complained)


@contextmanager
def fed(data: bytes) -> Iterator[int]:
    """The reading end of a pipe that this comes through."""
    reading, writing = os.pipe()

    def feed() -> None:
        with suppress(BrokenPipeError), os.fdopen(writing, "wb") as file:
            file.write(data)

    feeder = Thread(target=feed)
    feeder.start()
    try:
        yield reading
    finally:
        os.close(reading)  # whoever has not read all lets the feeder go
        feeder.join()


@contextmanager
def drained() -> Iterator[tuple[int, list[bytes]]]:
    """The writing end of a pipe, and what has come through it when all is done."""
    reading, writing = os.pipe()
    parts: list[bytes] = []

    def drain() -> None:
        with os.fdopen(reading, "rb") as file:
            parts.append(file.read())

    drainer = Thread(target=drain)
    drainer.start()
    try:
        yield writing, parts
    finally:
        os.close(writing)
        drainer.join()


@contextmanager
def descriptors(taken: Iterable[int], closed: Collection[int]) -> Iterator[None]:
    """These as the descriptors of standard input, output and error, but for those that are closed."""
    kept = [os.dup(number) for number in range(3)]
    try:
        for number, descriptor in enumerate(taken):
            os.dup2(descriptor, number)
            if number in closed:
                os.close(number)
        yield
    finally:
        for number, descriptor in enumerate(kept):
            os.dup2(descriptor, number)
            os.close(descriptor)


@contextmanager
def streams(encodings: Iterable[tuple[str, str]], closed: Collection[int]) -> Iterator[None]:
    """Streams of `sys` on the descriptors, with these encodings and handlers of errors; None where one is closed."""
    with ExitStack() as stack:
        for number, (encoding, errors) in enumerate(encodings):
            text = None
            if number not in closed:
                file = stack.enter_context(open(number, "wb" if number else "rb", closefd=False))
                text = stack.enter_context(io.TextIOWrapper(file, encoding, errors, line_buffering=number == STDERR))
            stack.enter_context(patch.object(sys, ("stdin", "stdout", "stderr")[number], text))
        yield


def encodings(variables: Mapping[str, str]) -> list[tuple[str, str]]:
    """Encoding and handler of errors of a process's standard input, output and error under these variables."""
    deciding = {name: value for name, value in variables.items() if name.startswith(("PYTHON", "LC_", "LANG"))}
    return _encodings(tuple(deciding.items()))


@cache
def _encodings(variables: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    script = (
        "import json, os, sys\n"
        "streams = sys.stdin, sys.stdout, sys.stderr\n"
        "os.write(1, json.dumps([[each.encoding, each.errors] for each in streams]).encode())"
    )
    asked = subprocess.run(
        [sys.executable, "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environment(**dict(variables)),
        check=True,
    )
    return [(encoding, errors) for encoding, errors in json.loads(asked.stdout)]


def unread(*arguments: str | Path) -> tuple[int, str]:
    """Exit status and standard error of the tool in this process where nobody reads the results."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = run(*arguments, stdout=writing)
    finally:
        os.close(writing)
    return result.returncode, result.stderr


def to_a_full_disk(*arguments: str | Path) -> Result:
    """Run the tool in this process while there is no space for the results."""
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        return run(*arguments, stdout=full.fileno())


# In a process


def process(
    *arguments: str | Path, cwd: Path | None = None, stdin: bytes = b"", variables: Mapping[str, str] | None = None
) -> tuple[int, bytes, bytes]:
    """What `run_bytes` does, in a process of its own."""
    done = subprocess.run(
        [*TOOL, *map(str, arguments)],
        capture_output=True,
        cwd=cwd,
        input=stdin,
        env=environment(**(variables or {})),
        timeout=SECONDS,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def shell(script: str, *arguments: str | Path) -> Result:
    """Run a shell script in which `tool` is the tool with these arguments."""
    command = shlex.join([*TOOL, *map(str, arguments)])
    return subprocess.run(
        ["bash", "-c", f"tool() {{ {command}; }}; {script}"],
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
        env=environment(),
        timeout=SECONDS,
        check=False,
    )


# What is expected of them


def saved(folder: Path, name: str, recording: Recording) -> Path:
    """The recording as a file of this name."""
    path = folder / name
    path.write_bytes(b"".join(line + b"\n" for line in recording.lines()))
    return path


def assert_refused(result: Result, *words: str) -> None:
    """Exit status 2, nothing but one clear line on standard error."""
    assert result.returncode == 2
    assert result.stdout == ""
    assert_one_line(result, *words)


def assert_one_line(result: Result, *words: str) -> None:
    """One clear line on standard error, with these words."""
    assert re.fullmatch(r"replaylint: [^\n]+\n", result.stderr), result.stderr
    assert "Traceback" not in result.stderr
    assert "internal error" not in result.stderr
    for word in words:
        assert word in result.stderr


def assert_hashes_do_not_matter(*calls: Sequence[str | Path], seeds: Iterable[int] = range(3)) -> None:
    """In processes in which texts have other hashes, the tool prints the same in each of these calls."""
    script = (
        "import json, sys\n"
        "from tests.command_line import run\n"
        "results = [run(*call) for call in json.load(sys.stdin)]\n"
        "json.dump([[each.returncode, each.stdout] for each in results], sys.stdout)"
    )
    results = [
        subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            encoding="utf-8",
            cwd=Path(__file__).parent.parent,
            input=json.dumps([list(map(str, call)) for call in calls]),
            env=environment(PYTHONHASHSEED=str(seed)),
            timeout=SECONDS,
            check=True,
        ).stdout
        for seed in seeds
    ]
    assert all(output for _, output in json.loads(results[0]))
    assert all(result == results[0] for result in results)
