"""What can be changed in a module: one comparison, one condition or one constant at a time.

comparison   `<` becomes `<=`, `==` becomes `!=`, `in` becomes `not in`, and each the other way round
condition    what is asked is asked the other way round; of `and` and `or`, one becomes the other, or one operand goes
constant     True becomes False, a number becomes greater by one, and a text longer by one character

Left alone is what no test can see: docstrings, types, what only a type checker reads; and what is in f-strings, for
Python 3.11 does not say where that stands.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Kind: TypeAlias = Literal["comparison", "condition", "constant"]

OPPOSITES: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    one: other
    for pair in ((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
    for one, other in (pair, pair[::-1])
}
TYPED: Final = {"Literal", "cast", "TypeVar"}
"""Names whose arguments are types."""


class Mutant(NamedTuple):
    """One change: these bytes of a file, of which the first is in this line, are replaced."""

    path: str
    line: int
    start: int
    end: int
    kind: Kind
    old: str
    new: str
    code: str
    """The line, without its indentation."""

    def __str__(self) -> str:
        where = f" in {self.code}" if self.kind == "constant" else ""
        return f"{self.path}:{self.line}: {self.old} \N{RIGHTWARDS ARROW} {self.new}{where}"

    def applied(self, source: bytes) -> bytes:
        """The file with this change."""
        return source[: self.start] + self.new.encode() + source[self.end :]


def mutants(path: str, source: bytes) -> list[Mutant]:
    """Every change of this file, from its beginning to its end."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for each in lines:
        starts.append(starts[-1] + len(each))
    made = []
    for kind, node, new in _changes(ast.parse(source)):
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        code = lines[node.lineno - 1].decode().strip()
        made.append(Mutant(path, node.lineno, start, end, kind, ast.unparse(node), new, code))
    return sorted(made, key=lambda each: each.start)


def _changes(node: ast.AST) -> Iterator[tuple[Kind, ast.expr, str]]:
    """What can be changed in this part of a module: what is replaced, and by what."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Compare):
        for at, operator in enumerate(node.ops):
            ops = [*node.ops[:at], OPPOSITES[type(operator)](), *node.ops[at + 1 :]]
            yield "comparison", node, f"({ast.unparse(ast.Compare(node.left, ops, node.comparators))})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield "condition", node, f"({ast.unparse(ast.BoolOp(other, node.values))})"
        for at in range(len(node.values)):
            rest = node.values[:at] + node.values[at + 1 :]
            yield "condition", node, f"({ast.unparse(ast.BoolOp(node.op, rest) if rest[1:] else rest[0])})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "condition", node, f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool | int | float | str):
        yield "constant", node, repr(_other(node.value))
    for test in _tests(node):
        # These are turned round by a change of their own.
        if not isinstance(test, ast.Compare) and not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            yield "condition", test, f"(not ({ast.unparse(test)}))"
    for child in _children(node):
        yield from _changes(child)


def _other(value: bool | float | str) -> bool | float | str:
    if isinstance(value, bool):
        return not value
    return f"{value}~" if isinstance(value, str) else value + 1


def _tests(node: ast.AST) -> list[ast.expr]:
    """What this asks."""
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        return [node.test]
    return node.ifs if isinstance(node, ast.comprehension) else []


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of this that say what happens."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
        return
    if isinstance(node, ast.Subscript | ast.Call):
        named = node.value if isinstance(node, ast.Subscript) else node.func
        if isinstance(named, ast.Name) and named.id in TYPED:
            yield from node.args[1:] if isinstance(node, ast.Call) else ()
            return
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns"}:
            yield from (each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST))
