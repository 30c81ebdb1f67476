"""Values that a Python file gives its names, read from its text: nothing is run.

A build script (``setup.py``) joins paths, adds lists of flags and asks the environment. That much is followed; what is not is `Unknown`,
with the text that could not be read. Example::

    values = Values(Path("/p/setup.py"), frozenset({"setuptools.setup"}), call)
    values.evaluate(parse_expression("os.path.join(here, 'a.cu')"), scope)     # '/p/a.cu', where `here` is the file's folder
"""

from __future__ import annotations

import ast
import glob
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assistant.program.python_operations import (
    BUILTINS,
    COMPARED,
    GPU_FLAGS,
    OF_PATHS,
    WIDE,
    FoundCall,
    Function,
    Method,
    ModuleName,
    Unknown,
    combined,
    is_list,
    is_table,
    is_too_long,
    is_unknown,
    items_of,
    on_a_gpu,
)

__all__ = ["Scope", "TooLongError", "Values"]

_MOST_STEPS = 50_000
"""Expressions of a file (chosen: well below a second)."""
_MOST_MATCHES = 2_000
"""Files of a pattern."""


class TooLongError(Exception):
    """The text asks for more steps than are taken."""


class Scope:
    """Names of a function, and of the module around it."""

    def __init__(self, names: dict[str, Any], outer: dict[str, Any] | None = None) -> None:
        self.names = names
        self.outer = names if outer is None else outer

    def find(self, name: str) -> Any:
        """Raises KeyError where nothing gives it a value."""
        return self.names[name] if name in self.names else self.outer[name]


_TEXT_METHODS = frozenset({
    "join", "format", "split", "strip", "lstrip", "rstrip", "replace", "startswith", "endswith", "lower", "upper", "removeprefix",
    "removesuffix", "splitlines",
})  # fmt: skip
_LIST_METHODS = frozenset({"append", "extend", "insert", "remove", "copy", "index", "count"})
_DICT_METHODS = frozenset({"get", "update", "keys", "values", "items", "setdefault", "copy", "pop"})
_PATH_METHODS = frozenset({
    "resolve", "absolute", "joinpath", "with_name", "with_suffix", "exists", "is_file", "is_dir", "as_posix", "relative_to", "expanduser",
})  # fmt: skip
_PATH_ATTRIBUTES = frozenset({"parent", "name", "stem", "suffix", "parents", "parts"})


