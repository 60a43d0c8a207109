"""The documents of the project, and the examples in them: tests run these and compare what they print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Final

from tests.conftest import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

README: Final = ROOT / "README.md"
CONTRIBUTING: Final = ROOT / ".github" / "CONTRIBUTING.md"
CI: Final = ROOT / ".github" / "actions" / "replaylint" / "README.md"
RULES: Final = ROOT / "replaylint" / "rules" / "README.md"
FORMATS: Final = ROOT / "replaylint" / "recording" / "formats" / "README.md"
SAMPLES: Final = ROOT / "sample_traces" / "README.md"
GUIDE: Final = sorted((ROOT / "replaylint" / "guide").glob("*.md"))
DOCUMENTS: Final = [README, CONTRIBUTING, CI, RULES, FORMATS, SAMPLES, *GUIDE]

SESSION: Final = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
"""A block in which a line after `$ ` is a command, and the lines below it are what it prints."""

SECONDS: Final = 60


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def blocks(text: str, kind: str) -> list[str]:
    """What is in the fenced blocks of this kind, without the indentation of a list."""
    found = re.findall(r"^( *)```(\w*)\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)
    return [re.sub(f"^{indent}", "", block, flags=re.MULTILINE) for indent, each, block in found if each == kind]


def section(text: str, heading: str) -> str:
    """What is below this heading, up to the next one of its level."""
    return text.split(f"\n## {heading}\n")[1].split("\n## ", maxsplit=1)[0]


def table(text: str, header: str) -> list[list[str]]:
    """The rows of the table whose first column has this header, cell by cell."""
    found = re.search(rf"^\| {header} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found is not None
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in found[1].splitlines()]


class Shell:
    """Runs commands in a folder with the samples, in which `replaylint` is this project."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.status = 0
        """Of the last command."""
        shutil.copytree(ROOT / "sample_traces", folder / "sample_traces")
        programs = folder / ".programs"
        programs.mkdir()
        self.program(programs / "replaylint", f'exec "{sys.executable}" -m replaylint "$@"')
        self._environment = {
            **os.environ,
            "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
            "PYTHONUTF8": "1",
            "NO_COLOR": "1",
        }

    def program(self, path: Path, script: str) -> None:
        """Write a program of this folder."""
        path.write_text(f"#!/usr/bin/env bash\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def run(self, command: str) -> str:
        """What a command prints, on either stream."""
        result = subprocess.run(
            ["bash", "-c", f"exec 2>&1; (exit {self.status}); {command}"],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            timeout=SECONDS,
            check=False,
        )
        self.status = result.returncode
        return result.stdout


def run_again(text: str, folder: Path) -> str:
    """The document with what its commands print now, one after another in one folder, with its settings there."""
    shell = Shell(folder)
    for settings in blocks(text, "toml"):
        (folder / "replaylint.toml").write_text(settings, encoding="utf-8")

    def lines(session: str) -> Iterator[str]:
        for line in session.splitlines():
            if line.startswith("$ "):
                yield f"{line}\n{shell.run(line.removeprefix('$ '))}"

    return SESSION.sub(lambda found: f"```console\n{''.join(lines(found[1]))}```", text)
