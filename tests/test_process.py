"""The tool as a process of its own: it prints what it prints in that of the tests; its streams, signals and imports."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

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


# Signals

ENDING = [signal.SIGINT] if sys.platform == "win32" else [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]

posix = pytest.mark.skipif(sys.platform == "win32", reason="has no such signals, nor named pipes")


def started(*arguments: str | Path, cwd: Path | None = None) -> subprocess.Popen[bytes]:
    """The tool, to which signals mean what they usually do: a shell that starts tests may have them ignored."""

    def usual() -> None:
        for each in ENDING:
            signal.signal(each, signal.SIG_DFL)

    return subprocess.Popen(
        [*TOOL, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        cwd=cwd,
        preexec_fn=usual,  # noqa: PLW1509  (no thread is in Python when it forks)
    )


def read_in_part(*arguments: str | Path, pipe: Path, begin: bytes, number: int) -> tuple[int, bytes, bytes]:
    """Exit status and output of the tool that gets this signal while it waits for more of what comes from the pipe."""
    os.mkfifo(pipe)
    with started(*arguments, cwd=pipe.parent) as process, pipe.open("wb") as writer:  # waits for the reader
        writer.write(begin)
        writer.flush()
        process.send_signal(number)
        output, complaint = process.communicate(timeout=SECONDS)
    return process.returncode, output, complaint


@posix
@pytest.mark.parametrize("number", ENDING)
def test_an_interrupt_is_130_and_another_signal_128_and_its_number(
    number: signal.Signals, clean: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "fifo"
    ended = read_in_part(pipe, pipe=pipe, begin=clean.read_bytes(), number=number)
    assert ended == (128 + number, b"", b"")


@posix
@pytest.mark.parametrize("number", ENDING)
def test_a_signal_leaves_no_temporary_file(number: signal.Signals, clean: Path, tmp_path: Path) -> None:
    """Neither the copy of what can be read only once, nor the beginning of an output."""
    here, temporary = tmp_path / "here", tmp_path / "temporary"
    for folder in (here, temporary):
        folder.mkdir()
    pipe = here / "fifo"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(temporary))
        ended = read_in_part("show", f"{pipe}:1", pipe=pipe, begin=clean.read_bytes(), number=number)
    assert ended == (128 + number, b"", b"")
    assert [*temporary.iterdir()] == []


@posix
@pytest.mark.parametrize("number", ENDING)
def test_a_signal_leaves_no_part_of_an_output(number: signal.Signals, tmp_path: Path) -> None:
    script = (
        "import os, signal, sys\n"
        "from replaylint.commands import files, interruption\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # which may be ignored\n"
        "interruption.release()\n"
        "def pieces():\n"
        "    yield b'begun'\n"
        "    print(os.listdir()[0].startswith('.replaylint-'), flush=True)\n"
        "    os.kill(os.getpid(), int(sys.argv[1]))\n"
        "    yield b'never'\n"
        "try:\n"
        "    files.write_file('output', pieces())\n"
        "except (KeyboardInterrupt, SystemExit) as ended:\n"
        "    print(type(ended).__name__, os.listdir())\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, str(int(number))],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=environment(),
        timeout=SECONDS,
        check=True,
    )
    raised = "KeyboardInterrupt" if number == signal.SIGINT else "SystemExit"
    assert (result.stdout, result.stderr) == (f"True\n{raised} []\n", "")


@posix
def test_a_signal_that_is_ignored_still_is(clean: Path) -> None:
    """As nohup has it, and shells for what they run in the background."""
    for name in ("INT", "TERM", "HUP"):
        result = shell(f"trap '' {name}; (sleep 0.05; kill -{name} $$) & tool", "-f", "concise", clean)
        assert (result.returncode, result.stderr) == (0, "")


def holds_interrupts(process: int) -> bool:
    """Whether they wait: from the first thing that the tool does until all is imported, and again at its end."""
    held = re.search(r"^SigBlk:\s*([0-9a-f]+)$", Path(f"/proc/{process}/status").read_text(), re.MULTILINE)
    return held is not None and bool(int(held[1], 16) >> (signal.SIGINT - 1) & 1)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no telling what a process holds")
def test_no_interrupt_leaves_a_traceback(clean: Path) -> None:
    """Whenever it comes, once the tool has begun: what Python says that is interrupted as it starts is not ours."""
    endings = set()
    for wait in range(25):
        with started("-f", "concise", clean) as process:
            while not holds_interrupts(process.pid):
                assert process.poll() is None
            time.sleep(wait / 125)
            process.send_signal(signal.SIGINT)
            _, complaint = process.communicate(timeout=SECONDS)
        assert complaint == b""
        endings.add(process.returncode)
    assert endings <= {0, 130}
    assert 130 in endings


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
    assert b"\x1b[1;31merror[RL201]\x1b[0m" in output
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
