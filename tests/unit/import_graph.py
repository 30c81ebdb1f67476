"""Which of our modules import which: at their beginning or within functions, but not for type checkers alone.

A name that a room's public face passes on counts as an import of the module that it comes from.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOPS = ("assistant", "jupyter_ext", "kernelopt", "lsp")


def _module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module_name(path): path for top in TOPS for path in (ROOT / top).rglob("*.py")}
"""Every module and package by its name."""
HOMES = {
    (package, alias.asname): node.module
    for package, path in MODULES.items()
    if path.name == "__init__.py" and "names_of(" in path.read_text("utf-8")
    for node in ast.walk(ast.parse(path.read_text("utf-8")))
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
"""(package, public name) → the module that it comes from, of packages that load their names when they are first used."""


def imported(name: str) -> set[str]:
    """Modules of ours that a module imports."""
    return imported_by(MODULES[name].read_text("utf-8")) - {name}


def imported_by(text: str) -> set[str]:
    """Modules of ours that a text imports."""
    found: set[str] = set()
    for node in _run_statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {_home(node.module, alias.name) for alias in node.names}
    return found & MODULES.keys()


def _home(module: str, name: str) -> str:
    """The module that ``from module import name`` takes the name from."""
    inner = f"{module}.{name}"
    return HOMES.get((module, name)) or (inner if inner in MODULES else module)


def _run_statements(node: ast.AST) -> Iterator[ast.stmt]:
    """All statements below ``node`` but those that only type checkers see."""
    left = [node]
    while left:
        for child in ast.iter_child_nodes(left.pop()):
            if isinstance(child, ast.expr) or (isinstance(child, ast.If) and _is_for_type_checkers(child.test)):
                continue
            left.append(child)
            if isinstance(child, ast.stmt):
                yield child


def _is_for_type_checkers(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING")
