"""Inputs one after the other, in several processes; and what failed, made small."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from tests.fuzz.metamorphic import Metamorphic
from tests.fuzz.mutations import Stock
from tests.fuzz.oracle import Oracle, Seen
from tests.fuzz.promises import Broken
from tests.fuzz.samples import ROOT, samples, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

    from tests.fuzz.inputs import Case

Checker: TypeAlias = Oracle | Metamorphic

HANG_S: Final = 30


class Hang(BaseException):
    """One input takes far too long."""


class Lost(Exception):  # noqa: N818  (so are the inputs)
    """A process that is fuzzed in has ended, or does not answer."""


@dataclass
class Failure:
    """What does not hold, and the smallest input that shows it."""

    key: str
    text: str
    case: Case
    files: dict[str, bytes]
    count: int = 1


@dataclass
class Tally:
    """What came of some inputs."""

    inputs: int = 0
    recognised: int = 0
    windows: int = 0
    levels: Counter[str] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    modes: Counter[str] = field(default_factory=Counter)
    slowest: tuple[float, int, str] = (0.0, -1, "")
    digest: int = 0
    failures: dict[str, Failure] = field(default_factory=dict)

    def add(self, other: Tally) -> None:
        """Count these, too."""
        self.inputs += other.inputs
        self.recognised += other.recognised
        self.windows += other.windows
        self.levels += other.levels
        self.groups += other.groups
        self.modes += other.modes
        self.slowest = max(self.slowest, other.slowest)
        self.digest = (self.digest + other.digest) % 2**64
        for failure in other.failures.values():
            self.fail(failure)

    def fail(self, failure: Failure) -> None:
        """One failure more, of a kind that may be known."""
        known = self.failures.setdefault(failure.key, failure)
        if known is not failure:
            known.count += failure.count
            if len(failure.case.content) < len(known.case.content):
                known.case, known.text, known.files = failure.case, failure.text, failure.files


def failure_of(error: BaseException, case: Case) -> Failure:
    """What went wrong, with a key that is the same for the same fault."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.name != hang.__name__]
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(ROOT / "replaylint")]
    where = (ours or frames)[-1]
    key = f"{type(error).__name__} in {where.name} of {Path(where.filename).name}"
    files: dict[str, bytes] = {}
    if isinstance(error, Broken):
        key, files = error.what, error.files
    return Failure(key, "".join(traceback.format_exception(error)), case, files)


