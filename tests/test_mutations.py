"""One changed message in the quiet twin of a rule makes the rule fire, and only it, beside what comes with it.

What comes with it is what the semantics say of the changed recording; a comment has their words. Whatever else is
done to one message, the report is as declared and its lines exist.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import pytest

from replaylint.rules import all_rules
from tests.recordings import Message, found, report_of_file
from tests.test_rules import FOLDER, expectation, options
from tests.test_schema import check

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Lines = list[str]
"""A recording, cut at its newlines: the last one is empty if the recording ends with a newline."""
Change: TypeAlias = "Callable[[Lines], Lines]"

CODES = [rule.code for rule in all_rules()]


# What is done to one message. Lines are numbered from 1, as in a report; what comes to stand elsewhere or is new has
# the time of the message before it.


def drop(line: int) -> Change:
    """It does not come."""
    return lambda lines: lines[: line - 1] + lines[line:]


def repeat(line: int) -> Change:
    """It comes twice, with the same time."""
    return lambda lines: lines[:line] + lines[line - 1 :]


def insert(after: int, direction: str, message: Message | str) -> Change:
    """A further message, or text that is none."""

    def insert_it(lines: Lines) -> Lines:
        record = {**clock(lines[after - 1]), "dir": direction, "text" if isinstance(message, str) else "msg": message}
        return [*lines[:after], text(record), *lines[after:]]

    return insert_it


def move(line: int, *, after: int) -> Change:
    """It comes earlier or later: after the message at this line."""

    def move_it(lines: Lines) -> Lines:
        moved = text({**json.loads(lines[line - 1]), **clock(lines[after - 1])})
        if after < line:
            return [*lines[:after], moved, *lines[after : line - 1], *lines[line:]]
        return [*lines[: line - 1], *lines[line:after], moved, *lines[after:]]

    return move_it


def change(line: int, path: str, value: object) -> Change:
    """One member of its record has another value, or is new."""

    def set_it(member: Message, name: str) -> None:
        member[name] = value

    return edit(line, path, set_it)


def remove(line: int, path: str) -> Change:
    """One member of its record is not there."""
    return edit(line, path, Message.__delitem__)


def replace(line: int, path: str, name: str, value: object) -> Change:
    """One member of its record gives way to another one."""

    def replace_it(member: Message, old: str) -> None:
        del member[old]
        member[name] = value

    return edit(line, path, replace_it)


def batch(line: int) -> Change:
    """It comes in an array."""

    def wrap_it(record: Message, name: str) -> None:
        record[name] = [record[name]]

    return edit(line, "msg", wrap_it)


def cut(length: int) -> Change:
    """The last one stops after so many characters."""
    return lambda lines: [*lines[:-1], lines[-1][:length]]


def edit(line: int, path: str, act: Callable[[Message, str], None]) -> Change:
    """Something is done to one member of its record."""

    def edit_it(lines: Lines) -> Lines:
        record = json.loads(lines[line - 1])
        *way, last = path.split(".")
        member = record
        for name in way:
            member = member[name]
        act(member, last)
        return [*lines[: line - 1], text(record), *lines[line:]]

    return edit_it


def clock(line: str) -> Message:
    """Its time and connection, as far as it has them."""
    record = json.loads(line)
    return {name: record[name] for name in ("ts", "mono_ns", "conn") if name in record}


def text(record: Message) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def update(session: str, variant: str, **fields: object) -> Message:
    """A `session/update`."""
    params = {"sessionId": session, "update": {"sessionUpdate": variant, **fields}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


WORDS = {"type": "text", "text": "words"}


class Case(NamedTuple):
    """What is done to the quiet twin of a rule, and every finding then, in the order of the report."""

    change: Change
    findings: list[tuple[str, str, int | None]]


CASES = {
    # The agent logs to its standard output.
    "RL001": Case(insert(7, "in", "[agent] replayed 2 entries"), [("RL001", "error", 8)]),
    # The recorder is killed while it writes.
    "RL002": Case(cut(60), [("RL002", "warning", 9)]),
    # The agent writes its marker by hand. "It is analysed all the same": no RL201.
    "RL003": Case(remove(7, "msg.jsonrpc"), [("RL003", "warning", 7)]),
    # The clock is set back by a second.
    "RL004": Case(change(8, "ts", 1764399999060), [("RL004", "warning", 8)]),
    # The client begins a new session instead.
    "RL005": Case(change(3, "msg.method", "session/new"), [("RL005", "info", 1)]),
    # A version of the recorder that still drops replayed updates.
    "RL006": Case(change(1, "params.clientInfo.version", "0.18.4"), [("RL006", "info", 3)]),
    # The agent answers with a neighbour of the id.
    "RL101": Case(
        change(10, "msg.id", 100),
        [
            # "a request is unanswered at the end of the connection or of the recording"
            ("RL105", "warning", 9),
            ("RL101", "error", 10),
        ],
    ),
    # Two parts of the agent answer the resume.
    "RL102": Case(repeat(8), [("RL102", "error", 9)]),
    # The client tries again with the same id.
    "RL103": Case(
        repeat(9),
        [
            ("RL103", "error", 10),
            # "a response settles the oldest": the other is "unanswered at the end [...] of the recording"
            ("RL105", "warning", 10),
        ],
    ),
    # The agent keeps ids as texts. "It still settles the request": no RL105.
    "RL104": Case(change(8, "msg.id", "1"), [("RL104", "error", 8)]),
    # The agent never answers the resume. The recording stops, so that its outcome is inconclusive, and no RL209.
    "RL105": Case(drop(8), [("RL105", "warning", 3)]),
    # The agent's result is undefined, which no JSON has.
    "RL106": Case(remove(10, "msg.result"), [("RL106", "error", 10)]),
    # The agent writes an array. "Each is analysed".
    "RL107": Case(batch(5), [("RL107", "warning", 5)]),
    # The client sends a first request before it has an id for it.
    "RL108": Case(
        insert(8, "c2a", {"jsonrpc": "2.0", "id": None, "method": "session/list", "params": {}}),
        [
            # "a request is unanswered at the end of the connection or of the recording": the error at the end has
            # an id and settles another request
            ("RL105", "warning", 9),
            ("RL108", "error", 9),
        ],
    ),
    # The agent claims a version that it does not speak.
    "RL109": Case(remove(2, "msg.result.info"), [("RL109", "error", 2)]),
    # The client leaves out the folder.
    "RL110": Case(remove(3, "msg.params.cwd"), [("RL110", "warning", 3)]),
    # The agent sends no marker.
    "RL201": Case(drop(6), [("RL201", "error", 7)]),
    # The agent marks the end of the replay, and the end of the resume again.
    "RL202": Case(insert(8, "a2c", update("sA", "replay_complete")), [("RL202", "error", 9)]),
    # The agent marks the end of the resume only.
    "RL203": Case(
        move(6, after=8),
        [
            # "after a success RL201 fires too"
            ("RL201", "error", 7),
            ("RL203", "error", 8),
        ],
    ),
    # The agent marks the end of every resume.
    "RL204": Case(insert(5, "a2c", update("sA", "replay_complete")), [("RL204", "error", 6)]),
    # The agent marks a child that it does not show.
    "RL205": Case(insert(7, "a2c", update("sD", "replay_complete")), [("RL205", "error", 8)]),
    # The agent sends both markers, lest one be missed. "No other marker rule fires for it".
    "RL206": Case(insert(6, "a2c", update("sA", "replay_complete")), [("RL206", "error", 7)]),
    # The agent makes a method of the marker.
    "RL207": Case(
        change(6, "msg", {"jsonrpc": "2.0", "method": "session/replay_complete", "params": {"sessionId": "sA"}}),
        [
            ("RL207", "error", 6),
            # "replaying, success, and a session of the request has no replay_complete": a near miss is none
            ("RL201", "error", 8),
        ],
    ),
    # The agent looks at the cursor when it has marked the end of a replay of nothing.
    "RL208": Case(insert(3, "a2c", update("sA", "replay_complete")), [("RL208", "error", 5)]),
    # The agent fails in mid-replay.
    "RL209": Case(drop(6), [("RL209", "warning", 6)]),
    # The agent tells the last answer again.
    "RL210": Case(
        insert(3, "a2c", update("sA", "agent_message_chunk", messageId="a1", content=WORDS)), [("RL210", "error", 4)]
    ),
    # The agent forgets what it has said.
    "RL211": Case(drop(10), [("RL211", "warning", 12)]),
    # The agent sends the state when it has answered.
    "RL212": Case(move(7, after=8), [("RL212", "error", 7)]),
    # The agent forgets a cancelled request. "Silent where [...] RL213 is an error": no RL105; marked: no RL209.
    "RL213": Case(drop(8), [("RL213", "error", 7)]),
    # The client declares another capability of the vendor.
    "RL214": Case(
        change(1, "msg.params.clientCapabilities._meta.jetbrains.air.capabilities", ["subagents"]),
        [("RL214", "error", 6)],
    ),
    # The agent says when the session was last changed.
    "RL215": Case(change(6, "msg.params.update.updatedAt", "2025-11-29T06:40:00Z"), [("RL215", "error", 6)]),
    # The agent follows both designs. The older one marks every replayed update, so the first one shows it.
    "RL216": Case(
        change(4, "msg.params.update._meta.jetbrains.air.loadSessionReplayIndex", value=0),
        [("RL216", "info", 4)],
    ),
    # The agent marks the end of the history of a session that is not there.
    "RL217": Case(change(5, "msg.error.code", -32002), [("RL217", "warning", 4)]),
    # The agent fails when it has said that the session runs.
    "RL218": Case(insert(6, "a2c", update("sA", "state_update", state="running")), [("RL218", "warning", 7)]),
    # The agent forgets the terminal that it lists as background work.
    "RL219": Case(drop(5), [("RL219", "error", 6)]),
    # The agent sends the state first. "Silent where RL301 is an error for a state_update": no RL212.
    "RL301": Case(move(8, after=5), [("RL301", "error", 6)]),
    # The agent asks before the marker, and has its answer after it.
    "RL302": Case(move(6, after=7), [("RL302", "warning", 6)]),
    # The agent sends its marker and the state before the last entry.
    "RL303": Case(move(6, after=8), [("RL303", "warning", 8)]),
    # The agent answers before the last entry is out.
    "RL304": Case(insert(7, "a2c", update("sA", "user_message_chunk", content=WORDS)), [("RL304", "error", 8)]),
    # The agent announces the child when it has sent all of it. "A marker among them counts, and RL305 alone reports
    # the order": no RL205.
    "RL305": Case(move(6, after=8), [("RL305", "error", 6)]),
    # The agent names the session before it has given out the id.
    "RL306": Case(insert(5, "a2c", update("sE", "session_info_update", title="New")), [("RL306", "warning", 6)]),
    # The agent sends everybody the conversation of another client.
    "RL307": Case(insert(5, "a2c", update("sB", "agent_message_chunk", content=WORDS)), [("RL307", "warning", 6)]),
    # The client takes the state for the end of the resume.
    "RL308": Case(move(8, after=6), [("RL308", "warning", 7)]),
    # The client takes the state for the end of the resume.
    "RL309": Case(move(9, after=7), [("RL309", "warning", 8)]),
    # The client does not wait, nor does the agent let it.
    "RL310": Case(
        move(8, after=10),
        [
            # RL310 is of "such a prompt", one of RL309
            ("RL309", "warning", 8),
            ("RL310", "error", 9),
        ],
    ),
    # The client prompts the child.
    "RL311": Case(change(10, "msg.params.sessionId", "sC"), [("RL311", "warning", 10)]),
    # The close does not stop the resume.
    "RL312": Case(
        change(8, "msg", {"jsonrpc": "2.0", "id": 1, "result": {}}),
        [
            # "a resume succeeds and the named session had no state_update between request and response"
            ("RL212", "error", 8),
            ("RL312", "warning", 8),
        ],
    ),
    # The client does not wait, and the agent has no code for it.
    "RL313": Case(
        move(8, after=10),
        [
            # RL313 is of "such a prompt", one of RL309
            ("RL309", "warning", 8),
            ("RL313", "info", 9),
        ],
    ),
    # The agent has no such session after all.
    "RL314": Case(replace(7, "msg.result", "error", {"code": -32002, "message": "gone"}), [("RL314", "error", 7)]),
    # The agent sends what it had left when it has answered the close.
    "RL315": Case(move(7, after=8), [("RL315", "error", 8)]),
    # The agent numbers its messages.
    "RL321": Case(change(5, "msg.params.update.messageId", 7), [("RL321", "error", 5)]),
    # The agent replays an entry twice.
    "RL322": Case(repeat(4), [("RL322", "warning", 5)]),
    # The agent replays how a tool call ended that it does not replay.
    "RL323": Case(
        insert(5, "a2c", update("sA", "tool_call_update", toolCallId="t2", status="completed")),
        [("RL323", "warning", 6)],
    ),
    # The agent replays a tool call as it was when the agent died.
    "RL324": Case(
        insert(6, "a2c", update("sA", "tool_call", toolCallId="t2", title="Run", kind="execute", status="pending")),
        [("RL324", "warning", 7)],
    ),
    # The agent begins the message with its first chunk.
    "RL325": Case(drop(4), [("RL325", "error", 4)]),
    # The agent gives its message the id of the user's.
    "RL326": Case(change(5, "msg.params.update.messageId", "m"), [("RL326", "warning", 5)]),
    # The agent takes a second longer to answer.
    "RL401": Case(change(8, "ts", 1764400002.57), [("RL401", "error", 8)]),
    # The agent takes longer to end the replay.
    "RL402": Case(change(6, "ts", 1764400001.44), [("RL402", "error", 6)]),
    # The agent takes a second longer to answer.
    "RL403": Case(change(8, "ts", 1764400002.07), [("RL403", "error", 8)]),
    # The agent takes longer to tell the state.
    "RL404": Case(change(7, "ts", 1764400000.57), [("RL404", "error", None)]),
    # The recording stops too early.
    "RL405": Case(
        drop(8),
        [
            # "a request is unanswered at the end of the connection or of the recording"
            ("RL105", "warning", 3),
            ("RL405", "warning", None),
        ],
    ),
    # The agent sends no marker: "another outcome" than complete.
    "RL406": Case(
        drop(6),
        [
            # "replaying, success, and a session of the request has no replay_complete"
            ("RL201", "error", 7),
            ("RL406", "error", 7),
        ],
    ),
    # The agent sends no marker, which was excused for a time that is over.
    "RL407": Case(drop(6), [("RL407", "warning", None)]),
    # The agent replays what a tool printed.
    "RL408": Case(change(5, "msg.params.update.content", [WORDS | {"text": "x" * 65536}]), [("RL408", "error", 5)]),
}


def twin_of(code: str) -> tuple[Lines, dict[str, Any]]:
    """The quiet twin of a rule, and the options of `lint` for it."""
    path = FOLDER / code / "quiet.ndjson"
    return path.read_bytes().decode().split("\n"), options(expectation(path))


def report_of(lines: Iterable[str], asked: dict[str, Any], folder: Path) -> Message:
    path = folder / "trace.ndjson"
    path.write_bytes("\n".join(lines).encode())
    return report_of_file(path, **asked)


def test_the_table_has_every_rule() -> None:
    assert list(CASES) == CODES


@pytest.mark.parametrize("code", CASES)
def test_a_rule_is_in_its_own_findings_once(code: str) -> None:
    assert Counter(rule for rule, _, _ in CASES[code].findings)[code] == 1


@pytest.mark.parametrize("code", CASES)
def test_the_twin_has_no_findings(code: str, tmp_path: Path) -> None:
    lines, asked = twin_of(code)
    assert found(report_of(lines, asked, tmp_path)) == []


@pytest.mark.parametrize("code", CASES)
def test_one_changed_message_makes_it_fire(code: str, tmp_path: Path) -> None:
    lines, asked = twin_of(code)
    assert found(report_of(CASES[code].change(lines), asked, tmp_path)) == CASES[code].findings


@pytest.mark.parametrize("code", CASES)
def test_only_one_message_is_changed(code: str) -> None:
    before, _ = twin_of(code)
    after = CASES[code].change(before)
    gone, come = Counter(before) - Counter(after), Counter(after) - Counter(before)
    assert gone or come
    assert max(gone.total(), come.total()) == 1
    assert without(before, gone) == without(after, come)


def without(lines: Lines, some: Counter[str]) -> Lines:
    """The lines without the first occurrence of one."""
    left = list(lines)
    for line in some:
        left.remove(line)
    return left


# Any change of one message


TWINS = {repr(twin_of(code)): code for code in reversed(CODES)}
"""The first rule of each recording that is the quiet twin of rules."""


@pytest.mark.parametrize("code", sorted(TWINS.values()))
def test_whatever_is_done_to_one_message_the_report_is_as_declared(code: str, tmp_path: Path) -> None:
    lines, asked = twin_of(code)
    for name, changed in changes(lines):
        try:
            report = report_of(changed, asked, tmp_path)
            check(report)
            assert [each["error"] for each in report["traces"]] == [None]
            known = range(1, len([line for line in changed if line]) + 1)
            assert [each for each in report["findings"] if not lines_of(each) <= set(known)] == []
        except Exception as error:
            error.add_note(f"{name} in quiet.ndjson of {code}")
            raise


def changes(lines: Lines) -> Iterator[tuple[str, Lines]]:
    """Each change of one message, and what it is."""
    numbers = [number for number, line in enumerate(lines, 1) if line]
    for number in numbers:
        yield f"drop {number}", drop(number)(lines)
        yield f"repeat {number}", repeat(number)(lines)
        if number + 1 in numbers:
            yield f"swap {number} and the next", swapped(lines, number)
        line = lines[number - 1]
        if '"jsonrpc":"2.0"' in line:
            other = line.replace('"jsonrpc":"2.0"', '"jsonrpc":"1.0"')
            yield f"another jsonrpc in {number}", [*lines[: number - 1], other, *lines[number:]]
        record = json.loads(line)
        prefix = "msg." if "msg" in record else ""
        for key in keys_of_update(record.get("msg", record)):
            yield f"remove {key} of {number}", remove(number, f"{prefix}params.update.{key}")(lines)


def swapped(lines: Lines, number: int) -> Lines:
    """It and the next one change places; the times come along."""
    return [*lines[: number - 1], lines[number], lines[number - 1], *lines[number + 1 :]]


def keys_of_update(message: Message) -> list[str]:
    update = message.get("params", {}).get("update", {})
    return list(update)


def lines_of(finding: dict[str, Any]) -> set[int]:
    """Every line that a finding names."""
    own = {finding["line"], finding["last_line"]} - {None}
    return own | {each["line"] for each in finding["evidence"]}
