"""What the user expects of a report, and what in it is otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from replaylint.errors import UnknownNameError
from replaylint.policies.names import split
from replaylint.policies.violations import on_recording, on_resume
from replaylint.replay.outcome import OUTCOMES
from replaylint.rules.registry import ERROR
from replaylint.rules.rl406_unexpected_outcome import RULE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from replaylint.policies.options import LinterOptions
    from replaylint.policies.policy import Draft
    from replaylint.replay.outcome import Outcome
    from replaylint.report.model import Finding


class Expectations(NamedTuple):
    """The outcomes that every replay should have one of."""

    outcomes: tuple[Outcome, ...]

    def apply(self, draft: Draft) -> None:
        """Report what is otherwise."""
        draft.add(_unexpected(draft, self.outcomes))


def parse(options: LinterOptions) -> Expectations | None:
    """What `expect` says. Raises ValueError and TypeError."""
    names = options.get("expect")
    return None if names is None else Expectations(outcomes(names))


def outcomes(names: str | Iterable[str]) -> tuple[Outcome, ...]:
    """The outcomes that these names mean, in the order of OUTCOMES. Raises ValueError and TypeError."""
    named = [name.lower() for name in split(names)]
    for name in named:
        if name not in OUTCOMES:
            raise UnknownNameError("outcome", name, OUTCOMES)
    if not named:
        raise ValueError("no outcome is named")
    return tuple(each for each in OUTCOMES if each in named)


def _unexpected(draft: Draft, expected: tuple[Outcome, ...]) -> Iterator[Finding]:
    """RL406: each session of a replaying resume that has none of these outcomes, each recording without a resume.

    Of a recording that could not be read to its end, nobody knows that it holds none.
    """
    either = " or ".join(expected)
    resumed = set()
    for resume in draft.report.resumes:
        resumed.add(resume.trace)
        for session in resume.sessions if resume.replaying else ():
            if session.outcome not in expected:
                facts = {
                    "found": f"the outcome is {session.outcome}",
                    "expected": either,
                    "advice": f"see the other findings on this request, or expect {session.outcome} too",
                }
                # Who knows of one outcome does not know of another.
                yield on_resume(RULE, ERROR, resume, session, facts, what=session.outcome)
    for traces in draft.recordings:
        if all(each.path not in resumed and each.error is None for each in traces):
            facts = {
                "found": "the recording holds no resume",
                "expected": either,
                "advice": "record a session/resume or session/load, or leave this recording out",
            }
            yield on_recording(RULE, ERROR, traces[0].path, facts, party="recording")
