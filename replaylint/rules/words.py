"""How sentences for people write numbers, with their noun or as a duration, and name messages."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from orjson import dumps

from replaylint.replay.timing import seconds

if TYPE_CHECKING:
    from replaylint.recording.clock import Steps
    from replaylint.replay.window import Point


MAX_ID_CHARS: Final = 40
"""Characters of a name or an id that a sentence shows."""
MAX_FACT_CHARS: Final = 200
"""Characters of any one text in it."""
VOWELS: Final = frozenset("aeio")
"""Letters that most names sound with a vowel; none does that begin with "u", such as "user"."""


class Count(int):
    """A number that brings its noun: `f"{Count(2):update}"` is "2 updates"."""

    def __format__(self, noun: str) -> str:
        """The number alone, or with this noun, in the plural where there is not one."""
        return f"{int(self)} {noun}{'' if self == 1 else 's'}" if noun else str(int(self))


class Clause(str):
    """A part of a sentence that tells lines: `Clause("the marker at line {marker_line}")`, of the finding's facts."""

    __slots__ = ()


def cut(fact: object) -> object:
    """The same, but of a text, such as names of methods that nobody knows, no more than a sentence can hold."""
    return f"{fact[:MAX_FACT_CHARS]}..." if isinstance(fact, str) and len(fact) > MAX_FACT_CHARS else fact


def duration(time: float) -> str:
    """Up to three significant digits, in milliseconds below a second: 2.70 s, 140 ms, 0.25 ms, 0.001 ms.

    Whole seconds above: 86400 s; and from ten million on, four months, where nobody reads digits: 1.23e+07 s.
    """
    if time >= 9_999_999.5:
        return f"{time:.2e} s"
    value, unit = (time, "s") if time >= 0.9995 else (time * 1000, "ms")
    decimals = 3 if value < 0.00995 else 2 if value < 9.995 else 1 if value < 99.95 else 0
    return f"{value:.{decimals}f} {unit}" if value else "0 ms"


def apart(first: Point, last: Point, steps: Steps) -> str:
    """ "41 ms", or nothing where that is not known: no times, or a clock that went back."""
    time = seconds(first, last, steps)
    return "" if time is None else duration(time)


def elapsed(first: Point, last: Point, steps: Steps) -> str:
    """ " in 41 ms", or nothing where that is not known, or for one message only."""
    text = apart(first, last, steps)
    return f" in {text}" if text and last.line > first.line else ""


def identifier(ident: object) -> str:
    """A request's id as JSON writes it, cut where it is long: "1" is another id than 1."""
    text = as_json(ident[: MAX_ID_CHARS + 1] if isinstance(ident, str) else ident)
    return text if len(text) <= MAX_ID_CHARS else text[:MAX_ID_CHARS] + "..."


def as_json(ident: object) -> str:
    """An id, or another value, as JSON: "..." where it is nested deeper, or has more digits, than can be written."""
    with suppress(TypeError):
        return dumps(ident).decode()
    # Half of a surrogate pair, and integers beyond 64 bits, are written by the standard library only.
    if isinstance(ident, str | int):
        with suppress(ValueError):
            return json.dumps(ident)
    return "..."


def method_of(body: object) -> str:
    """The variant of an update, else the method; nothing where the body is neither."""
    if not isinstance(body, dict):
        return ""
    params = body.get("params")
    update = params.get("update") if isinstance(params, dict) else None
    variant = update.get("sessionUpdate") if isinstance(update, dict) else None
    return next((name for name in (variant, body.get("method")) if isinstance(name, str)), "")


def with_article(noun: str) -> str:
    """ "an agent_message", "a user_message"."""
    return f"{'an' if noun[:1] in VOWELS else 'a'} {noun}"


def described(body: object) -> str:
    """A JSON-RPC message, named: "the response with the id 3", "a session/update notification"."""
    facts = body if isinstance(body, dict) else {}
    if not isinstance(facts.get("method"), str):
        return f"the response with the id {identifier(facts.get('id'))}"
    ident = f" request with the id {identifier(facts['id'])}" if "id" in facts else " notification"
    method = facts["method"][:MAX_ID_CHARS].encode(errors="backslashreplace").decode()
    return with_article(f"{method}{ident}")
