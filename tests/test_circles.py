"""What was read of one recording is gone before the next: nothing is left that only the collector can free."""

from __future__ import annotations

import gc
import gzip
from typing import TYPE_CHECKING

import pytest
from orjson import dumps

from replaylint.analysis.lint import lint

if TYPE_CHECKING:
    from pathlib import Path

LINE = dumps({"ts": 1, "dir": "c2a", "msg": {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}}) + b"\n"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(gzip.compress(LINE * 20)[:-12], id="cut"),
        pytest.param(gzip.compress(LINE * 20)[:-8] + b"12345678", id="checksum"),
        pytest.param(b"\x1f\x8b" + LINE, id="no archive"),
        pytest.param(b"[" + LINE * 2 + b",", id="array"),
        pytest.param(b"words\n", id="no recording"),
        pytest.param(LINE * 2, id="initialize twice"),
    ],
)
def test_nothing_is_left_that_only_the_collector_can_free(content: bytes, tmp_path: Path) -> None:
    """The command line runs without it."""
    path = tmp_path / "t.ndjson"
    path.write_bytes(content)
    lint(path)  # imports make circles
    gc.collect()
    gc.disable()
    try:
        lint(path)
        assert gc.collect() == 0
    finally:
        gc.enable()
