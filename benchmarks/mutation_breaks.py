"""Which small changes would break a module, and the module with one of them made; nothing is run here.

Places are statements: each offers the breaks of its own expressions, so that a long block counts no more than a short one. What nothing
could notice is not offered: annotations, `strict=`, docstrings, what asserts claim. Example::

    breaks = breaks_of(text)[0]                    # those of one statement
    broken_text(text, breaks[0])                   # "… a <= b …" for "… a < b …"
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import TypeVar

_Node = TypeVar("_Node", ast.expr, ast.stmt)

__all__ = ["Break", "breaks_of", "broken_text"]

_COMPARED: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_CLAIMS = (ast.Assert, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.Pass)
"""Statements that do nothing which a test could hold."""


@dataclass(frozen=True)
class Break:
    """One change of one place in a module's text."""

    start: int
    """Offset in the text, in bytes of UTF-8."""
    end: int
    text: str
    """What stands there then."""
    lines: tuple[int, ...]
    """Lines of the statement's own part, from 1: a test that runs one of them reaches it."""
    is_in_function: bool
    what: str
    """For people: "< becomes <="."""


def breaks_of(text: str) -> list[tuple[Break, ...]]:
    """For each statement that can be broken, in how many ways."""
    starts = _line_starts(text)
    found: list[tuple[Break, ...]] = []
    for statement, is_in_function in _statements(ast.parse(text), False):
        last = min((node.lineno - 1 for node in _blocks(statement)), default=statement.end_lineno or statement.lineno)
        lines = tuple(range(statement.lineno, max(statement.lineno, last) + 1))
        made: list[Break] = []
        for node, new, what in _changes(statement, is_in_function):
            assert node.end_lineno is not None and node.end_col_offset is not None
            start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
            made.append(Break(start, end, new if isinstance(node, ast.stmt) else f"({new})", lines, is_in_function, what))
        if made:
            found.append(tuple(made))
    return found


def broken_text(text: str, one: Break) -> str:
    data = text.encode()
    return (data[: one.start] + one.text.encode() + data[one.end :]).decode()


def _line_starts(text: str) -> list[int]:
    starts = [0]
    for line in text.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _statements(node: ast.AST, is_in_function: bool) -> Iterator[tuple[ast.stmt, bool]]:
    for child in _blocks(node):
        if not (isinstance(child, _CLAIMS) or _is_docstring(child) or _is_for_types(child)):
            yield child, is_in_function
            yield from _statements(child, is_in_function or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef))


def _blocks(node: ast.AST) -> Iterator[ast.stmt]:
    """The statements right inside a node."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from _blocks(child)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_for_types(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "TYPE_CHECKING" in ast.unparse(statement.test)


def _changes(statement: ast.stmt, is_in_function: bool) -> Iterator[tuple[ast.stmt | ast.expr, str, str]]:
    """What may stand for the statement or a part of it: the part, its new text, in words."""
    match statement:
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield statement, "pass", f"left out: {ast.unparse(statement)}"
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield statement, "return None", f"None for {ast.unparse(value)}"
        case ast.Break():
            yield statement, "continue", "continue for break"
        case ast.Continue():
            yield statement, "break", "break for continue"
        case ast.AugAssign(op=op) if type(op) in _COMPUTED:
            yield from _as_changed(statement, op=_COMPUTED[type(op)]())
        case ast.If(test=test) | ast.While(test=test):
            yield test, f"not ({ast.unparse(test)})", f"not ({ast.unparse(test)})"
        case _:
            pass
    for node in _expressions(statement):
        yield from _changes_of_expression(node, is_in_function)


def _expressions(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions of a statement outside its blocks, annotations and formatted strings (whose places Python 3.11 does not tell)."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases", "pattern"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.JoinedStr) or (isinstance(child, ast.keyword) and child.arg == "strict"):
                continue
            if isinstance(child, ast.expr):
                yield child
            if isinstance(child, ast.expr | ast.keyword | ast.comprehension | ast.arguments | ast.withitem):
                yield from _expressions(child)
            if isinstance(child, ast.match_case) and child.guard is not None:
                yield child.guard
                yield from _expressions(child.guard)


def _changes_of_expression(node: ast.expr, is_in_function: bool) -> Iterator[tuple[ast.expr, str, str]]:
    match node:
        case ast.Compare(ops=ops):
            for place, op in enumerate(ops):
                for other in _COMPARED[type(op)]:
                    yield from _as_changed(node, ops=[*ops[:place], other(), *ops[place + 1 :]])
        case ast.BoolOp(op=op, values=values):
            yield from _as_changed(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            for place in range(len(values)):
                yield from _as_changed(node, values=[*values[:place], *values[place + 1 :]])
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield node, ast.unparse(operand), f"{ast.unparse(operand)} for {ast.unparse(node)}"
        case ast.BinOp(op=op) if type(op) in _COMPUTED and (is_in_function or not isinstance(op, ast.BitOr)):  # not types: A | B
            yield from _as_changed(node, op=_COMPUTED[type(op)]())
        case ast.Constant(value=bool() as value):
            yield node, str(not value), f"{not value} for {value}"
        case ast.Constant(value=int() | float() as value):
            yield from ((node, repr(other), f"{other!r} for {value!r}") for other in (value + 1, value - 1))
        case ast.IfExp(test=test):
            yield from _as_changed(node, test=ast.UnaryOp(ast.Not(), test))
        case (
            ast.ListComp(generators=made) | ast.SetComp(generators=made) | ast.DictComp(generators=made) | ast.GeneratorExp(generators=made)
        ):
            for place, part in enumerate(made):
                for number in range(len(part.ifs)):
                    kept = ast.comprehension(part.target, part.iter, [*part.ifs[:number], *part.ifs[number + 1 :]], part.is_async)
                    yield from _as_changed(node, generators=[*made[:place], kept, *made[place + 1 :]])
        case ast.Call(func=ast.Name(id=name)) if name in _CALLED:
            yield from _as_changed(node, func=ast.Name(_CALLED[name]))
        case ast.Call(args=[first, second, *others]) if not _is_same(first, second):
            yield from _as_changed(node, args=[second, first, *others])
        case _:
            pass


def _is_same(first: ast.expr, second: ast.expr) -> bool:
    """Whether nothing changes where they change places; so it is said of what a star unpacks, too."""
    return ast.dump(first) == ast.dump(second) or any(isinstance(one, ast.Starred) for one in (first, second))


def _as_changed(node: _Node, **fields: object) -> Iterator[tuple[_Node, str, str]]:
    new = deepcopy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    text = ast.unparse(new.values[0] if isinstance(new, ast.BoolOp) and len(new.values) == 1 else new)
    yield node, text, f"{text} for {ast.unparse(node)}"
