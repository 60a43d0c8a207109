"""replaylint: a linter for recordings of the Agent Client Protocol.

`lint` takes recordings, `Linter` takes messages one by one; both make a `Report`.
"""

from __future__ import annotations

from importlib import import_module

from replaylint.version import __version__

__all__ = [
    "Evidence",
    "Finding",
    "Linter",
    "Report",
    "Resume",
    "Session",
    "Timing",
    "Trace",
    "__version__",
    "lint",
]

TYPE_CHECKING = False  # importing `typing` takes as long as all of this
if TYPE_CHECKING:
    from replaylint.analysis.lint import lint
    from replaylint.analysis.linter import Linter
    from replaylint.report.model import Evidence, Finding, Report, Resume, Session, Timing, Trace
else:
    # Imported when it is first used: whoever imports a module of this package passes here, every command, too.
    _MODULES = {"lint": "replaylint.analysis.lint", "Linter": "replaylint.analysis.linter"}

    def __getattr__(name):
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_MODULES.get(name, "replaylint.report.model")), name)
        return found

    def __dir__():
        return sorted({*globals(), *__all__})
