"""Options: how one is declared, and what `lint` and `Linter` take.

What the command line alone takes is declared in `commands.options`, in the same way.
"""

# Annotations are no strings here: they are what an option is declared by.
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Final,
    ForwardRef,
    Literal,
    NamedTuple,
    TypedDict,
    TypeVar,
    cast,
    get_args,
    get_origin,
)

from replaylint.report.model import GroupBy

if TYPE_CHECKING:
    from datetime import date

    from replaylint.policies.known import Known

F = TypeVar("F", bound=Callable[..., object])

Group = Literal["output", "findings", "recordings", "timings", "details", "baseline", "text", "program"]
"""What options are about. Lists of them have them in this order."""

GROUPS: Final[tuple[Group, ...]] = get_args(Group)


class Option(NamedTuple):
    """What an option is on the command line, in a settings file and in the guide. There `-` replaces `_` in its name.

    `kind`: its type there, if it is another than in Python: str, list[str] where it may be repeated, bool, int or a
    Literal. `default`: what holds where it is not given. An int is at least `minimum`. One that is not `settable`
    belongs to one run.
    """

    group: Group
    help: str
    metavar: str | None = None
    kind: Any = None
    default: str | bool | None = None
    short: str | None = None
    minimum: int | None = None
    settable: bool = True
    takes_away: bool = False


class LinterOptions(TypedDict, total=False):
    """What `Linter` and `lint` take."""

    select: Annotated[
        str | Iterable[str] | None,
        Option(
            "findings",
            "Report these rules only: a code, a name, or a prefix such as RL2.",
            metavar="RULE[,RULE]",
            kind=list[str],
            takes_away=True,
        ),
    ]
    ignore: Annotated[
        str | Iterable[str] | None,
        Option("findings", "Do not report these rules.", metavar="RULE[,RULE]", kind=list[str], takes_away=True),
    ]
    severity: Annotated[
        str | Iterable[str] | Mapping[str, str] | None,
        Option(
            "findings",
            "The severity of findings of a rule: error, warning or info. If several apply, the last one counts.",
            metavar="RULE=LEVEL[,RULE=LEVEL]",
            kind=list[str],
            takes_away=True,
        ),
    ]
    expect: Annotated[
        str | Iterable[str] | None,
        Option(
            "findings",
            "Report every replay with another outcome than these, and recordings without a resume, as errors.",
            metavar="OUTCOME[,OUTCOME]",
            kind=list[str],
        ),
    ]
    max_gap: Annotated[
        float | str | None,
        Option("timings", "Report response gaps longer than this (2s, 500ms) as errors.", metavar="DURATION", kind=str),
    ]
    max_replay: Annotated[
        float | str | None,
        Option("timings", "Report replays longer than this as errors.", metavar="DURATION", kind=str),
    ]
    max_total: Annotated[
        float | str | None,
        Option("timings", "Report resumes that take longer than this as errors.", metavar="DURATION", kind=str),
    ]
    budget: Annotated[
        str | Iterable[str] | None,
        Option(
            "timings",
            "Report it as an error if all replays together exceed this: p95(response_gap)<2s.",
            metavar="BUDGET",
            kind=list[str],
        ),
    ]
    max_message: Annotated[
        int | str | None,
        Option("findings", "Report longer messages (64KiB, 10MiB) as errors.", metavar="SIZE", kind=str),
    ]


