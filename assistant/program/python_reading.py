"""Calls that a Python file would make of certain functions, with their arguments, as far as its text says: nothing is run.

Statements are followed in order, functions of the file where they are called, and in the end those that nothing called. Conditions that
depend on the environment count as if no variable were set; where that is not known, neither branch is followed. Example::

    read_python(Path("/p/setup.py"), parse_module(text), frozenset({"torch.utils.cpp_extension.CUDAExtension"})).called[0].line     # 14
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from assistant.program.python_operations import FoundCall, Function, ModuleName, Unknown, is_list, is_table
from assistant.program.python_values import Scope, TooLongError, Values
from assistant.python_text import parse_expression, parse_module
from assistant.record import Record

__all__ = ["PythonText", "parsed_python", "read_python"]

_MOST_DEPTH = 8
"""Calls in calls."""
_MOST_ROUNDS = 64
"""Rounds of a loop."""


class PythonText(Record):
    """What reading one file gave."""

    called: tuple[FoundCall, ...]
    variables: tuple[str, ...]
    """Environment variables that it asks for; they count as not set."""
    skipped: tuple[Unknown, ...]
    """Conditions that could not be said."""


def parsed_python(text: str) -> ast.Module | None:
    """None for what is no Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of escapes in the user's strings
            return parse_module(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def read_python(file: Path, module: ast.Module, wanted: frozenset[str]) -> PythonText:
    """All calls of the functions with these full names, in the order in which they are met."""
    reader = _Reader(file, wanted)
    reader.read(module)
    return PythonText(tuple(reader.values.called), tuple(reader.values.variables), tuple(reader.skipped))


class _ReturnValue(Exception):  # noqa: N818 - no error
    def __init__(self, value: Any) -> None:
        self.value = value


class _Left(Exception):  # noqa: N818 - no error
    """A loop is left, or its next round begins."""


class _Reader:
    """Follows one file."""

    def __init__(self, file: Path, wanted: frozenset[str]) -> None:
        self.values = Values(file, wanted, self._call)
        self.skipped: list[Unknown] = []
        self._entered: set[int] = set()
        self._depth = 0

    def read(self, module: ast.Module) -> None:
        """Everything, functions that nothing calls last."""
        scope = Scope({})
        try:
            self._run(module.body, scope)
            for node in ast.walk(module):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and id(node) not in self._entered:
                    self._call(Function(node, scope.outer), [], {})
        except (TooLongError, RecursionError):
            self.skipped.append(Unknown("the rest, which is long", 0))
        except (_ReturnValue, _Left):
            pass

    def _call(self, function: Function, positional: list[Any], named: dict[str, Any]) -> object:
        """What a function of the file returns; parameters that are not given and have no default are unknown."""
        node = function.node
        self._entered.add(id(node))
        if self._depth >= _MOST_DEPTH:
            return Unknown(node.name, node.lineno)
        outer = Scope(function.scope)
        words = [word.arg for word in (*node.args.posonlyargs, *node.args.args)]
        names: dict[str, Any] = {word.arg: Unknown(word.arg, word.lineno) for word in ast.walk(node.args) if isinstance(word, ast.arg)}
        defaults = node.args.defaults
        names.update(zip(words[len(words) - len(defaults) :], (self.values.evaluate(each, outer) for each in defaults), strict=True))
        for word, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
            if default is not None:
                names[word.arg] = self.values.evaluate(default, outer)
        names.update(zip(words, positional, strict=False))
        if node.args.vararg is not None:
            names[node.args.vararg.arg] = positional[len(words) :]
        names.update(named)
        self._depth += 1
        try:
            self._run(node.body, Scope(names, function.scope))
        except _ReturnValue as returned:
            return returned.value
        except _Left:
            return None
        finally:
            self._depth -= 1
        return None

    def _run(self, body: Iterable[ast.stmt], scope: Scope) -> None:
        for statement in body:
            self._step(statement, scope)

    def _step(self, node: ast.stmt, scope: Scope) -> None:
        match node:
            case ast.Import():
                for alias in node.names:
                    name = alias.name if alias.asname else alias.name.partition(".")[0]
                    scope.names[alias.asname or name] = ModuleName(name)
            case ast.ImportFrom():
                for alias in node.names:
                    scope.names[alias.asname or alias.name] = ModuleName(f"{node.module or ''}.{alias.name}")
            case ast.Assign():
                value = self.values.evaluate(node.value, scope)
                for target in node.targets:
                    self._assign(target, value, scope)
            case ast.AnnAssign() if node.value is not None:
                self._assign(node.target, self.values.evaluate(node.value, scope), scope)
            case ast.AugAssign():
                self._add(node, scope)
            case ast.Expr():
                self.values.evaluate(node.value, scope)
            case ast.If():
                self._branch(node, scope)
            case ast.For():
                self._loop(node, scope)
            case ast.While():
                self._forget((node,), scope)
            case ast.With():
                for item in node.items:
                    value = self.values.evaluate(item.context_expr, scope)
                    if item.optional_vars is not None:
                        self._assign(item.optional_vars, value, scope)
                self._run(node.body, scope)
            case ast.Try():
                self._run((*node.body, *node.orelse, *node.finalbody), scope)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                scope.names[node.name] = Function(node, scope.outer)
            case ast.ClassDef():
                scope.names[node.name] = Unknown(node.name, node.lineno)
                fields = (each for each in node.body if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
                self._run(fields, Scope({}, scope.outer))
            case ast.Return():
                raise _ReturnValue(None if node.value is None else self.values.evaluate(node.value, scope))
            case ast.Break() | ast.Continue():
                raise _Left
            case _:
                pass

    def _branch(self, node: ast.If, scope: Scope) -> None:
        truth = self.values.truth(node.test, scope)
        if truth is None:
            self.skipped.append(Unknown(ast.unparse(node.test), node.lineno))
        else:
            self._run(node.body if truth else node.orelse, scope)

    def _loop(self, node: ast.For, scope: Scope) -> None:
        values = self.values.evaluate(node.iter, scope)
        if not is_list(values) or len(values) > _MOST_ROUNDS:
            self._forget((node,), scope)
            return
        for value in values:
            self._assign(node.target, value, scope)
            try:
                self._run(node.body, scope)
            except _Left:
                continue

    def _forget(self, nodes: Iterable[ast.stmt], scope: Scope) -> None:
        """What a loop that is not followed gives a value has none that is known; calls in it are looked at once."""
        for node in nodes:
            for each in ast.walk(node):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    scope.names[each.id] = Unknown(each.id, each.lineno)
            try:
                self._run(getattr(node, "body", ()), scope)
            except _Left:
                continue

    def _add(self, node: ast.AugAssign, scope: Scope) -> None:
        value = self.values.evaluate(ast.BinOp(_read_of(node.target), node.op, node.value, lineno=node.lineno), scope)
        self._assign(node.target, value, scope)

    def _assign(self, target: ast.expr, value: Any, scope: Scope) -> None:
        match target:
            case ast.Name():
                scope.names[target.id] = value
            case ast.Tuple() | ast.List():
                parts = value if is_list(value) and len(value) == len(target.elts) else [Unknown("", target.lineno)] * len(target.elts)
                for each, part in zip(target.elts, parts, strict=True):
                    self._assign(each, part, scope)
            case ast.Subscript():
                owner = self.values.evaluate(target.value, scope)
                key = self.values.evaluate(target.slice, scope)
                if is_table(owner) and isinstance(key, str):
                    owner[key] = value
            case _:
                pass


def _read_of(target: ast.expr) -> ast.expr:
    """The target of an assignment, as it is read."""
    parsed = parse_expression(ast.unparse(target))
    return ast.copy_location(parsed, target)
