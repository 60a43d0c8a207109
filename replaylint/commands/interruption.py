"""Signals that end a run. Each raises an exception, so that nothing half done stays behind; where none may be raised,
they are held.

The first module that a run imports, so it imports little itself.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from types import FrameType
else:
    import _signal as signal  # what `signal` wraps: that takes long to import, and an interrupt may come meanwhile

_ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_CAN_HOLD = hasattr(signal, "pthread_sigmask")


def hold() -> None:
    """From now on they wait."""
    if _CAN_HOLD:
        signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)


def release() -> None:
    """From now on they raise, also one that waited: KeyboardInterrupt for Ctrl-C, else SystemExit.

    One that is ignored still is: nohup does that, and a shell for what it runs in the background.
    """
    for each in _ENDING:
        if signal.getsignal(each) == signal.SIG_DFL:
            signal.signal(each, _end)
    if _CAN_HOLD:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


class Held:
    """A context in which they wait."""

    def __enter__(self) -> None:
        """Hold them."""
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING) if _CAN_HOLD else None

    def __exit__(self, *_: object) -> None:
        """Let them come, if they came before."""
        if self._before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


def _end(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
