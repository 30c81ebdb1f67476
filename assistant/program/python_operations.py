"""What a Python text's values are, and what Python's own operators and functions make of them.

Example::

    combined(ast.Add(), ["a.cu"], ["b.cu"])     # ["a.cu", "b.cu"]
    is_unknown("-O3", Unknown("flags()", 7))    # True
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from assistant.record import Record

__all__ = [
    "BUILTINS",
    "COMPARED",
    "GPU_FLAGS",
    "OF_PATHS",
    "WIDE",
    "FoundCall",
    "Function",
    "Method",
    "ModuleName",
    "Unknown",
    "combined",
    "is_list",
    "is_table",
    "is_too_long",
    "is_unknown",
    "items_of",
    "on_a_gpu",
]  # fmt: skip

_MOST_ITEMS = 10_000
"""Items of a list, or characters of a text that is put together."""
WIDE = re.compile(r"\d{4}")
"""In a format, a width that no flag has."""
GPU_FLAGS = frozenset({"torch.cuda.is_available", "torch.utils.cpp_extension.CUDA_HOME", "torch.version.cuda"})
"""What holds where the text is run on a GPU."""


class Unknown(Record):
    """What cannot be known without running the text."""

    text: str
    line: int


class ModuleName(Record):
    """A name of an imported module, or of Python itself: ``os.path.join``."""

    name: str


class FoundCall(Record):
    """A call of a function that the reader looks for, with its arguments."""

    function: str
    """Full dotted name."""
    positional: tuple[Any, ...]
    named: Mapping[str, Any]
    line: int


class Function(Record):
    """A function of the text."""

    node: ast.FunctionDef | ast.AsyncFunctionDef
    scope: dict[str, Any]


class Method(Record):
    """A method of a known value."""

    owner: Any
    name: str


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Also what Python has as a tuple or a set."""
    return isinstance(value, list)


def is_table(value: Any) -> TypeGuard[dict[Any, Any]]:
    """Whether it is a dictionary."""
    return isinstance(value, dict)


COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
    ast.Is: lambda a, b: a is b, ast.IsNot: lambda a, b: a is not b, ast.Lt: lambda a, b: a < b, ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b,
}  # fmt: skip


def combined(operator: ast.operator, left: Any, right: Any) -> Any:
    """Sums of texts and lists, paths joined by ``/``, ``%`` of a text. Raises TypeError for others."""
    match operator:
        case ast.Add():
            return left + right
        case ast.Div() if isinstance(left, Path) or isinstance(right, Path):
            return left / right
        case ast.Mod() if isinstance(left, str) and not WIDE.search(left):
            return left % (tuple(right) if is_list(right) else right)
        case ast.Sub() | ast.Mult() if isinstance(left, int) and isinstance(right, int):
            return left - right if isinstance(operator, ast.Sub) else left * right
        case _:
            raise TypeError


def is_too_long(value: Any) -> bool:
    return (isinstance(value, str) or is_list(value) or is_table(value)) and len(value) > _MOST_ITEMS


def _numbers(*ends: int) -> list[int]:
    """As range() gives them; none of a long one."""
    found = range(*ends)
    return list(found) if len(found) <= _MOST_ITEMS else []


def _listed(values: Iterable[Any] = ()) -> list[Any]:
    """Tuples are lists here."""
    return list(values)


def _distinct(values: Iterable[Any] = ()) -> list[Any]:
    return list(dict.fromkeys(values))


def _counted(values: Iterable[Any]) -> list[Any]:
    return [list(each) for each in enumerate(values)]


def on_a_gpu(value: Any) -> Any:
    return True if isinstance(value, ModuleName) and value.name in GPU_FLAGS else value


def items_of(value: Any) -> list[Any]:
    return value if is_list(value) else [value]


def is_unknown(*values: Any) -> bool:
    return any(isinstance(value, Unknown | ModuleName) or (is_list(value) and is_unknown(*value)) for value in values)


BUILTINS: Mapping[str, Callable[..., Any]] = {
    "str": str, "list": _listed, "tuple": _listed, "sorted": sorted, "len": len, "int": int, "bool": bool,
    "float": float, "set": _distinct, "dict": dict, "range": _numbers, "max": max, "min": min,
    "any": any, "all": all, "enumerate": _counted,
}  # fmt: skip
OF_PATHS: Mapping[str, Callable[..., Any]] = {
    "os.path.join": os.path.join, "os.path.dirname": os.path.dirname, "os.path.basename": os.path.basename,
    "os.path.normpath": os.path.normpath, "os.path.relpath": os.path.relpath,
    "os.fspath": os.fspath, "os.path.exists": os.path.exists, "os.path.isfile": os.path.isfile, "os.path.isdir": os.path.isdir,
    "os.path.expanduser": os.path.expanduser,
}  # fmt: skip
