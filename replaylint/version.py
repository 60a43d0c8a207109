"""The version of replaylint. A module of its own, so that every room can say it."""

from __future__ import annotations

from typing import Final

__version__: Final = "0.1.0"
