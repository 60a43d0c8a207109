"""The linter for programs that hold the messages themselves."""

from __future__ import annotations

import json
from math import inf, isfinite
from typing import TYPE_CHECKING, Any, Final, Unpack

from orjson import dumps

from replaylint.analysis.parse import parse
from replaylint.analysis.run import Analysis, new_report, new_trace
from replaylint.policies.options import LinterOptions, given, keywords, spelled_out
from replaylint.recording.clock import went_back
from replaylint.recording.message import AGENT, CLIENT, NO_TIME, ClockStep
from replaylint.recording.reading import said

if TYPE_CHECKING:
    from replaylint.recording.message import Message, Side
    from replaylint.report.model import Report

FORMAT: Final = "fed"
"""The `format` of a trace that a program fed."""

SIDES: Final[tuple[Side, ...]] = (CLIENT, AGENT)

NO_JSON: Final = b"(a message that cannot be written as JSON)"

FIRST_WALL_TIME_S: Final = 1e9
"""Times from here on are taken for seconds since 1970, as in files; smaller ones only differ from each other."""


class Linter:
    """Lints messages as a program sends and receives them: feed it every one, in their order, then finish it.

    `name` is the trace's path in the report; what else it takes are those of `lint`. The report's lines count the
    messages, from 1. Raises ValueError for a name that there is not, and TypeError.
    """

    @spelled_out(keywords(LinterOptions))
    def __init__(self, *, name: str = "messages", **options: Unpack[LinterOptions]) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name has to be a str, not {type(name).__name__}")
        self._plan = parse(given(options, LinterOptions))
        self._report = new_report()
        self._trace = new_trace(name.encode(errors="backslashreplace").decode())
        self._trace.format = FORMAT
        self._analysis = Analysis(self._report, self._trace, max_message=self._plan.max_message)
        self._latest = NO_TIME
        self._done = False

    def feed(
        self,
        side: Side,
        message: dict[str, Any] | list[Any] | bytes | bytearray | memoryview | str,
        time: float | None = None,
    ) -> None:
        """Take in one message that this side sent, as it was parsed or as it was on the wire.

        `time` is in seconds, from any clock, the same for all messages; without it there are no figures. What is no
        JSON is counted and passed over, as in a file. The message is not kept.

        Raises ValueError and TypeError for wrong arguments, never for what a peer may have sent.
        """
        if self._done:
            raise ValueError("this linter has finished: make a new one")
        if not isinstance(side, str):
            raise TypeError(f"side has to be a str, not {type(side).__name__}")
        if side not in SIDES:
            raise ValueError(f"side has to be 'client' or 'agent', not {side!r}")
        data = _bytes(message)
        moment = NO_TIME if time is None else _seconds(time)
        trace = self._trace
        trace.lines += 1
        trace.bytes += len(data)
        messages: list[Message] = []
        if moment == moment:  # noqa: PLR0124  (NaN: this one has no time)
            if trace.timestamps == "none":
                trace.timestamps = "wall" if moment >= FIRST_WALL_TIME_S else "relative"
            back = self._latest - moment
            if went_back(back):
                messages.append((trace.lines, moment, None, ClockStep(back), 0))
            self._latest = moment
        body = said(data)
        if isinstance(body, dict | list):
            trace.messages += 1
        if body is not None:
            # The engine tells sides apart by identity.
            messages.append((trace.lines, moment, SIDES[SIDES.index(side)], body, len(data)))
        self._analysis.run(messages)

    def finish(self, *, closed: bool = False) -> Report:
        """The report. `closed`: the connection has ended; else, for all that is known, it goes on.

        Raises ValueError where it was called before, and TypeError.
        """
        if not isinstance(closed, bool):
            raise TypeError(f"closed has to be a bool, not {type(closed).__name__}")
        if self._done:
            raise ValueError("this linter has finished already")
        self._done = True
        self._trace.longest_message_bytes = self._analysis.engine.measured()
        self._analysis.finish(closed=closed)
        return self._plan.finish(self._report, [[self._trace]])


def _bytes(message: object) -> bytes:
    """The message as it is on the wire, or would be. Raises TypeError for what cannot be one."""
    if isinstance(message, bytes | bytearray | memoryview):
        return bytes(message)
    if isinstance(message, str):
        return message.encode(errors="surrogatepass")
    if not isinstance(message, dict | list):
        raise TypeError(f"message has to be a dict, a list, bytes or a str, not {type(message).__name__}")
    try:
        return dumps(message)
    except TypeError:
        # Also what a parser other than ours lets through: numbers of any size, lone surrogates, deeper nesting.
        return _written(message)


def _written(message: object) -> bytes:
    try:
        return json.dumps(message).encode()
    except TypeError as error:
        raise TypeError(f"message is not JSON: {error}") from None
    except (ValueError, RecursionError):
        return NO_JSON


def _seconds(time: float) -> float:
    """Raises ValueError and TypeError for what is no time."""
    if isinstance(time, bool) or not isinstance(time, int | float):
        raise TypeError(f"time has to be seconds as a float, or None, not {type(time).__name__}")
    try:
        seconds = float(time)
    except OverflowError:
        seconds = inf
    if not isfinite(seconds):
        raise ValueError(f"time has to be a finite number of seconds, or None, not {seconds}")
    return seconds
