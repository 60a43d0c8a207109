"""Metamorphic relations: what becomes of a report when its recording says the same otherwise.

An input is a recording by the grammar, in which sometimes a few lines are elsewhere or gone, and one relation.
"""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import re
import time
from hashlib import blake2b
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from orjson import dumps, loads

from replaylint.analysis.lint import lint
from replaylint.analysis.linter import Linter
from tests.conversations import CASES, START_MS, Spoken
from tests.fuzz.grammar import NAMES, connection
from tests.fuzz.harmless import shuffled
from tests.fuzz.inputs import Case
from tests.fuzz.mutations import moved
from tests.fuzz.oracle import Seen
from tests.fuzz.promises import Broken
from tests.fuzz.samples import of_lines
from tests.fuzz.values import parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Set
    from pathlib import Path

    from replaylint.report.model import Report
    from tests.recordings import Message

    At = Callable[[str, int], object]
    """What a line of a file was before."""
    Word = Callable[[str], str]

SIDES: Final = {"c2a": "client", "a2c": "agent"}


class Pair(NamedTuple):
    """What is told of a recording, and of what it became; and the files that hold that."""

    before: list[str]
    after: list[str]
    files: dict[str, bytes]


class Metamorphic:
    """Draws inputs, and says which relation does not hold. All files are written to `folder`."""

    pairs_of_inputs = True

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.seed = seed

    def case(self, index: int) -> Case:
        """Input number `index` of this seed."""
        random = Random(f"{self.seed}:{index}:metamorphic")  # noqa: S311
        records: list[Any] = list(connection(random).records) or [{}]
        for _ in range(random.choice((0, 0, 1, 2))):
            moved(random, records, random.choice(("drop", "swap", "move", "drop some")), None)
            records = records or [{}]
        relation = random.choice(tuple(RELATIONS))
        closed = random.random() < 0.5
        content = of_lines(map(dumps, records))
        return Case(index, "grammar", content, (relation,), closed, None, None, None, "one", 0)

    def group(self, case: Case) -> str:
        """Where the input is from."""
        return case.sample

    def check(self, case: Case) -> Seen:
        """Raises what does not hold."""
        started = time.process_time()
        random = Random(f"{self.seed}:{case.number}:relation")  # noqa: S311
        records = [each for each in map(parsed, case.content.splitlines()) if is_record(each)]
        (relation,) = case.levels
        pair = RELATIONS[relation](Lab(self.folder, random, closed=case.closed), records)
        if pair is not None and pair.before != pair.after:
            gone, come = (
                [each for each in those if each not in others]
                for those, others in ((pair.before, pair.after), (pair.after, pair.before))
            )
            details = f"closed={case.closed}: {' '.join(gone)} became {' '.join(come)}"
            raise Broken(f"{relation}: the report changes", details, pair.files)
        digest = int.from_bytes(blake2b("\n".join(pair.before if pair else ()).encode(), digest_size=8).digest())
        window = pair is not None and any('"replaying":true' in each for each in pair.before)
        return Seen(pair is not None, window, time.process_time() - started, digest)


def is_record(value: object) -> bool:
    """Whether this is what the grammar writes."""
    if not isinstance(value, dict) or set(value) != {"ts", "dir", "msg"}:
        return False
    return isinstance(value["ts"], float) and value["dir"] in ("c2a", "a2c")


def is_message(body: object) -> bool:
    """Whether every recorder writes this down as it was."""
    return isinstance(body, dict) and "jsonrpc" in body and isinstance(body.get("method", ""), str) and len(body) > 1


class Lab:
    """Where one relation is tried."""

    def __init__(self, folder: Path, random: Random, *, closed: bool) -> None:
        self.folder = folder
        self.random = random
        self.closed = closed

    def save(self, content: bytes, name: str = "trace") -> str:
        """Write a file; its path."""
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def report(self, content: bytes) -> Report:
        """Of this recording."""
        return lint(self.save(content), closed=self.closed)

    def pair(self, before: bytes, after: bytes, lines: Sequence[int] | None = None, word: Word = str) -> Pair:
        """What is told of two recordings.

        `lines`: which line each one of the second was in the first; `word`: what a text of the first is in the second.
        """
        first, second = self.report(before), self.report(after)
        at = unmoved if lines is None else lambda _, line: lines[line - 1]
        plain = lines is not None
        return Pair(told(first, plain=plain, word=word), told(second, at, plain=plain), {"a": before, "b": after})


