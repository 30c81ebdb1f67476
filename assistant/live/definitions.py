"""The text that a function or class of this process was defined by, and what the names in that text stand for.

Texts come from files and from the cells of a notebook, as Python keeps them for its tracebacks (``linecache``). Example::

    found = definition_of(softmax)
    found.text, found.first_line        # 'def softmax(x):\n    return …', 12
    sorted(free_names(found.text))      # ['softmax', 'torch']
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import inspect
import linecache
import site
import symtable
import sys
import sysconfig
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from assistant.python_text import parse_module
from assistant.record import Record

__all__ = ["Definition", "bound_in", "definition_of", "free_names", "is_found", "is_installed", "names_used_by"]

_MAIN = "__main__"
_LAMBDA = "<lambda>"
_FUTURE = "from __future__ import annotations"
_Defining = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Definition(Record):
    """A statement, as it stands at the left margin."""

    origin: str
    """The file, or IPython's name for the cell."""
    first_line: int
    """In its origin, from 1."""
    text: str
    has_late_annotations: bool = False
    """Its origin asks for annotations that are never evaluated."""


def definition_of(value: type | FunctionType) -> Definition | None:
    """None where no text is known. A function without a name becomes an expression in brackets."""
    code = _code_of(value)
    if code is None:
        return _class_without_methods(value)
    read = _read(code.co_filename)
    if read is None:
        return None
    text, tree = read
    node = _lambda_at(tree, code) if value.__name__ == _LAMBDA else _defining(tree, value, code)
    return None if node is None else _definition(code.co_filename, text, node)


def bound_in(origin: str, name: str) -> tuple[Definition, ast.expr] | None:
    """The assignment at the top of a text that alone gives a name its value, and that value; None where there is none, or several."""
    read = _read(origin)
    if read is None:
        return None
    text, tree = read
    found = [node for node in tree.body if name in _assigned(node)]
    if len(found) != 1 or not isinstance(found[0], ast.Assign | ast.AnnAssign) or found[0].value is None:
        return None
    return _definition(origin, text, found[0]), found[0].value


def free_names(text: str) -> frozenset[str]:
    """Names that a text looks up outside of its own functions, builtins left out. Raises SyntaxError."""
    table = symtable.symtable(text, "<text>", "exec")
    own = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    found = own | {name for child in table.get_children() for name in _global_names(child)}
    return frozenset(name for name in found if not hasattr(builtins, name))


def names_used_by(value: type | FunctionType) -> dict[str, object]:
    """What names in its text stand for."""
    if isinstance(value, FunctionType):
        return {**value.__globals__, **inspect.getclosurevars(value).nonlocals}
    found: dict[str, object] = {base.__name__: base for base in value.__bases__}
    for method in _own_methods(value):
        closed = inspect.getclosurevars(method).nonlocals
        found |= method.__globals__ | {name: each for name, each in closed.items() if name != "__class__"}
    return found


def is_installed(value: type | FunctionType) -> bool:
    """Whether it belongs to an installed package, where every process with the same packages finds it by its name."""
    module = sys.modules.get(value.__module__ or _MAIN)
    if module is None or not is_found(module) or getattr(module, value.__qualname__, None) is not value:
        return False
    file = getattr(module, "__file__", None)
    return file is None or any(Path(file).is_relative_to(folder) for folder in _package_folders())


def is_found(module: ModuleType) -> bool:
    """Whether its name can be imported; an extension that was built in this process is in no such place."""
    try:
        return module.__name__ != _MAIN and importlib.util.find_spec(module.__name__) is not None
    except (ImportError, ValueError, AttributeError):
        return False


def _package_folders() -> tuple[str, ...]:
    named = sysconfig.get_paths()
    return (*(named[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")), *site.getsitepackages(), site.getusersitepackages())


def _read(origin: str) -> tuple[str, ast.Module] | None:
    text = "".join(linecache.getlines(origin))
    try:
        return (text, parse_module(text)) if text else None
    except (SyntaxError, ValueError):
        return None


def _class_without_methods(value: type | FunctionType) -> Definition | None:
    """The only one of its name in its module's file, else in the cell that was run last and has it."""
    file = getattr(sys.modules.get(value.__module__), "__file__", None)
    for origin in [file] if file is not None else reversed(list(linecache.cache)):
        read = _read(origin)
        found = (
            [] if read is None else [each for each in ast.walk(read[1]) if isinstance(each, ast.ClassDef) and each.name == value.__name__]
        )
        if read is not None and len(found) == 1:
            return _definition(origin, read[0], found[0])
    return None


def _definition(origin: str, text: str, node: ast.expr | ast.stmt) -> Definition:
    first, last = _first_line(node), node.end_lineno or node.lineno
    if isinstance(node, ast.Lambda):
        written = f"({ast.get_source_segment(text, node)})"
    else:
        written = _at_margin("\n".join(text.split("\n")[first - 1 : last]), node)
    return Definition(origin, first, written, _FUTURE in text)


def _at_margin(text: str, node: ast.stmt | ast.expr) -> str:
    """Written anew where a text over several lines keeps it from being moved."""
    moved = textwrap.dedent(text).rstrip()
    return ast.unparse(node) if moved[:1].isspace() else moved


def _defining(tree: ast.Module, value: type | FunctionType, code: CodeType) -> _Defining | None:
    kinds = ast.ClassDef if isinstance(value, type) else ast.FunctionDef | ast.AsyncFunctionDef
    found = (node for node in ast.walk(tree) if isinstance(node, kinds) and node.name == value.__name__)
    return next((node for node in found if _first_line(node) <= code.co_firstlineno <= (node.end_lineno or 0)), None)


def _lambda_at(tree: ast.Module, code: CodeType) -> ast.Lambda | None:
    """None where the line holds several that do the same."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno]
    same = [node for node in found if _compiled(node).co_names == code.co_names and _compiled(node).co_consts == code.co_consts]
    return found[0] if len(found) == 1 else same[0] if len(same) == 1 else None


def _compiled(node: ast.Lambda) -> CodeType:
    made = compile(ast.Expression(node), "<lambda>", "eval")
    return next(const for const in made.co_consts if isinstance(const, CodeType))


def _first_line(node: ast.expr | ast.stmt) -> int:
    decorators = node.decorator_list if isinstance(node, _Defining) else []
    return min([node.lineno, *(each.lineno for each in decorators)])


def _assigned(node: ast.stmt) -> Iterator[str]:
    """Names that a statement at the top of a text gives values to."""
    if isinstance(node, _Defining):
        yield node.name
        return
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store | ast.Del):
            yield each.id
        if isinstance(each, ast.alias):
            yield each.asname or each.name.split(".")[0]


def _global_names(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        if symbol.is_global():
            yield symbol.get_name()
    for child in table.get_children():
        yield from _global_names(child)


def _code_of(value: type | FunctionType) -> CodeType | None:
    """Of a class that of a method of its own: classes do not say where they are defined before Python 3.13."""
    if isinstance(value, FunctionType):
        return value.__code__
    return next((method.__code__ for method in _own_methods(value)), None)


def _own_methods(value: type) -> Iterator[FunctionType]:
    own = f"{value.__qualname__}."
    return (each for each in vars(value).values() if isinstance(each, FunctionType) and each.__qualname__.startswith(own))
