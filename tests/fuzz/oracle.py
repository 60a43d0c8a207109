"""Lints an input in every way there is, and says what does not hold."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import re
import sys
import time
from collections import Counter
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from unittest.mock import patch

from orjson import dumps, loads

import replaylint.cli
from replaylint.analysis.lint import lint
from replaylint.analysis.linter import Linter
from replaylint.commands.output import complain
from replaylint.render import FORMATS, renderer
from replaylint.render.view import View
from tests.fuzz.harmless import HARMLESS, beside, of_those
from tests.fuzz.inputs import case_of
from tests.fuzz.mutations import opened_part, rearranged, replaced, revised
from tests.fuzz.promises import Broken, check_lines, check_order, require, require_printable
from tests.fuzz.samples import of_lines
from tests.fuzz.schema import fast_check, validator
from tests.fuzz.values import parsed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from replaylint.report.model import Report
    from tests.fuzz.inputs import Case
    from tests.fuzz.mutations import Stock

NARROW: Final = View(width=80)
COLOURED: Final = View(width=80, colour=True)
VIEWS: Final = {"text": (View(), NARROW), "concise": (View(), NARROW), "json": (View(),)}
COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")

DIRECTED: Final = re.compile(rb"c2a|\"out\"|SEND|client|sent|>>>|OUT|outgoing")
TOO_SLOW_S: Final = 10.0

REPEAT, LINTER, FULL, COMMANDS, APART, BESIDE = 10, 20, 50, 200, 25, 25
"""Every how many inputs: the same again; the library's Linter; the real validator; show and extract; the two checks of
what must not change."""


class Seen(NamedTuple):
    """What came of an input. `seconds` are those of the processor for linting it once and writing it in all formats."""

    recognised: bool
    window: bool
    seconds: float
    digest: int


class Oracle:
    """Lints inputs, and says what does not hold. All files are written to `folder`."""

    pairs_of_inputs = False
    """Whether the files of what is broken are made from the input."""

    def __init__(self, folder: Path, stock: Stock, seed: int) -> None:
        self.folder = folder
        self.stock = stock
        self.seed = seed

    def case(self, index: int) -> Case:
        """Input number `index` of the seed."""
        return case_of(self.seed, index, self.stock)

    def group(self, case: Case) -> str:
        """Which samples the input is from."""
        return self.stock.by_name[case.sample].group

    def path(self, name: str = "trace") -> str:
        """A file of this name."""
        return os.path.join(self.folder, name)  # noqa: PTH118  (pathlib is felt a million times)

    def save(self, content: bytes, name: str = "trace") -> str:
        """Write a file; its path."""
        path = self.path(name)
        with open(path, "wb", buffering=0) as file:  # noqa: PTH123
            file.write(content)
        return path

    def check(self, case: Case) -> Seen:
        """Raises whatever does not hold."""
        started = time.process_time()
        run = self.prepared(case)
        report = run()
        outputs = rendered(report)
        seconds = time.process_time() - started
        data = outputs[-1]
        require(seconds < TOO_SLOW_S, "slow", f"{seconds:.1f} s")
        self.check_report(report, outputs)
        if case.number % REPEAT == 0:
            require(rendered(run()) == outputs, "the same input gives another report")
        if case.number % FULL == 1:
            self.check_fully(report, data)
        if case.number % LINTER == 2:
            self.check_linter(case)
        if case.number % COMMANDS == 3:
            self.check_commands(case)
        if case.number % APART == 4:
            self.check_unchanged(Random(f"{self.seed}:{case.number}:unchanged"))  # noqa: S311
        if case.number % BESIDE == 5:
            self.check_beside(Random(f"{self.seed}:{case.number}:beside"))  # noqa: S311
        digest = int.from_bytes(blake2b(data, digest_size=8).digest())
        recognised = any(trace.format is not None for trace in report.traces)
        return Seen(recognised, any(resume.replaying for resume in report.resumes), seconds, digest)

    def prepared(self, case: Case) -> Callable[[], Report]:
        """Writes the files of an input; how to lint them."""
        options: dict[str, Any] = {
            "closed": case.closed,
            "expect": case.expect,
            "input_format": case.form,
            "max_line": case.max_line,
        }
        if case.mode == "one":
            path = self.save(case.content)
            return lambda: lint(path, **options)
        if case.mode == "sides":
            lines = case.content.split(b"\n")
            sides = [DIRECTED.search(line) is not None for line in lines]
            client = self.save(b"\n".join(line for line, side in zip(lines, sides, strict=True) if side))
            agent = self.save(b"\n".join(line for line, side in zip(lines, sides, strict=True) if not side), "trace-2")
            return lambda: lint([], client_file=client, agent_file=agent, **options)
        cut = case.cut if case.mode == "concat" else len(case.content)
        second = case.content[cut:] if cut < len(case.content) else self.stock.by_name[case.sample].content
        paths = [self.save(case.content[:cut]), self.save(second, "trace-2")]
        return lambda: lint(paths, concat=case.mode == "concat", **options)

    def check_report(self, report: Report, outputs: list[bytes]) -> None:
        """What holds for every report, and for how it is written."""
        for name, output in zip(OUTPUTS, outputs, strict=True):
            if name != "json":
                require_printable(output.decode(errors="surrogatepass"), name)
        value = loads(outputs[-1])
        if not fast_check()(value):
            errors = [f"{error.json_path}: {error.message}" for error in validator().iter_errors(value)]
            raise Broken("the report is not valid", "; ".join(errors[:3]) or "the fast check is wrong")
        check_lines(report)
        check_order(report)
        summary = report.summary
        require(summary.resumes == len(report.resumes), "the summary counts other resumes")
        counts = Counter[str](finding.severity for finding in report.findings)
        require(Counter(summary.findings) == counts, "the summary counts other findings")

    def check_fully(self, report: Report, data: bytes) -> None:
        """What takes longer to find out."""
        value = loads(data)
        errors = [f"{error.json_path}: {error.message}" for error in validator().iter_errors(value)]
        require(not errors, "the report is not valid", "; ".join(errors[:3]))
        require(value == loads(dumps(report)), "the JSON is not the report")
        text = b"".join(pieces(report, "text", COLOURED)).decode(errors="surrogatepass")
        require_printable(COLOUR.sub("", text), "coloured text")

    def check_linter(self, case: Case) -> None:
        """A program feeds it what is in the input, as objects, as bytes and as texts, with times and without."""
        random = Random(f"{self.seed}:{case.number}:linter")  # noqa: S311
        linter = Linter(name=random.choice(("messages", "\ud800\x1b[0m")), expect=case.expect)
        at = random.choice((0.0, 1764400000.0))
        lines = 0
        for part in case.content.split(b"\n")[:300]:
            opened = opened_part(part)
            value = opened[1] if opened is not None else None
            body = value.get("msg", value) if isinstance(value, dict) else value
            how = random.randrange(4)
            message: Any = part if how == 0 or not isinstance(body, dict | list) else body
            if how == 1:
                message = part.decode(errors="surrogateescape")
            at += random.choice((0.0, 0.01, 0.01, 3.0, -1.0))
            try:
                linter.feed(random.choice(("client", "agent")), message, random.choice((at, at, None)))
            except UnicodeEncodeError:
                continue  # half of a surrogate pair from us: no text that a peer may have sent
            lines += 1
        report = linter.finish(closed=case.closed)
        require(report.traces[0].lines == lines, "the linter counts other messages")
        self.check_report(report, rendered(report))

    def check_commands(self, case: Case) -> None:
        """The commands that look closer at a recording."""
        random = Random(f"{self.seed}:{case.number}:commands")  # noqa: S311
        path = self.save(case.content)
        report = lint(path)
        (trace,) = report.traces
        line = random.randrange(trace.lines + 2)
        shown = self.command("show", f"{path}:{line}", "--context", str(random.randrange(4)))
        require(shown == (0 if trace.error is None and 0 < line <= trace.lines else 2), "show ends otherwise", shown)
        checked = self.command("check", path, "--format", random.choice(FORMATS), "--session", "s", "--all")
        failed = any(finding.severity == "error" for finding in report.findings)
        require(checked == (2 if trace.error is not None else int(failed)), "check ends otherwise", checked)
        if report.resumes:
            number = random.randrange(1, len(report.resumes) + 1)
            extracted = self.command("extract", path, "--resume", str(number), "-o", self.path("extract"))
            require(extracted in {0, 2}, "extract ends otherwise", extracted)

    def command(self, *arguments: str) -> int:
        """The exit status of a command that printed nothing but text. Raises what it calls an internal error."""
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
        raised: list[BaseException] = []

        def listening(text: str) -> None:
            if text.startswith("internal error") and (error := sys.exception()) is not None:
                raised.append(error)
            complain(text)

        with (
            patch("sys.argv", ["replaylint", *arguments]),
            patch("replaylint.cli.complain", listening),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            status = replaylint.cli.main()
        gc.enable()  # `check` turns it off
        if raised:
            raise raised[0]
        for stream in (out, err):
            text = stream.buffer.getvalue().decode()
            if "json" not in arguments:
                require_printable(text, arguments[0])
        return status

    # What must not change

    def signature(self, content: bytes, *, closed: bool, lines: Sequence[int] | None = None) -> list[Any]:
        """The findings and outcomes. `lines` says which line each line was before; 0: it is new."""

        def was(line: int | None) -> int | None:
            return line if lines is None or line is None else lines[line - 1]

        report = lint(self.save(content), closed=closed)
        found: list[Any] = [
            (
                *(each.rule, was(each.line), was(each.last_line), each.count, each.severity, each.party),
                each.session_id,
                tuple((was(evidence.line), evidence.what) for evidence in each.evidence),
            )
            for each in report.findings
        ]
        for resume in report.resumes:
            sessions = tuple((each.session_id, each.outcome, each.certified_by) for each in resume.sessions)
            found.append((was(resume.request.line), resume.end, resume.session_id, sessions))
        return sorted(found, key=repr)

    def check_unchanged(self, random: Random) -> None:
        """A message that says the same in other words, and one that nobody knows, change no finding of any line."""
        sample = random.choice(self.stock.plain)
        closed = random.random() < 0.5
        lines = sample.content.split(b"\n")
        change = random.choice(HARMLESS)
        result = change(random, lines)
        if result is None:
            return
        new, numbers = result
        content = b"\n".join(new)
        before = self.signature(sample.content, closed=closed)
        after = self.signature(content, closed=closed, lines=numbers)
        if before != after:
            details = f"{sample.name}, closed={closed}: {before} became {after}"
            raise Broken(f"{change.__name__}: findings change", details, {"before": sample.content, "after": content})

    def check_beside(self, random: Random) -> None:
        """Whatever a message of one connection becomes, the other connection of the recording keeps its findings."""
        one, other = random.choice(self.stock.mixable), random.choice(self.stock.mixable)
        records, owners = beside(random, one, other)
        closed = random.random() < 0.5
        kept = [number for number, owner in enumerate(owners, 1) if owner == "b"]
        old = of_lines(records)
        before = of_those(self.signature(old, closed=closed), kept)
        at = random.choice([at for at, owner in enumerate(owners) if owner == "a"])
        record = loads(records[at])
        change = random.choice((rearranged, replaced))
        body = revised(random, record["msg"], self.stock, change)
        if body is None or not body:
            return
        record["msg"] = "@fuzz:body@"
        records[at] = dumps(record).replace(b'"@fuzz:body@"', body)
        if parsed(records[at]) is None:
            return  # nested too deep: any connection may have lost a message there
        content = of_lines(records)
        after = of_those(self.signature(content, closed=closed), kept)
        if before != after:
            details = f"line {at + 1} of {one.name} beside {other.name}, closed={closed}: {before} became {after}"
            raise Broken("another connection's findings change", details, {"before": old, "after": content})


OUTPUTS: Final = tuple(name for name in ("text", "concise", "json") for _ in VIEWS[name])


def pieces(report: Report, name: str, view: View) -> Iterator[bytes]:
    """The report as a renderer writes it."""
    for piece in renderer(name).render(report, view):
        yield piece if isinstance(piece, bytes) else piece.encode(errors="surrogatepass")


def rendered(report: Report) -> list[bytes]:
    """The report in every format, for a file and for a narrow terminal; JSON comes last."""
    return [b"".join(pieces(report, name, view)) for name, views in VIEWS.items() for view in views]
