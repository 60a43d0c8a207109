"""Exceptions: findings that a project leaves out for one agent, for a reason, and perhaps until a date."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping
from datetime import date
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from replaylint.errors import UnknownNameError, UsageError
from replaylint.policies.names import chosen, split
from replaylint.policies.violations import on_recording
from replaylint.report.connections import Connections
from replaylint.report.model import Exemption
from replaylint.rules import all_rules
from replaylint.rules.registry import WARNING
from replaylint.rules.rl407_expired_exception import RULE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from replaylint.policies.options import Options
    from replaylint.policies.policy import Draft
    from replaylint.report.model import Finding, Peer, Report

    Version = tuple[tuple[int, str], ...]
    """Its numbers, each with its number of digits first: so they compare, however long they are."""

KEYS: Final = ("name", "version", "ignore", "reason", "until")
REQUIRED: Final = ("name", "ignore", "reason")

OPERATORS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
_NUMBERS: Final = r"[0-9]+(?:\.[0-9]+)*"
_BOUND: Final = re.compile(rf"\s*({'|'.join(OPERATORS)})\s*v?({_NUMBERS})\s*")
_VERSION: Final = re.compile(rf"v?({_NUMBERS})")


class AgentException(NamedTuple):
    """For the agent of this name, in versions within all bounds: these rules, by code, and as the user named them."""

    name: str
    version: str | None
    bounds: tuple[tuple[str, Version], ...]
    codes: set[str]
    ignore: list[str]
    reason: str
    until: date | None
    expired: bool

    def covers(self, agent: Peer) -> bool:
        """Whether it is meant for this agent. Of a version that is not known, nothing is."""
        if agent.name != self.name:
            return False
        if not self.bounds:
            return True
        found = _VERSION.match(agent.version or "")
        if found is None:
            return False
        version = _version(found[1])
        return all(OPERATORS[sign](version, bound) for sign, bound in self.bounds)


class Exceptions(NamedTuple):
    """What is left out, agent by agent."""

    agents: tuple[AgentException, ...]

    def apply(self, draft: Draft) -> None:
        """Leave out the findings that these cover, and report RL407."""
        draft.left_out = _leave_out(draft.report, self.agents)
        draft.add(_expired(draft.report))


def parse(options: Options) -> Exceptions | None:
    """What `exceptions`, tables as in the settings, say; without a `today` none has expired. Raises UsageError and
    TypeError.
    """
    given, today = options.get("exceptions"), options.get("today")
    day = None if today is None else _date("today", today)
    if not given:
        return None
    return Exceptions(tuple(exception(each, day) for each in given))


def exception(given: Mapping[str, object], today: date | None = None) -> AgentException:
    """What one of them says. Raises UsageError and TypeError, which name the key."""
    if not isinstance(given, Mapping):
        raise TypeError("an exception has to be a table of name, ignore and reason")
    for key in given:
        if key not in KEYS:
            raise UnknownNameError("key", str(key), KEYS)
    for key in REQUIRED:
        if key not in given:
            raise UsageError(f"{key} is missing")
    version = None if given.get("version") is None else _text("version", given)
    until = None if given.get("until") is None else _date("until", given["until"])
    names = _names(given["ignore"])
    return AgentException(
        name=_text("name", given),
        version=version,
        bounds=() if version is None else tuple(map(_bound, version.split(","))),
        codes=chosen(names, all_rules()),
        ignore=names,
        reason=" ".join(_text("reason", given).split()),
        until=until,
        expired=today is not None and until is not None and today > until,
    )


def _leave_out(report: Report, given: Iterable[AgentException]) -> list[Finding]:
    """Take the findings that these cover out of the report, which says how many; returns them.

    Where several cover one, it is that of the first which has not expired.
    """
    told = [
        (
            each,
            Exemption(
                name=each.name,
                version=each.version,
                ignore=each.ignore,
                reason=each.reason,
                until=None if each.until is None else each.until.isoformat(),
                findings=0,
                expired=each.expired,
            ),
        )
        for each in given
    ]
    report.exceptions = [exemption for _, exemption in told]
    told.sort(key=lambda each: each[0].expired)
    connections = Connections(report)
    of_agent: dict[tuple[str | None, str | None], list[tuple[AgentException, Exemption]]] = {}
    """Those that cover an agent, by its name and version: findings are many, agents are few."""
    kept, left_out = [], []
    for finding in report.findings:
        connection = connections.of(finding)
        covering: list[tuple[AgentException, Exemption]] = []
        if connection is not None:
            agent = connection.agent
            key = agent.name, agent.version
            if key not in of_agent:
                of_agent[key] = [each for each in told if each[0].covers(agent)]
            covering = of_agent[key]
        exemption = next((exemption for each, exemption in covering if finding.rule in each.codes), None)
        if exemption is None:
            kept.append(finding)
        else:
            exemption.findings += 1
            left_out.append(finding)
    report.findings = kept
    return left_out


def _expired(report: Report) -> Iterator[Finding]:
    """RL407: each exception that is past its date and left something out."""
    for each in report.exceptions:
        if each.expired and each.findings:
            agent = each.name if each.version is None else f"{each.name} {each.version}"
            rules = ", ".join(each.ignore)
            facts = {"agent": agent, "until": each.until, "rules": rules, "reason": each.reason}
            yield on_recording(RULE, WARNING, None, facts, what=f"{agent}: {rules}", count=each.findings)


def _text(key: str, given: Mapping[str, object]) -> str:
    value = given[key]
    if not isinstance(value, str):
        raise TypeError(f"{key} has to be a text")
    if not value.strip():
        raise UsageError(f"{key} has to be a text")
    return value


def _names(value: object) -> list[str]:
    if not isinstance(value, str | list) or not all(isinstance(each, str) for each in value):
        raise TypeError("ignore has to name rules, such as RL201")
    if not value:
        raise UsageError("ignore has to name rules, such as RL201")
    return split(value)


def _date(key: str, value: object) -> date:
    if type(value) is date:  # a time of day is one, too
        return value
    advice = f"{key} has to be a date, such as 2027-03-01"
    if not isinstance(value, str):
        raise TypeError(advice)
    try:
        day = date.fromisoformat(value)
    except ValueError:
        day = None
    if day is None or str(day) != value:  # weeks, say
        raise UsageError(advice)
    return day


def _bound(text: str) -> tuple[str, Version]:
    found = _BOUND.fullmatch(text)
    if found is None:
        advice = f"write {', '.join(OPERATORS)} and a number, such as <0.120, several with commas"
        raise UsageError(f"version: {text.strip()!r} is not a bound: {advice}")
    return found[1], _version(found[2])


def _version(text: str) -> Version:
    """Number by number: 0.99 is before 0.120, and 1 is 1.0."""
    numbers = [each.lstrip("0") for each in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple((len(each), each) for each in numbers)