# What is told

SENTENCES: Final = frozenset({"connection", "headline", "help", "message"})
DROPPED: Final = {"fingerprint", "trace", "bytes", "time"}
"""Of the file, what depends on how a message is spelled, and when the clock began."""
NOTHING: Final[frozenset[str]] = frozenset()
LINES: Final = {"line", "last_line", "announced_line", "replay_end_line"}


def unmoved(_: str, line: int) -> object:
    """Each line is where it was."""
    return line


def told(
    report: Report, at: At = unmoved, word: Word = str, *, plain: bool = False, but: Set[str] = NOTHING
) -> list[str]:
    """Resumes and findings as JSON. `plain`: without what else names lines or numbers connections: sentences, RL005.

    `but`: without these fields and rules, too.
    """

    def of(value: Any, key: str, trace: str) -> Any:
        if isinstance(value, dict):
            trace = value.get("trace", trace)
            dropped = SENTENCES if plain and "trace" in value else NOTHING
            return {n: of(part, n, trace) for n, part in value.items() if n not in DROPPED and n not in dropped | but}
        if isinstance(value, list):
            return [of(part, key, trace) for part in value]
        if isinstance(value, str):
            return word(value)
        return at(trace, value) if key in LINES and value is not None else value

    data = loads(dumps(report))
    left_out = but | {"RL005"} if plain else but
    parts = [*data["resumes"], *(each for each in data["findings"] if each["rule"] not in left_out)]
    return sorted(dumps(of(each, "", each["trace"])).decode() for each in parts)


# Relations


def rewritten(lab: Lab, records: list[Message]) -> Pair:
    """The members of every object in another order, with blanks around them, and escapes for letters."""
    after = []
    for record in records:
        separators = lab.random.choice(((" ,  ", " : "), (",", ":"), (",\t", ":\t")))
        text = json.dumps(shuffled(lab.random, record), separators=separators, ensure_ascii=lab.random.random() < 0.5)
        after.append(f"{' ' * lab.random.randrange(3)}{text}{' ' * lab.random.randrange(3)}".encode())
    return lab.pair(of_lines(map(dumps, records)), of_lines(after))


def padded(lab: Lab, records: list[Message]) -> Pair:
    """Blank lines between, other line ends, a byte-order mark."""
    lines: list[bytes] = []
    was: list[int] = []
    for number, record in enumerate(records, 1):
        for _ in range(lab.random.choice((0, 0, 0, 1, 2))):
            lines.append(lab.random.choice((b"", b"  ", b"\t")))
            was.append(0)
        lines.append(dumps(record))
        was.append(number)
    end = lab.random.choice((b"\n", b"\r\n"))
    content = lab.random.choice((b"", b"\xef\xbb\xbf")) + end.join(lines) + lab.random.choice((b"", end))
    return lab.pair(of_lines(map(dumps, records)), content, was)


def shifted(lab: Lab, records: list[Message]) -> Pair:
    """The same clock, begun at another time."""
    by = lab.random.choice((-86_400, -1, 1, 3600, 31_536_000))
    after = [{**record, "ts": round(record["ts"] + by, 6)} for record in records]
    return lab.pair(of_lines(map(dumps, records)), of_lines(map(dumps, after)))


def renamed(lab: Lab, records: list[Message]) -> Pair:
    """The sessions are called otherwise, and sort in another order."""
    others = lab.random.sample([f"{lab.random.choice('azAZ09')}-{number}" for number in range(90)], len(NAMES))
    names = dict(zip(NAMES, others, strict=True))

    def word(text: str) -> str:
        return re.sub(r"\bsess-[a-h]\b", lambda name: names[name[0]], text)

    before = of_lines(map(dumps, records))
    return lab.pair(before, word(before.decode()).encode(), word=word)


