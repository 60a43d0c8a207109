"""A part of the fuzzing that `python -m tests.fuzz` does by hand; and that it would notice what it looks for."""

from __future__ import annotations

import signal
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orjson import dumps, loads

from replaylint.analysis.lint import lint
from replaylint.analysis.linter import Linter
from replaylint.report.model import Evidence
from tests.fuzz.harmless import HARMLESS
from tests.fuzz.inputs import Case, format_names
from tests.fuzz.metamorphic import RELATIONS, Metamorphic
from tests.fuzz.mutations import LEVELS, Stock, mutated
from tests.fuzz.oracle import REPEAT, Oracle, Seen
from tests.fuzz.run import Failure, Tally, fuzz, minimised, tried
from tests.fuzz.samples import CODECS, Sample, own_samples, samples
from tests.fuzz.schema import fast_check, validator
from tests.fuzz.values import slots_of
from tests.profiles import profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from replaylint.report.model import Report

INPUTS = 2_000
"""Of the million that is tried by hand."""
RELATED = 500
"""Of the 100,000 recordings by the grammar."""
SEED = 1


@pytest.fixture(scope="module")
def stock() -> Stock:
    return Stock(samples())


@pytest.fixture
def oracle(stock: Stock, tmp_path: Path) -> Oracle:
    return Oracle(tmp_path, stock, SEED)


def told(total: Tally, how: str = "") -> str:
    """What failed, and how to have it again."""
    return "\n".join(
        f"python -m tests.fuzz --seed {SEED} --first {each.case.number} --inputs 1{how}\n{each.text}"
        for each in total.failures.values()
    )


def test_a_part_of_what_is_done_by_hand() -> None:
    total = fuzz(INPUTS, 1, SEED)
    assert not total.failures, told(total)
    assert total.inputs == INPUTS
    assert total.windows / total.inputs >= 0.5
    assert min(total.levels[level] for level in LEVELS) > INPUTS / 10


def test_a_part_of_the_relations() -> None:
    total = fuzz(RELATED, 1, SEED, metamorphic=True)
    assert not total.failures, told(total, " --metamorphic")
    assert total.inputs == RELATED
    assert total.windows / total.inputs >= 0.5
    assert min(total.levels[relation] for relation in RELATIONS) > RELATED / len(RELATIONS) / 2


def test_a_relation_that_does_not_hold_is_shown_by_few_messages(tmp_path: Path) -> None:
    oracle = Metamorphic(tmp_path, SEED)
    feed = Linter.feed

    def forgetful(linter: Linter, side: Any, message: Any, time: float | None) -> None:
        text = message if isinstance(message, bytes) else dumps(message)
        feed(linter, side, message, None if b"replay_complete" in text else time)

    with patch.object(Linter, "feed", forgetful):
        found = [tried(oracle, oracle.case(index)) for index in range(300)]
        failures = [each for each in found if isinstance(each, Failure)]
        small = minimised(oracle, failures[0], 5)
    assert {each.key for each in failures} == {"fed: the report changes"}
    assert b"replay_complete" in small.case.content
    assert small.case.content.count(b"\n") <= 6
    assert b"replay_complete" in small.files["trace"]
    assert isinstance(tried(oracle, small.case), Seen)


def test_inputs_and_reports_are_the_same_in_any_process() -> None:
    with patch("tests.fuzz.run.CHUNK", 50):
        one, two, others = fuzz(300, 1, SEED), fuzz(300, 2, SEED), fuzz(300, 1, SEED + 1)
    assert (one.digest, one.levels, one.groups) == (two.digest, two.levels, two.groups)
    assert one.digest != others.digest


# Samples


def test_there_are_samples_in_every_format(stock: Stock) -> None:
    assert {sample.form for sample in stock.every if sample.form} == set(format_names())
    assert {sample.codec for sample in stock.every} >= {None, *CODECS}
    assert all(stock.groups[name] for name in ("samples", "rules", "formats"))


@pytest.mark.parametrize("sample", list(own_samples()), ids=lambda sample: sample.name)
def test_a_sample_is_of_its_format_and_reaches_a_window(sample: Sample, oracle: Oracle) -> None:
    content = CODECS[sample.codec][1](sample.content) if sample.codec else sample.content
    report = lint(oracle.save(content))
    if sample.codec == "zstd" and report.traces[0].error is not None:
        assert report.traces[0].error.code == "needs-library"
        return
    assert (report.traces[0].format, report.traces[0].error) == (sample.form, None)
    assert any(resume.replaying for resume in report.resumes)


def test_without_mutations_every_sample_holds(oracle: Oracle) -> None:
    for number, sample in enumerate(oracle.stock.every):
        oracle.check(case(sample, number=number))


def case(sample: Sample, content: bytes | None = None, number: int = 7, **options: Any) -> Case:
    """A sample, or what became of it, as an input."""
    plain = Case(
        number, sample.name, sample.content, (), closed=False, expect=None, form=None, max_line=None, mode="one", cut=0
    )
    return plain._replace(**options) if content is None else plain._replace(content=content, **options)


# What it looks for


def far_line(report: Report) -> None:
    report.findings[0].line = report.traces[0].lines + 1


def far_evidence(report: Report) -> None:
    report.findings[0].evidence.append(Evidence(report.traces[0].lines + 1, "request"))


def no_line(report: Report) -> None:
    report.resumes[0].request.line = 0


def wrong_type(report: Report) -> None:
    report.resumes[0].session_id = 7  # type: ignore[assignment]


