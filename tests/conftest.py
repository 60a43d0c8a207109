"""What tests share: where the recordings are that are not part of the project, and how to lint in one line."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared recordings beside the project; the test is skipped where there is none."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        missing("shared", "there is no ../shared")
    return folder


def missing(what: str, why: str) -> None:
    """Skip, saying why, or fail where REPLAYLINT_REQUIRE says that it has to be there."""
    if what in os.environ.get("REPLAYLINT_REQUIRE", "").split(","):
        pytest.fail(f"{why}, but REPLAYLINT_REQUIRE names {what}")
    pytest.skip(why)
