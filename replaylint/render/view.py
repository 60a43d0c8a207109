"""How a report is to be shown: everything that a renderer would otherwise have to ask its surroundings."""

from __future__ import annotations

from typing import Final, NamedTuple

SIGNS: Final = "\u2595\u258f\u00b7\u2588\u2591\u2190\u2192\N{MICRO SIGN}"
"""What is drawn with beyond ASCII: an output can show all of it, or has ASCII in its place."""


class View(NamedTuple):
    """What people asked for and what their output can show; formats for programs take no notice of it.

    `width`: the terminal's columns; None where none is drawn on, and nothing is wrapped. `unicode`: SIGNS can be
    shown. `everything`: fold no resume. `session`, `resume`: only the resumes of this session or
    child, only the resume of this number (1-based, in report order).
    """

    quiet: bool = False
    width: int | None = None
    colour: bool = False
    unicode: bool = True
    everything: bool = False
    session: str | None = None
    resume: int | None = None