def escape(report: Report) -> None:
    report.findings[0].name = "\x1b[31m"


def direction_override(report: Report) -> None:
    report.findings[0].name = "\u202e"


def other_order(report: Report) -> None:
    report.findings.reverse()


def miscounted(report: Report) -> None:
    report.summary.findings["error"] += 1


def crash(report: Report) -> None:
    raise KeyError("x")


SPOILED: dict[Callable[[Report], None], str] = {
    far_line: "names a line that is not there",
    far_evidence: "rests on a line that is not there",
    no_line: "the report is not valid",
    wrong_type: "the report is not valid",
    escape: "text holds a control character",
    direction_override: "text holds a control character",
    other_order: "findings are in another order",
    miscounted: "the summary counts other findings",
    crash: "KeyError in crash of test_fuzz.py",
}


@pytest.mark.parametrize("spoil", SPOILED, ids=lambda spoil: spoil.__name__)
def test_what_does_not_hold_is_a_failure(spoil: Callable[[Report], None], oracle: Oracle) -> None:
    sample = oracle.stock.by_name["faulty as envelope"]

    def spoiled(*arguments: Any, **options: Any) -> Report:
        report = lint(*arguments, **options)
        spoil(report)
        return report

    assert isinstance(tried(oracle, case(sample)), Seen)
    with patch("tests.fuzz.oracle.lint", spoiled):
        result = tried(oracle, case(sample))
    assert isinstance(result, Failure)
    assert SPOILED[spoil] in result.key


def test_a_report_that_changes_is_a_failure(oracle: Oracle) -> None:
    closed = iter([False, True])

    def moody(path: str, **options: Any) -> Report:
        return lint(path, **{**options, "closed": next(closed)})

    sample = oracle.stock.by_name["whole as envelope"]
    begun = sample.content[: sample.content.index(b"replay_complete")]
    with patch("tests.fuzz.oracle.lint", moody):
        result = tried(oracle, case(sample, begun, REPEAT))
    assert isinstance(result, Failure)
    assert result.key == "the same input gives another report"


def test_what_takes_too_long_is_a_failure(oracle: Oracle) -> None:
    def endless(*arguments: Any, **options: Any) -> Report:
        while True:
            pass

    if not hasattr(signal, "SIGALRM"):
        pytest.skip("nothing here can interrupt it")
    with patch("tests.fuzz.oracle.lint", endless), patch("tests.fuzz.run.HANG_S", 1):
        result = tried(oracle, case(oracle.stock.every[0]))
    assert isinstance(result, Failure)
    assert result.key == "Hang in endless of test_fuzz.py"


def test_a_failure_is_made_small(oracle: Oracle) -> None:
    def picky(path: str, **options: Any) -> Report:
        if b"replay_complete" in Path(path).read_bytes():
            raise KeyError("marker")
        return lint(path, **options)

    with patch("tests.fuzz.oracle.lint", picky):
        failure = tried(oracle, case(oracle.stock.by_name["whole as envelope"]))
        assert isinstance(failure, Failure)
        assert minimised(oracle, failure).case.content == b"replay_complete"


def spoilings(value: Any, random: Random) -> Iterator[Any]:
    """The value with another value somewhere, or without one, again and again."""
    for _ in range(60):
        copy = loads(dumps(value))
        container, key = random.choice(slots_of(copy))
        if random.random() < 0.3:
            del container[key]
        else:
            container[key] = random.choice((None, True, 0, 1, 1.0, 1.5, -1, "", "RL1", "open", "error", [], {}, [{}]))
        yield copy


@pytest.mark.parametrize("name", ["whole as envelope", "older as raw", "faulty as inline"])
def test_the_fast_check_is_the_schema(name: str, oracle: Oracle) -> None:
    value = loads(dumps(lint(oracle.save(oracle.stock.by_name[name].content))))
    assert fast_check()(value)
    verdicts = set()
    for spoiled in spoilings(value, Random(name)):  # noqa: S311
        valid = fast_check()(spoiled)
        assert valid == validator().is_valid(spoiled)
        verdicts.add(valid)
    assert verdicts == {False, True}


@pytest.mark.parametrize("change", HARMLESS, ids=lambda change: change.__name__)
def test_what_must_not_matter_is_a_change(change: Callable[..., Any], stock: Stock) -> None:
    changed = 0
    for number, sample in enumerate(stock.plain):
        lines = sample.content.split(b"\n")
        result = change(Random(number), lines)  # noqa: S311
        changed += result is not None and result[0] != lines
    assert changed > len(stock.plain) / 20


# Mutations that hypothesis composes

FEW = (
    *("whole as envelope", "older as raw", "faulty as recorder", "whole as zed", "older as tck-report"),
    *("faulty as conductor-trace", "older as prefix box", "whole as content-length", "whole as envelope in gzip"),
)


@given(
    name=st.sampled_from(FEW),
    mutations=st.lists(st.tuples(st.sampled_from(sorted(LEVELS)), st.randoms(use_true_random=False)), max_size=4),
    closed=st.booleans(),
    number=st.sampled_from([REPEAT, 1, 2, 7]),
)
@profile(100)
def test_composed_mutations_give_a_report(
    name: str, mutations: list[tuple[str, Random]], closed: bool, number: int, oracle: Oracle
) -> None:
    sample = oracle.stock.by_name[name]
    content = sample.content
    for level, random in mutations:
        content, _ = mutated(random, content, level, sample, oracle.stock)
    oracle.check(case(sample, content, number, closed=closed))
