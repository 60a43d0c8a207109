"""A message without what was said in it: its structure and the protocol's words, with lengths in place of texts."""

from __future__ import annotations

import re
from json import dumps
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from replaylint.report.model import Report

_VARIANT: Final = r"[A-Za-z_][A-Za-z0-9_]{0,59}"
_WORD: Final = r"[a-z][a-z_]{0,29}"
WORDS: Final = {
    "jsonrpc": r"[0-9]\.[0-9]",
    "method": r"[A-Za-z_$][A-Za-z0-9_$./-]{0,59}",
    "sessionUpdate": _VARIANT,
    **dict.fromkeys(("type", "status", "kind", "role", "state", "stopReason"), _WORD),
}
"""Keys whose values are the protocol's words, and what these look like: anything else there is a text like others."""
OUTERMOST: Final = frozenset({"jsonrpc", "method"})
"""Those of them that are the protocol's on the message itself only."""

FREE: Final = frozenset({"rawInput", "rawOutput", "data", "env"})
"""What is under these keys has no structure of the protocol's: only its size is told."""
META: Final = "_meta"
"""What is under it is an extension's: its words are nobody's."""

NAME: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]{0,39}")
"""What a key looks like that is a name."""
IDENTIFIER: Final = re.compile(r"[a-z]+(?:[A-Z][a-z]+)*Id")
"""A key whose value is an id."""
KINDS: Final = {"call": "tool call"}
"""What ids are of, where that is not the last word before `Id`."""

MAX_DEPTH: Final = 8
"""Levels that are shown."""
MEMBERS: Final = 12
ITEMS: Final = 3
"""Of an object and of an array, those that are shown."""
VALUES: Final = 60
"""Of a message; beyond them arrays and objects are told by their size."""


class Redactor:
    """Redacts messages. An id has the same name in all of them."""

    def __init__(self, report: Report) -> None:
        self._names: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._left = VALUES
        for resume in report.resumes:
            for session_id in (resume.session_id, *(each.session_id for each in resume.sessions)):
                if session_id is not None:
                    self.name("session", session_id)

    def name(self, kind: str, ident: str) -> str:
        """What stands for this id, such as "session 1": the sessions of the report have the first numbers."""
        known = self._names.get((kind, ident))
        if known is None:
            self._counts[kind] = self._counts.get(kind, 0) + 1
            known = self._names[kind, ident] = f"{kind} {self._counts[kind]}"
        return known

    def redacted(self, body: object) -> str:
        """The message as JSON on one line, in ASCII that is printable; its length is bounded."""
        self._left = VALUES
        shown = self._list(body, "", 0, free=False) if isinstance(body, list) else self._value(body, "", 0, free=False)
        return dumps(shown, separators=(",", ":"))

    def _value(self, value: object, key: str, depth: int, *, free: bool) -> Any:
        """What is shown of a value under this key; `free`: its words are nobody's."""
        self._left -= 1
        if isinstance(value, str):
            return self._string(value, key, depth, free=free)
        if not isinstance(value, dict | list):
            return value
        if not value:
            return type(value)()
        if key in FREE or depth > MAX_DEPTH or self._left <= 0:
            return f"<{_counted(len(value), 'member' if isinstance(value, dict) else 'item')}>"
        if isinstance(value, list):
            return self._list(value, key, depth, free=free)
        return self._object(value, depth, free=free)

    def _list(self, items: list[object], key: str, depth: int, *, free: bool) -> list[Any]:
        shown = [self._value(item, key, depth, free=free) for item in items[:ITEMS]]
        return [*shown, f"<{len(items) - ITEMS} more>"] if len(items) > ITEMS else shown

    def _object(self, members: dict[str, object], depth: int, *, free: bool) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for number, (key, value) in enumerate(members.items(), 1):
            if number > MEMBERS:
                shown["<more>"] = f"<{_counted(len(members) - MEMBERS, 'member')}>"
                break
            name = key if NAME.fullmatch(key) else f"<key {number}>"
            shown[name] = self._value(value, key, depth + 1, free=free or key == META)
        return shown

    def _string(self, text: str, key: str, depth: int, *, free: bool) -> str:
        if key == "id" and depth == 1:
            return f"<{self.name('request', text)}>"
        if IDENTIFIER.fullmatch(key):
            kind = re.findall("[A-Za-z][a-z]*", key)[-2].lower()
            return f"<{self.name(KINDS.get(kind, kind), text)}>"
        word = WORDS.get(key) if not free and (depth == 1 or key not in OUTERMOST) else None
        if word is not None and re.fullmatch(word, text):
            return text
        return f"<{_counted(len(text), 'character')}>"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