def hang(number: int, frame: FrameType | None) -> None:
    """The alarm went off."""
    raise Hang(f"still running after {HANG_S} s")


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Raises Hang in what takes longer than HANG_S, where the system can."""
    if not hasattr(signal, "SIGALRM"):
        yield
        return
    old = signal.signal(signal.SIGALRM, hang)
    signal.alarm(HANG_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)


@contextlib.contextmanager
def nothing_swallowed() -> Iterator[None]:
    """Raises what a destructor or a generator that was given up would only print."""
    swallowed: list[BaseException] = []

    def remember(unraisable: Any) -> None:
        if unraisable.exc_value is not None:
            swallowed.append(unraisable.exc_value)

    old, sys.unraisablehook = sys.unraisablehook, remember
    try:
        yield
    finally:
        sys.unraisablehook = old
    if swallowed:
        raise swallowed[0]


def tried(oracle: Checker, case: Case) -> Seen | Failure:
    """What comes of this input."""
    try:
        with bounded(), nothing_swallowed():
            return oracle.check(case)
    except (Exception, Hang) as error:  # whatever it is, it is what we look for
        return failure_of(error, case)


def run(oracle: Checker, indices: Iterable[int]) -> Tally:
    """These inputs, one after the other."""
    tally = Tally()
    for index in indices:
        case = oracle.case(index)
        tally.inputs += 1
        tally.levels.update(case.levels)
        tally.groups[oracle.group(case)] += 1
        tally.modes[case.mode] += 1
        result = tried(oracle, case)
        if isinstance(result, Failure):
            tally.fail(result)
            continue
        tally.recognised += result.recognised
        tally.windows += result.window
        tally.slowest = max(tally.slowest, (result.seconds, index, case.sample))
        tally.digest = (tally.digest + result.digest) % 2**64
    return tally


_ORACLES: Final[list[Checker]] = []
"""The one of this process."""


def checker(folder: Path, seed: int, *, metamorphic: bool) -> Checker:
    """What draws inputs and looks at them: the damaged ones, or metamorphic relations."""
    return Metamorphic(folder, seed) if metamorphic else Oracle(folder, Stock(samples()), seed)


def begin(seed: int, folder: str, metamorphic: bool) -> None:
    """Prepare a process: it works in a folder of its own, so that paths in reports are the same in all."""
    own = Path(folder) / str(os.getpid())
    own.mkdir()
    os.chdir(own)
    warnings.simplefilter("error")
    _ORACLES.append(checker(Path(), seed, metamorphic=metamorphic))


def run_range(bounds: tuple[int, int]) -> Tally:
    """A part of the inputs, in a process that was prepared."""
    return run(_ORACLES[0], range(*bounds))


CHUNK: Final = 500
PATIENCE_S: Final = 600


def scratch() -> tempfile.TemporaryDirectory[str]:
    """A folder in memory, where the system has one."""
    memory = Path("/dev/shm")  # noqa: S108
    return tempfile.TemporaryDirectory(prefix="replaylint-fuzz-", dir=memory if os.access(memory, os.W_OK) else None)


def fuzz(
    inputs: int,
    jobs: int,
    seed: int = 1,
    first: int = 0,
    progress: Callable[[Tally], object] = lambda _: None,
    *,
    metamorphic: bool = False,
) -> Tally:
    """So many inputs in so many processes."""
    ranges = [(at, min(at + CHUNK, first + inputs)) for at in range(first, first + inputs, CHUNK)]
    total = Tally()
    spawn = get_context("spawn")
    with scratch() as folder, ProcessPoolExecutor(jobs, spawn, begin, (seed, folder, metamorphic)) as pool:
        answers = [(bounds, pool.submit(run_range, bounds)) for bounds in ranges]
        try:
            for bounds, answer in answers:
                try:
                    total.add(answer.result(PATIENCE_S))
                except (TimeoutError, BrokenProcessPool) as error:
                    raise Lost(f"no answer for the inputs {bounds}, or for some after them") from error
                progress(total)
        except BaseException:
            for process in active_children():
                process.kill()  # else the pool would wait for what does not end
            raise
    return total


def minimised(oracle: Checker, failure: Failure, seconds: float = 60.0) -> Failure:
    """The same failure with as little input as can be found in that time: lines, then bytes are left out."""
    deadline = time.monotonic() + seconds
    best = failure

    def fails(content: bytes) -> bool:
        nonlocal best
        result = tried(oracle, best.case._replace(content=content, cut=min(best.case.cut, len(content))))
        if isinstance(result, Failure) and result.key == failure.key:
            best = result
            return True
        return False

    if (failure.files and not oracle.pairs_of_inputs) or isinstance(tried(oracle, failure.case), Seen):
        return failure
    with contextlib.suppress(Exception):
        fails(unpacked(failure.case.content))
    for separator in (b"\n", b",", b""):
        at_content = best.case.content
        parts = list(filter(None, re.split(rb"(?<=%b)" % re.escape(separator), at_content))) if separator else []
        parts = parts or [at_content[at : at + 1] for at in range(len(at_content))]
        size = len(parts) // 2
        while size and time.monotonic() < deadline:
            at = 0
            while at < len(parts) and time.monotonic() < deadline:
                fewer = parts[:at] + parts[at + size :]
                if fewer and fails(b"".join(fewer)):
                    parts = fewer
                else:
                    at += size
            size //= 2
    return best


def report_on(total: Tally, jobs: int, seed: int, seconds: float) -> None:
    """Print the figures."""
    say(f"seed {seed}: {total.inputs} inputs in {seconds:.0f} s, {jobs} processes")
    for what, counts in (("mutations", total.levels), ("samples", total.groups), ("modes", total.modes)):
        say(f"{what}: " + ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    say(f"recognised: {total.recognised / total.inputs:.1%}, reached a window: {total.windows / total.inputs:.1%}")
    slowest, index, sample = total.slowest
    say(f"slowest: {slowest * 1000:.0f} ms of the processor, input {index}, from {sample}")
    say(f"digest of the reports: {total.digest:016x}")
    say(f"failures: {sum(each.count for each in total.failures.values())} of {len(total.failures)} kinds")


def keep(total: Tally, seed: int, folder: Path, *, metamorphic: bool = False) -> None:
    """Write what failed into this folder, made small, and print how to have it again."""
    folder.mkdir(parents=True, exist_ok=True)
    with scratch() as place:
        oracle = checker(Path(place), seed, metamorphic=metamorphic)
        for number, failure in enumerate(sorted(total.failures.values(), key=lambda each: -each.count), 1):
            small = minimised(oracle, failure)
            case = small.case
            for name, content in (small.files or {"input": case.content}).items():
                path = folder / f"{seed}-{case.number}-{name}.bin"
                path.write_bytes(content)
            say("")
            say(f"{number}. {failure.key}: {failure.count} times")
            how = " --metamorphic" if metamorphic else ""
            say(f"   again: python -m tests.fuzz --seed {seed} --first {case.number} --inputs 1 --jobs 1{how}")
            say(f"   {path}: {len(case.content)} bytes, from {case.sample}, by {', '.join(case.levels)};")
            say(f"   {case.mode}, cut={case.cut}, closed={case.closed}, expect={case.expect},")
            say(f"   input_format={case.form}, max_line={case.max_line}")
            say("   " + small.text.strip().replace("\n", "\n   "))


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
