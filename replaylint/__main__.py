"""The command `replaylint`, also as `python -m replaylint`."""

import atexit
import gc
import sys


def main() -> int:
    """Run the command line; returns its exit status."""
    # Imports make no garbage, and the collector would walk all that they make again and again, and once more at exit.
    gc.disable()
    atexit.register(gc.freeze)
    from replaylint import cli  # noqa: PLC0415

    return cli.main()


if __name__ == "__main__":
    sys.exit(main())
