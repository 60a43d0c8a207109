"""Commands, one file each: a module with a function, both named as the command.

It imports nothing: it is read before signals are held.
"""

from __future__ import annotations

DEFAULT = "check"
"""What `replaylint` does without a command's name."""

COMMANDS = {
    DEFAULT: "Lint recordings (the default).",
    "show": "Show one line of a recording, and what is known about it.",
    "extract": "Write the smallest recording that shows one resume.",
    "compare": "Compare two versions: what is new, and what became slower.",
    "explain": "Explain rules: what each means, an example, and how to fix it.",
    "rules": "List the rules.",
    "formats": "List the recording formats that are read.",
    "help": "Read the guide: outcomes, timings, settings, CI and more.",
}
