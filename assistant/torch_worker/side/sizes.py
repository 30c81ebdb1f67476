"""Sizes in a launcher's table: numbers, names of sizes, and arithmetic over both.

Example::

    sizes = bound({"x": ["n", "2*h", 3]}, {"x": (5, 8, 3)})     # Raises SizeError where the shape cannot be so
    size_of("(n - 1) // 2 + 1", {"n": 5})                       # 3
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence

__all__ = ["SizeError", "bound", "size_of"]


class SizeError(RuntimeError):
    """A size that is none, or a shape that is another than the table says."""


def _exact(a: int, b: int) -> int:
    if b == 0 or a % b:
        raise SizeError(f"{a} / {b} is no whole number: // rounds down")
    return a // b


def _floor(a: int, b: int) -> int:
    if b == 0:
        raise SizeError(f"{a} is divided by zero")
    return a // b


_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: _exact, ast.FloorDiv: _floor,
}  # fmt: skip


def bound(shapes: Mapping[str, Sequence[int | str]], actual: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """What each name stands for, by the inputs' shapes. Raises SizeError where they do not fit."""
    sizes: dict[str, int] = {}
    for name, shape in shapes.items():
        if name not in actual:
            continue
        if len(actual[name]) != len(shape):
            raise SizeError(f"{name} has {len(actual[name])} dimensions, the table says {len(shape)}")
        for word, size in zip(shape, actual[name], strict=True):
            if str(word).strip().isidentifier() and sizes.setdefault(str(word).strip(), size) != size:
                raise SizeError(f"{word} is {sizes[str(word).strip()]} and {size} in the inputs' shapes")
    for name, sizes_of_input in actual.items():
        for word, size in zip(shapes[name], sizes_of_input, strict=True):
            if size_of(word, sizes) != size:
                raise SizeError(f"{name} has the size {size} where the table says {word}, which is {size_of(word, sizes)}")
    return sizes


def size_of(word: int | str, sizes: Mapping[str, int]) -> int:
    """The number that it stands for. Raises SizeError."""
    if isinstance(word, int):
        return word
    try:
        tree = ast.parse(str(word).strip(), mode="eval")
    except SyntaxError as error:
        raise SizeError(f"{word!r} is no size") from error
    return _value(tree.body, sizes)


def _value(node: ast.expr, sizes: Mapping[str, int]) -> int:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return node.value
    if isinstance(node, ast.Name):
        if node.id not in sizes:
            raise SizeError(f"{node.id} is no size of an input; there are {', '.join(sizes) or 'none'}")
        return sizes[node.id]
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left, sizes), _value(node.right, sizes))
    raise SizeError(f"{ast.unparse(node)} is no size: numbers, names, + - * / and // are")
