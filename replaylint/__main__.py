"""The command `replaylint`, also as `python -m replaylint`."""

# Before anything else: an interrupted import has no good end.
from replaylint.commands.interruption import hold, release

hold()

import atexit  # noqa: E402
import gc  # noqa: E402
import sys  # noqa: E402


def main() -> int:
    """Run the command line; returns its exit status."""
    # Imports make no garbage, and the collector would walk all that they make again and again, and once more at exit.
    gc.disable()
    atexit.register(gc.freeze)
    from replaylint import cli  # noqa: PLC0415

    try:
        try:
            return cli.main(ready=release)
        finally:
            hold()  # what is done cannot be interrupted any more
    except KeyboardInterrupt:  # a moment before
        return 130


if __name__ == "__main__":
    sys.exit(main())
