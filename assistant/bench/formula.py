"""Numbers from arithmetic in a program's parameters, as suite files state them. Nothing else is evaluated.

Example::

    evaluated("12*n**2", {"n": 96})     # 110592.0
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping

from assistant.errors import UsageError
from assistant.python_text import parse_expression

__all__ = ["evaluated"]

_MOST_LETTERS = 400
_LARGEST_EXPONENT = 64
"""A size may be given by its number of bits; no amount of anything has more."""


def evaluated(formula: str, values: Mapping[str, float]) -> float:
    """The formula's value; raises UsageError for anything but numbers, parameters, ``+ - * / // **`` and parentheses, and for a value
    that is negative or no number."""
    if len(formula) > _MOST_LETTERS:
        raise UsageError(f"the formula {formula[:40]}… is longer than {_MOST_LETTERS} letters")
    try:
        value = _value(parse_expression(formula.strip()), values)
    except (SyntaxError, ArithmeticError, RecursionError) as error:
        raise UsageError(f"the formula {formula!r} cannot be evaluated: {error}") from error
    if not math.isfinite(value) or value < 0:
        raise UsageError(f"the formula {formula!r} is {value:g} for {dict(values)}, and no amount")
    return value


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name):
            if name not in values:
                raise UsageError(f"a formula speaks of {name!r}", f"its parameters are {', '.join(values) or 'none'}")
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.BinOp(left=left, op=operator, right=right):
            return _combined(_value(left, values), operator, _value(right, values))
        case _:
            raise UsageError(f"a formula may not have {ast.unparse(node)!r}", "it has numbers, parameters, + - * / // ** and parentheses")


def _combined(left: float, operator: ast.operator, right: float) -> float:
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return left / right
        case ast.FloorDiv():
            return left // right
        case ast.Pow() if 0 <= right <= _LARGEST_EXPONENT:
            return left**right
        case _:
            raise UsageError(f"a formula may not have {type(operator).__name__} of {left:g} and {right:g}")
