"""Calls of ``pow`` and ``powf`` with an exponent that a few plain operations replace: 2 to 6, -1 and 0.5.

nvcc folds none of them (13.0, sm_80 and sm_90): each runs the general routine. Example::

    (power,) = constant_powers(tree, function)    # `powf(x, 2.0f)`
    power.advice                                   # 'x * x'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.cuda.calls import callee_name, given_arguments
from assistant.cuda.functions import Function, functions
from assistant.cuda.macros import macro_texts
from assistant.cuda.syntax import Node, SyntaxTree, unparenthesized
from assistant.plan.expert.analysis.run_time_values import RunTimeValues
from assistant.plan.expert.analysis.value_kinds import Kind, ValueKinds
from assistant.record import Record

__all__ = ["ConstantPower", "constant_powers", "product_of"]

_NAMES = frozenset({"pow", "powf"})
_EXPONENTS = frozenset({2.0, 3.0, 4.0, 5.0, -1.0, 0.5})
_FLOAT_EXPONENTS = _EXPONENTS | {6.0}
"""Of ``powf``, whose own error is larger: the product for 6 has up to 2.5 ulp."""
_LITERAL = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+))([fF]?)")
_LONGEST_BASE = 24
"""Characters of a base that advice repeats; a longer one is called x."""


class ConstantPower(Record):
    """One call; its base is a value that only the run decides."""

    call: Node
    base: Node
    exponent: float
    base_kind: Kind
    """``FLOAT``, ``DOUBLE`` or ``WIDENED``."""
    is_double: bool
    """The general routine is the double one."""
    advice: str
    """What to write instead."""


def constant_powers(tree: SyntaxTree, function: Function) -> tuple[ConstantPower, ...]:
    """Powers that a function computes, in source order; none where a base's type does not follow from the text."""
    if "pow" not in tree.text(function.body):
        return ()
    return tuple(_found(tree, function))


def _found(tree: SyntaxTree, function: Function) -> Iterator[ConstantPower]:
    own = {f.name for f in functions(tree)} | macro_texts(tree).keys()
    kinds, run_time = ValueKinds(tree, function), RunTimeValues(tree, function)
    for call in tree.find("call_expression", inside=function.body):
        name, given = callee_name(tree, call).removeprefix("std::").removeprefix("::"), given_arguments(call)
        if name not in _NAMES or name in own or len(given) != 2 or call.has_error:
            continue
        base, (exponent, is_float) = given[0], _literal(tree, given[1])
        kind = kinds.of(base)
        is_double = kind is not Kind.FLOAT or (name == "pow" and not is_float)
        if exponent not in (_EXPONENTS if is_double else _FLOAT_EXPONENTS) or not run_time.decides(base):
            continue
        if kind is Kind.FLOAT:
            yield ConstantPower(call, base, exponent, kind, is_double, _advice(tree.text(base), exponent, "f"))
        elif name == "pow" and kind in (Kind.DOUBLE, Kind.WIDENED):
            yield ConstantPower(call, base, exponent, kind, True, _advice(tree.text(base), exponent, ""))


def _literal(tree: SyntaxTree, node: Node) -> tuple[float | None, bool]:
    """The exponent's value, and whether it is a float."""
    match = _LITERAL.fullmatch("".join(tree.text(unparenthesized(node)).split()))
    return (None, False) if match is None else (float(match[1]), bool(match[2]))


def _advice(base: str, exponent: float, suffix: str) -> str:
    x = base if len(base) <= _LONGEST_BASE and re.fullmatch(r"[\w.\[\]]+", base) else "x"
    if exponent == 0.5:
        return f"sqrt{suffix}({x})"
    if exponent == -1.0:
        return f"1.0{suffix} / {x}"
    return product_of(x, round(exponent))


def product_of(x: str, count: int) -> str:
    """``x`` to the power of ``count`` (2 to 6), with few multiplications and so with few roundings: ``(x * x) * (x * x)``."""
    if count <= 3:
        return " * ".join([x] * count)
    part = product_of(x, count // 2)
    return f"({part}) * ({part})" + (f" * {x}" if count % 2 else "")
