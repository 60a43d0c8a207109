"""The words that recorders use for the direction of a message, and the keys under which they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from replaylint.recording.message import AGENT, CLIENT, other

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replaylint.recording.message import Side

KEYS: Final = ("dir", "direction", "_direction", "d", "origin", "source", "side")
"""The keys that may hold the direction; the first with a known word counts."""

CONNECTION_KEYS: Final = ("conn", "connection", "connection_id", "connId")
"""The keys that may name the connection; the first that is there counts."""

_CLIENTS: Final = ("client", "c", "editor", "user")
_AGENTS: Final = ("agent", "a", "server", "s")
_BETWEEN: Final = ("->", " -> ", "\N{RIGHTWARDS ARROW}", " \N{RIGHTWARDS ARROW} ", "-to-", "_to_", "2")
"""What stands between the sender and the receiver."""

_ABSOLUTE: Final = (
    *(
        (f"{one}{between}{other}", f"{other}{between}{one}")
        for one in _CLIENTS
        for other in _AGENTS
        for between in _BETWEEN
    ),
    ("to_agent", "to_client"),
    ("to agent", "to client"),
    ("from client", "from agent"),
    ("fromclient", "fromagent"),
    ("from_client", "from_agent"),
    ("client", "agent"),
    ("user", "server"),
    ("stdin", "stdout"),
)
_RELATIVE: Final = (
    ("out", "in"),
    ("outgoing", "incoming"),
    ("outbound", "inbound"),
    ("sent", "received"),
    ("send", "recv"),
    ("sending", "receiving"),
    ("sends", "receives"),
    ("send", "receive"),
    ("sent", "got"),
    ("tx", "rx"),
    ("acp_send", "acp_recv"),
    (">>>", "<<<"),
    (">>", "<<"),
    ("-->", "<--"),
    ("\N{RIGHTWARDS ARROW}", "\N{LEFTWARDS ARROW}"),
    ("\N{BLACK RIGHT-POINTING SMALL TRIANGLE}", "\N{BLACK LEFT-POINTING SMALL TRIANGLE}"),
    ("downstream", "upstream"),
)

SIDES: Final[dict[str, Side]] = {
    **{clients: CLIENT for clients, _ in _ABSOLUTE + _RELATIVE},
    **{agents: AGENT for _, agents in _ABSOLUTE + _RELATIVE},
}
"""Who sent the message, by the word in lower case. A relative word is read as the client's view."""

RELATIVE_WORDS: Final = frozenset(word for pair in _RELATIVE for word in pair)


def side_of(word: object) -> Side | None:
    """Who sent a message with this direction, or None for a word that is not known."""
    return SIDES.get(word.strip().lower()) if isinstance(word, str) else None


def is_relative(word: object) -> bool:
    """Whether the word is relative to the recorder: in or out."""
    return isinstance(word, str) and word.strip().lower() in RELATIVE_WORDS


def find_key(records: Sequence[dict[str, object]]) -> str | None:
    """The key under which these records have their direction, or None."""
    for key in KEYS:
        if any(side_of(record.get(key)) for record in records):
            return key
    return None


def flip(sides: dict[object, Side]) -> None:
    """Swap the meaning of the relative words, in place."""
    for word, side in sides.items():
        if is_relative(word):
            sides[word] = other(side)
