"""The settings of an edit's tunable numbers, and its texts with a setting written in as plain constants.

A tunable is defined once in the edited texts: as a macro (``#define TILE 32``), a constant (``constexpr int TILE = 32, ROWS{8};``) or an
enumerator (``enum { TILE = 32 };``). Example::

    space = space_of((text,), (Tunable("TILE", (16, 32, 64)),), ("TILE * TILE <= 1024",))
    [setting.words for setting in space.settings]     # ["TILE = 16", "TILE = 32"]
    written((text,), space.settings[0])               # the text with "#define TILE 16"
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from assistant.cuda.code_text import blanked
from assistant.model.plan import Tunable
from assistant.python_text import parse_expression
from assistant.record import Record

__all__ = ["Setting", "TuningProblem", "TuningSpace", "defines", "space_of", "written"]

_MOST_SETTINGS = 4096
"""Combinations of all values that are looked at (chosen)."""
_GOLDEN = (math.sqrt(5) - 1) / 2
"""Multiples of it are spread evenly (Knuth, The Art of Computer Programming, volume 3, section 6.4)."""
_NAME = re.compile(r"[A-Za-z_]\w*")
_NUMBER = r"(?P<value>\d+)[uUlL]*"
_DECLARATOR = r"(?:[^;(){{}}]|\{{\s*\w+\s*\}})*"
"""A piece of a declaration of constants, with what its names are set to in braces."""
_DEFINED = (
    r"^[ \t]*#[ \t]*define[ \t]+{name}[ \t]+(?:\([ \t]*)?" + _NUMBER + r"(?=[ \t]*\)?[ \t]*$)",
    r"\bconst(?:expr)?\b" + _DECLARATOR + r"?\b{name}\s*[={{]\s*" + _NUMBER + r"(?=\s*\}}?\s*(?:;|," + _DECLARATOR + r";))",
    r"\benum\b[^;(){{}}]*\{{[^;(){{}}]*?\b{name}\s*=\s*" + _NUMBER + r"(?=\s*[,}}])",
)
"""Of a macro, a constant and an enumerator."""
_OPERATIONS: Mapping[type[ast.AST], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a // b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: operator.mod,
}
_COMPARISONS: Mapping[type[ast.AST], Callable[[int, int], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class Setting(Record):
    """A value for each tunable."""

    values: tuple[tuple[str, int], ...]

    @property
    def words(self) -> str:
        """``TILE = 32, UNROLL = 4``"""
        return ", ".join(f"{name} = {value}" for name, value in self.values)


class TuningSpace(Record):
    """What may be tried."""

    start: Setting
    """As the edit has them."""
    settings: tuple[Setting, ...]
    """Every combination that meets the constraints, the start included where it does."""


class TuningProblem(Record):
    """Why nothing can be tried."""

    reason: str


def space_of(texts: Sequence[str], tunables: Iterable[Tunable], constraints: Iterable[str]) -> TuningSpace | TuningProblem:
    """The settings of an edit that leads to ``texts``, one a file, or what is wrong with what its author says of them.

    ``texts``: those that the edit changes, and others of the program that define a tunable which these do not.
    """
    wanted = {tunable.name: tuple(dict.fromkeys(tunable.values)) for tunable in tunables}
    start: list[tuple[str, int]] = []
    for name in wanted:
        found = [match for text in texts for match in _definitions(text, name)]
        if len(found) != 1:
            return TuningProblem(f"{name} is defined {len(found)} times as a plain number in what the edit changes, and has to be once")
        start.append((name, int(found[0]["value"])))
    try:
        conditions = [_condition(line, wanted) for line in constraints if line]
        settings = tuple(
            Setting(tuple(zip(wanted, values, strict=True)))
            for values in _combinations(tuple(wanted.values()))
            if all(holds(dict(zip(wanted, values, strict=True))) for holds in conditions)
        )
    except (ValueError, ZeroDivisionError) as error:
        return TuningProblem(str(error))
    return TuningSpace(Setting(tuple(start)), settings)


def defines(text: str, name: str) -> bool:
    """Whether ``text`` defines a tunable as a plain number."""
    return bool(_definitions(text, name))


def written(texts: Sequence[str], setting: Setting) -> tuple[str, ...]:
    """``texts`` with the setting's values where its tunables are defined."""
    return tuple(_written(text, setting) for text in texts)


def _written(text: str, setting: Setting) -> str:
    for name, value in setting.values:
        for found in _definitions(text, name):
            text = f"{text[: found.start('value')]}{value}{text[found.end('value') :]}"
    return text


def _combinations(values: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """Of a value each, in order; where they are too many, some that are spread over all of them."""
    total = math.prod(map(len, values))
    if total <= _MOST_SETTINGS:
        yield from itertools.product(*values)
        return
    step = next(step for step in itertools.count(int(total * _GOLDEN)) if math.gcd(step, total) == 1)
    for index in range(_MOST_SETTINGS):
        place, chosen = index * step % total, list[int]()
        for some in values:
            place, number = divmod(place, len(some))
            chosen.append(some[number])
        yield tuple(chosen)


def _definitions(text: str, name: str) -> list[re.Match[str]]:
    """Where ``name`` is defined as a plain number, outside comments and strings."""
    if _NAME.fullmatch(name) is None:
        return []
    code = blanked(text)
    return [match for form in _DEFINED for match in re.finditer(form.format(name=name), code, re.MULTILINE)]


def _condition(line: str, names: Iterable[str]) -> Callable[[Mapping[str, int]], bool]:
    """A constraint as a function of the values. Raises ValueError for anything but arithmetic and comparisons of the tunables."""
    refusal = f"the constraint {line[:80]!r} is not a comparison of the tunables with integer arithmetic"
    try:
        tree = parse_expression(line.replace("&&", " and ").replace("||", " or ").strip())
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(refusal) from None
    known = frozenset(names)
    _demand_arithmetic(tree, known, refusal)
    return lambda values: bool(_value(tree, values))


def _demand_arithmetic(tree: ast.AST, names: frozenset[str], refusal: str) -> None:
    for node in ast.walk(tree):
        is_number = isinstance(node, ast.Constant) and type(node.value) is int
        is_name = isinstance(node, ast.Name) and node.id in names
        is_operator = isinstance(node, (*_OPERATIONS, *_COMPARISONS, ast.And, ast.Or, ast.Load))
        if not (is_number or is_name or is_operator or isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp)):
            raise ValueError(refusal)


def _value(node: ast.AST, values: Mapping[str, int]) -> int:
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return values[name]
        case ast.BinOp(left=left, op=operation, right=right):
            return _OPERATIONS[type(operation)](_value(left, values), _value(right, values))
        case ast.BoolOp(op=ast.And(), values=parts):
            return int(all(_value(part, values) for part in parts))
        case ast.BoolOp(values=parts):
            return int(any(_value(part, values) for part in parts))
        case ast.Compare(left=left, ops=comparisons, comparators=others):
            terms = [_value(term, values) for term in (left, *others)]
            pairs = zip(comparisons, terms, terms[1:], strict=False)
            return int(all(_COMPARISONS[type(comparison)](a, b) for comparison, a, b in pairs))
        case _:
            raise ValueError("not arithmetic")
