"""The tool as a process of its own: it prints what it prints in that of the tests; its streams, signals and imports."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from replaylint import render
from replaylint.commands import COMMANDS
from tests.command_line import (
    FORMATS,
    NARROW,
    SECONDS,
    TOOL,
    environment,
    process,
    run_bytes,
    shell,
)

if TYPE_CHECKING:
    from pathlib import Path


COMPARED = [(["foreign", "clean.ndjson", "-"], each) for each in ({}, {"LC_ALL": "C"}, {"FORCE_COLOR": "1"}, *NARROW)]


@pytest.mark.parametrize(("arguments", "variables"), [*COMPARED, (["--help"], {}), (["--nonsense"], {})], ids=str)
def test_a_process_prints_what_this_one_prints(
    arguments: list[str], variables: dict[str, str], foreign: Path, clean: Path
) -> None:
    """That is why most tests of the command line do without one."""
    foreign.rename(foreign.parent / "foreign")  # what its name is in another encoding is left out
    here, apart = (
        each(*arguments, cwd=clean.parent, stdin=clean.read_bytes(), variables=variables)
        for each in (run_bytes, process)
    )
    assert here == apart


def test_a_process_whose_results_are_not_read(large: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        result = subprocess.run(
            [*TOOL, str(large)],
            stdout=writing,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=SECONDS,
            check=False,
        )
    finally:
        os.close(writing)
    assert (result.returncode, result.stderr) == (1, b"")


@pytest.mark.skipif(os.name == "nt", reason="closes no streams so")
@pytest.mark.parametrize(("redirections", "status"), [(">&-", 1), ("<&-", 1), ("<&- >&- 2>&-", 1), (">/dev/full", 2)])
def test_a_process_whose_streams_are_closed_or_full(redirections: str, status: int, errors: Path) -> None:
    result = shell(f"tool {redirections}", errors)
    assert result.returncode == status
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("form", FORMATS)
def test_a_reader_that_reads_one_line_changes_nothing(form: str, large: Path) -> None:
    result = shell("tool | head -n 1; exit ${PIPESTATUS[0]}", "-f", form, large)
    assert (result.returncode, result.stderr) == (1, "")
    assert result.stdout.count("\n") == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_an_interrupt_is_130(clean: Path, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with (
        subprocess.Popen(
            [*TOOL, str(fifo)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()
        ) as process,
        fifo.open("wb") as writer,  # waits for the reader
    ):
        writer.write(clean.read_bytes())
        writer.flush()
        process.send_signal(signal.SIGINT)
        output, complaint = process.communicate(timeout=SECONDS)
    assert (process.returncode, output, complaint) == (130, b"", b"")


@pytest.mark.parametrize("variables", NARROW, ids=str)
def test_no_encoding_is_too_narrow_for_errors(variables: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "\N{SNOWMAN}").write_text("\N{SNOWMAN}\n", encoding="utf-8")
    result = subprocess.run(
        [*TOOL, "\N{SNOWMAN}", "\U0001f600"],
        capture_output=True,
        cwd=tmp_path,
        env=environment(**variables),
        timeout=SECONDS,
        check=False,
    )
    complaint = result.stderr.replace(b"\0", b"")
    assert result.returncode == 2
    assert complaint.count(b"replaylint: ") == 2
    assert b"Traceback" not in complaint


@pytest.mark.skipif(sys.platform == "win32", reason="has no pseudo-terminals")
@pytest.mark.parametrize("columns", [60, 100])
def test_a_terminal_is_filled_and_not_overrun(columns: int, errors: Path) -> None:
    import fcntl  # noqa: PLC0415
    import pty  # noqa: PLC0415
    import struct  # noqa: PLC0415
    import termios  # noqa: PLC0415

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = environment(TERM="xterm")
    child = subprocess.Popen([*TOOL, errors.name], cwd=errors.parent, stdout=theirs, env=variables)
    os.close(theirs)
    output = b""
    with suppress(OSError):  # the end of a terminal
        while data := os.read(ours, 4096):
            output += data
    os.close(ours)
    assert child.wait(SECONDS) == 1
    assert b"\x1b[1;31merror RL201\x1b[0m" in output
    lines = re.sub(r"\x1b\[[0-9;]*m", "", output.decode()).split("\r\n")
    assert columns * 3 / 4 < max(map(len, lines)) <= columns


# Start-up


def imported(*arguments: str) -> set[str]:
    """The modules that a run with these arguments has imported."""
    code = (
        "import sys, replaylint.cli as cli\n"
        "sys.argv[0] = 'replaylint'\n"
        "status = cli.main()\n"
        "sys.stderr.write('\\n'.join(sys.modules))\n"
        "sys.exit(status)"
    )
    command = [sys.executable, "-c", code, *arguments]
    result = subprocess.run(
        command, capture_output=True, encoding="utf-8", env=environment(), timeout=SECONDS, check=True
    )
    return set(result.stderr.split("\n"))


@pytest.mark.parametrize("form", ["text", "concise", "json"])
def test_a_plain_run_imports_little(form: str, clean: Path) -> None:
    modules = imported("-f", form, str(clean))
    assert "replaylint.recording.formats.envelope" in modules
    assert modules.isdisjoint({f"replaylint.commands.{each}" for each in COMMANDS if each != "check"})
    assert not [each for each in modules if each.startswith("replaylint.views.")]
    assert modules.isdisjoint({"rich", "gzip", "hashlib", "jsonschema", "pydantic", "asyncio", "hypothesis"})
    assert {each for each in render.FORMATS if f"replaylint.render.{each}" in modules} == {form}