def packed(lab: Lab, records: list[Message]) -> Pair:
    """Compressed, also in two members."""
    before = of_lines(map(dumps, records))
    pack: Callable[[bytes], bytes] = lab.random.choice((gzip.compress, bz2.compress, lzma.compress))
    at = lab.random.choice((0, lab.random.randrange(len(before) + 1)))
    return lab.pair(before, (pack(before[:at]) if at else b"") + pack(before[at:]))


def concatenated(lab: Lab, records: list[Message]) -> Pair | None:
    """Cut into parts between lines, which are given in their order."""
    if len(records) < 2:
        return None
    cuts = sorted(lab.random.sample(range(1, len(records)), min(len(records) - 1, lab.random.choice((1, 1, 2, 3)))))
    parts = [records[first:last] for first, last in zip([0, *cuts], [*cuts, len(records)], strict=True)]
    contents = [of_lines(map(dumps, part)) for part in parts]
    paths = [lab.save(content, f"part-{number}") for number, content in enumerate(contents)]
    begins = dict(zip(paths, [0, *cuts], strict=True))
    whole = lab.report(b"".join(contents))
    # A part with nothing but faults is not recognised.
    split = lint(paths, concat=True, closed=lab.closed, input_format="envelope")
    files = {f"part-{number}": content for number, content in enumerate(contents)}
    own = {"last_line", "announced_line", "replay_end_line"}
    return Pair(
        told(whole, plain=True, but=own),
        told(split, lambda trace, line: begins[trace] + line, plain=True, but=own),
        files,
    )


def fed(lab: Lab, records: list[Message]) -> Pair | None:
    """A program feeds the messages, with their times, as objects or as bytes."""
    content = of_lines(map(dumps, records))
    report = lab.report(content)
    if report.traces[0].error is not None:
        return None
    linter = Linter(name="fed")
    for record in records:
        body = record["msg"]
        spelled = isinstance(body, dict | list) and lab.random.random() < 0.5
        message = dumps(body) if spelled or isinstance(body, int) else body
        linter.feed("client" if record["dir"] == "c2a" else "agent", message, record["ts"])
    return Pair(told(report), told(linter.finish(closed=lab.closed)), {"trace": content})


def beside(lab: Lab, records: list[Message]) -> Pair | None:
    """As one of two connections of a recording, mixed by their times."""
    other = connection(lab.random).records
    if any(first["ts"] > second["ts"] for those in (records, other) for first, second in pairwise(those)):
        return None
    mixed = sorted(
        [
            *({**record, "conn": "a", "n": number} for number, record in enumerate(records, 1)),
            *({**record, "conn": "b", "n": 0} for record in other),
        ],
        key=lambda record: record["ts"],
    )
    was = [record.pop("n") for record in mixed]
    before, after = of_lines(map(dumps, records)), of_lines(map(dumps, mixed))
    # How long nothing answered is known from what others went on with; RL211 looks for history on all connections.
    shared = {"unanswered_s", "RL211"}
    own = told(lab.report(before), plain=True, but=shared)
    both = told(lab.report(after), lambda _, line: was[line - 1], plain=True, but=shared)
    return Pair(own, [each for each in both if '"line":0' not in each], {"a": before, "b": after})


def written(lab: Lab, records: list[Message]) -> Pair | None:
    """In another format, and in the one of all inputs."""
    if not all(map(is_message, (record["msg"] for record in records))):
        return None
    said = [Spoken(round(record["ts"] * 1000) - START_MS, SIDES[record["dir"]], record["msg"]) for record in records]
    name, write, _ = lab.random.choice(FORMATS)
    other = write(said)
    was = dict(zip(other.lines, range(1, len(records) + 1), strict=True))
    if len(was) < len(records):
        return None
    before = of_lines(map(dumps, records))
    return Pair(
        told(lab.report(before), plain=True),
        told(lab.report(other.data), lambda _, line: was[line], plain=True),
        {"a": before, name: other.data},
    )


FORMATS: Final = [
    (name, write, expected)
    for name, write, expected in CASES
    if (expected.timestamps, expected.directions, expected.order, expected.scale) == ("wall", "recorded", "exact", 1)
]

RELATIONS: Final[dict[str, Callable[[Lab, list[Message]], Pair | None]]] = {
    each.__name__: each for each in (rewritten, padded, shifted, renamed, packed, concatenated, fed, beside, written)
}
