"""How a report is shown: everything that a renderer would otherwise have to ask its environment for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from replaylint.report.model import Report
    from replaylint.views.quotes import Place, Quote
    from replaylint.views.redaction import Redactor
    from replaylint.views.timeline import Timeline

SIGNS: Final = "\u2595\u258f\u00b7\u2588\u2591\u2190\u2192\N{MICRO SIGN}"
"""The characters beyond ASCII that are drawn with: an output either can show all of them or gets ASCII."""


class View(NamedTuple):
    """What the user asked for and what the output can show; formats for programs use `checkout` and `inputs` only.

    `width`: the terminal's columns; None: there is no terminal, and nothing is wrapped. `unicode`: SIGNS can be
    shown. `everything`: fold no resume. `statistics`: of all resumes, instead of each. `session`, `resume`: only the
    resumes of this session or child, only the resume of this number (1-based, in report order). `timelines`: of each
    resume by its number, to be shown below it. `quotes`: reads lines of the recordings again, redacted. `checkout`: the
    root of a CI system's checkout and the working folder, both absolute; None where no checkout is known. `inputs`: the
    files and folders that were named, as paths are shown; none: they are not known.
    """

    quiet: bool = False
    width: int | None = None
    colour: bool = False
    unicode: bool = True
    everything: bool = False
    statistics: bool = False
    session: str | None = None
    resume: int | None = None
    timelines: Mapping[int, Timeline] | None = None
    quotes: Callable[[Report, Redactor, Iterable[Place]], Mapping[Place, Quote]] | None = None
    checkout: tuple[str, str] | None = None
    inputs: Sequence[str] = ()