class Options(LinterOptions, total=False):
    """What `lint` takes."""

    input_format: Annotated[
        str | None,
        Option(
            "recordings",
            "The format of the recordings, instead of the recognised one.",
            metavar="NAME",
            takes_away=True,
        ),
    ]
    concat: Annotated[
        bool,
        Option("recordings", "The recordings are parts of one, in this order.", settable=False),
    ]
    pass_over: Annotated[
        bool,
        Option(
            "recordings",
            "Pass over named files that are no recordings, as in a folder; never one that ends in .ndjson.",
            settable=False,
        ),
    ]
    client_file: Annotated[
        str | PathLike[str] | None,
        Option(
            "recordings",
            "What the client sent, where each side was recorded apart.",
            metavar="FILE",
            kind=str,
            settable=False,
        ),
    ]
    agent_file: Annotated[
        str | PathLike[str] | None,
        Option("recordings", "What the agent sent; goes with --client-file.", metavar="FILE", kind=str, settable=False),
    ]
    max_line: Annotated[
        int | str | None,
        Option(
            "recordings",
            "Skip longer lines, and report them: bytes, or with a unit (256MiB).",
            metavar="SIZE",
            kind=str,
            takes_away=True,
        ),
    ]
    group_by: Annotated[
        str | None,
        Option("details", "Text, csv, json: the statistics of each group, too.", kind=GroupBy, settable=False),
    ]
    baseline: Annotated[
        "str | PathLike[str] | Known | None",
        Option(
            "baseline",
            "Do not fail for the findings that are known from this file.",
            metavar="FILE",
            kind=str,
            takes_away=True,
        ),
    ]
    exceptions: Iterable[Mapping[str, object]] | None
    """The tables `agent` of a settings file."""
    today: "date | str | None"


def given(options: Mapping[str, object], known: type = Options) -> Options:
    """Those of them that are set. Raises TypeError for one that is not among the known, or of another type."""
    for name, value in options.items():
        if name not in known.__annotations__:
            raise TypeError(f"got an unexpected keyword argument {name!r}")
        if value is not None:
            _check_type(name, value, known.__annotations__[name])
    return cast("Options", {name: each for name, each in options.items() if each is not None and each is not False})


WORDS: Final = {
    str: "a str",
    int: "an int",
    float: "a number",
    bool: "a bool",
    Mapping: "a mapping",
    Iterable: "several in a list",
    PathLike: "a path",
}


def _check_type(name: str, value: object, annotation: Any) -> None:
    """Raises TypeError. What is annotated with a class that is not imported is left to who parses it."""
    of = getattr(annotation, "__origin__", annotation)
    union = get_args(of) if isinstance(of, UnionType) else [of]
    kinds = () if isinstance(of, ForwardRef | str) else tuple(get_origin(each) or each for each in union)
    if isinstance(value, bool):
        fits = bool in kinds
    elif not kinds:
        fits = True
    elif PathLike in kinds:
        fits = isinstance(value, (*kinds, bytes))
    else:
        accepted = (*kinds, int) if float in kinds else kinds
        fits = isinstance(value, accepted) and not isinstance(value, bytes | bytearray | memoryview)
    if not fits:
        words = " or ".join(word for kind, word in WORDS.items() if kind in kinds)
        raise TypeError(f"{name} cannot be a {type(value).__name__}" + (f": it has to be {words}" if words else ""))


def declared(options: type) -> dict[str, Option]:
    """The options that a TypedDict declares for the command line, by their names; each knows its kind."""
    found = {}
    for name, annotation in options.__annotations__.items():
        for option in getattr(annotation, "__metadata__", ()):
            of = annotation.__origin__
            kind = option.kind or (get_args(of)[0] if isinstance(of, UnionType) else of)
            found[name] = option._replace(kind=kind, default=False if kind is bool else option.default)
    return dict(sorted(found.items(), key=lambda item: GROUPS.index(item[1].group)))


def spelled_out(parameters: Iterable[inspect.Parameter]) -> Callable[[F], F]:
    """Makes the signature of a function name these in place of `**options`, for `help`, for editors and for typer."""

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        function.__signature__ = signature.replace(parameters=[*own, *parameters])  # type: ignore[attr-defined]
        return function

    return decorate


def keywords(options: type) -> Iterator[inspect.Parameter]:
    """What a TypedDict declares, as the parameters of a function in Python."""
    for name, annotation in options.__annotations__.items():
        of = annotation.__origin__ if hasattr(annotation, "__metadata__") else annotation
        default = False if of is bool else None
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=of)