class Values:
    """Evaluates expressions of a file. Environment variables count as not set, and which were asked for is noted."""

    def __init__(self, file: Path, wanted: frozenset[str], call: Callable[[Function, list[Any], dict[str, Any]], Any]) -> None:
        """``wanted``: functions whose calls are collected. ``call``: what a function of the text returns."""
        self.file = file
        self.wanted = wanted
        self.called: list[FoundCall] = []
        self.variables: dict[str, None] = {}
        """Environment variables that were asked for."""
        self._call = call
        self._steps = 0

    def evaluate(self, node: ast.expr, scope: Scope) -> Any:
        """The value of an expression, `Unknown` where it cannot be said. Raises TooLongError."""
        self._steps += 1
        if self._steps > _MOST_STEPS:
            raise TooLongError
        read = getattr(self, f"_read_{type(node).__name__.lower()}", None)
        if read is None:
            return self._unknown(node)
        try:
            value = read(node, scope)
            return self._unknown(node) if is_too_long(value) and not isinstance(node, ast.Constant) else value
        except (ArithmeticError, AttributeError, IndexError, KeyError, LookupError, OSError, TypeError, ValueError):
            return self._unknown(node)

    def truth(self, node: ast.expr, scope: Scope) -> bool | None:
        """Whether a condition holds; None where that cannot be said."""
        value = on_a_gpu(self.evaluate(node, scope))
        return None if isinstance(value, Unknown | ModuleName) else bool(value)

    def _unknown(self, node: ast.expr) -> Unknown:
        return Unknown(ast.unparse(node), node.lineno)

    def _read_constant(self, node: ast.Constant, _scope: Scope) -> object:
        return node.value

    def _read_name(self, node: ast.Name, scope: Scope) -> object:
        if node.id == "__file__":
            return str(self.file)
        if node.id == "__name__":
            return "__main__"
        try:
            return scope.find(node.id)
        except KeyError:
            return ModuleName(node.id) if node.id in BUILTINS else self._unknown(node)

    def _read_list(self, node: ast.List | ast.Tuple | ast.Set, scope: Scope) -> list[Any]:
        found = list[Any]()
        for item in node.elts:
            if isinstance(item, ast.Starred):
                value = self.evaluate(item.value, scope)
                found.extend(value if is_list(value) else [value])
            else:
                found.append(self.evaluate(item, scope))
        return found

    _read_tuple = _read_set = _read_list

    def _read_dict(self, node: ast.Dict, scope: Scope) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                found.update(self.evaluate(value, scope))
            else:
                found[self.evaluate(key, scope)] = self.evaluate(value, scope)
        return found

    def _read_joinedstr(self, node: ast.JoinedStr, scope: Scope) -> object:
        parts = list[str]()
        for part in node.values:
            value = self.evaluate(part.value if isinstance(part, ast.FormattedValue) else part, scope)
            if isinstance(value, Unknown | ModuleName):
                return self._unknown(node)
            parts.append(str(value))
        return "".join(parts)

    def _read_binop(self, node: ast.BinOp, scope: Scope) -> object:
        left, right = self.evaluate(node.left, scope), self.evaluate(node.right, scope)
        if isinstance(node.op, ast.Add) and is_list(left) != is_list(right):
            return [*items_of(left), *items_of(right)]  # what is not known stays one item of the list
        return self._unknown(node) if is_unknown(left, right) else combined(node.op, left, right)

    def _read_boolop(self, node: ast.BoolOp, scope: Scope) -> object:
        is_and, value = isinstance(node.op, ast.And), None
        for each in node.values:
            value = on_a_gpu(self.evaluate(each, scope))
            if isinstance(value, Unknown | ModuleName) or bool(value) is not is_and:
                return value
        return value

    def _read_unaryop(self, node: ast.UnaryOp, scope: Scope) -> object:
        value = on_a_gpu(self.evaluate(node.operand, scope))
        if isinstance(node.op, ast.Not) and not is_unknown(value):
            return not value
        return -value if isinstance(node.op, ast.USub) else self._unknown(node)

    def _read_compare(self, node: ast.Compare, scope: Scope) -> object:
        left = on_a_gpu(self.evaluate(node.left, scope))
        for operator, other in zip(node.ops, node.comparators, strict=True):
            right = on_a_gpu(self.evaluate(other, scope))
            if is_unknown(left, right):
                return self._unknown(node)
            if not COMPARED[type(operator)](left, right):
                return False
            left = right
        return True

    def _read_ifexp(self, node: ast.IfExp, scope: Scope) -> object:
        truth = self.truth(node.test, scope)
        return self._unknown(node) if truth is None else self.evaluate(node.body if truth else node.orelse, scope)

    def _read_subscript(self, node: ast.Subscript, scope: Scope) -> object:
        owner = self.evaluate(node.value, scope)
        if isinstance(owner, ModuleName):
            return self._variable(node, [self.evaluate(node.slice, scope)]) if owner.name == "os.environ" else self._unknown(node)
        if isinstance(node.slice, ast.Slice):
            ends = [None if end is None else self.evaluate(end, scope) for end in (node.slice.lower, node.slice.upper, node.slice.step)]
            return owner[slice(*ends)]
        return self._unknown(node) if isinstance(owner, Unknown) else owner[self.evaluate(node.slice, scope)]

    def _read_attribute(self, node: ast.Attribute, scope: Scope) -> object:
        owner = self.evaluate(node.value, scope)
        if isinstance(owner, ModuleName):
            name = f"{owner.name}.{node.attr}"
            return ModuleName(name)
        if isinstance(owner, Path) and node.attr in _PATH_ATTRIBUTES:
            return getattr(owner, node.attr)
        return self._unknown(node) if isinstance(owner, Unknown) else Method(owner, node.attr)

    def _read_listcomp(self, node: ast.ListComp | ast.GeneratorExp | ast.SetComp, scope: Scope) -> object:
        if len(node.generators) != 1 or not isinstance(node.generators[0].target, ast.Name):
            return self._unknown(node)
        generator, found = node.generators[0], list[Any]()
        values = self.evaluate(generator.iter, scope)
        if not is_list(values):
            return self._unknown(node)
        for value in values:
            inner = Scope({**scope.names, node.generators[0].target.id: value}, scope.outer)
            truths = [self.truth(test, inner) for test in generator.ifs]
            if None in truths:
                return self._unknown(node)
            if all(truths):
                found.append(self.evaluate(node.elt, inner))
        return found

    _read_generatorexp = _read_setcomp = _read_listcomp

    def _read_call(self, node: ast.Call, scope: Scope) -> object:
        function = self.evaluate(node.func, scope)
        positional = self._read_list(ast.List(node.args), scope)
        named: dict[str, Any] = {}
        for word in node.keywords:
            value = self.evaluate(word.value, scope)
            if word.arg is not None:
                named[word.arg] = value
            elif is_table(value):
                named.update(value)
        match function:
            case ModuleName():
                return self._call_of_module(node, function.name, positional, named)
            case Function():
                return self._call(function, positional, named)
            case Method():
                return self._call_of_method(node, function, positional, named)
            case _:
                return self._unknown(node)

    def _call_of_module(self, node: ast.Call, name: str, positional: list[Any], named: dict[str, Any]) -> object:
        if name in self.wanted:
            called = FoundCall(name, tuple(positional), named, node.lineno)
            self.called.append(called)
            return called
        if name in ("os.getenv", "os.environ.get"):
            return self._variable(node, positional)
        if name in GPU_FLAGS:
            return ModuleName(name)
        if name in ("os.getcwd", "pathlib.Path.cwd"):
            folder = self.file.parent
            return folder if name.startswith("pathlib") else str(folder)
        if is_unknown(*positional, *named.values()):
            return self._unknown(node)
        if name in ("os.path.abspath", "os.path.realpath"):
            return os.path.normpath(self.file.parent / positional[0])
        if name in ("glob.glob", "glob.iglob"):
            return self._matching(str(positional[0]), is_recursive=bool(named.get("recursive", False)))
        if name in ("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"):
            return Path(*positional)
        function = OF_PATHS.get(name) or BUILTINS.get(name)
        return self._unknown(node) if function is None else function(*positional, **named)

    def _call_of_method(self, node: ast.Call, method: Method, positional: list[Any], named: dict[str, Any]) -> object:
        owner, name = method.owner, method.name
        is_of_list = is_list(owner) and name in _LIST_METHODS
        is_of_dict = is_table(owner) and name in _DICT_METHODS
        if is_of_list or is_of_dict:
            found = getattr(owner, name)(*positional, **named)
            return list(found) if name in ("keys", "values") else [list(each) for each in found] if name == "items" else found
        if is_unknown(*items_of(positional[0] if positional else []), *named.values()):
            return self._unknown(node)
        if isinstance(owner, str) and name in _TEXT_METHODS and not (name == "format" and WIDE.search(owner)):
            return getattr(owner, name)(*positional, **named)
        if isinstance(owner, Path) and name in ("glob", "rglob"):
            pattern = f"{owner}/**/{positional[0]}" if name == "rglob" else f"{owner}/{positional[0]}"
            return [Path(each) for each in self._matching(pattern, is_recursive=True)]
        if isinstance(owner, Path) and name in ("resolve", "absolute"):
            return Path(os.path.normpath(self.file.parent / owner))
        if isinstance(owner, Path) and name in _PATH_METHODS:
            return getattr(owner, name)(*positional)
        return self._unknown(node)

    def _matching(self, pattern: str, *, is_recursive: bool) -> list[str]:
        """As a glob gives it, in order; a relative one starts in the file's folder."""
        found = glob.glob(pattern, root_dir=self.file.parent, recursive=is_recursive)  # noqa: PTH207 - the text's own words
        return sorted(found)[:_MOST_MATCHES]

    def _variable(self, node: ast.expr, arguments: list[Any]) -> object:
        """What ``os.getenv`` gives of a variable that is not set."""
        if not arguments or not isinstance(arguments[0], str):
            return self._unknown(node)
        self.variables[arguments[0]] = None
        return arguments[1] if len(arguments) > 1 else None
